package safefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func check(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func gone(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", path, err)
	}
}

// exchange renames a directory and puts another one in its place.
func exchange(t *testing.T, path string, full bool) (away string) {
	t.Helper()
	away = path + ".away"
	check(t, os.Rename(path, away), os.Mkdir(path, 0o700))
	if full {
		check(t, os.WriteFile(filepath.Join(path, "precious"), []byte("precious"), 0o600))
	}
	return away
}

// All that is in it is removed, and no link is followed.
func TestScratch(t *testing.T) {
	top := t.TempDir()
	t.Setenv("TMPDIR", top)
	victim := filepath.Join(t.TempDir(), "precious")
	check(t, os.WriteFile(victim, []byte("precious"), 0o600))
	d, remove, err := Scratch("scratch-")
	check(t, err)
	if filepath.Dir(d.Path()) != top {
		t.Errorf("made at %s", d.Path())
	}
	check(t, os.MkdirAll(d.Join("a/b/c"), 0o755), os.WriteFile(d.Join("a/b/file"), nil, 0o400),
		os.Symlink(filepath.Dir(victim), d.Join("link")), os.Symlink(filepath.Dir(victim), d.Join("a/link")))
	remove()
	gone(t, d.Path())
	unharmed(t, victim)
}

// What has the name of a scratch directory by the time it is removed stays, whatever is in it.
func TestScratchExchanged(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, full := range []bool{false, true} {
		d, remove, err := Scratch("scratch-")
		check(t, err, d.WriteFile("ours", nil, false))
		share, shared, err := Share("shared")
		check(t, err, os.WriteFile(filepath.Join(shared, "ours"), nil, 0o600))
		for path, remove := range map[string]func(){
			d.Path(): remove,
			shared:   func() { check(t, RemoveShared(share, shared)) },
		} {
			away := exchange(t, path, full)
			remove()
			gone(t, filepath.Join(away, "ours"))
			if _, err := os.Lstat(path); err != nil {
				t.Errorf("another directory was removed (with a file: %v): %v", full, err)
			}
			if full {
				unharmed(t, filepath.Join(path, "precious"))
			}
			check(t, os.RemoveAll(path), os.RemoveAll(away))
		}
		share.Close()
	}
}

// Where others can rename what is there, nothing is made.
func TestScratchPlace(t *testing.T) {
	top := t.TempDir()
	open := filepath.Join(top, "open")
	check(t, os.Mkdir(open, 0o700), os.Chmod(open, 0o770))
	for _, dir := range []string{open, filepath.Join(open, "below")} {
		check(t, os.MkdirAll(dir, 0o700))
		if _, _, err := ScratchIn(dir, "scratch-"); err == nil || !strings.Contains(err.Error(), "changed by others") {
			t.Errorf("%s: %v", dir, err)
		}
		t.Setenv("TMPDIR", dir)
		d, remove, err := Scratch("scratch-")
		check(t, err)
		share, shared, err := Share("tabard-safefile-test-" + Random())
		check(t, err)
		for _, path := range []string{d.Path(), shared} {
			if strings.HasPrefix(path, open) {
				t.Errorf("%s was made", path)
			}
		}
		remove()
		check(t, RemoveShared(share, shared))
		gone(t, shared)
		share.Close()
	}
	sticky := filepath.Join(top, "sticky")
	check(t, os.Mkdir(sticky, 0o700), os.Chmod(sticky, 0o777|os.ModeSticky))
	d, remove, err := ScratchIn(sticky, "scratch-")
	check(t, err)
	remove()
	gone(t, d.Path())
}

// The last one that shares a directory removes it.
func TestShare(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	a, path, err := Share("shared")
	check(t, err, os.WriteFile(filepath.Join(path, "file"), nil, 0o600))
	b, same, err := Share("shared")
	check(t, err)
	if same != path {
		t.Errorf("%s is not %s", same, path)
	}
	check(t, RemoveShared(a, path))
	if _, err := os.Lstat(path); err != nil {
		t.Error("the directory is in use, but was removed")
	}
	a.Close()
	check(t, RemoveShared(b, path))
	gone(t, path)
	b.Close()
}

// One that waits for the last one to remove the directory comes to a new one.
func TestShareWhileRemoved(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	a, path, err := Share("shared")
	check(t, err, unix.Flock(int(a.Fd()), unix.LOCK_EX))
	type result struct {
		f    *os.File
		path string
		err  error
	}
	second := make(chan result)
	go func() {
		f, path, err := Share("shared")
		second <- result{f, path, err}
	}()
	time.Sleep(10 * time.Millisecond) // most likely it waits now
	check(t, RemoveShared(a, path))
	a.Close()
	b := <-second
	check(t, b.err)
	if d := (&Dir{f: b.f}); b.path != path || !d.IsAt(path) {
		t.Errorf("%s is not what is shared", b.path)
	}
	b.f.Close()
}

// Names that others have taken are left out, without waiting for their locks; if none is left, so is the place.
func TestShareForeign(t *testing.T) {
	for kind, plant := range map[string]func(path string) error{
		"link": func(p string) error { return os.Symlink(t.TempDir(), p) },
		"mode": func(p string) error { return errors.Join(os.Mkdir(p, 0o700), os.Chmod(p, 0o777)) },
		"fifo": func(p string) error { return unix.Mkfifo(p, 0o666) },
		"foreign": func(p string) error {
			return errors.Join(os.Mkdir(p, 0o700), os.Chmod(p, 0o755), os.Chown(p, 20001, 20001))
		},
	} {
		if kind == "foreign" && os.Getuid() != 0 {
			continue
		}
		for _, taken := range []int{1, shareTries} {
			top := t.TempDir()
			t.Setenv("TMPDIR", top)
			name := "tabard-safefile-test-" + Random()
			for i := range taken {
				path := filepath.Join(top, fmt.Sprintf("%s.%d", name, i))
				check(t, plant(path))
				if d, err := OpenDir(path); err == nil { // a link's lock is that of where it leads
					check(t, unix.Flock(d.fd(), unix.LOCK_EX|unix.LOCK_NB))
					defer d.Close()
				}
			}
			share, path, err := Share(name)
			check(t, err)
			if inside := filepath.Dir(path) == top; inside != (taken < shareTries) {
				t.Errorf("%s, %d names taken: %s", kind, taken, path)
			}
			again, same, err := Share(name)
			check(t, err)
			if same != path {
				t.Errorf("%s: %s, but another process came to %s", kind, path, same)
			}
			again.Close()
			check(t, RemoveShared(share, path))
			share.Close()
		}
	}
}
