package archive

import (
	"math"
	"slices"
	"sort"
	"time"
)

// EventAt is the event that call i is in, and the position of the call in it,
// which is 0 but for the later polls of a run. For i = Calls it is the number
// of events.
func (s *Stream) EventAt(i uint64) (event, inside uint64, err error) {
	l, err := s.open()
	if err != nil {
		return 0, 0, err
	}
	if i >= l.call {
		return l.x.Len(), 0, nil
	}
	if len(l.polls) == 0 {
		return i, 0, nil
	}
	event, inside, _, err = s.locate(l, i)
	return event, inside, err
}

// CallsBefore is the number of calls before an event: the number of the event's first call.
func (s *Stream) CallsBefore(event uint64) (uint64, error) {
	l, err := s.open()
	if err != nil {
		return 0, err
	}
	if event >= l.x.Len() {
		return l.call, nil
	}
	if len(l.polls) == 0 {
		return event, nil
	}
	return s.callsBefore(l, event)
}

// OccurrencesBefore is how often each terminal occurs before an event. It takes
// time proportional to the grammar, not to the calls.
func (s *Stream) OccurrencesBefore(event uint64) ([]uint64, error) {
	l, err := s.open()
	if err != nil {
		return nil, err
	}
	return sized(l.x.CountBefore(event), len(l.tms)), nil
}

// PollsIn is the number of polls in the runs from through to-1 of terminal t. It is an error if it is not one of runs.
func (s *Stream) PollsIn(t uint32, from, to uint64) (uint64, error) {
	l, err := s.open()
	if err != nil {
		return 0, err
	}
	if !slices.Contains(l.polls, t) { // the numbers of calls said that it was
		return 0, s.a.broken("columns", -1, "stream %d: terminal %d has no runs of polls", s.index, t)
	}
	a, err := s.sum(l, l.first[t], from)
	if err != nil {
		return 0, err
	}
	b, err := s.sum(l, l.first[t], to)
	return b - a, err
}

// Since turns ticks of the stream's process into time since the start of the trace.
func (s *Stream) Since(ticks uint64) time.Duration {
	l := s.a.timeline(s.Rank())
	return l.at(ticks)
}

// Ticks is the first tick of the stream's process at or after a time since the
// start of the trace: the least ticks with Since(ticks) >= d.
func (s *Stream) Ticks(d time.Duration) uint64 {
	l := s.a.timeline(s.Rank())
	// Times are the same or later with every tick, so that halving finds it.
	lo, hi := uint64(0), uint64(math.MaxUint64)
	if n := len(l.clocks); n > 0 {
		// Near the readings of the clocks steps are small. Most times lie between two readings.
		if i := sort.Search(n, func(i int) bool { return l.at(l.clocks[i].Ticks) >= d }); i < n {
			hi = l.clocks[i].Ticks
			if i > 0 {
				lo = l.clocks[i-1].Ticks
			}
		} else {
			lo = l.clocks[n-1].Ticks
		}
	}
	for lo < hi {
		mid := lo + (hi-lo)/2
		if l.at(mid) >= d {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// SnapshotTime is when a snapshot of a running job was made, since the start of the trace; 0 for other recordings.
func (a *Archive) SnapshotTime() time.Duration {
	at, ok := a.Meta().Snapshot()
	if !ok {
		return 0
	}
	return a.sinceStart(at)
}

// EndTime is when a process that did not end in order did, since the start of the trace; ok is false if that was not
// seen, or it ended in order.
func (a *Archive) EndTime(d *RankData) (at time.Duration, ok bool) {
	t, err := time.Parse(EndedFormat, d.Info[EndedAt])
	if err != nil {
		return 0, false
	}
	return a.sinceStart(t), true
}

// sinceStart is the time from the start of the trace.
func (a *Archive) sinceStart(at time.Time) time.Duration {
	start := int64(math.MaxInt64)
	for _, r := range a.Ranks() {
		if len(r.Clocks) > 0 {
			start = min(start, r.Clocks[0].RealNS)
		}
	}
	return max(0, time.Duration(at.UnixNano()-start))
}
