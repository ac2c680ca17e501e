package rankfn

import "math"

// Tags of functions without a formula; smaller tags are kinds of formulas.
const (
	tagExcept = 64 + iota
	tagColumn
)

// maxPieces limits how many formulas one function has.
const maxPieces = 16

// Append appends the encoding of f to dst.
func (f *Func) Append(dst []byte) []byte { return f.AppendIn(dst, nil) }

// AppendIn appends the encoding of f, which was made with an equal context. It may be shorter than that of Append.
func (f *Func) AppendIn(dst []byte, ctx *Context) []byte {
	if f.f != nil {
		return f.f.appendIn(dst, ctx)
	}
	return f.packed().append(dst, f.ctx)
}

func (k *packed) append(dst []byte, ctx *Context) []byte {
	if k.except == nil {
		dst = k.f.appendIn(append(dst, tagColumn), ctx)
		return appendBytes(dst, k.col)
	}
	dst = k.f.appendIn(append(dst, tagExcept), ctx)
	return k.rest.AppendIn(k.except.AppendIn(dst, ctx), ctx)
}

// append appends the encoding of the formula: the kind and the parameters that it has.
func (f *formula) append(dst []byte) []byte {
	dst = append(dst, byte(f.kind))
	switch f.kind {
	case kGrid:
		return f.appendGrid(dst)
	case kPermute:
		dst = appendUvarint(dst, int(f.a))
		return appendUvarint(appendUvarint(dst, int(f.axes[1].size)), int(f.axes[2].size))
	case kNear, kNearNumber:
		return f.appendNear(dst)
	}
	for _, x := range f.params() {
		dst = appendVarint(dst, *x)
	}
	for _, x := range f.moduli() {
		dst = appendUvarint(dst, int(*x))
	}
	return dst
}

// moduli returns the moduli that are stored after the parameters.
func (f *formula) moduli() []*int64 {
	switch f.kind {
	case kCoords, kDiv, kMod, kLeader, kParent:
		return []*int64{&f.p}
	case kDigit:
		return []*int64{&f.p, &f.q}
	}
	return nil
}

// params returns the parameters that are stored, in their order.
func (f *formula) params() []*int64 {
	switch f.kind {
	case kConstant, kShift, kRing, kXor, kMod:
		return []*int64{&f.a}
	case kLine, kAddBelow, kAddAbove, kXorLine, kAtLeast, kAtMost, kAffine:
		return []*int64{&f.a, &f.b}
	case kCoords, kOne, kChild, kBetween:
		return []*int64{&f.a, &f.b, &f.c}
	case kDigit, kMultiple:
		return []*int64{&f.a, &f.c}
	case kParent, kClearLow, kClearHigh:
		return []*int64{&f.b}
	}
	return nil
}

// headNumbered plus the number of a grid stands for its axes.
const headNumbered = 2*maxAxes + 2

// appendGrid appends the axes: a number 2*n, or 2*n+1 if the size of the first axis follows from
// that of the communicator, or headNumbered and more if all sizes do; for each axis its size, and twice the shift plus one with wrap-around;
// and the border if there is one.
func (f *formula) appendGrid(dst []byte) []byte {
	rest := int64(1)
	for _, x := range f.axes[1:] {
		rest *= x.size
	}
	implied := f.axes[0].size*rest == f.size
	head := 2 * len(f.axes)
	switch {
	case f.number > 0:
		head = headNumbered + f.number - 1
	case implied:
		head++
	}
	dst = appendUvarint(dst, head)
	for i, x := range f.axes {
		if f.number == 0 && (i > 0 || !implied) {
			dst = appendUvarint(dst, int(x.size))
		}
		s := 2 * x.shift
		if x.periodic {
			s++
		}
		dst = appendVarint(dst, s)
	}
	if f.bordered() {
		dst = appendVarint(dst, f.b)
	}
	return dst
}

// bordered tells whether some rank of the communicator has no neighbour.
func (f *formula) bordered() bool {
	n := int64(1)
	for _, x := range f.axes {
		if !x.periodic && x.shift != 0 {
			return true
		}
		n *= x.size
	}
	return n != f.size
}

// Parse parses a function of the given ranks at the beginning of b, made with
// an equal context, and returns what follows it. Memory is bounded by a multiple of the length of b.
func Parse(b []byte, ctx *Context, ranks *Set) (*Func, []byte, error) {
	p := &input{in: b}
	f := p.function(ctx, ranks, 0)
	if p.err != nil {
		return nil, nil, p.err
	}
	return f, b[p.pos:], nil
}

func (p *input) function(ctx *Context, ranks *Set, depth int) *Func {
	tag := p.byte()
	k := &packed{}
	switch {
	case tag < tagExcept:
		return &Func{f: p.formula(ctx, kind(tag))}
	case tag == tagExcept && depth < maxPieces:
		k.f = p.formula(ctx, kind(p.byte()))
		k.except = p.setIn(ctx, ranks.Max()+1)
		if p.err == nil {
			k.rest = p.function(ctx, k.except, depth+1)
		}
	case tag == tagColumn:
		k.f = p.formula(ctx, kind(p.byte()))
		k.ranks = ranks
		at := p.pos
		r := p.column()
		if p.err == nil && r.Len() != uint64(ranks.Len()) {
			p.fail("wrong number of values")
		}
		if p.err == nil {
			q := &input{in: p.in, pos: at}
			k.col = q.bytes()
		}
	default:
		p.fail("unknown kind of function")
	}
	return stored(ctx, ranks, k)
}

func (p *input) byte() byte {
	if p.err == nil && p.left() == 0 {
		p.fail("cut off")
	}
	if p.err != nil {
		return 0
	}
	p.pos++
	return p.in[p.pos-1]
}

// formula reads the parameters of a formula of the given kind.
func (p *input) formula(ctx *Context, k kind) *formula {
	f := &formula{kind: k}
	if k >= kStep && k < tagExcept {
		if f.kind, f.a = kShift, ctx.step(k); f.a == 0 {
			p.fail("unknown step")
		}
		return f
	}
	switch k {
	case kRing, kLine, kGrid, kPermute, kChild, kAddBelow, kAddAbove, kXorLine, kMultiple, kNear, kNearNumber:
		f.size = int64(ctx.Size)
		if f.size < 1 || f.size > MaxRank+1 {
			p.fail("formula needs the size of the communicator")
			f.size = 1
		}
	}
	switch k {
	case kGrid:
		p.grid(ctx, f)
		return f
	case kPermute:
		p.permute(f)
		return f
	case kNear, kNearNumber:
		p.near(ctx, f)
		return f
	}
	if k >= kinds {
		p.fail("unknown kind of formula")
	}
	for _, x := range f.params() {
		*x = p.varint()
	}
	for _, x := range f.moduli() {
		*x = int64(p.upTo(math.MaxInt64, "modulus"))
		if *x == 0 {
			p.fail("modulus is 0")
			*x = 1
		}
	}
	return f
}

func (p *input) grid(ctx *Context, f *formula) {
	head := p.upTo(headNumbered+shapeAxes*maxShapes, "number of axes")
	var shape []int64
	if head >= headNumbered {
		shape = ctx.shape(uint64(head - headNumbered))
		f.number = head - headNumbered + 1
		head = 2 * len(shape)
		if head < 4 {
			shape = nil
		}
	}
	if head < 4 {
		p.fail("too few axes")
		head = 4
	}
	f.axes = make([]axis, head/2)
	n := int64(1)
	for i := range f.axes {
		x := &f.axes[i]
		x.size = 1
		if shape != nil {
			x.size = shape[i]
		} else if i > 0 || head&1 == 0 {
			x.size = int64(p.upTo(int(f.size/n), "size of an axis"))
			if x.size < 1 {
				p.fail("axis without ranks")
				x.size = 1
			}
			n *= x.size
		}
		s := p.varint()
		x.shift, x.periodic = s>>1, s&1 != 0
		if x.shift > MaxRank || x.shift < -MaxRank {
			p.fail("shift out of range")
		}
	}
	if head&1 != 0 {
		f.axes[0].size = f.size / n
	}
	f.b = -1
	if f.bordered() {
		f.b = p.varint()
	}
}

func (p *input) permute(f *formula) {
	f.a = int64(p.upTo(len(orders)-1, "order of axes"))
	f.axes = make([]axis, 3)
	n := int64(1)
	for i := 1; i < 3; i++ {
		f.axes[i].size = max(1, int64(p.upTo(int(f.size/n), "size of an axis")))
		n *= f.axes[i].size
	}
	f.axes[0].size = f.size / n
}
