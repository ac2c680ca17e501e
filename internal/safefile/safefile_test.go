package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// private makes a private directory with a victim beside it.
func private(t *testing.T) (d *Dir, victim string) {
	t.Helper()
	top := t.TempDir()
	victim = filepath.Join(top, "precious")
	if err := os.WriteFile(victim, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	d, err := MakePrivate(filepath.Join(top, "state"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d, victim
}

func unharmed(t *testing.T, victim string) {
	t.Helper()
	if b, err := os.ReadFile(victim); err != nil || string(b) != "precious" {
		t.Errorf("the victim holds %q, %v", b, err)
	}
}

func TestPrivateIsRefused(t *testing.T) {
	top := t.TempDir()
	for name, plant := range map[string]func(path string) error{
		"link":     func(p string) error { return os.Symlink(top, p) },
		"dangling": func(p string) error { return os.Symlink(filepath.Join(top, "nowhere"), p) },
		"file":     func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"fifo":     func(p string) error { return unix.Mkfifo(p, 0o700) },
		"group":    func(p string) error { return errors.Join(os.Mkdir(p, 0o700), os.Chmod(p, 0o770)) },
		"readable": func(p string) error { return errors.Join(os.Mkdir(p, 0o700), os.Chmod(p, 0o755)) },
		"foreign":  func(p string) error { return errors.Join(os.Mkdir(p, 0o700), os.Chown(p, 20001, 20001)) },
	} {
		path := filepath.Join(top, name)
		if err := plant(path); err != nil {
			if os.Getuid() == 0 || name != "foreign" {
				t.Fatal(err)
			}
			t.Logf("%s: not tried, only root can plant it: %v", name, err)
			continue
		}
		for how, open := range map[string]func(string) (*Dir, error){"open": OpenPrivate, "make": MakePrivate} {
			if d, err := open(path); !errors.Is(err, ErrNotPrivate) {
				t.Errorf("%s %s: %v, %v", how, name, d, err)
			}
		}
	}
	if _, err := OpenPrivate(filepath.Join(top, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory that is not there: %v", err)
	}
}

// What was opened is used, whatever happens to its path.
func TestHeldByDescriptor(t *testing.T) {
	d, victim := private(t)
	away := d.Path() + ".away"
	if err := os.Rename(d.Path(), away); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(victim), d.Path()); err != nil {
		t.Fatal(err)
	}
	if err := d.WriteFile("precious", []byte("ours"), false); err != nil {
		t.Fatal(err)
	}
	if err := d.Remove("precious"); err != nil {
		t.Fatal(err)
	}
	unharmed(t, victim)
}

func TestFilesThatArePlanted(t *testing.T) {
	d, victim := private(t)
	plant := func(name string) {
		t.Helper()
		path := d.Join(name)
		var err error
		switch name {
		case "link":
			err = os.Symlink(victim, path)
		case "fifo":
			err = unix.Mkfifo(path, 0o600)
		case "dir":
			err = os.Mkdir(path, 0o700)
		case "loop":
			err = os.Symlink(path, path)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"link", "fifo", "dir", "loop"} {
		plant(name)
		within(t, name, func() {
			for how, flags := range map[string]int{
				"read": os.O_RDONLY, "write": os.O_RDWR | os.O_CREATE | os.O_TRUNC,
				"new":    os.O_RDWR | os.O_CREATE | os.O_EXCL,
				"append": os.O_WRONLY | os.O_CREATE | os.O_APPEND,
			} {
				if f, err := d.OpenFile(name, flags, 0o600); err == nil {
					t.Errorf("%s %s: opened", how, name)
					f.Close()
				}
			}
			if l, err := d.Lock(name, unix.LOCK_EX); err == nil {
				t.Errorf("lock %s: locked", name)
				l.Close()
			}
			if _, err := d.ReadFile(name, 100); err == nil {
				t.Errorf("read %s: read", name)
			}
			if err := d.WriteFile(name, []byte("x"), false); name != "dir" && err != nil {
				t.Errorf("write %s: %v", name, err)
			} else if name == "dir" && err == nil {
				t.Error("a directory was replaced by a file")
			}
		})
	}
	unharmed(t, victim)
	left, _ := d.Names()
	if i := slices.IndexFunc(left, func(n string) bool { return strings.HasPrefix(n, TempPrefix) }); i >= 0 {
		t.Errorf("a temporary file is left: %v", left)
	}
}

// within fails if f is blocked.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("%s: blocked", what)
	}
}

// In a place of others, what is to be written has to be ours, and no other name of something else.
func TestWrittenAmongOthers(t *testing.T) {
	_, victim := private(t)
	d, err := OpenDir(filepath.Dir(victim))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := os.Link(victim, d.Join("second")); err != nil {
		t.Fatal(err)
	}
	names := []string{"second"}
	if os.Getuid() == 0 {
		names = append(names, "foreign")
		if err := errors.Join(os.WriteFile(d.Join("foreign"), nil, 0o666),
			os.Chown(d.Join("foreign"), 20002, 20002)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		if f, err := d.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600); !errors.Is(err, ErrNotOurs) {
			t.Errorf("%s: %v, %v", name, f, err)
		}
		if f, err := d.Open(name); err != nil {
			t.Errorf("%s cannot be read: %v", name, err)
		} else {
			f.Close()
		}
	}
	unharmed(t, victim)
}

func TestNamesLeadNowhere(t *testing.T) {
	d, victim := private(t)
	for _, name := range []string{"", ".", "..", "../precious", "/etc/passwd", "a/b", "a\x00b"} {
		if f, err := d.Open(name); err == nil {
			t.Errorf("%q: opened", name)
			f.Close()
		}
		for what, err := range map[string]error{
			"remove": d.Remove(name), "rename": d.Rename(name, "x"), "rename to": d.Rename("x", name),
			"link":       d.Link(name, "x"),
			"remove all": d.RemoveAll(name, func(string) bool { return true }), "write": d.WriteFile(name, nil, false),
		} {
			if err == nil {
				t.Errorf("%s %q: done", what, name)
			}
		}
	}
	unharmed(t, victim)
}

func TestRemoveAll(t *testing.T) {
	d, victim := private(t)
	all := func(string) bool { return true }
	sub, err := d.MakePrivate("sub")
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	for _, n := range []string{"s.1", "s.2", "thesis"} {
		if err := os.WriteFile(sub.Join(n), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(victim, sub.Join("s.3")); err != nil {
		t.Fatal(err)
	}
	if err := d.RemoveAll("sub", func(n string) bool { return strings.HasPrefix(n, "s.") }); err == nil {
		t.Error("what is not ours was removed")
	}
	if names, _ := sub.Names(); !slices.Equal(names, []string{"thesis"}) {
		t.Errorf("left: %v", names)
	}
	unharmed(t, victim)
	if err := d.RemoveAll("sub", all); err != nil || d.Has("sub") {
		t.Errorf("a directory of ours: %v", err)
	}
	if err := d.RemoveAll("sub", all); err != nil {
		t.Errorf("nothing: %v", err)
	}
	if err := os.Symlink(filepath.Dir(victim), d.Join("link")); err != nil {
		t.Fatal(err)
	}
	if err := d.RemoveAll("link", all); err == nil {
		t.Error("a link was followed")
	}
	unharmed(t, victim)
}

func TestTrusted(t *testing.T) {
	top := t.TempDir()
	mkdir := func(name string, mode os.FileMode) string {
		path := filepath.Join(top, name)
		if err := errors.Join(os.MkdirAll(path, 0o755), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := mkdir("good", 0o755)
	sticky := mkdir("sticky", 0o777|os.ModeSticky)
	mkdir("sticky/ours", 0o700)
	open := mkdir("open", 0o777)
	mkdir("open/ours", 0o700)
	for name, to := range map[string]string{"to-good": good, "to-open": open + "/ours",
		"loop": filepath.Join(top, "loop")} {
		if err := os.Symlink(to, filepath.Join(top, name)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]bool{
		good: true, sticky + "/ours": true, open + "/ours": false, sticky: true, open: false, top + "/to-good": true,
		top + "/to-open": false, top + "/loop": false, top + "/none": false, "/": true,
	} {
		if err := Trusted(path); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	if os.Getuid() != 0 {
		return
	}
	for _, path := range []string{sticky + "/ours", good} {
		if err := os.Lchown(path, 20001, 20001); err != nil {
			t.Fatal(err)
		}
		if Trusted(path) == nil {
			t.Errorf("%s of another user is trusted", path)
		}
	}
}

func TestTempAndLock(t *testing.T) {
	d, _ := private(t)
	seen := map[string]bool{}
	for range 100 {
		f, err := d.Temp("x-", 0o600)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		seen[Name(f)] = true
	}
	if len(seen) != 100 {
		t.Errorf("%d names", len(seen))
	}
	one, err := d.Lock("lock", unix.LOCK_EX|unix.LOCK_NB)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Lock("lock", unix.LOCK_EX|unix.LOCK_NB); !errors.Is(err, unix.EWOULDBLOCK) {
		t.Errorf("a lock that is held: %v", err)
	}
	one.Close()
	two, err := d.Lock("lock", unix.LOCK_EX|unix.LOCK_NB)
	if err != nil {
		t.Fatal(err)
	}
	two.Close()
}

// Where there are neither exclusive renames nor links, a name that is taken stays what it is all the same.
func TestRenameOver(t *testing.T) {
	top := t.TempDir()
	d, err := OpenDir(top)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, c := range []struct {
		plant func(path string) error
		want  error
	}{
		{func(string) error { return nil }, nil},
		{func(p string) error { return os.WriteFile(p, []byte("other"), 0o600) }, fs.ErrExist},
		{func(p string) error { return os.Symlink("nowhere", p) }, fs.ErrExist},
		{func(p string) error { return os.Mkdir(p, 0o700) }, fs.ErrExist},
	} {
		path := filepath.Join(top, "to")
		os.RemoveAll(path)
		if err := errors.Join(os.WriteFile(filepath.Join(top, "from"), []byte("new"), 0o600),
			c.plant(path)); err != nil {
			t.Fatal(err)
		}
		before, _ := os.Lstat(path)
		if err := d.renameOver("from", "to"); !errors.Is(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
		}
		if after, err := os.Lstat(path); err != nil || before != nil && !os.SameFile(before, after) {
			t.Errorf("%v: what had the name is gone: %v", c.want, err)
		}
		if b, _ := os.ReadFile(path); c.want == nil && string(b) != "new" {
			t.Errorf("the file holds %q", b)
		}
	}
}

// TestUserCache: the cache is made in a home, and no home for it.
func TestUserCache(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", home)
	for range 2 { // made, and there
		if dir, err := UserCache(); err != nil || dir != filepath.Join(home, ".cache") {
			t.Errorf("%q, %v", dir, err)
		}
	}
	none := filepath.Join(home, "none")
	t.Setenv("HOME", none)
	if dir, err := UserCache(); err == nil {
		t.Errorf("%q was made in a home that is not there", dir)
	}
	if _, err := os.Lstat(none); err == nil {
		t.Error("the home was made")
	}
}
