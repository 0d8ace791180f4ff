package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// askTimeout bounds each question to a service.
const askTimeout = 5 * time.Second

// runningChecks asks a service that listens what it says itself.
func runningChecks(ctx context.Context, h Host) []Check {
	address := reached(h.Listen)
	conn, err := (&net.Dialer{Timeout: askTimeout}).DialContext(ctx, "tcp", address)
	if err != nil {
		return []Check{mayListen(h.Listen)}
	}
	_ = conn.Close()
	s := speaker{address: address, host: h}
	checks := s.findScheme(ctx)
	status, text, err := s.get(ctx, "/livez", false)
	var alert tls.AlertError
	if s.scheme == "https" && errors.As(err, &alert) {
		return append(checks, bad("service.running", Unknown, "Ask it with a certificate: `curl --cert … --key … https://…/readyz?verbose`.", "%s asks its clients for certificates (%v)", address, err))
	}
	if err != nil || status != http.StatusOK || text != "ok\n" {
		return append(checks, bad("service.running", Wrong, "Another program has the port (`ss -ltnp`): stop it, or give the service another --listen. If it is datapi, it hangs: its log says why.", "%s is taken, and /livez answers %s", address, answerWords(status, err)))
	}
	checks = append(checks, good("service.running", "%s://%s/livez answers", s.scheme, address))
	return append(checks, s.readiness(ctx)...)
}

// answerWords says what came back of a question.
func answerWords(status int, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("with %d", status)
}

// reached returns the address at which a service can be reached that listens at one.
func reached(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// speaker is a service that listens.
type speaker struct {
	address string
	host    Host
	scheme  string
	// trusted says that its certificate is trusted here, or one of Host.Certificates.
	trusted bool
}

// findScheme finds out whether the service speaks TLS, and judges the certificate that it shows.
func (s *speaker) findScheme(ctx context.Context) []Check {
	s.scheme = "http"
	dialer := &tls.Dialer{NetDialer: &net.Dialer{Timeout: askTimeout}, Config: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // only to look at it
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	conn, err := dialer.DialContext(ctx, "tcp", s.address)
	if err != nil {
		return nil
	}
	defer func() { _ = conn.Close() }()
	s.scheme = "https"
	chain := conn.(*tls.Conn).ConnectionState().PeerCertificates
	if len(chain) == 0 {
		return nil
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	for _, name := range s.host.Certificates {
		if data, err := os.ReadFile(name); err == nil {
			roots.AppendCertsFromPEM(data)
		}
	}
	between := x509.NewCertPool()
	for _, c := range chain[1:] {
		between.AddCert(c)
	}
	_, err = chain[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: between})
	s.trusted = err == nil
	return []Check{certificate(s.address, chain[0], time.Now())}
}

// secret reports whether the token may be sent.
func (s *speaker) secret() bool {
	if s.scheme == "https" {
		return s.trusted
	}
	host, _, err := net.SplitHostPort(s.address)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 64 << 10

// get asks the service; with the token only where nobody else reads it.
func (s *speaker) get(ctx context.Context, path string, withToken bool) (status int, text string, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.scheme+"://"+s.address+path, http.NoBody)
	if err != nil {
		return 0, "", err
	}
	if withToken && s.host.Token != "" && s.secret() {
		request.Header.Set("Authorization", "Bearer "+s.host.Token)
	}
	client := &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}, //nolint:gosec // findScheme says whether it is trusted
	}
	response, err := client.Do(request)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return 0, "", errors.New("not at all")
		}
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	return response.StatusCode, string(body), err
}

// readiness returns the lines of /readyz?verbose as checks.
func (s *speaker) readiness(ctx context.Context) []Check {
	status, text, err := s.get(ctx, "/readyz?verbose", true)
	if err != nil {
		return []Check{bad("service.ready", Wrong, "The service hangs; its log says why.", "/readyz answers %s", answerWords(0, err))}
	}
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		return s.plainReadiness(ctx)
	}
	var checks []Check
	for line := range strings.Lines(text) {
		sign, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, _, _ := strings.Cut(rest, " ")
		switch sign {
		case "[+]":
			checks = append(checks, good("service.ready."+name, "%s", rest))
		case "[-]":
			checks = append(checks, bad("service.ready."+name, Wrong, "docs/monitor.md says of each line of /readyz what it means.", "%s", rest))
		}
	}
	if len(checks) == 0 {
		return []Check{bad("service.ready", Unknown, "Is this datapi?", "/readyz?verbose answers with %d and no check", status)}
	}
	return checks
}

// plainReadiness asks whether the service is ready, without a credential.
func (s *speaker) plainReadiness(ctx context.Context) []Check {
	const remedy = "For its reasons give a token: --token-file, or DATAPI_TOKEN."
	status, _, err := s.get(ctx, "/readyz", false)
	switch {
	case err != nil:
		return []Check{bad("service.ready", Wrong, "The service hangs; its log says why.", "/readyz answers %s", answerWords(0, err))}
	case status != http.StatusOK:
		return []Check{bad("service.ready", Wrong, remedy, "/readyz answers with %d", status)}
	}
	return []Check{good("service.ready", "/readyz answers with 200; the credential for its lines was refused, or there is none")}
}
