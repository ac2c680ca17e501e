package rankfunc

import (
	"iter"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/column"
)

// MaxLength is the greatest length of an array in a Vec.
const MaxLength = 1 << 24

// A Vec is an immutable function that gives an array to each rank of a set. Methods may be
// called concurrently.
type Vec struct {
	form form
	base []int64 // of all forms but elements and flat; all arrays are that long
	col  []byte  // encoded base of a Vec that was read, instead of base
	n    int     // length of the base
	g    *Func   // of the forms added and own

	length *Func   // of elements and flat
	cols   []*Func // of elements: element i of the ranks whose arrays are longer than i
	flat   *flat   // of flat
	ranks  *Set    // of elements
	read   bool    // cols were read, and do not have their ranks
	size   int64   // of the communicator
}

// A form is a family of arrays. The numbers are those of the encoding.
type form uint8

// The families, in the order of preference; r is the rank, n the arrays' length. All but the last
// are for arrays of one length above 0.
const (
	formSame     form = iota // base[i]
	formAdded                // base[i] + g(r), base[0] being 0
	formRing                 // (r + base[i]) mod P, base[i] in [0, P)
	formXor                  // r xor base[i]
	formForward              // base[(i + r) mod n]
	formBackward             // base[(i - r) mod n]
	formOwn                  // g(r) if i = r, else base[i]
	formElements             // a Func for each i
	formFlat                 // as formElements, when stored: one column
)

// FitVec returns the function that gives ranks.At(i) the array arrays[i]. It depends on what is
// passed only. It panics if the lengths differ or an array is longer than MaxLength.
func FitVec(ctx *Context, ranks *Set, arrays [][]int64) *Vec {
	if len(arrays) != ranks.Len() {
		panic("rankfunc: as many arrays as ranks are needed")
	}
	for _, a := range arrays {
		if len(a) > MaxLength {
			panic("rankfunc: array is too long")
		}
	}
	rs := members(ranks)
	for f := formSame; f < formElements; f++ {
		if v := fitForm(ctx, f, rs, arrays); v != nil {
			if f == formAdded || f == formOwn {
				v.g = Fit(ctx, ranks, v.partOf(rs, arrays))
			}
			return v
		}
	}
	return fitElements(ctx, ranks, rs, arrays)
}

// fitForm returns the arrays in form f without its function g, nil if that is not possible.
// The base follows from the first two arrays.
func fitForm(ctx *Context, f form, rs []int64, arrays [][]int64) *Vec {
	if len(rs) == 0 || len(arrays[0]) == 0 {
		return nil
	}
	a, n := arrays[0], len(arrays[0])
	v := &Vec{form: f, base: make([]int64, n), n: n, size: ctx.ranks()}
	if f == formRing && v.size == 0 {
		return nil
	}
	for i, x := range a {
		switch f {
		case formSame:
			v.base[i] = x
		case formAdded:
			v.base[i] = x - a[0]
		case formRing:
			v.base[i] = mod(x-rs[0], v.size)
		case formXor:
			v.base[i] = x ^ rs[0]
		case formForward, formBackward:
			v.base[v.turn(i, rs[0])] = x
		case formOwn:
			v.base[i] = x
			if int64(i) == rs[0] && len(rs) > 1 && i < len(arrays[1]) {
				v.base[i] = arrays[1][i]
			}
		}
	}
	for i, r := range rs {
		if !v.holds(r, arrays[i]) {
			return nil
		}
	}
	return v
}

// ranks returns the size of the communicator, 0 if it is not known.
func (c *Context) ranks() int64 {
	if c.Size < 0 || c.Size > MaxRank+1 {
		return 0
	}
	return int64(c.Size)
}

// turn returns the index in the base of element i of rank r, for the turned forms.
func (v *Vec) turn(i int, r int64) int {
	if v.form == formBackward {
		r = -r
	}
	return int(mod(int64(i)+r, int64(v.n)))
}

// element returns element i of rank r, if g has the value g there.
func (v *Vec) element(i int, r, g int64) int64 {
	switch v.form {
	case formAdded:
		return v.base[i] + g
	case formRing:
		return mod(r+v.base[i], v.size)
	case formXor:
		return r ^ v.base[i]
	case formForward, formBackward:
		return v.base[v.turn(i, r)]
	case formOwn:
		if int64(i) == r {
			return g
		}
	}
	return v.base[i]
}

// holds tells whether rank r may have the array a, whatever g is.
func (v *Vec) holds(r int64, a []int64) bool {
	if len(a) != len(v.base) {
		return false
	}
	g := v.part(r, a)
	for i, x := range a {
		if v.element(i, r, g) != x {
			return false
		}
	}
	return true
}

// part returns the value of g that the array of rank r has.
func (v *Vec) part(r int64, a []int64) int64 {
	switch {
	case v.form == formAdded:
		return a[0]
	case v.form == formOwn && r < int64(len(a)):
		return a[r]
	}
	return 0
}

// partOf returns the values of g.
func (v *Vec) partOf(rs []int64, arrays [][]int64) []int64 {
	vals := make([]int64, len(rs))
	for i, r := range rs {
		vals[i] = v.part(r, arrays[i])
	}
	return vals
}

// fitElements returns the arrays as a function for each index.
func fitElements(ctx *Context, ranks *Set, rs []int64, arrays [][]int64) *Vec {
	lengths := make([]int64, len(arrays))
	for i, a := range arrays {
		lengths[i] = int64(len(a))
	}
	v := &Vec{form: formElements, length: Fit(ctx, ranks, lengths), ranks: ranks, size: ctx.ranks()}
	for i := 0; len(rs) > 0; i++ {
		longer := 0
		for _, a := range arrays {
			if len(a) > i {
				longer++
			}
		}
		if longer == 0 {
			break
		}
		if longer < len(rs) {
			rs, arrays = longerThan(i, rs, arrays)
			ranks = setOf(rs)
		}
		vals := make([]int64, len(rs))
		for k, a := range arrays {
			vals[k] = a[i]
		}
		v.cols = append(v.cols, fit(ctx, ranks, rs, vals))
	}
	return v
}

// longerThan returns the ranks whose arrays are longer than i, and these.
func longerThan(i int, rs []int64, arrays [][]int64) (longRanks []int64, long [][]int64) {
	for k, a := range arrays {
		if len(a) > i {
			longRanks, long = append(longRanks, rs[k]), append(long, a)
		}
	}
	return longRanks, long
}

// setOf returns the set of the ranks rs, which ascend.
func setOf(rs []int64) *Set {
	ints := make([]int, len(rs))
	for i, r := range rs {
		ints[i] = int(r)
	}
	return NewSet(ints)
}

// Constant returns the array that all ranks have, if there is one. It must not be changed.
func (v *Vec) Constant() ([]int64, bool) {
	if v.form == formSame {
		return v.loaded().base, true
	}
	if v.form == formElements && len(v.cols) == 0 {
		return nil, true
	}
	return nil, false
}

// Len returns the length of the array of rank r.
func (v *Vec) Len(r int) int {
	if v.length == nil {
		return v.n
	}
	n := max(v.length.At(r), 0)
	if v.flat != nil {
		return int(min(n, int64(v.flat.column.Len())))
	}
	return int(min(n, int64(len(v.cols))))
}

// At returns the array of rank r, a new one. A formula also gives an array to ranks that are not in
// its set. That array means nothing.
func (v *Vec) At(r int) []int64 {
	if v.flat != nil {
		return v.flat.at(r)
	}
	a := make([]int64, v.Len(r))
	if v.form == formElements {
		for i := range a {
			a[i] = v.cols[i].At(r)
		}
		return a
	}
	g := int64(0)
	if v.g != nil {
		g = v.g.At(r)
	}
	v = v.loaded()
	for i := range a {
		a[i] = v.element(i, int64(r), g)
	}
	return a
}

// loaded returns v with its base decoded. A Vec that was read does not keep it, as a few bytes may
// make a long array.
func (v *Vec) loaded() *Vec {
	if v.col == nil {
		return v
	}
	l := &Vec{form: v.form, base: make([]int64, v.n), n: v.n, g: v.g, size: v.size}
	r, err := column.Open(v.col)
	if err != nil {
		panic("rankfunc: internal error: a column that was checked is broken: " + err.Error())
	}
	r.Read(0, l.base)
	return l
}

// Values returns the ranks with their arrays in ascending order. The set must
// be the one that the function was made for.
func (v *Vec) Values(ranks *Set) iter.Seq2[int, []int64] {
	return func(yield func(int, []int64) bool) {
		v := v.loaded()
		for r := range ranks.All() {
			if !yield(r, v.At(r)) {
				return
			}
		}
	}
}

// arrays returns all arrays.
func (v *Vec) arrays(ranks *Set) [][]int64 {
	all := make([][]int64, 0, ranks.Len())
	for _, a := range v.Values(ranks) {
		all = append(all, a)
	}
	return all
}

// sameForm tells whether v and w have the same form and base.
func (v *Vec) sameForm(w *Vec) bool {
	return v.form == w.form && v.size == w.size && slices.Equal(v.base, w.base)
}
