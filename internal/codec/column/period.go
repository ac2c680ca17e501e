package column

import (
	"encoding/binary"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

const (
	firstProbe = 128 // values after which a period is looked for at first
	minPeriods = 3   // how often a period must have been seen
	minRepeat  = 48  // and in how many values
	probeWork  = 8   // comparisons per value that a search may take
	minRamp    = 8   // values of a period that is stored as a ramp; each of fewer may be its own function of the rank
)

// periodic is a column in which each value is the one a period earlier plus step.
type periodic struct {
	pattern     []int64 // the first period, nil if that is first, first+rise, ...
	first, rise int64
	n           uint64 // values of a period
	step        int64
	base        int64  // what the current period adds to the first
	at          uint64 // position of the next value in the period
}

// newPeriodic returns the state after n values.
func newPeriodic(pattern []int64, step int64, n uint64) *periodic {
	p := uint64(len(pattern))
	return &periodic{pattern: pattern, n: p, step: step, base: step * int64(n/p), at: n % p}
}

// newRamps returns the state after n values, with periods of p values that are rise apart.
func newRamps(p uint64, first, rise, step int64, n uint64) *periodic {
	return &periodic{n: p, first: first, rise: rise, step: step, base: step * int64(n/p), at: n % p}
}

func (p *periodic) kind() byte {
	if p.pattern == nil {
		return segmentRamps
	}
	return segmentPeriodic
}

func (p *periodic) next() int64 {
	if p.pattern == nil {
		return p.first + p.rise*int64(p.at) + p.base
	}
	return p.pattern[p.at] + p.base
}

// turn goes past one value and returns the next.
func (p *periodic) turn() int64 {
	if p.at++; p.at == p.n {
		p.at = 0
		p.base += p.step
	}
	return p.next()
}

// append appends the payload of a segment.
func (p *periodic) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, p.n)
	if p.pattern == nil {
		return byteio.AppendVarint(byteio.AppendVarint(byteio.AppendVarint(dst, p.first), p.rise), p.step)
	}
	dst = byteio.AppendVarint(dst, p.step)
	sc := scratches.Get().(*scratch)
	defer scratches.Put(sc)
	return sc.appendSized(dst, p.pattern)
}

// findPeriod looks for a period at the end of lit. If there is one, it encodes
// the values before, and the period goes on to predict.
func (b *Builder) findPeriod() bool {
	p, repeated := searchPeriod(b.lit)
	if p == 0 {
		return false
	}
	start := len(b.lit) - repeated - p
	pattern := append([]int64(nil), b.lit[start:start+p]...)
	step := b.lit[start+p] - b.lit[start]
	n := uint64(repeated + p)
	b.lit = b.lit[:start]
	b.seal()
	b.run = n
	if p >= minRamp && affineRun(pattern) == p {
		b.period = newRamps(uint64(p), pattern[0], pattern[1]-pattern[0], step, n)
	} else {
		b.period = newPeriodic(pattern, step, n)
	}
	b.next = b.period.next()
	return true
}

// searchPeriod returns the least period p at the end of vals and how many values
// equal the one p before plus a constant, or 0.
func searchPeriod(vals []int64) (p, repeated int) {
	n := len(vals)
	run := runAtEnd(vals) // which would pass as a period of any length
	work := probeWork * n
	for p := 2; minPeriods*p <= n && work > 0; p++ {
		step := vals[n-1] - vals[n-1-p]
		z := 1
		for z < n-p && vals[n-1-z]-vals[n-1-z-p] == step {
			z++
		}
		work -= z
		if z >= max((minPeriods-1)*p, minRepeat, run) {
			return p, z
		}
	}
	return 0, 0
}

// runAtEnd returns how many values at the end are the same step apart.
func runAtEnd(vals []int64) int {
	n := min(len(vals), 2)
	for n < len(vals) && vals[len(vals)-n-1]-vals[len(vals)-n] == vals[len(vals)-2]-vals[len(vals)-1] {
		n++
	}
	return n
}

// endPeriod ends the prediction and encodes what it covered.
func (b *Builder) endPeriod() {
	b.out = b.appendRun(b.out, 0)
	b.sealed += b.run
	b.run = 0
	b.period = nil
	b.limit = firstProbe
}
