package timing

import (
	"slices"
	"sync"
)

// node returns the entries of node k of a level; none after an error.
func (r *Reader) node(l int, k uint64) []summaryEntry {
	lv := &r.levels[l]
	if lv.node == int(k) {
		return lv.entries
	}
	if r.n <= blockCalls {
		lv.entries = r.singleNode()
		lv.node = len(lv.entries) - 1
		return lv.entries
	}
	at, size := lv.at, lv.size
	if l < len(r.levels)-1 {
		above := r.node(l+1, k/fanout)
		if k%fanout >= uint64(len(above)) {
			return nil
		}
		e := &above[k%fanout]
		if e.offset < 0 || e.offset > lv.size || int64(e.size) > lv.size-e.offset {
			r.fail(broken(lv.at, "summary beyond its level"))
			return nil
		}
		at, size = lv.at+e.offset, int64(e.size)
	}
	in, err := r.src.Bytes(at, int(size))
	if err != nil {
		r.fail(err)
		return nil
	}
	p := open(in, at)
	node := readNode(p, k*fanout*lv.calls, lv.calls, r.n)
	if p.Err != nil {
		r.fail(p.Err)
		return nil
	}
	lv.node, lv.entries = int(k), node
	return node
}

// entry returns entry i of a level; a zero one after an error.
func (r *Reader) entry(l int, i uint64) summaryEntry {
	node := r.node(l, i/fanout)
	if i%fanout >= uint64(len(node)) {
		return summaryEntry{}
	}
	return node[i%fanout]
}

func (r *Reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// load decodes block k into starts and ends. After an error all are 0.
func (r *Reader) load(k int) {
	if r.cached == k {
		return
	}
	n := r.callsOf(k)
	if cap(r.starts) < n {
		if r.starts, r.ends = spare.Get().(*spans).take(); min(cap(r.starts), cap(r.ends)) < n {
			r.starts, r.ends = make([]uint64, n), make([]uint64, n)
		}
	}
	r.cached, r.starts, r.ends = k, r.starts[:n], r.ends[:n]
	r.tops = r.tops[:0]
	var err error
	if r.whole {
		err = r.loadWhole()
	} else {
		err = r.loadBlock(k, n)
	}
	if err != nil {
		clear(r.starts)
		clear(r.ends)
		r.fail(err)
	}
	r.release()
}

// buffers are those of terms that no reader uses: streams may be many.
var buffers = sync.Pool{New: func() any { return new([]uint32) }}

// spans is room for the starts and ends of a block, spare such as no reader uses.
type spans [2][]uint64

var spare = sync.Pool{New: func() any { return new(spans) }}

func (s *spans) take() (starts, ends []uint64) { return s[0], s[1] }

// Forget gives back the memory of the block that was decoded last: where many streams are read side by side it is more
// than all else. What Span returned is no longer valid.
func (r *Reader) Forget() {
	if s := r.sel; s != nil {
		s.of.Forget()
		s.where, s.classes = nil, nil
	}
	if r.cached < 0 || r.whole { // what is whole would be decoded as a whole again
		return
	}
	spare.Put(&spans{r.starts, r.ends})
	r.cached, r.starts, r.ends, r.tops = -1, nil, nil, nil
}

// release gives back what classesOf returned.
func (r *Reader) release() {
	if terms := r.terms; terms != nil {
		r.terms = nil
		buffers.Put(&terms)
	}
}

func (r *Reader) loadBlock(k, n int) error {
	var e summaryEntry
	if r.n <= blockCalls {
		e = r.single()
	} else {
		e = r.entry(0, uint64(k))
	}
	if r.err != nil {
		return r.err
	}
	if e.offset < 0 || e.offset > r.src.Size()-r.blocks || int64(e.size) > r.src.Size()-r.blocks-e.offset {
		return broken(r.blocks, "block beyond the end")
	}
	at := r.blocks + e.offset
	in, err := r.src.Bytes(at, e.size)
	if err != nil {
		return err
	}
	classes, err := r.classesOf(uint64(k)<<blockShift, n)
	if err != nil {
		return err
	}
	p := open(in, at)
	b := blocks.Get().(*block)
	defer blocks.Put(b)
	var splits []split
	if r.coding.limits != nil {
		threshold := p.Uvarint()
		if threshold > maxValue {
			p.Fail("threshold out of range")
		}
		b.lossy.splits = r.coding.split(b.lossy.splits, threshold-1)
		splits = b.lossy.splits
	}
	b.decode(p, r.starts, r.ends, classes)
	if p.Err != nil {
		return p.Err
	}
	r.coding.times(e.First, splits, r.starts, r.ends, func(i int) uint8 { return r.boundOf(classes[i]) })
	return nil
}

func (r *Reader) boundOf(class uint32) uint8 {
	if int(class) < len(r.ofRule) {
		return r.ofRule[class]
	}
	return 0
}

// classesOf returns the classes of n calls from index from on, until it is called again or they are released.
func (r *Reader) classesOf(from uint64, n int) ([]uint32, error) {
	if r.terms == nil {
		r.terms = *buffers.Get().(*[]uint32)
	}
	r.terms = slices.Grow(r.terms[:0], n)[:n]
	if len(r.classes) == 0 {
		clear(r.terms)
		return r.terms, nil
	}
	if err := r.walk.Walk(from, r.terms); err != nil {
		return nil, err
	}
	for i, t := range r.terms {
		if int(t) >= len(r.classes) {
			return nil, broken(0, "a terminal has no class")
		}
		r.terms[i] = r.classes[t]
	}
	return r.terms, nil
}

// Summary returns that of block k, without decoding it; a zero one after an error.
func (r *Reader) Summary(k int) Summary {
	if r.sel != nil {
		return r.blockSelected(k)
	}
	if r.whole {
		r.load(0)
		return r.loaded(0, r.n)
	}
	return r.entry(0, uint64(k)).Summary
}

// Summaries returns summaries of ranges of calls that together hold all calls which overlap the
// time [from, to), in order, and few others: the finest ones of which there are at most most. It
// reads few more of them than it returns. If any call overlaps the time there is at least one
// summary, whatever most is.
func (r *Reader) Summaries(from, to uint64, most int) []Summary {
	if r.n == 0 || r.aggregate != nil {
		return nil
	}
	if r.sel != nil {
		return r.summariesSelected(from, to, most)
	}
	if r.whole {
		return []Summary{r.Summary(0)}
	}
	type place struct {
		summaryEntry
		i uint64
	}
	within := func(l int, nodes []uint64) (found []place) {
		for _, k := range nodes {
			for i, e := range r.node(l, k) {
				if e.Latest >= from && e.First < to {
					found = append(found, place{e, k*fanout + uint64(i)})
				}
			}
		}
		return found
	}
	l := len(r.levels) - 1
	found := within(l, []uint64{0})
	for l > 0 && len(found) < max(most, 1) {
		nodes := make([]uint64, len(found))
		for i := range found {
			nodes[i] = found[i].i
		}
		finer := within(l-1, nodes)
		if len(finer) > most {
			break
		}
		found = finer
		l--
	}
	out := make([]Summary, len(found))
	for i := range found {
		out[i] = found[i].Summary
	}
	return out
}

// Profile returns what the classes of the calls with index from up to, but not including, to did.
// It reads few summaries and decodes at most the two blocks that are there in part.
func (r *Reader) Profile(from, to uint64) []ClassSummary {
	to = min(to, r.n)
	if from >= to || r.aggregate != nil {
		return nil
	}
	if r.sel != nil {
		return r.profileSelected(from, to)
	}
	if r.whole {
		r.load(0)
		return r.part(from, to)
	}
	return r.profile(len(r.levels)-1, 0, from, to)
}

// profile goes through node k of a level.
func (r *Reader) profile(l int, k, from, to uint64) (sum []ClassSummary) {
	node := append([]summaryEntry(nil), r.node(l, k)...)
	for i, e := range node {
		switch {
		case e.To <= from || e.From >= to:
		case from <= e.From && e.To <= to:
			sum = mergeClasses(sum, e.Classes)
		case l > 0:
			sum = mergeClasses(sum, r.profile(l-1, k*fanout+uint64(i), from, to))
		default:
			r.load(int(e.From >> blockShift))
			sum = mergeClasses(sum, r.part(max(from, e.From), min(to, e.To)))
		}
	}
	return sum
}

// loaded is the summary of the block that is loaded, of the calls from index from up to to.
func (r *Reader) loaded(from, to uint64) Summary {
	s := Summary{From: from, To: to, First: r.starts[0], Classes: r.part(from, to)}
	for _, e := range r.ends {
		s.Latest = max(s.Latest, e)
	}
	return s
}

// sumOf is the summary of a node.
func sumOf(node []summaryEntry) (s Summary) {
	for i := range node {
		if i == 0 {
			s = node[0].Summary
			continue
		}
		s.To, s.Latest = node[i].To, max(s.Latest, node[i].Latest)
		s.Classes = mergeClasses(s.Classes, node[i].Classes)
	}
	return s
}

// equal compares summaries.
func (s *Summary) equal(o *Summary) bool {
	return s.From == o.From && s.To == o.To && s.First == o.First && s.Latest == o.Latest &&
		slices.Equal(s.Classes, o.Classes)
}

// part sums up calls of the block that is loaded.
func (r *Reader) part(from, to uint64) []ClassSummary {
	base := uint64(r.cached) << blockShift
	classes, err := r.classesOf(from, int(to-from))
	defer r.release()
	if err != nil {
		r.fail(err)
		return nil
	}
	durations := make([]uint64, to-from)
	for i := range durations {
		durations[i] = r.ends[from-base+uint64(i)] - r.starts[from-base+uint64(i)]
	}
	return summarise(nil, classes, durations, &classIndex{})
}
