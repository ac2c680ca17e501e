//go:build e2e

package e2e

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
	"github.com/tabard-hpc/tabard/internal/testkit/planted"
)

// onTerminal runs tabard on a terminal of so many columns, and gives what it shows there.
func onTerminal(t *testing.T, columns int, env []string, args ...string) (string, error) {
	t.Helper()
	host, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	defer host.Close()
	n, err := unix.IoctlGetInt(int(host.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(host.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(host.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(columns)})
	}
	if err != nil {
		t.Skip(err)
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	c := exec.Command(tabardBin, args...)
	c.Stdout, c.Stderr = terminal, terminal
	c.Env = append(append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8", "COLUMNS="), env...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	terminal.Close()
	out, _ := io.ReadAll(host) // ends with an error when all have closed the terminal
	return string(out), c.Wait()
}

var (
	escapes  = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")
	toCopy   = regexp.MustCompile(`^ *(tabard |\(cd |[$] )`)
	commands = regexp.MustCompile(`(?m)^  ([a-z]+) {2,}[A-Z]`)
)

// notAnswers are commands that do not tell about one recording, or whose output is for programs.
var notAnswers = map[string]bool{"record": true, "plan": true, "view": true, "replay": true, "proxy": true,
	"scale": true, "export": true, "import": true, "verify": true, "recover": true, "merge": true, "doctor": true, "version": true,
	"completion": true, "man": true, "help": true, "openmp": true, "check": true, "diff": true, "trend": true}

// TestWidth: what commands say of real recordings fits a terminal of 80 columns and a narrower one, but for commands to
// be copied and words that are longer; it has colours only where they are wanted, and none in a pipe. So does help.
func TestWidth(t *testing.T) {
	m, err := mpirun.Find("openmpi")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	var files []string
	for _, f := range []planted.Fault{{Source: "faults.cc", Name: "slow"}, {Source: "faults.c", Name: "flood"}} {
		file, err := f.Record(m, tabardBin, dir)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, filepath.Base(file))
	}
	t.Chdir(dir)
	help, err := tabard("--help")
	if err != nil {
		t.Fatal(err)
	}
	runs := [][]string{{"diff", files[0], files[1]}, {"check", files[0], "--against", files[1]},
		{"trend", files[0], files[1]}, {"dump", files[1], "--rank", "1", "--limit", "30"},
		{"waits", files[0], "--cause", "1"}, {"profile", files[0], "--by", "rank"}, {"loops", files[0], "--all"},
		{"matrix", files[0], "--kind", "collective"}, {"histogram", files[0], "--durations", "--by", "site"},
		{"report", files[0], "--rank", "77"}, {"dump", files[0], "--time", "90s..91s"},
		{"profile", files[0], "--comm", "nosuch"}}
	names := commands.FindAllStringSubmatch(string(help), -1)
	if len(names) < 20 {
		t.Fatalf("%d commands in %s", len(names), help)
	}
	for _, n := range names {
		runs = append(runs, []string{n[1], "--help"})
		for _, file := range files {
			if !notAnswers[n[1]] {
				runs = append(runs, []string{n[1], file})
			}
		}
	}
	for _, args := range runs {
		for _, columns := range []int{80, 60} {
			out, _ := onTerminal(t, columns, nil, args...)
			if strings.TrimSpace(out) == "" {
				t.Errorf("%v says nothing", args)
			}
			for line := range strings.Lines(out) {
				line = escapes.ReplaceAllString(strings.TrimRight(line, "\r\n"), "")
				line = line[strings.LastIndexByte(line, '\r')+1:]
				words := strings.Fields(line)
				if utf8.RuneCountInString(line) > columns && !toCopy.MatchString(line) && len(words) > 1 &&
					!strings.Contains(strings.Join(args, " "), "--help") || strings.Contains(line, "%!") {
					t.Errorf("%v at %d columns: %s", args, columns, line)
				}
			}
		}
		if out, _ := onTerminal(t, 80, []string{"NO_COLOR=1"}, args...); strings.Contains(out, "\x1b[3") {
			t.Errorf("%v: colours with NO_COLOR", args)
		}
		if out, _ := tabard(args...); strings.Contains(string(out), "\x1b") {
			t.Errorf("%v: escapes in a pipe", args)
		}
	}
	pager := []string{"PAGER=sed s/^/page:/"}
	if out, _ := onTerminal(t, 80, pager, "report", "--pager", files[0]); !strings.HasPrefix(out, "page:") {
		t.Errorf("a pager shows %q", out)
	}
}
