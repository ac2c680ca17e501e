//go:build e2e

package e2e

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
	"github.com/tabard-hpc/tabard/spec"
)

// A loggedProgram counts, in a file mapped shared, what has returned: whatever happens to it, a recording has all that.
type loggedProgram struct {
	name   string
	events string
	// uncounted is how much of a process may have returned without its count, never what is not counted at all.
	uncounted, never uint64
	// kind is that of the events that are counted, -1 for all.
	kind int
}

var logged = loggedProgram{name: "logged", events: "mpi", uncounted: 1, kind: -1}

// sources are programs that count events of other kinds than MPI's, by the names of these.
var sources = []loggedProgram{source("io", 1, 0), source("regions", 1, 0), source("nccl", 1, 0),
	source("openmp", 16, 0), // what two threads do in a step
	source("python", 14, 2)} // outer with what it calls; the ends of main and of the module

func source(name string, uncounted, never uint64) loggedProgram {
	kind, ok := spec.EventsNamed(name)
	if !ok {
		panic("there are no events " + name)
	}
	return loggedProgram{name: name, events: "mpi," + name, uncounted: uncounted, never: never, kind: int(kind)}
}

// mpi is the MPI that the program runs with: Debian's mpi4py has one.
func (p loggedProgram) mpi(m *mpirun.MPI) *mpirun.MPI {
	if p.name == "python" {
		return openMPI()
	}
	return m
}

// file is the source file without its extension, which the program prints.
func (p loggedProgram) file() string {
	switch {
	case p.name == "python":
		return "logged.py"
	case p.kind >= 0:
		return "sources"
	}
	return p.name
}

// says is what the program prints.
func (p loggedProgram) says() string { return p.file() + ": done\n" }

// command runs the program for some seconds, with its log in dir.
func (p loggedProgram) command(t *testing.T, m *mpirun.MPI, dir string, seconds float64) []string {
	t.Helper()
	switch {
	case p.name == "python":
		return []string{
			"/usr/bin/python3",
			filepath.Join(mpirun.Root(), "testdata", "python", p.file()),
			dir,
			fmt.Sprint(seconds),
		}
	case p.kind < 0:
		c, err := program(m, p.name)
		if err != nil {
			t.Fatal(err)
		}
		return append(c, dir, fmt.Sprint(seconds))
	}
	output := filepath.Join(buildDir, m.Name, "sources")
	once, _ := builds.LoadOrStore(output, sync.OnceValue(func() error {
		if err := buildFakeNCCL(); err != nil {
			return err
		}
		return m.Build(filepath.Join(mpirun.Programs(), "sources.c"), output, "-fopenmp", fakeNCCL(),
			"-Wl,-rpath,"+buildDir)
	}))
	if err := once.(func() error)(); err != nil {
		t.Fatal(err)
	}
	return []string{output, dir, fmt.Sprint(seconds), p.name}
}

func fakeNCCL() string { return filepath.Join(buildDir, "libnccl.so.2") }

var buildFakeNCCL = sync.OnceValue(func() error {
	return mpirun.BuildLibrary(
		filepath.Join(mpirun.Root(), "testdata", "nccl", "fakenccl.c"),
		fakeNCCL(),
		"-Wl,-soname,libnccl.so.2",
	)
})

// recorded is what a recording of the program says that each rank has done.
func (p loggedProgram) recorded(file string, ranks int) (done, open []uint64, err error) {
	return recorded(file, ranks, p.kind)
}

// record records the program, which must not notice anything, and compares the recording with its log.
func (p loggedProgram) record(t *testing.T, m *mpirun.MPI, out, cwd string, env ...string) {
	t.Helper()
	dir := t.TempDir()
	if len(env) == 0 {
		// A recording that cannot be written stays in its state: not in everybody's.
		env = []string{"TABARD_STATE=" + stateRoot(t)}
	}
	args := []string{tabardBin, "record", "--quiet", "--events=" + p.events}
	if out != "" {
		args = append(args, "-o", out)
	}
	j := &mpirun.Job{MPI: m, Ranks: 2, Dir: cwd, Env: env, Args: append(args, p.command(t, m, dir, 0.3)...)}
	r, err := j.Start()
	if err != nil {
		t.Fatal(err)
	}
	if r.Code != 0 || r.Stdout != p.says() {
		t.Errorf("%s was harmed: exit code %d, output %q, %q", p.name, r.Code, r.Stdout, r.Stderr)
	}
	if out == "" {
		out = filepath.Join(cwd, p.name+".tabard")
	}
	want, err := returned(dir, 2)
	if err != nil {
		t.Fatal(err)
	}
	done, _, err := p.recorded(readable(t, out, env), 2)
	if err != nil {
		t.Fatal(err)
	}
	for r := range want {
		if want[r] == 0 || done[r] != want[r]+p.never {
			t.Errorf("%s, rank %d: %d calls returned, %d recorded", p.name, r, want[r], done[r])
		}
	}
}
