package timing

import (
	"slices"
	"sort"
)

// A Selection says which calls of a stream another one has: those of some terminals, in their order.
type Selection struct {
	// Len is how many calls they are.
	Len uint64
	// Keep tells of each terminal of the stream whether its calls are selected, Terminals which they are: terminal t of
	// the selection is the stream's Terminals[t].
	Keep      []bool
	Terminals []uint32
	// Before is the number of selected calls before a call of the stream.
	Before func(call uint64) (uint64, error)
}

// selection is the part of a Reader that makes it one of selected calls. A block of it is what is selected of a block
// of the whole; blocks of which nothing is selected are none.
type selection struct {
	Selection
	of      *Reader
	froms   []uint64 // selected calls before each block of the whole, and at the end; nil until asked for
	blocks  []int    // of the whole, with selected calls
	first   uint64   // the first call of the block that is loaded
	where   []uint64 // the indices of its calls in the whole
	classes []uint32 // of its calls
}

// Select returns a reader of some of the calls that r reads, which nobody else may use. Aggregates that are stored
// instead of calls lose the gaps before and after calls that are not selected. Summaries hold selected calls only, but
// may begin earlier and end later.
func (r *Reader) Select(s Selection) *Reader {
	out := &Reader{n: s.Len, coding: r.coding, errs: r.errs, cached: -1, sel: &selection{Selection: s, of: r}}
	if len(r.classes) > 0 {
		out.classes = make([]uint32, len(s.Terminals))
		for t, old := range s.Terminals {
			if int(old) < len(r.classes) {
				out.classes[t] = r.classes[old]
			}
		}
	}
	if r.aggregate != nil {
		out.aggregate = r.aggregate.only(r.keptClasses(&s), s.Len)
	}
	return out
}

// keptClasses tells which classes have selected calls; all that other classes have are calls that are not.
func (r *Reader) keptClasses(s *Selection) func(class uint32) bool {
	if len(r.classes) == 0 {
		return func(uint32) bool { return true }
	}
	kept := map[uint32]bool{}
	for _, t := range s.Terminals {
		if int(t) < len(r.classes) {
			kept[r.classes[t]] = true
		}
	}
	return func(class uint32) bool { return kept[class] }
}

// only is what is known of calls of some classes.
func (a *Aggregates) only(keep func(class uint32) bool, calls uint64) *Aggregates {
	out := NewAggregates()
	out.Calls = calls
	for c, d := range a.durations {
		if keep(c) {
			out.durations[c] = d
		}
	}
	for p, d := range a.gaps {
		if keep(p.Before) && keep(p.Class) {
			out.gaps[p] = d
		}
	}
	return out
}

// placeSelected works out where the selected calls of each block of the whole begin.
func (r *Reader) placeSelected() bool {
	s := r.sel
	if s.froms != nil || r.err != nil {
		return r.err == nil
	}
	n := s.of.Blocks()
	froms := make([]uint64, n+1)
	for k := 1; k <= n; k++ {
		at := uint64(k) << blockShift
		if k == n || s.of.whole {
			at = s.of.n
		}
		before, err := s.Before(at)
		if err != nil {
			r.fail(err)
			return false
		}
		if froms[k] = before; before > froms[k-1] {
			s.blocks = append(s.blocks, k-1)
		}
	}
	if froms[n] != s.Len {
		r.fail(broken(-1, "the calls are others than those of the structure"))
		return false
	}
	s.froms = froms
	return true
}

// loadSelected makes the selected calls of block k of the selection those of starts and ends.
func (r *Reader) loadSelected(k int) bool {
	if r.cached == k && r.err == nil {
		return true
	}
	s := r.sel
	if !r.placeSelected() {
		return false
	}
	block := s.blocks[k]
	from := uint64(block) << blockShift
	s.of.load(block)
	if s.of.err != nil {
		r.fail(s.of.err)
		return false
	}
	terms := make([]uint32, len(s.of.starts))
	if s.of.walk != nil {
		if err := s.of.walk.Walk(from, terms); err != nil {
			r.fail(err)
			return false
		}
	}
	r.starts, r.ends, r.tops = r.starts[:0], r.ends[:0], r.tops[:0]
	s.where, s.classes = s.where[:0], s.classes[:0]
	for i, t := range terms {
		if int(t) >= len(s.Keep) || !s.Keep[t] {
			continue
		}
		class := uint32(0)
		if int(t) < len(s.of.classes) {
			class = s.of.classes[t]
		}
		r.starts, r.ends = append(r.starts, s.of.starts[i]), append(r.ends, s.of.ends[i])
		s.where, s.classes = append(s.where, from+uint64(i)), append(s.classes, class)
	}
	if s.first = s.froms[block]; uint64(len(r.starts)) != s.froms[block+1]-s.first {
		r.fail(broken(-1, "the calls are others than those of the structure"))
		return false
	}
	r.cached = k
	return true
}

// selected loads the block of call i and returns its place in it.
func (r *Reader) selected(i uint64) (at int, ok bool) {
	s := r.sel
	if r.cached < 0 || i-s.first >= uint64(len(r.starts)) {
		if !r.placeSelected() {
			return 0, false
		}
		k := sort.Search(len(s.blocks), func(k int) bool { return s.froms[s.blocks[k]+1] > i })
		if !r.loadSelected(k) {
			return 0, false
		}
	}
	return int(i - s.first), r.err == nil
}

// spanSelected is Span of selected calls.
func (r *Reader) spanSelected(i uint64) (starts, ends []uint64) {
	at, ok := r.selected(i)
	if !ok {
		return make([]uint64, 1), make([]uint64, 1) // as after any error
	}
	return r.starts[at:], r.ends[at:]
}

// seekSelected is SeekTime of selected calls: the first of them that ends at or after t.
func (r *Reader) seekSelected(t uint64) uint64 {
	s := r.sel
	if !r.placeSelected() {
		return r.n
	}
	from, err := s.Before(s.of.SeekTime(t))
	if err != nil {
		r.fail(err)
	}
	for i := from; i < r.n && r.err == nil; {
		_, ends := r.spanSelected(i)
		for k, end := range ends {
			if end >= t {
				return i + uint64(k)
			}
		}
		i += uint64(len(ends))
	}
	return r.n
}

// filtered is the summary of selected calls among those of one of the whole.
func (r *Reader) filtered(s Summary, keep func(class uint32) bool) (Summary, bool) {
	var err error
	if s.From, err = r.sel.Before(s.From); err == nil {
		s.To, err = r.sel.Before(s.To)
	}
	if err != nil {
		r.fail(err)
		return s, false
	}
	s.Classes = slices.DeleteFunc(slices.Clone(s.Classes), func(c ClassSummary) bool { return !keep(c.Class) })
	return s, s.To > s.From
}

// summariesSelected is Summaries of selected calls.
func (r *Reader) summariesSelected(from, to uint64, most int) (out []Summary) {
	keep := r.sel.of.keptClasses(&r.sel.Selection)
	for _, s := range r.sel.of.Summaries(from, to, most) {
		if s, ok := r.filtered(s, keep); ok {
			out = append(out, s)
		}
	}
	return out
}

// profileSelected is Profile of selected calls.
func (r *Reader) profileSelected(from, to uint64) (out []ClassSummary) {
	at, ok := r.selected(from)
	if !ok {
		return nil
	}
	first := r.sel.where[at]
	if at, ok = r.selected(to - 1); !ok {
		return nil
	}
	keep := r.sel.of.keptClasses(&r.sel.Selection)
	return slices.DeleteFunc(r.sel.of.Profile(first, r.sel.where[at]+1),
		func(c ClassSummary) bool { return !keep(c.Class) })
}

// blockSelected is the summary of block k of selected calls.
func (r *Reader) blockSelected(k int) (s Summary) {
	if !r.loadSelected(k) {
		return s
	}
	s = Summary{From: r.sel.first, To: r.sel.first + uint64(len(r.starts)), First: r.starts[0]}
	durations := make([]uint64, len(r.starts))
	for i, end := range r.ends {
		s.Latest, durations[i] = max(s.Latest, end), end-r.starts[i]
	}
	s.Classes = summarise(nil, r.sel.classes, durations, &classIndex{})
	return s
}

// eachSelected goes through all selected calls.
func (r *Reader) eachSelected(add func(start, end uint64, class uint32)) error {
	for i := uint64(0); i < r.n; {
		starts, ends := r.spanSelected(i)
		if r.err != nil {
			return r.err
		}
		classes := r.sel.classes[len(r.sel.classes)-len(starts):]
		for k := range starts {
			add(starts[k], ends[k], classes[k])
		}
		i += uint64(len(starts))
	}
	return nil
}
