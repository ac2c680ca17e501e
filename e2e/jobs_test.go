//go:build e2e

package e2e

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// script runs `tabard record FLAGS COMMAND` in dir, where COMMAND may use $run for the launcher with its options, $app
// for a program of testdata/mpi, and $tabard. It returns standard error.
func script(t *testing.T, m *mpirun.MPI, dir, name string, flags []string, command ...string) string {
	t.Helper()
	p, err := program(m, name)
	if err != nil {
		t.Fatal(err)
	}
	j := &mpirun.Job{MPI: m, Dir: dir}
	defer j.Close()
	c := exec.Command(tabardBin, slices.Concat([]string{"record"}, flags, command)...)
	c.Dir, c.Env = dir, append(j.Command().Env, "run="+m.Run, "app="+strings.Join(p, " "), "tabard="+tabardBin,
		"LD_PRELOAD="+m.YieldPreload) // not as an option of the launcher, which would replace ours
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Run(); err != nil {
		t.Fatalf("%q: %v\n%s", command, err, &stderr)
	}
	return stderr.String()
}

// sizes lists the recordings of a directory with their numbers of ranks.
func sizes(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range files {
		if filepath.Ext(f) != ".tabard" {
			continue
		}
		i, err := readInfo(f)
		if err != nil {
			t.Fatal(err)
		}
		if !i.Complete {
			t.Errorf("%s is not complete", f)
		}
		all = append(all, fmt.Sprintf("%s %d", strings.TrimSuffix(filepath.Base(f), ".tabard"), i.Ranks))
	}
	slices.Sort(all)
	return all
}

// Each MPI job that a script starts has a recording of its own, whatever starts it.
func TestJobsOfAScript(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		flags   []string
		command []string
		want    string
	}{
		"one after the other": {nil, []string{"sh", "-c", `$run -n 2 $app; $run -n 3 $app`}, "sh 2, sh-2 3"},
		"at the same time": {[]string{"-o", "x.tabard"},
			[]string{"sh", "-c", `$run -n 2 $app & $run -n 2 $app & wait`}, "x 2, x-2 2"},
		"one job": {nil, []string{"sh", "-c", `$run -n 2 sh -c "$app; true"`}, "sh 2"},
		"other programs": {nil, []string{"sh", "-c", `$run -n 2 hostname; cd ..; $run -n 2 $app; $run -n 2 ./none
			true`}, "sh 2"},
		"several programs": {nil, []string{"sh", "-c", `$run -n 1 $app : -n 2 $app`}, "sh 3"},
		"recorded in the script": {nil, []string{"sh", "-c", `$run -n 2 $tabard record -o own.tabard $app
			$run -n 1 $tabard record -o both.tabard $app : -n 2 $tabard record -o both.tabard $app
			$run -n 2 $app`}, "both 3, own 2, sh 2"},
		"python": {nil, []string{"/usr/bin/python3", "-c", `import os, subprocess
for n in 2, 3: subprocess.run(os.path.expandvars("$run -n %d $app" % n), shell=True, check=True)`},
			"python3 2, python3-2 3"},
		"make":  {nil, []string{"make", "-f", "makefile", "-j2"}, "make 2, make-2 2"},
		"xargs": {nil, []string{"sh", "-c", `echo 2 3 | xargs -n 1 sh -c '$run -n $1 $app' sh`}, "sh 2, sh-2 3"},
		"quiet": {[]string{"--quiet"}, []string{"sh", "-c", `$run -n 2 $app; $run -n 3 $app`}, "sh 2, sh-2 3"},
	} {
		t.Run(name, func(t *testing.T) {
			eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
				dir := t.TempDir()
				put(t, filepath.Join(dir, "makefile"), "all: a b\na b:\n\t$$run -n 2 $$app\n")
				stderr := script(t, m, dir, "halo1d", c.flags, c.command...)
				if got := strings.Join(sizes(t, dir), ", "); got != c.want {
					t.Errorf("recorded %s, want %s", got, c.want)
				}
				want := len(strings.Split(c.want, ", "))
				if name == "quiet" {
					want = 0
				}
				if got := strings.Count(stderr, "next: "); got != want {
					t.Errorf("%d summaries, want %d: %s", got, want, stderr)
				}
				if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
					t.Errorf("left behind: %q", left)
				}
			})
		})
	}
}

// A job that a script starts replaces what was there before, and not what another job of it recorded.
func TestForcedJobsOfAScript(t *testing.T) {
	t.Parallel()
	m := mpis[0]
	dir := t.TempDir()
	for range 2 {
		script(t, m, dir, "halo1d", []string{"--force"}, "sh", "-c", `$run -n 2 $app; $run -n 3 $app`)
	}
	if got := strings.Join(sizes(t, dir), ", "); got != "sh 2, sh-2 3, sh-3 3" {
		t.Error(got)
	}
}

// What MPI_Comm_spawn starts belongs to the recording of its parents, in scripts, too. Debian's MPICH cannot spawn.
func TestSpawnInAScript(t *testing.T) {
	t.Parallel()
	m := openMPI()
	dir := t.TempDir()
	script(t, m, dir, "spawn", nil, "sh", "-c", `$run -n 1 $app; $run -n 2 $app`)
	if got := strings.Join(sizes(t, dir), ", "); got != "sh 3, sh-2 4" {
		t.Error(got)
	}
}
