package main

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// defaultURL is where `datapi serve` listens by default.
const defaultURL = "http://" + defaultListen

// tokenVariable is the environment variable that holds the token. There is no flag for it: everybody on the machine can
// read a command line.
const tokenVariable = "DATAPI_TOKEN"

// callOptions are the flags that all client commands share.
type callOptions struct {
	url, tokenFile, caFile, output string
	dataDir                        string
	ifMatch, reason, key           string
	dryRun, noHeaders              bool
	wait                           time.Duration
}

// register adds the flags. Those of writes are for verbs that write only, and have no variables: they belong to one call.
func (o *callOptions) register(flags *pflag.FlagSet, v verb) {
	flags.StringVar(&o.url, "url", "", "address of the service; none: that of the service of this host, or "+defaultURL)
	flags.StringVar(&o.tokenFile, "token-file", "", "file that holds the token; the token itself only as "+tokenVariable+"; none: that of the service of this host")
	flags.StringVar(&o.dataDir, "data-dir", "", "data directory of the service of this host; none: as for datapi serve")
	flags.StringVar(&o.caFile, "ca-file", "", "PEM certificates to trust besides the system's")
	flags.StringVarP(&o.output, "output", "o", string(formatTable), "table for people, wide for more columns, name for names alone, json or yaml for programs")
	environment(flags, nil)
	flags.BoolVar(&o.noHeaders, "no-headers", false, "tables without the names of their columns")
	if !v.isWrite() {
		return
	}
	flags.StringVar(&o.ifMatch, "if-match", "", "write only if the object has this version")
	flags.StringVar(&o.reason, "reason", "", "why; kept with the change")
	flags.StringVar(&o.key, "idempotency-key", "", "a retry with the same key gets the first answer again")
	flags.BoolVar(&o.dryRun, "dry-run", false, "only check; nothing happens")
	if v.outcome != nil {
		flags.Var((*secondsFlag)(&o.wait), "wait", "wait this long for the outcome; another one than asked for is exit status 1")
	}
}

// secondsFlag is a flag that takes whole seconds, with or without a unit.
type secondsFlag time.Duration

// String returns the duration, and nothing for none.
func (f *secondsFlag) String() string {
	if *f == 0 {
		return ""
	}
	return time.Duration(*f).String()
}

// Type returns what the help calls the value.
func (f *secondsFlag) Type() string { return "seconds" }

// Set takes 30, 30s or 5m.
func (f *secondsFlag) Set(word string) error {
	d, err := time.ParseDuration(word)
	if n, plain := strconv.ParseUint(word, 10, 31); plain == nil {
		d, err = time.Duration(n)*time.Second, nil
	}
	if err != nil || d < 0 || d%time.Second != 0 {
		return fmt.Errorf("%q is no number of whole seconds; write it as 30, 30s or 5m", word)
	}
	*f = secondsFlag(d)
	return nil
}

// check returns an error for a value that is wrong for every call.
func (o *callOptions) check() error {
	if !slices.Contains(formats, o.output) {
		return fmt.Errorf("--output %q is none of %s", o.output, strings.Join(formats, ", "))
	}
	return nil
}

// header returns the headers that the flags ask for.
func (o *callOptions) header() http.Header {
	h := http.Header{}
	set := func(name, value string) {
		if value != "" {
			h.Set(name, value)
		}
	}
	if o.ifMatch != "" && o.ifMatch != "*" && !strings.Contains(o.ifMatch, `"`) {
		o.ifMatch = strconv.Quote(o.ifMatch)
	}
	set("If-Match", o.ifMatch)
	set("X-Change-Reason", o.reason)
	set("Idempotency-Key", o.key)
	if o.wait > 0 {
		set("Prefer", fmt.Sprintf("wait=%d", o.wait/time.Second))
	}
	return h
}

// query returns the query parameters that the flags ask for.
func (o *callOptions) query() url.Values {
	q := url.Values{}
	if o.dryRun {
		q.Set("dry_run", "true")
	}
	return q
}

// printer returns what prints the answers to a command.
func (o *callOptions) printer(c *cobra.Command, n noun, v verb) *printer {
	return &printer{
		out: c.OutOrStdout(), err: c.ErrOrStderr(), format: format(o.output), columns: columnsOf(c, n, v, format(o.output) == formatWide),
		noun: n, verb: v, dryRun: o.dryRun, plain: o.noHeaders,
	}
}

// client returns a client for the address and the credentials of the flags.
func (o *callOptions) client() (*client, error) {
	base, err := url.Parse(cmp.Or(o.url, defaultURL))
	if err != nil || base.Host == "" {
		return nil, usage(fmt.Errorf("--url %q is no address; write it as %s", o.url, defaultURL))
	}
	token, caFile := os.Getenv(tokenVariable), o.caFile
	if o.tokenFile != "" {
		data, err := os.ReadFile(o.tokenFile)
		if err != nil {
			return nil, usage(fmt.Errorf("--token-file: %w", err))
		}
		token = strings.TrimSpace(string(data))
	}
	if local, ok := findLocalService(o.dataDir); ok && (o.url == "" || local.is(base)) {
		if base, err = url.Parse(local.url); err != nil {
			return nil, err
		}
		token, caFile = cmp.Or(token, local.token), cmp.Or(caFile, local.certificate)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if caFile != "" {
		pool, err := certificates(caFile)
		if err != nil {
			return nil, usage(fmt.Errorf("--ca-file: %w", err))
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return &client{base: base.JoinPath("/api/v1"), token: token, http: &http.Client{Transport: transport}}, nil
}

// certificates returns the PEM certificates of a file together with those of the system.
func certificates(file string) (*x509.CertPool, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("%s holds no PEM certificate", file)
	}
	return pool, nil
}
