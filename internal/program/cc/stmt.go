package cc

import "strings"

// Form is how a statement is laid out.
type Form uint8

// Forms of statements.
const (
	Plain  Form = iota // without a body
	Inline             // with the body on the line of the head
	Broken             // with the body on the next line
	Braced             // with braces
)

// Stmt is a statement: an expression, or a body with a head, as "if", and a tail, the "while" of
// "do". It must not be changed once made.
type Stmt struct {
	Form Form
	Head *Expr // nil for a block
	Body []*Stmt
	Tail *Expr
}

// Do is an expression as a statement.
func Do(e *Expr) *Stmt { return &Stmt{Head: e} }

// Return ends a function.
func Return(e *Expr) *Stmt { return Do(Prefix("return ", e)) }

// Block is statements in braces.
func Block(body ...*Stmt) *Stmt { return &Stmt{Form: Braced, Body: body} }

// If makes a statement under a condition, on one line.
func If(condition *Expr, s *Stmt) *Stmt { return Under(Head("if", condition), s) }

// Under puts a statement behind a head, on its line.
func Under(head *Expr, s *Stmt) *Stmt { return &Stmt{Form: Inline, Head: head, Body: []*Stmt{s}} }

// Below puts a statement on the line below a head.
func Below(head *Expr, s *Stmt) *Stmt { return &Stmt{Form: Broken, Head: head, Body: []*Stmt{s}} }

// Around puts statements in braces behind a head.
func Around(head *Expr, body ...*Stmt) *Stmt { return &Stmt{Form: Braced, Head: head, Body: body} }

// DoWhile repeats a statement.
func DoWhile(s *Stmt, condition *Expr) *Stmt {
	return &Stmt{Form: Broken, Head: Head("do"), Body: []*Stmt{s}, Tail: Head("while", condition)}
}

// Head is a word that a statement begins with, and what is in its parentheses.
func Head(word string, args ...*Expr) *Expr { return &Expr{Kind: KindHead, Text: word, Args: args} }

// For is the head of a loop that counts from 0 to n.
func For(ctype, counter string, n *Expr) *Expr {
	i := Name(counter)
	return Head("for", Declare(ctype, Assign(i, Int(0))), Infix(i, "<", n), Name(counter+"++"))
}

// WalkAll visits the expressions of statements, in the order of the text.
func WalkAll(list []*Stmt, f func(*Expr)) {
	for _, s := range list {
		if s.Head != nil {
			s.Head.Walk(f)
		}
		WalkAll(s.Body, f)
		if s.Tail != nil {
			s.Tail.Walk(f)
		}
	}
}

// Lines is the text of statements, for Layout. leaf, if it is not nil, gives what is written for
// leaves (Expr.IsLeaf) instead of themselves; it is called in the order of the text.
func Lines(list []*Stmt, leaf func(e *Expr) string) (out []string) {
	text := func(e *Expr) string {
		if e == nil {
			return ""
		}
		p := printer{leaf: leaf}
		p.expr(e)
		return p.Builder.String()
	}
	for _, s := range list {
		head := text(s.Head)
		if s.Form == Plain {
			out = append(out, head+";")
			continue
		}
		body := Lines(s.Body, leaf)
		tail := text(s.Tail)
		if tail != "" {
			tail += ";"
		}
		switch s.Form {
		case Inline:
			body[0] = head + " " + body[0]
			out = append(out, body...)
			continue
		case Braced:
			head, tail = strings.TrimPrefix(head+" {", " "), strings.TrimSuffix("} "+tail, " ")
		}
		out = append(out, head)
		for _, x := range body {
			out = append(out, "    "+x)
		}
		if tail != "" {
			out = append(out, tail)
		}
	}
	return out
}

// Replace gives statements in which f has replaced parts of expressions: it returns nil for what
// stays.
func Replace(list []*Stmt, f func(e *Expr) *Expr) []*Stmt {
	out := make([]*Stmt, len(list))
	for i, s := range list {
		out[i] = &Stmt{Form: s.Form, Head: s.Head.replace(f), Body: Replace(s.Body, f), Tail: s.Tail.replace(f)}
	}
	return out
}

func (e *Expr) replace(f func(e *Expr) *Expr) *Expr {
	if e == nil {
		return nil
	}
	if other := f(e); other != nil {
		return other
	}
	if len(e.Args) == 0 {
		return e
	}
	out := *e
	out.Args = make([]*Expr, len(e.Args))
	for i, a := range e.Args {
		out.Args[i] = a.replace(f)
	}
	return &out
}

// LineLength is where lines are broken.
const LineLength = 150

// Layout is a line of Lines inside of a function, with its end; a long one is broken after commas.
func Layout(s string) string {
	var b strings.Builder
	lead := len(s) - len(strings.TrimLeft(s, " "))
	line := "    " + s
	for len(line) > LineLength {
		cut := strings.LastIndex(line[:LineLength+1], softSpace)
		if cut < 0 {
			cut = strings.Index(line, softSpace)
		}
		if cut <= lead+8 {
			break
		}
		b.WriteString(line[:cut] + "\n")
		line = strings.Repeat(" ", lead+8) + line[cut+len(softSpace):]
	}
	b.WriteString(line + "\n")
	return strings.ReplaceAll(b.String(), softSpace, " ")
}

// Body is the text of statements inside of a function.
func Body(list []*Stmt) string {
	var b strings.Builder
	for _, s := range Lines(list, nil) {
		b.WriteString(Layout(s))
	}
	return b.String()
}

// Flat is the text of statements inside of a function, without broken lines.
func Flat(list []*Stmt) string {
	var b strings.Builder
	for _, s := range Lines(list, nil) {
		b.WriteString("    " + strings.ReplaceAll(s, softSpace, " ") + "\n")
	}
	return b.String()
}

// Words are the identifiers of trees: variables, constants and functions.
type Words map[string]bool

// Add adds those of statements.
func (w Words) Add(list ...*Stmt) { WalkAll(list, w.Of) }

// Of adds the one of a node.
func (w Words) Of(e *Expr) {
	switch e.Kind {
	case KindName, KindTable, KindColumn, KindCall:
		w[e.Text] = true
	}
}
