package timeline

import (
	"math/bits"
	"sync"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/traffic"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// Flow is a way to move data, in one direction: what the tiles of volumes count.
type Flow struct {
	Kind     traffic.Kind
	Received bool
}

// category is the place of a flow where tiles of times have a category. The place of Computation, of which the packed
// form has none, stays empty.
func (f Flow) category() Category {
	c := 2*Category(f.Kind) + 1
	if f.Received {
		c++
	}
	return c
}

// NewVolumeTiler makes a Tiler of the data that the selected calls move at their own processes, as traffic.Log has it:
// its tiles have bytes and messages instead of times and calls. What is not in a block that is read as a whole is read
// from the begin of its stream on.
func NewVolumeTiler(m *Memory, a *archive.Archive, sel *selection.Selection, order string, end time.Duration) (
	*Tiler, error) {
	t, err := NewTiler(m, a, sel, order, end)
	if err != nil {
		return nil, err
	}
	t.volume = true
	t.program = sync.OnceValues(func() (*calls.Program, error) { return calls.Open(a) })
	return t, nil
}

// Bytes is what a flow moves in a bin of a row, at all of its lines together.
func (x *Tile) Bytes(row, bin int, f Flow) float64 { return x.Time(row, bin, f.category()) }

// Messages is the number of messages, or of calls of other kinds, that Bytes is of.
func (x *Tile) Messages(row, bin int, f Flow) uint64 { return x.Calls(row, bin, f.category()) }

// Unsized is how many messages of a row, in the blocks of calls that it has something of, are of unknown size: sends
// count without bytes, and receives with the size of their buffers, the most that can have come.
func (x *Tile) Unsized(row int) uint64 { return x.chunks[row].unsized }

// wholeStream is the place of the mip of a whole stream among those of its blocks.
const wholeStream = ^uint64(0)

// fewBlocks is up to how many blocks of a stream are read again for what is finer than their mips. Those of more are
// spread over the bins of their mips.
const fewBlocks = 8

// volumes adds what the stream moves in a window. It is not ok if the time is up before.
func (l *lane) volumes(w *window) (ok bool, err error) {
	if m := l.t.mip(l.stream, wholeStream); m != nil && m.level <= w.level {
		return w.add(m), nil
	}
	begin, end := time.Duration(w.x<<w.level), time.Duration((w.x+int64(len(w.cells)))<<w.level)
	for k := range l.blocks {
		from, _, first, latest := l.w.timing.Block(k)
		if l.w.at(first) >= end || l.w.at(latest) < begin {
			continue
		}
		m, err := l.moved(w, k, from)
		if m == nil || err != nil {
			return false, err
		}
		if m.level <= w.level {
			w.add(m)
		} else if l.blocks > fewBlocks {
			w.unsized += m.unsized
			w.blur = max(w.blur, uint64(float64(int64(1)<<m.level)/max(l.rate, 1e-9)))
			m.spread(w)
		} else if ok, err := l.again(w, k); !ok || err != nil {
			return false, err
		}
	}
	if l.blocks > fewBlocks && begin <= l.from && end > l.to {
		m := &mip{level: w.level, x: w.x, unsized: w.unsized}
		m.pack(w.cells)
		l.t.memory.mips.put(l.t.block(l.stream, wholeStream), m)
	}
	return true, broken(l.w.p.Stream, l.w.timing.Err())
}

// moved is the mip of a block; nil if there is no time to read up to it.
func (l *lane) moved(w *window, k int, from uint64) (*mip, error) {
	for {
		if m := l.t.mip(l.stream, from); m != nil {
			return m, nil
		}
		if w.late() {
			return nil, nil
		}
		w.reads()
		list, at, err := l.advance(k)
		if err != nil {
			return nil, err
		}
		l.t.memory.mips.put(l.t.block(l.stream, at), movedMip(list))
	}
}

// again adds the messages of a block one by one.
func (l *lane) again(w *window, k int) (ok bool, err error) {
	for {
		if w.late() {
			return false, nil
		}
		w.reads()
		list, _, err := l.advance(k)
		if err != nil {
			return false, err
		}
		if l.next <= k {
			continue
		}
		for i := range list {
			w.unsized += putMoved(w.cells, &list[i], w.level, w.x)
		}
		return true, nil
	}
}

// advance reads the next block, one of those up to block k, whose first call is from.
func (l *lane) advance(k int) (list []traffic.Moved, from uint64, err error) {
	if l.log == nil || l.next > k {
		p, err := l.t.program()
		if err != nil {
			return nil, 0, err
		}
		l.t.asks.Lock()
		l.log, err = traffic.NewLog(p, l.w.p)
		l.t.asks.Unlock()
		if err != nil {
			return nil, 0, err
		}
		l.next = 0
	}
	from, to, _, _ := l.w.timing.Block(l.next)
	if l.log.Asks() {
		l.t.asks.Lock()
		defer l.t.asks.Unlock()
	}
	list, err = l.log.Read(to)
	if l.next++; l.next == l.blocks {
		l.log = nil
	}
	return list, from, err
}

// movedMip sorts messages into bins.
func movedMip(list []traffic.Moved) *mip {
	if len(list) == 0 {
		return &mip{}
	}
	first, last := list[0].At, list[0].At
	for i := range list {
		first, last = min(first, list[i].At), max(last, list[i].At)
	}
	m, cells := newMip(int64(first), int64(last))
	for i := range list {
		m.unsized += putMoved(cells, &list[i], m.level, m.x)
	}
	m.pack(cells)
	return m
}

// putMoved adds a message to a grid, and counts it if its size is not known.
func putMoved(cells []cell, v *traffic.Moved, level int, x int64) (unsized uint64) {
	at := int64(v.At)>>level - x
	if at < 0 || at >= int64(len(cells)) {
		return 0
	}
	c := Flow{v.Kind, v.Received}.category()
	cells[at].calls[c]++
	cells[at].ticks[c] += uint64(max(0, v.Bytes))
	if v.Bytes < 0 || v.Most {
		return 1
	}
	return 0
}

// spread adds the bins of a mip to those of a finer window, evenly and such that nothing is lost or counted twice. It
// is not ok if the mip is broken.
func (m *mip) spread(w *window) (ok bool) {
	shift := uint(m.level - w.level)
	from := w.x >> shift
	coarse := make([]cell, (w.x+int64(len(w.cells))-1)>>shift-from+1)
	ok = m.add(coarse, m.level, from)
	n := uint64(1) << shift
	before := func(v, i uint64) uint64 { // v * i / n
		hi, lo := bits.Mul64(v, i)
		return hi<<(64-shift) | lo>>shift
	}
	part := func(v, i uint64) uint64 { return before(v, i+1) - before(v, i) }
	for at := range w.cells {
		bin := w.x + int64(at)
		c, i := &coarse[bin>>shift-from], uint64(bin)&(n-1)
		for k := range c.ticks {
			w.cells[at].ticks[k] += part(c.ticks[k], i)
			w.cells[at].calls[k] += uint32(part(uint64(c.calls[k]), i))
		}
	}
	return ok
}

// move adds the bins of a stream.
func (c *chunk) move(w *window) {
	c.unsized += w.unsized
	for i := range w.cells {
		x := &w.cells[i]
		for k := Computation + 1; k < NumCategories; k++ {
			if x.calls[k] > 0 {
				filled(&c.ns[k], len(w.cells))[i] += float64(x.ticks[k])
				filled(&c.calls[k], len(w.cells))[i] += uint64(x.calls[k])
			}
		}
	}
}
