package timeline

import (
	"sync"
	"time"
)

// chunk is the sum of lines in a tile: of times and calls by category, or of bytes and messages by flow.
type chunk struct {
	ns      [NumCategories][]float64
	calls   [NumCategories][]uint64
	unsized uint64
}

func (c *chunk) size() int {
	n := 200
	for i := range c.ns {
		n += 8 * (len(c.ns[i]) + len(c.calls[i]))
	}
	return n
}

// filled is a list of n, which is made if it is not there yet.
func filled[T any](list *[]T, n int) []T {
	if *list == nil {
		*list = make([]T, n)
	}
	return *list
}

// put adds the bins of a stream, and what it computed.
func (c *chunk) put(w *window, f *facts, end time.Duration) {
	if w.volume {
		c.move(w)
		return
	}
	n := len(w.cells)
	to := f.to
	if f.open != Computation {
		to = max(to, end)
	}
	for i := range w.cells {
		x := &w.cells[i]
		begin := time.Duration((w.x + int64(i)) << w.level)
		rest := float64(max(0, min(to, begin+1<<w.level)-max(f.from, begin)))
		for k := Computation + 1; k < NumCategories; k++ {
			ns := float64(x.ticks[k]) * f.rate
			if k == f.open {
				ns += float64(max(0, min(to, begin+1<<w.level)-max(f.to, begin)))
			}
			if ns > 0 {
				filled(&c.ns[k], n)[i] += ns
				rest -= ns
			}
			if x.calls[k] > 0 {
				filled(&c.calls[k], n)[i] += uint64(x.calls[k])
			}
		}
		if rest != 0 {
			filled(&c.ns[Computation], n)[i] += rest
		}
	}
}

// add adds another sum.
func (c *chunk) add(o *chunk) {
	c.unsized += o.unsized
	for k := range o.ns {
		for i, v := range o.ns[k] {
			filled(&c.ns[k], len(o.ns[k]))[i] += v
		}
		for i, v := range o.calls[k] {
			filled(&c.calls[k], len(o.calls[k]))[i] += v
		}
	}
}

// partialSize is how much memory a partial takes at most, about.
const partialSize = 300 + 2*8*TileBins*int(NumCategories)

// A partial is a row of a tile that is not exact yet.
type partial struct {
	mu    sync.Mutex
	sum   *chunk   // of the lines that are
	done  []uint64 // which these are: a bit for each line
	lines int      // how many
}

// has tells whether a line is in the sum.
func (p *partial) has(line int) bool {
	return line>>6 < len(p.done) && p.done[line>>6]>>(line&63)&1 != 0
}

// put adds a line to the sum, whose row has n.
func (p *partial) put(line, n int, w *window, f *facts, end time.Duration) {
	filled(&p.done, (n+63)/64)[line>>6] |= 1 << (line & 63)
	p.lines++
	p.sum.put(w, f, end)
}
