package replay

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// value is what a slot holds, as numbers: one for an integer, a float, or a reference (its code),
// three for an address (class, segment, offset), four for a status (source, tag, bytes, error |
// cancelled << 32), one for a string (its number in the program). Elements of an array follow one
// another; of a list of lists, each begins with its length.
type value struct {
	absent   bool
	sentinel int64 // of a archive.Sentinel, else 0
	raw      []int64
}

// width is how many numbers one value of a slot takes.
func width(s *spec.Slot) int {
	switch s.Codec {
	case spec.Address, spec.Displacement:
		return 3
	case spec.Status:
		return 4
	}
	return 1
}

// one is a value that is no array, 0 if absent.
func (v *value) one() int64 {
	if len(v.raw) == 0 {
		return 0
	}
	return v.raw[0]
}

// static turns a value of a signature into numbers.
func (t *tables) static(s *spec.Slot, v *archive.Value) (value, error) {
	var out value
	switch v.Kind {
	case archive.Absent:
		out.absent = true
	case archive.Sentinel:
		out.sentinel = v.N
	case archive.Ints:
		if width(s) == 3 {
			for _, n := range v.Ints {
				out.raw = append(out.raw, 0, 0, n)
			}
		} else {
			out.raw = v.Ints
		}
	case archive.List:
		for i := range v.List {
			e := &v.List[i]
			if e.Kind == archive.List {
				out.raw = append(out.raw, int64(len(e.List)))
				for k := range e.List {
					out.raw = t.appendStatic(out.raw, &e.List[k])
				}
				continue
			}
			out.raw = t.appendStatic(out.raw, e)
		}
		if n := width(s); n > 1 && len(out.raw) != n*len(v.List) {
			return out, fmt.Errorf("a list of %d numbers for %d values", len(out.raw), len(v.List))
		}
	default:
		out.raw = t.appendStatic(nil, v)
		if len(out.raw) != width(s) && !(s.Codec == spec.Displacement && v.Kind == archive.Int) {
			return out, fmt.Errorf("a value of kind %d where %d numbers are expected", v.Kind, width(s))
		}
		if len(out.raw) == 1 && width(s) == 3 {
			out.raw = []int64{0, 0, out.raw[0]}
		}
	}
	return out, nil
}

func (t *tables) appendStatic(dst []int64, v *archive.Value) []int64 {
	switch v.Kind {
	case archive.Int, archive.Float, archive.Ref:
		return append(dst, v.N)
	case archive.Addr:
		return append(dst, int64(v.Mem), int64(v.Seg), v.N)
	case archive.Str:
		return append(dst, int64(t.str(v.Str)))
	case archive.Stat:
		return append(dst, int64(v.Stat.Source), int64(v.Stat.Tag), v.Stat.Bytes,
			statusWord(v.Stat.Error, v.Stat.Cancelled))
	}
	return dst
}

func statusWord(err int32, cancelled bool) int64 {
	w := int64(uint32(err))
	if cancelled {
		w |= 1 << 32
	}
	return w
}

// appendAddress appends class, segment and offset of a word of a column.
func appendAddress(dst []int64, word int64) []int64 {
	v := archive.AddressOf(word)
	return append(dst, int64(v.Mem), int64(v.Seg), v.N)
}

// column reads a column from its beginning.
type column struct {
	col  *archive.Column
	buf  []int64
	at   int
	from uint64
	name string
}

func (c *column) next() (int64, error) {
	if c.at < len(c.buf) {
		c.at++
		return c.buf[c.at-1], nil
	}
	if c.buf == nil {
		c.buf = make([]int64, min(512, max(c.col.Len(), 1)))
	}
	c.buf = c.buf[:cap(c.buf)]
	n := c.col.Read(c.from, c.buf)
	if err := c.col.Err(); err != nil {
		return 0, fmt.Errorf("%s: value %d: %w", c.name, c.from, err)
	}
	if n == 0 {
		return 0, fmt.Errorf("%s: %d values, but one more is needed", c.name, c.col.Len())
	}
	c.buf, c.at = c.buf[:n], 1
	c.from += uint64(n)
	return c.buf[0], nil
}

// maxElements bounds arrays, which a broken file may pretend to be of any length.
const maxElements = 1 << 27

// reader reads the values of a slot that are in columns.
type reader struct {
	slot    int
	codec   spec.Codec
	length  *column // of an array
	fields  []*column
	strings []int64 // numbers in the program of the stream's strings
}

// read sets v to the next value.
func (r *reader) read(v *value) error {
	n := int64(1)
	if r.length != nil {
		var err error
		if n, err = r.length.next(); err != nil {
			return err
		}
		if n < 0 || n > maxElements {
			return fmt.Errorf("%s: an array of %d elements", r.length.name, n)
		}
	}
	v.raw = v.raw[:0]
	for range n {
		for _, f := range r.fields {
			w, err := f.next()
			if err != nil {
				return err
			}
			switch r.codec {
			case spec.Address, spec.Displacement:
				v.raw = appendAddress(v.raw, w)
			case spec.String:
				if w < 0 || w >= int64(len(r.strings)) {
					return fmt.Errorf("%s: string %d does not exist (there are %d)", f.name, w, len(r.strings))
				}
				v.raw = append(v.raw, r.strings[w])
			default:
				v.raw = append(v.raw, w)
			}
		}
	}
	return nil
}

// reader opens the columns of a slot of a terminal.
func (l *lowering) reader(t uint32, slot int) (*reader, error) {
	f := spec.ByID(l.sigs[t].Func)
	s := &f.Slots[slot]
	open := func(field int) (*column, error) {
		c, err := l.s.Column(t, slot, field)
		if err == nil && c == nil {
			err = fmt.Errorf("%s.%s has no column", f.Name, archive.SlotName(f, s))
		}
		return &column{col: c, name: f.Name + "." + archive.SlotName(f, s)}, err
	}
	r := &reader{slot: slot, codec: s.Codec, strings: l.strings}
	var err error
	if s.Array {
		if r.length, err = open(-1); err != nil {
			return nil, err
		}
	}
	for k := range s.Fields() {
		c, err := open(k)
		if err != nil {
			return nil, err
		}
		r.fields = append(r.fields, c)
	}
	return r, nil
}
