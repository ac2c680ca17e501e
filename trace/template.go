package trace

import (
	"math"

	"tabard/spec"
)

// The encoding of a template: uvarint function id, uvarint call site (0
// unknown, else 1 + index in the sites), byte flags, varint return code, and the slots. A slot is
// a byte, its kind + 16 * the set of its own leaves that are open, bit i for leaf i, and, as
// in a signature, what is not open. A list of references only, also an empty one, is of kind 11:
// uvarint length and uvarint codes; a string is a uvarint item of the strings; a status
// is varints source, tag, bytes and error + 2^32 * cancelled; an address is its class and its leaves.

// append appends the encoding of t; strs takes its strings.
func (t *Template) append(dst []byte, strs *pool) []byte {
	e := encoder{dst}
	e.uint(uint64(t.Func))
	e.uint(uint64(t.Site))
	e.b = append(e.b, byte(t.Flags))
	e.int(int64(t.Ret))
	open := t.Open
	for i := range t.Slots {
		open = e.templateValue(&t.Slots[i], open, strs)
	}
	return e.b
}

func (e *encoder) templateValue(v *Value, open []bool, strs *pool) []bool {
	n := leafCount(v)
	kind := byte(v.Kind)
	if IsRefs(v) {
		kind = refsKind
	}
	for i, o := range open[:n] {
		if o {
			kind |= 1 << (4 + i)
		}
	}
	e.b = append(e.b, kind)
	own := open[:n]
	open = open[n:]
	switch v.Kind {
	case Int, Float, Sentinel:
		if !own[0] {
			e.int(v.N)
		}
	case Ref:
		if !own[0] {
			e.uint(uint64(v.N))
		}
	case Addr:
		e.b = append(e.b, byte(v.Mem))
		if v.Mem != Literal && !own[0] {
			e.uint(uint64(v.Seg))
		}
		if !own[len(own)-1] {
			e.int(v.N)
		}
	case Str:
		if !own[0] {
			e.uint(uint64(strs.add(v.Str)))
		}
	case Ints:
		if !own[0] {
			e.uint(uint64(len(v.Ints)))
			for _, x := range v.Ints {
				e.int(x)
			}
		}
	case Stat:
		for i, x := range statusWords(&v.Stat) {
			if !own[i] {
				e.int(x)
			}
		}
	case List:
		if IsRefs(v) && own[0] {
			break
		}
		e.uint(uint64(len(v.List)))
		for i := range v.List {
			if IsRefs(v) {
				e.uint(uint64(v.List[i].N))
				continue
			}
			open = e.templateValue(&v.List[i], open, strs)
		}
	}
	return open
}

// parseTemplate reads a template that is all of d. sites is the number of call sites.
func parseTemplate(d *decoder, strs *items, sites int) (*Template, error) {
	id := d.uint()
	f := (*spec.Func)(nil)
	if d.err == nil && id <= math.MaxUint16 {
		f = spec.ByID(spec.ID(id))
	}
	if f == nil {
		d.fail("unknown function %d", id)
		return nil, d.err
	}
	t := &Template{Signature: Signature{Func: f.ID}}
	site := d.limited(math.MaxUint32, "call site")
	if site > uint64(sites) {
		d.fail("call site %d does not exist (there are %d)", site, sites)
	}
	t.Site = uint32(site)
	t.Flags = Flags(d.byte())
	ret := d.int()
	t.Ret = int32(ret)
	if int64(t.Ret) != ret {
		d.fail("return code %d is out of range", ret)
	}
	p := templateParser{d: d, strs: strs}
	for i := range f.Slots {
		v := p.value(3)
		setClass(&v, f.Slots[i].Class)
		t.Slots = append(t.Slots, v)
	}
	t.Open = p.open
	return t, d.end()
}

type templateParser struct {
	d    *decoder
	strs *items
	open []bool
}

func (p *templateParser) value(depth int) (v Value) {
	d := p.d
	b := d.byte()
	kind, mask := b&15, b>>4
	v.Kind = Kind(kind)
	if kind == refsKind {
		v.Kind = List
	} else if kind > refsKind {
		d.fail("unknown kind of value %d", kind)
		return v
	}
	if v.Kind == Addr {
		switch v.Mem = Mem(d.byte()); v.Mem {
		case Literal, Heap, Static, Stack, RawMem:
		default:
			d.fail("unknown class of address %d", v.Mem)
		}
	}
	n := leafCount(&v)
	if kind == byte(List) {
		n = 0
	}
	if d.err != nil {
		return v
	}
	if mask>>n != 0 {
		d.fail("more open leaves than the value has")
		return v
	}
	first := len(p.open)
	for i := range n {
		p.open = append(p.open, mask>>i&1 != 0)
	}
	if kind == byte(List) {
		if depth == 0 {
			d.fail("lists nested too deep")
			return v
		}
		for range d.count("elements") {
			if d.err != nil {
				return v
			}
			v.List = append(v.List, p.value(depth-1))
		}
		if IsRefs(&v) {
			d.fail("a list of references is coded as another one")
		}
		return v
	}
	p.leaves(&v, p.open[first:])
	return v
}

// leaves reads the leaves of v that are not open.
func (p *templateParser) leaves(v *Value, open []bool) {
	d := p.d
	for _, l := range appendLeaves(nil, v, 0) {
		if open[0] {
			open = open[1:]
			continue
		}
		open = open[1:]
		switch {
		case l.kind == StrLeaf:
			if i := d.index(p.strs.len(), "string"); d.err == nil {
				l.SetStr(string(p.strs.at(i)))
			}
			continue
		case l.kind == VecLeaf:
			vals := make([]int64, d.count("elements"))
			for i := range vals {
				vals[i] = p.number(v)
			}
			if err := l.SetVec(vals, spec.NoClass); err != nil {
				d.fail("%v", err)
			}
			continue
		}
		if err := l.SetInt(p.leafNumber(v, &l)); err != nil {
			d.fail("%v", err)
		}
	}
}

func (p *templateParser) leafNumber(v *Value, l *Leaf) int64 {
	if v.Kind == Ref || v.Kind == Addr && l.part == 0 {
		return int64(p.d.uint())
	}
	return p.d.int()
}

// number reads an element of an array.
func (p *templateParser) number(v *Value) int64 {
	if v.Kind == List {
		return int64(p.d.uint())
	}
	return p.d.int()
}
