package cgen

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/program/cc"
)

// mostIntervals is how many intervals a condition lists.
const mostIntervals = 3

// condition is an expression that tells whether rank, one of all, is in s: the number 1 if it
// always is.
func (g *generator) condition(s, all *archive.RankSet) *cc.Expr {
	if s.Len() == all.Len() {
		return cc.Int(1)
	}
	if c, ok := intervals(s, all); ok {
		return c
	}
	var rest []int
	for r := range all.All() {
		if !s.Contains(r) {
			rest = append(rest, r)
		}
	}
	if c, ok := intervals(rankfunc.NewSet(rest), all); ok {
		if c.Kind == cc.KindInfix && c.Text == "==" {
			return cc.Infix(rankVar, "!=", c.Args[1])
		}
		return cc.Prefix("!", cc.Paren(c))
	}
	runs := s.Runs()
	if len(runs) == 1 && len(runs[0].Body) == 0 {
		return stepped(&runs[0], all)
	}
	return g.member(runs)
}

// onlyIf is a statement under a condition that may always hold.
func onlyIf(condition *cc.Expr, s *cc.Stmt) *cc.Stmt {
	if condition.IsInt(1) {
		return s
	}
	return cc.If(condition, s)
}

// joinedBy joins expressions with an operator.
func joinedBy(op string, list []*cc.Expr) *cc.Expr {
	if len(list) == 0 {
		return cc.Int(0)
	}
	out := list[0]
	for _, e := range list[1:] {
		out = cc.Infix(out, op, e)
	}
	return out
}

func within(e *cc.Expr, lo, hi int) *cc.Expr {
	return joinedBy("&&", []*cc.Expr{compare(e, ">=", int64(lo)), compare(e, "<", int64(hi))})
}

// intervals is a condition for a few intervals.
func intervals(s, all *archive.RankSet) (*cc.Expr, bool) {
	var parts []*cc.Expr
	for lo, hi := range s.Intervals() {
		if len(parts) == mostIntervals {
			return nil, false
		}
		switch {
		case hi == lo+1:
			parts = append(parts, compare(rankVar, "==", int64(lo)))
		case lo <= all.Min():
			parts = append(parts, compare(rankVar, "<", int64(hi)))
		case hi > all.Max():
			parts = append(parts, compare(rankVar, ">=", int64(lo)))
		default:
			parts = append(parts, cc.Paren(within(rankVar, lo, hi)))
		}
	}
	return joinedBy("||", parts), true
}

// stepped is a condition for single ranks with a constant distance.
func stepped(r *rankfunc.Run, all *archive.RankSet) *cc.Expr {
	last := r.Low + (r.Count-1)*r.Stride
	var parts []*cc.Expr
	if r.Low-r.Stride >= all.Min() {
		parts = append(parts, compare(rankVar, ">=", int64(r.Low)))
	}
	if last+r.Stride <= all.Max() {
		parts = append(parts, compare(rankVar, "<=", int64(last)))
	}
	steps := compare(compare(rankVar, "%", int64(r.Stride)), "==", int64(r.Low%r.Stride))
	return joinedBy("&&", append(parts, steps))
}

// member is a call of a function that looks for the rank in runs that nest.
func (g *generator) member(runs []rankfunc.Run) *cc.Expr {
	body := []*cc.Stmt{cc.Do(cc.Declare("long", cc.Name("x")))}
	body = append(body, lookup(runs, rankVar, 1)...)
	return g.helper("in_set", append(body, cc.Return(cc.Int(0)))...)
}

// lookup is statements that return 1 if from is in one of the runs. Level counts how deep they
// nest.
func lookup(runs []rankfunc.Run, from *cc.Expr, level int) (out []*cc.Stmt) {
	for i := range runs {
		r := &runs[i]
		offset := plus(from, -int64(r.Low))
		if len(r.Body) == 0 {
			x := cc.Name("x")
			found := within(x, 0, (r.Count-1)*r.Stride+1)
			if r.Stride > 1 {
				found = joinedBy("&&", []*cc.Expr{found, compare(compare(x, "%", int64(r.Stride)), "==", 0)})
			}
			out = append(out, cc.Do(cc.Assign(x, offset)), cc.If(found, cc.Return(cc.Int(1))))
			continue
		}
		inner := cc.Name(fmt.Sprintf("x%d", level))
		place := cc.Declare("long", cc.Assign(inner, compare(cc.Paren(offset), "%", int64(r.Stride))))
		out = append(out, cc.Around(cc.Head("if", within(from, r.Low, r.Low+r.Count*r.Stride)),
			append([]*cc.Stmt{cc.Do(place)}, lookup(r.Body, inner, level+1)...)...))
	}
	return out
}

// A choice is an expression that some ranks have.
type choice struct {
	e     *cc.Expr
	ranks []int
}

// choose is an expression that has the value of each rank of a set.
func (g *generator) choose(ranks *archive.RankSet, hint, ctype string, value func(rank int) *cc.Expr) *cc.Expr {
	var list []*choice
	at := map[string]*choice{}
	for r := range ranks.All() {
		e := value(r)
		s := e.String()
		if at[s] == nil {
			at[s] = &choice{e: e}
			list = append(list, at[s])
		}
		at[s].ranks = append(at[s].ranks, r)
	}
	last := len(list) - 1
	if last == 0 {
		return list[0].e
	}
	var body []*cc.Stmt
	for _, c := range list[:last] {
		body = append(body, cc.If(g.condition(rankfunc.NewSet(c.ranks), ranks), cc.Return(c.e)))
	}
	return g.typedHelper(hint, ctype, append(body, cc.Return(list[last].e))...)
}
