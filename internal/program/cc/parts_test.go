package cc

import (
	"strings"
	"testing"
)

// A number is of type long if it says so or is too large for an int, whose least value has no
// literal.
func TestNumbers(t *testing.T) {
	for _, x := range []struct {
		e    *Expr
		long bool
		text string
	}{
		{Int(7), false, "7"}, {Long(7), true, "7L"}, {Int(1<<31 - 1), false, "2147483647"},
		{Int(1 << 31), true, "2147483648L"},
		{Int(-1<<31 + 1), false, "-2147483647"}, {Int(-1 << 31), true, "-2147483648L"}, {Real("7"), false, "7"},
	} {
		if x.e.IsLong() != x.long || x.e.String() != x.text {
			t.Errorf("%s: %s, long %v", x.text, x.e, x.e.IsLong())
		}
	}
	if !Int(7).IsInt(7) || Int(7).IsInt(8) || Real("7").IsInt(7) || !Name("x").Is("x") || Call("x").Is("x") {
		t.Error("only an Int is a number, and only a Name is a word")
	}
}

// What has a space outside of parentheses, and a negative number, is no single operand.
func TestOperands(t *testing.T) {
	sum := Infix(Name("a"), "+", Name("b"))
	for _, x := range []struct {
		e    *Expr
		want string
	}{
		{sum, "(a + b)"}, {Paren(sum), "(a + b)"}, {Call("f", sum), "f(a + b)"}, {Index(Name("a"), sum), "a[a + b]"},
		{Prefix("!", Name("a")), "!a"}, {Cast("long", Name("a")), "(long)a"}, {Cast("long", sum), "((long)a + b)"},
		{List("int[]", Int(1)), "(int[]){1}"}, {List("int[]", Int(1), Int(2)), "((int[]){1, 2})"},
		{Row(sum), "({a + b})"}, {Choice(Name("a"), Int(1), Int(2)), "(a ? 1 : 2)"}, {Int(-3), "(-3)"},
	} {
		if got := Operand(x.e).String(); got != x.want {
			t.Errorf("%s, not %s", got, x.want)
		}
	}
}

// Statements are visited in the order of their text: head, body, tail.
func TestWalkAll(t *testing.T) {
	loop := &Stmt{Form: Braced, Head: Head("do"), Body: []*Stmt{Do(Call("f", Name("a"))), Block(Do(Name("b")))},
		Tail: Head("while", Infix(Name("c"), "<", Int(3)))}
	var got []string
	WalkAll([]*Stmt{loop}, func(e *Expr) {
		if e.Kind == KindName || e.Kind == KindCall || e.Kind == KindHead {
			got = append(got, e.Text)
		}
	})
	if want := "do f a b while c"; strings.Join(got, " ") != want {
		t.Errorf("%q, not %q", got, want)
	}
}

// A word that is longer than a line is not broken, and neither is what has no comma.
func TestLongWords(t *testing.T) {
	long := strings.Repeat("x", 2*LineLength)
	for _, e := range []*Expr{Name(long), Call(long), Infix(Name(long), "+", Name(long))} {
		if got := text(Do(e)); strings.Contains(got, "\n") {
			t.Errorf("%q", got)
		}
	}
	if got := strings.Count(text(Do(Call("f", Name(long), Name(long)))), "\n"); got != 1 {
		t.Errorf("two words on %d lines", got+1)
	}
}
