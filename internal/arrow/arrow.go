// Package arrow writes tables as files of Apache Arrow's IPC format ("Feather 2"), uncompressed, so that readers map
// them. Columns are integers of 32 and 64 bits, truth values, and texts, which are dictionaries.
//
// Dictionaries grow with the rows and stand behind them: a file is found from its footer, so readers load them first.
// The layout is that of version 1.0 of the format (MetadataVersion V5).
package arrow

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// batchRows is how many rows a record batch has: they are in memory until it is written.
const batchRows = 1 << 16

// Magic begins and ends files.
const Magic = "ARROW1"

// Kinds of columns.
type kind uint8

const (
	kindInt32 kind = iota
	kindInt64
	kindBool
	kindText
	kindFloat64
)

// column is a column with the rows of the batch.
type column struct {
	name     string
	kind     kind
	offset   uintptr // of the field
	optional bool

	data  []byte
	valid []byte // bits, of optional ones
	nulls int

	numbers map[string]int32 // of texts
	texts   []string
	recent  [256]recent
}

// block is where a message lies in the file.
type block struct {
	at    int64
	meta  int32
	body  int64
	batch bool
}

// Writer writes rows of a struct type. Its fields are int32, int64, float64, bool, string, or pointers to the numbers;
// the first part of their tag names the columns.
type Writer[T any] struct {
	w      io.Writer
	at     int64
	cols   []*column
	rows   int
	blocks []block
	err    error
}

// NewWriter begins a file. tag is the key of the struct tags that name the columns.
func NewWriter[T any](w io.Writer, tag string) *Writer[T] {
	x := &Writer[T]{w: w}
	t := reflect.TypeFor[T]()
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get(tag), ",")
		c := &column{name: name, offset: f.Offset}
		typ := f.Type
		if c.optional = typ.Kind() == reflect.Pointer; c.optional {
			typ = typ.Elem()
		}
		if c.optional && typ.Kind() != reflect.Int32 && typ.Kind() != reflect.Int64 &&
			typ.Kind() != reflect.Float64 {
			panic(fmt.Sprintf("arrow: a column of %s", f.Type))
		}
		switch typ.Kind() {
		case reflect.Int32:
			c.kind = kindInt32
		case reflect.Int64:
			c.kind = kindInt64
		case reflect.Float64:
			c.kind = kindFloat64
		case reflect.Bool:
			c.kind = kindBool
		case reflect.String:
			c.kind, c.numbers = kindText, map[string]int32{}
		default:
			panic(fmt.Sprintf("arrow: a column of %s", f.Type))
		}
		x.cols = append(x.cols, c)
	}
	x.write([]byte(Magic + "\x00\x00"))
	x.message(headerSchema, func(f *flat) int { return x.schema(f) }, nil, nil)
	return x
}

func (x *Writer[T]) write(b []byte) {
	if x.err != nil {
		return
	}
	_, x.err = x.w.Write(b)
	x.at += int64(len(b))
}

// Write appends rows.
func (x *Writer[T]) Write(rows []T) (int, error) {
	for rest := rows; len(rest) > 0; {
		n := min(len(rest), batchRows-x.rows)
		for _, c := range x.cols {
			c.add(&field{unsafe.Pointer(&rest[0]), c.offset, unsafe.Sizeof(rest[0])}, x.rows, n)
		}
		if x.rows += n; x.rows == batchRows {
			x.flush()
		}
		rest = rest[n:]
	}
	return len(rows), x.err
}

// field is a field of a struct in a slice of them, of the type that its column was made for.
type field struct {
	first        unsafe.Pointer // the first struct
	offset, size uintptr        // of the field, and of a struct
}

// at is where the field of the struct number i is.
func (f *field) at(i int) unsafe.Pointer { return unsafe.Add(f.first, uintptr(i)*f.size+f.offset) }

// add appends the values of n rows, of which the first is row number row of the batch. A column at a time: that is a
// short loop over one kind of value, where rows of all columns would ask for the kind at each value.
func (c *column) add(f *field, row, n int) {
	switch {
	case c.kind == kindBool:
		c.data = addBits(c.data, row, n, func(i int) bool { return *(*bool)(f.at(i)) })
	case c.kind == kindText:
		for i, b := range words[uint32](&c.data, n) {
			binary.LittleEndian.PutUint32(b, uint32(c.number(*(*string)(f.at(i)))))
		}
	case c.optional:
		c.addOptional(f, row, n)
	case c.kind == kindInt32:
		for i, b := range words[uint32](&c.data, n) {
			binary.LittleEndian.PutUint32(b, *(*uint32)(f.at(i)))
		}
	case c.kind == kindInt64 || c.kind == kindFloat64:
		for i, b := range words[uint64](&c.data, n) {
			binary.LittleEndian.PutUint64(b, *(*uint64)(f.at(i)))
		}
	}
}

// addOptional appends numbers that may be absent.
func (c *column) addOptional(f *field, row, n int) {
	c.valid = addBits(c.valid, row, n, func(i int) bool {
		there := *(*unsafe.Pointer)(f.at(i)) != nil
		if !there {
			c.nulls++
		}
		return there
	})
	if c.kind == kindInt32 {
		for i, b := range words[uint32](&c.data, n) {
			v := uint32(0)
			if p := *(**uint32)(f.at(i)); p != nil {
				v = *p
			}
			binary.LittleEndian.PutUint32(b, v)
		}
		return
	}
	for i, b := range words[uint64](&c.data, n) {
		v := uint64(0)
		if p := *(**uint64)(f.at(i)); p != nil {
			v = *p
		}
		binary.LittleEndian.PutUint64(b, v)
	}
}

// words makes room for n numbers behind data, and yields the room of each.
func words[T uint32 | uint64](data *[]byte, n int) iter.Seq2[int, []byte] {
	size := int(unsafe.Sizeof(T(0)))
	room := len(*data)
	*data = slices.Grow(*data, n*size)[:room+n*size]
	return func(yield func(int, []byte) bool) {
		for i, b := 0, (*data)[room:]; i < n && yield(i, b[:size]); i++ {
			b = b[size:]
		}
	}
}

// addBits appends n bits to those of the rows before row.
func addBits(bits []byte, row, n int, set func(i int) bool) []byte {
	for i := range n {
		k := row + i
		if k&7 == 0 {
			bits = append(bits, 0)
		}
		if set(i) {
			bits[k>>3] |= 1 << (k & 7)
		}
	}
	return bits
}

// recent is a text that was asked for, by where it lies in memory: rows mostly have the same few texts.
type recent struct {
	at     *byte
	n      int
	number int32
}

// number is the place of a text in the dictionary.
func (c *column) number(s string) int32 {
	at := unsafe.StringData(s)
	r := &c.recent[uint64(uintptr(unsafe.Pointer(at)))*0x9e3779b97f4a7c15>>56]
	if at != nil && r.at == at && r.n == len(s) {
		return r.number
	}
	n, ok := c.numbers[s]
	if !ok {
		n = int32(len(c.texts))
		c.numbers[strings.Clone(s)], c.texts = n, append(c.texts, strings.ToValidUTF8(s, "?"))
	}
	*r = recent{at, len(s), n}
	return n
}

// body is buffers of a message, each at a multiple of 8 bytes.
type body struct {
	nodes, buffers []byte
	n              [2]int // how many of each
	parts          [][]byte
	size           int64
}

func (b *body) node(rows, nulls int) {
	b.nodes = binary.LittleEndian.AppendUint64(b.nodes, uint64(rows))
	b.nodes = binary.LittleEndian.AppendUint64(b.nodes, uint64(nulls))
	b.n[0]++
}

func (b *body) buffer(data []byte) {
	b.buffers = binary.LittleEndian.AppendUint64(b.buffers, uint64(b.size))
	b.buffers = binary.LittleEndian.AppendUint64(b.buffers, uint64(len(data)))
	b.n[1]++
	b.parts = append(b.parts, data)
	b.size += int64(len(data)+7) &^ 7
}

// flush writes the rows as a batch.
func (x *Writer[T]) flush() {
	if x.rows == 0 {
		return
	}
	b := &body{}
	for _, c := range x.cols {
		b.node(x.rows, c.nulls)
		if c.nulls > 0 {
			b.buffer(c.valid)
		} else {
			b.buffer(nil)
		}
		b.buffer(c.data)
	}
	rows := x.rows
	x.message(headerBatch, func(f *flat) int { return batch(f, rows, b) }, b, &block{batch: true})
	for _, c := range x.cols {
		c.data, c.valid, c.nulls = c.data[:0], c.valid[:0], 0
	}
	x.rows = 0
}

// Close writes what is left, the dictionaries and the footer.
func (x *Writer[T]) Close() error {
	x.flush()
	for i, c := range x.cols {
		if c.kind != kindText {
			continue
		}
		b := &body{}
		b.node(len(c.texts), 0)
		offsets, data := []byte{0, 0, 0, 0}, []byte(nil)
		for _, s := range c.texts {
			data = append(data, s...)
			offsets = binary.LittleEndian.AppendUint32(offsets, uint32(len(data)))
		}
		b.buffer(nil)
		b.buffer(offsets)
		b.buffer(data)
		x.message(headerDictionary, func(f *flat) int {
			inner := batch(f, len(c.texts), b)
			return f.table(longField(int64(i)), offsetField(inner), absent())
		}, b, &block{})
	}
	x.write([]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0})
	footer := x.footer()
	x.write(footer)
	x.write(binary.LittleEndian.AppendUint32(nil, uint32(len(footer))))
	x.write([]byte(Magic))
	return x.err
}
