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

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"
)

const (
	// stopTimeout is how long an orderly stop may take. What has not ended by then is ended without order, or abandoned;
	// that takes a few seconds more.
	stopTimeout = 20 * time.Second
	// requestTimeout is the part of it that running requests have, and clients for taking their answers.
	requestTimeout = 10 * time.Second
	// stopLimit is when the process ends in any case after it was told to stop, whatever does not end: a supervisor would
	// kill it soon after.
	stopLimit = 29 * time.Second
)

// repeatedSignal is the time after the first signal in which another one counts as the same: a supervisor may send it
// to the process and to its group.
const repeatedSignal = 100 * time.Millisecond

// newServe builds the command that runs the service.
func newServe() *cobra.Command {
	var options serveOptions
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the service: API, page and engine",
		Long: "Run the service: API, page and engine.\n\n" +
			"With no database it starts a private PostgreSQL from the programs on this machine. With no RDMA device it\n" +
			"opens soft adapters. It listens on loopback; beyond it only with TLS or --insecure-http.",
		Args: usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := options.validate()
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

// serve runs the service until a signal or the end of ctx, and stops it in order. An error at the start is one line with
// the remedy. A second signal ends the process immediately: what was acknowledged is in PostgreSQL.
func serve(ctx context.Context, s *settings, log *slog.Logger, out io.Writer) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(signals)

	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() {
		first := <-signals
		received := time.Now()
		log.Info("stopping", "signal", first.String())
		tellSupervisor(log, daemon.SdNotifyStopping)
		stop(errStopSignal)
		limit := time.AfterFunc(stopLimit, func() {
			log.Error("the stop did not come to an end and is given up", "after", stopLimit.String())
			os.Exit(exitRefused)
		})
		defer limit.Stop()
		for again := true; again; again = time.Since(received) < repeatedSignal {
			<-signals
		}
		log.Warn("stopping at once")
		os.Exit(exitRefused)
	}()

	st := &stack{log: log}
	started, err := start(running, s, log, st)
	if err == nil {
		started.printReady(out)
		tellSupervisor(log, daemon.SdNotifyReady)
		err = started.wait(running)
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	ended := st.unwind(stopping)
	if errors.Is(context.Cause(running), errStopSignal) {
		err = nil // the start or a server failed because it was told to stop
	}
	if err == nil && ended != nil {
		err = fmt.Errorf("it did not stop in order: %w", ended)
	}
	return err
}

// tellSupervisor tells systemd, if that has started this process, how far it is.
func tellSupervisor(log *slog.Logger, state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.Warn("systemd was not told", "state", state, "error", err)
	}
}

// errStopSignal is the cause of a context that a signal ended.
var errStopSignal = errors.New("told to stop")
