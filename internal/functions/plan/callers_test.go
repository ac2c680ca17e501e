package plan

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// callersSource has functions that lead to MPI directly, by others, by an address that they pass on, by a table, and by
// a library; and some that do not.
const callersSource = `
#define FAR __attribute__((noinline, noclone))
int MPI_Send(int), helper(int), back(int (*)(int));
static volatile int sink;
FAR int direct(int x) { return MPI_Send(x) + 1; }
FAR int outer(int x) { return direct(x) + 2; }
FAR int callback(int x) { sink = x; return MPI_Send(x) + 3; }
FAR int passes(void) { return back(callback) + 4; }
FAR int listed(int x) { sink = x; return direct(x) + 5; }
FAR int harmless(int x) { sink = x; return x + 6; }
int (*const table[])(int) = {listed, harmless};
FAR int chooses(int x) { return table[x & 1](x) + 7; }
FAR int helped(int x) { return helper(x) + 8; }
FAR int tail(int x) { sink = 1; return direct(x); }
FAR int quiet(int x) { sink = x; return harmless(x) + 9; }
int main(int n, char **v) { return outer(n) + passes() + chooses(n) + helped(n) + tail(n) + quiet(n); }
`

func TestMPICallers(t *testing.T) {
	dir := t.TempDir()
	build := func(source, output string, flags ...string) {
		t.Helper()
		name := filepath.Join(dir, output+".c")
		if err := os.WriteFile(name, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		args := append([]string{"-O1", "-w", "-o", filepath.Join(dir, output), name, "-L" + dir}, flags...)
		if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	build("int MPI_Init(void) { return 0; } int MPI_Send(int x) { return x; }", "libmpi.so", "-shared", "-fPIC")
	build("int MPI_Send(int); int helper(int x) { return MPI_Send(x) + 1; } int back(int (*f)(int)) { return f(1) + 1; }"+
		"int idle(int x) { return x; }", "libhelp.so", "-shared", "-fPIC", "-lmpi")
	for _, flags := range [][]string{{"-fpie", "-pie"}, {"-no-pie"}, {"-fno-plt"}, {"-O2"}} {
		build(callersSource, "program", append(flags, "-lhelp", "-lmpi")...)
		l, err := ParseList("mpi-callers")
		if err != nil {
			t.Fatal(err)
		}
		plans, problems := Program(filepath.Join(dir, "program"), append(os.Environ(), "LD_LIBRARY_PATH="+dir), l)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		got := map[string]bool{}
		for _, p := range plans {
			for _, f := range p.Functions {
				if f.Refused == "" {
					got[f.String()] = true
				}
			}
		}
		want := []string{"callback", "chooses", "direct", "helped", "helper", "listed", "main", "outer", "passes",
			"tail"}
		if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, want) {
			t.Errorf("%v: %v, want %v", flags, names, want)
		}
	}
}
