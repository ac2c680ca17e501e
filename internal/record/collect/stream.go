package collect

import (
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/column"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
	"github.com/tabard-hpc/tabard/internal/codec/timing"
	"github.com/tabard-hpc/tabard/internal/record/symbol"
	"github.com/tabard-hpc/tabard/spec"
)

// stream is the compressed calls of one thread.
type stream struct {
	slab   []terminal // where terminals are made
	syms   *symbol.Process
	terms  []uint32 // by number of the signature: terminal + 1, 0 not seen; | bare
	list   []*terminal
	g      *grammar.Builder
	timing *timing.Builder // nil without timing
	spool  *spool          // of its blocks, nil: in memory
	calls  uint64
	own    uint64 // of them, records of Tabard's own
	// Of times: the class of each of list, and the numbers of classes by first occurrence.
	classes  []uint32
	classIDs map[classKey]uint32
	p        *process // that it is of
	// misfits counts events whose values do not fit their signature: our bug,
	// which must not cost the rest of the recording.
	misfits uint64

	// The run of polls that is not in the grammar yet: it may grow.
	run  *terminal
	runN int64
	held []int64 // its other columns

	strs    []uint32 // by number of the process's string: own number + 1
	strings []int64  // own strings, as numbers of the process's
}

// bare marks calls without columns: nothing else need be known of them, and long loops have many.
const bare = 1 << 31

// terminal is a signature of a stream.
type terminal struct {
	id    uint32
	sig   uint32 // number in the process
	polls bool
	own   bool   // see spec.Func.Own
	class uint32 // see classKey
	slots []slotColumns
	cols  []*column.Builder
	fixed int // number of values of an event, -1 if it varies
}

// slotColumns is the columns of one slot.
type slotColumns struct {
	first, fields int // of the field columns
	array         bool
	text          bool // values are numbers of strings
}

// A classKey is what terminals whose times are alike have in common. It outlasts the values that
// leave signatures.
type classKey struct {
	fn    spec.ID
	site  uint32
	polls bool
}

// newStream returns a stream without calls.
func (p *process) newStream() *stream {
	s := &stream{syms: p.syms, g: grammar.NewBuilder(), p: p}
	if p.timing {
		s.timing = timing.New(p.mode, p.rate)
	}
	return s
}

// add makes a terminal known.
func (s *stream) add(t *terminal) {
	for len(s.terms) <= int(t.sig) {
		s.terms = append(s.terms, 0)
	}
	s.list = append(s.list, t)
	s.classes = append(s.classes, t.class)
	s.terms[t.sig] = t.number()
}

// classKeys lists the classes by number.
func (s *stream) classKeys() []classKey {
	keys := make([]classKey, len(s.classIDs))
	for k, c := range s.classIDs {
		keys[c] = k
	}
	return keys
}

// classOf numbers a class.
func (s *stream) classOf(k classKey) uint32 {
	c, ok := s.classIDs[k]
	if !ok {
		if s.classIDs == nil {
			s.classIDs = map[classKey]uint32{}
		}
		c = uint32(len(s.classIDs))
		s.classIDs[k] = c
		if s.timing != nil {
			s.timing.SetFunction(c, spec.ByID(k.fn).Name)
		}
	}
	return c
}

// event appends one call. This is the hot path.
func (s *stream) event(e *symbol.Event) {
	var t *terminal
	if int(e.Sig) < len(s.terms) && s.terms[e.Sig] != 0 {
		n := s.terms[e.Sig]
		if n&bare != 0 && s.run == nil && len(e.Cols) == 0 {
			s.calls++
			if s.timing != nil {
				s.timing.Append(e.Start, e.End, s.classes[n&^bare-1])
			}
			s.g.Append(n&^bare - 1)
			return
		}
		t = s.list[n&^bare-1]
	} else {
		t = s.intern(e.Sig)
	}
	if len(e.Cols) != t.fixed && !t.fits(e.Cols) {
		s.misfits++
		return
	}
	s.calls++
	if t.own {
		s.own++
	}
	if s.timing != nil {
		s.timing.Append(e.Start, e.End, t.class)
	}
	if s.run != nil {
		if s.run == t && slices.Equal(s.held, e.Cols) {
			s.runN++
			return
		}
		s.flush()
	}
	if t.polls {
		s.run, s.runN = t, 1
		s.held = append(s.held[:0], e.Cols...)
		return
	}
	s.g.Append(t.id)
	if len(t.slots) != 0 {
		s.columns(t, e.Cols)
	}
}

// flush ends a run of polls.
func (s *stream) flush() {
	t := s.run
	s.run = nil
	t.cols[0].Append(s.runN)
	s.g.Append(t.id)
	s.columns(t, s.held)
}

// columns distributes an event's values, in slot order, to the columns.
func (s *stream) columns(t *terminal, vals []int64) {
	for i := range t.slots {
		sl := &t.slots[i]
		n := 1
		if sl.array {
			n = int(vals[0])
			t.cols[sl.first-1].Append(vals[0])
			vals = vals[1:]
		}
		for ; n > 0; n-- {
			for k := range sl.fields {
				v := vals[k]
				if sl.text {
					v = s.text(v)
				}
				t.cols[sl.first+k].Append(v)
			}
			vals = vals[sl.fields:]
		}
	}
}

// text numbers a string of the process in the order of this stream.
func (s *stream) text(v int64) int64 {
	for int(v) >= len(s.strs) {
		s.strs = append(s.strs, 0)
	}
	if s.strs[v] == 0 {
		s.strings = append(s.strings, v)
		s.strs[v] = uint32(len(s.strings))
	}
	return int64(s.strs[v] - 1)
}

// intern makes the terminal of a signature that is new in this stream.
func (s *stream) intern(sig uint32) *terminal {
	t := s.newTerminal(uint32(len(s.list)), sig)
	s.add(t)
	for i := range t.cols {
		t.cols[i] = column.NewBuilder()
	}
	return t
}

// newTerminal makes terminal id, of the signature with a number.
func (s *stream) newTerminal(id, number uint32) *terminal {
	sig := s.syms.Signature(number)
	// Side by side in the order of first occurrence, which loops repeat.
	if len(s.slab) == cap(s.slab) {
		s.slab = make([]terminal, 0, 64)
	}
	s.slab = append(s.slab, terminal{id: id, sig: number, polls: sig.Flags&archive.Polls != 0})
	t := &s.slab[len(s.slab)-1]
	t.class = s.classOf(classKey{sig.Func, sig.Site, t.polls})
	specs := sig.Columns()
	t.cols = make([]*column.Builder, len(specs))
	f := spec.ByID(sig.Func)
	t.own = f.Own()
	for i := 0; i < len(specs); {
		c := specs[i]
		if c.Slot < 0 {
			i++
			continue
		}
		sl := &f.Slots[c.Slot]
		sc := slotColumns{first: i, fields: sl.Fields(), array: c.Array}
		if c.Array {
			sc.first++
		}
		switch sl.Codec {
		case spec.String, spec.StringArray, spec.StringArray2:
			sc.text = true
		}
		t.slots = append(t.slots, sc)
		if sc.array {
			t.fixed = -1
		} else if t.fixed >= 0 {
			t.fixed += sc.fields
		}
		i = sc.first + sc.fields
	}
	return t
}

// number is t's entry in stream.terms.
func (t *terminal) number() uint32 {
	if len(t.cols) == 0 && !t.polls && !t.own {
		return (t.id + 1) | bare
	}
	return t.id + 1
}

// fits reports whether vals are the values of one event of t.
func (t *terminal) fits(vals []int64) bool {
	if t.fixed >= 0 {
		return len(vals) == t.fixed
	}
	for i := range t.slots {
		sl := &t.slots[i]
		n := 1
		if sl.array {
			if len(vals) == 0 {
				return false
			}
			n = int(max(0, vals[0]))
			vals = vals[1:]
		}
		if n > len(vals) || n*sl.fields > len(vals) {
			return false
		}
		vals = vals[n*sl.fields:]
	}
	return len(vals) == 0
}

// data encodes the stream for an archive; the stream goes on unchanged.
// tick is called now and then.
func (s *stream) data(thread int, tick func()) (archive.StreamData, error) {
	g := s.g.Grammar()
	if s.run != nil {
		// The run must not end here for good: more of it may come.
		b, err := grammar.Restore(g)
		if err != nil {
			panic(err) // our own grammar
		}
		b.Append(s.run.id)
		g = b.Grammar()
	}
	d := archive.StreamData{Thread: thread, Calls: s.calls, Grammar: g}
	for _, t := range s.list {
		tick()
		d.Signatures = append(d.Signatures, s.syms.Signature(t.sig))
		d.Columns = append(d.Columns, s.encodeColumns(t))
	}
	names := s.syms.Strings()
	for _, n := range s.strings {
		d.Strings = append(d.Strings, names[n])
	}
	var err error
	if s.timing != nil {
		d.Timing, err = s.times(g)
	}
	tick()
	return d, err
}

// encodeColumns encodes the columns of t, with those of the run of polls that has not ended.
func (s *stream) encodeColumns(t *terminal) [][]byte {
	cols := t.cols
	if s.run == t {
		with := &stream{
			syms:    s.syms,
			run:     t,
			runN:    s.runN,
			held:    s.held,
			g:       grammar.NewBuilder(),
			strs:    s.strs,
			strings: s.strings,
		}
		copied := *t
		copied.cols = make([]*column.Builder, len(cols))
		for i, c := range cols {
			copied.cols[i] = cloneColumn(c)
		}
		with.run = &copied
		with.flush()
		s.strs, s.strings = with.strs, with.strings
		cols = copied.cols
	}
	enc := make([][]byte, 0, len(cols))
	for _, c := range cols {
		enc = append(enc, c.Encode(nil))
	}
	return enc
}

func cloneColumn(c *column.Builder) *column.Builder {
	d, err := column.Restore(c.Encode(nil))
	if err != nil {
		panic(err) // our own encoding
	}
	return d
}
