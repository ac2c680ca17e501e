// Package safefile opens, creates, maps, locks, replaces and removes files where others may have been first.
//
// A name in a place that others can write to may be anything: a link to a file that is precious, a FIFO that blocks
// whoever opens it, a directory that belongs to somebody else. So directories are held by descriptors, and what they
// hold is opened relative to them: what was checked is what is used. No last component of a path is ever followed if it
// is a link, nothing but regular files and directories is opened, temporary files are new, and what is removed is
// removed by its name in a directory that is held. The sysctls fs.protected_* are not relied on.
//
// A directory is private if it belongs to this user and nobody else may do anything in it. What lies in it was put
// there by this user, or by root.
package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// ErrNotPrivate is the cause of errors about directories that others own or may change, and about what is no directory.
var ErrNotPrivate = errors.New("not a private directory of this user (mode 0700, no link)")

// A Dir is an open directory. Names are those of its entries: without a slash, not "." or "..".
type Dir struct {
	f       *os.File
	path    string
	private bool
}

// OpenDir opens a directory of whomever, for instance one that the user named: links on the way to it are followed.
func OpenDir(path string) (*Dir, error) {
	f, err := openDirAt(unix.AT_FDCWD, path, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return &Dir{f: f, path: path}, nil
}

// OpenPrivate opens a directory that belongs to this user alone. The error is ErrNotPrivate if it does not.
func OpenPrivate(path string) (*Dir, error) { return openPrivateAt(unix.AT_FDCWD, path, path) }

// MakePrivate makes a directory unless it is there, and opens it as OpenPrivate does. The one above it must be there.
func MakePrivate(path string) (*Dir, error) {
	return makePrivateAt(unix.AT_FDCWD, path, path)
}

// OpenPrivate opens a directory in d.
func (d *Dir) OpenPrivate(name string) (*Dir, error) {
	path, err := d.entry(name)
	if err != nil {
		return nil, err
	}
	return openPrivateAt(d.fd(), name, path)
}

// MakePrivate makes a directory in d unless it is there, and opens it.
func (d *Dir) MakePrivate(name string) (*Dir, error) {
	path, err := d.entry(name)
	if err != nil {
		return nil, err
	}
	return makePrivateAt(d.fd(), name, path)
}

func makePrivateAt(at int, name, path string) (*Dir, error) {
	if err := unix.Mkdirat(at, name, 0o700); err != nil && err != unix.EEXIST {
		return nil, &fs.PathError{Op: "mkdir", Path: path, Err: err}
	}
	return openPrivateAt(at, name, path)
}

func openPrivateAt(at int, name, path string) (*Dir, error) {
	f, err := openDirAt(at, name, unix.O_NOFOLLOW)
	if err == unix.EACCES && giveOwner(at, name) == nil {
		f, err = openDirAt(at, name, unix.O_NOFOLLOW)
	}
	if err == unix.ELOOP || err == unix.ENOTDIR {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNotPrivate}
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil || int(st.Uid) != os.Geteuid() || st.Mode&0o077 != 0 {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNotPrivate}
	}
	if st.Mode&0o700 != 0o700 { // the umask took it away when the directory was made
		if err := unix.Fchmod(int(f.Fd()), 0o700); err != nil {
			f.Close()
			return nil, &fs.PathError{Op: "chmod", Path: path, Err: err}
		}
	}
	return &Dir{f: f, path: path, private: true}, nil
}

// giveOwner lets this user into a directory that is his, and nobody else's, and that he made with a umask that kept
// himself out.
func giveOwner(at int, name string) error {
	fd, err := retry(func() (int, error) {
		return unix.Openat(at, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if int(st.Uid) != os.Geteuid() || st.Mode&0o077 != 0 {
		return ErrNotPrivate
	}
	return unix.Chmod(fmt.Sprintf("/proc/self/fd/%d", fd), 0o700)
}

func openDirAt(at int, name string, flags int) (*os.File, error) {
	fd, err := retry(func() (int, error) {
		return unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|flags, 0)
	})
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// retry repeats what a signal interrupted.
func retry[T any](f func() (T, error)) (T, error) {
	for {
		v, err := f()
		if err != unix.EINTR {
			return v, err
		}
	}
}

func (d *Dir) fd() int { return int(d.f.Fd()) }

// entry checks name and says where it is.
func (d *Dir) entry(name string) (path string, err error) {
	path = filepath.Join(d.path, name)
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
		return path, &fs.PathError{Op: "open", Path: path, Err: unix.EINVAL}
	}
	return path, nil
}

// Path is where the directory was opened, or renamed to by Moved: for messages, and for other programs.
func (d *Dir) Path() string { return d.path }

// Moved notes that the directory has another path now.
func (d *Dir) Moved(path string) { d.path = path }

// Join is the path of an entry, for messages and for other programs.
func (d *Dir) Join(name string) string { return filepath.Join(d.path, name) }

// Close closes the directory. It does no harm to nil.
func (d *Dir) Close() error {
	if d == nil {
		return nil
	}
	return d.f.Close()
}

// Stat describes an entry; links are not followed.
func (d *Dir) Stat(name string) (unix.Stat_t, error) {
	var st unix.Stat_t
	path, err := d.entry(name)
	if err != nil {
		return st, err
	}
	if err := unix.Fstatat(d.fd(), name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return st, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	return st, nil
}

// Self describes the directory itself.
func (d *Dir) Self() (unix.Stat_t, error) {
	var st unix.Stat_t
	if err := unix.Fstat(d.fd(), &st); err != nil {
		return st, &fs.PathError{Op: "stat", Path: d.path, Err: err}
	}
	return st, nil
}

// Has tells whether there is an entry of this name, of whatever kind.
func (d *Dir) Has(name string) bool {
	_, err := d.Stat(name)
	return err == nil
}

// Names lists the entries in the order of their names.
func (d *Dir) Names() ([]string, error) {
	f, err := openDirAt(d.fd(), ".", 0) // a position of its own
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: d.path, Err: err}
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}

// Room is the number of bytes that this user may still write there.
func (d *Dir) Room() uint64 {
	var st unix.Statfs_t
	if unix.Fstatfs(d.fd(), &st) != nil {
		return 0
	}
	return st.Bavail * uint64(st.Bsize)
}

// InMemory tells whether its files take memory.
func (d *Dir) InMemory() bool {
	var st unix.Statfs_t
	return unix.Fstatfs(d.fd(), &st) == nil && (st.Type == unix.TMPFS_MAGIC || st.Type == unix.RAMFS_MAGIC)
}

// Rename renames an entry; one that has the new name already is replaced.
func (d *Dir) Rename(from, to string) error {
	if _, err := d.entry(from); err != nil {
		return err
	}
	path, err := d.entry(to)
	if err != nil {
		return err
	}
	if err := unix.Renameat(d.fd(), from, d.fd(), to); err != nil {
		return &fs.PathError{Op: "rename", Path: path, Err: err}
	}
	return nil
}

// Link gives an entry a second name, which must not be there.
func (d *Dir) Link(from, to string) error {
	if _, err := d.entry(from); err != nil {
		return err
	}
	path, err := d.entry(to)
	if err != nil {
		return err
	}
	if err := unix.Linkat(d.fd(), from, d.fd(), to, 0); err != nil {
		return &fs.PathError{Op: "link", Path: path, Err: err}
	}
	return nil
}

// Remove removes an entry that is no directory. A link is removed, never what it leads to.
func (d *Dir) Remove(name string) error { return d.unlink(name, 0) }

// RemoveDir removes an empty directory.
func (d *Dir) RemoveDir(name string) error { return d.unlink(name, unix.AT_REMOVEDIR) }

func (d *Dir) unlink(name string, flags int) error {
	path, err := d.entry(name)
	if err != nil {
		return err
	}
	if err := unix.Unlinkat(d.fd(), name, flags); err != nil {
		return &fs.PathError{Op: "remove", Path: path, Err: err}
	}
	return nil
}

// RemoveAll removes the private directory of this name in d with the files in it whose names are ours, and with nothing
// else: a directory that holds anything else stays, with that. The error is nil if there is no such directory.
func (d *Dir) RemoveAll(name string, ours func(name string) bool) error {
	sub, err := d.OpenPrivate(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer sub.Close()
	if err := sub.Clear(ours); err != nil {
		return err
	}
	return d.RemoveDir(name)
}

// Clear removes the files whose names are ours.
func (d *Dir) Clear(ours func(name string) bool) error {
	names, err := d.Names()
	errs := []error{err}
	for _, n := range names {
		if ours(n) {
			if err := d.Remove(n); err != nil && !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// Readlink says where a link leads.
func (d *Dir) Readlink(name string) (string, error) {
	path, err := d.entry(name)
	if err != nil {
		return "", err
	}
	b := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(d.fd(), name, b)
	if err != nil {
		return "", &fs.PathError{Op: "readlink", Path: path, Err: err}
	}
	return string(b[:n]), nil
}

// Symlink makes a link.
func (d *Dir) Symlink(to, name string) error {
	path, err := d.entry(name)
	if err != nil {
		return err
	}
	if err := unix.Symlinkat(to, d.fd(), name); err != nil {
		return &fs.PathError{Op: "symlink", Path: path, Err: err}
	}
	return nil
}

// IsAt tells whether the directory is what has this path now.
func (d *Dir) IsAt(path string) bool {
	var st unix.Stat_t
	self, err := d.Self()
	return err == nil && unix.Lstat(path, &st) == nil && st.Dev == self.Dev && st.Ino == self.Ino
}

// Trusted says why a path cannot be handed to others who will open it later, such as the dynamic linker: somebody else
// than this user and root could put something else there meanwhile. It is nil if nobody can.
func Trusted(path string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	at, rest := "/", strings.Split(strings.Trim(abs, "/"), "/")
	for links := 0; ; {
		var st unix.Stat_t
		if err := unix.Lstat(at, &st); err != nil {
			return &fs.PathError{Op: "stat", Path: at, Err: err}
		}
		if st.Uid != 0 && int(st.Uid) != os.Geteuid() {
			return fmt.Errorf("%s belongs to another user (%d), who could put something else there", at, st.Uid)
		}
		switch st.Mode & unix.S_IFMT {
		case unix.S_IFLNK:
			to, err := os.Readlink(at)
			if links++; err != nil || links > 40 {
				return &fs.PathError{Op: "readlink", Path: at, Err: unix.ELOOP}
			}
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(at), to)
			}
			at, rest = "/", append(strings.Split(strings.Trim(to, "/"), "/"), rest...)
			continue
		case unix.S_IFDIR:
			if st.Mode&0o022 != 0 && st.Mode&unix.S_ISVTX == 0 {
				return fmt.Errorf("%s can be changed by others (mode %o)", at, st.Mode&0o7777)
			}
		default:
			if st.Mode&0o022 != 0 {
				return fmt.Errorf("%s can be changed by others (mode %o)", at, st.Mode&0o7777)
			}
		}
		for len(rest) > 0 && rest[0] == "" {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return nil
		}
		at, rest = filepath.Join(at, rest[0]), rest[1:]
	}
}

// UserCache is the folder for what programs of this user keep and can make again, which it makes; but a home that is
// not there it does not.
func UserCache() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return dir, nil
}
