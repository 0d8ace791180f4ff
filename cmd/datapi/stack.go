package main

import (
	"context"
	"fmt"
	"log/slog"
)

// stack holds what was started, each with the way to end it; it is ended in reverse order.
type stack struct {
	log   *slog.Logger
	steps []step
}

// step is the end of one thing that was started.
type step struct {
	name string
	end  func(ctx context.Context) error
}

// push adds the end of what was just started.
func (s *stack) push(name string, end func(ctx context.Context) error) {
	s.steps = append(s.steps, step{name, end})
}

// unwind ends everything, the newest first. A step that fails does not keep the others from ending; the first
// failure is returned. A second call does nothing.
func (s *stack) unwind(ctx context.Context) error {
	var first error
	for i := len(s.steps) - 1; i >= 0; i-- {
		st := s.steps[i]
		s.log.Debug("stopping", "what", st.name)
		if err := st.end(ctx); err != nil {
			s.log.Error("could not be stopped in order", "what", st.name, "error", err)
			if first == nil {
				first = fmt.Errorf("stop %s: %w", st.name, err)
			}
		}
	}
	s.steps = nil
	return first
}
