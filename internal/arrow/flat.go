package arrow

import "encoding/binary"

// flat builds a FlatBuffer, from its end to its beginning: what is referred to comes first. Only what messages of Arrow
// need is here: tables, vectors, strings. Places are counted from the end of the buffer.
type flat struct {
	b     []byte // reversed in use: the buffer's last byte is b[len(b)-1]; growth is in front
	head  int    // where the used part begins
	align int
}

func newFlat() *flat { return &flat{b: make([]byte, 1024), head: 1024, align: 1} }

func (f *flat) used() int { return len(f.b) - f.head }

// room makes room for n bytes in front.
func (f *flat) room(n int) []byte {
	for f.head < n {
		grown := make([]byte, 2*len(f.b))
		copy(grown[len(f.b):], f.b)
		f.head += len(f.b)
		f.b = grown
	}
	f.head -= n
	return f.b[f.head : f.head+n]
}

// prepare pads so that after extra bytes more the place is a multiple of size.
func (f *flat) prepare(size, extra int) {
	f.align = max(f.align, size)
	pad := -(f.used() + extra) & (size - 1)
	clear(f.room(pad))
}

func (f *flat) u8(v uint8) { f.room(1)[0] = v }

func (f *flat) u16(v uint16) {
	f.prepare(2, 0)
	binary.LittleEndian.PutUint16(f.room(2), v)
}

func (f *flat) u32(v uint32) {
	f.prepare(4, 0)
	binary.LittleEndian.PutUint32(f.room(4), v)
}

func (f *flat) u64(v uint64) {
	f.prepare(8, 0)
	binary.LittleEndian.PutUint64(f.room(8), v)
}

// to writes an offset to a place.
func (f *flat) to(place int) {
	f.prepare(4, 0)
	v := f.used() + 4 - place
	binary.LittleEndian.PutUint32(f.room(4), uint32(v))
}

func (f *flat) text(s string) int {
	f.prepare(4, len(s)+1)
	b := f.room(len(s) + 1)
	copy(b, s)
	b[len(s)] = 0
	f.u32(uint32(len(s)))
	return f.used()
}

// places is a vector of offsets.
func (f *flat) places(list []int) int {
	f.prepare(4, 4*len(list))
	for i := len(list) - 1; i >= 0; i-- {
		f.to(list[i])
	}
	f.u32(uint32(len(list)))
	return f.used()
}

// structs is a vector of n structs of 8-byte alignment, whose bytes are given.
func (f *flat) structs(n int, b []byte) int {
	f.prepare(4, len(b))
	f.prepare(8, len(b))
	copy(f.room(len(b)), b)
	f.u32(uint32(n))
	return f.used()
}

// slot is a field of a table: of size bytes, 0 if it is absent; offsets have place.
type slot struct {
	size  int
	value uint64
	place int
}

// Fields of tables.
func byteField(v uint8) slot  { return slot{size: 1, value: uint64(v)} }
func shortField(v int16) slot { return slot{size: 2, value: uint64(uint16(v))} }
func intField(v int32) slot   { return slot{size: 4, value: uint64(uint32(v))} }
func longField(v int64) slot  { return slot{size: 8, value: uint64(v)} }
func boolField(v bool) slot   { return slot{size: 1, value: map[bool]uint64{true: 1}[v]} }
func offsetField(at int) slot { return slot{size: 4, place: at} }
func absent() slot            { return slot{} }

// table writes a table, its largest fields first.
func (f *flat) table(fields ...slot) int {
	at := make([]int, len(fields))
	start := f.used()
	for _, size := range []int{8, 4, 2, 1} {
		for i, s := range fields {
			if s.size != size {
				continue
			}
			switch {
			case s.place > 0:
				f.to(s.place)
			case size == 8:
				f.u64(s.value)
			case size == 4:
				f.u32(uint32(s.value))
			case size == 2:
				f.u16(uint16(s.value))
			default:
				f.u8(uint8(s.value))
			}
			at[i] = f.used()
		}
	}
	f.prepare(4, 0)
	f.room(4) // the offset to the vtable, below
	self := f.used()
	for i := len(fields) - 1; i >= 0; i-- {
		v := 0
		if at[i] > 0 {
			v = self - at[i]
		}
		f.prepare(2, 0)
		binary.LittleEndian.PutUint16(f.room(2), uint16(v))
	}
	binary.LittleEndian.PutUint16(f.room(2), uint16(self-start))
	binary.LittleEndian.PutUint16(f.room(2), uint16(4+2*len(fields)))
	binary.LittleEndian.PutUint32(f.b[len(f.b)-self:], uint32(f.used()-self))
	return self
}

// finish ends the buffer with its root.
func (f *flat) finish(root int) []byte {
	f.prepare(max(f.align, 8), 4)
	f.to(root)
	return f.b[f.head:]
}
