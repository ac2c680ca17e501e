package published

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
)

// DefaultBuffer is the number of values that are compressed together: 1 MB of doubles.
const DefaultBuffer = 1 << 17

// maxBuffer keeps Huffman codes short and bounds what a hostile header can ask for.
const maxBuffer = 1 << 20

// The least and the greatest relative bound. With the least one there are 44,383 bins.
const (
	MinRelative = 1e-3
	MaxRelative = 1.0
)

// maxBounds is how many different bounds a codec may have: a few bytes of each can ask for that
// many bins.
const maxBounds = 32

// Params are what a method is told. The zero value of all but Bound means the published default.
type Params struct {
	// Bound is the error bound of each value: relative to it (0.1 is 10 %), or
	// absolute in the unit of the values for methods that are Absolute; see Codec.Within.
	Bound float64
	// Own are bounds of certain classes in place of Bound.
	Own map[uint32]float64
	// Buffer is the number of values compressed together, at most 2^20.
	Buffer int
	// K and M belong to hist: 2^K bins have short codes (0: 3; at most 8), taken from the
	// first M values of a class (0: 100).
	K, M int
	// Widest makes the bins of cfg and hist as wide as the bound allows.
	Widest bool
}

// method is one of the published methods.
type method struct {
	name     string
	id       byte
	absolute bool
	// clustered tells that the values of a class are to be brought together first, uniform those of
	// a bound.
	clustered, uniform bool
	// rounding is what an error may be more than the bound: the method as published yields real
	// numbers.
	rounding float64
	encode   func(dst []byte, b *buffer) []byte
	decode   func(p *input, b *buffer)
}

var methods = []method{
	{name: "cfg", id: 1, encode: encodeCFG, decode: decodeCFG},
	{name: "hist", id: 2, encode: encodeHist, decode: decodeHist, clustered: true},
	{name: "sz", id: 3, encode: encodeSZ, decode: decodeSZ, uniform: true, rounding: 0.5},
	{name: "sz-clustered", id: 4, encode: encodeSZ, decode: decodeSZ, uniform: true, rounding: 0.5, clustered: true},
	{name: "zfp", id: 5, encode: encodeZFP, decode: decodeZFP, uniform: true, absolute: true},
	{name: "zfp-clustered", id: 6, encode: encodeZFP, decode: decodeZFP, uniform: true, clustered: true,
		absolute: true},
}

// Names lists the methods.
func Names() []string {
	var names []string
	for _, m := range methods {
		names = append(names, m.name)
	}
	return names
}

// A Codec is a method with its parameters. It holds no state and may be shared.
type Codec struct {
	method method
	params Params
}

// New returns the codec of a method; Names lists them. It is an error if a
// parameter is out of its range: bounds of ZFP are absolute and at least 1, the others
// relative, from MinRelative to MaxRelative.
func New(name string, params Params) (*Codec, error) {
	i := slices.IndexFunc(methods, func(m method) bool { return m.name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no method %q for times", name)
	}
	c := &Codec{method: methods[i], params: params}
	p := &c.params
	p.Own = maps.Clone(params.Own)
	setDefault(&p.Buffer, DefaultBuffer)
	setDefault(&p.K, 3)
	setDefault(&p.M, 100)
	if p.Buffer < 1 || p.Buffer > maxBuffer || p.K < 1 || p.K > 8 || p.M < 1 {
		return nil, fmt.Errorf("%s: buffer (%d), K (%d) or M (%d) out of range", name, p.Buffer, p.K, p.M)
	}
	if err := c.method.checkBound(p.Bound); err != nil {
		return nil, err
	}
	distinct := map[float64]bool{p.Bound: true}
	for _, b := range p.Own {
		distinct[b] = true
		if err := c.method.checkBound(b); err != nil {
			return nil, err
		}
	}
	if len(distinct) > maxBounds {
		return nil, fmt.Errorf("%s: %d different error bounds; at most %d", name, len(distinct), maxBounds)
	}
	return c, nil
}

func setDefault(v *int, def int) {
	if *v == 0 {
		*v = def
	}
}

func (m *method) checkBound(b float64) error {
	switch {
	case m.absolute && !(b >= 1 && b <= 1<<62):
		return fmt.Errorf("%s: %g is no absolute error: at least 1 unit of the values", m.name, b)
	case !m.absolute && !(b >= MinRelative && b <= MaxRelative):
		return fmt.Errorf("%s: %g is no relative error: %g to %g", m.name, b, MinRelative, MaxRelative)
	}
	return nil
}

// Name returns the name of the method.
func (c *Codec) Name() string { return c.method.name }

// Absolute tells whether bounds are absolute.
func (c *Codec) Absolute() bool { return c.method.absolute }

// Within tells whether a decoded value of a class is within the bound of the original. The real
// numbers that SZ yields are rounded to integers, for which half a unit is allowed on top.
func (c *Codec) Within(value, decoded uint64, class uint32) bool {
	b := c.params.Bound
	if own, ok := c.params.Own[class]; ok {
		b = own
	}
	return c.method.within(value, decoded, b)
}

func (m *method) within(value, decoded uint64, bound float64) bool {
	d := max(value, decoded) - min(value, decoded)
	if m.absolute {
		return d <= uint64(bound)
	}
	return d == 0 || float64(d) <= bound*float64(value)+m.rounding
}

// Append appends the encoding of values to dst. classes has one entry for each.
func (c *Codec) Append(dst []byte, values []uint64, classes []uint32) []byte {
	if len(values) != len(classes) {
		panic("published: Codec.Append: values and classes differ in number")
	}
	dst = c.appendHeader(dst, len(values), classes)
	bounds := newBounds(&c.params)
	for from := 0; from < len(values); from += c.params.Buffer {
		to := min(from+c.params.Buffer, len(values))
		dst = c.appendBuffer(dst, bounds, values[from:to], classes[from:to])
	}
	return dst
}

func (c *Codec) appendHeader(dst []byte, n int, classes []uint32) []byte {
	p := &c.params
	dst = append(dst, c.method.id, 0)
	if p.Widest {
		dst[len(dst)-1] = flagWidest
	}
	dst = binary.AppendUvarint(dst, uint64(n))
	dst = binary.AppendUvarint(dst, uint64(p.Buffer))
	dst = appendDouble(dst, p.Bound)
	own := c.ownOf(classes)
	dst = binary.AppendUvarint(dst, uint64(len(own)))
	before := uint32(0)
	for _, class := range own {
		dst = binary.AppendUvarint(dst, uint64(class-before))
		dst = appendDouble(dst, p.Own[class])
		before = class
	}
	return dst
}

// ownOf lists those of classes that have bounds of their own.
func (c *Codec) ownOf(classes []uint32) []uint32 {
	if len(c.params.Own) == 0 {
		return nil
	}
	seen := map[uint32]bool{}
	for _, class := range classes {
		if _, ok := c.params.Own[class]; ok {
			seen[class] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

const flagWidest = 1

// Decode decodes in, all of it, to values, given the classes that Append had. It is an error if in
// is broken; values are then of no use. The parameters are those in the encoding, whatever those of
// c, but the method must be c's. It allocates in proportion to values and to in.
func (c *Codec) Decode(in []byte, values []uint64, classes []uint32) error {
	if len(values) != len(classes) {
		panic("published: Codec.Decode: values and classes differ in number")
	}
	p := open(in)
	params := c.parseHeader(p, len(values))
	bounds := newBounds(&params)
	for from := 0; from < len(values) && p.Err == nil; from += params.Buffer {
		to := min(from+params.Buffer, len(values))
		c.decodeBuffer(p, bounds, values[from:to], classes[from:to])
	}
	if p.Err == nil && p.Left() > 0 {
		p.Fail("bytes after the last value")
	}
	return p.Err
}

func (c *Codec) parseHeader(p *input, n int) Params {
	var params Params
	if id := p.Byte(); p.Err == nil && id != c.method.id {
		p.Fail("a method other than " + c.method.name)
	}
	flags := p.Byte()
	if flags > flagWidest {
		p.Fail("unknown flags")
	}
	params.Widest = flags&flagWidest != 0
	if p.Uvarint() != uint64(n) && p.Err == nil {
		p.Fail("the number of values is not that of the calls")
	}
	params.Buffer = int(p.below(maxBuffer + 1))
	if params.Buffer == 0 {
		p.Fail("empty buffers")
	}
	params.Bound = c.bound(p)
	class, distinct := uint64(0), map[float64]bool{params.Bound: true}
	for range p.count(9) {
		class += p.Uvarint()
		if class > math.MaxUint32 {
			p.Fail("class of a bound out of range")
		}
		bound := c.bound(p)
		if distinct[bound] = true; len(distinct) > maxBounds {
			p.Fail("too many different error bounds")
		}
		if p.Err != nil {
			break
		}
		if params.Own == nil {
			params.Own = map[uint32]float64{}
		}
		params.Own[uint32(class)] = bound
	}
	return params
}

func (c *Codec) bound(p *input) float64 {
	b := p.double()
	if p.Err == nil && c.method.checkBound(b) != nil {
		p.Fail("error bound out of range")
	}
	return b
}
