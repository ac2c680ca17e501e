package timing

import (
	"slices"
)

// minOwn is how many values of a context in a block deserve tables of their own.
const minOwn = 96

// Contexts are the pairs of a call's class and that of the call before, numbered as a block's calls
// have them. The first call counts as if one of its class preceded it.
type contexts struct {
	ctx    []uint16 // of each call
	keys   []uint64 // of each context: the class before, and in the low half the class
	counts []uint32 // calls of each context
	sets   int
	setAt  []uint32 // of each context: where the buckets of its set begin
	sums   []durationSum

	small [1 << 12]uint16 // of pairs of classes below 64, the number plus 1
	large pairTable       // of others
}

// A durationSum is the durations of the calls of a context, as decoded.
type durationSum struct{ sum, most uint64 }

// findContexts sets everything but sums, for calls of the given classes.
func (x *contexts) findContexts(classes []uint32) {
	x.reset(len(classes))
	// In a loop that repeats itself, contexts do so as well from the second call on.
	p := period(classes)
	x.number(classes[:min(p+1, len(classes))])
	ctx := x.ctx
	for n := p + 1; n < len(ctx); {
		n += copy(ctx[n:], ctx[1:n])
	}
	for i := 1; i <= p && i+p < len(ctx); i++ {
		x.counts[ctx[i]] += uint32((len(ctx) - 1 - i) / p)
	}
	x.findSets()
}

// reset makes room for a number of calls.
func (x *contexts) reset(calls int) {
	x.ctx = slices.Grow(x.ctx[:0], calls)[:calls]
	x.keys, x.counts = x.keys[:0], x.counts[:0]
	clear(x.small[:])
	x.large.reset()
}

// number finds and counts the contexts of the first calls of a block.
func (x *contexts) number(classes []uint32) {
	ctx, counts := x.ctx[:len(classes)], x.counts
	last := classes[0]
	for i, c := range classes {
		var n uint16
		if c|last < 64 {
			n = x.small[last<<6|c]
		} else {
			n = x.large.find(uint64(last)<<32 | uint64(c))
		}
		if n == 0 {
			n = x.newContext(last, c)
			counts = append(counts, 0)
		}
		n--
		ctx[i] = n
		counts[n]++
		last = c
	}
	x.counts = counts
}

// longestPeriod is that of classes that is looked for; likely is how many calls have to agree before all are compared.
const longestPeriod, likely = 512, 16

// period is a number of calls after which classes repeat themselves to the end, or all calls if they do not soon.
func period(classes []uint32) int {
	for p, tries := 1, 0; p <= longestPeriod && p+likely < len(classes) && tries < 4; p++ {
		if classes[p] == classes[0] && slices.Equal(classes[p:p+likely], classes[:likely]) {
			if slices.Equal(classes[p:], classes[:len(classes)-p]) {
				return p
			}
			tries++
		}
	}
	return len(classes)
}

// newContext returns the number of a new context, plus one.
func (x *contexts) newContext(last, class uint32) uint16 {
	key := uint64(last)<<32 | uint64(class)
	x.keys = append(x.keys, key)
	n := uint16(len(x.keys))
	if class|last < 64 {
		x.small[last<<6|class] = n
	} else {
		x.large.add(key, n)
	}
	return n
}

// findSets gives contexts with many calls sets of their own; set 0 is all others.
func (x *contexts) findSets() {
	x.sets = 1
	x.setAt = slices.Grow(x.setAt[:0], len(x.keys))[:len(x.keys)]
	for c, n := range x.counts {
		x.setAt[c] = 0
		if n >= minOwn {
			x.setAt[c] = uint32(x.sets) * buckets
			x.sets++
		}
	}
}

// resetSums makes room for sums.
func (x *contexts) resetSums() {
	x.sums = slices.Grow(x.sums[:0], len(x.keys))[:len(x.keys)]
	clear(x.sums)
}

// addAll adds up the durations of all calls.
func (x *contexts) addAll(durations []uint64) {
	ctx, sums := x.ctx[:len(durations)], x.sums
	for i, d := range durations {
		s := &sums[ctx[i]]
		s.sum += d
		s.most = max(s.most, d)
	}
}

// survey goes through calls after one that ended at end: it sums up durations, and returns the
// latest end and all bits that the numbers have. The first gap counts only if it makes its call
// exceptional.
func (x *contexts) survey(end uint64, gaps, durations []uint64) (all, latest uint64) {
	ctx, sums := x.ctx[:len(gaps)], x.sums
	durations = durations[:len(gaps)]
	for i, gap := range gaps {
		d := durations[i]
		end += gap + d
		latest = max(latest, end)
		if i == 0 && !exceptional(gap, d) {
			gap = 0
		}
		all |= gap | d
		s := &sums[ctx[i]]
		s.sum += d
		s.most = max(s.most, d)
	}
	return all, latest
}

// summarise turns sums into those of classes.
func (x *contexts) summarise(dst []ClassSummary, index *classIndex) []ClassSummary {
	index.reset()
	for n, key := range x.keys {
		k := index.of(uint32(key), len(dst))
		if k == len(dst) {
			dst = append(dst, ClassSummary{Class: uint32(key)})
		}
		s := &dst[k]
		s.Calls += uint64(x.counts[n])
		s.Sum += x.sums[n].sum
		s.Max = max(s.Max, x.sums[n].most)
	}
	return ordered(dst)
}

// A pairTable numbers pairs of classes: a hash table, with linear probing, of numbers from 1 on.
type pairTable struct {
	keys  []uint64 // plus 1, 0 is free; a power of two of them
	vals  []uint16
	n     int
	shift uint8 // of the hash
}

func (t *pairTable) reset() {
	if t.n > 0 {
		t.n = 0
		clear(t.keys)
	}
}

// at is where a key is, or belongs.
func (t *pairTable) at(key uint64) int {
	// Fibonacci hashing (D. E. Knuth, The Art of Computer Programming, volume 3, section 6.4).
	i := int(key * 0x9e3779b97f4a7c15 >> (t.shift & 63))
	for t.keys[i] != key+1 && t.keys[i] != 0 {
		i = (i + 1) & (len(t.keys) - 1)
	}
	return i
}

// find returns the number of a key, 0 if it has none.
func (t *pairTable) find(key uint64) uint16 {
	if t.n == 0 {
		return 0
	}
	if i := t.at(key); t.keys[i] != 0 {
		return t.vals[i]
	}
	return 0
}

// add adds a key that is new.
func (t *pairTable) add(key uint64, val uint16) {
	if 2*t.n >= len(t.keys) {
		t.grow()
	}
	i := t.at(key)
	t.keys[i], t.vals[i] = key+1, val
	t.n++
}

func (t *pairTable) grow() {
	keys, vals := t.keys, t.vals
	n := max(256, 2*len(keys))
	t.keys, t.vals = make([]uint64, n), make([]uint16, n)
	for t.shift = 64; n > 1; n /= 2 {
		t.shift--
	}
	for i, k := range keys {
		if k != 0 {
			at := t.at(k - 1)
			t.keys[at], t.vals[at] = k, vals[i]
		}
	}
}
