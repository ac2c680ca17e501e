package files

import (
	"slices"
	"time"
)

// Pattern says that access i of a rank begins at Base + PerRank*rank + Step*i. If Run is not 0, i counts from 0 to
// Run-1 again and again, and turn s begins Turn*s further on.
type Pattern struct {
	Base, PerRank, Step, Turn, Run int64
	// Calls is the number of accesses of each rank, Bytes what each moves; -1 if they differ.
	Calls, Bytes int64
}

// sequence is the accesses of one rank to one file, in one direction.
type sequence struct {
	calls, first, last, end, step, bytes int64
	regular, equal                       bool // a formula; one size
	total                                int64
	time                                 time.Duration
	// inner is the first step. run is how many accesses there are before the first other step, 0 before that; begin is
	// where the turn began, at its accesses so far, turn the distance between turns, and turns how many there were.
	inner, run, begin, at, turn, turns int64
}

// add counts an access at an offset, -1 if that is not known.
func (a *Access) add(s *sequence, offset, bytes int64, d time.Duration) {
	a.Calls++
	a.Bytes += bytes
	a.Time += d
	s.total += bytes
	s.time += d
	if bytes < Small {
		a.SmallCalls++
	}
	class := 0
	for class < len(SizeBounds) && bytes > SizeBounds[class] {
		class++
	}
	a.Sizes[class]++
	if offset < 0 {
		a.Unplaced++
		s.regular = false
		return
	}
	if offset%Block != 0 {
		a.Unaligned++
	}
	step := offset - s.last
	switch {
	case s.calls == 0:
		s.first, s.begin, s.at, s.bytes, s.regular, s.equal = offset, offset, 1, bytes, a.Unplaced == 0, true
	case offset == s.end:
		a.Consecutive++
	case offset > s.end:
		a.Forward++
	default:
		a.Backward++
	}
	if s.calls > 1 && step == s.step && offset != s.end {
		a.Strided++
	}
	if s.calls > 0 {
		s.follow(offset, step)
	}
	if bytes != s.bytes {
		s.equal = false
	}
	s.calls, s.last, s.end, s.step = s.calls+1, offset, offset+bytes, step
}

// follow looks whether an access goes on as those before: at one distance, or in turns of equal length and distance.
func (s *sequence) follow(offset, step int64) {
	switch {
	case !s.regular:
	case s.calls == 1:
		s.inner, s.at = step, 2
	case s.run == 0 && step == s.inner:
		s.at++
	case s.run == 0: // the first turn has ended
		s.run, s.turn, s.turns, s.begin, s.at = s.at, offset-s.begin, 2, offset, 1
	case s.at < s.run:
		s.regular = step == s.inner
		s.at++
	default:
		s.regular = offset-s.begin == s.turn
		s.turns, s.begin, s.at = s.turns+1, offset, 1
	}
}

// leastTurns is how many whole turns make a formula.
const leastTurns = 3

// pattern is the formula of a sequence alone, nil if it has none.
func (s *sequence) pattern() *Pattern {
	if !s.regular || s.run > 0 && (s.turns < leastTurns || s.at < s.run) {
		return nil
	}
	p := &Pattern{Base: s.first, Step: s.inner, Turn: s.turn, Run: s.run, Calls: s.calls, Bytes: s.bytes}
	if !s.equal {
		p.Bytes = -1
	}
	return p
}

// finish works out what follows from the ranks together.
func (f *File) finish(byRank bool) {
	for rank := range f.ranks {
		f.Ranks = append(f.Ranks, rank)
	}
	slices.Sort(f.Ranks)
	f.Reads.Pattern = f.pattern(0)
	f.Writes.Pattern = f.pattern(1)
	for i, rank := range f.Ranks {
		of := f.ranks[rank]
		t := RankTime{rank, of[0].time + of[1].time}
		if i == 0 || t.Time > f.Slowest.Time {
			f.Slowest = t
		}
		if i == 0 || t.Time < f.Fastest.Time {
			f.Fastest = t
		}
		if byRank {
			f.ByRank = append(f.ByRank, of[0].total+of[1].total)
		}
	}
	f.ranks = nil
}

// pattern finds the formula of offsets that holds for all accesses, if there is one.
func (f *File) pattern(way int) *Pattern {
	var p *Pattern
	first, second := -1, -1
	for _, rank := range f.Ranks {
		s := &f.ranks[rank][way]
		if s.calls == 0 && s.total == 0 {
			continue
		}
		own := s.pattern()
		switch {
		case own == nil:
			return nil
		case p == nil:
			p, first = own, rank
			continue
		case own.Step != p.Step || own.Turn != p.Turn || own.Run != p.Run:
			return nil
		case second < 0:
			second = rank
			if (own.Base-p.Base)%int64(rank-first) != 0 {
				return nil
			}
			p.PerRank = (own.Base - p.Base) / int64(rank-first)
		case own.Base != p.Base+p.PerRank*int64(rank-first):
			return nil
		}
		if own.Calls != p.Calls {
			p.Calls = -1
		}
		if own.Bytes != p.Bytes {
			p.Bytes = -1
		}
	}
	if p != nil {
		p.Base -= p.PerRank * int64(first)
	}
	return p
}

// Order says in which order most accesses of a rank came: "consecutive", "sequential", "strided", "random", "mixed",
// "one access", or "unknown" where no offsets are known; "" without accesses.
func (a *Access) Order() string {
	steps := a.Consecutive + a.Forward + a.Backward
	switch {
	case a.Calls == 0:
		return ""
	case 2*a.Unplaced > a.Calls:
		return "unknown"
	case steps == 0:
		return "one access"
	case 10*a.Consecutive >= 9*steps:
		return "consecutive"
	case a.Strided > a.Consecutive && 10*(a.Strided+a.Consecutive) >= 8*steps:
		return "strided"
	case 10*a.Backward <= steps:
		return "sequential"
	case 10*a.Backward >= 3*steps:
		return "random"
	}
	return "mixed"
}

// Add adds the numbers of others; there is no pattern then.
func (a *Access) Add(b *Access) {
	a.Calls += b.Calls
	a.Bytes += b.Bytes
	a.Time += b.Time
	a.Unplaced += b.Unplaced
	a.Consecutive += b.Consecutive
	a.Forward += b.Forward
	a.Backward += b.Backward
	a.Strided += b.Strided
	a.SmallCalls += b.SmallCalls
	a.Unaligned += b.Unaligned
	for i, n := range b.Sizes {
		a.Sizes[i] += n
	}
	a.Pattern = nil
}
