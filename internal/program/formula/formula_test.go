package formula

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/program/cc"
)

var (
	rank = New(Rank)
	size = New(Size)
	elem = New(Elem)
	i0   = &Expr{Op: Index, N: 0}
	i1   = &Expr{Op: Index, N: 1}
)

func n(v int64) *Expr { return Constant(v) }

// grids of the tests: rows and columns that are as equal as possible, the same with more columns
// than rows, and rows of three ranks.
var (
	square = &Grid{ID: 0, Axes: 2}
	wide   = &Grid{ID: 1, Axes: 2, Ascending: true}
	threes = &Grid{ID: 2, Axes: 2, Fixed: []int64{0, 3}}
	grids  = []*Grid{square, wide, threes}
)

// env is where the tests evaluate: a job of a size, in iterations 2 and 5 of two loops.
func env(t testing.TB, ranks int64) *Env {
	t.Helper()
	v := &Env{Size: ranks, Index: []int64{2, 5}}
	for _, g := range grids {
		d, err := g.Dims(ranks)
		if err != nil {
			t.Fatal(err)
		}
		v.Dims = append(v.Dims, d)
	}
	return v
}

func (g *Grid) dim(axis int64) *Expr   { return &Expr{Op: Dim, Grid: g, N: axis} }
func (g *Grid) coord(axis int64) *Expr { return &Expr{Op: Coord, Grid: g, N: axis} }

// cross are the four neighbours on a grid, in the order left, right, up, down.
var cross = [][]int{{0, -1}, {0, 1}, {-1, 0}, {1, 0}}

// What expressions look like, and their values at the ranks 0 to 11 of a job of 12, which are 4 x 3
// on the first grid.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		e    *Expr
		text string
		want []int64
	}{
		{n(-7), "-7", []int64{-7}},
		{rank, "r", []int64{0, 1, 2, 3}},
		{New(Sub, size, n(1)), "(P - 1)", []int64{11}},
		{New(Add, i0, New(Mul, n(2), i1)), "(i0 + (2 * i1))", []int64{12}},
		{New(Mod, New(Add, rank, n(-1)), size), "((r - 1) mod P)", []int64{11, 0, 1, 2}},
		{New(Div, New(Sub, rank, n(3)), n(2)), "((r - 3) div 2)", []int64{-2, -1, -1, 0}},
		{New(Mod, rank, n(0)), "(r mod 0)", []int64{0, 0}},
		{New(Div, rank, n(-1)), "(r div -1)", []int64{0, 0}},
		{New(Xor, rank, n(1)), "(r xor 1)", []int64{1, 0, 3, 2}},
		{New(Min, rank, n(2)), "min(r, 2)", []int64{0, 1, 2, 2}},
		{New(Max, rank, n(2)), "max(r, 2)", []int64{2, 2, 2, 3}},
		{New(Shl, rank), "2^(r)", []int64{1, 2, 4, 8}},
		{New(Shl, n(-1)), "2^(-1)", []int64{0}},
		{New(Shl, n(63)), "2^(63)", []int64{0}},
		{New(Bits, rank), "bits(r)", []int64{0, 1, 2, 2, 3, 3, 3, 3, 4}},
		{New(LowBit, rank), "lowest bit of(r)", []int64{0, 1, 2, 1, 4, 1, 2, 1, 8}},
		{New(HighBit, rank), "highest bit of(r)", []int64{0, 1, 2, 2, 4, 4, 4, 4, 8}},
		{New(Eq, rank, n(2)), "(r = 2)", []int64{0, 0, 1, 0}},
		{New(Less, rank, n(2)), "(r < 2)", []int64{1, 1, 0, 0}},
		{New(Not, New(Less, rank, n(2))), "not((r < 2))", []int64{0, 0, 1, 1}},
		{New(And, rank, New(Less, rank, n(2))), "(r and (r < 2))", []int64{0, 1, 0}},
		{New(Or, New(Eq, rank, n(0)), New(Eq, rank, n(2))), "((r = 0) or (r = 2))", []int64{1, 0, 1, 0}},
		{New(If, rank, New(Sub, rank, n(1)), n(-2)), "((r - 1) if r else -2)", []int64{-2, 0, 1, 2}},
		// The last choice stands for all that follow, the first one for those before.
		{New(Pick, New(Sub, rank, n(1)), n(10), n(20), n(30)), "[10, 20, 30][(r - 1)]", []int64{10, 10, 20, 30, 30}},
		{square.dim(0), "d0", []int64{4}},
		{wide.dim(0), "d0", []int64{3}},
		{threes.dim(0), "d0", []int64{4}},
		{square.coord(0), "c0", []int64{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}},
		{square.coord(1), "c1", []int64{0, 1, 2, 0, 1, 2}},
		{&Expr{Op: Shift, Grid: square, Moves: [][]int{{-1, 0}}}, "shift[-1 0]", []int64{-1, -1, -1, 0, 1, 2, 3}},
		{&Expr{Op: Shift, Grid: square, Moves: [][]int{{-1, 1}}, Periodic: []bool{true, true}},
			"shift[-1 1]wrap[true true]", []int64{10, 11, 9, 1, 2, 0}},
		{&Expr{Op: NearCount, Grid: square, Moves: cross}, "neighbours[[0 -1] [0 1] [-1 0] [1 0]]",
			[]int64{2, 3, 2, 3, 4, 3, 3, 4, 3, 2, 3, 2}},
		{&Expr{Op: NearRank, Grid: square, Moves: cross, Args: []*Expr{n(1)}},
			"neighbour[[0 -1] [0 1] [-1 0] [1 0]][1]", []int64{3, 2, 5, 0, 5, 2, 3, 8, 5, 6, 11, 8}},
		{&Expr{Op: NearMove, Grid: square, Moves: cross, Args: []*Expr{n(2)}},
			"direction[[0 -1] [0 1] [-1 0] [1 0]][2]", []int64{-1, 3, -1, 3, 2, 3}},
		// The loop ends where r + 2^i leaves the job, or after 10 iterations.
		{&Expr{Op: While, N: 0, Args: []*Expr{New(Less, New(Add, rank, New(Shl, i0)), size), n(10)}},
			"(how many i0 < 10 while ((r + 2^(i0)) < P))", []int64{4, 4, 4, 4, 3, 3, 3, 3, 2, 2, 1, 0}},
		{&Expr{Op: Sum, Args: []*Expr{New(Add, rank, elem)}}, "(sum of (r + e) for all before e)", []int64{3, 6, 9}},
	} {
		v := env(t, 12)
		if got := c.e.String(); got != c.text {
			t.Errorf("%s is written %s", c.text, got)
		}
		for r, want := range c.want {
			v.Rank, v.Elem = int64(r), 3
			if got := c.e.Eval(v); got != want {
				t.Errorf("%s at rank %d: %d, not %d", c.text, r, got, want)
			}
		}
	}
}

// Sums and products with constants become simpler when they are made.
func TestSimplified(t *testing.T) {
	for _, c := range []struct {
		e    *Expr
		text string
	}{
		{New(Add, n(2), n(3)), "5"},
		{New(Add, rank, n(0)), "r"},
		{New(Add, n(0), rank), "r"},
		{New(Add, n(4), rank), "(r + 4)"},
		{New(Add, rank, n(-4)), "(r - 4)"},
		{New(Sub, rank, n(0)), "r"},
		{New(Sub, n(2), n(3)), "-1"},
		{New(Mul, n(2), n(3)), "6"},
		{New(Mul, n(1), rank), "r"},
		{New(Mul, rank, n(1)), "r"},
		{New(Mul, rank, n(0)), "0"},
		{New(Mod, n(7), n(4)), "(7 mod 4)"},
		{nil, "1"},
	} {
		if got := c.e.String(); got != c.text {
			t.Errorf("%s is made %s", c.text, got)
		}
	}
}

// What an expression depends on decides for which jobs, ranks and iterations it has to be
// evaluated.
func TestUses(t *testing.T) {
	counted := &Expr{Op: While, N: 0, Args: []*Expr{New(Less, i0, i1), rank}}
	for _, c := range []struct {
		e                        *Expr
		rank, size, first, other bool
	}{
		{nil, false, false, false, false},
		{n(3), false, false, false, false},
		{New(Mul, rank, i0), true, false, true, false},
		{size, false, true, false, false},
		{square.dim(1), false, true, false, false},
		{square.coord(1), true, true, false, false},
		{&Expr{Op: NearRank, Grid: square, Moves: cross, Args: []*Expr{i1}}, true, true, false, true},
		{counted, true, false, false, true}, // i0 is its own
	} {
		got := [4]bool{c.e.UsesRank(), c.e.UsesSize(), c.e.UsesIndex(0), c.e.UsesIndex(1)}
		if want := [4]bool{c.rank, c.size, c.first, c.other}; got != want {
			t.Errorf("%v: rank, size, i0, i1: %v, not %v", c.e, got, want)
		}
	}
	if !New(Add, rank, size).Equal(New(Add, rank, size)) || New(Add, rank, size).Equal(New(Add, size, rank)) {
		t.Error("expressions are equal if they are written alike")
	}
	if !New(Not, rank).IsCondition() || rank.IsCondition() {
		t.Error("not(r) is a condition, and r is none")
	}
}

// Fill gives all elements of an array at once, sums too.
func TestFill(t *testing.T) {
	v := env(t, 12)
	v.Rank = 3
	for _, e := range []*Expr{New(Mul, elem, rank), {Op: Sum, Args: []*Expr{New(Add, elem, n(2))}}} {
		got := make([]int64, 6)
		e.Fill(v, got)
		for i := range got {
			v.Elem = int64(i)
			if want := e.Eval(v); got[i] != want {
				t.Errorf("%v: element %d is %d, not %d", e, i, got[i], want)
			}
		}
	}
}

// The sizes of grids follow from the number of ranks.
func TestGrids(t *testing.T) {
	for _, c := range []struct {
		g     Grid
		ranks int64
		text  string
		dims  string
	}{
		{Grid{Axes: 2}, 12, "2 balanced sizes", "[4 3]"},
		{Grid{Axes: 2}, 7, "2 balanced sizes", "[7 1]"},
		{Grid{Axes: 3}, 64, "3 balanced sizes", "[4 4 4]"},
		{Grid{Axes: 3}, 1, "3 balanced sizes", "[1 1 1]"},
		{Grid{Axes: 3, Ascending: true}, 36, "3 balanced sizes, ascending", "[3 3 4]"},
		{Grid{Axes: 2, Fixed: []int64{4, 0}}, 20, "4 x P/4", "[4 5]"},
		{Grid{Axes: 2, Fixed: []int64{4, 0}}, 21, "4 x P/4", "21 ranks do not fill a grid of 4 x P/4"},
		{Grid{Axes: 3, Fixed: []int64{0, 0, 2}}, 24, "(2 balanced sizes of P/2) x 2", "[4 3 2]"},
		{Grid{Axes: 3, Fixed: []int64{2, 0, 0}, Ascending: true}, 24, "2 x (2 balanced sizes of P/2)", "[2 3 4]"},
		{Grid{Axes: 3, Fixed: []int64{0, 0, 2}}, 25, "(2 balanced sizes of P/2) x 2",
			"25 ranks do not fill a grid of (2 balanced sizes of P/2) x 2"},
		{Grid{Axes: 2, Fixed: []int64{4, 5}}, 20, "4 x 5", "[4 5]"},
		{Grid{Axes: 2, Fixed: []int64{4, 5}}, 40, "4 x 5", "40 ranks do not fill a grid of 4 x 5"},
	} {
		d, err := c.g.Dims(c.ranks)
		got := fmt.Sprint(d)
		if err != nil {
			got = err.Error()
		}
		if got != c.dims || c.g.String() != c.text {
			t.Errorf("%v with %d ranks: %s, not %s with %s", &c.g, c.ranks, c.text, c.dims, got)
		}
	}
	v := &Env{Rank: 13, Size: 12, Dims: [][]int64{{4, 3}, nil}}
	if got := square.coord(0).Eval(v); got != -1 {
		t.Errorf("a rank that the grid does not have is at %d", got)
	}
	if got := wide.coord(0).Eval(v); got != 0 {
		t.Errorf("a grid without sizes has a place %d", got)
	}
}

// random is an expression of some depth.
func random(rng *rand.Rand, depth int, inSum bool) *Expr {
	leaves := []*Expr{n(rng.Int64N(9) - 2), rank, size, i0, i1, elem, square.dim(rng.Int64N(2)),
		threes.coord(rng.Int64N(2)), {Op: Cell, Grid: wide}, {Op: NearCount, Grid: square, Moves: cross},
		{Op: Shift, Grid: wide, Moves: [][]int{{1 - rng.IntN(3), 1}},
			Periodic: []bool{rng.IntN(2) == 0, rng.IntN(2) == 0}}}
	if depth == 0 {
		return leaves[rng.IntN(len(leaves))]
	}
	sub := func() *Expr { return random(rng, depth-1, inSum) }
	switch o := Add + Op(rng.IntN(int(numOps-Add))); o {
	case Shl, Bits, LowBit, HighBit, Not:
		return New(o, New(Mod, sub(), n(40)))
	case If:
		return New(o, sub(), sub(), sub())
	case Pick:
		return New(o, sub(), sub(), sub(), sub())
	case Dim, Coord, Cell, Shift, NearCount:
		return leaves[rng.IntN(len(leaves))]
	case NearRank, NearMove:
		return &Expr{Op: o, Grid: square, Moves: cross, Args: []*Expr{sub()}}
	case While:
		return &Expr{Op: o, N: 1, Args: []*Expr{New(Less, i1, New(Mod, sub(), n(7))), n(5)}}
	case Sum:
		if inSum {
			return elem
		}
		return &Expr{Op: o, Args: []*Expr{New(Mod, random(rng, depth-1, true), n(100))}}
	case Mul:
		return New(o, New(Mod, sub(), n(1000)), New(Mod, sub(), n(1000)))
	default:
		return New(o, New(Mod, sub(), n(1<<30)), New(Mod, sub(), n(1<<30)))
	}
}

// printer gives functions numbers, and collects them.
func printer() (*Printer, *strings.Builder) {
	var functions strings.Builder
	known := map[string]string{}
	p := &Printer{Least: 1}
	p.Function = func(hint string, params []*cc.Expr, body []*cc.Stmt) string {
		text := "("
		for i, x := range params {
			text += strings.Repeat(", ", min(i, 1)) + "long " + x.Text
		}
		text += ")\n{\n" + cc.Flat(body) + "}\n"
		if known[text] == "" {
			known[text] = fmt.Sprintf("%s%d", hint, len(known))
			functions.WriteString("static long " + known[text] + text)
		}
		return known[text]
	}
	return p, &functions
}

// run compiles statements for ranks and elements, and gives the lines that they print.
func run(t *testing.T, functions, body string) []string {
	t.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Fatal("no C compiler: ", err)
	}
	exe := filepath.Join(t.TempDir(), "e")
	source := "#include <stdio.h>\nstatic long rank, size = 12;\n" + Functions + Grids(grids) + functions +
		"int main(void)\n{\n    long i0 = 2, i1 = 5, e;\n    if (!set_grids()) return 1;\n" + body +
		"    return 0;\n}\n"
	if err := os.WriteFile(exe+".c", []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(compiler, "-std=c99", "-O0", "-w", "-o", exe, exe+".c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, source)
	}
	out, err := exec.Command(exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

// Any expression has in C the value that Eval gives.
func TestCRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	p, functions := printer()
	var list []*Expr
	var body strings.Builder
	body.WriteString("    for (rank = 0; rank < size; rank++) {\n        e = rank % 4;\n")
	for range 300 {
		e := random(rng, 3, false)
		list = append(list, e)
		fmt.Fprintf(&body, "        printf(\"%%ld\\n\", (long)(%s));\n", p.Expr(e))
	}
	got := run(t, functions.String(), body.String()+"    }\n")
	v := env(t, 12)
	for i := range max(len(got), 12*len(list)) {
		v.Rank = int64(i / len(list))
		v.Elem = v.Rank % 4
		e := list[i%len(list)]
		if i >= len(got) || got[i] != fmt.Sprint(e.Eval(v)) {
			t.Fatalf("rank %d: %v is %s in C, not %d", v.Rank, e, got[i], e.Eval(v))
		}
	}
}

// What those who print arrays ask of the expression for their elements.
func TestElements(t *testing.T) {
	both := New(Mul, n(2), elem)
	for _, c := range []struct {
		e                   *Expr
		third, half, rising string // element 3; half of all; the first of elements that rise by one
	}{
		{elem, "3", "", "0"},
		{New(Add, elem, rank), "(3 + r)", "", "r"},
		{New(Add, elem, n(5)), "8", "", "5"},
		{both, "6", "e", ""},
		{New(Mul, n(4), elem), "12", "(2 * e)", ""},
		{New(Add, both, n(6)), "12", "(e + 3)", ""},
		{New(Add, both, n(5)), "11", "", ""},
		{New(If, rank, both, n(4)), "(6 if r else 4)", "(e if r else 2)", ""},
		{New(Pick, elem, rank, n(2), n(4)), "4", "", ""},
		{New(Pick, rank, elem, n(2)), "[3, 2][r]", "", ""},
		{&Expr{Op: Sum, Args: []*Expr{New(Add, elem, rank)}}, "(((0 + (0 + r)) + (1 + r)) + (2 + r))", "", ""},
		{&Expr{Op: Sum, Args: []*Expr{New(Mul, elem, n(10))}}, "30", "", ""},
	} {
		text := func(e *Expr) string {
			if e == nil {
				return ""
			}
			return e.String()
		}
		first, _ := c.e.Rising()
		got := [3]string{text(c.e.Element(3)), text(c.e.Halved()), text(first)}
		if want := [3]string{c.third, c.half, c.rising}; got != want {
			t.Errorf("%v: %q, not %q", c.e, got, want)
		}
		v := env(t, 12)
		v.Rank, v.Elem = 1, 3
		if got, want := c.e.Element(3).Eval(v), c.e.Eval(v); got != want {
			t.Errorf("%v: element 3 is %d, not %d", c.e, got, want)
		}
	}
	if v, ok := New(Mod, n(7), n(4)).Known(); v != 3 || !ok {
		t.Errorf("7 mod 4 is %d, %v", v, ok)
	}
	if _, ok := New(Add, n(1), rank).Known(); ok || !New(Add, rank, size).Everywhere() ||
		New(Add, rank, i0).Everywhere() {
		t.Error("what depends on the rank is not known, and is the same in all iterations")
	}
	if !New(Add, rank, New(Mod, n(-3), size)).Natural() || New(Sub, rank, n(1)).Natural() {
		t.Error("a sum of ranks is not negative, a difference may be")
	}
}
