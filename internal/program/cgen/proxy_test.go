package cgen

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/program/cc"
	"github.com/tabard-hpc/tabard/spec"
)

var update = flag.Bool("update", false, "write what is generated to testdata")

func generate(t testing.TB, a *archive.Archive, o Options) (string, *Result) {
	t.Helper()
	var b strings.Builder
	r, err := Generate(a, &b, o)
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), r
}

// stencil is a program of n ranks on a line with steps iterations.
func stencil(n, steps int) string {
	var b strings.Builder
	b.WriteString("abi openmpi\nmpi Open MPI v4.1.4\ntool tabard test\ncommand ./stencil\n")
	neighbour := func(r int) string {
		if r < 0 || r >= n {
			return "MPI_PROC_NULL"
		}
		return strconv.Itoa(r)
	}
	for r := range n {
		fmt.Fprintf(&b, "rank %d of %d on node\n", r, n)
		fmt.Fprintf(&b, `MPI_Init(argc=1, argv=["./stencil"]) @ stencil.c:10 [main] ; argc=1 ; argv=["./stencil"]
MPI_Comm_dup(comm=MPI_COMM_WORLD) @ stencil.c:11 [main] ; newcomm=comm#0
MPI_Type_vector(count=16, blocklength=1, stride=18, oldtype=MPI_DOUBLE) @ stencil.c:12 [main] ; newtype=type#0
MPI_Type_commit(datatype=type#0) @ stencil.c:13 [main] ; datatype=type#0
tabard_segment(segment=0, kind=1, bytes=%d)
loop %d
  MPI_Irecv(buf=heap#0, count=1, datatype=type#0, source=%s, tag=1, comm=comm#0) @ stencil.c:20 [exchange] ; request=request#0
  MPI_Irecv(buf=heap#0+136, count=1, datatype=type#0, source=%s, tag=2, comm=comm#0) @ stencil.c:21 [exchange] ; request=request#1
  MPI_Send(buf=heap#0+8, count=1, datatype=type#0, dest=%s, tag=2, comm=comm#0) @ stencil.c:22 [exchange]
  MPI_Send(buf=heap#0+128, count=1, datatype=type#0, dest=%s, tag=1, comm=comm#0) @ stencil.c:23 [exchange]
  MPI_Waitall(count=2, array_of_requests=[request#0, request#1]) @ stencil.c:24 [exchange]
  MPI_Allreduce(sendbuf=stack#0+16, recvbuf=stack#0+24, count=1, datatype=MPI_DOUBLE, op=MPI_SUM, comm=comm#0) @ stencil.c:30 [main]
end
tabard_segment_end(segment=0)
MPI_Type_free(datatype=type#0) @ stencil.c:40 [main]
MPI_Finalize() @ stencil.c:41 [main]
`, 18*18*8, steps, neighbour(r-1), neighbour(r+1), neighbour(r-1), neighbour(r+1))
	}
	return b.String()
}

// irregular has values in columns, polls, requests in any order, arrays, and a file.
const irregular = `abi mpich
mpi MPICH
tool tabard test
command ./irregular
rank 0 of 2 on node
MPI_Init(argc=0) @ a.c:1 [main]
MPI_File_open(comm=MPI_COMM_SELF, filename="/home/me/results.dat", amode=MPI_MODE_CREATE|MPI_MODE_WRONLY, info=MPI_INFO_NULL) @ a.c:2 [main] ; fh=file#0
MPI_Irecv(buf=stack#0, count=1, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG, comm=MPI_COMM_WORLD) @ a.c:3 [work] ; request=request#0
MPI_Irecv(buf=stack#0+4, count=1, datatype=MPI_INT, source=1, tag=3, comm=MPI_COMM_WORLD) @ a.c:3 [work] ; request=request#2
MPI_Waitany(count=2, array_of_requests=[request#0, request#2]) @ a.c:4 [work] ; index=1 ; status=?{source=1 tag=3 bytes=4}
poll 4 MPI_Test(request=request#0) @ a.c:5 [work] ; flag=0
MPI_Test(request=request#0) @ a.c:5 [work] ; flag=1 ; status=?{source=1 tag=0 bytes=4}
MPI_Send(buf=heap#0, count=?3, datatype=MPI_INT, dest=1, tag=?7, comm=MPI_COMM_WORLD) @ a.c:6 [work]
MPI_Send(buf=heap#0, count=?5, datatype=MPI_INT, dest=1, tag=?7, comm=MPI_COMM_WORLD) @ a.c:6 [work]
MPI_Alltoallv(sendbuf=heap#0, sendcounts=[1, 2], sdispls=[0, 1], sendtype=MPI_INT, recvbuf=heap#1, recvcounts=[1, 1], rdispls=[0, 1], recvtype=MPI_INT, comm=MPI_COMM_WORLD) @ a.c:7 [work]
MPI_Bcast(buffer=NULL, count=0, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD) @ a.c:8 [work]
MPI_Op_create(user_fn=module#0+0x40, commute=1) @ a.c:9 [main] ; op=op#0
MPI_Op_free(op=op#0) @ a.c:9 [main]
MPI_Comm_size(comm=MPI_COMM_WORLD) @ a.c:90 [callback] ; size=2 nested
MPI_File_close(fh=file#0) @ a.c:10 [main]
MPI_Finalize() @ a.c:11 [main]
rank 1 of 2 on node
MPI_Init(argc=0) @ a.c:1 [main]
MPI_Comm_free(comm=comm#5) @ a.c:12 [main]
MPI_Finalize() @ a.c:11 [main]
`

func TestGolden(t *testing.T) {
	for name, desc := range map[string]string{"stencil": stencil(6, 100), "irregular": irregular} {
		text, _ := generate(t, archivetest.Archive(t, desc), Options{File: name + ".tabard", Name: name + ".c"})
		path := filepath.Join("testdata", name+".c")
		if *update {
			if err := os.MkdirAll("testdata", 0o777); err != nil {
				t.Fatal(err)
			}
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
		checkSyntax(t, name, text)
	}
}

func TestCompute(t *testing.T) {
	text, _ := generate(t, archivetest.Archive(t,
		"abi mpich\nrank 0 of 1 on n\nclock 0 0 0\nclock 1000000000 1000000000 1000000000\n0+10 MPI_Init()\n"+
			"5000000+10 MPI_Barrier(comm=MPI_COMM_WORLD)\n8000000+10 MPI_Finalize()\n"),
		Options{Compute: true, Scale: 0.5})
	if !strings.Contains(text, "compute(0.004);") || !strings.Contains(text, "#define COMPUTE 0.5") {
		t.Errorf("no computation in\n%s", text)
	}
	checkSyntax(t, "compute", text)
}

// A program that ignored its statuses ignores them again.
func TestIgnored(t *testing.T) {
	text, _ := generate(t, archivetest.Archive(t, `abi openmpi
rank 0 of 2 on n
MPI_Init()
loop 3
  MPI_Recv(buf=heap#0, count=4, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=8, comm=MPI_COMM_WORLD) @ a.c:4 [main] ; status=ignored{source=1 tag=8 bytes=16}
  MPI_Irecv(buf=heap#0, count=4, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=9, comm=MPI_COMM_WORLD) @ a.c:5 [main] ; request=request#0
  MPI_Waitall(count=1, array_of_requests=[request#0]) @ a.c:7 [main] ; array_of_statuses=ignored[{source=1 tag=9 bytes=16}]
end
MPI_Finalize()
rank 1 of 2 on n
MPI_Init()
loop 3
  MPI_Send(buf=heap#0, count=4, datatype=MPI_INT, dest=0, tag=8, comm=MPI_COMM_WORLD) @ a.c:8 [main]
  MPI_Send(buf=heap#0, count=4, datatype=MPI_INT, dest=0, tag=9, comm=MPI_COMM_WORLD) @ a.c:9 [main]
end
MPI_Finalize()
`), Options{})
	if !strings.Contains(text, "MPI_COMM_WORLD, MPI_STATUS_IGNORE)") ||
		!strings.Contains(text, ", MPI_STATUSES_IGNORE)") || strings.Contains(text, "MPI_Status ") {
		t.Errorf("statuses in\n%s", text)
	}
	checkSyntax(t, "ignored", text)
}

// Skipped calls are listed, also those that follow from them.
func TestSkipped(t *testing.T) {
	text, r := generate(t, archivetest.Archive(t, irregular), Options{})
	for _, want := range []string{"MPI_Comm_size", "MPI_Comm_free"} {
		found := false
		for _, s := range r.Skipped {
			found = found || s.Func == want && s.Reason != ""
		}
		if !found || !strings.Contains(text, " *   "+want+": ") {
			t.Errorf("%s is not in the list: %v", want, r.Skipped)
		}
	}
	if _, err := Generate(archivetest.Archive(t, "abi mpich\nrank -1 of 0 on n\nMPI_Initialized() ; flag=0\n"),
		&strings.Builder{}, Options{}); err != ErrEmpty {
		t.Errorf("a recording without ranks: %v", err)
	}
}

// The size of the program depends neither on the number of steps nor, for a regular program, on
// that of ranks.
func TestSizeIsConstant(t *testing.T) {
	lines := func(n, steps int) int {
		_, r := generate(t, archivetest.Archive(t, stencil(n, steps)), Options{})
		return r.Lines
	}
	if a, b := lines(6, 10), lines(6, 2000); a != b {
		t.Errorf("%d lines for 10 steps, %d for 2000", a, b)
	}
	if a, b := lines(6, 10), lines(64, 10); a != b {
		t.Errorf("%d lines for 6 ranks, %d for 64", a, b)
	}
}

// bare is a generator without a recording.
func bare(size int) *generator {
	g := newGenerator(nil, Options{})
	g.size, g.abi, g.all = size, spec.MPICH, rankfunc.Range(0, size)
	return g
}

// TestExpressions compiles expressions for random functions of the rank, sets and columns, and
// compares what they give.
func TestExpressions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const size = 48
	g := bare(size)
	var body strings.Builder
	var want []int64
	all := rankfunc.Range(0, size)
	print := func(expr *cc.Expr, value func(rank int) int64) {
		fmt.Fprintf(&body, "    for (rank = 0; rank < size; rank++) printf(\"%%ld\\n\", (long)(%s));\n", expr)
		g.words.Add(cc.Do(expr))
		for r := range size {
			want = append(want, value(r))
		}
	}
	for range 300 {
		fn := rankfunc.Fit(&rankfunc.Context{Size: size}, all, randomValues(rng, size))
		print(g.function(fn, all, nil, "value"), func(r int) int64 { return fn.At(r) })
	}
	for range 100 {
		var members []int
		d, p := 1+rng.IntN(9), 1+rng.IntN(5)
		for r := range size {
			if r%d < p && (r/12)%2 == 0 || rng.IntN(40) == 0 {
				members = append(members, r)
			}
		}
		if len(members) == 0 {
			continue
		}
		set := rankfunc.NewSet(members)
		print(cc.Choice(g.condition(set, all), cc.Int(1), cc.Int(0)), func(r int) int64 {
			if set.Contains(r) {
				return 1
			}
			return 0
		})
		print(cc.Choice(g.condition(set, all), g.place(set), cc.Int(-1)), func(r int) int64 {
			if i, ok := set.Index(r); ok {
				return int64(i)
			}
			return -1
		})
	}
	for i := range 60 {
		vals := randomColumn(rng)
		name := fmt.Sprintf("col%d", i)
		fmt.Fprintf(&g.variables, "static struct column %s;\n", name)
		g.need("next")
		fmt.Fprintf(&body, "    %s.code = %s;\n    for (int i = 0; i < %d; i++) printf(\"%%ld\\n\", next(&%s));\n",
			name, g.constants("col", compact(vals)), len(vals), name)
		want = append(want, vals...)
	}
	got := runC(t, g, body.String())
	if len(got) != len(want) {
		t.Fatalf("%d numbers instead of %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("number %d is %d, want %d", i, got[i], want[i])
		}
	}
}

// randomValues follow a rule at most ranks.
func randomValues(rng *rand.Rand, n int) []int64 {
	a, b, c := int64(rng.IntN(9)-4), int64(1+rng.IntN(7)), int64(rng.IntN(60)-10)
	kind, mixed := rng.IntN(12), rng.IntN(3)
	dims := [][3]int64{{4, 3, 4}, {2, 4, 6}, {6, 8, 1}, {3, 16, 1}}[rng.IntN(4)]
	out := make([]int64, n)
	for r := range out {
		x := int64(r)
		switch kind {
		case 0:
			out[r] = x + a
		case 1:
			out[r] = ((x+a)%int64(n) + int64(n)) % int64(n)
		case 2:
			out[r] = x ^ b
		case 3:
			out[r] = a*x + c
		case 4:
			out[r] = x / b
		case 5:
			out[r] = a*(x/b) + b*(x%b) + c
		case 6:
			out[r] = max(x+a, c)
		case 7, 8: // a neighbour in a grid, maybe periodic
			i, j, k := x/(dims[1]*dims[2]), x/dims[2]%dims[1], x%dims[2]
			if j++; j == dims[1] {
				j = 0
				if kind == 8 {
					out[r] = -1
					continue
				}
			}
			out[r] = (i*dims[1]+j)*dims[2] + k
		case 9:
			out[r] = (x - 1) / 2
		case 10:
			out[r] = 2*x + 1
			if out[r] >= int64(n) {
				out[r] = -1
			}
		default:
			out[r] = rng.Int64N(1 << 40)
		}
		if mixed == 1 && r%7 == 3 {
			out[r] = c
		}
		if mixed == 2 && rng.IntN(9) == 0 {
			out[r] = rng.Int64N(100) - 50
		}
	}
	return out
}

func randomColumn(rng *rand.Rand) []int64 {
	var out []int64
	for range 1 + rng.IntN(4) {
		first, step, n := rng.Int64N(100)-50, rng.Int64N(5)-2, 1+rng.IntN(8)
		for i := range n {
			out = append(out, first+int64(i)*step)
		}
	}
	if rng.IntN(3) == 0 {
		out = append(append(append([]int64{}, out...), out...), out...)
	}
	return out
}

// runC compiles statements with the functions that they call, and reads the numbers that they
// print.
func runC(t *testing.T, g *generator, body string) []int64 {
	t.Helper()
	values := g.values.usedBy(g.words)
	maps.Copy(g.used, g.words)
	text := fmt.Sprintf("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"+
		"static long rank, size = %d;\n%s%s%s%s\nint main(void)\n{\n%s    return 0;\n}\n",
		g.size, helpers(g.used), g.tables.String(), g.variables.String(), values, body)
	dir := t.TempDir()
	source, program := filepath.Join(dir, "x.c"), filepath.Join(dir, "x")
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(compiler(t), "-std=c99", "-Wall", "-Wextra", "-o", program,
		source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, s := range strings.Fields(string(out)) {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, n)
	}
	return got
}

// Damaged archives give errors, or programs; nothing else.
func TestDamaged(t *testing.T) {
	d, err := archivetest.NewDamager(7, archivetest.Bytes(t, stencil(5, 20)), archivetest.Bytes(t, irregular),
		archivetest.Bytes(t, calls(2, func(int) string { return distant })))
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	for range 3000 {
		b, what := d.Next()
		a, err := archive.OpenReader(bytes.NewReader(b), int64(len(b)), archive.MaxSection(1<<22),
			archive.MaxWork(1<<20))
		if err != nil {
			continue
		}
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("%s: panic: %v\n%s", what, p, debug.Stack())
				}
			}()
			if _, err := Generate(a, io.Discard, Options{Compute: made%2 == 0, Scale: 1}); err == nil {
				made++
			}
		}()
	}
	if made == 0 {
		t.Error("no program was made")
	}
}
