package main

import "fmt"

// contender is a program that does one thing many times.
type contender struct {
	name string
	// command prints a benchmark's line; DEVICE and ADDRESS stand for those of the device.
	command []string
	// target is what the engine should reach beside it, "" where it is there to explain.
	target string
}

// subject is what is measured, by the engine and beside it.
type subject struct {
	what   string
	beside []contender
	ours   contender
	// bytes are how many an operation moves where the bandwidth is shown, else 0.
	bytes float64
}

// all returns the contenders and the engine in the order in which they run.
func (s subject) all() []contender { return append(s.beside[:len(s.beside):len(s.beside)], s.ours) }

// show returns a summary of times in ns as text: times in µs, or bandwidths in MiB/s.
func (s subject) show(of summary) string {
	if s.bytes == 0 {
		return fmt.Sprintf("%.0f µs (%.0f–%.0f)", of.median/1e3, of.low/1e3, of.high/1e3)
	}
	return fmt.Sprintf("%.1f MiB/s (%.1f–%.1f)", s.bandwidth(of.median), s.bandwidth(of.high), s.bandwidth(of.low))
}

// bandwidth returns the MiB/s of a time in ns.
func (s subject) bandwidth(ns float64) float64 { return s.bytes / (1 << 20) / (ns / 1e9) }

// ratio returns ours as a multiple of theirs: of the times, or of the bandwidths.
func (s subject) ratio(theirs, ours summary) float64 {
	if s.bytes == 0 {
		return ours.median / theirs.median
	}
	return theirs.median / ours.median
}

// reference is the C program doing n of what.
func reference(name, what, n, target string) contender {
	return contender{name, []string{"./reference", "ADDRESS", what, n}, target}
}

// engine is a benchmark of the engine doing n: so many that one garbage collection more or less is
// not seen.
func engine(benchmark, n string) contender {
	return contender{"ours", []string{"./verbs.test", "-test.run", "^$", "-test.bench", benchmark, "-test.benchtime", n + "x"}, ""}
}

// subjects are what is measured.
var subjects = []subject{
	{
		what:   "a pair: connect, disconnect, free",
		beside: []contender{reference("C", "pair", "1000", "≤ 1.25")},
		ours:   engine("^BenchmarkPair$", "1000"),
	},
	{
		what: "64 B there and back",
		beside: []contender{
			reference("C, waits for events", "pingpong-events", "5000", "≤ 1.5"),
			reference("C, waits for events in a second thread", "pingpong-thread", "5000", ""),
			reference("C, polls", "pingpong-polling", "5000", ""),
		},
		ours: engine("^BenchmarkPingPong$", "5000"),
	},
	{
		what:   "two events of no device",
		beside: []contender{reference("C, waits for events", "waiting", "500", "")},
		ours:   engine("^BenchmarkWaiting$", "500"),
	},
	{
		what: "1 MiB RDMA writes, 8 at once",
		beside: []contender{
			reference("C", "writes", "40", "≥ 0.9"),
			{"ib_write_bw", []string{"bash", "write_bw.sh", "DEVICE", "ADDRESS", "40"}, "≥ 0.9"},
		},
		ours:  engine("^BenchmarkWrites$", "40"),
		bytes: 1 << 20,
	},
}
