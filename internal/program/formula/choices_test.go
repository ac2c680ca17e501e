package formula

import (
	"strings"
	"testing"
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
// there, or needs a loop, calls functions. All is of type long, by casts that are left out here.
func TestCText(t *testing.T) {
	printer := &CPrinter{Rank: "rank", Size: "size", Elem: "e", Index: func(int) string { return "i" }}
	for _, c := range []struct {
		e    *Expr
		want string
	}{
		{New(Add, rank, n(1)), "(rank + 1L)"}, {New(Mod, rank, size), "sc_mod(rank, size)"},
		{New(Div, rank, n(2)), "sc_div(rank, 2L)"},
		{New(Xor, rank, New(Shl, i0)), "(rank ^ sc_shl(i))"}, {New(Bits, size), "sc_bits(size)"},
		{New(Eq, rank, n(0)), "(rank == 0L)"},
		{New(If, rank, n(1), size), "(rank ? 1L : size)"}, {square.dim(1), "sc_grid0[1]"},
	} {
		if got := strings.ReplaceAll(printer.Expr(c.e), "(long)", ""); got != c.want {
			t.Errorf("%v: %s, not %s", c.e, got, c.want)
		}
	}
	if len(printer.Funcs) > 0 {
		t.Errorf("functions of its own: %q", printer.Funcs)
	}
	sum := &Expr{Op: Sum, Args: []*Expr{New(Add, rank, elem)}}
	if a, b := printer.Expr(sum), printer.Expr(sum); a != b || len(printer.Funcs) != 1 {
		t.Errorf("a sum is a function, made once: %s, %s, %d functions", a, b, len(printer.Funcs))
	}
}
