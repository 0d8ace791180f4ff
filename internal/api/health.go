package api

import (
	"errors"
	"net/http"
	"strings"
)

// livez answers as long as the process runs; it looks at nothing.
func (a *API) livez(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, "ok\n") }

// readyz answers 200 where the service can do its work, else 503 with what is missing; ?verbose names every check.
func (a *API) readyz(w http.ResponseWriter, r *http.Request) {
	status, lines := http.StatusOK, []string{}
	for _, c := range []struct {
		name string
		err  error
	}{{"store", a.store.Ready(r.Context())}, {"writes", a.store.Recorder().Away()}, {"ias", a.anyIA()}} {
		if c.err == nil {
			lines = append(lines, "[+] "+c.name+" ok")
			continue
		}
		status = http.StatusServiceUnavailable
		lines = append(lines, "[-] "+c.name+": "+healthDetail(c.err))
	}
	text := map[int]string{http.StatusOK: "ok\n", http.StatusServiceUnavailable: "not ready\n"}[status]
	if _, verbose := r.URL.Query()["verbose"]; verbose || status != http.StatusOK {
		text = strings.Join(lines, "\n") + "\n" + text
	}
	writeText(w, status, text)
}

// anyIA returns an error if no adapter is open.
func (a *API) anyIA() error {
	if len(a.manager.IAs()) == 0 {
		return errors.New("no interface adapter is open")
	}
	return nil
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
