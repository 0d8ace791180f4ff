package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// writeWhole lets write fill a file so that the file is never there half-written: it gets its name, with mode 0600, when
// all of it is on the disk. A file of that name is replaced then. It returns the size in bytes.
func writeWhole(name string, write func(io.Writer) error) (size int64, err error) {
	name, err = regularFile(name)
	if err != nil {
		return 0, err
	}
	dir := filepath.Dir(name)
	unfinished, err := os.CreateTemp(dir, "."+filepath.Base(name)+".*.unfinished") // mode 0600
	if err != nil {
		return 0, fmt.Errorf("the backup cannot be written: %w", err)
	}
	defer func() {
		_ = unfinished.Close()
		if err != nil {
			_ = os.Remove(unfinished.Name())
		}
	}()
	if err := write(unfinished); err != nil {
		return 0, err
	}
	info, err := unfinished.Stat()
	if err != nil {
		return 0, err
	}
	if err := errors.Join(unfinished.Sync(), unfinished.Close()); err != nil {
		return 0, fmt.Errorf("the backup cannot be written: %w", err)
	}
	if err := os.Rename(unfinished.Name(), name); err != nil {
		return 0, fmt.Errorf("the backup cannot be given its name: %w", err)
	}
	return info.Size(), syncDirectory(dir)
}

// regularFile returns the path of a file that may be replaced, where links are followed. It refuses what is there and no
// regular file: a device would be replaced by the backup.
func regularFile(name string) (string, error) {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return name, nil
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", usage(fmt.Errorf("%s is no regular file; name a file, or - for standard output", name))
	}
	return name, nil
}

// syncDirectory makes the names in a directory durable.
func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
