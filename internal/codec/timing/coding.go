package timing

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
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

// fineParts are the parts of the numbers, the greatest ones, that are tried to have fine bins, in
// 16ths.
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
	parts           []lossyPart
	late            [partCalls]uint64 // errors of starts
}

// partCalls is how many calls are done at a time: the processor's nearest cache holds them.
const partCalls = 512

// A lossyPart is successive calls of a block.
type lossyPart struct {
	from, to int
	alone    bool   // calls are done one by one: the first one, exceptional ones, and if there are bounds of functions
	total    uint64 // of all numbers
	peak     uint64 // the greatest one
	drift    int64  // before the first call
}

// lossyCalls are the calls of a block.
type lossyCalls struct {
	first           uint64 // start of the first one
	gaps, durations []uint64
	classes         []uint32
	ofRule          []uint8 // of a class, the bound; nil if there is one bound
}

// quantise turns the numbers of a block into bins. It sums up the durations as decoded by context,
// and returns the bits of all numbers. A call that is exceptional stays as it is: a decoder adds
// its exact numbers.
//
// Coarse bins take the least space, but their errors add up. So some of the greatest numbers have
// fine bins, as many as two aims take. First, starts and ends stay within the greatest bound that a
// number of the block has (or within what they were off before it). Second, by the end of the block
// they are close to the recorded ones: within a small part of the sum of all bounds, or at least
// closer. If all numbers have fine bins the first aim is certain to be met: rounding can then
// always take off what rounding before has added.
func (c *coding) quantise(q *lossyBlock, x *contexts, st *lossState) (all uint64) {
	q.begin(c)
	t := c.settle(q, st)
	q.finish(&t)
	n := len(q.gaps)
	st.errs.Add(&Errors{Calls: uint64(n), Durations: t.durations, Gaps: t.gaps, Starts: t.starts})
	if !exceptional(q.gaps[0], q.durations[0]) {
		q.gaps[0] = 0
	}
	x.addAll(q.decoded)
	return allBits(q.gaps, q.durations)
}

// begin divides a block, and finds the coarse bins of all numbers.
func (q *lossyBlock) begin(c *coding) {
	gaps, durations := q.calls.gaps, q.calls.durations
	n := len(gaps)
	for _, to := range []*[]uint64{&q.gaps, &q.durations, &q.middles, &q.decoded} {
		*to = slices.Grow((*to)[:0], n)[:n]
	}
	q.parts = append(q.parts[:0], lossyPart{from: 0, to: 1, alone: true})
	for from := 1; from < n; from += partCalls {
		p := lossyPart{from: from, to: min(n, from+partCalls)}
		p.alone = len(c.limits) > 1
		for i := p.from; i < p.to; i++ {
			gap, duration := gaps[i], durations[i]
			p.alone = p.alone || exceptional(gap, duration)
			p.peak = max(p.peak, gap, duration)
			p.total += gap + duration
		}
		q.parts = append(q.parts, p)
	}
	q.findCoarse(c)
}

func (q *lossyBlock) findCoarse(c *coding) {
	for i := range q.parts {
		if p := &q.parts[i]; !p.alone {
			b := c.limits[0].coarse
			b.findAll(q.calls.gaps[p.from:p.to], q.gaps[p.from:p.to], q.middles[p.from:p.to])
			b.findAll(q.calls.durations[p.from:p.to], q.durations[p.from:p.to], q.decoded[p.from:p.to])
		}
	}
}

// settle makes attempts until one will do.
func (c *coding) settle(q *lossyBlock, st *lossState) tally {
	gaps, durations := q.calls.gaps, q.calls.durations
	q.sample = q.sample[:0]
	before := *st
	was := magnitude(before.drift)
	kept, drift := -1, uint64(0) // the best level so far that keeps the limit, and where it ends
	var t tally
	for level := int(before.level); level < len(fineParts); level++ {
		if level > 0 && len(q.sample) == 0 {
			for i := 0; i < len(gaps); i += max(1, len(gaps)/256) {
				q.sample = append(q.sample, gaps[i], durations[i])
			}
			slices.Sort(q.sample)
		}
		*st = before
		st.level = uint8(level)
		most := uint64(math.MaxUint64)
		if level < len(fineParts)-1 {
			most = max(q.bound(c), was)
		}
		var ok bool
		t, ok = c.attempt(q, st, fineParts[level], most)
		limit := max(q.widest, was)
		if !ok || q.worst > limit {
			continue
		}
		now := magnitude(st.drift)
		if kept >= 0 && now > drift/2 {
			// It does not help: what is off is a single number.
			*st = before
			st.level = uint8(kept)
			q.findCoarse(c)
			t, _ = c.attempt(q, st, fineParts[kept], math.MaxUint64)
			return t
		}
		kept, drift = level, now
		sum := 2 * uint64(len(gaps)) * c.limits[0].allowed(q.mean)
		if now <= max(sum/128, was-min(was/2, sum/16)) {
			if q.worst <= limit/2 && level > 0 {
				st.level-- // fewer may do, too
			}
			break
		}
	}
	return t
}

// split prepares the bins for a threshold.
func (c *coding) split(dst []split, threshold uint64) []split {
	dst = dst[:0]
	for i := range c.limits {
		dst = append(dst, c.limits[i].at(threshold))
	}
	return dst
}

// bound is the greatest bound of a number of the block if there are no exceptional calls and no
// bounds of functions. Otherwise there is no limit.
func (q *lossyBlock) bound(c *coding) uint64 {
	gap, duration := q.calls.gaps[0], q.calls.durations[0]
	peak := max(gap, duration)
	for i := range q.parts {
		if p := &q.parts[i]; p.alone && (i > 0 || len(c.limits) > 1 || exceptional(gap, duration)) {
			return math.MaxUint64
		}
		peak = max(peak, q.parts[i].peak)
	}
	return c.limits[0].allowed(peak)
}

// attempt makes fine bins for some 16ths of the numbers, after attempts with fewer. It gives up if
// starts and ends are off by more than most.
func (c *coding) attempt(q *lossyBlock, st *lossState, fine int, most uint64) (t tally, ok bool) {
	switch fine {
	case 0:
		q.threshold = coarseOnly
	case 16:
		q.threshold = 0
	default:
		q.threshold = q.sample[len(q.sample)-max(1, len(q.sample)*fine/16)]
	}
	q.splits = c.split(q.splits, q.threshold)
	t = tally{end: q.calls.first - q.calls.gaps[0], at: st.end}
	for i := range q.parts {
		if p := &q.parts[i]; p.alone {
			for i := p.from; i < p.to; i++ {
				q.alone(&t, i, st.any || i > 0)
			}
		} else {
			q.part(&t, p)
		}
		if t.worst > most {
			return t, false
		}
	}
	st.any, st.end, st.drift = true, t.at, int64(t.at-t.end)
	q.worst = max(t.worst, t.starts.Max)
	q.latest, q.widest = t.latest, t.widest
	q.mean = uint64(max(0, int64(t.end-q.calls.first))) / (2 * uint64(len(q.gaps)))
	return t, true
}

// A tally goes through the calls of a block.
type tally struct {
	end, at                 uint64 // of the last call: as recorded, and decoded
	gaps, durations, starts SeriesError
	worst, widest, latest   uint64
}

// alone does call i; any tells that it is not the first of all.
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
			if q.gaps[i], s = b.coarse.find(gap); gap >= b.least {
				q.gaps[i], s = b.choose(gap, int64(t.at-t.end))
			}
			s += t.at
		} else {
			q.gaps[i] = gap
		}
		if q.durations[i], d = b.coarse.find(duration); duration >= b.least {
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

// part does calls that are not exceptional and have one bound, most of all; their errors are added
// up in the end. This is a hot loop.
func (q *lossyBlock) part(t *tally, p *lossyPart) {
	b := &q.splits[0]
	gaps, durations := q.calls.gaps[p.from:p.to], q.calls.durations[p.from:p.to]
	middles, decoded := q.middles[p.from:p.to], q.decoded[p.from:p.to]
	drift := int64(t.at - t.end)
	p.drift = drift
	least, worst := b.least, t.worst
	for i, gap := range gaps {
		duration := durations[i]
		if gap >= least {
			q.gaps[p.from+i], middles[i] = b.choose(gap, drift)
		}
		drift += int64(middles[i] - gap)
		worst = max(worst, magnitude(drift))
		if duration >= least {
			q.durations[p.from+i], decoded[i] = b.choose(duration, drift)
		}
		drift += int64(decoded[i] - duration)
		worst = max(worst, magnitude(drift))
	}
	t.worst = worst
	t.widest = max(t.widest, b.allowed(p.peak))
	t.end += p.total
	t.at = t.end + uint64(drift)
	t.latest = max(t.latest, t.at) // without exceptional calls ends only grow
}

// finish adds up the errors of the calls that are not done one by one. t has the errors of the
// others.
func (q *lossyBlock) finish(t *tally) {
	end := q.calls.first - q.calls.gaps[0]
	for i := range q.parts {
		p := &q.parts[i]
		if p.alone {
			for k := p.from; k < p.to; k++ {
				end += q.calls.gaps[k] + q.calls.durations[k]
			}
			continue
		}
		gaps, durations := q.calls.gaps[p.from:p.to], q.calls.durations[p.from:p.to]
		middles, decoded := q.middles[p.from:p.to], q.decoded[p.from:p.to]
		t.gaps.addAll(gaps, middles)
		t.durations.addAll(durations, decoded)
		drift := uint64(p.drift)
		late := q.late[:len(gaps)]
		for i, gap := range gaps {
			drift += middles[i] - gap
			late[i] = drift
			drift += decoded[i] - durations[i]
		}
		t.starts.addErrors(late)
		end += p.total
		// Starts only grow, too.
		t.starts.Peak = max(t.starts.Peak, end-durations[len(durations)-1])
	}
}

// rule is the bound of call i.
func (l *lossyCalls) rule(i int) uint8 {
	if c := l.classes[i]; int(c) < len(l.ofRule) {
		return l.ofRule[c]
	}
	return 0
}

// append writes the coding: the mode's text, nothing for Lossless, and the rate that bounds were
// converted with.
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
func readCoding(p *byteio.Reader) *coding {
	text := string(p.Sized())
	if p.Err != nil {
		return nil
	}
	if text == "" {
		return newCoding(Mode{Kind: Lossless}, Rate{})
	}
	m, err := ParseMode(text)
	if err != nil || m.Kind <= Lossless || m.String() != text {
		p.Fail("unknown mode")
		return nil
	}
	r := Rate{1, 1}
	if m.Kind != Aggregate {
		r = Rate{p.Uvarint(), p.Uvarint()}
	}
	if r.NS == 0 || r.Ticks == 0 {
		p.Fail("rate of the clock out of range")
	}
	if p.Err != nil {
		return nil
	}
	return newCoding(m, r)
}
