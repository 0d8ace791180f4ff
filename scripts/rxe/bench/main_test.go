package main

import "testing"

func TestASummaryHasTheMedianAndTheQuartiles(t *testing.T) {
	for _, c := range []struct {
		all  []float64
		want summary
	}{
		{[]float64{7}, summary{7, 7, 7}},
		{[]float64{5, 1, 2, 4, 3}, summary{2, 3, 4}},
		{[]float64{4, 1, 3, 2}, summary{1.75, 2.5, 3.25}},
	} {
		if got := summaryOf(c.all); got != c.want {
			t.Errorf("%v: %v, want %v", c.all, got, c.want)
		}
	}
}

func TestTheTimeOfABenchmarkIsRead(t *testing.T) {
	for _, out := range []string{
		"goos: linux\nBenchmarkPair \t     100\t  15000.5 ns/op\nPASS\n",
		"Benchmark/pair\t100\t15000.5 ns/op\n",
		"BenchmarkWrites-2  40  15000.5 ns/op  69.9 MB/s\n",
	} {
		if ns, err := parse(out); err != nil || ns != 15000.5 {
			t.Errorf("%q: %v, %v", out, ns, err)
		}
	}
	if ns, err := parse("--- FAIL: BenchmarkPair\n"); err == nil {
		t.Errorf("a failure is %v ns", ns)
	}
}

func TestARatioSaysHowMuchOursIsOfTheirs(t *testing.T) {
	theirs, ours := summary{1e6, 1e6, 1e6}, summary{2e6, 2e6, 2e6}
	if r := (subject{}).ratio(theirs, ours); r != 2 {
		t.Errorf("twice the time is %v", r)
	}
	bandwidth := subject{bytes: 1 << 20}
	if r := bandwidth.ratio(theirs, ours); r != 0.5 {
		t.Errorf("half the bandwidth is %v", r)
	}
	if text := bandwidth.show(theirs); text != "1000.0 MiB/s (1000.0–1000.0)" {
		t.Errorf("1 MiB in 1 ms is %s", text)
	}
}
