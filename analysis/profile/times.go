package profile

import (
	"math"
	"math/bits"
	"time"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/quantile"
	"github.com/tabard-hpc/tabard/internal/codec/timing"
)

// times adds the times of all streams of a unit.
func (b *builder) times(u *selection.Unit) error {
	for rank := range u.Ranks.All() {
		p := u.Part
		if rank != u.Ranks.Min() {
			var err error
			if p, err = b.r.Part(u.Class.Stream(rank)); err != nil {
				return err
			}
			if p == nil {
				continue
			}
		}
		if err := b.stream(u.Class, rank, p); err != nil {
			return err
		}
	}
	return nil
}

// stream adds the times of one stream.
func (b *builder) stream(c *archive.Class, rank int, p *selection.Part) error {
	t, err := p.Stream.Timing()
	if err != nil {
		return err
	}
	if t == nil {
		return b.aggregates(c, rank, p)
	}
	x := &timer{b: b, p: p, t: t, rank: rank}
	if x.k, err = b.class(c); err != nil {
		return err
	}
	b.out.Timed = true
	first, last := extent(t, p.Range.From, p.Range.To)
	clock := p.Stream.TickTime()
	elapsed := max(0, clock(last)-clock(first))
	if b.r.Selection.Within != nil {
		if elapsed, err = p.Elapsed(); err != nil {
			return err
		}
	}
	b.out.Elapsed += elapsed
	if b.o.By.Rank {
		b.elapsed[[2]int{x.k.world, rank}] += elapsed
	}
	x.rate(first, last, clock(last)-clock(first))
	if b.o.Timing == Summary && !b.o.By.Comm && b.r.Selection.Comms == nil && b.r.Selection.Within == nil {
		if err = x.summary(); err != nil {
			return err
		}
	} else if err = x.all(); err != nil {
		return err
	}
	if err := t.Err(); err != nil {
		return &archive.FormatError{File: b.r.Archive.File(), Section: "timing", Offset: -1, Msg: err.Error(),
			Hint: "the file is damaged: copy it again"}
	}
	return nil
}

// extent is the begin of the first of some calls and the end of the last one. Of all calls summaries have them.
func extent(t *timing.Reader, from, to uint64) (first, last uint64) {
	if n := t.Blocks(); n > 0 && from == 0 && to == t.Len() {
		_, _, first, _ = t.Block(0)
		_, _, _, last = t.Block(n - 1)
		return first, last
	}
	first, _ = t.At(from)
	_, last = t.At(to - 1)
	return first, last
}

// timer adds up the times of a stream.
type timer struct {
	b    *builder
	k    *class
	p    *selection.Part
	t    *archive.Timing
	rank int
	// A duration of n ticks is n*ns/ticks; scale is 2^32 times that.
	scale     uint64
	ns, ticks uint64
}

// rate is the mean rate of the clock over the stream's calls. Durations are converted with it.
func (x *timer) rate(first, last uint64, d time.Duration) {
	x.ns, x.ticks = 1, 1
	if last > first && d > 0 {
		x.ns, x.ticks = uint64(d), last-first
	}
	hi, lo := bits.Mul64(x.ns, 1<<32)
	if x.scale = math.MaxUint64; hi < x.ticks {
		x.scale, _ = bits.Div64(hi, lo, x.ticks)
	}
}

// exact converts a sum of ticks.
func (x *timer) exact(ticks uint64) time.Duration {
	hi, lo := bits.Mul64(ticks, x.ns)
	if hi >= x.ticks {
		return math.MaxInt64
	}
	q, r := bits.Div64(hi, lo, x.ticks)
	if r >= x.ticks-x.ticks/2 {
		q++
	}
	return time.Duration(min(q, math.MaxInt64))
}

// fast converts one duration. It is a little less exact than exact.
func (x *timer) fast(ticks uint64) uint64 {
	hi, lo := bits.Mul64(ticks, x.scale)
	return hi<<32 | lo>>32
}

// timed is a row with room for times.
func timed(r *Row) *Row {
	if r.Time == nil {
		r.Time = &Times{Exact: true, Min: math.MaxInt64}
	}
	return r
}

// summary takes sums from the stored summaries.
func (x *timer) summary() error {
	classes := x.t.Classes()
	rows := map[uint32]*Row{} // of classes; nil if their calls are not wanted
	for t, f := range x.k.funcs {
		c, row := uint32(0), (*Row)(nil)
		if t < len(classes) {
			c = classes[t]
		}
		if !f.Own() && x.b.r.Selection.Function(f.ID) {
			row = x.b.row(x.k, uint32(t), nil, x.rank)
		}
		if old, ok := rows[c]; ok && old != row {
			return x.all() // calls of a class are in several rows
		}
		rows[c] = row
	}
	for _, s := range x.t.Profile(x.p.Range.From, x.p.Range.To) {
		row := rows[s.Class]
		if row == nil || s.Calls == 0 {
			continue
		}
		tm := timed(row).Time
		tm.Exact, tm.Min = false, 0
		tm.Calls += s.Calls
		tm.Total += x.exact(s.Sum)
		tm.Max = max(tm.Max, x.exact(s.Max))
	}
	return nil
}

// sum is the times of some calls of a stream, in ticks; the sketch is of nanoseconds.
type sum struct {
	n, total, least, most uint64
	durations             quantile.Sketch
}

func (s *sum) into(x *timer, r *Row) {
	if s.n == 0 {
		return
	}
	t := timed(r).Time
	t.Calls += s.n
	t.Total += x.exact(s.total)
	t.Min, t.Max = min(t.Min, x.exact(s.least)), max(t.Max, x.exact(s.most))
	t.durations.Merge(&s.durations)
}

// piece is a range of events, and the sum to which a terminal's calls in it are added.
type piece struct {
	to  uint64 // event
	sum *sum   // nil: they are not wanted
	row *Row
}

// plan says to which sums the calls of each terminal are added.
func (x *timer) plan() ([][]piece, error) {
	plan := make([][]piece, len(x.k.funcs))
	sums := map[*Row]*sum{}
	for t, f := range x.k.funcs {
		if f.Own() || !x.b.r.Selection.Function(f.ID) {
			plan[t] = []piece{{to: forever}}
			continue
		}
		parts := []stretch{{to: forever}}
		if x.b.o.By.Comm {
			var err error
			if parts, err = x.b.stretches(x.p.Stream, f, uint32(t)); err != nil {
				return nil, err
			}
		}
		for _, p := range parts {
			q := piece{to: p.to}
			if x.b.r.Selection.Comms == nil || x.b.o.By.Comm && x.b.r.Chosen(p.comm) {
				q.row = x.b.row(x.k, uint32(t), p.comm, x.rank)
				if sums[q.row] == nil {
					sums[q.row] = &sum{least: math.MaxUint64}
				}
				q.sum = sums[q.row]
			}
			plan[t] = append(plan[t], q)
		}
	}
	return plan, nil
}

// all reads all times.
func (x *timer) all() error {
	if x.b.r.Selection.Comms != nil && !x.b.o.By.Comm {
		return x.chosen()
	}
	plan, err := x.plan()
	if err != nil {
		return err
	}
	index, err := x.p.Stream.GrammarIndex()
	if err != nil {
		return err
	}
	first, cut, err := x.p.Stream.EventAt(x.p.Range.From)
	if err != nil {
		return err
	}
	before, err := x.p.Stream.OccurrencesBefore(first)
	if err != nil {
		return err
	}
	cur := index.NewCursor()
	cur.Seek(first)
	w := &clockWork{x: x, i: x.p.Range.From}
	runs, at := make([]*archive.Column, len(plan)), make([]int, len(plan))
	for left := x.p.Range.Len(); left > 0; {
		event := cur.Pos()
		t, n := cur.NextRun(left)
		if n == 0 {
			return &archive.FormatError{File: x.b.r.Archive.File(), Section: "structure/classes", Offset: -1,
				Msg: "fewer calls than times", Hint: "the file is damaged: copy it again"}
		}
		for at[t]+1 < len(plan[t]) && event >= plan[t][at[t]].to {
			at[t]++
		}
		calls := n
		if x.k.templates[t].Flags&archive.Polls != 0 {
			if runs[t] == nil {
				if runs[t], err = x.p.Stream.Column(t, -1, 0); err != nil {
					return err
				}
			}
			calls = 0
			for range n {
				calls += uint64(max(runs[t].At(before[t]), 0))
				before[t]++
			}
			calls -= cut
		}
		cut = 0
		calls = min(calls, left)
		w.inside(plan[t][at[t]].sum, calls)
		left -= calls
	}
	seen := map[*sum]bool{}
	for t := range plan {
		for _, p := range plan[t] {
			if p.sum != nil && !seen[p.sum] {
				seen[p.sum] = true
				p.sum.into(x, p.row)
			}
		}
	}
	return nil
}

// clockWork goes through the times of calls.
type clockWork struct {
	x            *timer
	i            uint64
	starts, ends []uint64
	told         uint64
}

// inside adds those of the next n calls to s that are inside the selected region.
func (w *clockWork) inside(s *sum, n uint64) {
	for n > 0 {
		of, k := s, n
		if in, to := w.x.p.Inside(w.i); to > w.i {
			k = min(n, to-w.i)
			if !in {
				of = nil
			}
		}
		from := w.i
		if w.take(of, k); w.i == from {
			return // Err says why
		}
		n -= k
	}
}

// take adds the next n calls to s, or passes over them if it is nil.
func (w *clockWork) take(s *sum, n uint64) {
	for n > 0 {
		if len(w.starts) == 0 {
			if w.starts, w.ends = w.x.t.Span(w.i); len(w.starts) == 0 {
				return // Err says why
			}
			if p := w.x.b.o.Progress; p != nil {
				p(uint64(len(w.starts)))
			}
		}
		k := min(n, uint64(len(w.starts)))
		if s != nil {
			w.add(s, w.starts[:k], w.ends[:k])
		}
		w.starts, w.ends = w.starts[k:], w.ends[k:]
		w.i += k
		n -= k
	}
}

func (w *clockWork) add(s *sum, starts, ends []uint64) {
	for i, start := range starts {
		d := ends[i] - start
		s.n++
		s.total += d
		s.least, s.most = min(s.least, d), max(s.most, d)
		s.durations.Add(w.x.fast(d))
	}
}

// chosen reads the times of calls on some communicators.
func (x *timer) chosen() error {
	sums := map[*Row]*sum{}
	for c, err := range x.p.Calls {
		if err != nil {
			return err
		}
		if x.k.funcs[c.Terminal].Own() {
			continue
		}
		r := x.b.row(x.k, c.Terminal, nil, x.rank)
		if sums[r] == nil {
			sums[r] = &sum{least: math.MaxUint64}
		}
		(&clockWork{x: x}).add(sums[r], []uint64{c.StartTicks}, []uint64{c.EndTicks})
	}
	for r, s := range sums {
		s.into(x, r)
	}
	return nil
}

// aggregates takes the times of streams that have only aggregates.
func (b *builder) aggregates(c *archive.Class, rank int, p *selection.Part) error {
	a, err := p.Stream.Aggregates()
	if a == nil || err != nil || b.o.By.Comm || p.Range.Len() != p.Stream.Calls() || b.r.Selection.Comms != nil ||
		b.r.Selection.Within != nil {
		return err
	}
	classes, err := p.Stream.TimingClass()
	if err != nil {
		return err
	}
	x := &timer{b: b, p: p, rank: rank}
	if x.k, err = b.class(c); err != nil {
		return err
	}
	const second = 1_000_000_000
	clock := p.Stream.TickTime()
	x.rate(0, second, clock(second)-clock(0))
	b.out.Timed = true
	done := map[uint32]bool{}
	for t, f := range x.k.funcs {
		class := uint32(0)
		if t < len(classes) {
			class = classes[t]
		}
		if done[class] || f.Own() || !b.r.Selection.Function(f.ID) {
			continue
		}
		done[class] = true
		d := a.Durations(class)
		if d.Count == 0 {
			continue
		}
		s := &sum{n: d.Count, total: uint64(d.Sum), least: uint64(d.Min), most: uint64(d.Max)}
		d.Bins(func(from, to, n uint64) { s.durations.AddAll(x.fast(from+(to-from)/2), n) })
		s.durations.Widen(x.fast(s.least), x.fast(s.most))
		s.into(x, b.row(x.k, uint32(t), nil, rank))
	}
	return nil
}
