package doctor

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/render"
)

// shownLeftovers bounds how many are listed one by one.
const shownLeftovers = 10

// checkLeftovers lists what interrupted recordings left behind, and how to recover or remove it.
func checkLeftovers(found []collect.Leftover, now time.Time) []Check {
	const name = "leftovers"
	var checks []Check
	var running, more int
	var moreBytes int64
	for i := range found {
		l := &found[i]
		switch {
		case l.Running():
			running++
			if l.Collector {
				checks = append(checks, ok(name, "a recording to %s is going on", l.Output))
			} else {
				checks = append(checks, warn(name, recoverCommand(l),
					"%d processes of the recording to %s are running, its collector is gone: %s, %s in %s", l.Processes,
					l.Output, age(l, now), size(l.Bytes), l.Dir))
			}
		case len(checks)-running >= shownLeftovers:
			more++
			moreBytes += l.Bytes
		case l.Output == "":
			checks = append(checks, warn(name, removeCommand(l), "%s holds no recording: %s, %s", l.Dir, age(l, now),
				size(l.Bytes)))
		case l.Kept:
			checks = append(checks, warn(name, recoverCommand(l)+"; or throw it away: "+removeCommand(l),
				"an archive that could not be written to %s is kept: %s, %s in %s", l.Output, age(l, now),
				size(l.Bytes), l.Dir))
		default:
			checks = append(checks, warn(name, recoverCommand(l)+"; or throw it away: "+removeCommand(l),
				"a recording to %s was interrupted: %s, %s in %s", l.Output, age(l, now), size(l.Bytes), l.Dir))
		}
	}
	if more > 0 {
		checks = append(checks, warn(name, "deal with those above, then run tabard doctor again", "%d more, %s", more,
			size(moreBytes)))
	}
	if len(checks) == 0 {
		checks = append(checks, ok(name, "nothing is left of earlier recordings"))
	}
	return checks
}

func recoverCommand(l *collect.Leftover) string {
	return "tabard recover " + render.ShellWord(l.Output)
}

func removeCommand(l *collect.Leftover) string {
	words := []string{"rm", "-r"}
	for _, d := range l.Dirs {
		words = append(words, render.ShellWord(d))
	}
	return strings.Join(words, " ")
}

func age(l *collect.Leftover, now time.Time) string {
	switch d := now.Sub(l.Created); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	default:
		return fmt.Sprintf("%d days ago", int(d.Hours()/24))
	}
}

func size(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d KiB", (bytes+1023)>>10)
	}
	return fmt.Sprintf("%d MiB", (bytes+1<<20-1)>>20)
}

// ipc has the facts that decide whether systemd-logind removes a user's shared memory.
type ipc struct {
	logind bool     // it runs
	uid    int      // of the user
	linger bool     // the user stays when logged out
	conf   []string // files of its configuration, the last word last
}

func systemIPC() ipc {
	p := ipc{uid: os.Getuid(), conf: logindConf("/")}
	_, err := os.Stat("/run/systemd/seats")
	p.logind = err == nil
	if u, err := user.LookupId(strconv.Itoa(p.uid)); err == nil {
		_, err := os.Stat(filepath.Join("/var/lib/systemd/linger", u.Username))
		p.linger = err == nil
	}
	return p
}

// logindConf lists logind.conf and its additions as logind.conf(5) orders them: by
// name, and of equal names the one in /etc before /run before /usr.
func logindConf(root string) []string {
	places := []string{"etc/systemd", "run/systemd", "usr/local/lib/systemd", "usr/lib/systemd", "lib/systemd"}
	var files []string
	for _, p := range places {
		if f := filepath.Join(root, p, "logind.conf"); isFile(f) {
			files = append(files, f)
			break
		}
	}
	parts := map[string]string{}
	for _, p := range places {
		found, _ := filepath.Glob(filepath.Join(root, p, "logind.conf.d", "*.conf"))
		for _, f := range found {
			if _, known := parts[filepath.Base(f)]; !known {
				parts[filepath.Base(f)] = f
			}
		}
	}
	var names []string
	for n := range parts {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		files = append(files, parts[n])
	}
	return files
}

func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

// removesIPC reads the setting RemoveIPC. Its default is yes.
func (p ipc) removesIPC() bool {
	yes := true
	for _, f := range p.conf {
		b, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(b)) {
			name, value, found := strings.Cut(strings.TrimSpace(line), "=")
			if !found || strings.TrimSpace(name) != "RemoveIPC" {
				continue
			}
			switch strings.ToLower(strings.TrimSpace(value)) {
			case "no", "n", "false", "f", "off", "0":
				yes = false
			default:
				yes = true
			}
		}
	}
	return yes
}

// firstUserID is the least id of ordinary users. System users keep their shared memory.
const firstUserID = 1000

// checkRemoveIPC warns where the state of a recording would vanish at logout.
func checkRemoveIPC(p ipc, roots []string) []Check {
	if !p.logind || p.uid < firstUserID || p.linger || len(roots) == 0 || !strings.HasPrefix(roots[0], "/dev/shm/") ||
		!p.removesIPC() {
		return nil
	}
	return []Check{warn("logout",
		"loginctl enable-linger, or set TABARD_STATE=/var/tmp, for programs that run on after you have logged out",
		"systemd-logind removes your files in /dev/shm when you log out (RemoveIPC): "+
			"a program that runs on then is not recorded any more, and what was interrupted cannot be recovered")}
}
