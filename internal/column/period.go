package column

import "encoding/binary"

const (
	firstProbe = 128 // values after which a period is looked for at first
	minPeriods = 3   // how often a period must have been seen
	minRepeat  = 48  // and in how many values
	probeWork  = 8   // comparisons per value that a search may take
)

// periodic is a column in which each value is the one a period earlier plus step.
type periodic struct {
	pattern []int64 // the first period
	step    int64
	base    int64 // what the current period adds to pattern
	at      int   // position of the next value in pattern
}

// newPeriodic returns the state after n values.
func newPeriodic(pattern []int64, step int64, n uint64) *periodic {
	p := uint64(len(pattern))
	return &periodic{pattern: pattern, step: step, base: step * int64(n/p), at: int(n % p)}
}

func (p *periodic) next() int64 { return p.pattern[p.at] + p.base }

// turn goes past one value and returns the next.
func (p *periodic) turn() int64 {
	if p.at++; p.at == len(p.pattern) {
		p.at = 0
		p.base += p.step
	}
	return p.pattern[p.at] + p.base
}

// append appends the payload of a periodic segment.
func (p *periodic) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(p.pattern)))
	dst = appendVarint(dst, p.step)
	sc := scratches.Get().(*scratch)
	defer scratches.Put(sc)
	return sc.appendSized(dst, p.pattern)
}

// findPeriod looks for a period at the end of lit. If there is one, it encodes
// the values before, and the period goes on to predict.
func (b *Builder) findPeriod() bool {
	n := len(b.lit)
	// A run at the end would pass as a period of any length.
	if tail := b.lit[n-minRepeat/2:]; affineRun(tail) == len(tail) {
		return false
	}
	p, repeated := searchPeriod(b.lit)
	if p == 0 {
		return false
	}
	start := n - repeated - p
	pattern := append([]int64(nil), b.lit[start:start+p]...)
	step := b.lit[start+p] - b.lit[start]
	b.lit = b.lit[:start]
	b.seal()
	b.run = uint64(repeated + p)
	b.period = newPeriodic(pattern, step, b.run)
	b.next = b.period.next()
	return true
}

// searchPeriod returns the least period p at the end of vals and how many values
// equal the one p before plus a constant, or 0.
func searchPeriod(vals []int64) (p, repeated int) {
	n := len(vals)
	work := probeWork * n
	for p := 2; minPeriods*p <= n && work > 0; p++ {
		step := vals[n-1] - vals[n-1-p]
		z := 1
		for z < n-p && vals[n-1-z]-vals[n-1-z-p] == step {
			z++
		}
		work -= z
		if z >= max((minPeriods-1)*p, minRepeat) {
			return p, z
		}
	}
	return 0, 0
}

// endPeriod ends the prediction and encodes what it covered.
func (b *Builder) endPeriod() {
	b.out = b.appendRun(b.out, 0)
	b.sealed += b.run
	b.run = 0
	b.period = nil
	b.limit = firstProbe
}
