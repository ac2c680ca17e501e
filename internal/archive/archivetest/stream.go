package archivetest

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/column"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
	"github.com/tabard-hpc/tabard/internal/codec/timing"
	"github.com/tabard-hpc/tabard/spec"
)

// Call is a call to be put into a stream.
type Call struct {
	Sig archive.Signature
	// Holes are the values of the slots that are Hole in Sig; whether they are Ignored, Sig says.
	Holes      []archive.Value
	Run        uint64 // length of a run of polls; else 1
	Start, End uint64 // in ticks; further polls of a run follow 100 ticks apart
}

// Stream encodes calls as an archive has them.
type Stream struct {
	terminals map[string]uint32
	sigs      []*archive.Signature
	columns   [][]*column.Builder
	strings   []string
	numbers   map[string]int64
	grammar   *grammar.Builder
	timing    *timing.Builder
	calls     uint64
}

// NewStream returns an empty stream.
func NewStream() *Stream {
	return &Stream{
		terminals: map[string]uint32{},
		numbers:   map[string]int64{},
		grammar:   grammar.NewBuilder(),
		timing:    timing.NewLossless(),
	}
}

// Calls is the number of calls so far.
func (s *Stream) Calls() uint64 { return s.calls }

// Add appends a call.
func (s *Stream) Add(c *Call) error {
	key := string(c.Sig.Append(nil))
	t, ok := s.terminals[key]
	if !ok {
		t = uint32(len(s.sigs))
		s.terminals[key] = t
		own, err := archive.ParseSignature([]byte(key)) // as a file would have it
		if err != nil {
			return err
		}
		s.sigs = append(s.sigs, own)
		cols := make([]*column.Builder, len(c.Sig.Columns()))
		for i := range cols {
			cols[i] = column.NewBuilder()
		}
		s.columns = append(s.columns, cols)
	}
	s.grammar.Append(t)
	for i := range c.Run {
		s.timing.Append(c.Start+100*i, c.End+100*i, 0)
	}
	s.calls += c.Run
	cols := s.columns[t]
	if c.Sig.Flags&archive.Polls != 0 {
		cols[0].Append(int64(c.Run))
		cols = cols[1:]
	}
	f := spec.ByID(c.Sig.Func)
	for i := range c.Sig.Slots {
		if c.Sig.Slots[i].Kind != archive.Hole {
			continue
		}
		n, err := s.hole(&f.Slots[i], &c.Holes[i], cols)
		if err != nil {
			return fmt.Errorf("%s: %w", archive.SlotName(f, &f.Slots[i]), err)
		}
		cols = cols[n:]
	}
	return nil
}

// hole appends a value to its columns, the first ones of cols.
func (s *Stream) hole(slot *spec.Slot, v *archive.Value, cols []*column.Builder) (int, error) {
	elements := []archive.Value{*v}
	first := 0
	if slot.Array {
		switch v.Kind {
		case archive.List:
			elements = v.List
		case archive.Ints:
			elements = nil
			for _, x := range v.Ints {
				elements = append(elements, archive.Value{Kind: archive.Int, N: x})
			}
		default:
			return 0, fmt.Errorf("a value of kind %d is no array", v.Kind)
		}
		cols[0].Append(int64(len(elements)))
		first = 1
	}
	fields := slot.Fields()
	for _, e := range elements {
		if slot.Codec == spec.Displacement && e.Kind == archive.Int {
			e = archive.Value{Kind: archive.Addr, N: e.N}
		}
		words, err := s.words(&e)
		if err != nil {
			return 0, err
		}
		for k := range fields {
			cols[first+k].Append(words[k])
		}
	}
	return first + fields, nil
}

func (s *Stream) words(v *archive.Value) (w [4]int64, err error) {
	switch v.Kind {
	case archive.Int, archive.Float, archive.Ref:
		w[0] = v.N
	case archive.Addr:
		w[0] = segWord(v)
	case archive.Str:
		n, ok := s.numbers[v.Str]
		if !ok {
			n = int64(len(s.strings))
			s.numbers[v.Str] = n
			s.strings = append(s.strings, v.Str)
		}
		w[0] = n
	case archive.Stat:
		w = [4]int64{int64(v.Stat.Source), int64(v.Stat.Tag), v.Stat.Bytes, int64(uint32(v.Stat.Error))}
		if v.Stat.Cancelled {
			w[3] |= 1 << 32
		}
	default:
		return w, fmt.Errorf("a value of kind %d cannot be in a column", v.Kind)
	}
	return w, nil
}

// segWord codes an address as a segment word.
func segWord(v *archive.Value) int64 {
	switch v.Mem {
	case archive.Literal, archive.RawMem:
		return int64(uint64(v.Mem)<<60 | uint64(v.N)&(1<<60-1))
	}
	return int64(uint64(v.Mem)<<60 | uint64(v.Seg&0xfffff)<<40 | uint64(v.N)&(1<<40-1))
}

// Data is the stream as merge.Part takes it.
func (s *Stream) Data(thread int, timed bool) archive.StreamData {
	d := archive.StreamData{
		Thread:     thread,
		Calls:      s.calls,
		Signatures: s.sigs,
		Grammar:    s.grammar.Grammar(),
		Strings:    s.strings,
	}
	for _, cols := range s.columns {
		var encoded [][]byte
		for _, c := range cols {
			encoded = append(encoded, c.Encode(nil))
		}
		d.Columns = append(d.Columns, encoded)
	}
	if timed {
		d.Timing = s.timing.Encode(nil, nil)
	}
	return d
}
