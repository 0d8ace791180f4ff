package faults

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// patience is how long the harness waits for anything that must happen.
const patience = 90 * time.Second

// Process is a child process whose output is stored. It is killed by the kernel when
// the harness ends, however that ends.
type Process struct {
	cmd    *exec.Cmd
	exited chan struct{}

	mu     sync.Mutex
	output bytes.Buffer
}

// startThread runs functions on one thread that never ends: the kernel sends the
// parent-death signal when the thread that started the child ends.
var startThread = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

// startProcess starts a command; what it prints can be read with Output.
func startProcess(cmd *exec.Cmd) (*Process, error) {
	p := &Process{cmd: cmd, exited: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p, p
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	// A child that ignores its pipe must not hold Wait up.
	cmd.WaitDelay = time.Second
	started := make(chan error)
	startThread() <- func() { started <- cmd.Start() }
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	go func() {
		_ = cmd.Wait() // the state has the outcome
		close(p.exited)
	}()
	return p, nil
}

// Write implements io.Writer for the child's output.
func (p *Process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.Write(b)
}

// Output returns what the process has printed so far.
func (p *Process) Output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.String()
}

// Pid returns the process id.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// HasExited reports whether the process has ended.
func (p *Process) HasExited() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// Signal sends a signal; one to a process that has ended is no error.
func (p *Process) Signal(s syscall.Signal) error {
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// Wait waits for the end and returns the exit status, -1 after a signal. A process that
// does not end within the limit is killed, and that is an error.
func (p *Process) Wait(limit time.Duration) (int, error) {
	select {
	case <-p.exited:
		return p.cmd.ProcessState.ExitCode(), nil
	case <-time.After(limit):
	}
	_ = p.Signal(syscall.SIGCONT)
	_ = p.Signal(syscall.SIGKILL)
	<-p.exited
	return -1, fmt.Errorf("process %d (%s) did not end within %s", p.Pid(), filepath.Base(p.cmd.Path), limit)
}

// Kill ends the process immediately, as a crash does, and waits until it is gone.
func (p *Process) Kill() error {
	if err := p.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	_, err := p.Wait(patience)
	return err
}

// family returns a process and all that descend from it, parents first.
func family(pid int) []int {
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		all = append(all, childrenOf(all[i])...)
	}
	return all
}

// childrenOf returns the processes whose parent is pid.
func childrenOf(pid int) []int {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return nil
	}
	var all []int
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			continue // it ended meanwhile
		}
		for _, word := range strings.Fields(string(data)) {
			if n, err := strconv.Atoi(word); err == nil {
				all = append(all, n)
			}
		}
	}
	return all
}

// signalFamily sends a signal to a process and its descendants, parents first.
func signalFamily(pid int, s syscall.Signal) {
	for _, member := range family(pid) {
		_ = syscall.Kill(member, s) // it may have ended
	}
}

// eventually waits until a condition holds.
func eventually(what string, limit time.Duration, holds func() bool) error {
	deadline := time.After(limit)
	look := time.NewTicker(25 * time.Millisecond)
	defer look.Stop()
	for !holds() {
		select {
		case <-deadline:
			return fmt.Errorf("after %s still not: %s", limit, what)
		case <-look.C:
		}
	}
	return nil
}
