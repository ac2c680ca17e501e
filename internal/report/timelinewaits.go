package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/analysis/waits"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/render"
)

// StreamWaits is who waits for whom and when, for pictures of time.
type StreamWaits struct {
	// Late are the calls that others waited for, the most waiting first.
	Late []LateCall
	// Least is up to how long waits may be that are not in it, because there are too many.
	Least time.Duration

	of map[int][]timeline.Stretch
}

// LateCall is a call that other processes waited for.
type LateCall struct {
	Stream int
	Call   uint64
	// At is when it began: when the others could go on.
	At time.Duration
	// Place is its function and call site.
	Place string
	// Time is the waiting of all, Longest the longest of it, Waiters the streams that waited, each once a wait.
	Time, Longest time.Duration
	Waiters       []int32
	// Waited says that it was late because it waited itself for most of the time in which the others did.
	Waited bool
}

// Of is the stretches of waiting of a stream, by call.
func (w *StreamWaits) Of(stream int) []timeline.Stretch { return w.of[stream] }

// waitsCalls is the number of calls up to which a timeline looks for waits by itself: that needs all messages, however
// small the window is.
const waitsCalls = clockCalls

// FindStreamWaits finds the waits of what is selected; clock is that of StreamClock. Where they are not known, it is
// nil, and why says so.
func FindStreamWaits(arch *archive.Archive, flags selection.Flags, clock bool, meter Meter) (
	found *StreamWaits, why string, err error) {
	calls := uint64(0)
	for s := range arch.Streams() {
		if calls += s.Calls(); calls > waitsCalls {
			return nil, "too many calls to tell waiting apart", nil
		}
	}
	j, err := Open(arch, flags, meter)
	if err == nil && clock {
		err = j.CorrectClocks()
	}
	if err != nil {
		return nil, "", err
	}
	steps, err := j.steps()
	if err != nil {
		return nil, "", err
	}
	p := meter.Start("matching messages", "events")
	defer p.Done()
	found = &StreamWaits{of: map[int][]timeline.Stretch{}}
	type key struct {
		stream int
		call   uint64
	}
	number := map[key]int{}
	r, err := waits.Of(j.Program, waits.Options{Steps: steps, Clock: j.clock, Progress: p.Show, Selected: j.selected(),
		Each: func(w *waits.Wait) {
			found.of[w.Stream] = append(found.of[w.Stream],
				timeline.Stretch{Call: w.Call, Category: timeline.CategoryOf(w.Func), From: w.Begin, To: w.End})
			k := key{w.LateStream, w.LateCall}
			n, ok := number[k]
			if !ok {
				n = len(found.Late)
				number[k] = n
				late := LateCall{Stream: w.LateStream, Call: w.LateCall, At: w.End, Place: w.LateFunc.Name}
				if w.LateSite != nil {
					late.Place = PlaceText(late.Place, w.LateSite.String())
				}
				found.Late = append(found.Late, late)
			}
			late := &found.Late[n]
			late.At = max(late.At, w.End)
			late.Time += w.End - w.Begin
			late.Longest = max(late.Longest, w.End-w.Begin)
			late.Waiters = append(late.Waiters, int32(w.Stream))
		}})
	if err != nil {
		return nil, "", err
	}
	found.Least = r.Longest
	for i := range found.Late {
		l := &found.Late[i]
		l.Waited = found.waited(l.Stream, l.At-l.Longest, l.At) > l.Longest/2
	}
	slices.SortFunc(found.Late, func(a, b LateCall) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.At, b.At), cmp.Compare(a.Stream, b.Stream))
	})
	return found, "", nil
}

// waited is how long a stream waited in a window.
func (w *StreamWaits) waited(stream int, from, to time.Duration) (sum time.Duration) {
	all := w.of[stream]
	i, _ := slices.BinarySearchFunc(all, from, func(x timeline.Stretch,
		t time.Duration) int {
		return cmp.Compare(x.To, t)
	})
	for ; i < len(all) && all[i].From < to; i++ {
		sum += max(0, min(all[i].To, to)-max(all[i].From, from))
	}
	return sum
}

// Text says in a line who was late and who waited.
func (l *LateCall) Text(a *archive.Archive) string {
	s, wait, why := a.Stream(l.Stream), "wait", ""
	if l.Waited {
		why = ", as it waited itself"
	}
	if len(l.Waiters) == 1 {
		wait = "waits"
	}
	return fmt.Sprintf("rank %s is late%s, %s %s %s: %s", RankLabel(s.Rank().World, s.Rank().Rank), why,
		render.Plural(uint64(len(l.Waiters)), "other"), wait, render.Duration(l.Time), l.Place)
}
