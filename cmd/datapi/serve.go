package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// stopPatience is how long an orderly stop may take before what is left is given up.
const stopPatience = time.Minute

// sameSignal is how soon after the first a signal is that one again: what runs the service may send it to the
// process and to its group.
const sameSignal = 100 * time.Millisecond

// newServe builds the command that runs the service.
func newServe() *cobra.Command {
	var options serveOptions
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the service: API, page and engine",
		Long: "Run the service: API, page and engine.\n\n" +
			"With no database it starts a private PostgreSQL from the programs on this machine. With no RDMA device it\n" +
			"opens soft adapters. It listens on loopback; beyond it only with an admin token and TLS or --insecure-http.",
		Args: usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := options.settle()
			if err != nil {
				return err
			}
			log, err := newLogger(c.ErrOrStderr(), s.logLevel, s.logFormat)
			if err != nil {
				return usage(err)
			}
			if c.Flags().Changed("admin-token") {
				log.Warn("the admin token is on the command line, where others on this machine can read it; use DATAPI_ADMIN_TOKEN or --admin-token-file")
			}
			return serve(c.Context(), s, log, c.OutOrStdout())
		},
	}
	options.register(c)
	environment(c.Flags(), map[string]string{"database-url": "DATABASE_URL"})
	return c
}

// serve runs the service until a signal or the end of ctx, and stops it in order. What it cannot do at the start
// is an error of one line with the remedy. A second signal ends the process at once: PostgreSQL has what was
// acknowledged.
func serve(ctx context.Context, s *settings, log *slog.Logger, out io.Writer) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(signals)

	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() {
		first := <-signals
		came := time.Now()
		log.Info("stopping", "signal", first.String())
		stop(errStopped)
		for again := true; again; again = time.Since(came) < sameSignal {
			<-signals
		}
		log.Warn("stopping at once")
		os.Exit(exitRefused)
	}()

	st := &stack{log: log}
	started, err := start(running, s, log, st)
	if err == nil {
		started.announce(out)
		err = started.wait(running)
	}
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopPatience)
	defer cancel()
	ended := st.unwind(patience)
	if errors.Is(context.Cause(running), errStopped) {
		err = nil // whatever the start or a server said because it was told to stop
	}
	if err == nil && ended != nil {
		err = fmt.Errorf("it did not stop in order: %w", ended)
	}
	return err
}

// errStopped is why the service ends after a signal.
var errStopped = errors.New("told to stop")
