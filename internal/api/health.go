package api

import (
	"errors"
	"net/http"
	"strings"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

// livez answers as long as the process runs; it looks at nothing.
func (a *API) livez(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, "ok\n") }

// readyz returns what answers 200 where the service can do its work, else 503. ?verbose, for who may read, names every
// check with what it found, since when and why.
func (a *API) readyz() http.HandlerFunc {
	verbose := a.authenticate(refuseScoped(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.checks(w, r, true) })))
	return func(w http.ResponseWriter, r *http.Request) {
		if _, asked := r.URL.Query()["verbose"]; asked {
			verbose.ServeHTTP(w, r)
		} else {
			a.checks(w, r, false)
		}
	}
}

// checks answers with the outcome of the checks, and names them where that is asked for, or where one fails and nobody is
// asked who they are.
func (a *API) checks(w http.ResponseWriter, r *http.Request, verbose bool) {
	status, lines := http.StatusOK, []string{}
	for _, c := range append(a.store.Checks(r.Context()), a.engineCheck()) {
		if c.Err != nil {
			status = http.StatusServiceUnavailable
		}
		lines = append(lines, checkLine(c))
	}
	text := map[int]string{http.StatusOK: "ok\n", http.StatusServiceUnavailable: "not ready\n"}[status]
	if verbose || a.open && status != http.StatusOK {
		text = strings.Join(lines, "\n") + "\n" + text
	}
	writeText(w, status, text)
}

// checkLine returns a check as one line.
func checkLine(c store.Check) string {
	at := " since " + dat.At(c.Since).String()
	if c.Err != nil {
		return "[-] " + c.Name + at + ": " + healthDetail(c.Err)
	}
	if c.Note != "" {
		at += ": " + c.Note
	}
	return "[+] " + c.Name + " ok" + at
}

// engineCheck names the open adapters; it fails if there is none.
func (a *API) engineCheck() store.Check {
	ias := a.manager.IAs()
	c := store.Check{Name: "engine", Since: a.engine.Observe(len(ias) > 0)}
	if len(ias) == 0 {
		c.Err = errors.New("no interface adapter is open")
		return c
	}
	words := make([]string, len(ias))
	for i, ia := range ias {
		words[i] = string(ia.ID) + " " + ia.State.String()
	}
	c.Note = strings.Join(words, ", ")
	return c
}

// healthDetail returns the detail of an error's problem, without its cause; an error that has no problem of its own
// is returned in its own words, which are for the operator.
func healthDetail(err error) string {
	p := problemOf(err)
	if p.Status != http.StatusInternalServerError {
		return p.Detail
	}
	return err.Error()
}

func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", noStore)
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // the client may be gone
}
