package safefile

import (
	"debug/elf"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// OpenInput opens a file that the user named, for reading. Links are followed. Nothing blocks it: what is no regular
// file is refused with words that say what it is.
func OpenInput(path string) (*os.File, error) {
	fd, err := retry(func() (int, error) {
		return unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	var st unix.Stat_t
	if err = unix.Fstat(fd, &st); err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
		err = fmt.Errorf("%s is %s, %w", path, KindOf(st.Mode), ErrNotRegular)
	}
	if err == nil {
		err = unix.SetNonblock(fd, false)
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

// An ELF is an open executable or library.
type ELF struct {
	*elf.File
	f *os.File
}

// OpenELF is OpenInput of executables and libraries.
func OpenELF(path string) (*ELF, error) {
	f, err := OpenInput(path)
	if err != nil {
		return nil, err
	}
	e, err := elf.NewFile(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &ELF{e, f}, nil
}

// Close closes the file.
func (e *ELF) Close() error { return e.f.Close() }

var kinds = map[uint32]string{
	unix.S_IFDIR: "a directory", unix.S_IFIFO: "a pipe", unix.S_IFCHR: "a device", unix.S_IFBLK: "a device",
	unix.S_IFSOCK: "a socket", unix.S_IFLNK: "a link",
}

// KindOf says what a file type of stat(2) is, in words.
func KindOf(mode uint32) string { return kinds[mode&unix.S_IFMT] }
