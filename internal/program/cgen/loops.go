package cgen

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabard-hpc/tabard/internal/program/cc"
)

// Loop says which loops of the program Result.Loops has.
type Loop struct {
	// Times is the number of iterations.
	Times int64
	// Call is a function that they call, directly or in a function of the program; empty for any.
	Call string
}

// noteLoops notes the outermost loops that are asked for among statements.
func (g *generator) noteLoops(list []*cc.Stmt) {
	for _, s := range list {
		if g.o.Loop.repeats(s.Head) && (g.o.Loop.Call == "" || g.calls([]*cc.Stmt{s})) {
			var b strings.Builder
			for line := range strings.Lines(cc.Body([]*cc.Stmt{s})) {
				b.WriteString(strings.TrimPrefix(line, "    ")) // it stands by itself, and not in a function
			}
			if text := b.String(); !slices.Contains(g.loops, text) {
				g.loops = append(g.loops, text)
			}
			continue
		}
		g.noteLoops(s.Body)
	}
}

// repeats tells whether the head of a statement is that of such a loop.
func (l *Loop) repeats(head *cc.Expr) bool {
	return head != nil && head.Kind == cc.KindHead && head.Text == "for" && len(head.Args) == 3 &&
		len(head.Args[1].Args) == 2 && head.Args[1].Args[1].String() == strconv.FormatInt(l.Times, 10)
}

// calls tells whether statements call the function that is asked for, or one of the program that does.
func (g *generator) calls(list []*cc.Stmt) (found bool) {
	cc.WalkAll(list, func(e *cc.Expr) {
		found = found || e.Kind == cc.KindCall && (e.Text == g.o.Loop.Call || g.callers[e.Text])
	})
	return found
}
