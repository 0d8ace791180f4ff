//go:build faultpoints

package faultpoint

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// ErrInjected is what Hit returns at a point that is armed to fail.
var ErrInjected = errors.New("injected by a faultpoint")

// arm says what happens at a point.
type arm struct {
	action string
	// at is the hit at which it happens; every means each at-th one.
	at    int
	every bool
}

// state is what the process knows of its points.
var state = struct {
	sync.Mutex
	arms     map[string]arm
	hits     map[string]int
	handlers map[string]func(string) string
}{arms: map[string]arm{}, hits: map[string]int{}, handlers: map[string]func(string) string{}}

func init() {
	for _, spec := range strings.Split(os.Getenv("DATAPI_FAULT"), ",") {
		if spec == "" {
			continue
		}
		if err := armPoint(spec); err != nil {
			panic(err)
		}
	}
	if path := os.Getenv("DATAPI_FAULT_CONTROL"); path != "" {
		_ = os.Remove(path) // of a former process
		l, err := net.Listen("unix", path)
		if err != nil {
			panic(err)
		}
		go control(l)
	}
}

// armPoint reads point:action:n.
func armPoint(spec string) error {
	parts := strings.Split(spec, ":")
	if len(parts) != 3 {
		return fmt.Errorf("%q is not point:action:n", spec)
	}
	at, every := strings.CutPrefix(parts[2], "*")
	n, err := strconv.Atoi(at)
	if err != nil || n < 1 {
		return fmt.Errorf("%q: the number of the hit is from 1 on", spec)
	}
	state.Lock()
	defer state.Unlock()
	state.arms[parts[0]], state.hits[parts[0]] = arm{action: parts[1], at: n, every: every}, 0
	return nil
}

// Hit passes a point. It returns ErrInjected where the point is armed to fail.
func Hit(point string) error {
	state.Lock()
	a, armed := state.arms[point]
	state.hits[point]++
	n := state.hits[point]
	state.Unlock()
	if !armed || n != a.at && (!a.every || n%a.at != 0) {
		return nil
	}
	fmt.Fprintf(os.Stderr, "faultpoint %s: %s at hit %d\n", point, a.action, n)
	action, pause, delayed := strings.Cut(a.action, "=")
	if delayed {
		d, err := time.ParseDuration(pause)
		if err != nil {
			panic(err)
		}
		time.Sleep(d)
	}
	switch action {
	case "sleep":
		return nil
	case "kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // nothing more is done
	case "stop":
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		return nil
	case "fail":
		return fmt.Errorf("%s: %w", point, ErrInjected)
	}
	panic("there is no action " + a.action)
}

// Handle takes a command of the control socket; what it returns is the answer, one line.
func Handle(command string, do func(argument string) string) {
	state.Lock()
	defer state.Unlock()
	state.handlers[command] = do
}

// control answers commands.
func control(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			lines := bufio.NewScanner(conn)
			for lines.Scan() {
				fmt.Fprintln(conn, answer(lines.Text()))
			}
		}()
	}
}

// answer carries one command out.
func answer(line string) string {
	command, argument, _ := strings.Cut(line, " ")
	switch command {
	case "arm":
		if err := armPoint(argument); err != nil {
			return err.Error()
		}
		return "ok"
	case "disarm":
		state.Lock()
		defer state.Unlock()
		clear(state.arms)
		return "ok"
	}
	state.Lock()
	do := state.handlers[command]
	state.Unlock()
	if do == nil {
		return "there is no command " + command
	}
	return do(argument)
}
