package rankfunc

import (
	"fmt"
	"iter"
	"sort"
	"sync"
)

// MaxRank is the greatest rank that a set may have as a member.
const MaxRank = 1<<31 - 2

// A Set is an immutable set of ranks. Sets with the same members have the same form,
// whatever made them. Methods may be called concurrently. The nil Set is empty.
type Set struct {
	list runs
	// loose tells that the form may not be the canonical one: the set was read from a file.
	loose bool
	once  sync.Once
	canon *Set // of a loose set, by once
	enc   struct {
		once sync.Once
		b    []byte
	}
	within struct { // the encoding in a communicator of the size, see AppendIn
		sync.Mutex
		size int
		b    []byte
	}
}

// A run is count copies of a body, stride apart. With body nil it is single
// ranks: an interval if stride is 1. Copies do not overlap.
type run struct {
	lo, stride, count int
	body              *body
}

// A body is what is repeated: runs relative to the first member.
type body struct {
	runs
	hash uint64
}

// runs are ascending and disjoint.
type runs struct {
	of    []run
	first []int // index of the first member of each run; then the number of members
}

func newRuns(of []run) runs {
	l := runs{of: of, first: make([]int, len(of)+1)}
	n := 0
	for i := range of {
		l.first[i] = n
		n += of[i].members()
	}
	l.first[len(of)] = n
	return l
}

func (l *runs) members() int {
	if len(l.of) == 0 {
		return 0
	}
	return l.first[len(l.of)]
}

// end returns the greatest member plus one, 0 if there is none.
func (l *runs) end() int {
	if len(l.of) == 0 {
		return 0
	}
	return l.of[len(l.of)-1].end()
}

func (r *run) members() int {
	if r.body == nil {
		return r.count
	}
	return r.count * r.body.members()
}

// span returns the distance from the first member of a copy to its end.
func (r *run) span() int {
	if r.body == nil {
		return 1
	}
	return r.body.end()
}

func (r *run) end() int { return r.lo + (r.count-1)*r.stride + r.span() }

// isInterval tells whether the run is an interval of ranks.
func (r *run) isInterval() bool { return r.body == nil && r.stride == 1 }

// index returns how many members are less than x, and whether x is a member.
func (l *runs) index(x int) (int, bool) {
	k := sort.Search(len(l.of), func(i int) bool { return l.of[i].lo > x }) - 1
	if k < 0 {
		return 0, false
	}
	r := &l.of[k]
	if x >= r.end() {
		return l.first[k+1], false
	}
	copies, at := (x-r.lo)/r.stride, (x-r.lo)%r.stride
	if r.body == nil {
		if at == 0 {
			return l.first[k] + copies, true
		}
		return l.first[k] + copies + 1, false
	}
	i, ok := r.body.index(at)
	return l.first[k] + copies*r.body.members() + i, ok
}

// at returns member i, which must exist.
func (l *runs) at(i int) int {
	k := sort.Search(len(l.of), func(k int) bool { return l.first[k+1] > i })
	r := &l.of[k]
	i -= l.first[k]
	if r.body == nil {
		return r.lo + i*r.stride
	}
	n := r.body.members()
	return r.lo + i/n*r.stride + r.body.at(i%n)
}

// intervals calls f for each maximal interval [lo, hi) in ascending order, until it returns false.
func (l *runs) intervals(base int, f func(lo, hi int) bool) bool {
	for i := range l.of {
		r := &l.of[i]
		lo := base + r.lo
		switch {
		case r.isInterval():
			if !f(lo, lo+r.count) {
				return false
			}
		case r.body == nil:
			for range r.count {
				if !f(lo, lo+1) {
					return false
				}
				lo += r.stride
			}
		default:
			for range r.count {
				if !r.body.intervals(lo, f) {
					return false
				}
				lo += r.stride
			}
		}
	}
	return true
}

// NewSet returns the set of the given ranks, in any order, also repeated ones. It
// panics if one is negative or above MaxRank.
func NewSet(ranks []int) *Set {
	if !sort.IntsAreSorted(ranks) {
		ranks = append([]int(nil), ranks...)
		sort.Ints(ranks)
	}
	if len(ranks) > 0 {
		checkRange(ranks[0], ranks[len(ranks)-1]+1)
	}
	var b builder
	for _, rank := range ranks {
		b.add(rank, rank+1)
	}
	return b.set()
}

// Range returns the set of ranks from lo to hi-1. It panics if one is negative or above MaxRank.
func Range(lo, hi int) *Set {
	if lo >= hi {
		return &Set{}
	}
	checkRange(lo, hi)
	return &Set{list: newRuns([]run{{lo: lo, stride: 1, count: hi - lo}})}
}

func checkRange(lo, hi int) {
	if lo < 0 || hi-1 > MaxRank {
		panic(fmt.Sprintf("rankfunc: ranks %d to %d are out of range", lo, hi-1))
	}
}

// Len returns the number of members.
func (s *Set) Len() int {
	if s == nil {
		return 0
	}
	return s.list.members()
}

// Min returns the least member, -1 if there is none.
func (s *Set) Min() int {
	if s.Len() == 0 {
		return -1
	}
	return s.list.of[0].lo
}

// Max returns the greatest member, -1 if there is none.
func (s *Set) Max() int {
	if s.Len() == 0 {
		return -1
	}
	return s.list.end() - 1
}

// Contains tells whether rank r is a member.
func (s *Set) Contains(r int) bool {
	_, ok := s.Index(r)
	return ok
}

// At returns the i-th member in ascending order, from 0. It panics if there is none.
func (s *Set) At(i int) int {
	if i < 0 || i >= s.Len() {
		panic(fmt.Sprintf("rankfunc: member %d of a set of %d", i, s.Len()))
	}
	return s.list.at(i)
}

// Index returns the number of members less than r, and whether r is a member.
func (s *Set) Index(r int) (int, bool) {
	if s.Len() == 0 {
		return 0, false
	}
	return s.list.index(r)
}

// All returns the members in ascending order.
func (s *Set) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for lo, hi := range s.Intervals() {
			for r := lo; r < hi; r++ {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// Intervals returns the maximal intervals [lo, hi) of members in ascending order.
func (s *Set) Intervals() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		if s.Len() > 0 {
			s.list.intervals(0, yield)
		}
	}
}

// Union returns the set of the members of s and of t. It takes constant time
// if both are intervals, time that depends on the number of
// intervals in t if all of t lies above s, and else in both.
func (s *Set) Union(t *Set) *Set {
	s, t = s.canonical(), t.canonical()
	switch {
	case t.Len() == 0:
		return s
	case s.Len() == 0:
		return t
	case t.Max() < s.Min():
		s, t = t, s
	case s.Max() >= t.Min():
		return interleave(s, t)
	}
	b := resume(s)
	if s.Max()+1 == t.Min() {
		b.lo, b.hi = b.pop()
	}
	for lo, hi := range t.Intervals() {
		b.add(lo, hi)
	}
	return b.set()
}

// interleave returns the union by a pass over the intervals of both.
func interleave(s, t *Set) *Set {
	nextS, stopS := iter.Pull2(s.Intervals())
	defer stopS()
	nextT, stopT := iter.Pull2(t.Intervals())
	defer stopT()
	var b builder
	sl, sh, sok := nextS()
	tl, th, tok := nextT()
	for sok || tok {
		if !tok || sok && sl <= tl {
			b.add(sl, sh)
			sl, sh, sok = nextS()
		} else {
			b.add(tl, th)
			tl, th, tok = nextT()
		}
	}
	return b.set()
}

// canonical returns the set in its canonical form.
func (s *Set) canonical() *Set {
	if s == nil {
		return &Set{}
	}
	if !s.loose {
		return s
	}
	s.once.Do(func() {
		var b builder
		for lo, hi := range s.Intervals() {
			b.add(lo, hi)
		}
		s.canon = b.set()
	})
	return s.canon
}

// Equal tells whether s and t have the same members.
func (s *Set) Equal(t *Set) bool {
	if s == t {
		return true
	}
	if s.Len() != t.Len() || s.Min() != t.Min() || s.Max() != t.Max() {
		return false
	}
	if equalRuns(s.list.of, t.list.of) {
		return true
	}
	if !s.loose && !t.loose {
		return false
	}
	s, t = s.canonical(), t.canonical()
	return equalRuns(s.list.of, t.list.of)
}

func equalRuns(a, b []run) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].lo != b[i].lo || !sameShape(&a[i], &b[i]) {
			return false
		}
	}
	return true
}

// sameShape tells whether a and b are equal but for the first member.
func sameShape(a, b *run) bool {
	if a.stride != b.stride || a.count != b.count {
		return false
	}
	if a.body == b.body {
		return true
	}
	return a.body != nil && b.body != nil && a.body.hash == b.body.hash && equalRuns(a.body.of, b.body.of)
}

// String returns the set for people: "0-3", "0-35:7" (each seventh), and
// "(0-2,5)+0-90:10" for copies of a list that begin at the ranks after the plus.
func (s *Set) String() string {
	if s.Len() == 0 {
		return "none"
	}
	return string(appendRunsText(nil, s.list.of))
}

func appendRunsText(dst []byte, of []run) []byte {
	for i := range of {
		if i > 0 {
			dst = append(dst, ',')
		}
		r := &of[i]
		if r.body != nil {
			dst = append(dst, '(')
			dst = appendRunsText(dst, r.body.of)
			dst = append(dst, ")+"...)
		}
		last := r.lo + (r.count-1)*r.stride
		dst = fmt.Append(dst, r.lo)
		switch {
		case r.count == 1:
		case r.body == nil && r.stride == 1:
			dst = fmt.Appendf(dst, "-%d", last)
		default:
			dst = fmt.Appendf(dst, "-%d:%d", last, r.stride)
		}
	}
	return dst
}
