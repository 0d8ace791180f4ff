package dat

import "testing"

func TestJudgeAllocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { Judge(EPConnected, OpConnect) }); n != 0 {
		t.Errorf("a look into the table allocates %v times", n)
	}
}

func BenchmarkJudge(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Judge(EPConnected, EvDisconnected)
	}
}

func BenchmarkModify(b *testing.B) {
	e, f, w := newEndpoint(EPUnconnected), newFacts(), newWorld()
	v := Values{ParamMaxRecvDTOs: int64(8), ParamRecvEVD: Handle("evd1")}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := CheckEPModify(e, 0, v, f, w); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRepresentation(b *testing.B) {
	e := newEndpoint(EPUnconnected)
	b.ReportAllocs()
	for b.Loop() {
		Operations(e)
		Modifiable(e, true)
	}
}
