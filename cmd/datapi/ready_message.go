package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// printReady prints where the page, the API, the data and the rest are. Programs may read it: one line each, the name
// first.
func (r *runningService) printReady(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(name, value string) { fmt.Fprintf(w, "  %s\t%s\n", name, value) }
	fmt.Fprintf(w, "datapi %s is ready\n", version)
	line("page", r.base()+"/")
	line("API", r.base()+"/api/v1 (described at "+r.base()+"/docs)")
	if r.metrics != nil {
		line("metrics", "http://"+r.metrics.String()+"/metrics")
	}
	if r.fingerprint != "" {
		line("certificate", "SHA-256 "+r.fingerprint)
	}
	line("engine", r.adapters())
	line("data", r.data)
	if r.door != nil {
		line("token", r.door.tokenFile+" (the client finds it; curl: -H \"Authorization: Bearer $(cat "+r.door.tokenFile+")\")")
	}
	line("sign in", r.signIn(out))
	line("stop", "Ctrl-C or SIGTERM")
	_ = w.Flush() // the service runs, whether or not its output can be written
}

// signIn says how the page is opened signed in: with a link, where somebody looks at a terminal.
func (r *runningService) signIn(out io.Writer) string {
	if r.settings.open {
		return "nobody is asked who they are (--open)"
	}
	if !isTerminal(out) {
		return "datapi signin prints a link that opens the page signed in, once"
	}
	ctx, cancel := context.WithTimeout(context.Background(), linkTimeout)
	defer cancel()
	secret, err := r.api.SignInLink(ctx)
	if err != nil {
		return "datapi signin prints a link that opens the page signed in, once (" + err.Error() + ")"
	}
	return r.base() + "/#signin=" + secret + " (once, within 10 minutes)"
}

// linkTimeout bounds how long the start waits for the link that it prints.
const linkTimeout = 5 * time.Second

// adapters returns the IAs with their providers and states, as one line.
func (r *runningService) adapters() string {
	ias := r.manager.IAs()
	if len(ias) == 0 {
		return "no adapter; one that comes later is opened then"
	}
	words := make([]string, len(ias))
	for i, ia := range ias {
		words[i] = fmt.Sprintf("%s (%s, %s)", ia.ID, ia.Provider, ia.State)
	}
	return strings.Join(words, ", ")
}
