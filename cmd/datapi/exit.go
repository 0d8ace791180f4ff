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

// exitError is an error that knows the exit status of the program.
type exitError struct {
	status int
	err    error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// usage marks an error of the command line.
func usage(err error) error { return &exitError{exitUsage, err} }

// refused marks a refusal of the service.
func refused(err error) error { return &exitError{exitRefused, err} }

// unreachable marks that no service answered.
func unreachable(err error) error { return &exitError{exitUnreachable, err} }

// usageArgs marks the refusal of positional arguments as an error of the command line.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return usage(err)
		}
		return nil
	}
}

// report says on w what went wrong, if anything did, and returns the exit status.
func report(w io.Writer, command *cobra.Command, err error) int {
	if err == nil {
		return exitDone
	}
	fmt.Fprintf(w, "datapi: %v\n", err)
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
