package main

import (
	"fmt"
	"io"
	"log/slog"
)

// newLogger makes the service's log on w: text for people at a terminal, JSON for programs, unless format says which.
func newLogger(w io.Writer, level, format string) (*slog.Logger, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("--log-level %q is none of debug, info, warn, error", level)
	}
	options := &slog.HandlerOptions{Level: l}
	switch {
	case format == "text", format == "" && isTerminal(w):
		return slog.New(slog.NewTextHandler(w, options)), nil
	case format == "json", format == "":
		return slog.New(slog.NewJSONHandler(w, options)), nil
	default:
		return nil, fmt.Errorf("--log-format %q is neither text nor json", format)
	}
}
