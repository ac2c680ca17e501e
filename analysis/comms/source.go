package comms

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
	"github.com/tabard-hpc/tabard/spec"
)

// source is the calls of one stream that matter here. It is all that this
// package knows of how an archive keeps calls.
type source struct {
	s     *archive.Stream
	sigs  []*archive.Signature
	x     *grammar.Index
	holes []*holes // by terminal; nil if all values are in the signature
	all   uint64   // calls that matter, but for questions

	polls []pollSum
}

// streamsOf lists the streams of each process by its number.
func streamsOf(a *archive.Archive) [][]*archive.Stream {
	of := make([][]*archive.Stream, a.NumRanks())
	for s := range a.Streams() {
		of[s.Process()] = append(of[s.Process()], s)
	}
	return of
}

func newSource(s *archive.Stream) (*source, error) {
	sigs, err := s.Signatures()
	if err != nil {
		return nil, err
	}
	src := &source{s: s, sigs: sigs}
	if !slices.ContainsFunc(sigs, func(sig *archive.Signature) bool { return places[sig.Func] != nil }) {
		return src, nil
	}
	src.x, err = s.GrammarIndex()
	return src, err
}

// calls yields the calls that matter, with the number of their event. Of
// questions that always have the same answer it may leave out those between
// which nothing changed.
func (s *source) calls() iter.Seq2[*call, error] {
	return func(yield func(*call, error) bool) {
		if s.x == nil {
			return
		}
		every, some := make([]bool, len(s.sigs)), make([]bool, len(s.sigs))
		s.holes = make([]*holes, len(s.sigs))
		occurrences, err := s.s.Occurrences()
		if err != nil {
			yield(nil, err)
			return
		}
		for t, sig := range s.sigs {
			p := places[sig.Func]
			if p == nil || sig.Flags&archive.Failed != 0 {
				continue
			}
			h, err := s.openHoles(uint32(t), sig)
			if err != nil {
				yield(nil, err)
				return
			}
			s.holes[t] = h
			some[t] = p.kind.question() && (h == nil || h.constant)
			if every[t] = !some[t]; every[t] {
				s.all += occurrences[t]
			}
		}
		for at, t := range s.x.NewSearch(every, some).All() {
			sig := s.sigs[t]
			c := &call{place: places[sig.Func], f: spec.ByID(sig.Func), sig: sig, site: s.s.Site(sig), at: at}
			if h := s.holes[t]; h != nil {
				var err error
				if c.varied, err = h.next(sig); err != nil {
					yield(nil, err)
					return
				}
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}

// holes reads the values of a terminal that are in columns, occurrence by occurrence.
type holes struct {
	src      *source
	slots    []hole
	k        uint64 // occurrence
	constant bool   // all occurrences have the same values
}

type hole struct {
	slot  int
	value *archive.Column
	count *archive.Column // of elements, for an array
	from  uint64          // element
}

// openHoles opens the columns of a terminal whose values matter; nil without any.
func (s *source) openHoles(t uint32, sig *archive.Signature) (*holes, error) {
	h := &holes{src: s, constant: true}
	f := spec.ByID(sig.Func)
	for i := range sig.Slots {
		if sig.Slots[i].Kind != archive.Hole || f.Slots[i].Fields() > 1 {
			continue
		}
		o := hole{slot: i}
		var err error
		if o.value, err = s.s.Column(t, i, 0); err == nil && f.Slots[i].Array {
			o.count, err = s.s.Column(t, i, -1)
		}
		if err != nil {
			return nil, err
		}
		if o.value == nil || f.Slots[i].Array && o.count == nil {
			return nil, fmt.Errorf("comms: terminal %d of %s has no column for a value that is not in its signature", t,
				f.Name)
		}
		h.constant = h.constant && o.count == nil && constant(o.value)
		h.slots = append(h.slots, o)
	}
	if len(h.slots) == 0 {
		return nil, nil
	}
	return h, nil
}

// constant tells whether all values of a column are equal. Of more than anyone waits for it does not know.
func constant(c *archive.Column) bool {
	if c.Len() > 1<<30 {
		return false
	}
	var buf [512]int64
	first := c.At(0)
	for i := uint64(0); i < c.Len(); {
		n := c.Read(i, buf[:])
		if n == 0 || slices.ContainsFunc(buf[:n], func(v int64) bool { return v != first }) {
			return false
		}
		i += uint64(n)
	}
	return c.Err() == nil
}

// maxElements is how many elements an array in columns may have.
const maxElements = 1 << 26

// next gives the values of the next occurrence.
func (h *holes) next(sig *archive.Signature) ([]varied, error) {
	values := make([]varied, len(h.slots))
	f := spec.ByID(sig.Func)
	for i := range h.slots {
		o := &h.slots[i]
		slot := &f.Slots[o.slot]
		if o.count == nil {
			v, err := h.element(f, slot, o.value, h.k)
			if err != nil {
				return nil, err
			}
			values[i] = varied{slot: int32(o.slot), kind: v.Kind, n: v.N}
			if v.Kind == archive.Str {
				values[i].wide = &archive.Value{Kind: v.Kind, Str: v.Str}
			}
			continue
		}
		v, err := h.array(f, slot, o)
		if err != nil {
			return nil, err
		}
		values[i] = varied{slot: int32(o.slot), wide: &v}
	}
	if !h.constant {
		h.k++
	}
	return values, nil
}

// array is the next occurrence of an array.
func (h *holes) array(f *spec.Func, slot *spec.Slot, o *hole) (v archive.Value, err error) {
	n := o.count.At(h.k)
	if h.k >= o.count.Len() || n < 0 || n > maxElements || o.from+uint64(n) > o.value.Len() {
		return v, h.broken(f)
	}
	v = archive.Value{Kind: archive.Ints, Ints: []int64{}}
	if slot.Codec != spec.Int {
		v.Kind = archive.List
	}
	for range n {
		e, err := h.element(f, slot, o.value, o.from)
		if err != nil {
			return v, err
		}
		if o.from++; v.Kind == archive.Ints {
			v.Ints = append(v.Ints, e.N)
		} else {
			v.List = append(v.List, e)
		}
	}
	return v, nil
}

func (h *holes) broken(f *spec.Func) error {
	return &archive.FormatError{File: h.src.s.Archive().File(), Section: "columns", Offset: -1,
		Msg:  fmt.Sprintf("stream %d: the columns of %s do not fit the calls", h.src.s.Index(), f.Name),
		Hint: "the file is damaged: copy it again"}
}

func (h *holes) element(f *spec.Func, slot *spec.Slot, c *archive.Column, k uint64) (archive.Value, error) {
	if k >= c.Len() {
		return archive.Value{}, h.broken(f)
	}
	n := c.At(k)
	if err := c.Err(); err != nil {
		return archive.Value{}, fmt.Errorf("stream %d: %w", h.src.s.Index(), err)
	}
	switch slot.Codec {
	case spec.Handle:
		return archive.Value{Kind: archive.Ref, Class: slot.Class, N: n}, nil
	case spec.String:
		text, err := h.src.s.String(n)
		return archive.Value{Kind: archive.Str, Str: text}, err
	}
	return archive.Value{Kind: archive.Int, N: n}, nil
}

// pollSum adds up the lengths of the runs of polls behind a terminal.
type pollSum struct {
	terminal   uint32
	col        *archive.Column
	count, sum uint64 // of the first count runs
}

// number is the number of the call that event at is. A run of polls is one
// event and several calls.
func (s *source) number(at uint64) (uint64, error) {
	if s.s.Calls() == s.x.Len() {
		return at, nil
	}
	if s.polls == nil {
		for t, sig := range s.sigs {
			if sig.Flags&archive.Polls == 0 {
				continue
			}
			col, err := s.s.Column(uint32(t), -1, 0)
			if err != nil {
				return 0, err
			}
			s.polls = append(s.polls, pollSum{terminal: uint32(t), col: col})
		}
	}
	before := s.x.CountBefore(at)
	n := at
	var buf [256]int64
	for i := range s.polls {
		p := &s.polls[i]
		if int(p.terminal) >= len(before) {
			continue
		}
		want := min(before[p.terminal], p.col.Len())
		if want < p.count {
			p.count, p.sum = 0, 0
		}
		for p.count < want {
			k := p.col.Read(p.count, buf[:min(uint64(len(buf)), want-p.count)])
			if k == 0 {
				break
			}
			for _, v := range buf[:k] {
				p.sum += uint64(v)
			}
			p.count += uint64(k)
		}
		n += p.sum - p.count
	}
	return n, nil
}

// ticks are the begin and end of the call that event at is, on the clock of the process.
func (s *source) ticks(t *archive.Timing, at uint64) (start, end uint64, err error) {
	n, err := s.number(at)
	if err != nil {
		return 0, 0, err
	}
	start, end = t.At(n)
	return start, end, t.Err()
}

// times are the begin and end of the call that event at is, comparable
// between processes; ok is false without timing.
func (s *source) times(at uint64) (start, end time.Duration, ok bool) {
	if !s.s.Timed() {
		return 0, 0, false
	}
	n, err := s.number(at)
	if err != nil {
		return 0, 0, false
	}
	c, err := s.s.CallAt(n)
	if err != nil {
		return 0, 0, false
	}
	return c.Start, c.End, c.Timed
}
