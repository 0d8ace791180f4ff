package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/datapi/datapi/internal/store"
)

// newBackup builds the command that writes a backup.
func newBackup() *cobra.Command {
	var database databaseFlags
	c := &cobra.Command{
		Use:   "backup FILE",
		Short: "Write the database with its log into a file; - is standard output",
		Long: "Write the database with its log into a file; - is standard output.\n\n" +
			"The backup is one consistent snapshot, whether the service runs or not. The file appears under its name, with\n" +
			"mode 0600, when it is complete. It holds all that the service knows: keep it as safe as the database. The data\n" +
			"directory's own files (tokens, certificates) are not in it.",
		Example: "  datapi backup /var/backups/datapi.backup\n" +
			"  datapi backup --database-url postgres://datapi@db/datapi - | ssh vault 'cat > datapi.backup'",
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return backup(c, &database, args[0]) },
	}
	database.register(c)
	return c
}

// backup writes a backup into a file, or on standard output for "-".
func backup(c *cobra.Command, database *databaseFlags, file string) (err error) {
	ctx, stop := untilSignal(c.Context())
	defer stop()
	db, err := database.open(ctx, c, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	var head store.BackupHead
	write := func(w io.Writer) error {
		head, err = store.Backup(ctx, db.url, version, w)
		return interruptedBy(ctx, err)
	}
	if file == "-" {
		if err := write(c.OutOrStdout()); err != nil {
			return err
		}
		fmt.Fprintf(c.ErrOrStderr(), "backed up %s: %s\n", db.name, head)
		return nil
	}
	size, err := writeWhole(file, write)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.OutOrStdout(), "backed up %s into %s (%d bytes): %s\n", db.name, file, size, head)
	return nil
}

// newRestore builds the command that restores a backup.
func newRestore() *cobra.Command {
	var database databaseFlags
	var replace bool
	c := &cobra.Command{
		Use:   "restore FILE",
		Short: "Fill a database from a file that `backup` wrote; - is standard input",
		Long: "Fill a database from a file that `backup` wrote; - is standard input.\n\n" +
			"The service must be stopped, and the database empty: a new one, of another server too, or a data directory that\n" +
			"has none yet. --replace gives up what is there. The file is checked first, and the database is changed as a whole\n" +
			"or not at all. Start the service afterwards: ids and versions go on from the backup, the log in a new generation.",
		Example: "  datapi restore /var/backups/datapi.backup\n" +
			"  datapi restore --database-url postgres://datapi@db/datapi --replace datapi.backup",
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return restore(c, &database, args[0], replace) },
	}
	database.register(c)
	c.Flags().BoolVar(&replace, "replace", false, "give up what is in the database")
	return c
}

// restore fills the database from a file, or from standard input for "-".
func restore(c *cobra.Command, database *databaseFlags, file string, replace bool) (err error) {
	in := c.InOrStdin()
	if file != "-" {
		opened, err := openChecked(file)
		if err != nil {
			return err
		}
		defer opened.Close()
		in = opened
	}
	ctx, stop := untilSignal(c.Context())
	defer stop()
	db, err := database.open(ctx, c, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	done, err := store.Restore(ctx, db.url, in, replace)
	if err != nil {
		return interruptedBy(ctx, err)
	}
	if done.Replaced != "" {
		fmt.Fprintf(c.OutOrStdout(), "given up: %s\n", done.Replaced)
	}
	fmt.Fprintf(c.OutOrStdout(), "restored into %s: %s; start the service now\n", db.name, done.Head)
	return nil
}

// openChecked opens a backup after all of it was read and checked.
func openChecked(file string) (*os.File, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	_, err = store.CheckBackup(f)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return f, nil
}

// untilSignal returns a context that ends with SIGINT or SIGTERM, so that what was begun is undone.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
}

// interruptedBy returns err, or where a signal has ended ctx what that means.
func interruptedBy(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return errors.New("interrupted; nothing was written")
	}
	return err
}
