package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// healthOptions are the flags of `datapi health`: those of serve that say where a service listens and how.
type healthOptions struct {
	listen, dataDir       string
	tlsCert               string
	tlsSelfSigned         bool
	clientCert, clientKey string
	timeout               time.Duration
}

// newHealth builds the command that asks a service of this host whether it is ready.
func newHealth() *cobra.Command {
	var o healthOptions
	c := &cobra.Command{
		Use:   "health",
		Short: "Ask the service of this host whether it is ready, for health checks",
		Long: "Ask the service of this host whether it is ready, for health checks.\n\n" +
			"It takes the flags and variables of `datapi serve` and finds the service that these start. It needs no token.\n" +
			"Exit status 0: ready; 1: not ready; 3: no service answers.",
		Args: usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			said, err := o.ask(c.Context())
			if err == nil {
				fmt.Fprintln(c.OutOrStdout(), said)
			}
			return err
		},
	}
	f := c.Flags()
	f.StringVar(&o.listen, "listen", defaultListen, "the address that the service was given")
	f.StringVar(&o.dataDir, "data-dir", "", "where a service that picked its own port has written it; none: as for datapi serve")
	f.StringVar(&o.tlsCert, "tls-cert", "", "given: the service speaks HTTPS")
	f.BoolVar(&o.tlsSelfSigned, "tls-self-signed", false, "the service speaks HTTPS")
	f.StringVar(&o.clientCert, "client-cert", "", "PEM certificate to show to a service with --tls-client-ca")
	f.StringVar(&o.clientKey, "client-key", "", "its PEM key")
	f.DurationVar(&o.timeout, "timeout", 3*time.Second, "how long to wait for the answer")
	environment(f, nil)
	return c
}

// ask asks /readyz, and returns what it says where the service is ready.
func (o *healthOptions) ask(ctx context.Context) (said string, err error) {
	address, err := o.address()
	if err != nil {
		return "", usage(err)
	}
	// The certificate may be for any name: the answer comes from this host, and nothing secret is sent.
	config := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true} //nolint:gosec // see above
	if o.clientCert != "" {
		pair, err := tls.LoadX509KeyPair(o.clientCert, o.clientKey)
		if err != nil {
			return "", usage(fmt.Errorf("--client-cert and --client-key: %w", err))
		}
		config.Certificates = []tls.Certificate{pair}
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	rq, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/readyz", nil)
	if err != nil {
		return "", usage(err)
	}
	response, err := (&http.Client{Transport: &http.Transport{TLSClientConfig: config, Proxy: nil}}).Do(rq)
	if alert := (*net.OpError)(nil); errors.As(err, &alert) && alert.Op == "remote error" {
		return "", refused(fmt.Errorf("%s asks for a certificate that it accepts; give one with --client-cert and --client-key (%w)", address, err))
	}
	if err != nil {
		return "", unreachable(fmt.Errorf("no service answers at %s: %w", address, err))
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(response.Body, 1<<16)) // the status says it too
	said = strings.TrimSpace(string(text))
	if response.StatusCode != http.StatusOK {
		return "", refused(fmt.Errorf("%s answers %d: %s", address, response.StatusCode, said))
	}
	return said, nil
}

// address returns the address of the service: that of a service that listens everywhere is asked over loopback.
func (o *healthOptions) address() (string, error) {
	host, port, err := net.SplitHostPort(o.listen)
	if err != nil {
		return "", fmt.Errorf("--listen %q is no address; write it as %s", o.listen, defaultListen)
	}
	if port == "0" {
		local, ok := findLocalService(o.dataDir)
		if !ok {
			return "", errors.New("--listen has port 0, and no service of this user runs in the data directory; name it with --data-dir")
		}
		return local.url, nil
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = map[bool]string{true: "127.0.0.1", false: "::1"}[ip.To4() != nil]
	}
	scheme := "http"
	if o.tlsCert != "" || o.tlsSelfSigned {
		scheme = "https"
	}
	return scheme + "://" + net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port), nil
}
