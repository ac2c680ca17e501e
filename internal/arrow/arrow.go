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
	"reflect"
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

	numbers    map[string]int32 // of texts
	texts      []string
	last       string
	lastNumber int32
}

// block is where a message lies in the file.
type block struct {
	at    int64
	meta  int32
	body  int64
	batch bool
}

// Writer writes rows of a struct type. Its fields are int32, int64, bool, string, or pointers to the numbers; the first
// part of their tag names the columns.
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
		if c.optional && typ.Kind() != reflect.Int32 && typ.Kind() != reflect.Int64 {
			panic(fmt.Sprintf("arrow: a column of %s", f.Type))
		}
		switch typ.Kind() {
		case reflect.Int32:
			c.kind = kindInt32
		case reflect.Int64:
			c.kind = kindInt64
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
	for i := range rows {
		at := unsafe.Pointer(&rows[i])
		for _, c := range x.cols {
			c.add(unsafe.Add(at, c.offset), x.rows)
		}
		if x.rows++; x.rows == batchRows {
			x.flush()
		}
	}
	return len(rows), x.err
}

// add appends the value at a place as row number row of the batch. The place is a field of the type that the column was
// made for.
func (c *column) add(at unsafe.Pointer, row int) {
	if c.optional {
		if row&7 == 0 {
			c.valid = append(c.valid, 0)
		}
		if at = *(*unsafe.Pointer)(at); at == nil {
			c.nulls++
			c.data = append(c.data, zero[:4+4*c.kind]...)
			return
		}
		c.valid[row>>3] |= 1 << (row & 7)
	}
	switch c.kind {
	case kindInt32:
		c.data = binary.LittleEndian.AppendUint32(c.data, *(*uint32)(at))
	case kindInt64:
		c.data = binary.LittleEndian.AppendUint64(c.data, *(*uint64)(at))
	case kindBool:
		if row&7 == 0 {
			c.data = append(c.data, 0)
		}
		if *(*bool)(at) {
			c.data[row>>3] |= 1 << (row & 7)
		}
	case kindText:
		c.data = binary.LittleEndian.AppendUint32(c.data, uint32(c.number(*(*string)(at))))
	}
}

var zero [8]byte

// number is the place of a text in the dictionary. Most rows have the text of the one before.
func (c *column) number(s string) int32 {
	if s == c.last && len(c.texts) > 0 {
		return c.lastNumber
	}
	n, ok := c.numbers[s]
	if !ok {
		s = strings.Clone(s)
		n = int32(len(c.texts))
		c.numbers[s], c.texts = n, append(c.texts, strings.ToValidUTF8(s, "?"))
	}
	c.last, c.lastNumber = s, n
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
