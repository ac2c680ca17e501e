package merge

import (
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
)

// restrict returns the content with those processes only that keep selects: id is the
// rank, or the process id in a group of unranked ones. Functions of the rank are fitted
// anew. c stays as it is.
func restrict(c *archive.Content, keep func(g *archive.Group, id int) bool) *archive.Content {
	out := *c
	out.Groups, out.Classes = nil, nil
	index := make([]int, len(c.Groups))
	for i, g := range c.Groups {
		kept := subset(g.Ranks, func(id int) bool { return keep(g, id) })
		index[i] = -1
		if kept.Len() > 0 {
			index[i] = len(out.Groups)
			out.Groups = append(out.Groups, restrictGroup(g, kept))
		}
	}
	for _, cl := range c.Classes {
		g := c.Groups[cl.Group]
		kept := subset(cl.Ranks, func(id int) bool { return keep(g, id) })
		if kept.Len() == 0 {
			continue
		}
		n := restrictClass(cl, &restriction{ctx: &rankfunc.Context{Size: g.Size}, all: cl.Ranks, kept: kept})
		n.Group = index[cl.Group]
		out.Classes = append(out.Classes, n)
	}
	return &out
}

func subset(s *archive.RankSet, keep func(id int) bool) *archive.RankSet {
	var ids []int
	for id := range s.All() {
		if keep(id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == s.Len() {
		return s
	}
	return rankfunc.NewSet(ids)
}

// restriction is a set of ranks and those of them that stay.
type restriction struct {
	ctx       *rankfunc.Context
	all, kept *archive.RankSet
	bases     map[*archive.Base]*archive.Base
}

func (r *restriction) of(set *archive.RankSet) *restriction {
	return &restriction{ctx: r.ctx, all: set, kept: subset(set, r.kept.Contains)}
}

func (r *restriction) fn(f *archive.RankFunc) *archive.RankFunc {
	if f == nil || r.kept == r.all {
		return f
	}
	values := make([]int64, 0, r.kept.Len())
	for id := range r.kept.All() {
		values = append(values, f.At(id))
	}
	return rankfunc.Fit(r.ctx, r.kept, values)
}

func (r *restriction) fns(fs []*archive.RankFunc) []*archive.RankFunc {
	out := slices.Clone(fs)
	for i := range out {
		out[i] = r.fn(out[i])
	}
	return out
}

func (r *restriction) vec(v *archive.RankVec) *archive.RankVec {
	if v == nil || r.kept == r.all {
		return v
	}
	arrays := make([][]int64, 0, r.kept.Len())
	for id := range r.kept.All() {
		arrays = append(arrays, v.At(id))
	}
	return rankfunc.FitVec(r.ctx, r.kept, arrays)
}

// base restricts each base once, so that what shared a base still does.
func (r *restriction) base(b *archive.Base) *archive.Base {
	if b == nil || r.kept == r.all {
		return b
	}
	n := r.bases[b]
	if n == nil {
		n = &archive.Base{Rank: r.fn(b.Rank), Size: r.fn(b.Size)}
		if r.bases == nil {
			r.bases = map[*archive.Base]*archive.Base{}
		}
		r.bases[b] = n
	}
	return n
}

func (r *restriction) params(ps []archive.Param) []archive.Param {
	out := slices.Clone(ps)
	for i := range out {
		p := &out[i]
		p.Fn, p.Vec, p.Base = r.fn(p.Fn), r.vec(p.Vec), r.base(p.Base)
		if p.Str != nil {
			c := restrictCases(p.Str, r, nil)
			p.Str = &c
		}
	}
	return out
}

// restrictCases keeps the values of the ranks that stay. sub restricts a value; nil: there is
// nothing to restrict.
func restrictCases[T any](c *archive.Cases[T], r *restriction, sub func(v T, r *restriction) T) archive.Cases[T] {
	if r.kept == r.all {
		return *c
	}
	var out archive.Cases[T]
	var sets []*archive.RankSet
	for i, v := range c.Values {
		x := r.of(c.Ranks(r.all, i))
		if x.kept.Len() == 0 {
			continue
		}
		if sub != nil {
			v = sub(v, x)
		}
		out.Values, sets = append(out.Values, v), append(sets, x.kept)
	}
	out.Sets = sets
	sortCases(&out)
	if len(sets) == 1 || len(sets) == r.kept.Len() {
		out.Sets = nil
	}
	return out
}

// sortCases puts the cases in the order of their least ranks.
func sortCases[T any](c *archive.Cases[T]) {
	order := make([]int, len(c.Sets))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return c.Sets[a].Min() - c.Sets[b].Min() })
	var out archive.Cases[T]
	for _, i := range order {
		out.Sets, out.Values = append(out.Sets, c.Sets[i]), append(out.Values, c.Values[i])
	}
	*c = out
}

func restrictGroup(g *archive.Group, kept *archive.RankSet) *archive.Group {
	if kept == g.Ranks {
		return g
	}
	r := &restriction{ctx: &rankfunc.Context{Size: g.Size}, all: g.Ranks, kept: kept}
	n := *g
	n.Ranks = kept
	if !g.Unranked {
		n.Hosts = restrictCases(&g.Hosts, r, nil)
	}
	n.Ends, n.Modules = restrictCases(&g.Ends, r, nil), restrictCases(&g.Modules, r, nil)
	n.Info = slices.Clone(g.Info)
	for i := range n.Info {
		n.Info[i].Values = restrictCases(&g.Info[i].Values, r, nil)
	}
	n.PID, n.Complete, n.Lost = r.fn(g.PID), r.fn(g.Complete), r.fn(g.Lost)
	n.Clocks, n.Bases = r.vec(g.Clocks), r.vec(g.Bases)
	return &n
}

func restrictClass(c *archive.ClassData, r *restriction) *archive.ClassData {
	n := *c
	if r.kept == r.all {
		return &n
	}
	n.Ranks, n.Calls = r.kept, r.fn(c.Calls)
	n.Grammar, n.Trips = closeTrips(c.Grammar, r.fns(c.Trips))
	n.Params = slices.Clone(c.Params)
	for t := range n.Params {
		n.Params[t] = r.params(n.Params[t])
	}
	if len(c.Strings.Values) > 0 {
		n.Strings = restrictCases(&c.Strings, r, nil)
	}
	n.Columns = slices.Clone(c.Columns)
	for i := range n.Columns {
		n.Columns[i] = restrictCases(&c.Columns[i], r, func(v archive.ColumnData, x *restriction) archive.ColumnData {
			v.Params = x.params(v.Params)
			return v
		})
	}
	n.Timing = restrictCases(&c.Timing, r, nil)
	return &n
}

// closeTrips puts trip counts that are the same at all ranks into the grammar.
func closeTrips(g *archive.Grammar, trips []*archive.RankFunc) (*archive.Grammar, []*archive.RankFunc) {
	out := &archive.Grammar{Tail: g.Tail}
	var open []*archive.RankFunc
	k := 0
	for _, body := range g.Rules {
		body = slices.Clone(body)
		for i := range body {
			if body[i].Count != 0 {
				continue
			}
			if v, ok := trips[k].Constant(); ok {
				body[i].Count = uint64(v)
			} else {
				open = append(open, trips[k])
			}
			k++
		}
		out.Rules = append(out.Rules, body)
	}
	return out, open
}
