//go:build verbs

package verbs

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// watcher waits for events on a file descriptor of one of the libraries with Go's own
// poller, and takes them one by one.
type watcher struct {
	file *os.File
	done chan struct{}
}

// watch calls take whenever the descriptor is readable, until take returns EAGAIN. Any
// other error but EINTR ends the watch. The descriptor stays the library's; a duplicate
// of it is polled.
func watch(fd int, name string, take func() error) (*watcher, error) {
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, err
	}
	own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	w := &watcher{file: os.NewFile(uintptr(own), name), done: make(chan struct{})}
	raw, err := w.file.SyscallConn()
	if err != nil {
		_ = w.file.Close()
		return nil, err
	}
	go func() {
		defer close(w.done)
		_ = raw.Read(func(uintptr) bool {
			for {
				err := take()
				if errors.Is(err, syscall.EAGAIN) {
					return false
				}
				if err != nil && !errors.Is(err, syscall.EINTR) {
					return true
				}
			}
		})
	}()
	return w, nil
}

// close ends the watch and waits for its goroutine. The watcher may be nil.
func (w *watcher) close() {
	if w == nil {
		return
	}
	_ = w.file.Close()
	<-w.done
}
