package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// A scratch directory is removed with all that is in it. If others could rename it, they could put a directory of this
// user into its place, which would be removed instead. So it is made only where they cannot, and removed through the
// descriptors that are held of it and of the directory above it.

// tempDirs are the places for scratch directories, best first.
func tempDirs() iter.Seq[string] {
	return func(yield func(string) bool) {
		const common = "/tmp"
		if own := os.TempDir(); own != common && !yield(own) || !yield(common) {
			return
		}
		if cache, err := UserCache(); err == nil {
			yield(cache)
		}
	}
}

// Scratch makes a private directory for files of a command, where temporary files are if only this user and root can
// change names there, or else in another place where that is so: programs in it can be run. remove removes it, with all
// that is in it.
func Scratch(prefix string) (d *Dir, remove func(), err error) {
	var errs []error
	for place := range tempDirs() {
		d, remove, err := ScratchIn(place, prefix)
		if err == nil {
			return d, remove, nil
		}
		errs = append(errs, err)
	}
	return nil, nil, noPlace(errs)
}

func noPlace(errs []error) error {
	return fmt.Errorf("no place for temporary files (set TMPDIR to a directory that only you can change): %w",
		errors.Join(errs...))
}

// ScratchIn is Scratch in one place. Where others can change names, nothing is made.
func ScratchIn(place, prefix string) (d *Dir, remove func(), err error) {
	parent, err := openTrusted(place)
	if err != nil {
		return nil, nil, err
	}
	name := prefix + Random()
	if d, err = parent.MakePrivate(name); err != nil {
		parent.RemoveDir(name) // it cannot be used, but nobody else has this name
		parent.Close()
		return nil, nil, err
	}
	return d, func() {
		parent.removeHeld(name, d)
		d.Close()
		parent.Close()
	}, nil
}

// openTrusted opens a directory where nobody else can change the names that this user made.
func openTrusted(path string) (*Dir, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := Trusted(abs); err != nil {
		return nil, err
	}
	return OpenDir(abs)
}

// shareTries bounds the names of a shared directory in a place.
const shareTries = 4

// Share makes a private directory that processes of this user use together, or comes to the one that is there, and
// shares it until the open file and its copies in other processes are closed. Others may guess the name: the directory
// has the first name, in the first place of those of Scratch, that nobody else has taken, so that all processes come to
// the same one. It is locked when its owner is known: what others own may be locked for ever.
func Share(name string) (share *os.File, path string, err error) {
	var errs []error
	for place := range tempDirs() {
		parent, err := openTrusted(place)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		defer parent.Close()
		for i := range shareTries {
			try := fmt.Sprintf("%s.%d", name, i)
			if share, err = parent.share(try); err == nil {
				return share, parent.Join(try), nil
			}
			errs = append(errs, err)
		}
	}
	return nil, "", noPlace(errs)
}

// share makes or opens a private directory and shares it. Whoever was the last before may remove it meanwhile.
func (d *Dir) share(name string) (*os.File, error) {
	for {
		sub, err := d.MakePrivate(name)
		if errors.Is(err, fs.ErrNotExist) && d.IsAt(d.path) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err = flock(sub.f, unix.LOCK_SH); err == nil && d.holds(name, sub) {
			return sub.f, nil
		}
		sub.Close()
		if err != nil {
			return nil, err
		}
	}
}

// RemoveShared removes the directory of Share at path, with all that is in it, unless others share it: the last of them
// will.
func RemoveShared(share *os.File, path string) error {
	if flock(share, unix.LOCK_EX|unix.LOCK_NB) != nil {
		return nil
	}
	parent, err := openTrusted(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer parent.Close()
	return parent.removeHeld(filepath.Base(path), &Dir{f: share, path: path})
}

// removeHeld removes what is in an open directory, and the directory if it still has its name in d.
func (d *Dir) removeHeld(name string, sub *Dir) error {
	err := sub.empty()
	if d.holds(name, sub) {
		err = errors.Join(err, d.RemoveDir(name))
	}
	return err
}

// holds tells whether an open directory has a name in d.
func (d *Dir) holds(name string, sub *Dir) bool {
	at, err1 := d.Stat(name)
	self, err2 := sub.Self()
	return err1 == nil && err2 == nil && at.Dev == self.Dev && at.Ino == self.Ino
}

// empty removes all that is in a directory. No link is followed.
func (d *Dir) empty() error {
	names, err := d.Names()
	errs := []error{err}
	for _, n := range names {
		err := d.Remove(n)
		if errors.Is(err, unix.EISDIR) {
			err = d.removeSub(n)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (d *Dir) removeSub(name string) error {
	sub, err := d.inside(name)
	if err != nil {
		return err
	}
	defer sub.Close()
	return d.removeHeld(name, sub)
}
