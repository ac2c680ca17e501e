package scale

import (
	bin "encoding/binary"
	"fmt"
	"maps"
	"slices"

	"tabard/internal/merge"
	"tabard/internal/rankfn"
	"tabard/trace"
)

// Of is what a job of some size would do, going by a recording of one of another size. Structure and parameters are
// those that the model gives; there are no times. The calls of the job were found to fit together (Model.Check).
// The error is an *Obstacles if the recording forbids it.
func Of(c *trace.Content, ranks int, o Options) (*trace.Content, *Model, error) {
	var out *trace.Content
	m, err := search(c, o, func(m *Model) (err error) {
		if out, err = m.At(ranks); err == nil {
			m.Checked, err = m.Check(out, ranks)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return out, m, nil
}

// maxTerminals bounds the calls of a class that differ.
const maxTerminals = 1 << 18

// At is the archive of a job with so many ranks. The error is an *Obstacles if the program cannot have that many.
func (m *Model) At(ranks int) (*trace.Content, error) {
	if ranks < 1 || ranks > rankfn.MaxRank {
		return nil, &Obstacles{List: []Obstacle{{Reason: fmt.Sprintf("%d ranks are not possible", ranks)}}}
	}
	v, err := m.Env(ranks)
	if err != nil {
		return nil, err
	}
	e := &emitter{m: m, v: v, ctx: &rankfn.Context{Size: ranks}, turned: map[*Node]bool{}}
	e.c = &trace.Content{Meta: m.meta, Modules: slices.Clone(m.Modules), Sites: slices.Clone(m.Sites)}
	e.c.Meta.Options = maps.Clone(m.meta.Options)
	if e.c.Meta.Options == nil {
		e.c.Meta.Options = map[string]string{}
	}
	e.c.Meta.Options["scaled"] = fmt.Sprintf("to %d ranks, not recorded: inferred from %s", ranks, m.sizes())
	e.c.Groups = []*trace.Group{m.groupOf(e.ctx, ranks)}
	for i := range m.Threads {
		t := &m.Threads[i]
		e.findTurned(t.Body)
		if err := e.thread(t, ranks); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(e.c.Classes, func(a, b *trace.ClassData) int {
		if d := a.Ranks.Min() - b.Ranks.Min(); d != 0 {
			return d
		}
		return a.Thread - b.Thread
	})
	p, err := merge.FromContent(e.c)
	if err != nil {
		return nil, err
	}
	return p.Content()
}

func (m *Model) sizes() string {
	text := ""
	for i, n := range m.Sizes {
		if i > 0 {
			text += " and "
		}
		text += fmt.Sprint(n)
	}
	return "a recording of " + text + " ranks"
}

// groupOf is the processes: like the first one of the recording.
func (m *Model) groupOf(ctx *rankfn.Context, ranks int) *trace.Group {
	g, first := m.group, m.group.Ranks.Min()
	vec := func(a []int64) *trace.RankVec { return rankfn.FitVec(ctx, rankfn.Range(0, 1), [][]int64{a}) }
	out := &trace.Group{Size: ranks, Ranks: rankfn.Range(0, ranks), PID: trace.ConstantFunc(0),
		Complete: trace.ConstantFunc(1), Lost: trace.ConstantFunc(0), Clocks: vec(nil), Bases: vec(g.Bases.At(first))}
	out.Hosts = caseOf(&g.Hosts, g.Ranks, first)
	out.Ends = caseOf(&g.Ends, g.Ranks, first)
	out.Modules = caseOf(&g.Modules, g.Ranks, first)
	for _, k := range g.Info {
		if k.Key == "pid" || k.Key == trace.InfoClockSync {
			continue
		}
		out.Info = append(out.Info, trace.InfoKey{Key: k.Key, Values: caseOf(&k.Values, g.Ranks, first)})
	}
	return out
}

// caseOf gives all ranks the value of one.
func caseOf[T any](c *trace.Cases[T], all *trace.RankSet, rank int) trace.Cases[T] {
	if i := c.Index(all, rank); i >= 0 {
		return trace.Cases[T]{Values: []T{c.Values[i]}}
	}
	return trace.Cases[T]{Values: make([]T, 1)}
}

// emitter makes the archive of a size.
type emitter struct {
	m   *Model
	v   *Env
	ctx *rankfn.Context
	c   *trace.Content
	// turned are the nodes with an index that something in them depends on.
	turned map[*Node]bool
}

// findTurned notes which nodes have iterations that differ.
func (e *emitter) findTurned(nodes []*Node) {
	for _, n := range nodes {
		if n.Index >= 0 {
			e.turned[n] = n.usesIndex(n.Index)
		}
		e.findTurned(n.Body)
	}
}

// usesIndex tells whether something below the node depends on the index of a loop.
func (n *Node) usesIndex(loop int) bool {
	for _, x := range n.Body {
		if x.Count.UsesIndex(loop) || x.usesIndex(loop) {
			return true
		}
	}
	if n.Call == nil {
		return false
	}
	for i := range n.Call.Slots {
		s := &n.Call.Slots[i]
		if s.Len.UsesIndex(loop) || slices.ContainsFunc(s.Parts, func(p *Expr) bool { return p.UsesIndex(loop) }) {
			return true
		}
	}
	return false
}

// conditional tells whether how often something below is executed, or how long a list is, differs at all.
func conditional(nodes []*Node) bool {
	for _, n := range nodes {
		if n.Count != nil || conditional(n.Body) {
			return true
		}
		if n.Call != nil {
			for i := range n.Call.Slots {
				if s := &n.Call.Slots[i]; s.fixedLength() {
					return true
				}
			}
		}
	}
	return false
}

// fixedLength tells whether the length of an array belongs to the structure of a class.
func (s *Slot) fixedLength() bool {
	return s.Const == nil && s.Kind == trace.List && s.Item != trace.Ref && s.Len != nil
}

// appendShape appends what makes the structure of a rank.
func (e *emitter) appendShape(dst []byte, nodes []*Node) []byte {
	for _, n := range nodes {
		times := int64(1)
		if n.Count != nil {
			times = max(n.Count.Eval(e.v), 0)
			x := times
			if !e.turned[n] {
				x = min(x, 2)
			}
			dst = bin.AppendUvarint(dst, uint64(x))
		}
		if times == 0 {
			continue
		}
		if n.Call != nil {
			for i := range n.Call.Slots {
				if s := &n.Call.Slots[i]; s.fixedLength() {
					dst = bin.AppendVarint(dst, s.Len.Eval(e.v))
				}
			}
			continue
		}
		if !conditional(n.Body) {
			continue
		}
		if !e.turned[n] {
			times = 1
		}
		for i := range min(times, maxTerminals) { // more are refused when the class is made
			e.v.Index[n.Index] = i
			dst = e.appendShape(dst, n.Body)
		}
	}
	return dst
}

// thread makes the classes of a thread.
func (e *emitter) thread(t *Thread, ranks int) error {
	groups := map[string]int{}
	var members [][]int
	var key []byte
	for r := range ranks {
		e.v.Rank = int64(r)
		if t.Count != nil && t.Count.Eval(e.v) == 0 {
			continue
		}
		key = e.appendShape(key[:0], t.Body)
		i, ok := groups[string(key)]
		if !ok {
			i = len(members)
			groups[string(key)] = i
			members = append(members, nil)
		}
		members[i] = append(members[i], r)
	}
	for _, list := range members {
		if err := e.class(t, list); err != nil {
			return err
		}
	}
	return nil
}
