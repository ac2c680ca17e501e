//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

const (
	proven     = "proven by contents"
	consistent = "consistent with structure"
)

// manual are the cases of testdata/collectives/manual.c: three instances of an operation each, and what only looks
// like one, which must not be proven.
var manual = []struct{ args, operation, grade, roots string }{
	{"broadcast linear", "broadcast", proven, "[1]"},
	{"broadcast tree", "broadcast", proven, "[1]"},
	{"broadcast ring", "broadcast", proven, "[1]"},
	{"broadcast pipeline", "broadcast", proven, "[1]"},
	{"broadcast nonblocking", "broadcast", proven, "[1]"},
	{"broadcast persistent", "broadcast", proven, "[1]"},
	{"broadcast partitioned", "broadcast", proven, "[1]"}, // of MPI 4
	{"broadcast put", "broadcast", proven, "[1]"},
	{"broadcast putring", "broadcast", proven, "[1]"},
	{"turns tree", "broadcast", proven, "[0 1 2]"},
	{"turns ring", "broadcast", proven, "[0 1 2]"},
	{"allgather ring", "allgather", proven, "[]"},
	{"allgather linear", "allgather", proven, "[]"},
	{"scatter", "scatter", consistent, "[2]"},
	{"gather", "gather", consistent, "[0]"},
	{"alltoall", "all-to-all", consistent, "[]"},
	{"barrier", "barrier", consistent, "[]"},
	{"reduce sum", "reduce", consistent, "[0]"},
	{"reduce user", "reduce", consistent, "[0]"},
	{"allreduce", "allreduce", consistent, "[]"},
	{"scan", "scan", proven, "[]"},
	{"halo", "", "", ""},
	{"zeros", "", "", ""},
	{"wavefront", "", "", ""},
	{"queue", "", "", ""},
	{"pingpong", "", "", ""},
	{"token", "", "", ""},
}

// collectiveProgram builds a program of testdata/collectives into a folder.
func collectiveProgram(t *testing.T, m *mpirun.MPI, dir, name string) string {
	t.Helper()
	exe := filepath.Join(dir, name)
	source := filepath.Join(mpirun.Root(), "testdata", "collectives", name+".c")
	if err := m.Build(source, exe, "-g", "-O1"); err != nil {
		t.Fatal(err)
	}
	return exe
}

func TestManualCollectives(t *testing.T) {
	t.Parallel()
	for i, m := range mpis {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			dir, ranks := t.TempDir(), []int{4, 7}[i%2]
			exe := collectiveProgram(t, m, dir, "manual")
			for _, c := range manual {
				if c.args == "broadcast partitioned" && m.Name == "openmpi" { // 4.1 has none
					continue
				}
				for _, payload := range []string{"hashes", "off"} {
					if payload == "off" && !strings.HasPrefix(c.args, "broadcast ") {
						// of turns, without contents, who filled a buffer again cannot be told from who passes on what
						// it got
						continue
					}
					d := manualCase(t, m, dir, ranks, payload, append([]string{exe}, strings.Fields(c.args)...))
					checkManual(t, c.args+" "+payload, d, ranks, c.operation, c.roots,
						map[string]string{"hashes": c.grade,
							"off": consistent}[payload])
				}
			}
		})
	}
}

// reductions are the cases of testdata/collectives/reductions.c, by ranks: with samples they tell the operation.
var reductions = []struct {
	args, operation, grade, op string
	ranks                      int
}{
	{"allreduce max", "allreduce", proven, "MPI_MAX", 4},
	{"allreduce min", "allreduce", proven, "MPI_MIN", 4},
	{"allreduce prod", "allreduce", proven, "MPI_PROD", 4},
	{"allreduce land", "allreduce", proven, "MPI_LAND", 4},
	{"allreduce bor", "allreduce", proven, "MPI_BOR", 4},
	{"allreduce complex", "allreduce", proven, "MPI_SUM", 4},
	{"scan user", "scan", proven, "", 8},
	{"exscan sum", "exscan", proven, "MPI_SUM", 7},
	{"exscan max", "exscan", proven, "MPI_MAX", 7},
	{"reduce_scatter sum", "reduce-scatter", consistent, "", 4},
	{"alltoall", "all-to-all", consistent, "", 7},
	{"allreduce low", "", "", "", 4},
	{"allreduce weighted", "", "", "", 4},
	{"allreduce shifted", "", "", "", 4},
}

// TestManualReductions: samples tell which operation it is, and that some are none.
func TestManualReductions(t *testing.T) {
	t.Parallel()
	for i, m := range mpis {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			exe := collectiveProgram(t, m, dir, "reductions")
			for k, c := range reductions {
				if c.operation == "allreduce" && k%2 == i { // each once, the others under both
					continue
				}
				d := manualCase(t, m, dir, c.ranks, "samples", append([]string{exe}, strings.Fields(c.args)...))
				checkReduction(t, c.args, d, c.ranks, c.operation, c.grade, c.op)
			}
		})
	}
}

func checkReduction(t *testing.T, name string, d report.Collectives, ranks int, operation, grade, op string) {
	t.Helper()
	if operation == "" {
		for _, f := range d.Findings {
			if f.Grade == proven {
				t.Errorf("%s: %+v", name, f)
			}
		}
		return
	}
	if len(d.Findings) != 1 {
		t.Errorf("%s: %d findings: %+v", name, len(d.Findings), d.Findings)
		return
	}
	f := d.Findings[0]
	if f.Operation != operation || f.Grade != grade || f.Op != op ||
		fmt.Sprint(f.Sets) != fmt.Sprintf("[0-%d]", ranks-1) ||
		f.Instances != 3 || len(f.Sends) == 0 || !strings.Contains(f.Sends[0], "reductions.c:") {
		t.Errorf("%s: %+v", name, f)
	}
}

// TestManualLanguages: programs in Fortran and Python, with the lines of Fortran.
func TestManualLanguages(t *testing.T) {
	t.Parallel()
	root := mpirun.Root()
	for i, m := range mpis {
		dir := t.TempDir()
		exe := filepath.Join(dir, "manual")
		if err := m.Build(filepath.Join(root, "testdata", "collectives", "manual.f90"), exe); err != nil {
			t.Fatal(err)
		}
		programs := map[string][]string{"manual.f90:": {exe}}
		if i == 0 { // Debian's mpi4py is Open MPI's
			programs["MPI_"] = []string{"/usr/bin/python3", filepath.Join(root, "testdata", "collectives", "manual.py")}
		}
		for site, command := range programs {
			for _, c := range []struct{ what, op string }{{"broadcast", ""}, {"allreduce", "MPI_SUM"}, {"halo", ""}} {
				d := manualCase(t, m, dir, 4, "samples", append(slices.Clone(command), c.what))
				name := fmt.Sprint(m.Name, " ", command, " ", c.what)
				if c.what == "halo" {
					checkManual(t, name, d, 4, "", "", "")
					continue
				}
				if site == "MPI_" && c.op != "" {
					c.op = "MPI_MAX"
				}
				if len(d.Findings) != 1 || d.Findings[0].Operation != c.what || d.Findings[0].Grade != proven ||
					d.Findings[0].Op != c.op || d.Findings[0].Instances != 3 ||
					!strings.Contains(d.Findings[0].Sends[0], site) {
					t.Errorf("%s: %+v", name, d.Findings)
				}
			}
		}
	}
}

// TestManualLoop: contents are compared in each instance, also of loops that are matched once.
func TestManualLoop(t *testing.T) {
	t.Parallel()
	m, dir := mpis[0], t.TempDir()
	exe := collectiveProgram(t, m, dir, "manual")
	for _, c := range []struct {
		args   string
		grade  string
		proven uint64
	}{{"broadcast tree 60", proven, 60}, {"spoiled - 60", consistent, 59}} {
		d := manualCase(t, m, dir, 4, "hashes", append([]string{exe}, strings.Fields(c.args)...))
		found := uint64(0)
		for _, f := range d.Findings {
			if f.Operation == "broadcast" && f.Grade != "near miss" {
				found += f.Instances
				if f.Grade != c.grade || f.Proven != c.proven {
					t.Errorf("%s: %+v", c.args, f)
				}
			}
		}
		if found != 60 {
			t.Errorf("%s: %d instances: %+v", c.args, found, d.Findings)
		}
	}
}

// TestManualTrial: what is found runs again, as it is made and by the library.
func TestManualTrial(t *testing.T) {
	for _, m := range mpis {
		dir := t.TempDir()
		exe := collectiveProgram(t, m, dir, "manual")
		launcher := m.Run
		if m.Name == "openmpi" {
			launcher += " --oversubscribe"
		}
		for _, args := range []string{"allgather ring", "allreduce"} {
			manualCase(t, m, dir, 4, "hashes", append([]string{exe}, strings.Fields(args)...))
			var d report.Collectives
			try := exec.Command(tabardBin, "collectives", filepath.Join(dir, "manual.tabard"), "--json", "--try", "3",
				"--mpicc", m.CC, "--mpirun", launcher)
			try.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
			out, err := try.Output()
			if err == nil {
				err = json.Unmarshal(out, &d)
			}
			if err != nil || len(d.Findings) != 1 {
				t.Fatalf("%s, %s: %v\n%s", m.Name, args, err, out)
			}
			svg, err := exec.Command(tabardBin, "collectives", filepath.Join(dir, "manual.tabard"), "--svg",
				"-").Output()
			if n := strings.Count(string(svg), "<polygon "); err != nil || n != 2*d.Findings[0].Messages {
				t.Errorf("%s, %s: %v, %d polygons for %d messages", m.Name, args, err, n, d.Findings[0].Messages)
			}
			x := d.Findings[0].Trial
			if x == nil || x.Rounds != 3 || x.Why != "" || x.Made.Median <= 0 || x.Library.Median <= 0 {
				t.Errorf("%s, %s: %+v", m.Name, args, x)
			}
		}
	}
}

func manualCase(
	t *testing.T,
	m *mpirun.MPI,
	dir string,
	ranks int,
	payload string,
	args []string,
) (d report.Collectives) {
	t.Helper()
	file := filepath.Join(dir, "manual.tabard")
	record := []string{tabardBin, "record", "--quiet", "--force", "--payload=" + payload, "--timing=off", "-o", file}
	r, err := (&mpirun.Job{MPI: m, Ranks: ranks, Dir: dir, Args: append(record, args...)}).Start()
	if err != nil || r.Code != 0 {
		t.Fatalf("%v: %v, exit code %d\n%s", args, err, r.Code, r.Stderr)
	}
	out, err := exec.Command(tabardBin, "collectives", "--json", file).Output()
	if err == nil {
		err = json.Unmarshal(out, &d)
	}
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return d
}

func checkManual(t *testing.T, name string, d report.Collectives, ranks int, operation, roots, grade string) {
	t.Helper()
	if operation == "" {
		for _, f := range d.Findings {
			if f.Grade == proven {
				t.Errorf("%s: %s is proven", name, f.Operation)
			}
		}
		return
	}
	if len(d.Findings) != 1 {
		t.Errorf("%s: %d findings: %+v", name, len(d.Findings), d.Findings)
		return
	}
	f := d.Findings[0]
	all := fmt.Sprintf("0-%d", ranks-1)
	if f.Operation != operation || f.Grade != grade || fmt.Sprint(f.Roots) != roots ||
		fmt.Sprint(f.Sets) != "["+all+"]" ||
		f.Instances != 3 || len(f.Sends) == 0 || !strings.Contains(f.Sends[0], "manual.c:") {
		t.Errorf("%s: %+v", name, f)
	}
}

// TestManualReplaced: the program with the library's collectives in the place of messages runs, and makes these calls.
func TestManualReplaced(t *testing.T) {
	t.Parallel()
	for _, m := range mpis {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			exe := collectiveProgram(t, m, dir, "manual")
			for _, c := range []struct{ args, call string }{
				{"broadcast tree", "MPI_Bcast"}, {"broadcast nonblocking", "MPI_Bcast"},
				{"broadcast persistent", "MPI_Bcast"},
				{"broadcast pipeline", "MPI_Bcast"}, {"broadcast put", "MPI_Bcast"}, {"turns ring", "MPI_Bcast"},
				{"allgather ring", "MPI_Allgather"}, {"scatter", "MPI_Scatter"}, {"gather", "MPI_Gather"},
				{"alltoall", "MPI_Alltoall"}, {"barrier", "MPI_Barrier"}, {"reduce sum", "MPI_Reduce"},
				{"allreduce", "MPI_Allreduce"}, {"scan", "MPI_Scan"},
			} {
				before := manualCase(t, m, dir, 4, "hashes", append([]string{exe}, strings.Fields(c.args)...))
				source, proxy := filepath.Join(dir, "proxy.c"), filepath.Join(dir, "proxy")
				out, err := exec.Command(tabardBin, "proxy", filepath.Join(dir, "manual.tabard"),
					"--with-collectives", "--force",
					"-o", source).CombinedOutput()
				if err == nil {
					err = m.Build(source, proxy, "-Wall", "-Wextra", "-Werror", "-O1")
				}
				if err != nil {
					t.Fatalf("%s: %v\n%s", c.args, err, out)
				}
				after := manualCase(t, m, dir, 4, "hashes", []string{proxy})
				made, want := callsOf(t, filepath.Join(dir, "manual.tabard"), c.call),
					4*int(before.Findings[0].Instances)
				if c.call == "MPI_Barrier" { // the program has one of its own after each
					want *= 2
				}
				if after.Messages != 0 || made != want {
					t.Errorf("%s: %d calls of %s and %d messages\n%s", c.args, made, c.call, after.Messages, out)
				}
			}
		})
	}
}

// callsOf is how often all ranks of a recording call a function.
func callsOf(t *testing.T, file, name string) (n int) {
	t.Helper()
	a, err := archive.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for s := range a.Streams() {
		for c, err := range s.Iter(0) {
			if err != nil {
				t.Fatal(err)
			}
			if c.Func.Name == name {
				n++
			}
		}
	}
	return n
}
