package timeline

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/workers"
)

// TileBins is how many bins of time a tile has.
const TileBins = 256

// Limits of tiles: rows, and the binary logarithm of a bin in nanoseconds.
const (
	MaxTileRows  = 64
	MaxTileLevel = 54
)

// How many calls of blocks that are decoded a Tiler keeps, of 20 bytes each, and up to how many lines of a row are
// looked at for what is known of them when the time is up.
const (
	openCalls = 2 << 20
	lateLines = 256
)

// wayTime is after how long Warm looks again whether a tile is there that somebody waits for.
const wayTime = 2 * time.Millisecond

// TileOrders are the orders that lines can have.
var TileOrders = []string{"rank", "class", "host"}

// A Tiler computes tiles: pieces of a picture of time by lines, which are the threads of an archive in some order. The
// bins of a tile of level l are 2^l nanoseconds long and begin at multiples of that, so that a bin is exactly the two
// bins of the level below, and what they add up to does not change at any zoom.
//
// A tile takes a time that depends on its bins and lines: ranges of calls that are in one bin are summaries, of the
// format or of a mip. Only what has no mip yet is decoded, once. It is safe for concurrent use.
type Tiler struct {
	arch    *archive.Archive
	sel     *selection.Selection
	end     time.Duration
	order   []int32 // the streams of the lines
	memory  *Memory
	number  uint64                  // in memory
	facts   []atomic.Pointer[facts] // of streams
	volume  bool                    // what is counted is data that calls move, see NewVolumeTiler
	whole   *archive.Overview       // nil if there is none, see UseOverview
	program func() (*calls.Program, error)
	filling atomic.Int32 // tiles that somebody waits for

	asks      sync.Mutex // protects what was resolved
	mu        sync.Mutex
	resolvers []*selection.Resolved // that nobody uses
	lanes     map[int]*lane         // that nobody uses
	held      uint64                // calls of their blocks
}

// NewTiler makes a Tiler of what is selected in an archive, whose last call ends at end.
func NewTiler(m *Memory, a *archive.Archive, sel *selection.Selection, order string, end time.Duration) (*Tiler,
	error) {
	t := &Tiler{arch: a, sel: sel, end: end, memory: m, number: m.tilers.Add(1), lanes: map[int]*lane{},
		facts: make([]atomic.Pointer[facts], a.NumStreams()), order: make([]int32, a.NumStreams())}
	for i := range t.order {
		t.order[i] = int32(i)
	}
	r, err := t.resolver()
	if err != nil {
		return nil, err
	}
	t.release(r)
	switch order {
	case "class":
		classes := make([]int, len(t.order))
		numbers := map[*archive.Class]int{}
		for i, c := range a.Classes() {
			numbers[c] = i
		}
		for s := range a.Streams() {
			classes[s.Index()] = numbers[s.Class()]
		}
		slices.SortStableFunc(t.order, func(x, y int32) int { return cmp.Compare(classes[x], classes[y]) })
	case "host":
		hosts := make([]string, len(t.order))
		for s := range a.Streams() {
			hosts[s.Index()] = s.Rank().Host
		}
		slices.SortStableFunc(t.order, func(x, y int32) int { return cmp.Compare(hosts[x], hosts[y]) })
	}
	return t, nil
}

// Lines is the number of lines.
func (t *Tiler) Lines() int { return len(t.order) }

// Stream is the number of the stream that a line is.
func (t *Tiler) Stream(line int) int { return int(t.order[line]) }

// A Tile is what is asked for, and what was found.
type Tile struct {
	// Level and X say which bins: bin b begins at (X*TileBins + b) << Level nanoseconds.
	Level int
	X     int64
	// First is the first line, Group how many a row has, and Rows how many rows there are: fewer at the end.
	First, Group, Rows int
	// Until is when the reading of what is not known yet ends; zero for never.
	Until time.Time
	// Stop, if it is set, is asked before each line: its error ends Fill.
	Stop func() error

	// Blur is 0 if all of it is exact. Else some of its times are means of stretches, of which this is the longest.
	Blur time.Duration
	// Read is how many lines of each row are in it, of Lines.
	Read, Lines []int

	chunks []*chunk // of rows
}

// Exact tells whether nothing is left to be read.
func (x *Tile) Exact() bool { return x.Blur == 0 && slices.Equal(x.Read, x.Lines) }

// Time is the nanoseconds that a category has in a bin of a row, of all its lines together.
func (x *Tile) Time(row, bin int, c Category) float64 {
	if v := x.chunks[row].ns[c]; v != nil {
		return v[bin]
	}
	return 0
}

// Calls is the number of calls of a category that begin in a bin of a row.
func (x *Tile) Calls(row, bin int, c Category) uint64 {
	if v := x.chunks[row].calls[c]; v != nil {
		return v[bin]
	}
	return 0
}

// Fill computes a tile.
func (t *Tiler) Fill(x *Tile) error {
	t.filling.Add(1)
	defer t.filling.Add(-1)
	x.Rows = max(0, min(x.Rows, (len(t.order)-x.First+x.Group-1)/x.Group))
	x.Read, x.Lines, x.chunks = make([]int, x.Rows), make([]int, x.Rows), make([]*chunk, x.Rows)
	begin := time.Now()
	var mu sync.Mutex
	return workers.Each(x.Rows, func(i int) error {
		until := x.Until
		if !until.IsZero() { // each row has its share of the time, and what others left
			share := x.Until.Sub(begin) / time.Duration(x.Rows)
			until = begin.Add(share * time.Duration(i+1))
			if least := time.Now().Add(share); until.Before(least) {
				until = least
			}
		}
		blur, err := t.row(x, i, until)
		mu.Lock()
		defer mu.Unlock()
		x.Blur = max(x.Blur, blur)
		return err
	})
}

// row computes a row.
func (t *Tiler) row(x *Tile, i int, until time.Time) (blur time.Duration, err error) {
	first := x.First + i*x.Group
	last := min(first+x.Group, len(t.order))
	x.Lines[i] = last - first
	key := rowKey{t.number, first, x.Group, x.Level, x.X}
	c := t.memory.rows.get(key)
	if c == nil {
		if c = t.rowOfOverview(x, first, last); c != nil {
			t.memory.rows.put(key, c)
		}
	}
	if c != nil {
		x.chunks[i], x.Read[i] = c, last-first
		return 0, nil
	}
	p := t.memory.partial(key)
	p.mu.Lock()
	defer p.mu.Unlock()
	if x.chunks[i], x.Read[i], blur, err = t.goOn(p, first, last, x, until); err != nil {
		return blur, err
	}
	if blur == 0 && x.Read[i] == last-first {
		t.memory.rows.put(key, x.chunks[i])
		t.memory.partials.drop(key)
	}
	return blur, nil
}

// goOn adds to a row what is not in it yet, in an order in which the first lines are spread over all: the time may be
// up before the last one. However late it is, there is something of the row, and a bit more of it is exact. sum has
// besides what is exact also lines that are means.
func (t *Tiler) goOn(p *partial, first, last int, x *Tile, until time.Time) (sum *chunk, read int, blur time.Duration,
	err error) {
	n := last - first
	w := &window{volume: t.volume, level: x.Level, x: x.X * TileBins, cells: make([]cell, TileBins), until: until,
		credit: 1}
	if !until.IsZero() { // half of what is left is for reading, half for what is less exact
		w.rough = until
		w.until = until.Add(-max(0, time.Until(until)) / 2)
	}
	means := &chunk{}
	read = p.lines
	err = spread(n, func(k, at int) (bool, error) {
		if p.has(at) {
			return true, nil
		}
		if x.Stop != nil {
			if err := x.Stop(); err != nil {
				return false, err
			}
		}
		w.first = read == 0
		if w.over() && (k == 0 || k >= lateLines) {
			return false, nil // known ones among the rest would not be worth the search
		}
		f, err := t.line(first+at, w)
		if f == nil || err != nil {
			return true, err
		}
		read++
		blur = max(blur, time.Duration(w.blur))
		if w.blur > 0 {
			means.put(w, f, t.end)
			return true, nil
		}
		p.put(at, n, w, f, t.end)
		return true, nil
	})
	if p.lines == n {
		return p.sum, read, blur, err
	}
	means.add(p.sum)
	return means, read, blur, err
}

// spread goes through the numbers from 0 to n-1 in an order in which the first ones are spread over all, as long as
// more is set. k counts them.
func spread(n int, each func(k, at int) (more bool, err error)) error {
	step := max(1, int(float64(n)*0.618))
	for gcd(step, n) != 1 {
		step++
	}
	for k, at := 0, 0; k < n; k, at = k+1, (at+step)%n {
		if more, err := each(k, at); !more || err != nil {
			return err
		}
	}
	return nil
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// line fills the window with the calls of a line, and says what is known of its stream; nil if the time was up.
func (t *Tiler) line(line int, w *window) (f *facts, err error) {
	stream := int(t.order[line])
	f = t.facts[stream].Load()
	w.clear()
	if f != nil {
		begin, end := time.Duration(w.x<<w.level), time.Duration((w.x+TileBins)<<w.level)
		if f.none || end <= f.from || begin >= f.to {
			return f, nil
		}
		if m := t.mip(stream, 0); f.single && m != nil && (m.level <= w.level || w.late()) {
			if w.addOrSpread(m) {
				return f, nil
			}
			t.memory.mips.drop(t.block(stream, 0))
			w.clear() // a broken mip leaves what was added
		}
	}
	if w.over() || f == nil && w.late() && t.arch.Stream(stream).Calls() <= fewCalls {
		return nil, nil
	}
	l, err := t.take(stream)
	if err != nil {
		return nil, err
	}
	defer t.giveBack(l)
	ok, err := l.fill(w)
	if !ok || err != nil {
		return nil, err
	}
	w.blur = uint64(float64(w.blur) * l.rate)
	return &l.facts, nil
}

// take opens a stream, or takes one that is open, and finds its facts.
func (t *Tiler) take(stream int) (*lane, error) {
	t.mu.Lock()
	l := t.lanes[stream]
	if l != nil {
		delete(t.lanes, stream)
		t.held -= l.calls()
	}
	t.mu.Unlock()
	if l != nil {
		return l, nil
	}
	r, err := t.resolver()
	if err != nil {
		return nil, err
	}
	defer t.release(r)
	if l, err = t.open(r, stream); err != nil {
		return nil, err
	}
	if f := t.facts[stream].Load(); f != nil {
		l.facts = *f
	} else {
		if !l.none {
			if err := l.find(r); err != nil {
				return nil, err
			}
		}
		known := l.facts
		t.facts[stream].Store(&known)
	}
	if !l.none && l.rate > 0 {
		l.b.rate = 1 / l.rate
	}
	return l, nil
}

// calls is how many calls its decoded block has.
func (l *lane) calls() uint64 {
	if l.none {
		return 0
	}
	return min(l.w.timing.Len(), fewCalls) + 512
}

// giveBack keeps a stream open, as far as there is room.
func (t *Tiler) giveBack(l *lane) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for stream, other := range t.lanes {
		if t.held+l.calls() <= openCalls {
			break
		}
		delete(t.lanes, stream)
		t.held -= other.calls()
	}
	if old := t.lanes[l.stream]; old != nil {
		return
	}
	t.lanes[l.stream] = l
	t.held += l.calls()
}

// resolver is a resolved selection, which one goroutine at a time may use.
func (t *Tiler) resolver() (*selection.Resolved, error) {
	t.mu.Lock()
	if n := len(t.resolvers); n > 0 {
		r := t.resolvers[n-1]
		t.resolvers = t.resolvers[:n-1]
		t.mu.Unlock()
		return r, nil
	}
	t.mu.Unlock()
	return t.sel.Resolve(t.arch)
}

func (t *Tiler) release(r *selection.Resolved) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.resolvers = append(t.resolvers, r)
}

// Ends is when the last call ends of what has been looked at.
func (t *Tiler) Ends() (end time.Duration) {
	for i := range t.facts {
		if f := t.facts[i].Load(); f != nil && !f.none {
			end = max(end, f.to)
		}
	}
	return end
}

// Warm reads all blocks that have no mip yet, until there is no more memory or ahead is false. It gives way to tiles.
// Progress is told of streams.
func (t *Tiler) Warm(ahead func() bool, progress func(done, total int)) error {
	for stream := range t.facts {
		if !ahead() || t.memory.mips.full() {
			return nil
		}
		if err := t.warm(stream, ahead); err != nil {
			return err
		}
		if progress != nil {
			progress(stream+1, len(t.facts))
		}
	}
	return nil
}

func (t *Tiler) warm(stream int, ahead func() bool) error {
	if f := t.facts[stream].Load(); f != nil && (f.none || f.single && t.mip(stream, 0) != nil) {
		return nil
	}
	l, err := t.take(stream)
	if err != nil {
		return err
	}
	defer t.giveBack(l)
	if l.none || !l.summed {
		return nil
	}
	for k := 0; k < l.blocks && ahead() && !t.memory.mips.full(); k++ {
		for t.filling.Load() > 0 && ahead() {
			time.Sleep(wayTime)
		}
		from, to, first, latest := l.w.timing.Block(k)
		if t.mip(stream, from) != nil {
			continue
		}
		m, err := l.block(from, to, first, latest)
		if err != nil {
			return err
		}
		t.memory.mips.put(t.block(stream, from), m)
	}
	return nil
}

// block is the key of a block of calls.
func (t *Tiler) block(stream int, from uint64) blockKey { return blockKey{t.number, stream, from} }

// mip is the summary of a block, nil if there is none yet.
func (t *Tiler) mip(stream int, from uint64) *mip { return t.memory.mips.get(t.block(stream, from)) }

// GridLevel is the least level at which one tile covers a time.
func GridLevel(length time.Duration) int {
	level := 0
	for level < MaxTileLevel && int64(TileBins)<<level < int64(length) {
		level++
	}
	return level
}

// Share is a part of the time of some lines in a bin as a byte: 255 is all of it.
func Share(ns float64, lines, level int) byte {
	if lines == 0 {
		return 0
	}
	v := math.Round(255 * ns / (float64(lines) * float64(int64(1)<<level)))
	return byte(max(0, min(255, v)))
}
