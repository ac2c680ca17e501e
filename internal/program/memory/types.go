package memory

import (
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/spec"
)

// An extent is where a datatype has its bytes: lb and ub as the standard defines them, Span
// that of its data.
type extent struct {
	lb, ub int64
	Span
	// far is data too far away to be in the same block of memory.
	far []Span
	// placed is set if the program computed places in the datatype itself: they may be in another
	// block.
	placed bool
	// parts are at addresses of their own: what is used together with MPI_BOTTOM.
	parts []piece
}

// A piece is a part of a datatype at an address.
type piece struct {
	at archive.Value
	extent
}

func block(n int64) extent { return extent{ub: n, Span: Span{High: n}} }

// unknownType is the extent of a datatype that nothing is known of.
var unknownType = block(64)

// sizes are those of predefined datatypes, by their names without prefix; others have as many bytes
// as their name ends with.
var sizes = map[string]int64{
	"CHAR": 1, "SIGNED_CHAR": 1, "UNSIGNED_CHAR": 1, "BYTE": 1, "PACKED": 1, "CHARACTER": 1, "C_BOOL": 1, "CXX_BOOL": 1,
	"INT8_T": 1, "UINT8_T": 1,
	"SHORT": 2, "UNSIGNED_SHORT": 2, "INT16_T": 2, "UINT16_T": 2, "C_FLOAT16": 2,
	"WCHAR": 4, "INT": 4, "UNSIGNED": 4, "FLOAT": 4, "INT32_T": 4, "UINT32_T": 4, "INTEGER": 4, "REAL": 4, "LOGICAL": 4,
	"COMPLEX16": 16, "COMPLEX32": 32, "DOUBLE_COMPLEX": 16, "C_DOUBLE_COMPLEX": 16, "CXX_DOUBLE_COMPLEX": 16,
	"LONG_DOUBLE": 16, "2DOUBLE_PRECISION": 16, "DOUBLE_INT": 16, "LONG_INT": 16, "2COMPLEX": 16, "SHORT_INT": 8,
	"C_LONG_DOUBLE_COMPLEX": 32, "CXX_LONG_DOUBLE_COMPLEX": 32, "LONG_DOUBLE_INT": 32, "2DOUBLE_COMPLEX": 32,
	"LB": 0, "UB": 0, "DATATYPE_NULL": 0,
}

func predefinedType(name string) extent {
	_, name, _ = strings.Cut(name, "_")
	if n, ok := sizes[name]; ok {
		return block(n)
	}
	for _, s := range []struct {
		end string
		n   int64
	}{{"16", 16}, {"8", 8}, {"4", 4}, {"2", 2}, {"1", 1}} {
		if strings.HasSuffix(name, s.end) {
			return block(s.n)
		}
	}
	return block(8)
}

// repeat is n copies of e, stride bytes apart.
func (e extent) repeat(n, stride int64) extent {
	if n <= 0 {
		return extent{}
	}
	last := product(n-1, stride)
	out := extent{lb: e.lb + min(0, last), ub: e.ub + max(0, last), placed: e.placed}
	var data []Span
	for _, s := range e.data() {
		if last <= -FarAway || last >= FarAway { // rather a few places far apart than all that lies between them
			for k := range min(n, mostFar) {
				data = append(data, s.move(product(k, stride)))
			}
			continue
		}
		data = append(data, Span{s.Low + min(0, last), s.High + max(0, last)})
	}
	out.setData(data)
	for _, p := range e.parts {
		out.parts = append(out.parts, piece{p.at, p.repeat(n, stride)})
	}
	return out
}

func (e extent) size() int64 { return e.ub - e.lb }

func (e extent) shift(d int64) extent {
	e.lb, e.ub = e.lb+d, e.ub+d
	data := e.data()
	for i := range data {
		data[i] = data[i].move(d)
	}
	e.setData(data)
	return e
}

// both is what lies in a or in b.
func both(a, b extent) extent {
	out := extent{lb: min(a.lb, b.lb), ub: max(a.ub, b.ub), placed: a.placed || b.placed,
		parts: slices.Concat(a.parts, b.parts)[:min(mostParts, len(a.parts)+len(b.parts))]}
	out.setData(append(a.data(), b.data()...))
	return out
}

// mostParts bounds what is kept of datatypes whose numbers are used again and again.
const mostParts = 256

// typesAt works out the datatypes that a rank makes, by code. One whose number is used again has
// the extents of all: that is enough to know how much memory calls use.
func (m *Memory) typesAt(c *class, rank int) (map[int64]extent, error) {
	key := rank
	if c.fixed {
		key = -1
	}
	if types := c.types[key]; types != nil {
		return types, nil
	}
	types := map[int64]extent{}
	fixed := true
	for _, t := range c.terms {
		p := newTypeParam(t)
		if p < 0 {
			continue
		}
		for _, open := range t.tm.Open {
			fixed = fixed && !open
		}
		fixed = fixed && len(t.tm.Signature.Columns()) == 0
		sig, err := c.Stream(rank).Signature(t.id)
		if err != nil {
			return nil, err
		}
		u := &usage{m: m, c: c, t: t, sig: sig, rank: rank, types: types}
		e, err := u.construct()
		if err != nil {
			return nil, err
		}
		codes, err := u.codes(p)
		if err != nil {
			return nil, err
		}
		for _, code := range codes {
			if old, ok := types[code]; ok {
				e = both(old, e)
			}
			types[code] = e
		}
	}
	if c.types[-1] == nil && fixed && len(c.types) == 0 {
		c.fixed, key = true, -1
	}
	if len(c.types) > 64 { // ranks are looked at in order
		clear(c.types)
	}
	c.types[key] = types
	return types, nil
}

// newTypeParam is the slot of the datatype that a call makes, -1 if it makes none.
func newTypeParam(t *terminal) int {
	for i := range t.Params {
		p := &t.Params[i]
		made := p.Life == spec.New || p.Life == spec.NewIfDerived || p.Life == spec.NewRef
		if p.Class == spec.Type && p.Codec == spec.Handle && p.After >= 0 && made {
			return p.After
		}
	}
	return -1
}

// construct is the extent of the datatype that a call makes.
func (u *usage) construct() (extent, error) {
	_, name, _ := strings.Cut(u.t.Name, "_Type_")
	name = strings.TrimSuffix(strings.TrimPrefix(name, "create_"), "_c")
	old := unknownType
	if u.t.Param("oldtype") != nil {
		e, err := u.typeOf("oldtype")
		if err != nil {
			return old, err
		}
		old = e
	}
	one := func(p string) int64 { _, hi := u.span(p); return hi }
	switch name {
	case "dup":
		return old, nil
	case "contiguous":
		return old.repeat(one("count"), old.size()), nil
	case "vector", "hvector":
		stride := one("stride")
		if name == "vector" {
			stride = product(stride, old.size())
		}
		old.placed = true
		return old.repeat(one("blocklength"), old.size()).repeat(one("count"), stride), nil
	case "resized":
		lb := one("lb")
		if program.IsAddress(lb) {
			lb = 0
		}
		old.lb, old.ub = lb, lb+one("extent")
		return old, nil
	case "subarray", "darray":
		list := "array_of_sizes"
		if name == "darray" {
			list = "array_of_gsizes"
		}
		n := int64(1)
		for _, v := range u.ints(list) {
			n *= v
		}
		return old.repeat(n, old.size()), nil
	case "indexed", "hindexed", "indexed_block", "hindexed_block", "struct":
		return u.blocks(name, old)
	}
	return unknownType, nil
}

// blocks is the extent of datatypes that are made of blocks at displacements.
func (u *usage) blocks(name string, old extent) (out extent, err error) {
	lengths, addrs := u.ints("array_of_blocklengths"), u.addresses("array_of_displacements")
	var olds []extent
	if name == "struct" {
		if olds, err = u.typesOf("array_of_types"); err != nil {
			return out, err
		}
	}
	first := true
	for i := range addrs {
		if i < len(olds) {
			old = olds[i]
		}
		_, n := u.span("blocklength")
		if len(lengths) > 0 { // displacements of several calls follow one another
			n = lengths[i%len(lengths)]
		}
		if n <= 0 {
			continue
		}
		e := old.repeat(n, old.size())
		a := &addrs[i]
		if a.Mem != archive.Literal {
			out.parts = append(out.parts, piece{*a, e})
			out.ub, out.High = max(out.ub, 1), max(out.High, 1)
			continue
		}
		d := a.N
		if name == "indexed" || name == "indexed_block" {
			d = product(d, old.size())
		}
		parts := out.parts
		if e = e.shift(d); !first {
			e = both(out, e)
		} else {
			e.parts = append(parts, e.parts...)
		}
		out, first = e, false
	}
	out.placed = true
	return out, nil
}
