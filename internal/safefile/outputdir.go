package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// An OutputDir is a directory that is written under a name that nobody can foretell, in the directory of its place, and
// put there when it is whole. It holds files, and perhaps one directory with files.
type OutputDir struct {
	parent, dir, sub *Dir
	temp, subName    string

	mu    sync.Mutex
	names [2][]string // of files that were made: in dir, and in sub
	gone  bool
}

// NewOutputDir begins to write a directory whose place is path, with a directory in it unless sub is empty.
func NewOutputDir(path, sub string) (o *OutputDir, err error) {
	o = &OutputDir{temp: outputPrefix(filepath.Base(path)) + Random(), subName: sub}
	if o.parent, err = OpenDir(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if o.dir, err = o.parent.makeDir(o.temp); err != nil {
		o.parent.Close()
		return nil, err
	}
	if sub != "" {
		if o.sub, err = o.dir.makeDir(sub); err != nil {
			o.Discard()
			return nil, err
		}
	}
	began(o)
	return o, nil
}

// makeDir makes a directory with the permissions that the umask leaves, and opens it.
func (d *Dir) makeDir(name string) (*Dir, error) {
	path, err := d.entry(name)
	if err != nil {
		return nil, err
	}
	if err := unix.Mkdirat(d.fd(), name, 0o777); err != nil {
		return nil, &fs.PathError{Op: "mkdir", Path: path, Err: err}
	}
	made, err := d.inside(name)
	if err != nil {
		return nil, err
	}
	if st, err := made.Self(); err != nil || int(st.Uid) != os.Geteuid() {
		made.Close()
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNotPrivate}
	}
	return made, nil
}

// Create makes a file in the directory, CreateSub one in the directory in it.
func (o *OutputDir) Create(name string) (*os.File, error) { return o.create(0, o.dir, name) }

// CreateSub makes a file in the directory that the directory has in it.
func (o *OutputDir) CreateSub(name string) (*os.File, error) { return o.create(1, o.sub, name) }

func (o *OutputDir) create(in int, d *Dir, name string) (*os.File, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.gone { // another goroutine ends the process
		return nil, &fs.PathError{Op: "create", Path: d.Join(name), Err: fs.ErrClosed}
	}
	f, err := d.Create(name, 0o666)
	if err == nil {
		o.names[in] = append(o.names[in], name)
	}
	return f, err
}

// Room is the number of bytes that this user may still write there.
func (o *OutputDir) Room() uint64 { return o.dir.Room() }

// Size is the number of bytes in its files.
func (o *OutputDir) Size() (n int64, err error) {
	for in, d := range []*Dir{o.dir, o.sub} {
		for _, name := range o.names[in] {
			st, err := d.Stat(name)
			if err != nil {
				return 0, err
			}
			n += st.Size
		}
	}
	return n, nil
}

// Replace puts the directory into its place. What is there must be nothing, an empty directory, or a directory of the
// same kind, which goes then: the files in it that are ours.
func (o *OutputDir) Replace(name string, ours func(name string) bool) error {
	old := ""
	if o.parent.Has(name) {
		old = outputPrefix(name) + Random()
		if err := o.parent.Rename(name, old); err != nil {
			o.Discard()
			return err
		}
	}
	if err := o.parent.Rename(o.temp, name); err != nil {
		if old != "" {
			o.parent.Rename(old, name) // as it was
		}
		o.Discard()
		return err
	}
	o.mu.Lock()
	o.gone = true
	o.mu.Unlock()
	finished(o)
	defer o.close()
	if old == "" {
		return nil
	}
	return o.parent.removeTree(old, o.subName, ours)
}

// HoldsOnly tells whether what is at a path is a directory that has nothing but files that are ours, and perhaps one
// directory, sub, with more of them.
func HoldsOnly(path, sub string, ours func(name string) bool) (bool, error) {
	all := func(d *Dir) (bool, error) {
		names, err := d.Names()
		for _, n := range names {
			if n != sub && !ours(n) {
				return false, err
			}
		}
		return err == nil, err
	}
	top, err := OpenDir(path)
	if err != nil {
		return false, err
	}
	defer top.Close()
	if sub == "" {
		return all(top)
	}
	in, err := top.inside(sub)
	if errors.Is(err, fs.ErrNotExist) {
		return all(top)
	}
	if err != nil {
		return false, err
	}
	defer in.Close()
	ok, err := all(in)
	if !ok || in.Has(sub) {
		return false, err
	}
	return all(top)
}

// inside opens a directory in d.
func (d *Dir) inside(name string) (*Dir, error) {
	f, err := openDirAt(d.fd(), name, unix.O_NOFOLLOW)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: d.Join(name), Err: err}
	}
	return &Dir{f: f, path: d.Join(name)}, nil
}

// removeTree removes a directory with the files in it, and in one directory in it, that are ours.
func (d *Dir) removeTree(name, sub string, ours func(name string) bool) error {
	top, err := d.inside(name)
	if err != nil {
		return err
	}
	defer top.Close()
	if in, err := top.inside(sub); sub != "" && err == nil {
		err = errors.Join(in.Clear(ours), in.Close(), top.RemoveDir(sub))
		if err != nil {
			return err
		}
	}
	return errors.Join(top.Clear(ours), d.RemoveDir(name))
}

func (o *OutputDir) close() {
	if o.sub != nil {
		o.sub.Close()
	}
	o.dir.Close()
	o.parent.Close()
}

// Discard removes what was written. It does no harm after Replace succeeded.
func (o *OutputDir) Discard() {
	o.remove()
	finished(o)
	o.close()
}

func (o *OutputDir) remove() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.gone {
		return
	}
	o.gone = true
	for _, n := range o.names[1] {
		o.sub.Remove(n)
	}
	if o.sub != nil {
		o.dir.RemoveDir(o.subName)
	}
	for _, n := range o.names[0] {
		o.dir.Remove(n)
	}
	o.parent.RemoveDir(o.temp)
}
