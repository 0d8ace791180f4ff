package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/store"
)

// The files in the data directory by which the client finds the service of this host: the token with all rights, which
// only the user can read who started the service, and the service's address, which is claimed as long as that runs.
const (
	tokenName   = "admin-token"
	addressName = "address"
)

// localDoor is what a running service leaves in its data directory for the clients of its user.
type localDoor struct {
	token     string
	tokenFile string
	address   *os.File
}

// openLocalDoor claims the data directory's address until the stack ends, and returns the directory's token, made at the
// first start. Errors are one line with the remedy.
func openLocalDoor(dataDir string, log *slog.Logger, st *stack) (*localDoor, error) {
	data, err := store.OpenDataDirectory(dataDir, log)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	d := &localDoor{tokenFile: filepath.Join(data.Path(), tokenName)}
	if d.address, err = data.Claim(addressName); err != nil {
		return nil, err
	}
	st.push("address", func(context.Context) error { return errors.Join(d.address.Truncate(0), d.address.Close()) })
	if d.token, err = data.Secret(tokenName, access.NewToken); err != nil {
		return nil, err
	}
	if len(d.token) < minTokenLength {
		return nil, fmt.Errorf("%s holds no token of %d characters or more; remove it, and the next start makes another one", d.tokenFile, minTokenLength)
	}
	return d, d.address.Truncate(0) // what a killed service has left
}

// announce writes the service's address.
func (d *localDoor) announce(address string) error {
	_, err := d.address.WriteAt([]byte(address+"\n"), 0)
	return err
}

// localService is the service of this host as the client finds it.
type localService struct {
	url, token string
	// certificate is the file of the service's self-signed certificate, "" if it has none.
	certificate string
}

// findLocalService returns the service that runs in a data directory, "" for the default one, if one does and this user
// may read its token.
func findLocalService(dataDir string) (found localService, ok bool) {
	if dataDir == "" {
		var err error
		if dataDir, err = defaultDataDir(); err != nil {
			return found, false
		}
	}
	f, err := os.OpenFile(filepath.Join(dataDir, addressName), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return found, false
	}
	defer func() { _ = f.Close() }()
	if claimed, err := store.Claimed(f); err != nil || !claimed {
		return found, false // that service ended, and its address may be somebody else's
	}
	address, addressErr := os.ReadFile(f.Name())
	token, tokenErr := os.ReadFile(filepath.Join(dataDir, tokenName))
	found = localService{url: strings.TrimSpace(string(address)), token: strings.TrimSpace(string(token))}
	certificate := filepath.Join(dataDir, tlsFolder, certFile)
	if _, err := os.Stat(certificate); err == nil {
		found.certificate = certificate
	}
	return found, errors.Join(addressErr, tokenErr) == nil && found.url != "" && found.token != ""
}

// is reports whether the service is the one at an address.
func (l localService) is(base *url.URL) bool {
	own, err := url.Parse(l.url)
	return err == nil && own.Scheme == base.Scheme && own.Host == base.Host
}
