package trial

import (
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/collectives"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// times knows when calls of messages began and ended, of processes with one thread. Calls have their numbers of
// collectives.Projected.
type times struct {
	readers map[int32]*calls.Reader
}

// newTimes is nil if the recording has no times.
func newTimes(a *archive.Archive) (*times, error) {
	a, err := collectives.Projected(a)
	if err != nil {
		return nil, err
	}
	p, err := calls.Open(a)
	if err != nil {
		return nil, err
	}
	t := &times{map[int32]*calls.Reader{}}
	several := map[int32]bool{}
	for s := range a.Streams() {
		n := p.Number(s.Process())
		if _, seen := t.readers[n]; seen {
			several[n] = true
		}
		if !s.Timed() {
			return nil, nil
		}
		if t.readers[n], err = p.Reader(s); err != nil {
			return nil, err
		}
	}
	for n := range several {
		delete(t.readers, n)
	}
	return t, nil
}

// between is what a process does from the end of a call to the beginning of another.
func (t *times) between(process int32, from, to uint64) time.Duration {
	if t == nil || t.readers[process] == nil || from >= to || to == never {
		return 0
	}
	var begin, end [1]time.Duration
	r := t.readers[process]
	if r.Times(from, begin[:], end[:]) != nil {
		return 0
	}
	left := end[0]
	if r.Times(to, begin[:], end[:]) != nil {
		return 0
	}
	return min(max(begin[0]-left, 0), mostGap)
}

// mostGap is the longest that is computed between two calls.
const mostGap = time.Second
