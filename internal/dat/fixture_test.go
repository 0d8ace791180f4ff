package dat

import (
	"testing"
)

const (
	ourIA     Handle = "soft0@alpha"
	foreignIA Handle = "soft1@alpha"
)

// world is what the handles of a test name; it is the Resolver.
type world struct {
	pzs  map[Handle]Handle
	evds map[Handle]EVDUse
	srqs map[Handle]*SRQ
}

func (w *world) PZ(h Handle) (Handle, bool) { ia, ok := w.pzs[h]; return ia, ok }
func (w *world) EVD(h Handle) (EVDUse, bool) {
	use, ok := w.evds[h]
	return use, ok
}
func (w *world) SRQ(h Handle) (*SRQ, bool) { s, ok := w.srqs[h]; return s, ok }

var allStreams = []Stream{StreamSoftware, StreamCR, StreamDTO, StreamConnection, StreamRMRBind}

// newWorld has two objects of each kind on our IA, one on the foreign one, and
// EVDs made for single streams.
func newWorld() *world {
	evd := func(ia Handle, streams ...Stream) EVDUse { return EVDUse{IA: ia, Streams: streams} }
	return &world{
		pzs: map[Handle]Handle{"pz1": ourIA, "pz2": ourIA, "pz-foreign": foreignIA},
		evds: map[Handle]EVDUse{
			"evd1":        evd(ourIA, StreamCR, StreamDTO, StreamConnection, StreamRMRBind),
			"evd2":        evd(ourIA, StreamCR, StreamDTO, StreamConnection, StreamRMRBind),
			"evd-dto":     evd(ourIA, StreamDTO),
			"evd-conn":    evd(ourIA, StreamConnection),
			"evd-sw":      evd(ourIA, StreamDTO, StreamSoftware),
			"evd-foreign": evd(foreignIA, allStreams...),
		},
		srqs: map[Handle]*SRQ{
			"srq1":        {Meta: Meta{ID: "srq1", IA: ourIA}, PZ: "pz1", MaxRecvDTOs: 100, MaxRecvIOV: 4},
			"srq-broken":  {Meta: Meta{ID: "srq-broken", IA: ourIA}, PZ: "pz1", State: SRQError},
			"srq-foreign": {Meta: Meta{ID: "srq-foreign", IA: foreignIA}, PZ: "pz-foreign"},
		},
	}
}

// feed lets an endpoint feed the EVDs of the world that it names.
func (w *world) feed(e *Endpoint) {
	for h, use := range w.evds {
		w.evds[h] = use.With(e, h)
	}
}

// newFacts are those of an IA with small, different limits, so that a test
// sees which limit was taken.
func newFacts() *Facts {
	address := "10.77.0.1"
	merging := StreamMatrix{}
	for a := range Stream(numStreams) {
		merging[a] = map[Stream]bool{}
		for b := range Stream(numStreams) {
			merging[a][b] = a == b || a != StreamAsync && b != StreamAsync
		}
	}
	f := NewFacts(ourIA,
		IAAttributes{
			AdapterName: "soft0", IAAddress: &address,
			MaxEPs: 3, MaxEVDs: 4, MaxPZs: 5, MaxSRQs: 6, MaxLMRs: 7, MaxRMRs: 8, MaxEPPerSRQ: 2,
			MaxDTOPerEP: 16384, MaxEVDQLen: 65536, MaxRecvPerSRQ: 1000,
			MaxIOVSegmentsPerDTO: 30, MaxIOVSegmentsPerRDMARead: 31, MaxIOVSegmentsPerRDMAWrite: 32,
			MaxRDMAReadPerEPIn: 33, MaxRDMAReadPerEPOut: 34,
			MaxMessageSize: 1 << 30, MaxRDMASize: 1<<30 + 1, MaxLMRBlockSize: 1 << 20,
		},
		ProviderAttributes{
			DATQOSSupported:            []QOS{QOSBestEffort, QOSLowLatency},
			LMRMemTypesSupported:       []MemType{MemVirtual, MemLMR, MemSharedVirtual},
			MaxPrivateDataSize:         256,
			EPCreator:                  EPCreatorIfAsked,
			EVDStreamMergingSupported:  merging,
			SRQSupported:               true,
			SRQWatermarksSupported:     SRQWatermarks{true, true, true, true, true},
			SRQEPPZDifferenceSupported: false,
		},
	)
	return &f
}

// newEndpoint is one with default attributes in a state, with a PZ.
func newEndpoint(s EPState) *Endpoint {
	return &Endpoint{
		Meta:       Meta{ID: "ep1", IA: ourIA, Labels: map[string]string{}},
		State:      s,
		PZ:         "pz1",
		Attributes: DefaultEPAttributes(newFacts()),
	}
}

// ptr points to a value.
func ptr[T any](v T) *T { return &v }

// occurring are the nine states.
func occurring() []EPState { return statesWhere(func(EPState) bool { return true }) }

// wantRefusal demands a refusal with a return, a subtype and a field, and a
// detail for a person.
func wantRefusal(t *testing.T, err *Error, ret Return, sub Subtype, field string) {
	t.Helper()
	if err == nil {
		t.Fatalf("was accepted; want %s/%s for %q", ret, sub, field)
	}
	if err.Return != ret || err.Subtype != sub || err.Field != field {
		t.Errorf("refused with %s/%s for %q (%s); want %s/%s for %q", err.Return, err.Subtype, err.Field, err.Detail, ret, sub, field)
	}
	if err.Detail == "" {
		t.Error("the refusal has no detail")
	}
}

// wantAccepted demands that a judge accepted.
func wantAccepted(t *testing.T, err *Error) {
	t.Helper()
	if err != nil {
		t.Errorf("was refused: %v", err)
	}
}
