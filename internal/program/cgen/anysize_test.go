package cgen

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/program/cc"
	"github.com/tabard-hpc/tabard/internal/program/formula"
	"github.com/tabard-hpc/tabard/internal/program/infer"
)

// anyProgram is the program for any number of ranks of a recording.
func anyProgram(t *testing.T, desc string, o AnySize) (string, *Result, error) {
	t.Helper()
	a := archivetest.Archive(t, desc)
	c, err := a.Content()
	if err != nil {
		t.Fatal(err)
	}
	m, err := infer.Infer(c, infer.Options{Dims: o.Dims})
	if err != nil {
		return "", nil, err
	}
	var b bytes.Buffer
	r, err := GenerateAny(a, m, &b, o)
	return b.String(), r, err
}

func TestAnySizeGolden(t *testing.T) {
	text, r, err := anyProgram(t, stencil(6, 100), AnySize{Options: Options{File: "stencil.tabard", Name: "stencil.c"}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "stencil_any.c")
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != text {
		t.Errorf("%s is not what is generated now; see the difference with go test ./internal/program/cgen -update",
			path)
	}
	checkSyntax(t, "stencil", text)
	if r.Ranks != 0 || r.Lines != strings.Count(text, "\n") {
		t.Errorf("%+v", r)
	}
}

// Collective calls with arrays as long as there are ranks, lists of objects, and files.
func TestAnySizeCalls(t *testing.T) {
	var b strings.Builder
	const n = 5
	b.WriteString("abi mpich\nmpi MPICH\ntool tabard test\ncommand ./calls\n")
	for r := range n {
		list := func(f func(i int) int) string {
			var s []string
			for i := range n {
				s = append(s, strconv.Itoa(f(i)))
			}
			return "[" + strings.Join(s, ", ") + "]"
		}
		counts, places := list(func(int) int { return 4 }), list(func(i int) int { return 4 * i })
		fmt.Fprintf(&b, "rank %d of %d on node\n", r, n)
		fmt.Fprintf(&b, `MPI_Init(argc=0) @ a.c:1 [main]
MPI_Ialltoallv(sendbuf=heap#0, sendcounts=%[1]s, sdispls=%[2]s, sendtype=MPI_INT, recvbuf=heap#1, recvcounts=%[1]s, rdispls=%[2]s, recvtype=MPI_INT, comm=MPI_COMM_WORLD) @ a.c:2 [main] ; request=request#0
MPI_Wait(request=request#0) @ a.c:3 [main]
MPI_File_open(comm=MPI_COMM_WORLD, filename="/home/me/x.dat", amode=MPI_MODE_CREATE|MPI_MODE_WRONLY, info=MPI_INFO_NULL) @ a.c:4 [main] ; fh=file#0
MPI_File_write_at(fh=file#0, offset=%[3]d, buf=static#0+64, count=8, datatype=MPI_BYTE) @ a.c:5 [main]
MPI_File_close(fh=file#0) @ a.c:6 [main]
MPI_Finalize() @ a.c:7 [main]
`, counts, places, 8*r)
	}
	text, _, err := anyProgram(t, strings.ReplaceAll(b.String(), "static#0", "stack#0"), AnySize{})
	if err != nil {
		t.Fatal(err)
	}
	checkSyntax(t, "calls", text)
	for _, want := range []string{"sendcounts_n = size;", "keep(0, sendcounts, size * sizeof(int))",
		`scratch_file("x.dat")`, "8 * rank", "stack0 + 64"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// What no program for any size can do is an error that says what it is.
func TestAnySizeObstacles(t *testing.T) {
	desc := "abi mpich\nmpi MPICH\ntool tabard test\ncommand ./some\n"
	for r := range 4 {
		desc += fmt.Sprintf("rank %d of 4 on node\nMPI_Init(argc=0) @ a.c:1 [main]\n"+
			"MPI_Waitsome(incount=1, array_of_requests=[request#0]) @ a.c:2 [main] ; outcount=1 ; "+
			"array_of_indices=[0]\nMPI_Finalize() @ a.c:3 [main]\n", r)
	}
	_, _, err := anyProgram(t, desc, AnySize{})
	var o *infer.Obstacles
	if !errors.As(err, &o) || !strings.Contains(err.Error(), "MPI_Waitsome at a.c:2") {
		t.Errorf("error: %v", err)
	}
	desc = "abi mpich\nmpi MPICH\ntool tabard test\ncommand ./threads\n"
	for r := range 4 {
		desc += fmt.Sprintf("rank %d of 4 on node\nMPI_Init(argc=0) @ a.c:1 [main]\nMPI_Finalize() @ a.c:3 [main]\n"+
			"thread 1\nMPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:2 [main]\n", r)
	}
	if _, _, err := anyProgram(t, desc, AnySize{}); !errors.As(err, &o) {
		t.Errorf("threads: %v", err)
	}
}

// randomExpr is an expression of the rank, the size, a loop and a place in an array.
func randomExpr(rng *rand.Rand, depth int) *formula.Expr {
	leaf := []formula.Op{formula.Num, formula.Rank, formula.Size, formula.Index, formula.Elem}
	if depth == 0 {
		e := &formula.Expr{Op: leaf[rng.IntN(len(leaf))]}
		if e.Op == formula.Num {
			e.N = rng.Int64N(12) - 4
		}
		return e
	}
	ops := []formula.Op{formula.Add, formula.Add, formula.Sub, formula.Mul, formula.Mul, formula.Div, formula.Mod,
		formula.Min, formula.Max, formula.Eq, formula.Less, formula.And, formula.Or, formula.Not,
		formula.Bits, formula.LowBit, formula.HighBit, formula.If, formula.Pick}
	e := &formula.Expr{Op: ops[rng.IntN(len(ops))]}
	n := 2
	switch e.Op {
	case formula.Not, formula.Bits, formula.LowBit, formula.HighBit:
		n = 1
	case formula.If:
		n = 3
	case formula.Pick:
		n = 2 + rng.IntN(4)
	}
	for range n {
		e.Args = append(e.Args, randomExpr(rng, rng.IntN(depth)))
	}
	return e
}

// An element of an array of sums is the sum of what is before it.
func TestElementOfSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for range 300 {
		e := &formula.Expr{Op: formula.Add, Args: []*formula.Expr{randomExpr(rng, 2),
			{Op: formula.Sum, Args: []*formula.Expr{randomExpr(rng, 3)}}}}
		v := &formula.Env{Rank: rng.Int64N(9), Size: 9, Index: []int64{rng.Int64N(5)}, Elem: rng.Int64N(12)}
		want, n := e.Eval(v), v.Elem
		v.Elem = 99
		if got := e.Element(n).Eval(v); got != want {
			t.Errorf("element %d of %v is %d, not %d", n, e, got, want)
		}
	}
}

// The text of expressions has their values, and so have the forms that they are brought to.
func TestAnySizeExpressions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	g := bare(0)
	var prints strings.Builder
	var want []int64
	halves, runs := 0, 0
	for range 500 {
		e := randomExpr(rng, 4)
		v := &formula.Env{Rank: rng.Int64N(9), Size: 9, Index: []int64{rng.Int64N(4)}, Elem: rng.Int64N(5)}
		value := e.Eval(v)
		if got := e.Element(v.Elem).Eval(v); got != value {
			t.Fatalf("element %d of %v is %d, not %d", v.Elem, e, got, value)
		}
		if h := e.Halved(); h != nil {
			halves++
			if got := 2 * h.Eval(v); got != value {
				t.Fatalf("half of %v is %v: %d, not %d", e, h, got, value)
			}
		}
		if first, ok := e.Rising(); ok {
			runs++
			if got := first.Eval(v) + v.Elem; got != value {
				t.Fatalf("%v rises from %v: %d, not %d", e, first, got, value)
			}
		}
		if e.Natural() && value < 0 {
			t.Fatalf("%v is %d", e, value)
		}
		fmt.Fprintf(&prints, "    rank = %d, size = %d, i0 = %d, e = %d;\n", v.Rank, v.Size, v.Index[0], v.Elem)
		for _, s := range []*cc.Expr{g.expr(e), g.value(e, nil, "value"), g.expr(e.Plus(5))} {
			fmt.Fprintf(&prints, "    printf(\"%%ld\\n\", (long)(%s));\n", s)
		}
		want = append(want, value, value, value+5)
	}
	if halves < 5 || runs < 5 {
		t.Errorf("%d halves and %d runs only", halves, runs)
	}
	dir := t.TempDir()
	source, program := filepath.Join(dir, "x.c"), filepath.Join(dir, "x")
	text := "#include <stdio.h>\nstatic long rank, size;\n" + formula.Functions +
		g.values.String() +
		"int main(void)\n{\n    long i0, e;\n" + prints.String() + "    return 0;\n}\n"
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(compiler(t), "-std=c99", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Fields(string(out))
	if len(got) != len(want) {
		t.Fatalf("%d values, not %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != fmt.Sprint(want[i]) {
			t.Fatalf("value %d is %s, not %d", i, got[i], want[i])
		}
	}
}

// runsWith compiles a program for any number of ranks and starts it as so many: it has to end well,
// or with a message that it cannot run.
func runsWith(t *testing.T, text string, fits map[int]bool) {
	t.Helper()
	dir := t.TempDir()
	stubs := "int MPI_Comm_rank(MPI_Comm c, int *n) { (void)c; *n = 0; return 0; }\n" +
		"int MPI_Comm_size(MPI_Comm c, int *n) { (void)c; *n = 1; return 0; }\n"
	for name, text := range map[string]string{"mpi.h": fakeHeader(), "proxy.c": text + stubs} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "proxy")
	if out, err := exec.Command(compiler(t), "-std=c99", "-I", dir, "-o", program,
		filepath.Join(dir, "proxy.c")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for ranks, fits := range fits {
		cmd := exec.Command(program)
		cmd.Env = []string{"OMPI_COMM_WORLD_RANK=0", fmt.Sprintf("OMPI_COMM_WORLD_SIZE=%d", ranks)}
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		switch {
		case fits && (err != nil || len(out) > 0):
			t.Errorf("%d ranks: %v: %s", ranks, err, out)
		case !fits && (!errors.As(err, &exit) || exit.ExitCode() != 1 ||
			!strings.Contains(string(out), fmt.Sprintf("cannot run with %d ranks", ranks))):
			t.Errorf("%d ranks: %v: %s", ranks, err, out)
		}
	}
}

// A number of ranks that does not fill the process grid ends the program with a message, unless its
// sizes are given.
func TestAnySizeGrid(t *testing.T) {
	a := archivetest.Archive(t, stencil(4, 3))
	grid := &formula.Grid{Axes: 2, Fixed: []int64{4, 0}}
	body := []*infer.Node{{Count: &formula.Expr{Op: formula.Dim, Grid: grid, N: 1}, Index: -1}}
	m := &infer.Model{Sizes: []int{4}, Grids: []*formula.Grid{grid}, Threads: []infer.Thread{{Body: body}}}
	var b bytes.Buffer
	if _, err := GenerateAny(a, m, &b, AnySize{Dims: [][]int{{5, 2}}}); err != nil {
		t.Fatal(err)
	}
	checkSyntax(t, "grid", b.String())
	runsWith(t, b.String(), map[int]bool{4: true, 6: false, 8: true, 10: true, 15: false})
}

// A number of ranks at which the calls would not fit together ends the program with a message, which
// names those that do. Rules go on where no size was tried; without one nothing does.
func TestAnySizeAdmits(t *testing.T) {
	a := archivetest.Archive(t, stencil(4, 3))
	body := []*infer.Node{{Index: 0}}
	m := &infer.Model{Sizes: []int{4}, Threads: []infer.Thread{{Body: body}}}
	for _, c := range []struct {
		sizes []int
		words string
		fits  map[int]bool
	}{
		{[]int{1, 4, 9, 16}, "squares", map[int]bool{5: false, 9: true, 16: true, 20: false, 25: true, 30: false}},
		{[]int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}, "any number of ranks from 2 on",
			map[int]bool{1: false, 2: true, 20: true, 1000: true}},
		{[]int{4, 8, 12, 16, 20}, "multiples of 4 from 4 on", map[int]bool{4: true, 6: false, 24: true, 26: false}},
		{[]int{9, 11, 12}, "9, 11, 12 ranks; up to 20 were tried",
			map[int]bool{9: true, 10: false, 12: true, 33: false}},
	} {
		var b bytes.Buffer
		r, err := GenerateAny(a, m, &b, AnySize{Admitted: infer.Admitted{Tried: 20, Sizes: c.sizes}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Sizes != c.words || !strings.Contains(b.String(), c.words) {
			t.Errorf("%q instead of %q", r.Sizes, c.words)
		}
		checkSyntax(t, "admits", b.String())
		runsWith(t, b.String(), c.fits)
	}
}
