package archive

import (
	"math"
	"math/bits"
	"time"
)

// TickTimes is TickTime for many ticks at once, which is faster still. The function sets dst, which
// must be at least as long as ticks.
func (s *Stream) TickTimes() func(dst []time.Duration, ticks []uint64) {
	r := s.data.p.Load()
	if r == nil {
		r = s.a.Rank(s.process) // what else is known of the process is not kept with the clock
	}
	t := &tickTimes{tickTime: tickTime{timeline: s.a.timeline(r)}}
	return t.convert
}

// tickTimes is a tickTime that also holds what turns the division of its current piece into a
// multiplication.
type tickTimes struct {
	tickTime
	start uint64 // ticks from start on, fewer than fast of them, are base + ticks*whole + floor(ticks*part/den)
	fast  uint64
	base  int64
	whole uint64
	part  uint64
	inv   uint64 // floor(2^64 * part/den)
}

// maxFast is how many ticks from a reading of the clock on are converted fast: no product
// overflows.
const maxFast = 1 << 46

func (t *tickTimes) convert(dst []time.Duration, ticks []uint64) {
	dst = dst[:len(ticks)]
	for i := 0; i < len(ticks); i++ {
		start, fast, base, whole, part, inv, den := t.start, t.fast, t.base, t.whole, t.part, t.inv, t.den
		for ; i < len(ticks); i++ {
			x := ticks[i] - start
			if x >= fast {
				break
			}
			q, low := bits.Mul64(x, inv)
			// inv is less than 1 too small, so the product less than x: q is the quotient, or if
			// that carries maybe one less.
			if low > ^x && x*part-q*den >= den {
				q++
			}
			dst[i] = time.Duration(base + int64(x*whole+q))
		}
		if i < len(ticks) {
			dst[i] = t.at(ticks[i])
			t.prepare()
		}
	}
}

// prepare makes conversions fast in the piece that at has found.
func (t *tickTimes) prepare() {
	if t.fast = 0; t.span == 0 || t.den == 0 || t.den >= 1<<63 || t.domain != nil && len(t.domain.knots) > 1 {
		return
	}
	if t.whole, t.part = t.num/t.den, t.num%t.den; t.whole >= 1<<16 || absDiff(t.mono, 0) >= math.MaxInt64/4 {
		return
	}
	base := t.mono
	if t.domain != nil {
		base = int64(t.domain.since(t.mono))
	}
	if absDiff(base, 0) >= math.MaxInt64/4 {
		return
	}
	t.inv, _ = bits.Div64(t.part, 0, t.den)
	t.start, t.fast, t.base = t.from, min(t.span, maxFast), base
}
