package cgen

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/program/cc"
	"github.com/tabard-hpc/tabard/spec"
)

// Calls of lists that differ in their numbers only, or in the tables that they read, are made by
// one function, with a row of a table for each.

// Bounds of what calls become.
const (
	leastAlike = 4   // calls that are worth a table
	mostCases  = 250 // of a switch
	caseLines  = 12  // of a call within it
)

// A leaf is where statements that are alike may differ: a number, a table or a column.
type leaf struct {
	*cc.Expr
	text   string
	member string // what a member of a row may be called that has it
}

// alike is statements that differ in their leaves only.
type alike struct {
	calls  []int
	list   []*cc.Stmt // of the first one
	leaves [][]leaf   // of each call; nil if there is one statement only
	hint   string
}

// writeCalls writes the function that makes the calls. It returns the number of each call.
func (l *lists) writeCalls() (number []int) {
	groups := l.group()
	number = make([]int, len(l.calls))
	var of []int64
	for i, k := range groups {
		for _, c := range k.calls {
			number[c] = len(of)
			of = append(of, int64(i))
		}
	}
	cases := make([]string, len(groups))
	rows := make([]bool, len(groups))
	for i, k := range groups {
		if k.leaves == nil {
			cases[i] = l.caseText(i, k)
		} else {
			rows[i] = true
			cases[i] = cc.Layout(fmt.Sprintf("case %d: %s; break;", i, l.writeAlike(k, number[k.calls[0]])))
		}
	}
	b := &l.g.code
	what := "n"
	if len(groups) < len(of) {
		what = l.kinds + "[n]"
		ctype := "unsigned char"
		if len(groups) > math.MaxUint16 {
			ctype = "int"
		} else if len(groups) > math.MaxUint8 {
			ctype = "unsigned short"
		}
		writeNumbers(b, ctype, l.kinds, of)
	}
	if len(cases) <= mostCases {
		fmt.Fprintf(b, "static void %s(int n)\n{\n    switch (%s) {\n%s    }\n}\n\n", l.call, what,
			strings.Join(cases, ""))
		return number
	}
	var chosen strings.Builder
	for from := 0; from < len(cases); from += mostCases {
		to := min(from+mostCases, len(cases))
		name := l.g.unique(fmt.Sprintf("%s_%d", l.call, from))
		unused := "    (void)n;\n"
		for _, used := range rows[from:to] {
			if used {
				unused = ""
			}
		}
		fmt.Fprintf(b, "static void %s(int kind, int n)\n{\n%s    switch (kind) {\n%s    }\n}\n\n", name, unused,
			strings.Join(cases[from:to], ""))
		fmt.Fprintf(&chosen, "    case %d: %s(kind, n); break;\n", from/mostCases, name)
	}
	fmt.Fprintf(b, "static void %s(int n)\n{\n    int kind = %s;\n    switch (kind / %d) {\n%s    }\n}\n\n",
		l.call, what, mostCases, chosen.String())
	return number
}

// caseText is a case that is a statement.
func (l *lists) caseText(i int, k *alike) string {
	x := l.calls[k.calls[0]]
	if len(x.lines) > caseLines {
		x = l.g.define(x, x.hint)
	}
	l.g.words.Add(x.list...)
	if len(x.lines) == 1 {
		return cc.Layout(fmt.Sprintf("case %d: %s break;", i, x.lines[0]))
	}
	var b strings.Builder
	b.WriteString(cc.Layout(fmt.Sprintf("case %d:", i)))
	for _, s := range x.lines {
		b.WriteString(cc.Layout("    " + s))
	}
	b.WriteString(cc.Layout("    break;"))
	return b.String()
}

// group puts statements that are alike together, in the order of their first ones.
func (l *lists) group() []*alike {
	reads := l.tableReads()
	inPlace := func(e *cc.Expr) *cc.Expr {
		if e.Kind == cc.KindCall && reads[e.Text] != nil {
			return cc.Paren(reads[e.Text])
		}
		return nil
	}
	byShape := map[string]*alike{}
	var found []*alike
	for i, x := range l.calls {
		list := cc.Replace(x.list, inPlace)
		s := shape(list)
		k := byShape[s]
		if k == nil {
			k = &alike{list: list, hint: x.hint}
			byShape[s] = k
			found = append(found, k)
		}
		k.calls, k.leaves = append(k.calls, i), append(k.leaves, leavesOf(list))
	}
	var out []*alike
	for _, k := range found {
		if len(k.calls) >= leastAlike {
			out = append(out, k)
			continue
		}
		for _, c := range k.calls {
			out = append(out, &alike{calls: []int{c}})
		}
	}
	return out
}

// shape is the text of statements with the kinds of their leaves instead of these.
func shape(list []*cc.Stmt) string {
	return strings.Join(cc.Lines(list, func(e *cc.Expr) string { return string([]byte{0, byte(e.Kind)}) }), "\n")
}

// longRead is how long an expression may be that stands in a statement instead of a call of the
// function that returns it.
const longRead = 80

// tableReads are the functions that return no more than a number from a table, with what they
// return.
func (l *lists) tableReads() map[string]*cc.Expr {
	out := map[string]*cc.Expr{}
	for _, f := range l.g.values {
		e := f.returns()
		if e == nil || f.ctype != "long " || len(e.String()) > longRead {
			continue
		}
		table := e.Has(func(x *cc.Expr) bool { return x.Kind == cc.KindTable })
		if table && !e.Has(func(x *cc.Expr) bool { return x.Kind == cc.KindCall && len(x.Args) == 0 }) {
			out[f.name] = e
		}
	}
	return out
}

// leavesOf are the leaves of statements, in the order of the text.
func leavesOf(list []*cc.Stmt) (out []leaf) {
	for _, s := range list {
		if s.Head != nil {
			out = appendLeaves(out, s.Head, "number")
		}
		out = append(out, leavesOf(s.Body)...)
		if s.Tail != nil {
			out = appendLeaves(out, s.Tail, "number")
		}
	}
	return out
}

// appendLeaves appends the leaves of an expression. Their names follow from where they are: member
// if nothing in the expression tells.
func appendLeaves(out []leaf, e *cc.Expr, member string) []leaf {
	if e.IsLeaf() {
		if e.Hint != "" {
			member = memberName(e.Hint)
		}
		return append(out, leaf{e, e.String(), member})
	}
	for i, a := range e.Args {
		out = appendLeaves(out, a, memberAt(e, i, member))
	}
	return out
}

// memberAt is what a number is called that is argument i of an expression, or in it.
func memberAt(e *cc.Expr, i int, member string) string {
	switch e.Kind {
	case cc.KindInfix:
		if leftmost := e.Args[i]; i == 1 && (e.Text == "+" || e.Text == "-") {
			for leftmost.Kind == cc.KindInfix {
				leftmost = leftmost.Args[0]
			}
			if leftmost.IsLeaf() {
				return "offset"
			}
		}
	case cc.KindIndex:
		switch array := e.Args[0]; {
		case i == 0 || array.Kind != cc.KindName && array.Kind != cc.KindTable:
		case slices.Contains([]string{"heap", "own", ownPrefix + "heap", ownPrefix + "own"}, array.Text):
			return "block"
		default:
			return memberName(array.Text)
		}
	case cc.KindCall:
		switch {
		case e.Text == "keep":
			return "kept"
		case e.Text == "compute":
			return "seconds"
		case strings.HasPrefix(e.Text, "MPI_"):
			if f := spec.ByName(e.Text); f != nil && i < len(f.Params) {
				return memberName(f.Params[i].Name)
			}
			return "number"
		}
	}
	return member
}

// writeAlike writes the table and the function of calls that are alike, the first of which has
// number n, and returns the expression that makes one.
func (l *lists) writeAlike(k *alike, n int) *cc.Expr {
	name := l.g.unique(cmp.Or(k.hint, "calls"))
	rows := l.g.unique(name + "_rows")
	var fields []field
	used := map[string]bool{}
	text := make([]string, len(k.leaves[0])) // of each leaf in the function
	for h, x := range k.leaves[0] {
		f := fieldOf(k, h)
		if f.same {
			text[h] = x.text
			continue
		}
		i := 0
		for i < len(fields) && !(fields[i].ctype == f.ctype && equalLeaves(k, fields[i].leaf, h)) {
			i++
		}
		if i == len(fields) {
			f.name = x.member
			for n := 2; used[f.name]; n++ {
				f.name = fmt.Sprintf("%s%d", x.member, n)
			}
			used[f.name] = true
			fields = append(fields, f)
		}
		text[h] = "row->" + fields[i].name
	}
	cells := make([]string, len(k.calls))
	for i := range k.calls {
		var vals []string
		for _, f := range fields {
			vals = append(vals, k.leaves[i][f.leaf].text)
		}
		cells[i] = "{" + strings.Join(vals, ", ") + "}"
	}
	b := &l.g.code
	fmt.Fprintf(b, "static const struct %s {%s } %s[] = {\n%s};\n", name, memberList(fields), rows, wrapped(cells))
	fmt.Fprintf(b, "static void %s(const struct %s *row)\n{\n", name, name)
	l.g.words.Add(k.list...)
	for _, s := range cc.Lines(k.list, func(*cc.Expr) string {
		s := text[0]
		text = text[1:]
		return s
	}) {
		b.WriteString(cc.Layout(s))
	}
	b.WriteString("}\n\n")
	return cc.Call(name, cc.Addr(cc.Index(cc.Name(rows), compare(cc.Name("n"), "-", int64(n)))))
}

// A field is a member of the rows of calls that are alike.
type field struct {
	leaf        int
	name, ctype string
	same        bool // in all of them
}

// fieldOf says what a leaf needs.
func fieldOf(k *alike, leaf int) field {
	f := field{leaf: leaf, same: true, ctype: "int"}
	first := k.leaves[0][leaf]
	switch first.Kind {
	case cc.KindReal:
		f.ctype = "double"
	case cc.KindColumn:
		f.ctype = "struct column *"
	case cc.KindTable:
		f.ctype = "const long *"
	}
	for _, x := range k.leaves {
		f.same = f.same && x[leaf].text == first.text
		if x[leaf].IsLong() {
			f.ctype = "long"
		}
	}
	return f
}

func equalLeaves(k *alike, a, b int) bool {
	for _, x := range k.leaves {
		if x[a].text != x[b].text {
			return false
		}
	}
	return true
}

// memberList is the declaration of fields, those of one type together if they follow each other.
func memberList(fields []field) string {
	var b strings.Builder
	for i, f := range fields {
		pointer := strings.HasSuffix(f.ctype, "*")
		switch {
		case i > 0 && fields[i-1].ctype == f.ctype && !pointer:
			b.WriteString(", " + f.name)
			continue
		case i > 0:
			b.WriteString(";")
		}
		b.WriteString(" " + f.ctype)
		if !pointer {
			b.WriteString(" ")
		}
		b.WriteString(f.name)
	}
	return b.String() + ";"
}

// memberName is a name for a member of a structure.
func memberName(name string) string {
	if name == "" || slices.Contains(words, name) {
		return name + "_"
	}
	return name
}
