package merge

import (
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/spec"
)

// Members tells the rank of a process in a communicator, and its size. The process is given by
// world and rank, the communicator by its code among the process's objects (archive.DynamicRef).
// The result is not ok if the rank is unknown, or not the same at all times.
type Members func(world, rank int, comm int64) (commRank, size int, ok bool)

// SetMembers makes ranks among the parameters relative to the own rank in their communicator where
// that takes less space. It must say the same of a process whatever part the process is in, and is
// asked when the archive is written.
func (p *Part) SetMembers(m Members) { p.members = m }

// minIrregular is the least size in bytes of a function that is worth trying to make relative.
// Formulas take less.
const minIrregular = 12

// relative is an open leaf whose function may be replaced.
type relative struct {
	p    *archive.Param
	fn   number
	gain int // bytes
}

// relate makes peers and roots in communicators of the program relative.
func (w *writer) relate(c *class, d *archive.ClassData) {
	if w.members == nil || c.group.unranked {
		return
	}
	ctx := w.env.context(c.group.size)
	bases := map[int64]*archive.Base{} // by communicator; nil if unknown
	found := map[int64][]relative{}
	var order []int64
	for t, id := range d.Terminals {
		tm := w.c.Templates[id]
		comm, ok := commOf(tm, d.Params[t])
		if !ok {
			continue
		}
		f := spec.ByID(tm.Func)
		k := -1
		for i, l := range archive.Leaves(nil, &tm.Signature) {
			if !tm.Open[i] {
				continue
			}
			k++
			p := &d.Params[t][k]
			if l.Kind() != archive.IntLeaf || p.Fn == nil || !isRank(f, l.Slot()) {
				continue
			}
			size := len(p.Fn.Append(nil))
			if size < minIrregular {
				continue
			}
			base, known := bases[comm]
			if !known {
				base = w.base(ctx, c, comm)
				bases[comm] = base
				order = append(order, comm)
			}
			if base == nil {
				continue
			}
			if r, ok := relativeTo(ctx, c.ranks, p, base); ok {
				r.gain = size - len(r.fn.fn().Append(nil)) - 1
				if r.gain > 0 {
					found[comm] = append(found[comm], r)
				}
			}
		}
	}
	for _, comm := range order {
		total := 0
		for _, r := range found[comm] {
			total += r.gain
		}
		if b := bases[comm]; b != nil && total > len(b.Size.Append(b.Rank.Append(nil))) {
			for _, r := range found[comm] {
				r.p.N, r.p.Fn, r.p.Base = r.fn.n, r.fn.f, b
			}
		}
	}
}

// isRank tells whether a slot holds a rank in a communicator.
func isRank(f *spec.Func, slot int) bool {
	s := &f.Slots[slot]
	if s.Param < 0 || s.Array {
		return false
	}
	kind := f.Params[s.Param].Kind
	return kind == "RANK" || kind == "RANK_NNI"
}

// commOf is the communicator of a terminal, if it is a dynamic object with the same number at all
// ranks.
func commOf(tm *archive.Template, ps []archive.Param) (int64, bool) {
	f := spec.ByID(tm.Func)
	k := -1
	for i, l := range archive.Leaves(nil, &tm.Signature) {
		if tm.Open[i] {
			k++
		}
		if s := &f.Slots[l.Slot()]; s.Class != spec.Comm || s.Out || s.Array || l.Kind() != archive.IntLeaf {
			continue
		}
		code := l.Int()
		if tm.Open[i] {
			if code = ps[k].N; ps[k].Fn != nil {
				return 0, false
			}
		}
		return code, code > 0 && code%2 == 0
	}
	return 0, false
}

// base is the rank of the class's processes in a communicator, nil if unknown.
func (w *writer) base(ctx *rankfunc.Context, c *class, comm int64) *archive.Base {
	var ranks, sizes []int64
	for r := range c.ranks.All() {
		rank, size, ok := w.members(c.group.world, r, comm)
		if !ok || size <= 0 || rank < 0 || rank >= size {
			return nil
		}
		ranks, sizes = append(ranks, int64(rank)), append(sizes, int64(size))
	}
	return &archive.Base{Rank: rankfunc.Fit(ctx, c.ranks, ranks), Size: rankfunc.Fit(ctx, c.ranks, sizes)}
}

// relativeTo gives the values of p relative to a base, if that can express them.
func relativeTo(ctx *rankfunc.Context, ranks *archive.RankSet, p *archive.Param, b *archive.Base) (relative, bool) {
	vals := make([]int64, 0, ranks.Len())
	for r, v := range p.Fn.Values(ranks) {
		size := b.Size.At(r)
		if v >= size {
			return relative{}, false // of another communicator, such as the remote group
		}
		if v >= 0 {
			v = (v - b.Rank.At(r) + size) % size
		}
		vals = append(vals, v)
	}
	return relative{p: p, fn: numberOf(rankfunc.Fit(ctx, ranks, vals))}, true
}

// absolute is the number that a relative parameter stands for.
func absolute(ctx *rankfunc.Context, ranks *archive.RankSet, p *archive.Param) number {
	vals := make([]int64, 0, ranks.Len())
	for r := range ranks.All() {
		vals = append(vals, p.At(r))
	}
	return numberOf(rankfunc.Fit(ctx, ranks, vals))
}
