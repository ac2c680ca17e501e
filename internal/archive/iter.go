package archive

import (
	"fmt"
	"iter"
	"unsafe"

	"github.com/tabard-hpc/tabard/internal/codec/grammar"
	"github.com/tabard-hpc/tabard/spec"
)

// Iter yields the calls of the stream from call number from on. It expands nothing: it walks the
// grammar and reads columns along with it, so that memory does not grow with the number of calls.
// The yielded call is reused, so clone what you keep. After an error the iteration ends.
func (s *Stream) Iter(from uint64) iter.Seq2[*Call, error] { return s.iter(from, nil, true) }

// IterAll is Iter from the first call on for those that need each of them: it ends with an error if that takes hours
// (Hopeless).
func (s *Stream) IterAll() iter.Seq2[*Call, error] {
	return func(yield func(*Call, error) bool) {
		all := s.Calls()
		for c, err := range s.Iter(0) {
			if err == nil {
				err = s.a.Hopeless(c.Index, all-c.Index)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}

// iter is Iter without what is in columns of slots that reads, unless it is nil, does not ask for; without times unless
// timed is set.
func (s *Stream) iter(
	from uint64, reads func(terminal uint32, slot int) bool, timed bool,
) iter.Seq2[*Call, error] {
	return func(yield func(*Call, error) bool) {
		r, err := s.newReader()
		if err == nil {
			if r.reads = reads; !timed {
				r.timing = nil
			}
		}
		if err == nil && from >= r.l.call {
			return
		}
		if err == nil {
			err = r.seek(from)
		}
		for err == nil {
			var more bool
			if more, err = r.next(); !more || err != nil {
				break
			}
			if !yield(&r.call, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// CallAt returns call i. For several calls in a row use Iter.
func (s *Stream) CallAt(i uint64) (*Call, error) {
	if l, err := s.open(); err != nil {
		return nil, err
	} else if i >= l.call {
		return nil, fmt.Errorf("call %d does not exist: the stream has %d", i, l.call)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.random == nil {
		r, err := s.newReader()
		if err != nil {
			return nil, err
		}
		s.random = r
	}
	r := s.random
	if err := r.seek(i); err != nil {
		return nil, err
	}
	if more, err := r.next(); err != nil {
		return nil, err
	} else if !more {
		return nil, r.fail("call %d is missing", i)
	}
	return r.call.Clone(), nil
}

// maxEnding is how many calls Ending yields. Those that did not return are in each other, and not so deep.
const maxEnding = 1 << 16

// Ending yields the calls at the end, the last one first, for who looks for the one that was not returned from: a
// damaged file may claim any number of such calls, so that those before some thousands are left out.
func (s *Stream) Ending() iter.Seq2[*Call, error] {
	return func(yield func(*Call, error) bool) {
		n := s.Calls()
		for i := range min(n, maxEnding) {
			c, err := s.CallAt(n - 1 - i)
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// reader walks the calls of a stream.
type reader struct {
	s      *Stream
	l      *layout
	sigs   []*Signature // of the terminals, nil before the first call
	sites  []Site       // as sigs
	line   timeline
	cursor *grammar.Cursor
	timing *Timing
	cols   []*colReader // by place in l.Columns; nil if not opened yet

	occ      []uint64 // occurrences of each terminal before the next event
	index    uint64   // of the next call
	pollLeft uint64   // further calls of the current run of polls
	skip     uint64   // calls of the next run of polls that are to be skipped
	call     Call
	slots    []Value                              // for calls with values in columns
	reads    func(terminal uint32, slot int) bool // see OnlySlots; nil for all
	before   uint64                               // see OnlySlots; 0 for all
	into     func() *[]Value                      // see OnlyInto; nil for slots
}

func (s *Stream) newReader() (*reader, error) {
	l, err := s.open()
	if err != nil {
		return nil, err
	}
	r := &reader{
		s:      s,
		l:      l,
		cursor: l.x.NewCursor(),
		cols:   make([]*colReader, len(l.Columns)),
		occ:    make([]uint64, len(l.tms)),
	}
	if r.timing, err = s.Timing(); err != nil {
		return nil, err
	}
	if r.timing != nil {
		r.line = s.a.timeline(s.Rank())
	}
	return r, nil
}

func (r *reader) fail(format string, args ...any) error {
	return r.s.a.broken("columns", -1, "stream %d: %s", r.s.index, fmt.Sprintf(format, args...))
}

// seek makes call i the next one.
func (r *reader) seek(i uint64) error {
	if i == r.index {
		return nil
	}
	event, inside, before, err := r.s.locate(r.l, i)
	if err != nil {
		return err
	}
	r.cursor.Seek(event)
	r.occ = before
	r.index, r.pollLeft, r.skip = i, 0, inside
	for _, c := range r.cols {
		if c != nil {
			c.array, c.next = false, 0 // the position follows from a sum
		}
	}
	return nil
}

// next makes r.call the next call; false at the end of the stream.
func (r *reader) next() (bool, error) {
	if r.pollLeft > 0 {
		r.pollLeft--
		return true, r.finish()
	}
	t, ok := r.cursor.Next()
	if !ok {
		if r.index != r.l.call {
			return false, r.fail("%d calls instead of %d", r.index, r.l.call)
		}
		return false, nil
	}
	if err := r.event(t); err != nil {
		return false, err
	}
	return true, r.finish()
}

// finish sets number and times of r.call.
func (r *reader) finish() error {
	if r.index >= r.l.call {
		return r.fail("more than %d calls", r.l.call)
	}
	c := &r.call
	c.Index = r.index
	r.index++
	if r.timing != nil {
		c.Timed = true
		c.StartTicks, c.EndTicks = r.timing.At(c.Index)
		if err := r.timing.Err(); err != nil {
			return r.s.a.broken("timing", -1, "stream %d, call %d: %v", r.s.index, c.Index, err)
		}
		c.Start, c.End = r.line.at(c.StartTicks), r.line.at(c.EndTicks)
	}
	return nil
}

// fill sets the values of occurrence k of a terminal that are in columns,
// which begin at place.
func (r *reader) fill(sig *Signature, place uint32, k uint64) error {
	if sig.Flags&Polls != 0 {
		n, err := r.value(place, k)
		if err != nil {
			return err
		}
		if n < 1 || uint64(n) <= r.skip {
			return r.fail("a run of %d polls", n)
		}
		r.pollLeft = uint64(n) - 1 - r.skip
		place++
	}
	r.skip = 0
	if r.into != nil {
		all := r.into()
		*all = append(*all, sig.Slots...)
		r.slots = (*all)[len(*all)-len(sig.Slots) : len(*all) : len(*all)]
	} else {
		r.slots = append(r.slots[:0], sig.Slots...)
	}
	r.call.Slots = r.slots
	for i := range sig.Slots {
		if sig.Slots[i].Kind != Hole {
			continue
		}
		slot := &r.call.Func.Slots[i]
		if r.reads != nil && !r.reads(r.call.Terminal, i) {
			place += uint32(slot.Fields())
			if slot.Array {
				place++
			}
			continue
		}
		if slot.Codec == spec.Int && !slot.Array { // most are such
			n, err := r.value(place, k)
			if err != nil {
				return err
			}
			r.slots[i].Kind, r.slots[i].N = Int, n
			place++
			continue
		}
		v, used, err := r.hole(slot, place, k)
		if err != nil {
			return err
		}
		v.Ignored = sig.Slots[i].Ignored
		r.slots[i] = v
		place += used
	}
	return nil
}

// hole reads the value of a slot from the columns at place, of which it uses
// used.
func (r *reader) hole(slot *spec.Slot, place uint32, k uint64) (v Value, used uint32, err error) {
	fields := uint32(slot.Fields())
	var words [4]int64
	if !slot.Array {
		for f := range fields {
			if words[f], err = r.value(place+f, k); err != nil {
				return v, 0, err
			}
		}
		v, err = r.element(slot, &words)
		return v, fields, err
	}
	n, from, err := r.extent(place, k)
	if err != nil {
		return v, 0, err
	}
	if n > uint64(r.s.a.maxSection)/uint64(unsafe.Sizeof(v)) {
		return v, 0, &FormatError{File: r.s.a.file, Section: "columns", Offset: -1, Hint: hintLimit,
			Msg: fmt.Sprintf("an array of %d elements takes more memory than allowed", n)}
	}
	v, err = r.array(slot, place+1, from, n)
	return v, fields + 1, err
}

// array reads n elements that begin at index from of their columns.
func (r *reader) array(slot *spec.Slot, place uint32, from, n uint64) (Value, error) {
	var words [4]int64
	var list []Value
	var ints []int64
	plain := slot.Codec == spec.Int || slot.Codec == spec.Displacement
	if room := min(n, 64); plain { // grows with what is really there
		ints = make([]int64, 0, room)
	} else if room > 0 {
		list = make([]Value, 0, room)
	}
	for i := range n {
		for f := range slot.Fields() {
			w, err := r.value(place+uint32(f), from+i)
			if err != nil {
				return Value{}, err
			}
			words[f] = w
		}
		v, err := r.element(slot, &words)
		if err != nil {
			return Value{}, err
		}
		if plain && v.Kind == Addr && v.Mem != Literal {
			// Displacements are plain integers unless one of them is an address.
			plain = false
			for _, x := range ints {
				list = append(list, Value{Kind: Addr, N: x})
			}
		}
		if plain {
			ints = append(ints, v.N)
		} else {
			list = append(list, v)
		}
	}
	if plain {
		return Value{Kind: Ints, Ints: ints}, nil
	}
	return Value{Kind: List, List: list}, nil
}

// element makes a value, or an element of an array, from its words in columns.
func (r *reader) element(slot *spec.Slot, w *[4]int64) (Value, error) {
	switch slot.Codec {
	case spec.Int:
		return Value{Kind: Int, N: w[0]}, nil
	case spec.Float:
		return Value{Kind: Float, N: w[0]}, nil
	case spec.Handle:
		if w[0] < 0 {
			return Value{}, r.fail("reference %d is out of range", w[0])
		}
		return Value{Kind: Ref, Class: slot.Class, N: w[0]}, nil
	case spec.Address, spec.Displacement:
		return AddressOf(w[0]), nil
	case spec.String:
		s, err := r.s.str(r.l, w[0])
		return Value{Kind: Str, Str: s}, err
	case spec.Status:
		st := Status{Source: int32(w[StatusSource]), Tag: int32(w[StatusTag]), Bytes: w[StatusBytes],
			Error: int32(w[StatusError]), Cancelled: w[StatusError]>>32 != 0}
		if int64(st.Source) != w[StatusSource] || int64(st.Tag) != w[StatusTag] {
			return Value{}, r.fail("status of source %d, tag %d is out of range", w[StatusSource], w[StatusTag])
		}
		return Value{Kind: Stat, Stat: st}, nil
	}
	return Value{}, r.fail("a parameter of codec %d cannot be in columns", slot.Codec)
}

// AddressOf decodes a segment word of a column: bits 60..63 class, 40..59 segment and
// 0..39 offset, or, for Literal and RawMem, 0..59 the value.
func AddressOf(word int64) Value {
	w := uint64(word)
	v := Value{Kind: Addr, Mem: Mem(w >> 60)}
	seg, off := uint32(w>>40&0xfffff), int64(w&(1<<40-1))
	switch v.Mem {
	case Literal:
		v.N = int64(w<<4) >> 4
	case Heap, Static:
		v.Seg, v.N = seg, off
	case Stack:
		v.Seg, v.N = seg, off<<24>>24
	default:
		v.Mem, v.N = RawMem, int64(w&(1<<60-1))
	}
	return v
}

// colReader reads a column mostly forwards.
type colReader struct {
	col   *Column
	buf   []int64
	from  uint64 // index of buf[0]
	array bool   // of elements: from follows from the lengths before
	next  uint64 // for array: where the elements of the next occurrence begin
}

// column opens the column at place.
func (r *reader) column(place uint32) (*colReader, error) {
	if c := r.cols[place]; c != nil {
		return c, nil
	}
	col, err := r.s.openColumnBefore(r.l, place, r.before)
	if err != nil {
		return nil, err
	}
	c := &colReader{col: col}
	r.cols[place] = c
	return c, nil
}

// value is value k of the column at place.
func (r *reader) value(place uint32, k uint64) (int64, error) {
	c, err := r.column(place)
	if err != nil {
		return 0, err
	}
	if k-c.from < uint64(len(c.buf)) {
		return c.buf[k-c.from], nil
	}
	if k >= c.col.Len() {
		return 0, r.s.broken(r.l, place, "%d values, but one more is needed", c.col.Len())
	}
	// The buffer grows while reading goes on forwards: many columns are short.
	n := 1
	if k == c.from+uint64(len(c.buf)) {
		n = min(2*len(c.buf)+1, 512)
	}
	if cap(c.buf) < n {
		c.buf = make([]int64, n)
	}
	c.buf = c.buf[:n]
	c.from = k
	c.buf = c.buf[:c.col.Read(k, c.buf)]
	if err := c.col.Err(); err != nil || len(c.buf) == 0 {
		c.buf = nil
		return 0, r.s.broken(r.l, place, "unreadable at value %d: %v", k, err)
	}
	return c.buf[0], nil
}

// extent is the number of elements of occurrence k of an array, whose column of
// lengths is at place, and where they begin in the columns of elements.
func (r *reader) extent(place uint32, k uint64) (n, from uint64, err error) {
	v, err := r.value(place, k)
	if err != nil {
		return 0, 0, err
	}
	if v < 0 {
		return 0, 0, r.fail("an array of %d elements", v)
	}
	c := r.cols[place]
	if !c.array && k > 0 {
		if c.next, err = r.s.sumMin(r.l, place, k, 0); err != nil {
			return 0, 0, err
		}
	}
	c.array = true
	from = c.next
	c.next += uint64(v)
	return uint64(v), from, nil
}
