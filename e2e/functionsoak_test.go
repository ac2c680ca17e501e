//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// soaked is a program whose functions are recorded with those of all its libraries.
type soaked struct {
	source string   // in testdata; empty: installed
	args   []string // of it, or all of the command
	mpi    string   // of this MPI alone
	keep   *regexp.Regexp
	long   bool // not in the short form
}

var soakedPrograms = []soaked{
	{source: "functions/steps.cc", long: true},
	{source: "mpi/cxxthrow.cc"},
	{source: "mpi/fortran90.f90"},
	{source: "mpi/threads.c", long: true},
	{args: []string{"/usr/bin/python3", "mpi/python.py"}, mpi: "openmpi"},
	{args: []string{"lmp", "-log", "none", "-in", "/usr/share/lammps/examples/melt/in.melt"}, mpi: "openmpi",
		long: true,
		keep: regexp.MustCompile(`^ *[0-9]+( +-?[0-9][-+.0-9e]*){5} *$`)},
}

// Programs say the same and end in the same way when the functions of all their libraries are recorded. With
// TABARD_FUNCTION_RUNS all programs run so often.
func TestFunctionsSoak(t *testing.T) {
	t.Parallel()
	runs, _ := strconv.Atoi(os.Getenv("TABARD_FUNCTION_RUNS"))
	for _, m := range mpis {
		for _, p := range soakedPrograms {
			if p.long && runs == 0 || p.mpi != "" && p.mpi != m.Name {
				continue
			}
			t.Run(m.Name+"/"+filepath.Base(slices.Concat(p.args, []string{p.source})[0]), func(t *testing.T) {
				if runs == 0 {
					t.Parallel()
				}
				dir := t.TempDir()
				command := p.command(t, m, dir)
				want := p.run(t, m, dir, command)
				for range max(runs, 1) {
					got := p.run(t, m, dir, append([]string{tabardBin, "record", "-q", "--force", "--functions=all",
						"-o", "f.tabard"},
						command...))
					if got != want || want == "" {
						t.Fatalf("the program says %q, and %q without recording", got, want)
					}
					if out, err := tabard("functions", filepath.Join(dir, "f.tabard")); err != nil ||
						!strings.Contains(string(out), "malloc") {
						t.Fatalf("%v: %s", err, out)
					}
				}
			})
		}
	}
}

func (p *soaked) command(t *testing.T, m *mpirun.MPI, dir string) []string {
	t.Helper()
	data := filepath.Join(mpirun.Root(), "testdata")
	if p.source != "" {
		program := filepath.Join(dir, "program")
		if err := m.Build(filepath.Join(data, p.source), program, "-O2", "-pthread"); err != nil {
			t.Fatal(err)
		}
		return []string{program}
	}
	if _, err := exec.LookPath(p.args[0]); err != nil {
		t.Fatalf("%s is missing: make deps", p.args[0])
	}
	command := slices.Clone(p.args)
	for i, a := range command {
		if strings.HasSuffix(a, ".py") {
			command[i] = filepath.Join(data, a)
		}
	}
	return command
}

// run returns what two ranks say, in an order of its own, as ranks are not in any.
func (p *soaked) run(t *testing.T, m *mpirun.MPI, dir string, args []string) string {
	t.Helper()
	r, err := (&mpirun.Job{MPI: m, Ranks: 2, Dir: dir, Args: args}).Start()
	if err != nil || r.Code != 0 {
		t.Fatal(err, r)
	}
	var lines []string
	for _, line := range strings.Split(r.Stdout, "\n") {
		if p.keep == nil || p.keep.MatchString(line) {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
