package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// An Output is a file that is written under a name that nobody can foretell, in the directory of its place, and put
// there when it is whole. Until then what lies at its place stays as it is.
type Output struct {
	*os.File
	dir  *Dir
	temp string
}

// NewOutput begins to write a file whose place is path. Its mode follows from the umask.
func NewOutput(path string, mode os.FileMode) (*Output, error) {
	d, err := OpenDir(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f, err := d.Temp(outputPrefix(filepath.Base(path)), mode)
	if err != nil {
		d.Close()
		return nil, err
	}
	o := &Output{File: f, dir: d, temp: Name(f)}
	began(o)
	return o, nil
}

// unfinished are the outputs that are neither in their place nor discarded.
var unfinished = struct {
	sync.Mutex
	outputs map[remover]bool
}{outputs: map[remover]bool{}}

// remover removes what it has written so far.
type remover interface{ remove() }

func began(o remover) {
	unfinished.Lock()
	defer unfinished.Unlock()
	unfinished.outputs[o] = true
}

func finished(o remover) {
	unfinished.Lock()
	defer unfinished.Unlock()
	delete(unfinished.outputs, o)
}

func (o *Output) remove() { o.dir.Remove(o.temp) }

// DiscardAll removes all that is half written, before the process ends: no output can be finished
// after it.
func DiscardAll() {
	unfinished.Lock()
	for o := range unfinished.outputs {
		o.remove()
	}
}

// Beside is the name of a hidden file that belongs to the one with a name; file systems bound the length of names.
func Beside(name, suffix string) string { return "." + name[:min(len(name), 200)] + suffix }

// outputPrefix begins the names of an output's temporary files.
func outputPrefix(name string) string { return Beside(name, ".tmp-") }

// Replace puts the file into the place of what has the name in its directory, which the caller looked at. It is on the
// disk then. The Output is closed, whatever happens, and nothing is left of it if there is an error.
func (o *Output) Replace(name string) error { return o.place(name, o.dir.Rename) }

// Place puts the file where nothing has the name; else the error is fs.ErrExist, and the Output may be placed again.
func (o *Output) Place(name string) error {
	err := o.dir.renameNew(o.temp, name)
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	return o.place(name, func(string, string) error { return err })
}

func (o *Output) place(name string, rename func(from, to string) error) error {
	err := syncFile(o.File)
	if err == nil {
		err = rename(o.temp, name)
	}
	if err != nil {
		o.Discard()
		return err
	}
	finished(o)
	err = o.Close()
	o.dir.Close()
	return err
}

// Discard removes what was written. It does no harm after Replace or Place succeeded.
func (o *Output) Discard() {
	if o.File.Close() == nil {
		o.remove()
		finished(o)
		o.dir.Close()
	}
}

// renameNew renames an entry to a name that nothing has.
func (d *Dir) renameNew(from, to string) error {
	path, err := d.entry(to)
	if err != nil {
		return err
	}
	err = unix.Renameat2(d.fd(), from, d.fd(), to, unix.RENAME_NOREPLACE)
	if unsupported(err) {
		// Not every file system knows how: a second name, and then the first goes.
		if err = unix.Linkat(d.fd(), from, d.fd(), to, 0); err == nil {
			err = unix.Unlinkat(d.fd(), from, 0)
		} else if unsupported(err) || err == unix.EPERM || err == unix.EMLINK {
			return d.renameOver(from, to)
		}
	}
	if err != nil {
		return &fs.PathError{Op: "rename", Path: path, Err: err}
	}
	return nil
}

// renameOver is renameNew where there are no second names: what nothing has is taken by an empty file,
// which is replaced then. Nobody else gets the name, but somebody may see the empty file for a moment.
func (d *Dir) renameOver(from, to string) error {
	f, err := d.Create(to, 0o600)
	if err != nil {
		return err
	}
	f.Close()
	if err := d.Rename(from, to); err != nil {
		d.Remove(to)
		return err
	}
	return nil
}

// unsupported tells whether a file system does not know an operation.
func unsupported(err error) bool {
	return err == unix.EINVAL || err == unix.ENOSYS || err == unix.EOPNOTSUPP
}

// syncFile puts a file on the disk, if its file system knows what that is.
func syncFile(f *os.File) error {
	var errno unix.Errno
	err := f.Sync()
	if errors.As(err, &errno) && unsupported(errno) {
		return nil
	}
	return err
}

// RemoveStale removes temporary files of an output that whoever wrote them left behind when it was killed: those of
// this user that are older than age.
func RemoveStale(path string, age time.Duration) {
	d, err := OpenDir(filepath.Dir(path))
	if err != nil {
		return
	}
	defer d.Close()
	prefix := outputPrefix(filepath.Base(path))
	names, _ := d.Names()
	for _, n := range names {
		st, err := d.Stat(n)
		if strings.HasPrefix(n, prefix) && err == nil && st.Mode&unix.S_IFMT == unix.S_IFREG &&
			int(st.Uid) == os.Geteuid() && time.Since(time.Unix(st.Mtim.Unix())) > age {
			d.Remove(n)
		}
	}
}

// Writable says why no file can be made in the directory of path, nil if one can: there is no such directory, or it
// cannot be written to. All ranks of a node come to the same answer: if some began without the others, the job would
// hang. So a full file system is no reason, since ranks that look at the same time take room from each other.
func Writable(path string) error {
	dir := filepath.Dir(path)
	d, err := OpenDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no directory %s", dir)
	case errors.Is(err, unix.ENOTDIR):
		return fmt.Errorf("%s is not a directory", dir)
	case err != nil:
		return err
	}
	defer d.Close()
	f, err := d.Temp(outputPrefix(filepath.Base(path)), 0o600)
	if err == nil {
		err = errors.Join(f.Close(), d.Remove(Name(f)))
	}
	if err != nil && !errors.Is(err, unix.ENOSPC) && !errors.Is(err, unix.EDQUOT) {
		return fmt.Errorf("no file can be made in %s: %w", dir, err)
	}
	return nil
}

// Unnamed makes a file that has no name any more, for what is needed as long as this process lives.
func Unnamed() (*os.File, error) {
	d, err := OpenDir(os.TempDir())
	if err != nil {
		return nil, err
	}
	defer d.Close()
	f, err := d.Temp(".tabard-", 0o600)
	if err != nil {
		return nil, err
	}
	return f, d.Remove(Name(f))
}

// ID is what a file is, whatever its names are.
type ID struct{ Dev, Ino uint64 }

// IDAt is what a path leads to, links followed; ok is false if there is nothing.
func IDAt(path string) (id ID, ok bool) {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return ID{}, false
	}
	return ID{uint64(st.Dev), st.Ino}, true
}
