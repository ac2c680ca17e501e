package published

import (
	"math"
	"slices"
)

// bins are the exponential bins of a relative error e: bin 0 holds 0 alone, and bin i+1
// stands for (1+e)^i, rounded to an integer. A value belongs to the nearest bin by its logarithm.
//
// Rounding keeps the bound: the distance to (1+e)^i is at most d = (sqrt(1+e)-1)*v. If that is
// below 1/2, the rounded power is v; else rounding adds at most 1/2, and 2*d is at most e*v.
//
// The widest bins are the fewest that cover all integers: each begins where the one before ends,
// and stands for the greatest number that is within e of its first one, up to the last number that
// is within e of that.
type bins struct {
	e     float64
	scale float64 // bins per natural logarithm
	// reps[i] is what bin i stands for; grown as needed, up to the greatest 64-bit number.
	reps []uint64
	full bool
	// Of the last bin: the power, or the last number of the widest bin.
	power float64
	// lows[i] is the first number of the widest bin i.
	lows []uint64
}

func newBins(e float64, widest bool) *bins {
	t := &bins{e: e, scale: 1 / math.Log1p(e), power: 1, reps: []uint64{0, 1}}
	if widest && e < 1 {
		t.lows = []uint64{0, 1}
	}
	return t
}

// grow adds a bin. Nothing here takes a logarithm, which would differ between machines in the
// last bit, and no product is fused with a sum.
func (t *bins) grow() {
	if t.lows == nil {
		t.power = float64(t.power * (1 + t.e))
		t.add(math.Round(t.power))
		return
	}
	low := t.power + 1
	rep := math.Floor(float64(low * (1 + t.e)))
	if t.add(rep) {
		t.lows = append(t.lows, uint64(low))
		t.power = max(rep, math.Floor(float64(rep/(1-t.e))))
	} else {
		t.lows = append(t.lows, toUint(low))
	}
}

// add adds what a bin stands for. The last bin is the one that no number is beyond.
func (t *bins) add(rep float64) bool {
	if rep >= 1<<64 {
		t.full = true
		t.reps = append(t.reps, math.MaxUint64)
		return false
	}
	t.reps = append(t.reps, uint64(rep))
	return true
}

// rep returns what bin i stands for; ok is false if there is no such bin.
func (t *bins) rep(i uint64) (v uint64, ok bool) {
	for i >= uint64(len(t.reps)) {
		if t.full {
			return 0, false
		}
		t.grow()
	}
	return t.reps[i], true
}

// bin returns the bin of v.
func (t *bins) bin(v uint64) uint64 {
	if v == 0 {
		return 0
	}
	if t.lows != nil {
		for !t.full && float64(v) > t.power {
			t.grow()
		}
		i, found := slices.BinarySearch(t.lows, v)
		if !found {
			i--
		}
		return uint64(i)
	}
	i := uint64(math.Log(float64(v))*t.scale+0.5) + 1
	if _, ok := t.rep(i); !ok {
		return uint64(len(t.reps) - 1)
	}
	return i
}
