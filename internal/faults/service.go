package faults

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// node is the name of a world's first node, token what all take as a credential.
const (
	node  = "alpha"
	token = "the-harness-of-faults"
)

// stopLimit is how long an orderly stop may take.
const stopLimit = 30 * time.Second

// Service is a running `datapi serve`, always on the same address, so that clients find
// it again after a restart. Its methods may be called from several goroutines, those
// that start and end it from one at a time.
type Service struct {
	program string
	// node is its node's name, which the ids of its objects end with.
	node    string
	address string
	args    []string

	mu      sync.Mutex
	process *Process
	// past is what former processes have printed.
	past strings.Builder
}

// newService returns the service of a node, which is not started yet.
func newService(program, node string, args ...string) (*Service, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	return &Service{
		program: program, node: node, address: address,
		args: append([]string{"serve", "--listen=" + address, "--node=" + node, "--engine=soft", "--log-format=json"}, args...),
	}, nil
}

// freeAddress returns a loopback address whose port nobody uses.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// Address returns host and port.
func (s *Service) Address() string { return s.address }

// Start starts the process, with more variables of the environment, and waits until it
// takes writes.
func (s *Service) Start(env ...string) error {
	p, err := s.begin(env...)
	if err != nil {
		return err
	}
	err = eventually("the service is ready", patience, func() bool { return p.HasExited() || s.isReady() })
	if err == nil && p.HasExited() {
		err = errors.New("it ended")
	}
	if err != nil {
		return fmt.Errorf("the service did not start: %w\n%s", err, p.Output())
	}
	return nil
}

// begin starts the process and waits for nothing.
func (s *Service) begin(env ...string) (*Process, error) {
	cmd := exec.Command(s.program, s.args...)
	cmd.Env = append(cmd.Environ(), append(env, "DATAPI_ADMIN_TOKEN="+token)...)
	p, err := startProcess(cmd)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process != nil {
		s.past.WriteString(s.process.Output())
	}
	s.process = p
	return p, nil
}

// Process returns the process that was started last.
func (s *Service) Process() *Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process
}

// Log returns what all processes of the service have printed.
func (s *Service) Log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == nil {
		return s.past.String()
	}
	return s.past.String() + s.process.Output()
}

// Stop ends the service in order, and returns an error if that takes longer than
// stopLimit or its exit status is not 0.
func (s *Service) Stop() error {
	p := s.Process()
	if p == nil {
		return nil
	}
	if err := p.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	status, err := p.Wait(stopLimit)
	if err == nil && status != 0 {
		err = fmt.Errorf("the service ended with exit status %d after SIGTERM", status)
	}
	return err
}

// isReady reports whether /readyz is 200.
func (s *Service) isReady() bool {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.address+"/readyz", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// AwaitReady waits until the service takes writes again, without being restarted.
func (s *Service) AwaitReady(limit time.Duration) error {
	return eventually("the service is ready again", limit, s.isReady)
}
