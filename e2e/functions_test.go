//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/functions"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
	"github.com/tabard-hpc/tabard/internal/testkit/planted"
)

// generated is a program of random functions that call each other in loops, by chance, recursively, and jump out of
// several at once. It writes every call with its depth to the file calls, by code of its own.
func generated(r *rand.Rand) string {
	const n = 12
	var b strings.Builder
	b.WriteString(`#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#define QUIET __attribute__((no_instrument_function))
static unsigned state = 1;
static int left = 60000;
static FILE *out;
static jmp_buf back[8];
static int jumps;
QUIET static inline unsigned draw(void) { state = state * 1664525u + 1013904223u; return state >> 16; }
QUIET static inline void call(const char *f, int depth) { fprintf(out, "%s %d\n", f, depth); }
`)
	for f := range n {
		fmt.Fprintf(&b, "int f%d(int depth, int n);\n", f)
	}
	for f := range n {
		fmt.Fprintf(&b, "int f%d(int depth, int n) {\n  volatile int s = n;\n  call(\"f%d\", depth);\n"+
			"  if (--left < 0 || depth > 40) return s;\n", f, f)
		for range 1 + r.IntN(4) {
			g := f + 1 + r.IntN(3)
			if g >= n {
				continue
			}
			switch r.IntN(8) {
			case 0:
				fmt.Fprintf(&b, "  for (int i = 0; i < %d; i++) s += f%d(depth + 1, i);\n", 1+r.IntN(30), g)
			case 1:
				fmt.Fprintf(
					&b,
					"  for (int i = 0; i < (int)(draw() %% 9); i++) { s += f%d(depth + 1, i); s += f%d(depth + 1, "+
						"2); }\n",
					g,
					min(g+1, n-1),
				)
			case 2:
				fmt.Fprintf(&b, "  if (draw() & 1) s += f%d(depth + 1, s); else s += f%d(depth + 1, 1);\n", g,
					min(g+1, n-1))
			case 3:
				fmt.Fprintf(&b, "  if (n > 0 && n < 6) { s += f%d(depth + 1, n - 1); s += f%d(depth + 1, n - 2); }\n",
					f, f)
			case 4:
				fmt.Fprintf(&b, "  if (jumps < 8 && !setjmp(back[jumps++])) { s += f%d(depth + 1, s); }\n  jumps--;\n",
					g)
			case 5:
				b.WriteString(
					"  if (jumps > 0 && draw() % 5 == 0) { int to = draw() % jumps; jumps = to + 1; " +
						"longjmp(back[to], 1); }\n",
				)
			case 6: // a place where the compiler may jump to the next function
				fmt.Fprintf(&b, "  if (draw() %% 3 == 0) return f%d(depth + 1, s);\n", g)
			default:
				fmt.Fprintf(&b, "  s += f%d(depth + 1, 3);\n", g)
			}
		}
		b.WriteString("  return s;\n}\n")
	}
	b.WriteString(`int main(void) {
  out = fopen("calls", "w");
  call("main", 0);
  for (int i = 0; i < 40; i++) f0(1, i % 4);
  fclose(out);
  return 0;
}
`)
	return b.String()
}

// What is recorded of functions is what the program itself says of its calls, one by one.
func TestFunctionsTruth(t *testing.T) {
	t.Parallel()
	for seed := range uint64(24) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			buildGenerated(t, dir, seed)
			mustRun(t, dir, tabardBin, "record", "--events=functions", "-o", "f.tabard", "./program")
			compareCalls(t, filepath.Join(dir, "f.tabard"), readCalls(t, filepath.Join(dir, "calls")))
		})
	}
}

// buildGenerated builds the generated program of a seed as program, so that it tells of its functions.
func buildGenerated(t *testing.T, dir string, seed uint64) {
	t.Helper()
	source, text := filepath.Join(dir, "program.c"), generated(rand.New(rand.NewPCG(seed, 7)))
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	flags := []string{"-w", []string{"-O0", "-O1", "-O2", "-O3"}[seed%4], "-finstrument-functions"}
	if seed%5 == 4 && seed%4 < 3 {
		// Frames are known by where they are only. At -O3, calls that are left by a jump may be taken for others then.
		flags = append(flags, "-fno-asynchronous-unwind-tables")
	}
	if strings.Contains(text, "longjmp(") {
		// What was put in line, or copied, and is left by a jump ends with the function that it is in: known limit.
		flags = append(flags, "-fno-inline", "-fno-ipa-cp", "-fno-ipa-sra", "-fno-partial-inlining")
	}
	mustRun(t, dir, "gcc", append(flags, "-o", "program", source)...)
}

// toldCall is a call as the program told it.
type toldCall struct {
	name  string
	depth int
}

func readCalls(t *testing.T, path string) []toldCall {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var calls []toldCall
	for s := bufio.NewScanner(f); s.Scan(); {
		var c toldCall
		if _, err := fmt.Sscan(s.Text(), &c.name, &c.depth); err != nil {
			break // the program was killed while it wrote
		}
		calls = append(calls, c)
	}
	return calls
}

// compareCalls compares what was recorded with what the program said, and the sums of `tabard functions` with both.
func compareCalls(t *testing.T, file string, want []toldCall) {
	t.Helper()
	a, err := archive.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var got []toldCall
	for s := range a.Streams() {
		err := functions.Each(a, s, func(depth int, name string, _ bool) bool {
			got = append(got, toldCall{name, depth})
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	counts := map[string]uint64{}
	for i, w := range want {
		counts[w.name]++
		if i >= len(got) || got[i] != w {
			t.Fatalf("call %d: recorded %v, the program made %v (%d and %d calls)", i, got[i:min(i+3, len(got))], w,
				len(got), len(want))
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d calls recorded, the program made %d", len(got), len(want))
	}
	checkCounts(t, a, counts)
}

// functionsOf is the functions in an archive.
func functionsOf(t *testing.T, a *archive.Archive) *functions.Result {
	t.Helper()
	r, err := (&selection.Selection{}).Resolve(a)
	if err != nil {
		t.Fatal(err)
	}
	all, err := functions.Of(a, r)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// checkCounts compares how often functions were called; want is used up.
func checkCounts(t *testing.T, a *archive.Archive, want map[string]uint64) {
	t.Helper()
	all := functionsOf(t, a)
	for _, f := range all.Functions {
		if f.Calls != want[f.Name] {
			t.Errorf("%s: %d calls counted, %d made", f.Name, f.Calls, want[f.Name])
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Errorf("not counted: %v", want)
	}
}

// A program that is killed leaves all calls that it has made.
func TestFunctionsKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	source := filepath.Join(dir, "program.c")
	text := strings.Replace(generated(rand.New(rand.NewPCG(3, 7))), "  if (--left < 0",
		"  if (left == 5000) { fflush(out); __builtin_trap(); }\n  if (--left < 0", -1)
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	mustRun(t, dir, "gcc", "-w", "-O1", "-finstrument-functions", "-o", "program", source)
	cmd := exec.Command(tabardBin, "record", "--events=functions", "-o", "f.tabard", "./program")
	cmd.Dir = dir
	if err := cmd.Run(); err == nil {
		t.Fatal("the program was to be killed")
	}
	waitFor(t, filepath.Join(dir, "f.tabard"))
	compareCalls(t, filepath.Join(dir, "f.tabard"), readCalls(t, filepath.Join(dir, "calls")))
}

// The first outlier is the rank, place and iteration of a fault that is planted; without one there is none. It takes no
// function calls, but for a fault that shows in nothing else.
func TestOutliersPlanted(t *testing.T) {
	t.Parallel()
	for _, m := range mpis {
		for _, tt := range []struct{ fault, events, want string }{
			{"none", "mpi", "no rank or thread did something"},
			{"none", "mpi,functions", "no rank or thread did something"},
			{"branch", "mpi", "rank 2: made MPI_Barrier at planted.c:44 [main], which the others did not, in " +
				"iteration 71 of 100"},
			{"branch", "mpi,functions", "rank 2: made function planted.c:13 [refine], MPI_Barrier at planted.c:44 " +
				"[main] " +
				"where the others made function planted.c:12 [smooth], in iteration 71 of 100"},
			{"root", "mpi", "rank 2: MPI_Bcast at planted.c:47 [main] was given root 1, not 0, in iteration 71 of 100"},
			{"order", "mpi", "rank 2: made MPI_Isend at planted.c:22 [exchange], MPI_Isend at planted.c:23 " +
				"[exchange] where " +
				"the others made MPI_Isend at planted.c:25 [exchange], MPI_Isend at planted.c:26 [exchange], in " +
				"iteration 71 of 100"},
			{"reduce", "mpi",
				"rank 2: MPI_Reduce at planted.c:50 [main] was given root 1, not 0, in iteration 71 of 100"},
			{"size", "mpi", "rank 2: MPI_Gather at planted.c:51 [main] was given sendtype"},
			{"trips", "mpi,functions", "rank 2: function planted.c:12 [smooth] was given times 3, not 4, in " +
				"iteration 71 of 100"},
		} {
			t.Run(m.Name+"/"+tt.fault+"/"+tt.events, func(t *testing.T) {
				dir := t.TempDir()
				program := filepath.Join(dir, "planted")
				if err := m.Build(filepath.Join(mpirun.Programs(), "planted.c"), program, "-g",
					"-finstrument-functions"); err != nil {
					t.Fatal(err)
				}
				j := &mpirun.Job{MPI: m, Ranks: 4, Dir: dir,
					Args: []string{tabardBin, "record", "-q", "--events=" + tt.events,
						"-o", "p.tabard", program, tt.fault}}
				r, err := j.Start()
				if err != nil || r.Code != 0 {
					t.Fatal(err, r)
				}
				out, err := tabard("outliers", filepath.Join(dir, "p.tabard"))
				if err != nil || !strings.Contains(string(out), tt.want) {
					t.Errorf("%v, want %q in\n%s", err, tt.want, out)
				}
			})
		}
	}
}

// The first outlier or difference is the fault of a search: what takes threads, a job that hangs, or two versions of a
// library. bench/findings has all of them.
func TestSearchPlanted(t *testing.T) {
	t.Parallel()
	some := map[string]bool{"deadlock": true, "race": true, "upgrade": true}
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		dir := t.TempDir()
		for i := range planted.Searches {
			f := &planted.Searches[i]
			if !some[f.Name] {
				continue
			}
			first, err := f.First(m, tabardBin, dir)
			if err != nil {
				t.Fatal(err)
			}
			if bad := f.Check(first); bad != "" {
				t.Errorf("%s: %s: %s", f.Name, bad, first)
			}
		}
	})
}

// That a record about the clock is due while functions wait to be written makes no difference between ranks.
func TestSearchSlow(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		slow := planted.Search{Name: "slow"}
		if first, err := slow.First(m, tabardBin, t.TempDir()); err != nil || first != "" {
			t.Error(first, err)
		}
	})
}

// No call of a signal handler is dropped, whatever it interrupts, and none of a thread.
func TestFunctionsSignals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustRun(t, dir, "gcc", "-O1", "-pthread", "-finstrument-functions", "-o", "program",
		filepath.Join(mpirun.Root(), "testdata", "functions", "signals.c"))
	a, hits := counting(t, dir)
	checkCounts(t, a, map[string]uint64{"leaf": 5_300_000, "inner": hits, "handler": hits / 2, "thread": 3, "main": 1})
}

// The first signal comes while it is found out where the program's first calls are from.
func TestFunctionsFirstSignal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustRun(t, dir, "gcc", "-O1", "-finstrument-functions", "-o", "program",
		filepath.Join(mpirun.Root(), "testdata", "functions", "firstsignal.c"))
	for i := range 16 {
		a, calls := counting(t, dir, fmt.Sprint(15+5*(i%4)))
		checkCounts(t, a, map[string]uint64{"leaf": calls, "inner": 2, "handler": 1, "main": 1})
	}
}

// counting records the program in dir, which prints how often a function was called.
func counting(t *testing.T, dir string, args ...string) (a *archive.Archive, calls uint64) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "f.tabard")
	cmd := exec.Command(tabardBin, append([]string{"record", "-q", "--events=functions", "-o", out, "./program"},
		args...)...)
	cmd.Dir = dir
	said, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if calls, err = strconv.ParseUint(strings.TrimSpace(string(said)), 10, 64); err != nil || calls == 0 {
		t.Fatalf("the program says %q", said)
	}
	if a, err = archive.Open(out); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a, calls
}

// Functions of a program that was built as any is: all calls, those that end by an exception, too, and MPI calls below
// them. The program says what it says without recording, also when the functions of all its libraries are recorded.
func TestFunctionsOfPrograms(t *testing.T) {
	t.Parallel()
	for _, m := range mpis {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			program := filepath.Join(dir, "steps")
			source := filepath.Join(mpirun.Root(), "testdata", "functions", "steps.cc")
			if err := m.Build(source, program, "-g", "-O2"); err != nil {
				t.Fatal(err)
			}
			run := func(args ...string) string {
				r, err := (&mpirun.Job{MPI: m, Ranks: 2, Dir: dir, Args: append(args, program)}).Start()
				if err != nil || r.Code != 0 {
					t.Fatal(err, r)
				}
				return r.Stdout
			}
			said := run()
			for _, which := range []string{"main", "all", "mpi-callers"} {
				file := which + ".tabard"
				if s := run(tabardBin, "record", "-q", "--functions="+which, "--function-times=all", "-o",
					file); s != said ||
					s == "" {
					t.Errorf("%s: the program says %q, and %q without recording", which, s, said)
				}
				calls, libraries := functionCalls(t, filepath.Join(dir, file))
				want := map[string]uint64{"main": 2, "step": 200, "exchange": 200, "compute": 600}
				if which == "mpi-callers" {
					delete(want, "compute")
				}
				if !maps.Equal(calls, want) {
					t.Errorf("%s: calls %v, want %v", which, calls, want)
				}
				stacks, err := tabard("export", "folded", "--value", "functions", filepath.Join(dir, file), "-o", "-")
				if err != nil || !strings.Contains(string(stacks), "exchange") {
					t.Errorf("%s: %v, stacks %.300s", which, err, stacks)
				}
				if (libraries > 1000) != (which == "all") {
					t.Errorf("%s: %d calls of functions of libraries", which, libraries)
				}
				for args, shown := range map[string]string{
					"loops --with-functions": `(?m)^ +exchange\(double, int, int\)   steps.cc:21\n +MPI_Sendrecv\(`,
					"timeline":               "functions of rank 0", "matrix --in exchange": "200 messages",
					"profile --in main/exchange": "200 calls of 2 ranks", "report --in exchange": "100 steps",
					"dump --in exchange --limit 9": "  MPI_Sendrecv\\(", "waits --in exchange": "waiting",
				} {
					out, err := tabard(append(strings.Fields(args), filepath.Join(dir, file))...)
					if err != nil || !regexp.MustCompile(shown).Match(out) {
						t.Errorf("%s: %s: %v, want %q in\n%s", which, args, err, shown, out)
					}
				}
			}
		})
	}
}

// functionCalls counts the calls of functions of the program, by names without arguments, and those of libraries.
func functionCalls(t *testing.T, file string) (program map[string]uint64, libraries uint64) {
	t.Helper()
	out, err := tabard("functions", file, "--json", "--limit", "0")
	if err != nil {
		t.Fatal(err, string(out))
	}
	var d report.Functions
	if err := json.Unmarshal(out, &d); err != nil || !d.Timed {
		t.Fatalf("%v, with times %v", err, d.Timed)
	}
	program = map[string]uint64{}
	for _, f := range d.Functions {
		name, _, _ := strings.Cut(f.Name, "(")
		switch {
		case filepath.Base(f.Image) != "steps":
			libraries += f.Calls
		case !strings.HasPrefix(name, "_GLOBAL_"): // of static objects
			program[name] = f.Calls
		}
	}
	return program, libraries
}

// What the runtime calls in libraries is not recorded, and what it calls for the program is.
func TestFunctionsOfLibraries(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustRun(t, dir, "gcc", "-O2", "-o", "program", filepath.Join(mpirun.Root(), "testdata", "functions", "files.c"))
	mustRun(t, dir, tabardBin, "record", "-q", "--events=io,functions", "--functions=all", "-o", "f.tabard",
		"./program")
	a, err := archive.Open(filepath.Join(dir, "f.tabard"))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	all := functionsOf(t, a)
	thousands, others := 0, uint64(0)
	for _, f := range all.Functions {
		if f.Calls == 1000 {
			thousands++
		} else {
			others += f.Calls
		}
	}
	if thousands != 3 || others == 0 || others > 500 {
		t.Errorf("%d functions with 1000 calls, %d other calls: %v", thousands, others, all.Functions)
	}
}

// Functions of libraries that are loaded while the program runs, and while another of its threads is at work.
func TestFunctionsLoaded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	source := filepath.Join(mpirun.Root(), "testdata", "functions")
	mustRun(t, dir, "gcc", "-O2", "-shared", "-fPIC", "-o", "plugin.so", filepath.Join(source, "plugin.c"))
	mustRun(t, dir, "gcc", "-O2", "-pthread", "-o", "program", filepath.Join(source, "loads.c"), "-ldl")
	for _, list := range []string{"all", "main,plugin.so"} {
		file := strings.ReplaceAll(list, ",", "-") + ".tabard"
		cmd := exec.Command(tabardBin, "record", "-q", "--events=functions", "--functions="+list, "-o", file,
			"./program")
		cmd.Dir = dir
		if out, err := cmd.Output(); err != nil || string(out) != "101000 1\n" {
			t.Fatalf("%s: %v: %q", list, err, out)
		}
		out, err := tabard("functions", filepath.Join(dir, file), "--json", "--limit", "0")
		if err != nil {
			t.Fatal(err, string(out))
		}
		var d report.Functions
		if err := json.Unmarshal(out, &d); err != nil {
			t.Fatal(err)
		}
		calls := map[string]uint64{}
		for _, f := range d.Functions {
			if f.Image == "plugin.so" {
				calls[f.Name] += f.Calls
			}
		}
		if calls["plugin_work"] != 20 || calls["leaf"] != 2000 {
			t.Errorf("%s: calls of the library: %v", list, calls)
		}
	}
}
