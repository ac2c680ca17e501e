package rankfunc

import "slices"

// maxBody is the greatest number of runs in a body.
const maxBody = 12

// A builder makes the canonical form of a set from its maximal intervals in ascending
// order. Like Sequitur it keeps a list without repetitions: whenever the last
// runs repeat the ones before them, or continue copies, they are joined. So the form
// depends on the intervals alone, and each step can be undone.
type builder struct {
	of []run
	// lo and hi are an interval that add has not pushed yet, as it may grow; none if they are
	// equal.
	lo, hi int
}

// add adds the interval [lo, hi), which may touch or overlap the one before, but begins nowhere
// below it.
func (b *builder) add(lo, hi int) {
	if b.hi > b.lo && lo <= b.hi {
		b.hi = max(b.hi, hi)
		return
	}
	b.flush()
	b.lo, b.hi = lo, hi
}

// flush pushes the interval that add kept.
func (b *builder) flush() {
	if b.hi > b.lo {
		b.push(b.lo, b.hi)
	}
	b.lo, b.hi = 0, 0
}

// resume returns a builder that has the intervals of s, which is canonical.
func resume(s *Set) builder {
	return builder{of: slices.Clone(s.list.of)}
}

func (b *builder) set() *Set {
	b.flush()
	return &Set{list: newRuns(slices.Clip(b.of))}
}

// push adds the interval [lo, hi), which begins above the end of the last one.
func (b *builder) push(lo, hi int) {
	b.of = append(b.of, run{lo: lo, stride: 1, count: hi - lo})
	for b.extend() || b.join() {
	}
}

// pop takes the last interval away, as if it had not been pushed.
func (b *builder) pop() (lo, hi int) {
	for {
		k := len(b.of) - 1
		r := b.of[k]
		if r.isInterval() {
			b.of = b.of[:k]
			return r.lo, r.lo + r.count
		}
		// extend made the last of three and more copies, join the second one.
		r.count--
		last := r.lo + r.count*r.stride
		if r.count > 1 {
			b.of[k] = r
		} else {
			b.of = appendBody(b.of[:k], r.body, r.lo)
		}
		b.of = appendBody(b.of, r.body, last)
	}
}

// appendBody appends the runs of a copy that begins at rank lo.
func appendBody(of []run, body *body, lo int) []run {
	if body == nil {
		return append(of, run{lo: lo, stride: 1, count: 1})
	}
	for _, r := range body.of {
		r.lo += lo
		of = append(of, r)
	}
	return of
}

// extend joins the last runs with copies before them of the same body.
func (b *builder) extend() bool {
	k := len(b.of)
	for m := 1; m <= maxBody && m < k; m++ {
		r := &b.of[k-m-1]
		if r.isInterval() {
			continue
		}
		tail := b.of[k-m:]
		next := r.lo + r.count*r.stride
		if r.body == nil {
			if m > 1 || tail[0].count != 1 || tail[0].body != nil || tail[0].lo != next {
				continue
			}
		} else if len(r.body.of) != m || !shifted(r.body.of, tail, next) {
			continue
		}
		r.count++
		b.of = b.of[:k-m]
		return true
	}
	return false
}

// join makes two copies of the last runs and equal ones before them.
func (b *builder) join() bool {
	k := len(b.of)
	for m := 1; m <= maxBody && 2*m <= k; m++ {
		head, tail := b.of[k-2*m:k-m], b.of[k-m:]
		if !shifted(head, tail, tail[0].lo-head[0].lo) {
			continue
		}
		r := run{lo: head[0].lo, stride: tail[0].lo - head[0].lo, count: 2}
		if m > 1 || head[0].count > 1 {
			r.body = newBody(head)
		}
		b.of = append(b.of[:k-2*m], r)
		return true
	}
	return false
}

// shifted tells whether b is a, by ranks further up.
func shifted(a, b []run, by int) bool {
	for i := len(a) - 1; i >= 0; i-- {
		if b[i].lo-a[i].lo != by || !sameShape(&a[i], &b[i]) {
			return false
		}
	}
	return true
}

// newBody returns the body with the form of the runs.
func newBody(of []run) *body {
	rel := slices.Clone(of)
	for i := range rel {
		rel[i].lo -= of[0].lo
	}
	return &body{runs: newRuns(rel), hash: hashRuns(rel)}
}

// hashRuns tells bodies apart quickly; it is the same everywhere.
func hashRuns(of []run) uint64 {
	h := uint64(len(of))
	mix := func(x uint64) { h = (h ^ x) * 0x9E3779B97F4A7C15; h ^= h >> 29 }
	for i := range of {
		r := &of[i]
		mix(uint64(r.lo))
		mix(uint64(r.stride)<<32 | uint64(r.count))
		if r.body != nil {
			mix(r.body.hash)
		}
	}
	return h
}
