package archive

import (
	"math"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
	"github.com/tabard-hpc/tabard/spec"
)

// A template is stored in three places, so that like things stand together: a row of the heads
// (function, call site, flags, return code, number of the shape), the shape, which many have in
// common, and its values.
//
// A shape has for each slot a byte, its kind + 16 * the set of its own leaves that are open, bit i
// for leaf i; then of an address its class, and of a list other than of references a uvarint length
// and its elements likewise. A list of references only, also an empty one, is of kind 11, and a
// hole whose statuses the program ignored of kind 12.
//
// The values are the leaves that are not open, in order: those of references, numbers of segments
// and items of the strings are uvarints, others varints; an array is a uvarint length and its
// elements; a status is source, tag, bytes and error + 2^32 * cancelled.

// appendShape appends the shape of t.
func (t *Template) appendShape(dst []byte) []byte {
	e, open := encoder{byteio.Writer{Out: dst}}, t.Open
	for i := range t.Slots {
		open = e.shape(&t.Slots[i], open)
	}
	return e.Out
}

func (e *encoder) shape(v *Value, open []bool) []bool {
	n := leafCount(v)
	kind := kindByte(v)
	if IsRefs(v) {
		kind = refsKind
	}
	for i, o := range open[:n] {
		if o {
			kind |= 1 << (4 + i)
		}
	}
	e.Out = append(e.Out, kind)
	open = open[n:]
	switch {
	case v.Kind == Addr:
		e.Out = append(e.Out, byte(v.Mem))
	case v.Kind == List && !IsRefs(v):
		e.Uvarint(uint64(len(v.List)))
		for i := range v.List {
			open = e.shape(&v.List[i], open)
		}
	}
	return open
}

// appendValues appends the values of t; strs takes its strings.
func (t *Template) appendValues(dst []byte, strs *pool) []byte {
	e, open := encoder{byteio.Writer{Out: dst}}, t.Open
	for i := range t.Slots {
		open = e.values(&t.Slots[i], open, strs)
	}
	return e.Out
}

func (e *encoder) values(v *Value, open []bool, strs *pool) []bool {
	n := leafCount(v)
	own := open[:n]
	open = open[n:]
	switch v.Kind {
	case Int, Float, Sentinel:
		if !own[0] {
			e.Varint(v.N)
		}
	case Ref:
		if !own[0] {
			e.Uvarint(uint64(v.N))
		}
	case Addr:
		if v.Mem != Literal && !own[0] {
			e.Uvarint(uint64(v.Seg))
		}
		if !own[len(own)-1] {
			e.Varint(v.N)
		}
	case Str:
		if !own[0] {
			e.Uvarint(uint64(strs.add(v.Str)))
		}
	case Ints:
		if !own[0] {
			e.Uvarint(uint64(len(v.Ints)))
			for _, x := range v.Ints {
				e.Varint(x)
			}
		}
	case Stat:
		for i, x := range statusWords(&v.Stat) {
			if !own[i] {
				e.Varint(x)
			}
		}
	case List:
		if !IsRefs(v) {
			for i := range v.List {
				open = e.values(&v.List[i], open, strs)
			}
		} else if !own[0] {
			e.Uvarint(uint64(len(v.List)))
			for i := range v.List {
				e.Uvarint(uint64(v.List[i].N))
			}
		}
	}
	return open
}

// heads are the heads of templates, checked as far as that is cheap.
type heads struct {
	rows   *table
	shapes *items
}

// check makes sure that templates, which share shapes, do not take much more memory than bytes of
// the file.
func (h *heads) check(p *parts) error {
	raw, slots := int64(0), int64(0)
	for _, n := range p.sizes {
		raw += n
	}
	for _, shape := range h.rows.cols[4] {
		if shape >= 0 && shape < int64(h.shapes.len()) {
			slots += int64(len(h.shapes.at(int(shape))))
		}
	}
	if slots > 4*raw+1<<16 {
		return broken("structure/heads", -1, "%d values of templates in a section of %d bytes", slots, raw)
	}
	return nil
}

// parseTemplate reads template i, whose values are all of d.
func (h *heads) parseTemplate(i int, d *decoder, strs *items, sites int) (*Template, error) {
	col := func(k int) int64 { return h.rows.cols[k][i] }
	f := (*spec.Func)(nil)
	if id := col(0); id >= 0 && id <= math.MaxUint16 {
		f = spec.ByID(spec.ID(id))
	}
	shape := col(4)
	switch {
	case f == nil:
		d.fail("unknown function %d", col(0))
	case col(1) < 0 || col(1) > int64(sites):
		d.fail("call site %d does not exist (there are %d)", col(1), sites)
	case col(2) < 0 || col(2) > math.MaxUint8:
		d.fail("flags %d are out of range", col(2))
	case col(3) != int64(int32(col(3))):
		d.fail("return code %d is out of range", col(3))
	case shape < 0 || shape >= int64(h.shapes.len()):
		d.fail("shape %d does not exist (there are %d)", shape, h.shapes.len())
	}
	if d.Err != nil {
		return nil, d.Err
	}
	t := &Template{Signature: Signature{Func: f.ID, Site: uint32(col(1)), Flags: Flags(col(2)), Ret: int32(col(3))}}
	sd := decode(h.shapes.at(int(shape)), "structure/shapes", h.shapes.offset(int(shape)))
	p := templateParser{d: sd, strs: strs}
	for i := range f.Slots {
		v := p.shape(3)
		if v.Ignored && f.Slots[i].Codec != spec.Status {
			sd.fail("an ignored value that is no status")
		}
		setClass(&v, f.Slots[i].Class)
		t.Slots = append(t.Slots, v)
	}
	if err := sd.end(); err != nil {
		return nil, err
	}
	t.Open = p.open
	p.d = d
	open := p.open
	for i := range t.Slots {
		open = p.values(&t.Slots[i], open)
		setClass(&t.Slots[i], f.Slots[i].Class)
	}
	return t, d.end()
}

type templateParser struct {
	d    *decoder
	strs *items
	open []bool
}

// shape reads the shape of a value.
func (p *templateParser) shape(depth int) (v Value) {
	d := p.d
	b := d.Byte()
	kind, mask := b&15, b>>4
	v.setKind(kind)
	if kind == refsKind {
		v.Kind = List
	} else if kind > ignoredKind {
		d.fail("unknown kind of value %d", kind)
		return v
	}
	if v.Kind == Addr {
		switch v.Mem = Mem(d.Byte()); v.Mem {
		case Literal, Heap, Static, Stack, RawMem:
		default:
			d.fail("unknown class of address %d", v.Mem)
		}
	}
	n := leafCount(&v)
	if kind == byte(List) {
		n = 0
	}
	if d.Err != nil {
		return v
	}
	if mask>>n != 0 {
		d.fail("more open leaves than the value has")
		return v
	}
	for i := range n {
		p.open = append(p.open, mask>>i&1 != 0)
	}
	if kind == byte(List) {
		if depth == 0 {
			d.fail("lists nested too deep")
			return v
		}
		for range d.count("elements") {
			if d.Err != nil {
				return v
			}
			v.List = append(v.List, p.shape(depth-1))
		}
		if allRefs(v.List) {
			d.fail("a list of references is coded as another one")
		}
	}
	return v
}

// allRefs tells of a list with its shape only whether it is one of references.
func allRefs(list []Value) bool {
	for i := range list {
		if list[i].Kind != Ref {
			return false
		}
	}
	return true
}

// values reads the leaves of v that are not open.
func (p *templateParser) values(v *Value, open []bool) []bool {
	if v.Kind == List && len(v.List) > 0 {
		for i := range v.List {
			open = p.values(&v.List[i], open)
		}
		return open
	}
	d := p.d
	for _, l := range appendLeaves(nil, v, 0) {
		if d.Err != nil {
			return nil
		}
		own := open[0]
		open = open[1:]
		switch {
		case own:
		case l.kind == StrLeaf:
			if i := d.index(p.strs.len(), "string"); d.Err == nil {
				l.SetStr(string(p.strs.at(i)))
			}
		case l.kind == VecLeaf:
			vals := make([]int64, d.count("elements"))
			for i := range vals {
				vals[i] = p.number(v)
			}
			if err := l.SetVec(vals, spec.NoClass); err != nil {
				d.fail("%v", err)
			}
		default:
			if err := l.SetInt(p.leafNumber(v, &l)); err != nil {
				d.fail("%v", err)
			}
		}
	}
	return open
}

func (p *templateParser) leafNumber(v *Value, l *Leaf) int64 {
	if v.Kind == Ref || v.Kind == Addr && l.part == 0 {
		return int64(p.d.Uvarint())
	}
	return p.d.Varint()
}

// number reads an element of an array.
func (p *templateParser) number(v *Value) int64 {
	if v.Kind == List {
		return int64(p.d.Uvarint())
	}
	return p.d.Varint()
}
