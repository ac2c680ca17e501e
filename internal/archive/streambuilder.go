package archive

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/codec/column"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
	"github.com/tabard-hpc/tabard/spec"
)

// A StreamBuilder makes the data of a stream from its calls.
type StreamBuilder struct {
	terminals map[string]uint32
	sigs      []*Signature
	columns   [][]*column.Builder
	strings   []string
	numbers   map[string]int64
	grammar   *grammar.Builder
	calls     uint64
}

// NewStreamBuilder returns a builder of an empty stream.
func NewStreamBuilder() *StreamBuilder {
	return &StreamBuilder{terminals: map[string]uint32{}, numbers: map[string]int64{}, grammar: grammar.NewBuilder()}
}

// Calls is the number of calls so far.
func (s *StreamBuilder) Calls() uint64 { return s.calls }

// Terminal is the number of the terminal with a signature.
func (s *StreamBuilder) Terminal(sig *Signature) (uint32, error) {
	key := string(sig.Append(nil))
	if t, known := s.terminals[key]; known {
		return t, nil
	}
	own, err := ParseSignature([]byte(key)) // as a file would have it
	if err != nil {
		return 0, err
	}
	t := uint32(len(s.sigs))
	s.terminals[key] = t
	s.sigs = append(s.sigs, own)
	cols := make([]*column.Builder, len(own.Columns()))
	for i := range cols {
		cols[i] = column.NewBuilder()
	}
	s.columns = append(s.columns, cols)
	return t, nil
}

// Add appends a call, or a run of so many polls. Values are those of the slots; the signature has all but its holes.
func (s *StreamBuilder) Add(terminal uint32, values []Value, run uint64) error {
	sig, cols := s.sigs[terminal], s.columns[terminal]
	s.grammar.Append(terminal)
	s.calls += run
	if sig.Flags&Polls != 0 {
		cols[0].Append(int64(run))
		cols = cols[1:]
	}
	f := spec.ByID(sig.Func)
	for i := range sig.Slots {
		if sig.Slots[i].Kind != Hole {
			continue
		}
		n, err := s.hole(&f.Slots[i], &values[i], cols)
		if err != nil {
			return fmt.Errorf("%s: %w", SlotName(f, &f.Slots[i]), err)
		}
		cols = cols[n:]
	}
	return nil
}

// hole appends a value to its columns, the first ones of cols.
func (s *StreamBuilder) hole(slot *spec.Slot, v *Value, cols []*column.Builder) (int, error) {
	elements := []Value{*v}
	first := 0
	if slot.Array {
		switch v.Kind {
		case List:
			elements = v.List
		case Ints:
			elements = nil
			for _, x := range v.Ints {
				elements = append(elements, Value{Kind: Int, N: x})
			}
		default:
			return 0, fmt.Errorf("a value of kind %d is no array", v.Kind)
		}
		cols[0].Append(int64(len(elements)))
		first = 1
	}
	fields := slot.Fields()
	for _, e := range elements {
		if slot.Codec == spec.Displacement && e.Kind == Int {
			e = Value{Kind: Addr, N: e.N}
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

func (s *StreamBuilder) words(v *Value) (w [4]int64, err error) {
	switch v.Kind {
	case Int, Float, Ref:
		w[0] = v.N
	case Addr:
		w[0] = segWord(v)
	case Str:
		n, ok := s.numbers[v.Str]
		if !ok {
			n = int64(len(s.strings))
			s.numbers[v.Str] = n
			s.strings = append(s.strings, v.Str)
		}
		w[0] = n
	case Stat:
		w = [4]int64{int64(v.Stat.Source), int64(v.Stat.Tag), v.Stat.Bytes, int64(uint32(v.Stat.Error))}
		if v.Stat.Cancelled {
			w[3] |= 1 << 32
		}
	default:
		return w, fmt.Errorf("a value of kind %d cannot be in a column", v.Kind)
	}
	return w, nil
}

// segWord codes an address as a segment word: see AddressOf.
func segWord(v *Value) int64 {
	switch v.Mem {
	case Literal, RawMem:
		return int64(uint64(v.Mem)<<60 | uint64(v.N)&(1<<60-1))
	}
	return int64(uint64(v.Mem)<<60 | uint64(v.Seg&0xfffff)<<40 | uint64(v.N)&(1<<40-1))
}

// Data is the stream of a thread, without times.
func (s *StreamBuilder) Data(thread int) StreamData {
	d := StreamData{Thread: thread, Calls: s.calls, Signatures: s.sigs, Grammar: s.grammar.Grammar(),
		Strings: s.strings}
	for _, cols := range s.columns {
		var encoded [][]byte
		for _, c := range cols {
			encoded = append(encoded, c.Encode(nil))
		}
		d.Columns = append(d.Columns, encoded)
	}
	return d
}
