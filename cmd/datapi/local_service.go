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
	"time"

	"golang.org/x/sys/unix"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/store"
)

// The files in the data directory by which the client finds the service of this host: the token with all rights, which
// only the user can read who started the service, and the service's address, which is locked as long as that runs.
const (
	tokenName   = "admin-token"
	addressName = "address"
)

// localToken returns the token of a data directory, and makes it at the first start.
func localToken(dataDir string, log *slog.Logger) (string, error) {
	data, err := store.OpenDataDirectory(dataDir, log)
	if err != nil {
		return "", err
	}
	defer data.Close()
	token, err := data.Secret(tokenName, access.NewToken)
	if err == nil && len(token) < minTokenLength {
		err = fmt.Errorf("%s holds no token of %d characters or more; remove it, and the next start makes another one", filepath.Join(data.Path(), tokenName), minTokenLength)
	}
	return token, err
}

// How often a start tries to lock the file of its address, and when again: a client holds it for a moment.
const (
	announceTries = 20
	announceRetry = 50 * time.Millisecond
)

// announce writes the service's address into its data directory, until the stack ends.
func announce(dataDir, address string, st *stack) error {
	path := filepath.Join(dataDir, addressName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	for tries := 0; err == nil && tries < announceTries; tries++ {
		if lockErr := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); lockErr == nil {
			break
		} else if tries == announceTries-1 {
			err = errors.New("another service has it; give this one another --data-dir")
		}
		time.Sleep(announceRetry)
	}
	if err == nil {
		err = errors.Join(f.Truncate(0), write(f, address+"\n"))
	}
	if err != nil {
		return fmt.Errorf("the service's address cannot be written into %s: %w", path, err)
	}
	st.push("address", func(context.Context) error { return errors.Join(os.Remove(path), f.Close()) })
	return nil
}

func write(f *os.File, text string) error {
	_, err := f.WriteAt([]byte(text), 0)
	return err
}

// localService is the service of this host as the client finds it.
type localService struct{ url, token string }

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
	if err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB); err == nil {
		return found, false // nobody holds it: that service ended, and its address may be somebody else's
	}
	address, addressErr := os.ReadFile(filepath.Join(dataDir, addressName))
	token, tokenErr := os.ReadFile(filepath.Join(dataDir, tokenName))
	found = localService{strings.TrimSpace(string(address)), strings.TrimSpace(string(token))}
	return found, addressErr == nil && tokenErr == nil && found.token != ""
}

// is reports whether the service is the one at an address.
func (l localService) is(base *url.URL) bool {
	own, err := url.Parse(l.url)
	return err == nil && own.Scheme == base.Scheme && own.Host == base.Host
}
