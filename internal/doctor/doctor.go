// Package doctor looks for what makes RDMA, the database and the service fail on a host. It
// works without a running service and changes nothing.
//
// doctor.go is the list of checks and their form; rdma.go judges what the kernel shows,
// database.go what PostgreSQL says, service.go the data directory and the address of a
// service, and readiness.go what a service that runs says itself.
package doctor

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Verdict is the outcome of a check.
type Verdict string

// The verdicts. Wrong is what keeps something from working, Warning what may do so, and
// Unknown what could not be looked at.
const (
	OK      Verdict = "ok"
	Warning Verdict = "warning"
	Wrong   Verdict = "wrong"
	Unknown Verdict = "unknown"
)

// worst is the order of the verdicts, the worst last.
var worst = []Verdict{OK, Unknown, Warning, Wrong}

// Check is one thing that was looked at.
type Check struct {
	// Name is what it is about: `rdma.`, `database.` or `service.` and a word.
	Name    string  `json:"name"`
	Verdict Verdict `json:"verdict"`
	// Evidence is what was read, and where.
	Evidence string `json:"evidence"`
	// Remedy is what would help, "" where nothing has to be done.
	Remedy string `json:"remedy"`
}

// Report is the outcome of an examination.
type Report struct {
	// Verdict is the worst of the checks.
	Verdict Verdict `json:"verdict"`
	Checks  []Check `json:"checks"`
}

// Host says what is to be looked at, in the words of the flags of `datapi serve`.
type Host struct {
	// DataDir and DatabaseURL are where the data lie; an empty URL is a private PostgreSQL.
	DataDir, DatabaseURL string
	// Listen is the address of the service.
	Listen string
	// Engine is auto, verbs, soft, or verbs,soft.
	Engine string
	// Certificates are the files of certificates that the service may serve with; those that
	// are not there are passed over.
	Certificates []string
	// Token is a credential for a service that runs, "" for none. It is sent only where nobody
	// can read it: in the clear to loopback alone, else to a holder of a certificate that is
	// trusted here or is one of Certificates.
	Token string
}

// examineTimeout bounds an examination; what was not looked at by then is unknown.
const examineTimeout = time.Minute

// Examine looks at everything, and returns the checks in the order in which causes come
// before what they make fail.
func Examine(ctx context.Context, h Host) Report {
	ctx, cancel := context.WithTimeout(ctx, examineTimeout)
	defer cancel()
	checks := rdmaChecks(h.Engine)
	checks = append(checks, databaseChecks(ctx, h)...)
	checks = append(checks, serviceChecks(ctx, h)...)
	r := Report{Verdict: OK, Checks: checks}
	for _, c := range checks {
		if slices.Index(worst, c.Verdict) > slices.Index(worst, r.Verdict) {
			r.Verdict = c.Verdict
		}
	}
	return r
}

// good returns a check that found nothing wrong.
func good(name, evidence string, args ...any) Check {
	return Check{Name: name, Verdict: OK, Evidence: fmt.Sprintf(evidence, args...)}
}

// bad returns a check with another verdict, and what would help.
func bad(name string, v Verdict, remedy, evidence string, args ...any) Check {
	return Check{Name: name, Verdict: v, Evidence: fmt.Sprintf(evidence, args...), Remedy: remedy}
}
