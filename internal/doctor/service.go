package doctor

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/datapi/datapi/internal/store"
)

// serviceChecks looks at what a service needs of this host, and at one that runs.
func serviceChecks(ctx context.Context, h Host) []Check {
	checks := []Check{dataDirectory(h), files()}
	checks = append(checks, certificates(h.Certificates, time.Now())...)
	return append(checks, runningChecks(ctx, h)...)
}

// minFree and warnFree are bytes that are free in the file system of the data: below the first a private PostgreSQL may
// end at any moment.
const minFree, warnFree = 256 << 20, 2 << 30

// dataDirectory judges the data directory.
func dataDirectory(h Host) Check {
	const name = "service.data_directory"
	f, err := store.InspectDataDirectory(h.DataDir)
	if err != nil {
		return bad(name, Wrong, "See the text; a start refuses this directory. Run the doctor as the user of the service.", "%v", err)
	}
	evidence := fmt.Sprintf("%s belongs to this user, %d MiB are free", h.DataDir, f.Free>>20)
	if f.Missing {
		evidence = fmt.Sprintf("%s is not there yet and can be made, %d MiB are free", h.DataDir, f.Free>>20)
	}
	private := h.DatabaseURL == ""
	switch {
	case private && f.Free < minFree:
		return bad(name, Wrong, "Make room: the private PostgreSQL ends where its disk is full.", "%s", evidence)
	case private && f.Free < warnFree:
		return bad(name, Warning, "Make room, or shorten the retention (`datapi retention set`).", "%s", evidence)
	case f.Replaceable != "":
		return bad(name, Warning, "Give it a parent that only root or its own user may change.", "%s; others may change its parent %s and put another directory in its place", evidence, f.Replaceable)
	}
	return good(name, "%s", evidence)
}

// minFiles is a limit of open files below which few clients have room.
const minFiles = 4096

// files judges the limit of open files of this process.
func files() Check {
	const name = "service.files"
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return bad(name, Unknown, "Look at `ulimit -n`.", "the limit of open files cannot be read: %v", err)
	}
	// The service raises its own limit to the hard one.
	if limit.Max < minFiles {
		return bad(name, Warning, "Raise it: LimitNOFILE= in the systemd unit, `ulimit -n` in a shell, --ulimit nofile= for a container.", "a process of this user may have %d files open; each client and device needs some", limit.Max)
	}
	return good(name, "a process of this user may have %d files open", limit.Max)
}

// certificateWarning is how long before its end a certificate is warned of.
const certificateWarning = 14 * 24 * time.Hour

// certificates judges the certificates in files.
func certificates(names []string, now time.Time) []Check {
	var checks []Check
	for _, name := range names {
		data, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			checks = append(checks, bad("service.certificate", Wrong, "Let the user of the service read it.", "%v", err))
			continue
		}
		block, _ := pem.Decode(data)
		if block == nil {
			checks = append(checks, bad("service.certificate", Wrong, "Give a PEM file, the service's own certificate first.", "%s holds no PEM certificate", name))
			continue
		}
		leaf, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			checks = append(checks, bad("service.certificate", Wrong, "Give another certificate.", "%s: %v", name, err))
			continue
		}
		checks = append(checks, certificate(name, leaf, now))
	}
	return checks
}

// certificate judges how long a certificate is good.
func certificate(where string, leaf *x509.Certificate, now time.Time) Check {
	const name = "service.certificate"
	const remedy = "Renew it and start the service again; one of --tls-self-signed is made anew by a start."
	evidence := fmt.Sprintf("that of %s is good until %s", where, leaf.NotAfter.UTC().Format(time.RFC3339))
	switch {
	case now.After(leaf.NotAfter):
		return bad(name, Wrong, remedy, "%s, which is past", evidence)
	case now.Before(leaf.NotBefore):
		return bad(name, Wrong, "Look at this host's clock.", "%s, and begins only at %s", evidence, leaf.NotBefore.UTC().Format(time.RFC3339))
	case now.Add(certificateWarning).After(leaf.NotAfter):
		return bad(name, Warning, remedy, "%s", evidence)
	}
	return good(name, "%s", evidence)
}

// mayListen judges an address at which nothing listens.
func mayListen(address string) Check {
	const name = "service.address"
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return bad(name, Wrong, "Write it as 127.0.0.1:8480.", "--listen %q is no address", address)
	}
	number, err := strconv.Atoi(port)
	if err != nil || number > 65535 {
		return bad(name, Wrong, "Write it as 127.0.0.1:8480.", "--listen %q has no port", address)
	}
	if number > 0 && number < 1024 && os.Geteuid() != 0 {
		return bad(name, Warning, "Give a port from 1024 on, or the right to it (CAP_NET_BIND_SERVICE).", "port %d is for root", number)
	}
	if ip := net.ParseIP(host); ip != nil && !ip.IsUnspecified() && !ip.IsLoopback() && !isOwn(ip) {
		return bad(name, Wrong, "Give an address of this host (`ip address`), or 0.0.0.0 for all.", "%s is no address of this host", host)
	}
	return bad("service.running", Warning, "Start it (`datapi serve`), or name its address with --listen.", "nothing listens on %s", address)
}

// isOwn reports whether an address is one of this host's.
func isOwn(ip net.IP) bool {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return true // it cannot be known
	}
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.Equal(ip) {
			return true
		}
	}
	return false
}
