package view

import (
	"time"

	"github.com/tabard-hpc/tabard/analysis/loops"
	"github.com/tabard-hpc/tabard/analysis/regions"
	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/resolve"
	"github.com/tabard-hpc/tabard/internal/view/api"
	"github.com/tabard-hpc/tabard/spec"
)

// Limits of a lane: calls, bars of loops, levels of regions.
const (
	maxLane    = 20_000
	maxBars    = 2000
	laneLevels = 8
)

// lane answers /api/lanes: the calls of a thread in a window of time.
func lane(q *question) (any, error) {
	s, err := q.stream(q.rec.calls)
	if err != nil {
		return nil, err
	}
	if !s.Timed() {
		return nil, absent("%v", timeline.ErrUntimed)
	}
	t0, t1, most, err := q.window(maxLane)
	if err != nil {
		return nil, err
	}
	l := &laner{q: q, s: s, from: time.Duration(t0), to: time.Duration(t1), sites: map[*archive.Site]int{},
		kernels: map[string]int{}}
	line, err := lineOf(s, nil)
	if err != nil {
		return nil, err
	}
	l.lane = &api.Lane{From: t0, To: t1, Calls: []api.LaneCall{}, Loops: []api.LaneLoop{},
		Regions: []report.TimelineRegion{}, Sites: []string{}, Kernels: []api.Kernel{}, Line: line}
	if err := l.window(); err != nil {
		return nil, err
	}
	if l.lane.Total <= uint64(most) {
		if err := l.calls(); err != nil {
			return nil, err
		}
	}
	if err := l.loops(); err != nil {
		return nil, err
	}
	return l.lane, l.regions()
}

type laner struct {
	q           *question
	s           *archive.Stream
	lane        *api.Lane
	from, to    time.Duration
	first, last uint64 // the calls in the window
	sites       map[*archive.Site]int
	kernels     map[string]int
	times       *archive.Timing
}

// window finds the calls that are in progress in the window.
func (l *laner) window() (err error) {
	if l.times, err = l.s.Timing(); err != nil {
		return err
	}
	n := l.times.Len()
	l.first = l.times.SeekTime(l.s.Ticks(l.from))
	// Calls begin in order. The last one may not have returned.
	end, lo, hi := l.s.Ticks(l.to), l.first, n
	if l.first == n && n > 0 {
		lo, l.first = n-1, n-1
	}
	for lo < hi {
		mid := lo + (hi-lo)/2
		if start, _ := l.times.At(mid); start >= end {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	l.last = max(lo, l.first)
	l.lane.Total = l.last - l.first
	return l.times.Err()
}

// calls lists them.
func (l *laner) calls() error {
	signatures, err := l.s.Signatures()
	if err != nil {
		return err
	}
	named := func(terminal uint32, slot int) bool { return slot == spec.ByID(signatures[terminal].Func).Kernel() }
	for c, err := range archive.EventsWith(l.s, l.first, named) {
		if err != nil {
			return err
		}
		if c.Index >= l.last {
			break
		}
		if c.Func.Own() {
			l.lane.Total--
			continue
		}
		x := api.LaneCall{Index: c.Index, Func: c.Func.Name, Category: timeline.CategoryOf(c.Func).String(),
			Start: int64(c.Start), End: int64(c.End), Site: l.site(c.Site),
			Kernel: l.kernel(c), Nested: c.Flags&archive.Nested != 0,
			Unfinished: c.Flags&archive.Unfinished != 0}
		if x.Unfinished {
			x.End = max(x.End, int64(l.to))
		} else if c.End < l.from {
			l.lane.Total--
			continue
		}
		l.lane.Calls = append(l.lane.Calls, x)
	}
	return nil
}

// site numbers a call site.
func (l *laner) site(s *archive.Site) int {
	if s == nil {
		return -1
	}
	n, ok := l.sites[s]
	if !ok {
		n = len(l.sites)
		l.sites[s] = n
		l.lane.Sites = append(l.lane.Sites, s.String())
	}
	return n
}

// kernel numbers the kernel that a call is.
func (l *laner) kernel(c *archive.Call) int {
	k := c.Func.Kernel()
	if k < 0 || c.Slots[k].Str == "" {
		return -1
	}
	name := c.Slots[k].Str
	n, ok := l.kernels[name]
	if !ok {
		n = len(l.kernels)
		l.kernels[name] = n
		l.lane.Kernels = append(l.lane.Kernels, kernelOf(name))
	}
	return n
}

// kernelOf names a kernel, whose compiler's name is given.
func kernelOf(name string) api.Kernel {
	name = resolve.Readable(name)
	return api.Kernel{Name: name, Short: render.ShortKernel(name)}
}

// regions adds those that the program names.
func (l *laner) regions() error {
	whole, _ := l.s.Whole()
	bands, err := regions.Bands(whole, regions.BandOptions{From: l.from, To: l.to, Levels: laneLevels,
		Least: (l.to - l.from) / 1000, At: func(t time.Duration) time.Duration { return t }})
	if err != nil {
		return err
	}
	for _, b := range bands[:min(len(bands), maxBars)] {
		l.lane.Regions = append(l.lane.Regions, report.TimelineRegion{Level: b.Level, Name: b.Name, Times: b.Times,
			Start: int64(b.Start), End: int64(b.End)})
	}
	return nil
}

// loops adds the iterations of loops in the window: of outer loops first, those of inner ones as long as there are not
// too many.
func (l *laner) loops() error {
	classes, err := l.q.rec.loopNests(l.q.meter)
	if err != nil {
		return err
	}
	find := locator(classes, l.s)
	if find == nil {
		return nil
	}
	v, err := newVisible(l.s)
	if err != nil {
		return err
	}
	from, err := v.of(l.first)
	if err != nil {
		return err
	}
	to, err := v.of(l.last)
	if err != nil {
		return err
	}
	least := uint64(0) // calls of an iteration that is shown
	if n := to - from; n > maxBars/4 {
		least = n / (maxBars / 4)
	}
	var open []*api.LaneLoop // by level
	for at, steps := from, 0; at < to && steps < maxBars && find.Work() < 1<<22; steps++ {
		around := find.Find(at)
		next := at + max(1, least)
		for level, a := range around {
			small := a.To-a.From < least
			last := a.Iteration
			if small { // several iterations are a bar
				if b := find.Find(min(at+least, to) - 1); len(b) > level && b[level].Loop == a.Loop &&
					b[level].To > a.To {
					last, a.To = b[level].Iteration, b[level].To
				}
			}
			if level < len(open) && !l.goesOn(open[level], a) {
				open = open[:level]
			}
			if level == len(open) {
				bar := &api.LaneLoop{Level: level, Name: loopName(a.Loop), Iteration: a.Iteration, Of: a.Iterations,
					Step: a.Loop.Step}
				if bar.Start, bar.End, err = l.span(v, max(a.From, from), min(a.To, to)); err != nil {
					return err
				}
				bar.Last = last
				open = append(open, bar)
				l.lane.Loops = append(l.lane.Loops, *bar)
			}
			if a.To > at {
				next = a.To // of the innermost one that is long enough
			}
			if small {
				break
			}
		}
		if len(around) == 0 {
			open = open[:0]
		}
		if len(l.lane.Loops) >= maxBars {
			break
		}
		at = max(next, at+1)
	}
	return nil
}

// goesOn tells whether an iteration is that of a bar.
func (l *laner) goesOn(bar *api.LaneLoop, a loops.Around) bool {
	return bar.Name == loopName(a.Loop) && bar.Iteration == a.Iteration && bar.Of == a.Iterations
}

func loopName(n *loops.Node) string {
	f, _, ok := n.Place()
	if !ok {
		return "loop"
	}
	return f.String()
}

// span is from when to when events last.
func (l *laner) span(v *visible, from, to uint64) (begin, end int64, err error) {
	a, err := v.call(from)
	if err != nil {
		return 0, 0, err
	}
	b, err := v.call(to)
	if err != nil {
		return 0, 0, err
	}
	first, _ := l.times.At(a)
	_, last := l.times.At(max(a, b-min(b, 1)))
	return int64(l.s.Since(first)), int64(l.s.Since(max(first, last))), l.times.Err()
}

// locator finds the loops around calls of a stream; nil if it has none.
func locator(classes []*loops.Class, s *archive.Stream) *loops.Locator {
	for _, c := range classes {
		for v := range c.Variants {
			for _, x := range c.Variants[v].Streams {
				if x.Index() == s.Index() {
					return c.Locator(v)
				}
			}
		}
	}
	return nil
}

// visible numbers the events of a stream without the recorder's own records, as loops count them.
type visible struct {
	s      *archive.Stream
	own    []bool
	some   bool
	events uint64
}

func newVisible(s *archive.Stream) (*visible, error) {
	sigs, err := s.Signatures()
	if err != nil {
		return nil, err
	}
	v := &visible{s: s, own: make([]bool, len(sigs))}
	for i, sig := range sigs {
		if spec.ByID(sig.Func).Own() {
			v.own[i], v.some = true, true
		}
	}
	v.events, err = s.Events()
	return v, err
}

// before is how many visible events come before an event.
func (v *visible) before(event uint64) (uint64, error) {
	if !v.some {
		return event, nil
	}
	occ, err := v.s.OccurrencesBefore(event)
	if err != nil {
		return 0, err
	}
	for t, n := range occ {
		if v.own[t] {
			event -= n
		}
	}
	return event, nil
}

// of is how many visible events come before a call.
func (v *visible) of(call uint64) (uint64, error) {
	event, _, err := v.s.EventAt(call)
	if err != nil {
		return 0, err
	}
	return v.before(event)
}

// call is the first call of a visible event.
func (v *visible) call(n uint64) (uint64, error) {
	lo, hi := n, v.events // own records come on top
	if !v.some {
		hi = min(n, v.events)
		lo = hi
	}
	for lo < hi {
		mid := lo + (hi-lo)/2
		before, err := v.before(mid + 1)
		if err != nil {
			return 0, err
		}
		if before > n {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return v.s.CallsBefore(lo)
}
