package diff

// pair is a terminal of A and one of B behind calls that are aligned.
type pair struct{ a, b uint32 }

// met is how often a pair occurs in a stream, and where first.
type met struct {
	count  uint64
	pa, pb uint64 // letters
}

// pairs finds the aligned calls that differ in parameters, where u and v are the words
// of the aligner with parameters in their letters.
type pairs struct {
	u, v  *word
	work  *uint64
	limit uint64
	found map[pair]*met
	order []pair
	cut   bool // the limit was met
}

func (p *pairs) steps(list []step, shiftA, shiftB, times uint64) {
	for i := range list {
		switch s := &list[i]; s.kind {
		case same:
			p.compare(s.a+shiftA, s.b+shiftB, s.na, times, 0)
		case repeat:
			p.repeated(s, shiftA, shiftB, times)
		}
	}
}

// repeated compares the repetitions of a loop, equal ones together.
func (p *pairs) repeated(s *step, shiftA, shiftB, times uint64) {
	for k := uint64(0); k < s.times && !p.full(); {
		i, j := s.a+shiftA+k*s.na, s.b+shiftB+k*s.nb
		n := min(repeats(p.u, i, s.na, i+(s.times-k)*s.na), repeats(p.v, j, s.nb, j+(s.times-k)*s.nb))
		n = max(n, 1)
		p.steps(s.body, shiftA+k*s.na, shiftB+k*s.nb, times*n)
		k += n
	}
}

func (p *pairs) full() bool {
	if *p.work > p.limit {
		p.cut = true
	}
	return p.cut
}

// compare compares n aligned letters.
func (p *pairs) compare(i, j, n, times uint64, depth int) {
	for n > 0 && !p.full() {
		k := common(p.u, i, p.v, j, n)
		i, j, n = i+k, j+k, n-k
		if n == 0 {
			return
		}
		if depth < maxDepth {
			if period, r := p.period(i, j, n); r > 1 {
				p.compare(i, j, period, times*r, depth+1)
				i, j, n = i+period*r, j+period*r, n-period*r
				continue
			}
		}
		k = p.walk(i, j, n, times)
		i, j, n = i+k, j+k, n-k
	}
}

// Of calls of which many differ, some are compared one by one before it is looked for what is equal again.
const (
	walkEvents = 1 << 12
	walkEqual  = 1 << 6 // so many equal ones in a row are an end
)

// walk compares aligned letters one by one, at least one of n, and tells how many.
func (p *pairs) walk(i, j, n, times uint64) (done uint64) {
	nextA, nextB := p.u.walk(i, walkEvents), p.v.walk(j, walkEvents)
	for equal := 0; done < n && equal < walkEqual; done++ {
		a, okA := nextA()
		b, okB := nextB()
		switch {
		case !okA || !okB:
			return done
		case p.u.letters[a] == p.v.letters[b]:
			equal++
		default:
			equal = 0
			p.meet(pair{a, b}, i+done, j+done, times)
		}
	}
	return done
}

// period finds the longest repetition that both words are in.
func (p *pairs) period(i, j, n uint64) (period, times uint64) {
	try := func(q uint64) bool {
		if q <= period || 2*q > n {
			return false
		}
		if r := min(repeats(p.u, i, q, i+n), repeats(p.v, j, q, j+n)); r > 1 {
			period, times = q, r
			return true
		}
		return false
	}
	for _, q := range p.u.periods(i) {
		if try(q) {
			break
		}
	}
	for _, q := range p.v.periods(j) {
		if try(q) {
			break
		}
	}
	return period, times
}

func (p *pairs) meet(k pair, i, j, times uint64) {
	m := p.found[k]
	if m == nil {
		m = &met{pa: i, pb: j}
		p.found[k] = m
		p.order = append(p.order, k)
	}
	m.count += times
}
