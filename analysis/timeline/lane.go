package timeline

import (
	"time"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/traffic"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// facts are what is known of a stream besides its blocks.
type facts struct {
	// from and to are the start of the first call and the end of the last one. If a window of time selects, they are
	// what is in it of the time from the end of the call before to the start of the one after.
	from, to time.Duration
	// rate is how long a tick lasts in nanoseconds, on average: one number for a stream, so that sums of ticks are sums
	// of times at every zoom.
	rate float64
	// open is the category of a last call that did not return, from to on; Computation without one.
	open Category
	// none is set if nothing of the stream is selected; single if it is one block, whose summary tells all.
	none, single bool
}

// lane reads the calls of a stream in bins. It is not safe for concurrent use.
type lane struct {
	t      *Tiler
	stream int
	w      *walker // nil if nothing is selected
	b      *borders
	facts
	classes []Category // see estimate.classify
	summed  bool       // classes is of use: summaries tell categories
	blocks  int
	log     *traffic.Log // of a Tiler of volumes; nil before the first block
	next    int          // the block that it is at
}

// open opens a stream. Of a stream whose facts are not known all is found out that does not take the decoding of a
// block that is not needed anyway.
func (t *Tiler) open(r *selection.Resolved, stream int) (*lane, error) {
	s := r.Archive.Stream(stream)
	l := &lane{t: t, stream: stream}
	t.asks.Lock()
	defer t.asks.Unlock()
	p, err := r.Part(s)
	if err != nil {
		return nil, err
	}
	if l.none = !s.Timed() || p == nil; l.none {
		return l, l.idle(r, s)
	}
	if l.w, err = (&job{r: &Result{}}).walker(p, &cells{}); err != nil {
		return nil, err
	}
	if l.none = l.w.timing == nil; l.none {
		return l, nil
	}
	e := &estimate{walker: l.w}
	if l.summed, err = e.classify(); err != nil {
		return nil, err
	}
	l.summed = l.summed && l.w.timing.Mode().Kind != archive.TimingPublished && p.Range.Len() == l.w.timing.Len()
	l.classes, l.blocks = e.classes, l.w.timing.Blocks()
	l.b = &borders{s: s, at: l.w.at}
	return l, nil
}

// idle finds from when to when the stream computes, if it makes no call in the window of time that selects.
func (l *lane) idle(r *selection.Resolved, s *archive.Stream) error {
	p, err := r.IdlePart(s)
	if err == nil && p != nil {
		l.from, l.to, err = edges(r, p)
	}
	return err
}

// edges are from when to when a stream is in the window of time that selects.
func edges(r *selection.Resolved, p *selection.Part) (from, to time.Duration, err error) {
	around, err := (&job{sel: r}).life(p)
	from = max(around.from, r.From)
	return from, max(from, min(around.to, r.To)), err
}

// find finds out the facts. It decodes the last block, or the only one.
func (l *lane) find(r *selection.Resolved) error {
	p, t := l.w.p, l.w.timing
	_, _, first, _ := t.Block(0)
	if p.Range.From > 0 {
		first, _ = t.At(p.Range.From)
	}
	_, _, _, latest := t.Block(t.Blocks() - 1)
	if p.Range.To < t.Len() {
		_, latest = t.At(p.Range.To - 1)
	}
	l.from, l.to = l.w.at(first), l.w.at(max(latest, first))
	l.rate = 1
	if latest > first {
		l.rate = float64(l.to-l.from) / float64(latest-first)
	}
	if r.OnlyWindow() {
		from, to, err := edges(r, p)
		if err != nil {
			return err
		}
		l.from, l.to = min(l.from, from), max(l.to, to)
	}
	l.single = (l.summed || l.t.volume) && l.blocks == 1
	if p.Range.To == t.Len() {
		if err := l.w.seek(t.Len() - 1); err != nil {
			return err
		}
		term, _, err := l.w.next()
		if err != nil {
			return err
		}
		if term.unfinished && !term.skip {
			l.open = term.category
		}
	}
	return broken(p.Stream, t.Err())
}

// block sorts the calls of a block into bins of its own.
func (l *lane) block(from, to, first, latest uint64) (*mip, error) {
	m, cells := newMip(int64(l.w.at(first)), int64(l.w.at(latest)))
	m.first, m.latest = first, latest
	k := l.sorter(m.level, m.x, cells)
	if err := l.sort(k, from, to); err != nil {
		return nil, err
	}
	m.pack(cells)
	return m, nil
}

// sort hands calls to a sorter.
func (l *lane) sort(k *sorter, from, to uint64) error {
	l.w.sink = k.add
	defer func() { l.w.sink = nil }()
	if err := l.w.calls(from, to); err != nil {
		return err
	}
	return broken(l.w.p.Stream, l.w.timing.Err())
}

// A window is the bins of a tile, at one stream.
type window struct {
	level int
	x     int64 // number of the first bin
	cells []cell
	// begin and end are the ticks at which the first bin begins and the last one ends.
	begin, end uint64
	// until is when the reading of what is not known yet ends, and rough when the time of what was not read is no
	// longer spread over blocks; zero for never.
	until, rough time.Time
	// blur is the longest stretch over which time was spread, in ticks.
	blur uint64
	// credit is how many blocks may be read however late it is, so that there is some progress on a busy machine, too;
	// first is set as long as a row has nothing yet: something is to be seen.
	credit int
	first  bool
	// volume is set if bytes and messages are counted, unsized the messages of unknown size.
	volume  bool
	unsized uint64
	// ticks are where bins begin, for the stream of the moment; nil if that is not known yet.
	ticks []uint64
}

// clear makes it that of the next stream.
func (w *window) clear() {
	clear(w.cells)
	w.blur, w.ticks, w.unsized = 0, nil, 0
}

// late tells that no more blocks may be read.
func (w *window) late() bool { return w.credit == 0 && !w.until.IsZero() && time.Now().After(w.until) }

// over tells that there is no more time for anything.
func (w *window) over() bool {
	return w.credit == 0 && !w.first && !w.rough.IsZero() && time.Now().After(w.rough)
}

// reads notes that a block is read.
func (w *window) reads() { w.credit = max(0, w.credit-1) }

// fill adds the calls of the stream in a window. It is not ok if the time is up before anything is known.
func (l *lane) fill(w *window) (ok bool, err error) {
	if l.none {
		return true, nil
	}
	if w.volume {
		return l.volumes(w)
	}
	p := l.w.p
	if !l.summed {
		if l.blocks == 0 {
			return true, nil
		}
		return l.read(w, p.Range.From, p.Range.To)
	}
	if l.blocks == 1 {
		return l.leaf(w, &archive.TimingSummary{To: l.w.timing.Len()}, false)
	}
	w.begin, w.end = l.ticks(w.level, w.x), l.ticks(w.level, w.x+int64(len(w.cells)))
	for _, s := range l.w.timing.Summaries(w.begin, w.end, finer) {
		if ok, err := l.piece(w, &s, true); !ok || err != nil {
			return ok, err
		}
	}
	return true, broken(p.Stream, l.w.timing.Err())
}

// ticks is the first tick of a bin.
func (l *lane) ticks(level int, x int64) uint64 { return l.b.of(time.Duration(x << level)) }

// piece adds a range of calls, whose summary is known or not.
func (l *lane) piece(w *window, s *archive.TimingSummary, known bool) (ok bool, err error) {
	if known && (s.Latest < w.begin || s.First >= w.end) {
		return true, nil
	}
	if known {
		if a, b := int64(l.w.at(s.First))>>w.level, int64(l.w.at(max(s.Latest, s.First+1)-1))>>w.level; a == b {
			l.whole(w, s, a-w.x)
			return true, nil
		}
	}
	if s.To-s.From > fewCalls {
		split := false
		for _, sub := range l.w.timing.Summaries(s.First, s.Latest+1, finer) {
			if sub.From < s.From || sub.To > s.To || sub.To-sub.From == s.To-s.From {
				continue // neighbours that begin or end at the same time
			}
			split = true
			if ok, err := l.piece(w, &sub, known); !ok || err != nil {
				return ok, err
			}
		}
		if split {
			return true, nil
		}
	}
	return l.leaf(w, s, known)
}

// whole adds a range of calls that is in one bin.
func (l *lane) whole(w *window, s *archive.TimingSummary, at int64) {
	if at < 0 || at >= int64(len(w.cells)) {
		return
	}
	for _, c := range s.Classes {
		if int(c.Class) < len(l.classes) && l.classes[c.Class] != Computation {
			w.cells[at].ticks[l.classes[c.Class]] += c.Sum
			w.cells[at].calls[l.classes[c.Class]] += uint32(c.Calls)
		}
	}
}

// leaf adds a block: from its mip, which is made if there is time, else from its calls if the window is finer, else
// evenly.
func (l *lane) leaf(w *window, s *archive.TimingSummary, known bool) (ok bool, err error) {
	m := l.t.mip(l.stream, s.From)
	if m == nil {
		if w.late() {
			if known && !w.over() {
				l.spread(w, s)
				return true, nil
			}
			return false, nil
		}
		w.reads()
		if !known {
			_, _, s.First, s.Latest = l.w.timing.Block(0)
		}
		if m, err = l.block(s.From, s.To, s.First, s.Latest); err != nil {
			return false, err
		}
		l.t.memory.mips.put(l.t.block(l.stream, s.From), m)
	}
	if m.level <= w.level {
		if !w.add(m) {
			l.t.memory.mips.drop(l.t.block(l.stream, s.From))
			return false, l.w.broken("a summary that cannot be")
		}
		return true, nil
	}
	if w.late() {
		if known && !w.over() {
			l.spread(w, s)
			return true, nil
		}
		return false, nil
	}
	return l.read(w, s.From, s.To)
}

// read adds single calls.
func (l *lane) read(w *window, from, to uint64) (ok bool, err error) {
	if w.late() {
		return false, nil
	}
	w.reads()
	first := l.ticks(w.level, w.x)
	from = max(from, min(to, l.w.timing.SeekTime(first)))
	if from >= to {
		return true, nil
	}
	end := l.ticks(w.level, w.x+int64(len(w.cells)))
	to = l.before(from, to, end)
	return true, l.sort(l.sorter(w.level, w.x, w.cells), from, to)
}

// before is the first call of a range from which on calls begin at or after a tick, or its end; at most a few calls
// later than that.
func (l *lane) before(from, to, tick uint64) uint64 {
	lo, hi := from, to
	for hi-lo > 64 {
		mid := lo + (hi-lo)/2
		if start, _ := l.w.timing.At(mid); start >= tick {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// spread adds a block evenly over its time.
func (l *lane) spread(w *window, s *archive.TimingSummary) {
	if s.Latest <= s.First {
		return
	}
	w.blur = max(w.blur, s.Latest-s.First)
	if w.ticks == nil {
		for at := range len(w.cells) + 1 {
			w.ticks = append(w.ticks, l.ticks(w.level, w.x+int64(at)))
		}
	}
	for _, c := range s.Classes {
		if int(c.Class) >= len(l.classes) || l.classes[c.Class] == Computation {
			continue
		}
		part := min(1, float64(c.Sum)/float64(s.Latest-s.First))
		for at := max(0, int64(l.w.at(s.First))>>w.level-w.x); at < int64(len(w.cells)); at++ {
			a, b := max(s.First, w.ticks[at]), min(s.Latest, w.ticks[at+1])
			if a >= s.Latest {
				break
			}
			if b > a {
				w.cells[at].ticks[l.classes[c.Class]] += uint64(part * float64(b-a))
			}
		}
	}
}
