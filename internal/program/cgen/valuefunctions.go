package cgen

import (
	"fmt"
	"maps"
	"strings"

	"github.com/tabard-hpc/tabard/internal/program/cc"
)

// valueFunctions are the C functions that give values at a rank, in the order in which they can be
// written.
type valueFunctions []*valueFunction

// valueFunction is a function, with parameters of type long if it has some.
type valueFunction struct {
	name, ctype, params string
	body                []*cc.Stmt
	words               cc.Words
}

// String is the definition of the function.
func (f *valueFunction) String() string {
	return fmt.Sprintf("static %s%s(%s)\n{\n%s}\n\n", f.ctype, f.name, f.params, cc.Flat(f.body))
}

// returns is what a function returns that does nothing else, nil for others.
func (f *valueFunction) returns() *cc.Expr {
	if f.body[0].Form != cc.Plain || len(f.body) > 1 {
		return nil
	}
	return f.body[0].Head.Args[0]
}

// String is the text of all of them.
func (v valueFunctions) String() string {
	var b strings.Builder
	for _, f := range v {
		b.WriteString(f.String())
	}
	return b.String()
}

// usedBy are those that a program with these words calls, directly or through others. Some have no
// caller in the end: what called them turned out to be the same as something else. Their words are
// added.
func (v valueFunctions) usedBy(words cc.Words) valueFunctions {
	var used valueFunctions
	for i := len(v) - 1; i >= 0; i-- { // a function calls none that follow it
		if words[v[i].name] {
			used = append(valueFunctions{v[i]}, used...)
			maps.Copy(words, v[i].words)
		}
	}
	return used
}

// valueFunction is the name of a function that returns a value, the one that there is if it has the
// same body.
func (g *generator) valueFunction(hint, ctype string, params []*cc.Expr, body []*cc.Stmt) string {
	list := "void"
	if len(params) > 0 {
		list = ""
		for i, p := range params {
			if i > 0 {
				list += ", "
			}
			list += "long " + p.Text
		}
	}
	key := ctype + list + cc.Flat(body)
	name := g.byBody[key]
	if name == "" {
		name = g.unique("the_" + hint)
		g.byBody[key] = name
		f := &valueFunction{name, ctype, list, body, cc.Words{}}
		f.words.Add(body...)
		g.values = append(g.values, f)
	}
	return name
}

// typedHelper is a call of a function without parameters.
func (g *generator) typedHelper(hint, ctype string, body ...*cc.Stmt) *cc.Expr {
	return cc.Call(g.valueFunction(hint, ctype, nil, body))
}

// helper is typedHelper for numbers.
func (g *generator) helper(hint string, body ...*cc.Stmt) *cc.Expr {
	return g.typedHelper(hint, "long ", body...)
}
