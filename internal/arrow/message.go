package arrow

import "encoding/binary"

// Values of the format's unions and enumerations.
const (
	headerSchema     = 1
	headerDictionary = 2
	headerBatch      = 3
	version5         = 4
	typeInt          = 2
	typeFloat        = 3
	typeUtf8         = 5
	typeBool         = 6
)

// schema is the table about the columns.
func (x *Writer[T]) schema(f *flat) int {
	fields := make([]int, len(x.cols))
	for i, c := range x.cols {
		name := f.text(c.name)
		children := f.places(nil)
		dictionary, typ, of := absent(), 0, uint8(typeInt)
		switch c.kind {
		case kindInt32:
			typ = f.table(intField(32), boolField(true))
		case kindInt64:
			typ = f.table(intField(64), boolField(true))
		case kindFloat64:
			typ, of = f.table(shortField(2)), typeFloat
		case kindBool:
			typ, of = f.table(), typeBool
		case kindText:
			index := f.table(intField(32), boolField(true))
			dictionary = offsetField(f.table(longField(int64(i)), offsetField(index), boolField(false)))
			typ, of = f.table(), typeUtf8
		}
		fields[i] = f.table(offsetField(name), boolField(c.optional), byteField(of), offsetField(typ), dictionary,
			offsetField(children))
	}
	return f.table(shortField(0), offsetField(f.places(fields)))
}

// batch is the table about the buffers of a record batch.
func batch(f *flat, rows int, b *body) int {
	buffers := f.structs(b.n[1], b.buffers)
	nodes := f.structs(b.n[0], b.nodes)
	return f.table(longField(int64(rows)), offsetField(nodes), offsetField(buffers))
}

// message writes a message with a header and a body, and notes where it is.
func (x *Writer[T]) message(kind uint8, header func(*flat) int, b *body, at *block) {
	f := newFlat()
	h := header(f)
	size := int64(0)
	if b != nil {
		size = b.size
	}
	meta := f.finish(f.table(shortField(version5), byteField(kind), offsetField(h), longField(size)))
	pad := -len(meta) & 7
	if at != nil {
		at.at, at.meta, at.body = x.at, int32(8+len(meta)+pad), size
		x.blocks = append(x.blocks, *at)
	}
	x.write(binary.LittleEndian.AppendUint32([]byte{0xff, 0xff, 0xff, 0xff}, uint32(len(meta)+pad)))
	x.write(meta)
	x.write(make([]byte, pad))
	if b == nil {
		return
	}
	for _, part := range b.parts {
		x.write(part)
		x.write(make([]byte, -len(part)&7))
	}
}

// footer says where everything is.
func (x *Writer[T]) footer() []byte {
	f := newFlat()
	list := func(batches bool) int {
		var b []byte
		n := 0
		for _, k := range x.blocks {
			if k.batch != batches {
				continue
			}
			b = binary.LittleEndian.AppendUint64(b, uint64(k.at))
			b = binary.LittleEndian.AppendUint64(b, uint64(uint32(k.meta)))
			b = binary.LittleEndian.AppendUint64(b, uint64(k.body))
			n++
		}
		return f.structs(n, b)
	}
	schema := x.schema(f)
	dictionaries, batches := list(false), list(true)
	return f.finish(f.table(shortField(version5), offsetField(schema), offsetField(dictionaries), offsetField(batches)))
}
