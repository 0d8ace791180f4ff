package faults

import (
	"context"
	"fmt"
	"net"
	"os"
)

// NewStandby makes a standby of a running cluster, and starts it. It follows the cluster
// through the address given, and is asynchronous until MakeSynchronous is called.
func (c *Cluster) NewStandby(ctx context.Context, dir, name, through string) (*Cluster, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := giveToPostgres(dir); err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(through)
	if err != nil {
		return nil, err
	}
	source := fmt.Sprintf("host=%s port=%s user=%s application_name=%s", host, port, superuser, name)
	if err := runPostgres(ctx, "pg_basebackup", "-D", dir, "-d", source, "-R", "-X", "stream", "-c", "fast", "--no-sync"); err != nil {
		return nil, err
	}
	standby, err := clusterIn(dir, name)
	if err != nil {
		return nil, err
	}
	if err := standby.Start(); err != nil {
		return nil, err
	}
	return standby, eventually("the standby streams", patience, func() bool {
		state, err := c.query("SELECT state FROM pg_stat_replication WHERE application_name = '" + name + "'")
		return err == nil && state == "streaming"
	})
}

// MakeSynchronous lets every commit of the primary wait for the standby of a name.
func (c *Cluster) MakeSynchronous(name string) error {
	if err := c.Exec("ALTER SYSTEM SET synchronous_standby_names = '" + name + "'"); err != nil {
		return err
	}
	if err := c.Exec("SELECT pg_reload_conf()"); err != nil {
		return err
	}
	return eventually("the standby is synchronous", patience, func() bool {
		state, err := c.query("SELECT sync_state FROM pg_stat_replication WHERE application_name = '" + name + "'")
		return err == nil && state == "sync"
	})
}

// Promote makes a standby the primary, on a new time line.
func (c *Cluster) Promote() error {
	if err := eventually("the standby is promoted", patience, func() bool {
		return c.Exec("SELECT pg_promote(false)") == nil
	}); err != nil {
		return err
	}
	return eventually("the new primary takes writes", patience, func() bool {
		recovering, err := c.query("SELECT pg_is_in_recovery()")
		return err == nil && recovering == "f"
	})
}

// TimeLine returns the number of the cluster's present time line.
func (c *Cluster) TimeLine() (string, error) {
	return c.query("SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)::integer")
}

// Backup copies the cluster's data as it is now into a folder.
func (c *Cluster) Backup(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := giveToPostgres(dir); err != nil {
		return err
	}
	source := fmt.Sprintf("host=127.0.0.1 port=%d user=%s", c.port, superuser)
	return runPostgres(ctx, "pg_basebackup", "-D", dir, "-d", source, "-X", "stream", "-c", "fast", "--no-sync")
}

// PutBack stops the cluster, puts a backup in the place of its data, and starts it.
func (c *Cluster) PutBack(backup string) error {
	if err := c.KillAll(); err != nil {
		return err
	}
	if err := os.RemoveAll(c.dir); err != nil {
		return err
	}
	if err := os.Rename(backup, c.dir); err != nil {
		return err
	}
	return c.Start()
}
