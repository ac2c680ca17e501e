package safefile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// ErrNotFIFO is the cause of errors about what should be a FIFO.
var ErrNotFIFO = errors.New("not a FIFO of this user")

// MakeFIFO makes a FIFO that only this user can open. The error is fs.ErrExist if something has the name.
func (d *Dir) MakeFIFO(name string) error {
	path, err := d.entry(name)
	if err != nil {
		return err
	}
	if err := unix.Mkfifoat(d.fd(), name, 0o600); err != nil {
		return &fs.PathError{Op: "mkfifo", Path: path, Err: err}
	}
	return nil
}

// OpenFIFO opens a FIFO for reading. It has a writer as long as it is open, so that it does not end when others leave.
func (d *Dir) OpenFIFO(name string) (*os.File, error) {
	path, err := d.entry(name)
	if err != nil {
		return nil, err
	}
	const flags = unix.O_RDWR | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC | unix.O_NOCTTY
	fd, err := retry(func() (int, error) { return unix.Openat(d.fd(), name, flags, 0) })
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO || int(st.Uid) != os.Geteuid() {
		unix.Close(fd)
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNotFIFO}
	}
	return os.NewFile(uintptr(fd), path), nil
}
