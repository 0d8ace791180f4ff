package store

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// idleURL, set in the environment, makes the test program a process that has idle nodes on
// that database until its standard input ends.
const idleURL = "STORE_TEST_IDLE_URL"

// idle is how many they are.
const idle = 200

// keepIdle is that process. It prints one line when all nodes are there, or "error: …".
func keepIdle(url string) int {
	ctx := context.Background()
	for n := range idle {
		s, err := Open(ctx, Config{URL: url, Node: fmt.Sprintf("idle%d", n), Address: "127.0.0.1:1", Version: "test"})
		if err != nil {
			fmt.Printf("error: %v\n", err)
			return 1
		}
		defer func() { _ = s.Close(ctx) }()
	}
	fmt.Println("there")
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// startIdle starts the process and waits until its nodes are there. It ends with the benchmark.
func startIdle(b *testing.B, url string) *os.Process {
	b.Helper()
	program, err := os.Executable()
	must(b, err)
	cmd := exec.Command(program)
	cmd.Env, cmd.Stderr = append(os.Environ(), idleURL+"="+url), os.Stderr
	stdin, err := cmd.StdinPipe()
	must(b, err)
	out, err := cmd.StdoutPipe()
	must(b, err)
	must(b, cmd.Start())
	b.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGCONT)
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "there\n" {
		b.Fatalf("the idle nodes could not be started: %q, %v", line, err)
	}
	return cmd.Process
}

// serverTime returns the processor time that the server's processes have used so far, those
// that have ended too.
func serverTime(b *testing.B, s *server) time.Duration {
	b.Helper()
	const tick = time.Second / 100 // what the kernel counts in, whatever its own clock is
	var sum time.Duration
	for _, pid := range processesIn(b, s.data) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		used := fields[11:13] // utime, stime
		if pid == s.cmd.Process.Pid {
			used = fields[11:15] // and those of its children that have ended
		}
		for _, f := range used {
			n, err := strconv.Atoi(f)
			must(b, err)
			sum += time.Duration(n) * tick
		}
	}
	return sum
}

// pauseFor waits for a part of a benchmark that nothing can be waited for in.
func pauseFor(d time.Duration) { <-time.After(d) }

// BenchmarkIdleNodes compares the changes of two nodes on a server that has 200 more nodes,
// which nobody watches and which do nothing, with theirs while the process of those is
// stopped: a result is the share of the former. Both are measured in turn, so that other load
// on the machine meets both. Another result, which other load changes little, is the processor
// time that the server uses for an idle node.
func BenchmarkIdleNodes(b *testing.B) {
	s := newServer(b, "max_connections=1000")
	busy := openNodes(b, s.url(), "busy", 2)
	others := startIdle(b, s.url())
	const share, wait = 3 * time.Second, time.Second
	var alone, among float64
	for b.Loop() {
		must(b, others.Signal(syscall.SIGSTOP))
		alone += writeFor(b, busy, share)
		must(b, others.Signal(syscall.SIGCONT))
		pauseFor(wait) // they make up for what was due meanwhile
		among += writeFor(b, busy, share)
	}
	before := serverTime(b, s)
	pauseFor(2 * heartbeat)
	b.ReportMetric(float64((serverTime(b, s)-before).Microseconds())/1000/(2*heartbeat).Seconds()/idle, "server-ms/s/node")
	b.ReportMetric(float64(s.number(`SELECT count(*)::text FROM pg_stat_activity WHERE application_name LIKE 'datapi idle%'`))/idle, "connections/node")
	b.ReportMetric(among/alone, "of-the-changes")
}
