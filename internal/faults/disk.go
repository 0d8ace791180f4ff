package faults

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Disk is a small file system of its own, which can be full without harm to others.
type Disk struct {
	dir string
}

// newDisk mounts a file system in memory of so many bytes; it takes the rights of root.
func newDisk(dir string, size int64) (*Disk, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0755", size)); err != nil {
		return nil, fmt.Errorf("a file system of %d bytes cannot be mounted (it takes root and CAP_SYS_ADMIN): %w", size, err)
	}
	return &Disk{dir: dir}, nil
}

// ballast is the file that fills the disk.
func (d *Disk) ballast() string { return filepath.Join(d.dir, "ballast") }

// Fill takes all room but so many bytes.
func (d *Disk) Fill(leave int64) error {
	var s unix.Statfs_t
	if err := unix.Statfs(d.dir, &s); err != nil {
		return err
	}
	f, err := os.OpenFile(d.ballast(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	room := int64(s.Bavail)*s.Bsize - leave
	block := make([]byte, 64<<10)
	for ; room > 0; room -= int64(len(block)) {
		if _, err := f.Write(block[:min(int64(len(block)), room)]); err != nil {
			return nil //nolint:nilerr // it is full, which is what was asked for
		}
	}
	return nil
}

// Free gives the room back.
func (d *Disk) Free() error { return os.Remove(d.ballast()) }

// Close unmounts the file system.
func (d *Disk) Close() error { return unix.Unmount(d.dir, unix.MNT_DETACH) }
