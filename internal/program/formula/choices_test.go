package formula

import (
	"testing"

	"github.com/tabard-hpc/tabard/internal/program/cc"
)

// Choices are what conditions choose from, however they nest; what they choose by is none of them.
func TestChoices(t *testing.T) {
	for _, c := range []struct {
		e    *Expr
		want string
	}{
		{rank, "[r]"},
		{New(If, New(Eq, rank, n(0)), n(2), n(4)), "[2, 4]"},
		{New(Pick, i0, n(2), New(If, rank, n(6), size), n(4)), "[2, 6, P, 4]"},
		{New(Add, New(If, rank, n(1), n(2)), n(3)), "[((1 if r else 2) + 3)]"},
	} {
		if got := List(c.e.Choices(nil)); got != c.want {
			t.Errorf("%v: %s, not %s", c.e, got, c.want)
		}
	}
}

// An expression is natural if that follows from its parts: a difference never does, even if it is.
func TestNatural(t *testing.T) {
	for _, c := range []struct {
		e    *Expr
		want bool
	}{
		{n(0), true}, {n(-1), false}, {rank, true}, {i0, true}, {elem, true},
		{New(Sub, size, rank), false}, {New(Add, rank, n(-1)), false}, {New(Mul, n(2), i0), true},
		{New(Mul, n(-2), i0), false},
		{New(Mod, New(Sub, rank, n(5)), size), true}, // modulo rounds down
		{New(If, New(Sub, rank, n(5)), rank, size), true}, {New(If, rank, n(1), n(-2)), false},
		{New(Pick, n(-1), rank, n(3)), true}, {New(Pick, rank, n(3), n(-1)), false},
	} {
		if got := c.e.Natural(); got != c.want {
			t.Errorf("%v: %v", c.e, got)
		}
	}
}

// n is added to the number that is there already.
func TestPlus(t *testing.T) {
	for _, c := range []struct {
		e    *Expr
		n    int64
		want string
	}{
		{n(3), 4, "7"}, {rank, 0, "r"}, {rank, 4, "(r + 4)"}, {New(Add, rank, n(3)), 4, "(r + 7)"},
		{New(Add, rank, n(3)), -3, "r"},
		{New(Add, n(3), rank), 4, "(r + 7)"}, {New(Mul, rank, n(3)), 4, "((r * 3) + 4)"},
	} {
		if got := c.e.Plus(c.n).String(); got != c.want {
			t.Errorf("%v plus %d: %s, not %s", c.e, c.n, got, c.want)
		}
	}
}

// What expressions are in C: what C has itself is written with its operators, what rounds otherwise
// there, or needs a loop, calls functions.
func TestCText(t *testing.T) {
	p, functions := printer()
	p.Least = 3
	whole := &Grid{Axes: 2, Fixed: []int64{4, 3}}
	next := func(g *Grid, other ...*Expr) *Expr {
		return &Expr{Op: Shift, Grid: g, Moves: [][]int{{0, 1}}, Periodic: []bool{false, true}, Args: other}
	}
	for _, c := range []struct {
		e    *Expr
		want string
	}{
		{nil, "1"}, {New(Add, rank, n(1)), "rank + 1"}, {New(Add, rank, n(-1)), "rank - 1"},
		{New(Mul, n(2), New(Add, rank, n(1))), "2 * (rank + 1)"},
		{New(Sub, rank, New(Mod, rank, n(8))), "rank - rank % 8"},
		{&Expr{Op: Add, Args: []*Expr{rank, n(-1)}}, "rank - 1"},
		{New(Sub, rank, New(Sub, size, i0)), "rank - (size - i0)"},
		{New(Sub, New(Sub, rank, size), i0), "rank - size - i0"},
		{New(Mod, rank, size), "rank % size"}, {New(Mod, New(Add, rank, n(-1)), size), "(rank + size - 1) % size"},
		{New(Mod, New(Add, rank, n(-3)), size), "(rank + size - 3) % size"},
		{New(Mod, New(Add, rank, n(-4)), size), "mod(rank - 4, size)"}, // there may be three ranks
		{New(Mod, New(Sub, rank, i0), size), "mod(rank - i0, size)"}, {New(Mod, rank, i0), "mod(rank, i0)"},
		{New(Div, rank, n(2)), "rank / 2"}, {New(Div, New(Sub, rank, n(1)), n(2)), "floor_div(rank - 1, 2)"},
		{New(Xor, rank, New(Shl, i0)), "rank ^ power_of_2(i0)"}, {New(Bits, size), "bits(size)"},
		{New(Eq, New(Xor, rank, n(1)), n(0)), "(rank ^ 1) == 0"}, {New(Not, New(Eq, rank, n(0))), "rank != 0"},
		{New(Less, n(0), rank), "rank > 0"}, {New(Not, New(Less, n(0), rank)), "rank <= 0"},
		{New(Not, New(Less, rank, size)), "rank >= size"}, {New(Not, rank), "!rank"},
		{New(And, New(Less, rank, n(2)), New(Or, rank, size)), "rank < 2 && (rank || size)"},
		{New(Not, New(And, rank, size)), "!(rank && size)"},
		{New(Add, New(Less, rank, n(2)), n(3)), "(long)(rank < 2) + 3"},
		{New(If, rank, n(1), size), "rank ? 1 : size"},
		{New(If, New(If, rank, i0, i1), New(If, i0, n(1), n(2)), n(3)), "(rank ? i0 : i1) ? (i0 ? 1 : 2) : 3"},
		{New(Add, New(If, rank, n(1), size), n(3)), "(rank ? 1 : size) + 3"},
		{New(Pick, i0, n(4), rank), "pick(i0, 2, (const long[]){4, rank})"},
		{New(Min, rank, n(-5)), "min(rank, -5)"}, {New(Add, size, New(Mul, rank, n(-5))), "size + rank * (-5)"},
		{square.dim(1), "grid0[1]"}, {threes.coord(0), "coordinate(2, grid2, 0)"},
		{next(square), "grid_shift(2, grid0, (const long[]){0, 1}, (const long[]){0, 1}, -1)"},
		{next(whole, n(7)), "grid_shift(2, (const long[]){4, 3}, (const long[]){0, 1}, (const long[]){0, 1}, 7)"},
		{&Expr{Op: Cell, Grid: whole}, "grid_cell(2, (const long[]){4, 3})"},
	} {
		if got := p.Expr(c.e).String(); got != c.want {
			t.Errorf("%v: %s, not %s", c.e, got, c.want)
		}
	}
	if functions.Len() > 0 {
		t.Errorf("functions of its own: %s", functions)
	}
	sum := &Expr{Op: Sum, Args: []*Expr{New(Add, rank, New(Mul, i1, elem))}}
	p.Elem = cc.Int(3)
	if got := p.Expr(sum).String(); got != "sum0(3, i1)" {
		t.Errorf("a sum is %s", got)
	}
	want := `static long sum0(long e, long i1)
{
    long to = e, n = 0;
    for (e = 0; e < to; e++) n += rank + i1 * e;
    return n;
}
`
	if functions.String() != want {
		t.Errorf("%s\nnot\n%s", functions, want)
	}
}

// Where values are constants, they are written by name: what is chosen, not what is counted with.
func TestCNames(t *testing.T) {
	p, _ := printer()
	name := func(v int64) *cc.Expr {
		if v == -2 {
			return cc.Name("NONE")
		}
		return cc.Int(v)
	}
	for _, c := range []struct {
		e    *Expr
		want string
	}{
		{n(-2), "NONE"}, {New(If, New(Less, rank, n(-2)), rank, n(-2)), "rank < -2 ? rank : NONE"},
		{New(Pick, i0, n(-2), n(3)), "pick(i0, 2, (const long[]){NONE, 3})"},
		{&Expr{Op: Shift, Grid: square, Moves: [][]int{{0, 1}}, Args: []*Expr{n(-2)}},
			"grid_shift(2, grid0, (const long[]){0, 1}, (const long[]){0, 0}, NONE)"},
		{New(Max, rank, n(-2)), "max(rank, -2)"},
	} {
		if got := p.Named(c.e, name).String(); got != c.want {
			t.Errorf("%v: %s, not %s", c.e, got, c.want)
		}
	}
}
