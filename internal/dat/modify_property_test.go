package dat

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// equalEndpoints compares what a call could change.
func equalEndpoints(a, b *Endpoint) bool {
	x, y := a.Attributes, b.Attributes
	same := maps.Equal(x.EPTransportSpecific, y.EPTransportSpecific) && maps.Equal(x.EPProviderSpecific, y.EPProviderSpecific)
	for p := range numParams {
		if row := params[p]; row.field != nil && row.kind != ValueNamed {
			same = same && describeField(a, p) == describeField(b, p)
		}
	}
	return same && a.State == b.State && a.Watermarks == b.Watermarks
}

// describeField is the value of a parameter as Values would have it.
func describeField(e *Endpoint, p Param) any {
	switch f := params[p].field(e).(type) {
	case *Handle:
		return *f
	case *int32:
		return int64(*f)
	case *int64:
		return *f
	case *CompletionFlag:
		return f.String()
	case *QOS:
		return f.String()
	case *ServiceType:
		return f.String()
	case *Watermark:
		return *f
	default:
		panic("a parameter of an unknown type")
	}
}

// maskGen draws any mask with any values, good ones more often than not.
func maskGen() *rapid.Generator[Values] {
	return rapid.Custom(func(t *rapid.T) Values {
		v := Values{}
		for range rapid.IntRange(0, 5).Draw(t, "size") {
			p := Param(rapid.IntRange(0, int(numParams)-1).Draw(t, "parameter"))
			v[p] = goodValue(p)
			if rapid.IntRange(0, 3).Draw(t, "quality") == 0 {
				v[p] = anyValue(t)
			}
		}
		return v
	})
}

func anyValue(t *rapid.T) any {
	return rapid.OneOf(
		rapid.Just[any](nil),
		rapid.Map(rapid.Int64(), func(n int64) any { return n }),
		rapid.Map(rapid.Int64Range(-2, 40), func(n int64) any { return n }),
		rapid.Map(rapid.SampledFrom([]string{"RC", "UD", "DEFAULT", "UNSIGNALLED", "SUPPRESS", "SOLICITED_WAIT", "PREMIUM", ""}), func(s string) any { return s }),
		rapid.Map(rapid.SampledFrom([]Handle{"", "pz1", "pz-foreign", "evd1", "evd-dto", "evd-conn", "evd-foreign", "none"}), func(h Handle) any { return h }),
		rapid.Map(rapid.SampledFrom([]string{"0", "6", "7", "-1", "007", "x"}), func(s string) any {
			return map[string]*string{"rnr_retry_count": &s}
		}),
		rapid.Just[any](map[string]*string{"colour": nil}),
	).Draw(t, "value")
}

// naiveModify is the order of refusal read aloud: the stage that refuses, or
// success. It knows nothing of the tables but the page above.
func naiveModify(s EPState, posted int, v Values, f *Facts) Return {
	state, value := false, false
	for p, x := range v {
		if pageSays[p.String()] == statesNever {
			return RetInvalidParameter
		}
		state = state || !allowedByPage(p, s) || p == ParamRecvCompletionFlags && posted > 0
		value = value || !naiveValue(p, x, f)
	}
	switch n, asked := v[ParamMaxRecvDTOs].(int64); {
	case state:
		return RetInvalidState
	case value:
		return RetInvalidParameter
	case asked && n < int64(posted):
		return RetInvalidState
	default:
		return RetSuccess
	}
}

// naiveValue says 2.2 again, value by value.
func naiveValue(p Param, x any, f *Facts) bool {
	a := f.Attributes
	count := func(most int32) bool { n, ok := x.(int64); return ok && n >= 0 && n <= int64(most) }
	word := func(words ...string) bool { w, ok := x.(string); return ok && slices.Contains(words, w) }
	handle := func(handles ...Handle) bool {
		h, ok := x.(Handle)
		return x == nil || ok && (h == "" || slices.Contains(handles, h))
	}
	switch p {
	case ParamPZ:
		return handle("pz1", "pz2")
	case ParamRecvEVD, ParamRequestEVD:
		return handle("evd1", "evd2", "evd-dto")
	case ParamConnectEVD:
		return handle("evd1", "evd2", "evd-conn")
	case ParamServiceType:
		return word("RC")
	case ParamQOS:
		return word("BEST_EFFORT", "LOW_LATENCY")
	case ParamRecvCompletionFlags:
		return word("DEFAULT", "UNSIGNALLED", "SOLICITED_WAIT", "EVD_THRESHOLD")
	case ParamRequestCompletionFlags:
		return word("DEFAULT", "UNSIGNALLED", "EVD_THRESHOLD")
	case ParamMaxMessageSize:
		n, ok := x.(int64)
		return ok && n >= 0 && n <= a.MaxMessageSize
	case ParamMaxRDMASize:
		n, ok := x.(int64)
		return ok && n >= 0 && n <= a.MaxRDMASize
	case ParamMaxRecvDTOs, ParamMaxRequestDTOs:
		return count(a.MaxDTOPerEP)
	case ParamMaxRecvIOV, ParamMaxRequestIOV:
		return count(a.MaxIOVSegmentsPerDTO)
	case ParamMaxRDMAReadIOV:
		return count(a.MaxIOVSegmentsPerRDMARead)
	case ParamMaxRDMAWriteIOV:
		return count(a.MaxIOVSegmentsPerRDMAWrite)
	case ParamMaxRDMAReadIn:
		return count(a.MaxRDMAReadPerEPIn)
	case ParamMaxRDMAReadOut:
		return count(a.MaxRDMAReadPerEPOut)
	default:
		return naiveNamed(p, x)
	}
}

func naiveNamed(p Param, x any) bool {
	m, ok := x.(map[string]*string)
	for name, s := range m {
		known := p == ParamEPTransportSpecific && (name == "rnr_retry_count" || name == "tos") ||
			p == ParamEPProviderSpecific && name == "max_inline_data"
		if !known || s != nil && !slices.Contains([]string{"0", "6", "32", "64"}, *s) {
			return false
		}
	}
	return ok
}

func TestModifyAgreesWithANaiveReadingForAnyMask(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(occurring()).Draw(t, "state")
		posted := rapid.SampledFrom([]int{0, 0, 3, 8}).Draw(t, "posted")
		v := maskGen().Draw(t, "mask")
		e, f := newEndpoint(s), newFacts()
		before := e.Copy()
		after, err := CheckEPModify(e, posted, v, f, newWorld())
		want := naiveModify(s, posted, v, f)
		if want == RetSuccess && flagsClash(before, v) {
			want = RetInvalidParameter
		}
		if got := returnOf(err); got != want {
			t.Fatalf("%v in %s with %d posted: %v, want %s", v, s, posted, err, want)
		}
		if !equalEndpoints(e, before) {
			t.Fatal("the judge changed its argument")
		}
		if err == nil {
			wantOnlyMaskChanged(t, before, after, v)
		}
	})
}

// flagsClash says R5 again for one endpoint alone on its EVDs.
func flagsClash(e *Endpoint, v Values) bool {
	read := func(p Param, present any) any {
		switch x, asked := v[p]; {
		case asked && x == nil:
			return Handle("")
		case asked && x == "DEFAULT":
			return "EVD_THRESHOLD"
		case asked:
			return x
		}
		return present
	}
	recv, request := read(ParamRecvEVD, e.RecvEVD).(Handle), read(ParamRequestEVD, e.RequestEVD).(Handle)
	connect := read(ParamConnectEVD, e.ConnectEVD).(Handle)
	recvFlag, requestFlag := read(ParamRecvCompletionFlags, "EVD_THRESHOLD"), read(ParamRequestCompletionFlags, "EVD_THRESHOLD")
	return recv != "" && recv == request && recvFlag != requestFlag ||
		recv != "" && recv == connect && recvFlag != "EVD_THRESHOLD" ||
		request != "" && request == connect && requestFlag != "EVD_THRESHOLD"
}

func returnOf(err *Error) Return {
	if err == nil {
		return RetSuccess
	}
	return err.Return
}

// wantOnlyMaskChanged demands that what the mask names has the value asked for
// and everything else the old one (M1, D5, D8).
func wantOnlyMaskChanged(t *rapid.T, before, after *Endpoint, v Values) {
	for p := range numParams {
		if params[p].field == nil || params[p].kind == ValueNamed {
			continue
		}
		want := describeField(before, p)
		switch x, asked := v[p]; {
		case asked && x == nil:
			want = HandleNull
		case asked && x == "DEFAULT":
			want = "EVD_THRESHOLD"
		case asked:
			want = x
		}
		if got := describeField(after, p); got != want {
			t.Fatalf("%s is %v after the call, want %v", p, got, want)
		}
	}
}
