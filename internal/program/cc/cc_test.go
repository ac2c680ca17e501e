package cc

import (
	"math"
	"strings"
	"testing"
)

// Trees print as they were built: parentheses are where Operand, Paren and Trim put or left them.
func TestExpressions(t *testing.T) {
	rank, a := Name("rank"), Name("a")
	for want, e := range map[string]*Expr{
		"rank + 3 * 4":                     Infix(rank, "+", Infix(Int(3), "*", Int(4))),
		"(rank + 1) % 4":                   Infix(Operand(Infix(rank, "+", Int(1))), "%", Int(4)),
		"f(rank + 1)[2]":                   Operand(Index(Call("f", Infix(rank, "+", Int(1))), Int(2))),
		"(-1)":                             Operand(Int(-1)),
		"a > 0 ? rank : NULL":              Choice(Infix(a, ">", Int(0)), rank, Null),
		"(long)(a > 0)":                    Operand(Cast("long", Paren(Infix(a, ">", Int(0))))),
		"&(MPI_Comm){MPI_COMM_NULL}":       Temporary("MPI_Comm", Name("MPI_COMM_NULL")),
		"(int[][3]){{1, 2, 3}, {4, 5, 6}}": List("int[][3]", Row(Int(1), Int(2), Int(3)), Row(Int(4), Int(5), Int(6))),
		"*next(&column)":                   Deref(Call("next", Column("column", ""))),
		"table[rank]":                      Index(Table("table", ""), rank),
		"2 * sizeof(int)":                  Infix(Int(2), "*", Sizeof("int")),
		"5000000000L":                      Int(5000000000),
		"7L":                               Long(7),
		"a = rank = 1":                     Assign(a, Assign(rank, Int(1))),
		"int n = 3, *list":                 Declare("int", Assign(Name("n"), Int(3)), Deref(Name("list"))),
	} {
		if got := e.String(); got != want {
			t.Errorf("%q instead of %q", got, want)
		}
	}
}

func text(list ...*Stmt) string { return strings.TrimSuffix(Body(list), "\n") }

// Statements with bodies have them on their line, below it, or in braces.
func TestStatements(t *testing.T) {
	f := Do(Call("f"))
	i, n := Name("i"), Name("n")
	for want, s := range map[string]*Stmt{
		"    f();":               f,
		"    return 3;":          Return(Int(3)),
		"    if (n) f();":        If(n, f),
		"    else\n        f();": Below(Head("else"), f),
		"    {\n        f();\n        f();\n    }":               Block(f, f),
		"    for (long i = 0; i < n; i++) f();":                  Under(For("long", "i", n), f),
		"    for (int i = 0; i < 2; i++) {\n        f();\n    }": Around(For("int", "i", Int(2)), f),
		"    do\n        f();\n    while (!flag);":               DoWhile(f, Prefix("!", Name("flag"))),
		"    do {\n        f();\n    } while (i < n);": {Form: Braced, Head: Head("do"), Body: []*Stmt{f},
			Tail: Head("while", Infix(i, "<", n))},
	} {
		if got := text(s); got != want {
			t.Errorf("%s\ninstead of\n%s", got, want)
		}
	}
}

// A long line is broken after the last comma that fits, and goes on eight columns further in.
func TestLayout(t *testing.T) {
	var args []*Expr
	for range 40 {
		args = append(args, Name(`"a, b"`))
	}
	lines := strings.Split(text(Do(Call("f", args...))), "\n")
	if len(lines) < 2 || !strings.HasPrefix(lines[1], `        "a, b"`) {
		t.Fatalf("%q", lines)
	}
	for _, s := range lines {
		if len(s) > LineLength || strings.Contains(s, softSpace) || !strings.HasSuffix(s, ",") &&
			!strings.HasSuffix(s, ");") {
			t.Errorf("%q", s)
		}
	}
	if flat := Flat([]*Stmt{Do(Call("f", args...))}); strings.Count(flat, "\n") != 1 {
		t.Errorf("%q", flat)
	}
}

// Leaves are what statements differ in; Lines asks for them in the order of the text, and Replace
// puts other expressions in place of some.
func TestLeaves(t *testing.T) {
	list := []*Stmt{If(Infix(Name("n"), ">", Int(1)),
		Do(Call("f", Real("2.5"), Table("t", ""), Column("c", ""), Name("x"))))}
	var seen []string
	got := Lines(list, func(e *Expr) string {
		seen = append(seen, e.String())
		return "_"
	})
	if want := "1 2.5 t &c"; strings.Join(seen, " ") != want {
		t.Errorf("%q instead of %q", seen, want)
	}
	if s := strings.ReplaceAll(got[0], softSpace, " "); s != "if (n > _) f(_, _, _, x);" {
		t.Error(s)
	}
	other := Replace(list, func(e *Expr) *Expr {
		if e.Is("x") {
			return Call("g")
		}
		return nil
	})
	if text(other...) != "    if (n > 1) f(2.5, t, &c, g());" || text(list...) != "    if (n > 1) f(2.5, t, &c, x);" {
		t.Errorf("%s and %s", text(other...), text(list...))
	}
}

// Words are the identifiers of a program; what it calls can be asked of any part.
func TestWords(t *testing.T) {
	e := Call("f", Index(Name("heap"), Int(3)), Call("next", Column("tag", "")))
	w := Words{}
	w.Add(Block(Do(Assign(Name("x"), e))))
	for _, s := range []string{"f", "heap", "next", "tag", "x"} {
		if !w[s] {
			t.Errorf("no %s in %v", s, w)
		}
	}
	if len(w) != 5 || !e.Calls("next") || e.Calls("heap") {
		t.Errorf("%v", w)
	}
}

// Operators have parentheses where C needs them, compilers warn without them, or people stumble.
func TestOp(t *testing.T) {
	a, b, c := Name("a"), Name("b"), Name("c")
	for _, x := range []struct {
		e    *Expr
		want string
	}{
		{Op(Op(a, "+", b), "+", c), "a + b + c"}, {Op(a, "-", Op(b, "-", c)), "a - (b - c)"},
		{Op(Op(a, "*", b), "+", c), "a * b + c"}, {Op(a, "*", Op(b, "+", c)), "a * (b + c)"},
		{Op(Op(a, "*", b), "%", c), "(a * b) % c"}, {Op(Op(a, "/", b), "<", Op(b, "+", c)), "a / b < b + c"},
		{Op(Op(a, "<", b), "==", c), "(a < b) == c"}, {Op(Op(a, "^", b), "<", c), "(a ^ b) < c"},
		{Op(Op(a, "+", b), "^", c), "(a + b) ^ c"}, {Op(Op(a, "<", b), "&&", Op(b, "<", c)), "a < b && b < c"},
		{Op(Op(a, "&&", b), "||", c), "(a && b) || c"}, {Op(Op(a, "||", b), "||", c), "a || b || c"},
		{Op(Choice(a, b, c), "+", Int(1)), "(a ? b : c) + 1"}, {Op(a, "+", Int(-1)), "a + (-1)"},
		{Op(Int(-1), "+", a), "-1 + a"}, {Op(a, "<", Int(-1)), "a < -1"},
		{Op(Call("f"), "*", Index(a, b)), "f() * a[b]"},
		{Op(a, "+", Int(int64(math.MinInt64))), "a + (-0x7fffffffffffffffL - 1)"},
	} {
		if got := x.e.String(); got != x.want {
			t.Errorf("%s, not %s", got, x.want)
		}
	}
}
