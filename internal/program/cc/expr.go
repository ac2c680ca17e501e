// Package cc holds C programs as trees of expressions and statements, and prints them. It is the
// only printer of generated C. Questions about a program (what it calls, which statements are
// alike) are put to the trees; the text is never read again.
//
// Parentheses are nodes of their own, put where a reader expects them (see Operand), so that trees
// print exactly as they were built. Long lines are broken after commas, see Layout.
package cc

import (
	"math"
	"strconv"
	"strings"
)

// Kind is what an Expr is.
type Kind uint8

// Kinds of expressions.
const (
	KindName    Kind = iota // Text: an identifier, or another word
	KindInt                 // N, of type long if Text is L or it is too large for an int
	KindReal                // Text: a number with a fraction
	KindTable               // Text: an array of numbers
	KindColumn              // the address of Text, a variable that a value is read from
	KindCall                // Text: the function
	KindIndex               // Args: array and index
	KindPrefix              // Text: the operator
	KindInfix               // Text: the operator
	KindChoice              // Args: condition, then, else
	KindCast                // Text: the type
	KindList                // Text: the type of an array or variable without a name; Args: its values
	KindRow                 // Args: values in braces
	KindParen               // Args[0] in parentheses
	KindDeclare             // Text: the type of the variables Args, which may be assignments
	KindHead                // Text: the word that a statement begins with; Args: what is in its parentheses
)

// Expr is an expression, or another part of a line. It must not be changed once made: trees share
// their parts.
type Expr struct {
	Kind Kind
	Text string
	// Hint is what a table or column has, as a word.
	Hint string
	N    int64
	Args []*Expr
}

// Name is an identifier.
func Name(s string) *Expr { return &Expr{Kind: KindName, Text: s} }

// Int is a whole number.
func Int[T int | int64 | uint32](n T) *Expr { return &Expr{Kind: KindInt, N: int64(n)} }

// Long is a number of type long even if it is small.
func Long(n int64) *Expr { return &Expr{Kind: KindInt, N: n, Text: "L"} }

// Real is a number with a fraction, as text.
func Real(s string) *Expr { return &Expr{Kind: KindReal, Text: s} }

// Table is the name of an array of numbers.
func Table(name, hint string) *Expr { return &Expr{Kind: KindTable, Text: name, Hint: hint} }

// Column is the address of a variable that values are read from.
func Column(name, hint string) *Expr { return &Expr{Kind: KindColumn, Text: name, Hint: hint} }

// Call calls a function.
func Call(function string, args ...*Expr) *Expr {
	return &Expr{Kind: KindCall, Text: function, Args: args}
}

// Index is an element of an array.
func Index(array, i *Expr) *Expr { return &Expr{Kind: KindIndex, Args: []*Expr{array, i}} }

// Prefix is an expression with an operator before it.
func Prefix(op string, e *Expr) *Expr { return &Expr{Kind: KindPrefix, Text: op, Args: []*Expr{e}} }

// Addr is the address of a variable.
func Addr(e *Expr) *Expr { return Prefix("&", e) }

// Deref is what a pointer points to.
func Deref(e *Expr) *Expr { return Prefix("*", e) }

// Infix is an expression with an operator between two others.
func Infix(a *Expr, op string, b *Expr) *Expr {
	return &Expr{Kind: KindInfix, Text: op, Args: []*Expr{a, b}}
}

// Assign sets a variable.
func Assign(a, b *Expr) *Expr { return Infix(a, "=", b) }

// Choice is one of two expressions.
func Choice(condition, then, other *Expr) *Expr {
	return &Expr{Kind: KindChoice, Args: []*Expr{condition, then, other}}
}

// Cast is an expression as one of another type.
func Cast(ctype string, e *Expr) *Expr { return &Expr{Kind: KindCast, Text: ctype, Args: []*Expr{e}} }

// List is an array or variable without a name.
func List(ctype string, values ...*Expr) *Expr {
	return &Expr{Kind: KindList, Text: ctype, Args: values}
}

// Temporary is the address of a variable without a name.
func Temporary(ctype string, value *Expr) *Expr { return Addr(List(ctype, value)) }

// Row is values in braces.
func Row(values ...*Expr) *Expr { return &Expr{Kind: KindRow, Args: values} }

// Paren is an expression in parentheses.
func Paren(e *Expr) *Expr { return &Expr{Kind: KindParen, Args: []*Expr{e}} }

// Sizeof is the size of a type, or of a variable.
func Sizeof(ctype string) *Expr { return Call("sizeof", Name(ctype)) }

// Declare declares variables: names, with a star for pointers, or assignments to such.
func Declare(ctype string, vars ...*Expr) *Expr {
	return &Expr{Kind: KindDeclare, Text: ctype, Args: vars}
}

// Null is the null pointer.
var Null = Name("NULL")

// Is tells whether an expression is this word.
func (e *Expr) Is(word string) bool { return e.Kind == KindName && e.Text == word }

// IsInt tells whether an expression is this number.
func (e *Expr) IsInt(n int64) bool { return e.Kind == KindInt && e.N == n }

// IsLong tells whether a number is of type long.
func (e *Expr) IsLong() bool {
	return e.Kind == KindInt && (e.Text == "L" || e.N > 1<<31-1 || e.N < -1<<31+1)
}

// Walk visits an expression and all in it, in the order of the text.
func (e *Expr) Walk(f func(*Expr)) {
	f(e)
	for _, a := range e.Args {
		a.Walk(f)
	}
}

// Has tells whether some part of an expression is as asked.
func (e *Expr) Has(f func(*Expr) bool) bool {
	found := false
	e.Walk(func(x *Expr) { found = found || f(x) })
	return found
}

// Calls tells whether an expression calls a function.
func (e *Expr) Calls(function string) bool {
	return e.Has(func(x *Expr) bool { return x.Kind == KindCall && x.Text == function })
}

// spaced tells whether the text has a space outside of parentheses and brackets.
func (e *Expr) spaced() bool {
	switch e.Kind {
	case KindInfix, KindChoice:
		return true
	case KindIndex, KindPrefix, KindCast:
		return e.Args[0].spaced()
	case KindList, KindRow:
		return len(e.Args) > 1 || len(e.Args) == 1 && e.Args[0].spaced()
	}
	return false
}

// Operand puts what is not a single operand in parentheses.
func Operand(e *Expr) *Expr {
	if e.spaced() || e.Kind == KindInt && e.N < 0 {
		return Paren(e)
	}
	return e
}

// rank says how strongly an operator binds, 0 for those that readers and compilers want parentheses
// around.
var rank = map[string]int{"==": 1, "!=": 1, "<": 1, "<=": 1, ">": 1, ">=": 1, "+": 2, "-": 2, "*": 3, "/": 3, "%": 3}

// Op is an operator between two expressions, with parentheses around them where C, its compilers or
// its readers need them.
func Op(a *Expr, op string, b *Expr) *Expr {
	return Infix(operand(a, op, false), op, operand(b, op, true))
}

func operand(e *Expr, op string, right bool) *Expr {
	bare := false
	switch {
	case e.Kind == KindInt && e.N < 0 && e.N != math.MinInt64:
		bare = !right || rank[op] == 1
	case e.Kind != KindInfix:
		bare = e.Kind != KindChoice && e.Kind != KindList && !e.IsInt(math.MinInt64)
	case op == "&&" || op == "||":
		bare = rank[e.Text] > 0 || e.Text == op && !right
	case rank[op] == 1:
		bare = rank[e.Text] > 1
	case rank[op] == 2:
		bare = rank[e.Text] == 3 || rank[e.Text] == 2 && !right
	}
	if bare {
		return e
	}
	return Paren(e)
}

// softSpace is a space where a line may be broken.
const softSpace = "\x01"

// printer writes trees as text.
type printer struct {
	strings.Builder
	leaf func(e *Expr) string // what is written for a leaf, see Lines
}

// IsLeaf tells whether an expression is a number, a table, or a column. Statements that are alike
// may differ in these alone.
func (e *Expr) IsLeaf() bool { return e.Kind >= KindInt && e.Kind <= KindColumn }

// String is the text of an expression, on one line.
func (e *Expr) String() string {
	var p printer
	p.expr(e)
	return strings.ReplaceAll(p.Builder.String(), softSpace, " ")
}

// own is the text of a leaf.
func (e *Expr) own() string {
	switch {
	case e.Kind == KindColumn:
		return "&" + e.Text
	case e.Kind != KindInt:
		return e.Text
	case e.N == math.MinInt64:
		return "-0x7fffffffffffffffL - 1"
	case e.IsLong():
		return strconv.FormatInt(e.N, 10) + "L"
	}
	return strconv.FormatInt(e.N, 10)
}

func (p *printer) expr(e *Expr) {
	if e.IsLeaf() {
		if p.leaf != nil {
			p.WriteString(p.leaf(e))
		} else {
			p.WriteString(e.own())
		}
		return
	}
	switch e.Kind {
	case KindName:
		p.WriteString(e.Text)
	case KindCall:
		p.list(e.Text+"(", e.Args, ","+softSpace, ")")
	case KindIndex:
		p.expr(e.Args[0])
		p.list("[", e.Args[1:], "", "]")
	case KindPrefix:
		p.list(e.Text, e.Args, "", "")
	case KindInfix:
		p.list("", e.Args, " "+e.Text+" ", "")
	case KindChoice:
		p.expr(e.Args[0])
		p.list(" ? ", e.Args[1:], " : ", "")
	case KindCast:
		p.list("("+e.Text+")", e.Args, "", "")
	case KindList:
		p.list("("+e.Text+"){", e.Args, ","+softSpace, "}")
	case KindRow:
		p.list("{", e.Args, ","+softSpace, "}")
	case KindParen:
		p.list("(", e.Args, "", ")")
	case KindDeclare:
		p.list(e.Text+" ", e.Args, ","+softSpace, "")
	case KindHead:
		p.WriteString(e.Text)
		if len(e.Args) > 0 {
			p.list(" (", e.Args, "; ", ")")
		}
	}
}

func (p *printer) list(begin string, args []*Expr, between, end string) {
	p.WriteString(begin)
	for i, a := range args {
		if i > 0 {
			p.WriteString(between)
		}
		p.expr(a)
	}
	p.WriteString(end)
}
