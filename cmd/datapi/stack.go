package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

// abandonAfter is how long a step of the stop may take beyond the end of its context; then the stop goes on without it.
// The private PostgreSQL needs 3 s of it to be killed where it is frozen.
const abandonAfter = 4 * time.Second

// stack holds the parts that were started, each with the function that ends it; they end in reverse order.
type stack struct {
	log   *slog.Logger
	steps []step
}

// step ends one part that was started.
type step struct {
	name string
	end  func(ctx context.Context) error
}

// push adds a part that was just started.
func (s *stack) push(name string, end func(ctx context.Context) error) {
	s.steps = append(s.steps, step{name, end})
}

// unwind ends all parts, the newest first, and returns the first error; an error does not keep the other parts from
// ending, nor does a part that does not end abandonAfter the end of ctx. A second call does nothing.
func (s *stack) unwind(ctx context.Context) error {
	var first error
	for i := len(s.steps) - 1; i >= 0; i-- {
		st := s.steps[i]
		s.log.Debug("stopping", "what", st.name)
		if err := st.run(ctx); err != nil {
			s.log.Error("could not be stopped in order", "what", st.name, "error", err)
			if first == nil {
				first = fmt.Errorf("stop %s: %w", st.name, err)
			}
		}
	}
	s.steps = nil
	return first
}

// run ends the part. One that does not end is left alone: the process ends soon.
func (s step) run(ctx context.Context) error {
	done := make(chan error, 1)
	go func() { done <- s.end(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(abandonAfter):
		return fmt.Errorf("it did not end in time: %w", context.Cause(ctx))
	}
}
