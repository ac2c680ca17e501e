package safefile

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// ErrNotRegular is the cause of errors about links, FIFOs, devices and directories where a file was wanted.
var ErrNotRegular = errors.New("not a regular file")

// ErrNotOurs is the cause of errors about files in private directories, and locks, that are those of somebody else.
var ErrNotOurs = errors.New("not a file of this user")

// Open opens the regular file at path for reading. Nothing blocks it, and a link at the end of path is
// refused. Links on the way there are followed.
func Open(path string) (*os.File, error) {
	d, err := OpenDir(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Open(filepath.Base(path))
}

// Open opens a regular file for reading.
func (d *Dir) Open(name string) (*os.File, error) { return d.OpenFile(name, os.O_RDONLY, 0) }

// OpenFile opens a regular file with flags of os.OpenFile. Links are refused, and FIFOs do not block. In a private
// directory, and where it is to be written, the file must be this user's.
func (d *Dir) OpenFile(name string, flags int, mode os.FileMode) (*os.File, error) {
	path, err := d.entry(name)
	if err != nil {
		return nil, err
	}
	// O_TRUNC would act before the file is known.
	cut := flags&os.O_TRUNC != 0
	flags = flags&^os.O_TRUNC | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC | unix.O_NOCTTY
	fd, err := retry(func() (int, error) { return unix.Openat(d.fd(), name, flags, uint32(mode.Perm())) })
	if err == unix.ELOOP || err == unix.ENXIO {
		err = ErrNotRegular
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	if err = d.check(fd, flags&(os.O_WRONLY|os.O_RDWR) != 0); err == nil {
		err = unix.SetNonblock(fd, false)
	}
	if err == nil && cut {
		err = unix.Ftruncate(fd, 0)
	}
	if err == nil && flags&os.O_CREATE != 0 {
		err = d.allowOwner(fd, mode)
	}
	if err != nil {
		unix.Close(fd)
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

// allowOwner undoes what the umask took from the owner of a file, who has to open it again.
func (d *Dir) allowOwner(fd int, mode os.FileMode) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	want := st.Mode&0o777 | uint32(mode)&0o700
	if want == st.Mode&0o777 {
		return nil
	}
	return unix.Fchmod(fd, want)
}

// check says whether an open file may be used. What is to be written must be this user's, and where others could have
// linked it to this place, have no other name.
func (d *Dir) check(fd int, write bool) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return ErrNotRegular
	}
	if (d.private || write) && int(st.Uid) != os.Geteuid() || write && !d.private && st.Nlink > 1 {
		return ErrNotOurs
	}
	return nil
}

// Create makes a file that is not there yet.
func (d *Dir) Create(name string, mode os.FileMode) (*os.File, error) {
	return d.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
}

// Temp makes a file with a name of its own that nobody can foretell: what is passed, and random characters. Name tells
// it.
func (d *Dir) Temp(prefix string, mode os.FileMode) (*os.File, error) {
	for range 100 {
		f, err := d.Create(prefix+Random(), mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, &fs.PathError{Op: "create", Path: d.Join(prefix), Err: unix.EEXIST}
}

// Random is a part of a name that nobody can foretell.
func Random() string {
	var b [10]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Name is the entry's name of a file that was opened in a directory.
func Name(f *os.File) string { return filepath.Base(f.Name()) }

// ReadFile reads a regular file of at most limit bytes.
func (d *Dir) ReadFile(name string, limit int64) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("%s: more than %d bytes", f.Name(), limit)
	}
	return b, err
}

// WriteFile puts a file with this content into the place of what has the name: completely, or not at all. With sync it
// is on the disk then.
func (d *Dir) WriteFile(name string, b []byte, sync bool) error {
	return d.write(name, b, 0o600, sync, d.Rename)
}

// WriteProgram is WriteFile of what can be executed.
func (d *Dir) WriteProgram(name string, b []byte) error {
	return d.write(name, b, 0o700, false, d.Rename)
}

// WriteNew writes a file where nothing has the name, completely or not at all; else the error is
// fs.ErrExist. Of several processes that try at once, one succeeds.
func (d *Dir) WriteNew(name string, b []byte) error {
	return d.write(name, b, 0o600, false, d.renameNew)
}

func (d *Dir) write(name string, b []byte, mode os.FileMode, sync bool, rename func(from, to string) error) error {
	f, err := d.Temp(TempPrefix, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil && sync {
		err = syncFile(f)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = rename(Name(f), name)
	}
	if err != nil {
		d.Remove(Name(f))
	}
	return err
}

// TempPrefix begins the names of the temporary files of WriteFile and the others.
const TempPrefix = ".tmp-"

// Lock opens a file, which it makes if need be, and locks it as flock(2) does: with unix.LOCK_EX or LOCK_SH, and
// LOCK_NB. The lock lives as long as the open file and its copies in other processes. Nothing is ever written to it.
func (d *Dir) Lock(name string, how int) (*os.File, error) {
	f, err := d.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600) // NFS locks only what may be written
	if err != nil {
		return nil, err
	}
	if err := flock(f, how); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func flock(f *os.File, how int) error {
	_, err := retry(func() (struct{}, error) { return struct{}{}, unix.Flock(int(f.Fd()), how) })
	if err != nil {
		return &fs.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return nil
}

// Map maps an open file of at least size bytes, to be written, shared with whoever maps it.
func Map(f *os.File, size int64) ([]byte, error) { return mapFile(f, size, unix.MAP_SHARED) }

// View maps an open file of at least size bytes for somebody who only looks: what is written changes nothing but the
// view.
func View(f *os.File, size int64) ([]byte, error) { return mapFile(f, size, unix.MAP_PRIVATE) }

func mapFile(f *os.File, size int64, how int) ([]byte, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if st.Size() < size {
		return nil, fmt.Errorf("%s: %d bytes, want %d", f.Name(), st.Size(), size)
	}
	m, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ|unix.PROT_WRITE, how)
	if err != nil {
		return nil, &fs.PathError{Op: "map", Path: f.Name(), Err: err}
	}
	return m, nil
}
