package infer

import (
	bin "encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/record/merge"
)

// Of is what a job of some size would do, going by a recording of one of another size. Structure
// and parameters are those that the model gives; there are no times. The calls of the job were
// found to fit together (Model.Check). The error is an *Obstacles if the recording forbids it.
func Of(c *archive.Content, ranks int, o Options) (*archive.Content, *Model, error) {
	made := map[*Model]*archive.Content{}
	m, err := search(c, o, func(m *Model) (err error) {
		if made[m], err = m.At(ranks); err == nil {
			m.Checked, err = m.Check(made[m], ranks)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	m.assume(m.rounded(ranks)...)
	return made[m], m, nil
}

// rounded says what parts of a whole do not come out even with so many ranks, although they did in
// the recordings: programs round them down or up, or give some ranks more than others.
func (m *Model) rounded(ranks int) (list []string) {
	v, err := m.Env(ranks)
	if err != nil {
		return nil
	}
	m.expressions(func(e *Expr) {
		e.Uses(func(x *Expr) bool {
			if x.Op != Div || x.Args[0].Op != Num || x.Args[1].Op == Num || x.UsesRank() || x.Uses(varies) {
				return false
			}
			if d := x.Args[1].Eval(v); d > 0 && x.Args[0].N%d != 0 {
				list = append(list, fmt.Sprintf("with %d ranks %v is rounded down; in the recordings it came out even",
					ranks, x))
			}
			return false
		})
	})
	slices.Sort(list)
	return slices.Compact(list)
}

// varies tells whether an expression is an index.
func varies(e *Expr) bool { return e.Op == Index || e.Op == Elem }

// maxTerminals bounds the calls of a class that differ.
const maxTerminals = 1 << 18

// At is the archive of a job with so many ranks. The error is an *Obstacles if the program cannot
// have that many.
func (m *Model) At(ranks int) (*archive.Content, error) {
	if ranks < 1 || ranks > rankfunc.MaxRank {
		return nil, refusal(nil, "%d ranks are not possible", ranks)
	}
	v, err := m.Env(ranks)
	if err != nil {
		return nil, err
	}
	e := &emitter{m: m, v: v, ctx: &rankfunc.Context{Size: ranks}, turned: map[*Node]bool{}}
	e.c = &archive.Content{Meta: m.meta, Modules: slices.Clone(m.Modules), Sites: slices.Clone(m.Sites)}
	e.c.Meta.Options = maps.Clone(m.meta.Options)
	if e.c.Meta.Options == nil {
		e.c.Meta.Options = map[string]string{}
	}
	e.c.Meta.Options["scaled"] = fmt.Sprintf("to %d ranks, not recorded: inferred from %s", ranks, m.sizes())
	e.c.Groups = []*archive.Group{m.groupOf(e.ctx, ranks)}
	for i := range m.Threads {
		t := &m.Threads[i]
		e.findTurned(t.Body)
		if err := e.thread(t, ranks); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(e.c.Classes, func(a, b *archive.ClassData) int {
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
func (m *Model) groupOf(ctx *rankfunc.Context, ranks int) *archive.Group {
	g, first := m.group, m.group.Ranks.Min()
	vec := func(a []int64) *archive.RankVec { return rankfunc.FitVec(ctx, rankfunc.Range(0, 1), [][]int64{a}) }
	out := &archive.Group{Size: ranks, Ranks: rankfunc.Range(0, ranks), PID: archive.ConstantFunc(0),
		Complete: archive.ConstantFunc(1), Lost: archive.ConstantFunc(0), Clocks: vec(nil),
		Bases: vec(g.Bases.At(first))}
	out.Hosts = caseOf(&g.Hosts, g.Ranks, first)
	out.Ends = caseOf(&g.Ends, g.Ranks, first)
	out.Modules = caseOf(&g.Modules, g.Ranks, first)
	for _, k := range g.Info {
		if k.Key == "pid" || k.Key == archive.InfoClockSync {
			continue
		}
		out.Info = append(out.Info, archive.InfoKey{Key: k.Key, Values: caseOf(&k.Values, g.Ranks, first)})
	}
	return out
}

// caseOf gives all ranks the value of one.
func caseOf[T any](c *archive.Cases[T], all *archive.RankSet, rank int) archive.Cases[T] {
	if i := c.Index(all, rank); i >= 0 {
		return archive.Cases[T]{Values: []T{c.Values[i]}}
	}
	return archive.Cases[T]{Values: make([]T, 1)}
}

// emitter makes the archive of a size.
type emitter struct {
	m   *Model
	v   *Env
	ctx *rankfunc.Context
	c   *archive.Content
	// turned are the nodes with an index that something in them depends on.
	turned map[*Node]bool
}

// findTurned notes which nodes have iterations that differ.
func (e *emitter) findTurned(nodes []*Node) {
	for _, n := range nodes {
		if n.Index >= 0 {
			expressions(n.Body, func(x *Expr) { e.turned[n] = e.turned[n] || x.UsesIndex(n.Index) })
		}
		e.findTurned(n.Body)
	}
}

// conditional tells whether how often something below is executed, or how long a list is, differs
// at all.
func conditional(nodes []*Node) bool {
	return slices.ContainsFunc(nodes, func(n *Node) bool {
		return n.Count != nil || conditional(n.Body) ||
			n.Call != nil && slices.ContainsFunc(n.Call.Slots, func(s Slot) bool { return s.fixedLength() })
	})
}

// fixedLength tells whether the length of an array belongs to the structure of a class.
func (s *Slot) fixedLength() bool {
	return s.Const == nil && s.Kind == archive.List && s.Item != archive.Ref && s.Len != nil
}

// appendShape appends what makes the structure of a rank.
func (e *emitter) appendShape(dst []byte, nodes []*Node) []byte {
	for _, n := range nodes {
		times := max(n.Count.Eval(e.v), 0)
		if n.Count != nil {
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
		if t.Count.Eval(e.v) == 0 {
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
