// Command bench runs the verbs engine's benchmarks beside a C program that makes the same
// calls, in turn, on one device of the RDMA guest, and prints a table of both.
//
// Everything is run once a round: what disturbs the machine for a while disturbs all alike.
// The numbers are medians, with the quartiles in brackets.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// runLimit ends a run that hangs.
const runLimit = 5 * time.Minute

func main() {
	device := flag.String("device", "rxe0", "RDMA device")
	address := flag.String("address", "10.77.0.1", "IPv4 address of the device")
	rounds := flag.Int("rounds", 9, "how often each is run")
	only := flag.String("only", "", "regular expression of what is measured; all if empty")
	flag.Parse()
	match, err := regexp.Compile(*only)
	if err == nil {
		err = measure(*device, *address, *rounds, match)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// measure runs what matches for some rounds, and prints the table.
func measure(device, address string, rounds int, match *regexp.Regexp) error {
	var chosen []subject
	for _, s := range subjects {
		if match.MatchString(s.what) {
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 || rounds < 1 {
		return errors.New("nothing to measure")
	}
	times := map[string][]float64{}
	for range rounds {
		for _, s := range chosen {
			for _, c := range s.all() {
				ns, err := c.run(device, address)
				if err != nil {
					return fmt.Errorf("%s: %s: %w", s.what, c.name, err)
				}
				times[s.what+c.name] = append(times[s.what+c.name], ns)
			}
		}
	}
	fmt.Printf("%s, %d rounds\n\n| what | beside | its median (quartiles) | ours | ratio | target |\n| --- | --- | --- | --- | --- | --- |\n", device, rounds)
	for _, s := range chosen {
		ours := summaryOf(times[s.what+s.ours.name])
		for _, c := range s.beside {
			theirs := summaryOf(times[s.what+c.name])
			fmt.Printf("| %s | %s | %s | %s | %.2f | %s |\n", s.what, c.name, s.show(theirs), s.show(ours), s.ratio(theirs, ours), c.target)
		}
	}
	return nil
}

// run runs the contender once. It returns how long one operation took, in ns.
func (c contender) run(device, address string) (float64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), runLimit)
	defer cancel()
	arguments := make([]string, len(c.command))
	for i, a := range c.command {
		arguments[i] = strings.NewReplacer("DEVICE", device, "ADDRESS", address).Replace(a)
	}
	command := exec.CommandContext(ctx, arguments[0], arguments[1:]...)
	command.Env = append(os.Environ(), "DATAPI_TEST_DEVICE="+device)
	out, err := command.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%w: %s", err, out)
	}
	return parse(string(out))
}

// result is the line of a benchmark.
var result = regexp.MustCompile(`(?m)^Benchmark\S*\s+\d+\s+([0-9.]+) ns/op`)

// parse returns the time of one operation in ns, of the output of a benchmark.
func parse(out string) (float64, error) {
	found := result.FindStringSubmatch(out)
	if found == nil {
		return 0, fmt.Errorf("no benchmark's line in %q", out)
	}
	return strconv.ParseFloat(found[1], 64)
}

// summary is the median of some numbers, with the quartiles.
type summary struct{ low, median, high float64 }

// summaryOf returns the summary of at least one number.
func summaryOf(all []float64) summary {
	sorted := slices.SortedFunc(slices.Values(all), cmp.Compare[float64])
	return summary{quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75)}
}

// quantile returns a quantile of sorted numbers; between two of them it interpolates.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(at)
	if low+1 == len(sorted) {
		return sorted[low]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}
