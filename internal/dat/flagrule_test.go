package dat

import (
	"testing"

	"pgregory.net/rapid"
)

const (
	flagU = CompletionUnsignalled
	flagS = CompletionSolicitedWait
	flagT = CompletionEVDThreshold
)

// feed is a stream on the EVD of a test: one endpoint's receives or requests,
// or another stream.
type feed struct {
	recv, request CompletionFlag // 0 is none
	other         Stream         // StreamDTO is none
}

func useOf(feeds ...feed) EVDUse {
	u := EVDUse{IA: ourIA, Streams: []Stream{StreamCR, StreamDTO, StreamConnection}}
	for _, f := range feeds {
		if f.recv != 0 {
			u.DTO[DirRecv][f.recv]++
		}
		if f.request != 0 {
			u.DTO[DirRequest][f.request]++
		}
		if f.other != StreamDTO {
			u = u.WithOther(f.other)
		}
	}
	return u
}

func dto(recv, request CompletionFlag) feed { return feed{recv, request, StreamDTO} }
func other(s Stream) feed                   { return feed{0, 0, s} }

func TestR1ToR5RefuseMixedFlags(t *testing.T) {
	for name, c := range map[string]struct {
		use EVDUse
		ok  bool
	}{
		"nothing feeds it":                          {useOf(), true},
		"R1 requests alike":                         {useOf(dto(0, flagU), dto(0, flagU)), true},
		"R1 requests differ":                        {useOf(dto(0, flagU), dto(0, flagT)), false},
		"R1 receives differ":                        {useOf(dto(flagS, 0), dto(flagT, 0)), false},
		"R2 threshold with connection events":       {useOf(dto(flagT, flagT), other(StreamConnection)), true},
		"R2 unsignalled with connection events":     {useOf(dto(0, flagU), other(StreamConnection)), false},
		"R2 solicited with requests of a PSP":       {useOf(dto(flagS, 0), other(StreamCR)), false},
		"R3 unsignalled in both directions":         {useOf(dto(flagU, flagU)), true},
		"R3 unsignalled in one":                     {useOf(dto(flagT, flagU)), false},
		"R4 solicited receives alone":               {useOf(dto(flagS, 0), dto(flagS, 0)), true},
		"R4 solicited with software events":         {useOf(dto(flagS, 0), other(StreamSoftware)), false},
		"R5 solicited receives and any request":     {useOf(dto(flagS, flagT)), false},
		"R5 threshold in both directions":           {useOf(dto(flagT, flagT), dto(flagT, 0)), true},
		"other streams alone":                       {useOf(other(StreamCR), other(StreamConnection)), true},
		"R2 asynchronous events beside threshold":   {useOf(dto(flagT, 0), other(StreamAsync)), true},
		"R2 asynchronous events beside a solicited": {useOf(dto(flagS, 0), other(StreamAsync)), false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := c.use.Check(); (err == nil) != c.ok {
				t.Errorf("got %v", err)
			} else if !c.ok {
				wantRefusal(t, err, RetInvalidParameter, SubNone, "")
			}
		})
	}
}

func TestR2SoftwareCountsAsSoonAsItIsDeclared(t *testing.T) {
	world := newWorld()
	_, err := CheckEPCreate(Values{ParamRecvEVD: Handle("evd-sw"), ParamRecvCompletionFlags: "UNSIGNALLED"}, HandleNull, newFacts(), world)
	wantRefusal(t, err, RetInvalidParameter, SubInvalidArg6, "attributes.recv_completion_flags")
	_, err = CheckEPCreate(Values{ParamRecvEVD: Handle("evd-sw")}, HandleNull, newFacts(), world)
	wantAccepted(t, err)
}

func TestR9ANullEVDTakesPartInNoRule(t *testing.T) {
	v := Values{ParamRecvCompletionFlags: "SOLICITED_WAIT", ParamRequestCompletionFlags: "UNSIGNALLED"}
	_, err := CheckEPCreate(v, HandleNull, newFacts(), newWorld())
	wantAccepted(t, err)
}

func TestR10AnotherEndpointsConnectionEventsMustNotBreakTheFlags(t *testing.T) {
	world, first := newWorld(), newEndpoint(EPUnconnected)
	first.RequestEVD, first.Attributes.RequestCompletionFlags = "evd1", flagU
	world.feed(first)
	_, err := CheckEPCreate(Values{ParamConnectEVD: Handle("evd1")}, HandleNull, newFacts(), world)
	wantRefusal(t, err, RetInvalidParameter, SubInvalidArg6, "attributes.recv_completion_flags")

	second := newEndpoint(EPUnconnected)
	_, err = CheckEPModify(second, 0, Values{ParamConnectEVD: Handle("evd1")}, newFacts(), world)
	wantRefusal(t, err, RetInvalidParameter, SubInvalidArg3, "connect_evd")
}

func TestR11TheModeFollowsTheStreamsThatUseTheEVD(t *testing.T) {
	e := newEndpoint(EPUnconnected)
	e.RecvEVD, e.Attributes.RecvCompletionFlags = "evd1", flagS
	for flag, mode := range map[CompletionFlag]EVDMode{flagS: ModeSolicited, flagU: ModeNotify, flagT: ModeThreshold} {
		e.Attributes.RecvCompletionFlags = flag
		use := useOf().With(e, "evd1")
		if use.Mode() != mode {
			t.Errorf("%s gives mode %s, want %s", flag, use.Mode(), mode)
		}
		if use.Without(e, "evd1").Mode() != ModeNone {
			t.Error("the EVD keeps its mode when its last endpoint has gone")
		}
	}
	if mode := useOf(other(StreamCR)).Mode(); mode != ModeNone {
		t.Errorf("connection requests alone give mode %s", mode)
	}
}

func TestFlagRulesAgreeWithSetsForAnyStreams(t *testing.T) {
	flag := rapid.SampledFrom([]CompletionFlag{0, 0, flagU, flagT, flagT})
	recvFlag := rapid.SampledFrom([]CompletionFlag{0, 0, flagU, flagT, flagT, flagS})
	stream := rapid.SampledFrom([]Stream{StreamDTO, StreamDTO, StreamDTO, StreamConnection, StreamCR, StreamAsync})
	rapid.Check(t, func(t *rapid.T) {
		var feeds []feed
		flags, others := map[CompletionFlag]bool{}, false
		for range rapid.IntRange(0, 4).Draw(t, "feeds") {
			f := feed{recvFlag.Draw(t, "recv"), flag.Draw(t, "request"), stream.Draw(t, "other")}
			feeds = append(feeds, f)
			flags[f.recv], flags[f.request] = true, true
			others = others || f.other != StreamDTO
		}
		delete(flags, 0)
		want := len(flags) <= 1 && !(others && len(flags) == 1 && !flags[flagT])
		if err := useOf(feeds...).Check(); (err == nil) != want {
			t.Fatalf("%v: judged %v, the sets say %v", feeds, err, want)
		}
	})
}

func TestUseIsTheSameAfterAnEndpointCameAndWent(t *testing.T) {
	e := newEndpoint(EPUnconnected)
	e.RecvEVD, e.RequestEVD, e.ConnectEVD = "evd1", "evd1", "evd1"
	before := useOf(dto(flagT, flagT))
	after := before.With(e, "evd1").Without(e, "evd1").WithOther(StreamCR).WithoutOther(StreamCR)
	if before.DTO != after.DTO || before.Other != after.Other {
		t.Errorf("before %+v, after %+v", before, after)
	}
	if use := before.With(e, "evd2"); use.DTO != before.DTO {
		t.Error("an EVD that the endpoint does not name was counted")
	}
}
