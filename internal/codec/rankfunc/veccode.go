package rankfunc

import (
	"sync"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
	"github.com/tabard-hpc/tabard/internal/codec/column"
)

// A flat has all arrays in one column, as differences from a formula of the rank.
type flat struct {
	ranks  *Set
	length *Func
	f      *Formula
	col    []byte

	mu      sync.Mutex
	column  *column.Reader // of col; its values are guarded by mu
	once    sync.Once
	offsets []int // of the arrays in the column, by once; nil if all arrays are equally long
}

// at returns the array of rank r, none if it has none.
func (k *flat) at(r int) []int64 {
	i, ok := k.ranks.Index(r)
	if !ok {
		return nil
	}
	var from, n int
	if length, same := k.length.Constant(); same {
		from, n = i*int(length), int(length)
	} else {
		k.once.Do(k.sum)
		from, n = k.offsets[i], k.offsets[i+1]-k.offsets[i]
	}
	a := make([]int64, n)
	k.mu.Lock()
	k.column.Read(uint64(from), a)
	k.mu.Unlock()
	base := k.f.at(int64(r))
	for j := range a {
		a[j] += base
	}
	return a
}

func (k *flat) sum() {
	n := 0
	k.offsets = append(make([]int, 0, k.ranks.Len()+1), 0)
	for _, length := range k.length.Values(k.ranks) {
		n += int(length)
		k.offsets = append(k.offsets, n)
	}
}

// Append appends the encoding of v to dst.
func (v *Vec) Append(dst []byte) []byte {
	switch v.form {
	case formFlat:
		return v.flat.append(dst)
	case formElements:
		return v.appendElements(dst)
	}
	col := v.col
	if col == nil {
		b := column.NewBuilder()
		for _, x := range v.base {
			b.Append(x)
		}
		col = encodeColumn(b)
	}
	dst = byteio.AppendSized(append(dst, byte(v.form)), col)
	if v.g != nil {
		dst = v.g.Append(dst)
	}
	return dst
}

func (k *flat) append(dst []byte) []byte {
	dst = k.f.append(k.length.Append(append(dst, byte(formFlat))))
	return byteio.AppendSized(dst, k.col)
}

// appendElements appends the functions of the elements or one column, what takes less space.
// Arrays of several lengths can be stored as functions only if these do not
// rely on the ranks that have the element.
func (v *Vec) appendElements(dst []byte) []byte {
	start := len(dst)
	dst = v.length.Append(append(dst, byte(formElements)))
	dst = appendUvarint(dst, len(v.cols))
	_, same := v.length.Constant()
	formulas, possible := true, true
	for _, c := range v.cols {
		dst = c.Append(dst)
		if c.f == nil {
			formulas = false
			possible = possible && (same || c.packed().except != nil)
		}
	}
	if formulas || v.read {
		return dst
	}
	f := v.flatten().append(nil)
	if !possible || len(f) < len(dst)-start {
		return append(dst[:start], f...)
	}
	return dst
}

// flatten returns all arrays in a column, of the values or of their differences from the rank.
func (v *Vec) flatten() *flat {
	plain, relative := column.NewBuilder(), column.NewBuilder()
	for r, a := range v.Values(v.ranks) {
		for _, x := range a {
			plain.Append(x)
			relative.Append(x - int64(r))
		}
	}
	k := &flat{length: v.length, f: &Formula{}, col: encodeColumn(plain)}
	if c := encodeColumn(relative); len(c) < len(k.col) {
		k.f, k.col = &Formula{Kind: FormulaShift}, c
	}
	return k
}

// ParseVec parses a function that gives arrays to the given ranks at the beginning of b, made with
// an equal context, and returns what follows it. Memory is bounded by a multiple of the length of
// b; so is that of an array by MaxLength.
func ParseVec(b []byte, ctx *Context, ranks *Set) (*Vec, []byte, error) {
	p := open(b)
	v := p.vec(ctx, ranks)
	if p.Err != nil {
		return nil, nil, p.Err
	}
	return v, b[p.Pos:], nil
}

func (p *input) vec(ctx *Context, ranks *Set) *Vec {
	v := &Vec{form: form(p.Byte()), size: ctx.ranks()}
	switch v.form {
	case formElements:
		p.elements(ctx, ranks, v)
		return v
	case formFlat:
		p.flat(ctx, ranks, v)
		return v
	case formRing:
		if v.size < 1 {
			p.Fail("arrays need the size of the communicator")
		}
	}
	if v.form > formFlat {
		p.Fail("unknown form of arrays")
	}
	col, in := p.column()
	if p.Err == nil && (col.Len() < 1 || col.Len() > MaxLength) {
		p.Fail("length of an array out of range")
	}
	if p.Err != nil {
		return nil
	}
	v.n = int(col.Len())
	v.col = in
	if v.form == formAdded || v.form == formOwn {
		v.g = p.function(ctx, ranks, 0)
	}
	return v
}

func (p *input) elements(ctx *Context, ranks *Set, v *Vec) {
	v.length = p.function(ctx, ranks, 0)
	n := p.upTo(min(MaxLength, p.Left()), "number of elements")
	if p.Err != nil {
		return
	}
	v.read = true
	length, same := v.length.Constant()
	if same && length != int64(n) {
		p.Fail("wrong number of elements")
		return
	}
	for range n {
		f := p.function(ctx, ranks, 0)
		if p.Err == nil && f.f == nil && f.pack.except == nil && !same {
			p.Fail("column of unknown ranks")
		}
		if p.Err != nil {
			return
		}
		v.cols = append(v.cols, f)
	}
}

func (p *input) flat(ctx *Context, ranks *Set, v *Vec) {
	k := &flat{ranks: ranks}
	v.length, v.flat = p.function(ctx, ranks, 0), k
	k.length = v.length
	k.f = p.formula(ctx, FormulaKind(p.Byte()))
	col, in := p.column()
	if p.Err != nil {
		return
	}
	k.col, k.column = in, col
	if !k.lengthsFit() {
		p.Fail("lengths of arrays do not fit their elements")
	}
}

// lengthsFit tells whether the lengths of all arrays make up the column.
func (k *flat) lengthsFit() bool {
	left := k.column.Len()
	fits := func(length int64, n uint64) bool {
		if length < 0 || length > MaxLength || uint64(length) > left/max(n, 1) {
			return false
		}
		left -= uint64(length) * n
		return true
	}
	if length, same := k.length.Constant(); same {
		return fits(length, uint64(k.ranks.Len())) && left == 0
	}
	for _, length := range k.length.Values(k.ranks) {
		if !fits(length, 1) {
			return false
		}
	}
	return left == 0
}
