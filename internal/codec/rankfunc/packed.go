package rankfunc

import (
	"sync"

	"github.com/tabard-hpc/tabard/internal/codec/column"
)

// A packed function is one without a formula in the form in which it is stored:
// a formula with exceptions, or a column of differences from a formula.
type packed struct {
	f      *Formula
	except *Set  // where rest holds instead of f; nil if there is a column
	rest   *Func // of the ranks in except

	ranks *Set   // of the column
	col   []byte // encoded differences of the values from f

	mu     sync.Mutex
	reader *column.Reader // of col; guarded by mu
}

// open returns the reader of the column. The caller holds mu.
func (k *packed) open() *column.Reader {
	if k.reader == nil {
		k.reader, _ = column.Open(k.col) // was checked when it was parsed, or made here
	}
	return k.reader
}

// at returns the value of rank r, 0 if it has none.
func (k *packed) at(r int) int64 {
	if k.except != nil {
		if k.except.Contains(r) {
			return k.rest.At(r)
		}
		return k.f.at(int64(r))
	}
	i, ok := k.ranks.Index(r)
	if !ok {
		return 0
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.open().At(uint64(i)) + k.f.at(int64(r))
}

// expand returns the values of all ranks of the set.
func (k *packed) expand(ranks *Set) []int64 {
	vals := make([]int64, 0, ranks.Len())
	if k.except == nil {
		vals = vals[:ranks.Len()]
		k.mu.Lock()
		k.open().Read(0, vals)
		k.mu.Unlock()
		i := 0
		for r := range ranks.All() {
			vals[i] += k.f.at(int64(r))
			i++
		}
		return vals
	}
	exceptions := members(k.except)
	rest := k.rest.valuesOf(exceptions)
	for r := range ranks.All() {
		for len(exceptions) > 0 && exceptions[0] < int64(r) {
			exceptions, rest = exceptions[1:], rest[1:]
		}
		if len(exceptions) > 0 && exceptions[0] == int64(r) {
			vals = append(vals, rest[0])
		} else {
			vals = append(vals, k.f.at(int64(r)))
		}
	}
	return vals
}
