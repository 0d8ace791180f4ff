package main

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/datapi/datapi/internal/store"
)

// minTokenLength is the least length of an admin token, in characters.
const minTokenLength = 16

// defaultListen is the address of a service that is given none.
const defaultListen = "127.0.0.1:8480"

// defaultRetention is the age of changes kept where nobody says another one.
const defaultRetention = "90d"

// engines are the choices of --engine, with the providers that each opens.
var engines = map[string][]string{
	"auto":       nil, // verbs where a device exists, else soft
	"verbs":      {"verbs"},
	"soft":       {"soft"},
	"verbs,soft": {"verbs", "soft"},
}

// nodeName matches the names that a node may have: they become part of ids.
var nodeName = regexp.MustCompile(`^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$`)

// serveOptions are the flags of `datapi serve`.
type serveOptions struct {
	listen, advertise                  string
	databaseURL, dataDir, node, engine string
	softIAs                            int
	adminTokenFile, adminToken         string
	tlsCert, tlsKey, tlsClientCA       string
	tlsSelfSigned, insecureHTTP        bool
	metricsListen, retention           string
	rateLimit                          int
	readOnly, open                     bool
	logLevel, logFormat                string
}

// register adds the flags.
func (o *serveOptions) register(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.listen, "listen", defaultListen, "address of the page and the API; port 0 picks one and prints it")
	f.StringVar(&o.advertise, "advertise", "", "host:port at which other nodes and clients reach this one; none: that of --listen")
	f.StringVar(&o.databaseURL, "database-url", "", "PostgreSQL to use, several hosts allowed; none: a private one")
	f.StringVar(&o.dataDir, "data-dir", "", "where the private PostgreSQL and secrets lie; none: $STATE_DIRECTORY, /var/lib/datapi for root, else ~/.local/state/datapi")
	f.StringVar(&o.node, "node", "", "this host's name in ids; none: the host name")
	f.StringVar(&o.engine, "engine", "auto", "auto (verbs where a device exists, else soft), verbs, soft, or verbs,soft")
	f.IntVar(&o.softIAs, "soft-ias", 2, "how many soft adapters to open")
	f.BoolVar(&o.open, "open", false, "ask nobody who they are; on loopback only")
	f.StringVar(&o.adminTokenFile, "admin-token-file", "", "file that holds a token with all rights; none: admin-token in the data directory")
	f.StringVar(&o.adminToken, "admin-token", "", "the token itself; others on this machine can read it here, the variable is safer")
	f.StringVar(&o.tlsCert, "tls-cert", "", "PEM certificate chain to serve HTTPS with")
	f.StringVar(&o.tlsKey, "tls-key", "", "its PEM key")
	f.StringVar(&o.tlsClientCA, "tls-client-ca", "", "PEM certificates that clients' certificates must come from")
	f.BoolVar(&o.tlsSelfSigned, "tls-self-signed", false, "serve HTTPS with a certificate of its own making")
	f.BoolVar(&o.insecureHTTP, "insecure-http", false, "allow HTTP without TLS beyond loopback")
	f.StringVar(&o.metricsListen, "metrics-listen", "", "address of /metrics; none: the main address")
	f.StringVar(&o.retention, "retention", "", "age of changes kept, as 90d or 36h, where the database has no such setting yet; none: "+defaultRetention)
	f.IntVar(&o.rateLimit, "rate-limit", 0, "requests per second and principal; 0: no limit")
	f.BoolVar(&o.readOnly, "read-only", false, "refuse every write")
	f.StringVar(&o.logLevel, "log-level", "info", "debug, info, warn or error")
	f.StringVar(&o.logFormat, "log-format", "", "text or json; none: text on a terminal")
}

// settings are the options after they were checked, with the defaults that depend on the machine.
type settings struct {
	serveOptions
	token        string
	retentionAge store.Age
	providers    []string // names for newProvider; empty is auto
}

// validate returns the settings that the options make, or an error in the command line.
func (o serveOptions) validate() (*settings, error) {
	s := &settings{serveOptions: o}
	for _, check := range []func() error{s.checkEngine, s.checkNode, s.checkToken, s.checkTLS, s.checkExposure, s.checkNumbers, s.setDataDir} {
		if err := check(); err != nil {
			return nil, usage(err)
		}
	}
	return s, nil
}

// checkEngine finds the providers of --engine and checks --soft-ias.
func (s *settings) checkEngine() error {
	providers, ok := engines[s.engine]
	if !ok {
		return fmt.Errorf("--engine %q is none of auto, verbs, soft, and verbs,soft", s.engine)
	}
	s.providers = providers
	if s.softIAs < 0 || s.softIAs > 64 || (s.softIAs == 0 && slices.Contains(providers, "soft")) {
		return fmt.Errorf("--soft-ias %d is not in 1 to 64", s.softIAs)
	}
	return nil
}

// checkNode checks the node's name, by default that of the host.
func (s *settings) checkNode() error {
	if s.node == "" {
		host, err := os.Hostname()
		if err != nil {
			return fmt.Errorf("this host has no name (%w); give one with --node", err)
		}
		s.node = strings.ToLower(host)
	}
	if !nodeName.MatchString(s.node) {
		return fmt.Errorf("--node %q does not fit into ids; give 1 to 63 of a-z 0-9 . _ -", s.node)
	}
	return nil
}

// checkToken reads the admin token, if there is one, and checks its length.
func (s *settings) checkToken() error {
	s.token = s.adminToken
	if s.adminTokenFile != "" {
		if s.adminToken != "" {
			return errors.New("--admin-token-file and --admin-token are both given; give one")
		}
		data, err := os.ReadFile(s.adminTokenFile)
		if err != nil {
			return fmt.Errorf("--admin-token-file: %w", err)
		}
		s.token = strings.TrimSpace(string(data))
		if s.token == "" {
			return fmt.Errorf("--admin-token-file: %s is empty", s.adminTokenFile)
		}
	}
	switch {
	case s.token != "" && s.open:
		return errors.New("--open asks nobody who they are, so there is no use for an admin token; give one of them")
	case s.token != "" && len(s.token) < minTokenLength:
		return fmt.Errorf("the admin token has %d characters; give it %d or more", len(s.token), minTokenLength)
	}
	return nil
}

// checkTLS checks that the TLS options fit together.
func (s *settings) checkTLS() error {
	switch {
	case (s.tlsCert == "") != (s.tlsKey == ""):
		return errors.New("--tls-cert and --tls-key go together; give both")
	case s.tlsCert != "" && s.tlsSelfSigned:
		return errors.New("--tls-cert and --tls-self-signed exclude each other; give one")
	case s.tlsClientCA != "" && !s.secure():
		return errors.New("--tls-client-ca needs --tls-cert and --tls-key, or --tls-self-signed")
	}
	return nil
}

// secure reports whether the service speaks HTTPS.
func (s *settings) secure() bool { return s.tlsCert != "" || s.tlsSelfSigned }

// checkExposure refuses an address that other hosts can reach, if nobody is asked who they are, or tokens would be sent
// in clear text.
func (s *settings) checkExposure() error {
	host, _, err := net.SplitHostPort(s.listen)
	switch {
	case err != nil:
		return fmt.Errorf("--listen %q is no address; write it as %s", s.listen, defaultListen)
	case isLoopback(host):
		return nil
	case s.open:
		return fmt.Errorf("--listen %s can be reached from other hosts, and --open asks nobody who they are: leave --open out, or listen on 127.0.0.1", s.listen)
	case !s.secure() && !s.insecureHTTP:
		return fmt.Errorf("--listen %s would send tokens in clear text: give --tls-cert and --tls-key, or --tls-self-signed, or --insecure-http", s.listen)
	}
	return nil
}

// isLoopback reports whether the host can be reached from this machine only.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// checkNumbers checks the retention, the addresses of others and of the metrics and the rate limit.
func (s *settings) checkNumbers() error {
	var err error
	if s.retentionAge, err = store.ParseAge(cmp.Or(s.retention, defaultRetention)); err != nil {
		return fmt.Errorf("--retention: %w", err)
	}
	if s.advertise != "" {
		if host, port, err := net.SplitHostPort(s.advertise); err != nil || host == "" || port == "" || port == "0" {
			return fmt.Errorf("--advertise %q is no address that others can reach; write it as host-7:8480", s.advertise)
		}
	}
	if s.metricsListen != "" {
		if _, _, err := net.SplitHostPort(s.metricsListen); err != nil {
			return fmt.Errorf("--metrics-listen %q is no address; write it as 127.0.0.1:9480", s.metricsListen)
		}
	}
	if s.rateLimit < 0 {
		return fmt.Errorf("--rate-limit %d is negative; 0 is no limit", s.rateLimit)
	}
	return nil
}

// setDataDir makes the data directory absolute, or sets the default one.
func (s *settings) setDataDir() error {
	var err error
	if s.dataDir == "" {
		if s.dataDir, err = defaultDataDir(); err != nil {
			return err
		}
	}
	s.dataDir, err = filepath.Abs(s.dataDir)
	return err
}
