package archive

import (
	"math/bits"
	"sync"
)

// prefixStep is the distance of the sums that a prefix keeps.
const prefixStep = 256

// prefix adds up a column of lengths (of runs of polls, of arrays), as far as
// was asked for. It keeps every prefixStep-th sum.
type prefix struct {
	mu   sync.Mutex
	col  *Column
	min  int64    // no value is smaller
	sums []uint64 // sums[i] is the sum of the first i*prefixStep values
	buf  [prefixStep]int64
}

// prefixes are the sums of a stream's columns of lengths, by place.
type prefixes struct {
	mu sync.Mutex
	of map[uint32]*prefix
}

// prefix finds the sums of the column at place of the stream.
func (s *Stream) prefix(l *layout, place uint32, min int64) (*prefix, error) {
	l.sums.mu.Lock()
	defer l.sums.mu.Unlock()
	if p := l.sums.of[place]; p != nil {
		return p, nil
	}
	col, err := s.openColumn(l, place)
	if err != nil {
		return nil, err
	}
	p := &prefix{col: col, min: min, sums: []uint64{0}}
	if l.sums.of == nil {
		l.sums.of = make(map[uint32]*prefix)
	}
	l.sums.of[place] = p
	return p, nil
}

// sum adds up the first n lengths of runs of polls in the column at place.
func (s *Stream) sum(l *layout, place uint32, n uint64) (uint64, error) {
	return s.sumMin(l, place, n, 1)
}

// sumMin adds up the first n values, which must be at least min.
func (s *Stream) sumMin(l *layout, place uint32, n uint64, min int64) (uint64, error) {
	p, err := s.prefix(l, place, min)
	if err != nil {
		return 0, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	fail := func(format string, args ...any) (uint64, error) {
		return 0, s.broken(l, place, format, args...)
	}
	if n > p.col.Len() {
		return fail("%d values, but %d are needed", p.col.Len(), n)
	}
	if n/prefixStep > uint64(len(p.sums))+s.a.maxWork/prefixStep {
		return 0, &FormatError{
			File:    s.a.file,
			Section: "columns",
			Offset:  -1,
			Hint:    hintWork,
			Msg:     "finding a call needs to add up more values than allowed",
		}
	}
	for uint64(len(p.sums)) <= n/prefixStep {
		k := uint64(len(p.sums) - 1)
		sum, ok := p.add(k*prefixStep, prefixStep, p.sums[k])
		if !ok {
			return fail("a length is out of range near value %d", k*prefixStep)
		}
		p.sums = append(p.sums, sum)
	}
	k := n / prefixStep
	sum, ok := p.add(k*prefixStep, n%prefixStep, p.sums[k])
	if !ok {
		return fail("a length is out of range near value %d", k*prefixStep)
	}
	return sum, nil
}

// add adds n values from index from on to sum.
func (p *prefix) add(from, n, sum uint64) (uint64, bool) {
	vs := p.buf[:n]
	if got := p.col.Read(from, vs); uint64(got) != n || p.col.Err() != nil {
		return 0, false
	}
	for _, v := range vs {
		var carry uint64
		if sum, carry = bits.Add64(sum, uint64(v), 0); v < p.min || carry != 0 {
			return 0, false
		}
	}
	return sum, true
}

// locate finds the event that call i is in, the position of the call in it (of
// a run of polls), and how often each terminal occurs before the event.
func (s *Stream) locate(l *layout, i uint64) (event, inside uint64, before []uint64, err error) {
	if len(l.polls) == 0 {
		return i, 0, sized(l.x.CountBefore(i), len(l.tms)), nil
	}
	if l.x.Len() == 0 {
		return 0, 0, nil, s.a.broken("structure/classes", -1, "stream %d: %d calls, but no events", s.index, l.call)
	}
	// The last event that no more than i calls precede: every event has at
	// least one call, so it is at most event i.
	lo, hi := uint64(0), min(i, l.x.Len()-1)
	for lo < hi {
		mid := hi - (hi-lo)/2
		calls, err := s.callsBefore(l, mid)
		if err != nil {
			return 0, 0, nil, err
		}
		if calls <= i {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	calls, err := s.callsBefore(l, lo)
	return lo, i - calls, sized(l.x.CountBefore(lo), len(l.tms)), err
}

// callsBefore is the number of calls before event e.
func (s *Stream) callsBefore(l *layout, e uint64) (uint64, error) {
	before := sized(l.x.CountBefore(e), len(l.tms))
	calls := e
	for _, t := range l.polls {
		sum, err := s.sum(l, l.first[t], before[t])
		if err != nil {
			return 0, err
		}
		var carry uint64
		if calls, carry = bits.Add64(calls, sum-before[t], 0); carry != 0 {
			return 0, s.a.broken("columns", -1, "stream %d: runs of polls are too long", s.index)
		}
	}
	return calls, nil
}
