package cgen

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/spec"
)

// A number is an integer that may differ between the ranks of a class.
type number struct {
	n    int64
	fn   *archive.RankFunc // nil: n at all ranks
	base *archive.Base     // not nil: relative to a communicator
}

// at is the number at a rank.
func (x *number) at(rank int) int64 {
	p := archive.Param{N: x.n, Fn: x.fn, Base: x.base}
	return p.At(rank)
}

// constant is the number if it is the same at all ranks.
func (x *number) constant() (int64, bool) {
	if x.base != nil {
		return 0, false
	}
	if x.fn != nil {
		return x.fn.Constant()
	}
	return x.n, true
}

// A value is a archive.Value whose leaves are functions of the rank.
type value struct {
	kind  archive.Kind
	class spec.Class
	mem   archive.Mem
	seg   number // of addresses
	n     number
	ints  []int64          // of arrays of integers, and codes of lists of references
	vec   *archive.RankVec // instead of ints, if they differ
	str   string
	strs  *archive.Cases[string]
	list  []value
	refs  bool // a list of references
	at    int  // the slot
	holes bool // some element is a hole
	// ignored is set for statuses that the program did not ask for: see archive.Value.
	ignored bool
}

// A terminal is a call of the recording.
type terminal struct {
	*program.Func
	tm    *archive.Template
	slots []value
	site  *archive.Site
	id    uint32
}

// A class is a class of streams, with what the generator needs of it.
type class struct {
	*program.Class
	data  *archive.ClassData
	ctx   *rankfunc.Context
	terms []*terminal
}

func loadClass(c *archive.Class, index int) (*class, error) {
	d, err := c.Data()
	if err != nil {
		return nil, err
	}
	ctx := &rankfunc.Context{Size: c.Group().Size}
	out := &class{Class: &program.Class{Class: c, Index: index}, data: d, ctx: ctx}
	for i := range d.Terminals {
		tm, err := c.Template(uint32(i))
		if err != nil {
			return nil, err
		}
		f := program.FuncOf(tm.Func)
		if f == nil {
			return nil, fmt.Errorf("terminal %d is a call of a function that is not known", i)
		}
		t := &terminal{Func: f, tm: tm, site: c.Site(tm), id: uint32(i)}
		b := leafReader{open: tm.Open, params: d.Params[i]}
		for s := range tm.Slots {
			v := b.value(&tm.Slots[s])
			v.at = s
			t.slots = append(t.slots, v)
		}
		out.terms = append(out.terms, t)
	}
	return out, nil
}

// leafReader takes open leaves from the parameters of a terminal, in the order of archive.Leaves.
type leafReader struct {
	open   []bool
	params []archive.Param
}

func (b *leafReader) next() *archive.Param {
	open := b.open[0]
	b.open = b.open[1:]
	if !open {
		return nil
	}
	p := &b.params[0]
	b.params = b.params[1:]
	return p
}

func (b *leafReader) number(n int64) number {
	if p := b.next(); p != nil {
		return number{p.N, p.Fn, p.Base}
	}
	return number{n: n}
}

func (b *leafReader) value(v *archive.Value) value {
	out := value{kind: v.Kind, class: v.Class, mem: v.Mem, holes: v.Kind == archive.Hole, ignored: v.Ignored}
	switch v.Kind {
	case archive.Int, archive.Float, archive.Ref, archive.Sentinel:
		out.n = b.number(v.N)
	case archive.Addr:
		if v.Mem != archive.Literal {
			out.seg = b.number(int64(v.Seg))
		}
		out.n = b.number(v.N)
	case archive.Str:
		out.str = v.Str
		if p := b.next(); p != nil {
			out.strs = p.Str
		}
	case archive.Ints:
		b.array(&out, v.Ints)
	case archive.Stat:
		for range 4 {
			b.next()
		}
	case archive.List:
		if out.refs = archive.IsRefs(v); out.refs {
			var codes []int64
			for i := range v.List {
				codes = append(codes, v.List[i].N)
			}
			b.array(&out, codes)
			break
		}
		for i := range v.List {
			e := b.value(&v.List[i])
			out.list = append(out.list, e)
			out.holes = out.holes || e.holes
		}
	}
	return out
}

func (b *leafReader) array(out *value, ints []int64) {
	out.ints = ints
	if p := b.next(); p != nil {
		out.vec = p.Vec
		if same, ok := p.Vec.Constant(); ok {
			out.ints, out.vec = same, nil
		}
	}
}

// slot is the value of a slot, nil if there is none.
func (t *terminal) slot(i int) *value {
	if i < 0 || i >= len(t.slots) {
		return nil
	}
	return &t.slots[i]
}
