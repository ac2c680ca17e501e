package archive

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
	"github.com/tabard-hpc/tabard/internal/codec/column"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
)

// encWalker writes groups and classes in the form of the file.
type encWalker struct {
	encoder
	strs  *pool
	refs  map[string]int // by name: the number before
	coded []byte         // the grammar of the class, coded beforehand
	err   error
}

func newEncWalker(strs *pool) *encWalker { return &encWalker{strs: strs, refs: map[string]int{}} }

func (w *encWalker) reading() bool { return false }
func (w *encWalker) failed() bool  { return w.err != nil }
func (w *encWalker) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf("trace: internal error: "+format, args...)
	}
}

func (w *encWalker) broke(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *encWalker) num(name string, v *int, max int) {
	if *v < 0 || *v > max {
		w.fail("%s %d is not in 0..%d", name, *v, max)
	}
	w.Uvarint(uint64(*v))
}
func (w *encWalker) sized(_ string, v *int64, size int) {
	w.Varint(swapSize(*v, size))
}
func (w *encWalker) str(_ string, v *string) { w.Uvarint(uint64(w.strs.add(*v))) }
func (w *encWalker) count(_ string, n int) int {
	w.Uvarint(uint64(n))
	return n
}
func (w *encWalker) set(name string, ctx *rankfunc.Context, v **RankSet, _ *RankSet) {
	if (*v).Len() == 0 {
		w.fail("%s: no ranks", name)
		return
	}
	w.Out = (*v).AppendIn(w.Out, ctx)
}
func (w *encWalker) fn(name string, ctx *rankfunc.Context, _ *RankSet, v **RankFunc) {
	if *v == nil {
		w.fail("%s: no function", name)
		return
	}
	w.Out = (*v).AppendIn(w.Out, ctx)
}
func (w *encWalker) vec(name string, _ *rankfunc.Context, _ *RankSet, v **RankVec) {
	if *v == nil {
		w.fail("%s: no function", name)
		return
	}
	w.Out = (*v).Append(w.Out)
}

func (w *encWalker) ids(_ string, v *[]int, n int) {
	ids := make([]uint32, len(*v))
	for i, id := range *v {
		if id < 0 || id >= n {
			w.fail("number %d, but there are %d", id, n)
		}
		ids[i] = uint32(id)
	}
	w.encoder.ids(ids)
}

func (w *encWalker) ref(name string, v *int, n int, none bool) {
	if *v >= n || *v < 0 && !(none && *v == -1) {
		w.fail("%s %d, but there are %d", name, *v, n)
	}
	if none {
		if *v < 0 {
			w.Uvarint(0)
			return
		}
		w.Uvarint(1 + byteio.Zigzag(int64(*v-w.refs[name])))
	} else {
		w.Varint(int64(*v - w.refs[name]))
	}
	w.refs[name] = *v + 1
}

func (w *encWalker) grammar(_ string, _ int, _ **Grammar) { w.Out = append(w.Out, w.coded...) }

// Forms of several integers.
const (
	paramsSame    = 0   // one function
	paramsEach    = 1   // a function for each
	paramsColumn  = 2   // constants: bytes that hold a column
	paramsPlain   = 3   // constants: varints
	paramsBased   = 4   // relative ones: a uvarint and a function for each
	paramsOneBase = 255 // of one only: such a one follows
	minParamsFold = 8   // below so many, a column is not tried
)

// Rare numbers that stand for the size of the communicator and, where that is large, for the number
// of the other ranks in it. Those two stand for the rare numbers in turn.
const (
	sizeCode   = -3
	othersCode = -4
	largeSize  = 64 // up to which numbers less than the size take a byte
)

func swapSize(v int64, size int) int64 {
	n := int64(size)
	switch {
	case n <= 0:
	case v == n:
		return sizeCode
	case v == sizeCode:
		return n
	case n <= largeSize:
	case v == n-1:
		return othersCode
	case v == othersCode:
		return n - 1
	}
	return v
}

// params writes the form that takes the least space. If several do, it writes the first of them.
func (w *encWalker) params(name string, ctx *rankfunc.Context, ranks *RankSet, ps []*Param, bases *[]*Base) {
	if slices.ContainsFunc(ps, func(p *Param) bool { return p.Base != nil }) {
		w.relative(name, ctx, ranks, ps, bases)
		return
	}
	var each, plain []byte
	first := 0
	same, constant := true, true
	for i, p := range ps {
		f := p.Fn
		if f == nil {
			f = ConstantFunc(p.N)
		}
		v, ok := f.Constant()
		constant = constant && ok
		plain = binary.AppendVarint(plain, swapSize(v, ctx.Size))
		from := len(each)
		if each = f.AppendIn(each, ctx); i == 0 {
			first = len(each)
		} else if !bytes.Equal(each[:first], each[from:]) {
			same = false
		}
	}
	if len(ps) == 1 {
		w.Out = append(w.Out, each...)
		return
	}
	form, best := byte(paramsEach), each
	if same {
		form, best = paramsSame, each[:first]
	}
	if constant && len(plain) < len(best) {
		form, best = paramsPlain, plain
	}
	if constant && len(ps) >= minParamsFold {
		b := column.NewBuilder()
		for _, p := range ps {
			b.Append(p.Int())
		}
		var e encoder
		if e.Sized(b.Encode(nil)); len(e.Out) < len(best) {
			form, best = paramsColumn, e.Out
		}
	}
	w.Out = append(append(w.Out, form), best...)
}

// relative writes integers of which some are relative: for each 0, or 1 + the number of
// a base, which follows if it is a new one, and a function.
func (w *encWalker) relative(name string, ctx *rankfunc.Context, ranks *RankSet, ps []*Param, bases *[]*Base) {
	form := byte(paramsBased)
	if len(ps) == 1 {
		form = paramsOneBase
	}
	w.Out = append(w.Out, form)
	for _, p := range ps {
		f := p.Fn
		if f == nil {
			f = ConstantFunc(p.N)
		}
		if p.Base == nil {
			w.Uvarint(0)
		} else if i := slices.Index(*bases, p.Base); i >= 0 {
			w.Uvarint(uint64(i) + 1)
		} else {
			*bases = append(*bases, p.Base)
			w.Uvarint(uint64(len(*bases)))
			w.fn(name, ctx, ranks, &p.Base.Rank)
			w.fn(name, ctx, ranks, &p.Base.Size)
		}
		w.fn(name, ctx, ranks, &f)
	}
}

// Int is the value of a constant IntLeaf.
func (p *Param) Int() int64 {
	if p.Fn != nil {
		v, _ := p.Fn.Constant()
		return v
	}
	return p.N
}

// ConstantFunc is the function that is v at all ranks.
func ConstantFunc(v int64) *RankFunc {
	return rankfunc.Fit(&rankfunc.Context{}, rankfunc.Range(0, 1), []int64{v})
}

// decWalker reads groups and classes from the form of the file.
type decWalker struct {
	*decoder
	strs, bodies *items
	refs         map[string]int
	maxSymbols   int
	sequence     func() (*Grammar, error) // the grammar of the class, if that is stored as a sequence
}

func newDecWalker(d *decoder, strs, bodies *items, maxSymbols int) *decWalker {
	return &decWalker{decoder: d, strs: strs, bodies: bodies, refs: map[string]int{}, maxSymbols: maxSymbols}
}

func (w *decWalker) reading() bool { return true }
func (w *decWalker) failed() bool  { return w.Err != nil }

func (w *decWalker) broke(err error) {
	w.Stop(err)
}

func (w *decWalker) num(name string, v *int, max int) { *v = int(w.limited(uint64(max), name)) }
func (w *decWalker) sized(_ string, v *int64, size int) {
	*v = swapSize(w.Varint(), size)
}
func (w *decWalker) count(name string, _ int) int { return w.decoder.count(name) }
func (w *decWalker) grammar(_ string, size int, v **Grammar) {
	if bytes.HasPrefix(w.In[w.Pos:], sequenceMark) {
		w.Pos += len(sequenceMark)
		g, err := w.sequence()
		*v = g
		w.Stop(err)
		return
	}
	*v = parseGrammar(w.decoder, w.bodies, size, w.maxSymbols)
}
func (w *decWalker) str(name string, v *string) {
	if i := w.index(w.strs.len(), "string"); w.Err == nil {
		*v = string(w.strs.at(i))
	}
}

// took accounts for a value that another package parsed, with what it left.
func (w *decWalker) took(name string, rest []byte, err error) {
	if err != nil {
		w.fail("%s: %v", name, err)
		return
	}
	w.Pos = len(w.In) - len(rest)
}

func (w *decWalker) set(name string, ctx *rankfunc.Context, v **RankSet, within *RankSet) {
	if w.Err != nil {
		return
	}
	limit := rankfunc.MaxRank + 1
	if within != nil {
		limit = within.Max() + 1
	}
	s, rest, err := rankfunc.ParseSetIn(w.In[w.Pos:], ctx, limit)
	w.took(name, rest, err)
	if w.Err == nil && s.Len() == 0 {
		w.fail("%s: no ranks", name)
	}
	*v = s
}

func (w *decWalker) fn(name string, ctx *rankfunc.Context, ranks *RankSet, v **RankFunc) {
	if w.Err != nil {
		return
	}
	f, rest, err := rankfunc.Parse(w.In[w.Pos:], ctx, ranks)
	w.took(name, rest, err)
	*v = f
}

func (w *decWalker) vec(name string, ctx *rankfunc.Context, ranks *RankSet, v **RankVec) {
	if w.Err != nil {
		return
	}
	f, rest, err := rankfunc.ParseVec(w.In[w.Pos:], ctx, ranks)
	w.took(name, rest, err)
	*v = f
}

func (w *decWalker) ids(name string, v *[]int, n int) {
	ids := w.decoder.ids(n, name)
	*v = make([]int, len(ids))
	for i, id := range ids {
		(*v)[i] = int(id)
	}
}

func (w *decWalker) ref(name string, v *int, n int, none bool) {
	u := w.Uvarint()
	if none && u == 0 {
		*v = -1
		return
	}
	if none {
		u--
	}
	x := byteio.Unzigzag(u) + int64(w.refs[name])
	if w.Err == nil && (x < 0 || x >= int64(n)) {
		w.fail("%s %d does not exist (there are %d)", name, x, n)
	}
	if w.Err != nil {
		return
	}
	*v = int(x)
	w.refs[name] = *v + 1
}

func (w *decWalker) params(name string, ctx *rankfunc.Context, ranks *RankSet, ps []*Param, bases *[]*Base) {
	mode := uint64(paramsEach)
	if len(ps) > 1 {
		mode = w.limited(paramsBased, "form of "+name)
	} else if w.Err == nil && w.Left() > 0 && w.In[w.Pos] == paramsOneBase {
		mode = paramsBased
		w.Pos++
	}
	switch mode {
	case paramsBased:
		w.relative(name, ctx, ranks, ps, bases)
	case paramsPlain:
		for _, p := range ps {
			p.N = swapSize(w.Varint(), ctx.Size)
		}
	case paramsColumn:
		r, err := column.Open(w.decoder.bytes(name))
		if err != nil || r.Len() != uint64(len(ps)) {
			w.fail("%s: not a column of %d values: %v", name, len(ps), err)
			return
		}
		vals := make([]int64, len(ps))
		r.Read(0, vals)
		if err := r.Err(); err != nil {
			w.fail("%s: %v", name, err)
		}
		for i, p := range ps {
			p.N = vals[i]
		}
	default:
		var f *RankFunc
		for i, p := range ps {
			if i == 0 || mode == paramsEach {
				w.fn(name, ctx, ranks, &f)
			}
			if w.Err != nil {
				return
			}
			p.setFn(f)
		}
	}
}

// setFn makes the value f.
func (p *Param) setFn(f *RankFunc) {
	if v, ok := f.Constant(); ok {
		p.N = v
		return
	}
	p.Fn = f
}

// relative is the reverse of encWalker.relative.
func (w *decWalker) relative(name string, ctx *rankfunc.Context, ranks *RankSet, ps []*Param, bases *[]*Base) {
	if bases == nil {
		w.fail("%s: relative numbers of a column", name)
		return
	}
	for _, p := range ps {
		i := int(w.limited(uint64(len(*bases))+1, "base of "+name))
		if w.Err == nil && i > len(*bases) {
			b := &Base{}
			w.fn(name, ctx, ranks, &b.Rank)
			w.fn(name, ctx, ranks, &b.Size)
			*bases = append(*bases, b)
		}
		if w.Err == nil && i > 0 {
			p.Base = (*bases)[i-1]
		}
		var f *RankFunc
		if w.fn(name, ctx, ranks, &f); w.Err != nil {
			return
		}
		p.setFn(f)
	}
}
