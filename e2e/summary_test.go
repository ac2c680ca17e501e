//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// loader calls MPI by addresses that it finds itself.
const loader = `#include <dlfcn.h>
int main(int argc, char **argv)
{
    void *mpi = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
    int (*init)(void *, void *) = mpi ? dlsym(mpi, "MPI_Init") : 0;
    int (*finalize)(void) = mpi ? dlsym(mpi, "MPI_Finalize") : 0;
    return !init || !finalize || init(0, 0) || finalize();
}
`

// build compiles a program that is not linked with an MPI.
func build(t *testing.T, source string, flags ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "plain")
	c := exec.Command("gcc", append([]string{"-o", out, "-x", "c", "-"}, flags...)...)
	c.Stdin = strings.NewReader(source)
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// However a job ends, one line says what was recorded, or why nothing was; with --quiet only what is missing.
func TestSummaryAlways(t *testing.T) {
	t.Parallel()
	static, dlopens := build(t, "int main(void) { return 0; }", "-static"), build(t, loader)
	incomplete := `tabard: INCOMPLETE: ranks 0-1 were not recorded \(the program is statically linked\)`
	lines := func(patterns ...string) string { return "^" + strings.Join(patterns, "\n") + "\n$" }
	abnormal := lines(`tabard: 2 ranks, 2\d\d calls in .*, \d ranks? did not terminate normally; next: .* x.tabard`)
	loaded := lines(`tabard: no MPI call was recorded: plain has loaded .*`)
	for _, c := range []struct {
		name, only  string
		flags, args []string
		want        string
	}{
		{"killed", "", nil, []string{"@dies", "kill", "0"}, abnormal},
		{"aborted", "", nil, []string{"@dies", "abort", "1"}, abnormal},
		{"segmentation fault", "", nil, []string{"@dies", "segv", "0"}, abnormal},
		{"_exit", "", nil, []string{"@dies", "_exit", "1"}, abnormal},
		{"exit", "", nil, []string{"@dies", "exit", "0"}, abnormal},
		{"MPI_Abort", "", nil, []string{"@dies", "mpiabort", "0"}, abnormal},
		{"without MPI_Finalize", "", nil, []string{"@dies", "nofinalize"}, lines(`tabard: 2 ranks, 2\d\d calls in .*`)},
		{"quiet", "", []string{"--quiet"}, []string{"@dies", "kill", "0"}, "^$"},
		{"Fortran", "", nil, []string{"@fortran90"}, lines(`tabard: 2 ranks, \d+ calls in .*`)},
		{"Python", "openmpi", nil, []string{"@python"}, lines(`tabard: 2 ranks, [\d,]+ calls in .*`)},
		{"sessions", "mpich", nil, []string{"@sessions"}, lines(`tabard: 2 ranks, \d+ calls in .*`)},
		{"no MPI", "", nil, []string{"hostname"},
			lines(`tabard: no MPI call was recorded: hostname made no MPI call; next: .*`)},
		{"dlsym", "openmpi", nil, []string{dlopens, "libmpi.so.40"}, loaded},
		{"dlsym", "mpich", nil, []string{dlopens, "libmpich.so.12"}, loaded},
		{"static", "", nil, []string{static}, lines(`tabard: .* cannot be recorded`,
			`tabard: no MPI call was recorded: plain is statically linked; next: .*`, incomplete)},
		{"static, quiet", "", []string{"-q"}, []string{static}, lines(`tabard: .* cannot be recorded`, incomplete)},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
				if c.only != "" && c.only != m.Name {
					return
				}
				args := c.args
				if name, ok := strings.CutPrefix(args[0], "@"); ok {
					p, err := program(m, name)
					if err != nil {
						t.Fatal(err)
					}
					args = append(p, args[1:]...)
				}
				dir := t.TempDir()
				j := &mpirun.Job{MPI: m, Ranks: 2, Dir: dir,
					Args: append(append([]string{tabardBin, "record", "-o", "x.tabard"}, c.flags...), args...)}
				r, err := j.Start()
				if err != nil || r.TimedOut {
					t.Fatal(err, r)
				}
				if got := said(r.Stderr); !regexp.MustCompile(c.want).MatchString(got) {
					t.Errorf("said\n%swant\n%s", got, c.want)
				}
				if _, err := os.Stat(filepath.Join(dir, "x.tabard")); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// said is what Tabard said among other things.
func said(stderr string) string {
	var lines []string
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, "tabard: ") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// A script without MPI jobs is told that nothing was recorded.
func TestScriptWithoutJobs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := "tabard: no MPI call was recorded: sh made no MPI call and started no MPI job that can be recorded; "
	if got := said(script(t, mpis[0], dir, "halo1d", nil, "sh", "-c", "echo nothing")); !strings.HasPrefix(got, want) {
		t.Error(got)
	}
	if got := said(script(t, mpis[0], dir, "halo1d", []string{"-q"}, "sh", "-c", "echo nothing")); got != "" {
		t.Error(got)
	}
	want = "tabard: no MPI call was recorded: hostname made no MPI call: there is no recording of it\n"
	if got := said(script(t, mpis[0], dir, "halo1d", nil, "sh", "-c", "$run -n 2 hostname")); got != want {
		t.Error(got)
	}
}

// A mistake in the command line is told once, not by each rank, and once for each command line.
func TestMistakesAreToldOnce(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		for _, c := range []struct {
			args []string
			want int
		}{
			{[]string{tabardBin, "record", "--nonsense", "hostname"}, 1},
			{[]string{tabardBin, "record", "./none"}, 1},
			{[]string{"hostname", ":", "-n", "2", tabardBin, "record", "--nonsense", "hostname"}, 1},
		} {
			r, err := (&mpirun.Job{MPI: m, Ranks: 3, Dir: t.TempDir(), Args: c.args}).Start()
			if err != nil || r.Code == 0 || r.TimedOut {
				t.Fatal(err, r)
			}
			n := strings.Count(r.Stderr, "nonsense; ") + strings.Count(r.Stderr, "unknown flag --nonsense") +
				strings.Count(r.Stderr, "none: No such file")
			if n < c.want || n > c.want && len(c.args) < 5 {
				t.Errorf("%q is told %d times: %s", c.args, n, r.Stderr)
			}
		}
	})
}

// What calls MPI for the first time when its recording has ended says that it is not recorded, and runs.
func TestLateProcess(t *testing.T) {
	t.Parallel()
	m := mpis[slices.IndexFunc(mpis, func(m *mpirun.MPI) bool { return m.Name == "mpich" })]
	dir := t.TempDir()
	put(t, filepath.Join(dir, "late.c"), `#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
    if (fork()) return 0;
    while (access(getenv("TABARD_DIR"), F_OK) == 0) usleep(10000);
    MPI_Init(0, 0);
    return MPI_Finalize();
}
`)
	if err := m.Build(filepath.Join(dir, "late.c"), filepath.Join(dir, "late")); err != nil {
		t.Fatal(err)
	}
	got := said(script(t, m, dir, "halo1d", nil, filepath.Join(dir, "late")))
	if !regexp.MustCompile(`(?m)^tabard: process \d+ is not recorded: `).MatchString(got) {
		t.Error(got)
	}
}
