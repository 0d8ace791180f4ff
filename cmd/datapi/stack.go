package main

import (
	"context"
	"fmt"
	"log/slog"
)

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
// ending. A second call does nothing.
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
