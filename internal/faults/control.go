package faults

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"time"
)

// control sends a command to the faultpoints of the service, which was built with them and
// started by startControlled; it returns the answer.
func (w *World) control(command string) (string, error) {
	conn, err := net.DialTimeout("unix", w.path("control"), patience)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return "", err
	}
	if _, err := fmt.Fprintln(conn, command); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	return strings.TrimSpace(line), err
}

// startControlled starts a variant of the program, with a private database, that is built
// with faultpoints and obeys control.
func (w *World) startControlled(overlay map[string]string) {
	w.t.Helper()
	w.prepareService(Build{Faultpoints: true, Overlay: overlay}, "")
	w.must(w.Service.Start("DATAPI_FAULT_CONTROL=" + w.path("control")))
}

// arm lets something happen at points, as package faultpoint has them.
func (w *World) arm(specs ...string) {
	w.t.Helper()
	for _, spec := range specs {
		answer, err := w.control("arm " + spec)
		if err == nil && answer != "ok" {
			err = fmt.Errorf("arm %s: %s", spec, answer)
		}
		w.must(err)
	}
}

// disarm lets nothing happen at any point any more.
func (w *World) disarm() {
	w.t.Helper()
	_, err := w.control("disarm")
	w.must(err)
}

// checkCensus holds that the engine has nothing but the queues of its adapters.
func (w *World) checkCensus() {
	w.t.Helper()
	answer, err := w.control("census")
	w.must(err)
	count := map[string]int64{}
	w.must(json.Unmarshal([]byte(answer), &count))
	for what, n := range count {
		want := int64(0)
		if what == "EVDs" {
			want = 2 // the adapters' own
		}
		if n != want {
			w.broken(7, "the engine has %d %s after everything was freed, want %d", n, what, want)
		}
	}
}
