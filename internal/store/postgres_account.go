package store

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// postgresUser is the account that PostgreSQL runs as if the service is root, as which
// PostgreSQL refuses to run.
const postgresUser = "postgres"

// account is the account that PostgreSQL runs as: that of this process, or, if that is
// root, postgresUser.
type account struct {
	name string
	// switchUser means that it is not that of this process; the groups count only then.
	switchUser bool
	uid, gid   uint32
	groups     []uint32
}

// findAccount returns the account that PostgreSQL runs as.
func findAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{name: "this user", uid: uint32(os.Geteuid()), gid: uint32(os.Getegid())}, nil
	}
	u, err := user.Lookup(postgresUser)
	if err != nil {
		return account{}, errors.New("PostgreSQL does not run as root, and there is no user postgres for it; make one (useradd --system postgres), start datapi as another user, or name a database with --database-url")
	}
	a := account{name: postgresUser, switchUser: true}
	ids, err := u.GroupIds()
	if err != nil {
		ids = nil // its own group is enough
	}
	for _, id := range ids {
		if n, err := strconv.ParseUint(id, 10, 32); err == nil {
			a.groups = append(a.groups, uint32(n))
		}
	}
	uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
	gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
	a.uid, a.gid = uint32(uid), uint32(gid)
	return a, errors.Join(uidErr, gidErr)
}

// attributes returns the attributes that start a child as the account.
func (a account) attributes() *syscall.SysProcAttr {
	if !a.switchUser {
		return &syscall.SysProcAttr{}
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: a.uid, Gid: a.gid, Groups: a.groups}}
}

// checkReachable refuses a directory, given without symbolic links, that the account
// cannot enter.
func (a account) checkReachable(dir string) error {
	if !a.switchUser {
		return nil
	}
	for parent := dir; ; parent = filepath.Dir(parent) {
		info, err := os.Stat(parent)
		if err != nil {
			return err
		}
		if !a.mayEnter(info) {
			return fmt.Errorf("PostgreSQL runs as the user %s, who cannot enter %s (mode %04o); name a --data-dir elsewhere, as /var/lib/datapi, or allow it with `chmod o+x %s`",
				a.name, parent, info.Mode().Perm(), parent)
		}
		if parent == filepath.Dir(parent) {
			return nil
		}
	}
}

// mayEnter reports whether a directory's mode allows the account to enter it.
func (a account) mayEnter(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return true
	}
	bit := os.FileMode(0o001)
	switch {
	case st.Uid == a.uid:
		bit = 0o100
	case st.Gid == a.gid || slices.Contains(a.groups, st.Gid):
		bit = 0o010
	}
	return info.Mode().Perm()&bit != 0
}
