package rankfunc

import (
	"math"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// Tags of functions without a formula; smaller tags are kinds of formulas.
const (
	tagExcept = 64 + iota
	tagColumn
)

// maxPieces limits how many formulas one function has.
const maxPieces = 16

// Append appends the encoding of f to dst.
func (f *Func) Append(dst []byte) []byte { return f.AppendIn(dst, nil) }

// AppendIn appends the encoding of f, which was made with an equal context. It may be shorter than
// that of Append.
func (f *Func) AppendIn(dst []byte, ctx *Context) []byte {
	if f.f != nil {
		return f.f.appendIn(dst, ctx)
	}
	return f.packed().append(dst, f.ctx)
}

func (k *packed) append(dst []byte, ctx *Context) []byte {
	if k.except == nil {
		dst = k.f.appendIn(append(dst, tagColumn), ctx)
		return byteio.AppendSized(dst, k.col)
	}
	dst = k.f.appendIn(append(dst, tagExcept), ctx)
	return k.rest.AppendIn(k.except.AppendIn(dst, ctx), ctx)
}

// append appends the encoding of the formula: the kind and the parameters that it has.
func (f *Formula) append(dst []byte) []byte {
	dst = append(dst, byte(f.Kind))
	switch f.Kind {
	case FormulaGrid:
		return f.appendGrid(dst)
	case FormulaPermute:
		dst = appendUvarint(dst, int(f.A))
		return appendUvarint(appendUvarint(dst, int(f.Axes[1].Size)), int(f.Axes[2].Size))
	case FormulaNear, FormulaNearNumber:
		return f.appendNear(dst)
	}
	for _, x := range f.params() {
		dst = byteio.AppendVarint(dst, *x)
	}
	for _, x := range f.moduli() {
		dst = appendUvarint(dst, int(*x))
	}
	return dst
}

// moduli returns the moduli that are stored after the parameters.
func (f *Formula) moduli() []*int64 {
	switch f.Kind {
	case FormulaCoords, FormulaDiv, FormulaMod, FormulaLeader, FormulaParent:
		return []*int64{&f.P}
	case FormulaDigit:
		return []*int64{&f.P, &f.Q}
	}
	return nil
}

// params returns the parameters that are stored, in their order.
func (f *Formula) params() []*int64 {
	switch f.Kind {
	case FormulaConstant, FormulaShift, FormulaRing, FormulaXor, FormulaMod:
		return []*int64{&f.A}
	case FormulaLine, FormulaAddBelow, FormulaAddAbove, FormulaXorLine, FormulaAtLeast, FormulaAtMost, FormulaAffine:
		return []*int64{&f.A, &f.B}
	case FormulaCoords, FormulaOne, FormulaChild, FormulaBetween:
		return []*int64{&f.A, &f.B, &f.C}
	case FormulaDigit, FormulaMultiple:
		return []*int64{&f.A, &f.C}
	case FormulaParent, FormulaClearLow, FormulaClearHigh:
		return []*int64{&f.B}
	}
	return nil
}

// headNumbered plus the number of a grid stands for its axes.
const headNumbered = 2*maxAxes + 2

// appendGrid appends the axes: a number 2*n, or 2*n+1 if the size of the first axis follows from
// that of the communicator, or headNumbered and more if all sizes do; for each axis its size, and
// twice the shift plus one with wrap-around; and the border if there is one.
func (f *Formula) appendGrid(dst []byte) []byte {
	rest := int64(1)
	for _, x := range f.Axes[1:] {
		rest *= x.Size
	}
	implied := f.Axes[0].Size*rest == f.Size
	head := 2 * len(f.Axes)
	switch {
	case f.number > 0:
		head = headNumbered + f.number - 1
	case implied:
		head++
	}
	dst = appendUvarint(dst, head)
	for i, x := range f.Axes {
		if f.number == 0 && (i > 0 || !implied) {
			dst = appendUvarint(dst, int(x.Size))
		}
		s := 2 * x.Shift
		if x.Periodic {
			s++
		}
		dst = byteio.AppendVarint(dst, s)
	}
	if f.bordered() {
		dst = byteio.AppendVarint(dst, f.B)
	}
	return dst
}

// bordered tells whether some rank of the communicator has no neighbour.
func (f *Formula) bordered() bool {
	n := int64(1)
	for _, x := range f.Axes {
		if !x.Periodic && x.Shift != 0 {
			return true
		}
		n *= x.Size
	}
	return n != f.Size
}

// Parse parses a function of the given ranks at the beginning of b, made with an equal context, and
// returns what follows it. Memory is bounded by a multiple of the length of b.
func Parse(b []byte, ctx *Context, ranks *Set) (*Func, []byte, error) {
	p := open(b)
	f := p.function(ctx, ranks, 0)
	if p.Err != nil {
		return nil, nil, p.Err
	}
	return f, b[p.Pos:], nil
}

func (p *input) function(ctx *Context, ranks *Set, depth int) *Func {
	tag := p.Byte()
	k := &packed{}
	switch {
	case tag < tagExcept:
		return &Func{f: p.formula(ctx, FormulaKind(tag))}
	case tag == tagExcept && depth < maxPieces:
		k.f = p.formula(ctx, FormulaKind(p.Byte()))
		k.except = p.setIn(ctx, ranks.Max()+1)
		if p.Err == nil {
			k.rest = p.function(ctx, k.except, depth+1)
		}
	case tag == tagColumn:
		k.f = p.formula(ctx, FormulaKind(p.Byte()))
		k.ranks = ranks
		r, col := p.column()
		if p.Err == nil && r.Len() != uint64(ranks.Len()) {
			p.Fail("wrong number of values")
		}
		k.col = col
	default:
		p.Fail("unknown kind of function")
	}
	return stored(ctx, ranks, k)
}

// formula reads the parameters of a formula of the given kind.
func (p *input) formula(ctx *Context, k FormulaKind) *Formula {
	f := &Formula{Kind: k}
	if k >= kStep && k < tagExcept {
		if f.Kind, f.A = FormulaShift, ctx.step(k); f.A == 0 {
			p.Fail("unknown step")
		}
		return f
	}
	switch k {
	case FormulaRing, FormulaLine, FormulaGrid, FormulaPermute, FormulaChild, FormulaAddBelow, FormulaAddAbove,
		FormulaXorLine, FormulaMultiple, FormulaNear, FormulaNearNumber:
		f.Size = int64(ctx.Size)
		if f.Size < 1 || f.Size > MaxRank+1 {
			p.Fail("formula needs the size of the communicator")
			f.Size = 1
		}
	}
	switch k {
	case FormulaGrid:
		p.grid(ctx, f)
		return f
	case FormulaPermute:
		p.permute(f)
		return f
	case FormulaNear, FormulaNearNumber:
		p.near(ctx, f)
		return f
	}
	if k >= kinds {
		p.Fail("unknown kind of formula")
	}
	for _, x := range f.params() {
		*x = p.Varint()
	}
	for _, x := range f.moduli() {
		*x = int64(p.upTo(math.MaxInt64, "modulus"))
		if *x == 0 {
			p.Fail("modulus is 0")
			*x = 1
		}
	}
	return f
}

func (p *input) grid(ctx *Context, f *Formula) {
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
		p.Fail("too few axes")
		head = 4
	}
	f.Axes = make([]GridAxis, head/2)
	n := int64(1)
	for i := range f.Axes {
		x := &f.Axes[i]
		x.Size = 1
		if shape != nil {
			x.Size = shape[i]
		} else if i > 0 || head&1 == 0 {
			x.Size = int64(p.upTo(int(f.Size/n), "size of an axis"))
			if x.Size < 1 {
				p.Fail("axis without ranks")
				x.Size = 1
			}
			n *= x.Size
		}
		s := p.Varint()
		x.Shift, x.Periodic = s>>1, s&1 != 0
		if x.Shift > MaxRank || x.Shift < -MaxRank {
			p.Fail("shift out of range")
		}
	}
	if head&1 != 0 {
		f.Axes[0].Size = f.Size / n
	}
	f.B = -1
	if f.bordered() {
		f.B = p.Varint()
	}
}

func (p *input) permute(f *Formula) {
	f.A = int64(p.upTo(len(orders)-1, "order of axes"))
	f.Axes = make([]GridAxis, 3)
	n := int64(1)
	for i := 1; i < 3; i++ {
		f.Axes[i].Size = max(1, int64(p.upTo(int(f.Size/n), "size of an axis")))
		n *= f.Axes[i].Size
	}
	f.Axes[0].Size = f.Size / n
}
