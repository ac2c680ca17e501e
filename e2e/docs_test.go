//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/docpage"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// TestDocs runs every command of the README and of docs, each page in a folder of its own, and compares what it prints
// with what the page shows. Package docpage says how pages are written. The tutorial is run under both MPIs.
func TestDocs(t *testing.T) {
	root := mpirun.Root()
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	tools := map[*mpirun.MPI]string{}
	for _, m := range mpis {
		tools[m] = shell(t, m)
	}
	for _, path := range append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")) {
		page, err := docpage.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		for i, m := range mpis {
			if len(page.Steps) > 0 && (i == 0 || name == "tutorial.md") {
				t.Run(m.Name+"/"+name, func(t *testing.T) {
					if name != "tutorial.md" && name != "check.md" { // these are about times
						t.Parallel()
					}
					follow(t, name, page, tools[m])
				})
			}
		}
	}
}

// shell makes a folder with the commands that pages use, by the names that they use.
func shell(t *testing.T, m *mpirun.MPI) string {
	bin := t.TempDir()
	binary, err := filepath.Abs(tabardBin)
	if err != nil {
		t.Fatal(err)
	}
	launcher := `exec mpirun.openmpi --oversubscribe --mca mpi_yield_when_idle 1 "$@"`
	if m.Name == "mpich" {
		// Debian's mpi4py is Open MPI's.
		launcher = `case " $* " in *" python3 "*) ` + launcher + `; esac
exec mpirun.mpich -genv LD_PRELOAD ` + m.YieldPreload + ` "$@"`
	}
	scripts := map[string]string{
		"mpirun": launcher, "mpicc": "exec mpicc." + m.Name + ` "$@"`, "mpicxx": "exec mpicxx." + m.Name + ` "$@"`,
		"mpifort": "exec mpifort." + m.Name + ` "$@"`, "python3": `exec /usr/bin/python3 "$@"`,
		"tabard": "exec " + binary + ` "$@"`,
		// recording PROGRAM RANKS FILE [OPTIONS OF RECORD] [-- ARGUMENTS]: a program of testdata/mpi, recorded once.
		"recording": `set -e
program=$1 ranks=$2 file=$3
shift 3
kept=` + bin + `/kept-$(echo "$program $ranks $*" | md5sum | cut -c1-12).tabard
options=
while [ $# -gt 0 ] && [ "$1" != -- ]; do options="$options $1"; shift; done
[ $# = 0 ] || shift
exec 9>"$kept".lock
flock 9
if [ ! -e "$kept" ]; then
	mpicc -g -O1 -pthread -o "$program" "$REPO/testdata/mpi/$program.c" -lm
	mpirun -n "$ranks" tabard record -q -o "$kept" $options ./"$program" "$@" >/dev/null 9>&-
	rm ./"$program"
fi
cp "$kept" "$file"`,
	}
	for name, text := range scripts {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/bash\n"+text+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

// follow runs the commands of a page, one after the other in one shell.
func follow(t *testing.T, name string, page *docpage.Page, bin string) {
	var script strings.Builder
	for i, s := range page.Steps {
		fmt.Fprintf(&script, "echo; echo '<<<%d'\n%s\necho \">>>%d $?\"\n", i, s.Command, i)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	dir, home := t.TempDir(), t.TempDir()
	file := filepath.Join(home, "page.sh")
	if err := os.WriteFile(file, []byte(script.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(ctx, "bash", file)
	c.Dir = dir
	c.WaitDelay = time.Second
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "REPO="+mpirun.Root(), "TABARD_STATE="+home,
		"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "LC_ALL=C.UTF-8")
	printed, err := c.CombinedOutput()
	if c.Process != nil { // whatever a page leaves in the background ends with it
		syscall.Kill(-c.Process.Pid, syscall.SIGTERM)
	}
	if left := waitNone(home); left != nil {
		t.Error(left)
	}
	if err != nil && ctx.Err() != nil {
		t.Fatalf("%s does not come to an end\n%s", name, printed)
	}
	results := map[string][2]string{}
	for _, m := range regexp.MustCompile(`(?s)\n<<<(\d+)\n(.*?)>>>(\d+) (\d+)\n`).FindAllStringSubmatch(string(printed), -1) {
		results[m[1]] = [2]string{m[2], m[4]}
	}
	for i, s := range page.Steps {
		r, ok := results[fmt.Sprint(i)]
		line := -1
		if s.Want != nil {
			line = docpage.Match(s.Want, r[0])
		}
		switch {
		case !ok:
			t.Fatalf("%s:%d: %s: not run\n%s", name, s.Line, s.Command, printed)
		case (r[1] != "0") != s.Fails:
			t.Errorf("%s:%d: %s: exit code %s\n%s", name, s.Line, s.Command, r[1], short(r[0]))
		case line >= 0:
			t.Errorf("%s:%d: %s: line %d of what it prints is not as shown\n%s", name, s.Line, s.Command, line+1,
				short(r[0]))
		}
	}
}

// short is the beginning of what a command printed.
func short(s string) string {
	lines := strings.SplitAfter(s, "\n")
	return strings.Join(lines[:min(len(lines), 60)], "")
}
