package timing

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// A coding says how the numbers of a stream become times.
type coding struct {
	mode   Mode
	rate   Rate     // that bounds were converted with
	limits []limits // of lossy modes: mode.bounds()
}

// newCoding converts the bounds of a mode.
func newCoding(m Mode, r Rate) *coding {
	c := &coding{mode: m, rate: r.orOne()}
	if m.Kind != Lossy {
		return c
	}
	for _, b := range m.bounds() {
		c.limits = append(c.limits, newLimits(b, c.rate))
	}
	return c
}

// ticks is how many whole ticks ns nanoseconds are, at least 1 unless they are 0.
func (r Rate) ticks(ns uint64) uint64 {
	if ns == 0 {
		return 0
	}
	hi, lo := bits.Mul64(ns, r.Ticks)
	if hi >= r.NS {
		return maxValue
	}
	q, _ := bits.Div64(hi, lo, r.NS)
	return max(1, min(q, maxValue))
}

// A lossState is what coding the next block needs to know of those before.
type lossState struct {
	any   bool
	end   uint64 // of the last call, as decoded
	drift int64  // how much later that is than recorded
	level int    // in fineParts, where to begin
	errs  Errors
}

// fineParts are the parts of the numbers, the greatest ones, that are tried to have fine bins, in 16ths.
var fineParts = []int{0, 1, 2, 4, 8, 16}

// A lossyBlock is a block in terms of bins.
type lossyBlock struct {
	first           uint64 // decoded start of the first call
	threshold       uint64 // from where on bins are fine
	gaps, durations []uint64
	decoded         []uint64 // durations
	latest          uint64   // end, as decoded
	sample          []uint64
	splits          []split
	worst, widest   uint64 // greatest error of a start or end, and greatest bound of a number
	mean            uint64 // bound of a number of mean size, of the first of the bounds
}

// quantise makes bins of the numbers of a block, whose first call starts at first. A call that is exceptional
// stays as it is: a decoder adds its exact numbers. Coarse bins take the least space, but their errors add up. As many
// of the greatest numbers have fine bins as it takes to keep starts and ends within the greatest bound that a number of the block has
// (or where they are before it), and to bring them close to the recorded ones by its end: within a small part of the sum of all
// bounds, or at least closer. If all have fine bins the former is certain: rounding can then always take off what rounding before has added.
func (c *coding) quantise(q *lossyBlock, st *lossState, first uint64, gaps, durations []uint64, boundOf func(i int) uint8) {
	q.sample = q.sample[:0]
	for i := 0; i < len(gaps); i += max(1, len(gaps)/256) {
		q.sample = append(q.sample, gaps[i], durations[i])
	}
	slices.Sort(q.sample)
	before := *st
	kept, drift := -1, uint64(0) // the best level so far that keeps the limit, and where it ends
	for level := before.level; level < len(fineParts); level++ {
		*st = before
		st.level = level
		c.attempt(q, st, first, gaps, durations, fineParts[level], boundOf)
		was, now := magnitude(before.drift), magnitude(st.drift)
		limit := max(q.widest, was)
		if q.worst > limit {
			continue
		}
		if kept >= 0 && now > drift/2 {
			// It does not help: what is off is a single number.
			*st = before
			st.level = kept
			c.attempt(q, st, first, gaps, durations, fineParts[kept], boundOf)
			return
		}
		kept, drift = level, now
		sum := 2 * uint64(len(gaps)) * q.mean
		if now <= max(sum/128, was-min(was/2, sum/16)) {
			if q.worst <= limit/2 {
				st.level = max(0, level-1) // fewer may do, too
			}
			return
		}
	}
}

// split prepares the bins for a threshold.
func (c *coding) split(dst []split, threshold uint64) []split {
	dst = dst[:0]
	for i := range c.limits {
		dst = append(dst, c.limits[i].at(threshold))
	}
	return dst
}

// attempt makes fine bins for some 16ths of the numbers.
func (c *coding) attempt(q *lossyBlock, st *lossState, first uint64, gaps, durations []uint64, fine int, boundOf func(i int) uint8) {
	switch fine {
	case 0:
		q.threshold = coarseOnly
	case 16:
		q.threshold = 0
	default:
		q.threshold = q.sample[len(q.sample)-max(1, len(q.sample)*fine/16)]
	}
	q.splits = c.split(q.splits, q.threshold)
	q.gaps, q.durations = append(q.gaps[:0], gaps...), append(q.durations[:0], durations...)
	q.decoded = slices.Grow(q.decoded[:0], len(gaps))[:len(gaps)]
	q.worst, q.widest, q.latest = 0, 0, 0
	errs := &st.errs
	longest, sum := uint64(0), uint64(0) // of the numbers that the first of the bounds is for
	end := first - gaps[0]               // recorded
	at := st.end                         // decoded
	for i := range gaps {
		gap, duration := gaps[i], durations[i]
		from := end + gap
		end = from + duration
		s, d := from, duration // decoded
		if exceptional(gap, duration) {
			if st.any {
				s = at + gap
			}
		} else {
			b := &q.splits[boundOf(i)]
			if b == &q.splits[0] {
				longest = max(longest, gap, duration)
				sum += min(gap, 1<<40) + min(duration, 1<<40)
			} else {
				q.widest = max(q.widest, b.allowed(max(gap, duration)))
			}
			if st.any {
				q.gaps[i], s = b.choose(gap, int64(at-from+gap))
				s += at
			}
			q.durations[i], d = b.choose(duration, int64(s-from))
		}
		if i == 0 {
			q.first = s
		}
		if st.any {
			errs.Gaps.add(gap, s-at)
		}
		errs.Durations.add(duration, d)
		errs.Starts.add(0, s-from)
		errs.Starts.Peak = max(errs.Starts.Peak, from)
		at, st.any = s+d, true
		q.decoded[i] = d
		q.latest = max(q.latest, at)
		q.worst = max(q.worst, magnitude(int64(s-from)), magnitude(int64(at-end)))
	}
	errs.Calls += uint64(len(gaps))
	q.widest = max(q.widest, c.limits[0].allowed(longest))
	q.mean = c.limits[0].allowed(sum / (2 * uint64(len(gaps))))
	st.end, st.drift = at, int64(at-end)
}

// times turns decoded numbers of a block into starts and ends.
func (c *coding) times(first uint64, splits []split, starts, ends []uint64, boundOf func(i int) uint8) {
	end := first
	for i := range starts {
		gap, duration := starts[i], ends[i]
		if splits != nil && !exceptional(gap, duration) {
			b := &splits[boundOf(i)]
			gap, duration = b.middle(gap), b.middle(duration)
		}
		if i == 0 {
			gap = 0
		}
		starts[i] = end + gap
		end = starts[i] + duration
		ends[i] = end
	}
}

// append writes the coding: the mode's text, nothing for Lossless, and the rate that bounds were converted with.
func (c *coding) append(dst []byte) []byte {
	s := c.mode.String()
	if c.mode.Kind == Lossless {
		return append(dst, 0)
	}
	dst = append(binary.AppendUvarint(dst, uint64(len(s))), s...)
	if c.mode.Kind != Aggregate {
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, c.rate.NS), c.rate.Ticks)
	}
	return dst
}

// readCoding reads what append wrote.
func readCoding(p *input) *coding {
	text := string(p.bytes(p.uvarint()))
	if p.err != nil {
		return nil
	}
	if text == "" {
		return newCoding(Mode{Kind: Lossless}, Rate{})
	}
	m, err := ParseMode(text)
	if err != nil || m.Kind <= Lossless || m.String() != text {
		p.fail("unknown mode")
		return nil
	}
	r := Rate{1, 1}
	if m.Kind != Aggregate {
		r = Rate{p.uvarint(), p.uvarint()}
	}
	if r.NS == 0 || r.Ticks == 0 {
		p.fail("rate of the clock out of range")
	}
	if p.err != nil {
		return nil
	}
	return newCoding(m, r)
}
