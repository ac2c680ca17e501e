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
	level uint8  // in fineParts, where to begin
	errs  Errors
}

// fineParts are the parts of the numbers, the greatest ones, that are tried to have fine bins, in 16ths.
var fineParts = []int{0, 1, 2, 4, 8, 16}

// A lossyBlock is a block in terms of bins.
type lossyBlock struct {
	first           uint64 // decoded start of the first call
	threshold       uint64 // from where on bins are fine
	gaps, durations []uint64
	middles         []uint64 // gaps as decoded, were it not for drift
	decoded         []uint64 // durations
	latest          uint64   // end, as decoded
	sample          []uint64
	splits          []split
	worst, widest   uint64 // greatest error of a start or end, and greatest bound of a number
	mean            uint64 // of the numbers
	calls           lossyCalls
}

// lossyCalls are the calls of a block.
type lossyCalls struct {
	first           uint64 // start of the first one
	gaps, durations []uint64
	classes         []uint32
	ofRule          []uint8 // of a class, the bound; nil if there is one bound
}

// quantise makes bins of the numbers of a block. A call that is exceptional
// stays as it is: a decoder adds its exact numbers. Coarse bins take the least space, but their errors add up. As many
// of the greatest numbers have fine bins as it takes to keep starts and ends within the greatest bound that a number of the block has
// (or where they are before it), and to bring them close to the recorded ones by its end: within a small part of the sum of all
// bounds, or at least closer. If all have fine bins the former is certain: rounding can then always take off what rounding before has added.
func (c *coding) quantise(q *lossyBlock, st *lossState) {
	gaps, durations := q.calls.gaps, q.calls.durations
	q.sample = q.sample[:0]
	for i := 0; i < len(gaps); i += max(1, len(gaps)/256) {
		q.sample = append(q.sample, gaps[i], durations[i])
	}
	slices.Sort(q.sample)
	before := *st
	kept, drift := -1, uint64(0) // the best level so far that keeps the limit, and where it ends
	for level := int(before.level); level < len(fineParts); level++ {
		*st = before
		st.level = uint8(level)
		c.attempt(q, st, fineParts[level])
		was, now := magnitude(before.drift), magnitude(st.drift)
		limit := max(q.widest, was)
		if q.worst > limit {
			continue
		}
		if kept >= 0 && now > drift/2 {
			// It does not help: what is off is a single number.
			*st = before
			st.level = uint8(kept)
			c.attempt(q, st, fineParts[kept])
			return
		}
		kept, drift = level, now
		sum := 2 * uint64(len(gaps)) * c.limits[0].allowed(q.mean)
		if now <= max(sum/128, was-min(was/2, sum/16)) {
			if q.worst <= limit/2 && level > 0 {
				st.level-- // fewer may do, too
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
func (c *coding) attempt(q *lossyBlock, st *lossState, fine int) {
	switch fine {
	case 0:
		q.threshold = coarseOnly
	case 16:
		q.threshold = 0
	default:
		q.threshold = q.sample[len(q.sample)-max(1, len(q.sample)*fine/16)]
	}
	q.splits = c.split(q.splits, q.threshold)
	n := len(q.calls.gaps)
	gaps, durations := q.calls.gaps, q.calls.durations[:n]
	for _, to := range []*[]uint64{&q.gaps, &q.durations, &q.decoded, &q.middles} {
		*to = slices.Grow((*to)[:0], n)[:n]
	}
	t := tally{end: q.calls.first - gaps[0], at: st.end}
	for from := 0; from < n; from += lossyPart {
		to := min(n, from+lossyPart)
		q.find(from, to)
		for i := from; i < to; {
			if i == 0 || exceptional(gaps[i], durations[i]) {
				q.alone(&t, i, st.any || i > 0)
				i++
			} else {
				i = q.run(&t, i, to)
			}
		}
	}
	st.errs.Add(&Errors{Calls: uint64(n), Durations: t.durations, Gaps: t.gaps, Starts: t.starts})
	st.any, st.end, st.drift = true, t.at, int64(t.at-t.end)
	q.worst = max(t.worst, t.starts.Max)
	q.latest, q.widest = t.latest, t.widest
	q.mean = uint64(max(0, int64(t.end-q.calls.first))) / (2 * uint64(n))
}

// lossyPart is how many calls are done at a time: the processor's nearest cache holds them.
const lossyPart = 512

// find sets the coarse bins of calls, and what they stand for.
func (q *lossyBlock) find(from, to int) {
	if len(q.splits) == 1 {
		b := q.splits[0].coarse
		b.findAll(q.calls.gaps[from:to], q.gaps[from:to], q.middles[from:to])
		b.findAll(q.calls.durations[from:to], q.durations[from:to], q.decoded[from:to])
		return
	}
	for i := from; i < to; i++ {
		b := q.splits[q.calls.rule(i)].coarse
		q.gaps[i], q.middles[i] = b.find(q.calls.gaps[i])
		q.durations[i], q.decoded[i] = b.find(q.calls.durations[i])
	}
}

// A tally goes through the calls of a block.
type tally struct {
	end, at                 uint64 // of the last call: as recorded, and decoded
	gaps, durations, starts SeriesError
	worst, widest, latest   uint64
}

// alone decodes call i, which is exceptional or the first one; any tells that it is not the first of all.
func (q *lossyBlock) alone(t *tally, i int, any bool) {
	gap, duration := q.calls.gaps[i], q.calls.durations[i]
	from := t.end + gap
	s, d := from, duration // decoded
	if exceptional(gap, duration) {
		q.gaps[i], q.durations[i] = gap, duration
		if any {
			s = t.at + gap
		}
	} else {
		b := &q.splits[q.calls.rule(i)]
		if any {
			if s = q.middles[i]; gap >= b.least {
				q.gaps[i], s = b.choose(gap, int64(t.at-t.end))
			}
			s += t.at
		} else {
			q.gaps[i] = gap
		}
		if d = q.decoded[i]; duration >= b.least {
			q.durations[i], d = b.choose(duration, int64(s-from))
		}
		t.widest = max(t.widest, b.allowed(max(gap, duration)))
	}
	if i == 0 {
		q.first = s
	}
	if any {
		t.gaps.add(gap, s-t.at)
	}
	t.durations.add(duration, d)
	t.starts.add(0, s-from)
	t.starts.Peak = max(t.starts.Peak, from)
	t.end, t.at = from+duration, s+d
	q.decoded[i] = d
	t.latest = max(t.latest, t.at)
	t.worst = max(t.worst, magnitude(int64(t.at-t.end)))
}

// run decodes calls from call i on up to the next exceptional one, or to call n, and returns that. This is a hot loop.
func (q *lossyBlock) run(t *tally, i, n int) int {
	gaps, durations := q.calls.gaps[:n], q.calls.durations[:n]
	toGaps, toDurations := q.gaps[:n], q.durations[:n]
	middles, decoded := q.middles[:n], q.decoded[:n]
	b := &q.splits[0]
	least := b.least
	rules := len(q.splits) > 1
	end, at := t.end, t.at
	ofGaps, ofDurations, ofStarts, worst := t.gaps, t.durations, t.starts, t.worst
	ofGaps.Peak, ofDurations.Peak = 0, 0
	for ; i < n; i++ {
		gap, duration := gaps[i], durations[i]
		if exceptional(gap, duration) {
			break
		}
		if rules {
			b = &q.splits[q.calls.rule(i)]
			least = b.least
			t.widest = max(t.widest, b.allowed(max(gap, duration)))
		}
		s := middles[i]
		if gap >= least {
			toGaps[i], s = b.choose(gap, int64(at-end))
		}
		e := int64(s - gap)
		m := magnitude(e)
		ofGaps.Max, ofGaps.Sum = max(ofGaps.Max, m), ofGaps.Sum+m
		ofGaps.Sum2 += float64(e) * float64(e)
		ofGaps.Peak = max(ofGaps.Peak, gap)
		s += at
		end += gap
		e = int64(s - end)
		m = magnitude(e)
		ofStarts.Max, ofStarts.Sum = max(ofStarts.Max, m), ofStarts.Sum+m
		ofStarts.Sum2 += float64(e) * float64(e)
		d := decoded[i]
		if duration >= least {
			toDurations[i], d = b.choose(duration, e)
			decoded[i] = d
		}
		e = int64(d - duration)
		m = magnitude(e)
		ofDurations.Max, ofDurations.Sum = max(ofDurations.Max, m), ofDurations.Sum+m
		ofDurations.Sum2 += float64(e) * float64(e)
		ofDurations.Peak = max(ofDurations.Peak, duration)
		end += duration
		at = s + d
		worst = max(worst, magnitude(int64(at-end)))
	}
	if !rules {
		t.widest = max(t.widest, b.allowed(max(ofGaps.Peak, ofDurations.Peak)))
	}
	// Without exceptional calls starts only grow.
	ofStarts.Peak = max(ofStarts.Peak, end-durations[i-1])
	t.end, t.at, t.worst, t.latest = end, at, worst, max(t.latest, at)
	ofGaps.Peak, ofDurations.Peak = max(t.gaps.Peak, ofGaps.Peak), max(t.durations.Peak, ofDurations.Peak)
	t.gaps, t.durations, t.starts = ofGaps, ofDurations, ofStarts
	return i
}

// rule is the bound of call i.
func (l *lossyCalls) rule(i int) uint8 {
	if c := l.classes[i]; int(c) < len(l.ofRule) {
		return l.ofRule[c]
	}
	return 0
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
