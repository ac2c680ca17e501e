package waits

import (
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// accessTimes is when each stream accessed files: what a process that came late was in.
type accessTimes struct {
	next    match.Observer // may be nil
	at      func(stream int32, t time.Duration) time.Duration
	classes map[*archive.Class][]bool // whether a terminal accesses files
	of      []streamAccess            // by stream
	most    int                       // stretches of a stream
}

// streamAccess is the accesses of a stream, in order.
type streamAccess struct {
	is   []bool // by terminal
	list []stretch
	gap  time.Duration // accesses with less between them are one stretch
}

// stretch is one access, or several: in is the time in them, before that in the stretches before.
type stretch struct{ begin, end, in, before time.Duration }

// accessMemory bounds the stretches of all streams together, where there are not thousands of these.
const accessMemory = 1 << 20

// newAccessTimes is nil if nothing in the archive accesses files.
func newAccessTimes(a *archive.Archive, next match.Observer) (*accessTimes, error) {
	x := &accessTimes{next: next, classes: map[*archive.Class][]bool{}, of: make([]streamAccess, a.NumStreams())}
	x.most = max(256, accessMemory/max(1, len(x.of)))
	for _, c := range a.Classes() {
		counts, _, err := c.Counts()
		if err != nil {
			return nil, err
		}
		is, any := make([]bool, len(counts)), false
		for t := range is {
			of, err := c.Template(uint32(t))
			if err != nil {
				return nil, err
			}
			is[t] = spec.ByID(of.Func).Activity == spec.ActivityIo
			any = any || is[t]
		}
		if any {
			x.classes[c] = is
		}
	}
	if len(x.classes) == 0 {
		return nil, nil
	}
	for s := range a.Streams() {
		x.of[s.Index()].is = x.classes[s.Class()]
	}
	return x, nil
}

// Event notes an access.
func (x *accessTimes) Event(stream int32, op *calls.Op) error {
	if s := &x.of[stream]; op.Timed && s.accesses(op.Terminal) {
		s.add(x.at(stream, op.Begin), x.at(stream, op.End), x.most)
	}
	if x.next == nil {
		return nil
	}
	return x.next.Event(stream, op)
}

// Repeat notes the accesses among calls.
func (x *accessTimes) Repeat(stream int32, call uint64, body []uint32, at int, begins, ends []time.Duration) error {
	if s := &x.of[stream]; s.is != nil {
		for i := range begins {
			if s.accesses(body[(at+i)%len(body)]) {
				s.add(x.at(stream, begins[i]), x.at(stream, ends[i]), x.most)
			}
		}
	}
	if x.next == nil {
		return nil
	}
	return x.next.Repeat(stream, call, body, at, begins, ends)
}

func (s *streamAccess) accesses(term uint32) bool { return int(term) < len(s.is) && s.is[term] }

func (s *streamAccess) add(begin, end time.Duration, most int) {
	if end <= begin {
		return
	}
	if n := len(s.list); n > 0 && begin-s.list[n-1].end < s.gap {
		s.list[n-1].unite(stretch{begin: begin, end: end, in: end - begin})
		return
	}
	for s.list = append(s.list, stretch{begin: begin, end: end, in: end - begin}); len(s.list) > most; {
		s.gap = max(time.Microsecond, 2*s.gap)
		n := 0
		for _, x := range s.list[1:] {
			if x.begin-s.list[n].end < s.gap {
				s.list[n].unite(x)
			} else {
				n++
				s.list[n] = x
			}
		}
		s.list = s.list[:n+1]
	}
}

// unite adds what follows.
func (s *stretch) unite(x stretch) {
	s.in += max(0, min(x.in, x.end-max(x.begin, s.end))) // calls that return later may have begun earlier
	s.end = max(s.end, x.end)
}

// seal makes within possible: all has been added.
func (x *accessTimes) seal() {
	for i := range x.of {
		sum := time.Duration(0)
		for k := range x.of[i].list {
			x.of[i].list[k].before = sum
			sum += x.of[i].list[k].in
		}
	}
}

// within is how long a stream accessed files between two times. Within a stretch of several accesses these are taken to
// be spread evenly.
func (x *accessTimes) within(stream int32, from, to time.Duration) time.Duration {
	if x == nil || to <= from {
		return 0
	}
	list := x.of[stream].list
	until := func(t time.Duration) time.Duration {
		k, _ := slices.BinarySearchFunc(list, t, func(s stretch, t time.Duration) int {
			if s.end <= t {
				return -1
			}
			return 1
		})
		if k == len(list) {
			if k == 0 {
				return 0
			}
			return list[k-1].before + list[k-1].in
		}
		s := &list[k]
		if t <= s.begin {
			return s.before
		}
		return s.before + time.Duration(float64(s.in)*float64(t-s.begin)/float64(s.end-s.begin))
	}
	return max(0, until(to)-until(from))
}
