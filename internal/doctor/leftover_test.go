package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/record/collect"
)

func TestLeftovers(t *testing.T) {
	now := time.Now()
	if c := checkLeftovers(nil, now); len(c) != 1 || c[0].Status != OK {
		t.Errorf("none: %+v", c)
	}
	for name, c := range map[string]struct {
		l           collect.Leftover
		status      Status
		detail, fix string
	}{
		"running": {collect.Leftover{Output: "/o/a.tabard", Collector: true, Dirs: []string{"/s/x"}}, OK,
			"/o/a.tabard is going on", ""},
		"abandoned": {collect.Leftover{Output: "/o/a.tabard", Processes: 3, Dirs: []string{"/s/x"}}, Warn,
			"3 processes",
			"tabard recover /o/a.tabard"},
		"interrupted": {collect.Leftover{Dir: "/s/x", Output: "/o/my run.tabard", Created: now.Add(-3 * time.Hour),
			Bytes: 5<<20 + 1,
			Dirs:  []string{"/s/x", "/t/x.spill"}}, Warn, "interrupted: 3 h ago, 6 MiB in /s/x",
			"tabard recover '/o/my run.tabard'; or throw it away: rm -r /s/x /t/x.spill"},
		"kept": {collect.Leftover{Dir: "/s/x.kept-7", Output: "/o/it's", Kept: true, Created: now.Add(-72 * time.Hour),
			Bytes: 1, Dirs: []string{"/s/x.kept-7"}},
			Warn, "could not be written to /o/it's is kept: 3 days ago, 1 KiB",
			`tabard recover '/o/it'\''s'; or throw it away: rm -r /s/x.kept-7`},
		"unreadable": {collect.Leftover{Dir: "/s/x", Created: now.Add(-2 * time.Minute), Dirs: []string{"/s/x"}}, Warn,
			"/s/x holds no recording: 2 min ago",
			"rm -r /s/x"},
	} {
		got := checkLeftovers([]collect.Leftover{c.l}, now)
		if len(got) != 1 || got[0].Status != c.status || !strings.Contains(got[0].Detail, c.detail) ||
			got[0].Fix != c.fix {
			t.Errorf("%s: %+v", name, got)
		}
	}
	many := make([]collect.Leftover, 25)
	for i := range many {
		many[i] = collect.Leftover{Dir: fmt.Sprint("/s/", i), Created: now, Bytes: 1 << 20}
	}
	many[3].Collector = true
	got := checkLeftovers(many, now)
	if last := got[len(got)-1]; len(got) != shownLeftovers+2 || !strings.Contains(last.Detail, "14 more, 14 MiB") {
		t.Errorf("%d checks, the last is %+v", len(got), last)
	}
}

// The files of systemd-logind are read as it reads them.
func TestRemoveIPC(t *testing.T) {
	root := t.TempDir()
	write := func(path, text string) {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	removes := func() bool { return ipc{conf: logindConf(root)}.removesIPC() }
	if !removes() {
		t.Error("the default is yes")
	}
	write("usr/lib/systemd/logind.conf", "[Login]\nRemoveIPC=no\n")
	if removes() {
		t.Error("the distribution's file says no")
	}
	write("etc/systemd/logind.conf", "[Login]\n#RemoveIPC=no\n")
	if !removes() {
		t.Error("the administrator's file stands in front of it and says nothing")
	}
	write("usr/lib/systemd/logind.conf.d/10-a.conf", "[Login]\nRemoveIPC = no\n")
	if removes() {
		t.Error("an addition says no")
	}
	write("etc/systemd/logind.conf.d/10-a.conf", "[Login]\n")
	if !removes() {
		t.Error("an addition of the same name stands in front of it")
	}
	write("run/systemd/logind.conf.d/20-b.conf", "[Login]\nRemoveIPC=off\n")
	user := ipc{logind: true, uid: 1000, conf: logindConf(root)}
	shm, disk := []string{"/dev/shm/tabard-1000", "/tmp/tabard-1000"}, []string{"/tmp/tabard-1000"}
	if c := checkRemoveIPC(user, shm); c != nil {
		t.Errorf("an addition says off: %+v", c)
	}
	user.conf = nil
	if c := checkRemoveIPC(user, shm); len(c) != 1 || c[0].Status != Warn || c[0].Fix == "" {
		t.Errorf("%+v", c)
	}
	for name, p := range map[string]ipc{"no logind": {uid: 1000}, "a system user": {logind: true},
		"a user who stays": {logind: true, uid: 1000, linger: true}} {
		if c := checkRemoveIPC(p, shm); c != nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if c := checkRemoveIPC(user, disk); c != nil {
		t.Errorf("state on a disk: %+v", c)
	}
}
