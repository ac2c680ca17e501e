package memory

import (
	"math"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/spec"
)

// usage is a call with its values at one rank, as far as it takes to tell which memory it uses.
type usage struct {
	m     *Memory
	c     *class
	t     *terminal
	sig   *archive.Signature
	rank  int
	types map[int64]extent
	// see, if not nil, is told of the memory that calls use instead of the generator.
	see func(v *archive.Value, e extent)
}

// touch notes that a call uses the bytes of e relative to an address.
func (u *usage) touch(v *archive.Value, e extent) {
	switch {
	case u.see != nil:
		u.see(v, e)
	case e.placed && u.m.leaves(v, e):
		u.c.leaves = true // how far follows from each single call
		u.m.touch(u.rank, v, block(1))
	default:
		u.m.touch(u.rank, v, e)
	}
}

// column has all values of a column, none if the value is not in one.
func (u *usage) column(slot, field int) []int64 {
	vals, err := u.values(slot, field)
	if err != nil {
		return nil
	}
	return vals
}

func (u *usage) values(slot, field int) ([]int64, error) {
	return u.c.Values(program.Column{Terminal: u.t.id, Slot: slot, Field: field, Rank: u.rank})
}

// numbers are all values of a slot that is a number or in a column.
func (u *usage) numbers(slot int) []int64 {
	if v := u.value(slot); v.Kind != archive.Hole {
		return []int64{v.N}
	}
	return u.column(slot, 0)
}

// value is that of a slot, nil if there is none.
func (u *usage) value(slot int) *archive.Value {
	if slot < 0 || slot >= len(u.sig.Slots) {
		return nil
	}
	return &u.sig.Slots[slot]
}

func (u *usage) before(name string) (*program.Param, *archive.Value) {
	p := u.t.Param(name)
	if p == nil {
		return nil, nil
	}
	return p, u.value(p.Before)
}

// span is the least and the greatest value of a parameter, all calls together.
func (u *usage) span(name string) (lo, hi int64) {
	p, v := u.before(name)
	if v == nil {
		return 0, 0
	}
	return u.spanOf(p, v)
}

func (u *usage) spanOf(p *program.Param, v *archive.Value) (lo, hi int64) {
	switch v.Kind {
	case archive.Int:
		return v.N, v.N
	case archive.Addr:
		if v.Mem == archive.Literal {
			return v.N, v.N
		}
	case archive.Hole:
		return Bounds(u.column(p.Before, 0))
	case archive.Ints:
		return Bounds(v.Ints)
	}
	return 0, 0
}

// Bounds are the least and the greatest of some values, 0 if there are none.
func Bounds(vals []int64) (lo, hi int64) {
	if len(vals) == 0 {
		return 0, 0
	}
	lo, hi = math.MaxInt64, math.MinInt64
	for _, x := range vals {
		lo, hi = min(lo, x), max(hi, x)
	}
	return lo, hi
}

// ints are the values of an array.
func (u *usage) ints(name string) []int64 {
	p, v := u.before(name)
	if v == nil {
		return nil
	}
	if v.Kind == archive.Hole {
		return u.column(p.Before, 0)
	}
	return v.Ints
}

// addresses are the values of an array that may be addresses.
func (u *usage) addresses(name string) []archive.Value {
	p, v := u.before(name)
	switch {
	case v == nil:
	case v.Kind == archive.Hole:
		var out []archive.Value
		for _, w := range u.column(p.Before, 0) {
			out = append(out, archive.AddressOf(w))
		}
		return out
	case v.Kind == archive.List:
		return v.List
	case v.Kind == archive.Ints:
		var out []archive.Value
		for _, x := range v.Ints {
			out = append(out, archive.Value{Kind: archive.Addr, N: x})
		}
		return out
	}
	return nil
}

// codes are the codes of references in a slot.
func (u *usage) codes(slot int) ([]int64, error) {
	v := u.value(slot)
	switch {
	case v == nil:
	case v.Kind == archive.Ref:
		return []int64{v.N}, nil
	case v.Kind == archive.List:
		var out []int64
		for i := range v.List {
			out = append(out, v.List[i].N)
		}
		return out, nil
	case v.Kind == archive.Hole:
		return u.values(slot, 0)
	}
	return nil, nil
}

// typesOf are the extents of the datatypes of a parameter.
func (u *usage) typesOf(name string) ([]extent, error) {
	p := u.t.Param(name)
	if p == nil {
		return nil, nil
	}
	codes, err := u.codes(p.Before)
	if err != nil {
		return nil, err
	}
	var out []extent
	for _, code := range codes {
		e, ok := u.types[code]
		switch {
		case ok:
		case code%2 == 1 && int(code/2) < len(spec.Predefineds):
			e = predefinedType(spec.Predefineds[code/2].Name)
		case code == 0:
			e = extent{}
		default:
			e = unknownType
		}
		out = append(out, e)
	}
	return out, nil
}

// typeOf is what covers all of them.
func (u *usage) typeOf(name string) (extent, error) {
	list, err := u.typesOf(name)
	if err != nil || len(list) == 0 {
		return unknownType, err
	}
	e := list[0]
	for _, x := range list[1:] {
		e = both(e, x)
	}
	return e, nil
}

// room are names of parameters with the size in bytes of a buffer, also where that of the other one
// follows from a datatype.
var room = map[string]string{"outbuf": "outsize", "inbuf": "insize", "base": "size", "buffer": "size"}

// everyone are parts of names of functions in which a buffer holds a part for each process of the
// communicator.
var everyone = []struct{ part, param string }{
	{"llgather", "recvbuf"}, {"lltoall", ""}, {"atter", "sendbuf"}, {"ather", "recvbuf"},
}

// measure notes the memory that a call uses.
func (u *usage) measure() error {
	for i := range u.t.Params {
		p := &u.t.Params[i]
		if p.Role != program.Buffer && p.Role != program.BufferNew {
			continue
		}
		slot := p.Before
		if p.Role == program.BufferNew {
			slot = p.After
		}
		v := u.value(slot)
		if v == nil {
			continue
		}
		var places []archive.Value
		switch {
		case v.Kind == archive.Addr && v.Mem != archive.Literal:
			places = []archive.Value{*v}
		case v.Kind == archive.Hole:
			for _, w := range u.column(slot, 0) {
				if a := archive.AddressOf(w); a.Mem != archive.Literal {
					places = append(places, a)
				}
			}
		}
		if len(places) == 0 && (p.BufType < 0 || v.Kind == archive.Absent) {
			continue
		}
		e, err := u.extentOf(p)
		if err != nil {
			return err
		}
		for k := range e.parts {
			u.touch(&e.parts[k].at, e.parts[k].extent)
		}
		for k := range places {
			u.touch(&places[k], e)
			if p.Role == program.BufferNew {
				u.m.Segment(&places[k]).Made = true
				if r := u.m.Records[int64(places[k].Seg)]; r != nil && places[k].Mem == archive.Heap {
					r.Ours = false
				}
			}
		}
	}
	for i := range u.t.Params {
		p := &u.t.Params[i]
		if v := u.value(p.Before); v != nil && (p.Role == program.Displacement || p.Role == program.Displacements) {
			for _, a := range append(u.addresses(p.Name), *v) {
				if a.Kind == archive.Addr && a.Mem != archive.Literal {
					u.touch(&a, block(8))
				}
			}
		}
	}
	return nil
}

// extentOf is the bytes relative to a buffer that a call may use.
func (u *usage) extentOf(p *program.Param) (extent, error) {
	if size := room[p.Name]; size != "" && u.t.Param(size) != nil {
		_, hi := u.span(size)
		return block(max(hi, 8)), nil
	}
	if p.BufType < 0 {
		return block(8), nil
	}
	e, err := u.typeOf(u.t.Params[p.BufType].Name)
	if err != nil {
		return e, err
	}
	count := int64(1)
	if p.BufCount >= 0 {
		name := u.t.Params[p.BufCount].Name
		_, count = u.span(name)
		// MPI_Reduce_scatter
		if list := u.ints(name); u.t.Params[p.BufCount].Array && p.BufDispls < 0 && len(list) > 1 {
			count = 0
			for _, n := range list {
				count += n
			}
		}
	}
	step := e.size()
	out := e.repeat(u.parts(p)*count, step)
	if p.BufDispls >= 0 {
		d := &u.t.Params[p.BufDispls]
		lo, hi := u.span(d.Name)
		if u.t.Params[p.BufType].Array {
			step = 1
		}
		out = both(out.shift(lo*step), out.shift(hi*step))
		if p.BufCount >= 0 {
			out = u.parted(e, step, u.constantInts(&u.t.Params[p.BufCount]), u.constantInts(d), out)
		}
		out.placed = true
	}
	return out, nil
}

// constantInts are the elements of an array that is the same in all calls, nil for others.
func (u *usage) constantInts(p *program.Param) []int64 {
	if v := u.value(p.Before); v != nil && v.Kind == archive.Ints {
		return v.Ints
	}
	return nil
}

// parted is the bytes of parts of a buffer, each with its length and its place; otherwise is what
// it is if they differ from call to call.
func (u *usage) parted(e extent, step int64, counts, places []int64, otherwise extent) extent {
	if len(counts) != len(places) || len(counts) == 0 {
		return otherwise
	}
	var out extent
	some := false
	for i, n := range counts {
		if n <= 0 {
			continue
		}
		part := e.repeat(n, e.size()).shift(places[i] * step)
		if some {
			part = both(out, part)
		}
		out, some = part, true
	}
	return out
}

// parts is how many parts a buffer of a collective call has.
func (u *usage) parts(p *program.Param) int64 {
	if p.BufDispls >= 0 || p.BufCount >= 0 && u.t.Params[p.BufCount].Array {
		return 1
	}
	if strings.Contains(u.t.Name, "Reduce_scatter_block") || strings.Contains(u.t.Name, "reduce_scatter_block") {
		return int64(u.m.size)
	}
	if strings.Contains(u.t.Name, "educe_scatter") {
		return 1
	}
	for _, x := range everyone {
		if strings.Contains(u.t.Name, x.part) && (x.param == "" || x.param == p.Name) {
			if strings.Contains(u.t.Name, "eighbor") {
				return max(int64(u.m.size), 64)
			}
			return int64(u.m.size)
		}
	}
	return 1
}
