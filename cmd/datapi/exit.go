package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// The exit statuses of every command.
const (
	exitDone        = 0
	exitRefused     = 1 // the service refused, or a command could not do its work
	exitUsage       = 2 // the command line is wrong
	exitUnreachable = 3 // no service answered
)

// exitError is an error with the exit status that it causes.
type exitError struct {
	status int
	err    error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// usage returns an error in the command line.
func usage(err error) error { return &exitError{exitUsage, err} }

// refused returns a refusal by the service.
func refused(err error) error { return &exitError{exitRefused, err} }

// unreachable returns the error that no service answered.
func unreachable(err error) error { return &exitError{exitUnreachable, err} }

// errSaid is the error of a command that has printed already what was wrong.
var errSaid = errors.New("something was refused")

// usageArgs makes what check says of the positional arguments an error in the command line.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return usage(err)
		}
		return nil
	}
}

// reportError prints an error on w, if there is one, and returns the exit status.
func reportError(w io.Writer, command *cobra.Command, err error) int {
	if err == nil {
		return exitDone
	}
	if !errors.Is(err, errSaid) {
		fmt.Fprintf(w, "datapi: %v\n", err)
	}
	var known *exitError
	status := exitRefused
	if errors.As(err, &known) {
		status = known.status
	}
	if status == exitUsage && command != nil {
		fmt.Fprintf(w, "See '%s --help'.\n", command.CommandPath())
	}
	return status
}
