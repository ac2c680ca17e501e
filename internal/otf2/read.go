package otf2

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// Bounds of the sizes of chunks, which the library has, too.
const (
	leastChunk = 64
	bigEndian  = 0x23
)

// reader reads the records of a file of chunks. Nothing in the file is believed: numbers and lengths are checked, and
// no more memory is taken than a chunk has bytes.
type reader struct {
	in   io.Reader
	name string
	size int    // of a chunk
	b    []byte // what is left of the chunk
	room []byte
	off  int64 // of the end of b in the file
	done bool
	err  error
}

func newReader(in io.Reader, name string, chunk int) *reader {
	return &reader{in: in, name: name, size: chunk}
}

// fail notes the first error.
func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%s: byte %d: %s", r.name, r.off-int64(len(r.b)), fmt.Sprintf(format, args...))
	}
}

// fill reads the next chunk.
func (r *reader) fill() {
	if r.room == nil {
		r.room = make([]byte, 0, min(r.size, 1<<16))
	}
	r.room = r.room[:0]
	for len(r.room) < r.size {
		if len(r.room) == cap(r.room) {
			r.room = append(r.room, 0)[:len(r.room)]
		}
		n, err := r.in.Read(r.room[len(r.room):min(cap(r.room), r.size)])
		r.room = r.room[:len(r.room)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			r.b, r.err = nil, fmt.Errorf("%s: %w", r.name, err)
			return
		}
	}
	r.b = r.room
	r.off += int64(len(r.b))
	if len(r.b) < headerBytes {
		r.fail("the file is cut off")
		return
	}
	switch h := r.take(headerBytes); {
	case h == nil:
	case h[0] == chunkHeader && h[1] == bigEndian:
		r.fail("big-endian archives are not understood")
	case h[0] != chunkHeader || h[1] != littleEndian:
		r.fail("no chunk of OTF2 begins here")
	}
}

// kind is what the next record is; ok is false at the end, and after an error.
func (r *reader) kind() (k uint8, ok bool) {
	for !r.done && r.err == nil {
		if len(r.b) == 0 {
			r.fill()
			continue
		}
		k = r.u8()
		switch k {
		case endOfChunk:
			r.b = nil
		case endOfFile, endOfBuffer:
			r.done = true
		default:
			return k, r.err == nil
		}
	}
	return 0, false
}

func (r *reader) take(n int) []byte {
	if r.err != nil {
		return nil
	}
	if n < 0 || n > len(r.b) {
		r.fail("a record is cut off")
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) u8() uint8 {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// full is a number that takes all its bytes.
func (r *reader) full() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// u64 is a number with its length.
func (r *reader) u64() uint64 {
	n := r.u8()
	if n == 0xff {
		return Undefined64
	}
	if n > 8 {
		r.fail("a number of %d bytes", n)
		return 0
	}
	var b [8]byte
	copy(b[:], r.take(int(n)))
	return binary.LittleEndian.Uint64(b[:])
}

func (r *reader) u32() uint32 {
	v := r.u64()
	if v > math.MaxUint32 && v != Undefined64 {
		r.fail("%d is out of range", v)
	}
	return uint32(v) // also where it is not defined
}

// text is a string.
func (r *reader) text() string {
	for i, c := range r.b {
		if c == 0 {
			s := string(r.b[:i])
			r.take(i + 1)
			return s
		}
	}
	r.fail("a string without an end")
	return ""
}

// sized gives the values of a record that states its length, as a reader of their own.
func (r *reader) sized() reader {
	n := uint64(r.u8())
	if n == 0xff {
		n = r.full()
	}
	if n > uint64(len(r.b)) {
		r.fail("a record of %d bytes, %d are left", n, len(r.b))
		return reader{name: r.name, off: r.off, done: true, err: r.err}
	}
	end := r.off - int64(len(r.b)) + int64(n)
	return reader{name: r.name, b: r.take(int(n)), off: end, done: true}
}

// Attribute types whose values are no compressed numbers.
const (
	typeUint8  = 1
	typeUint16 = 2
	typeInt8   = 5
	typeInt16  = 6
	typeInt64  = 8
	typeFloat  = 9
	typeDouble = 10
	typeString = 11
	numTypes   = 26
)

// attributes reads a list of attributes, as far as their types are known.
func (r *reader) attributes(list []Attribute) []Attribute {
	for n := r.u32(); n > 0 && len(r.b) > 0 && r.err == nil; n-- {
		a := Attribute{ID: r.u32()}
		t := r.u8()
		switch t {
		case typeUint8, typeInt8:
			a.Value = uint64(r.u8())
		case typeUint16, typeInt16:
			if b := r.take(2); b != nil {
				a.Value = uint64(binary.LittleEndian.Uint16(b))
			}
		case typeFloat:
			if b := r.take(4); b != nil {
				a.Value = uint64(binary.LittleEndian.Uint32(b))
			}
		case typeDouble:
			a.Value = r.full()
		default:
			if t >= numTypes {
				return list
			}
			a.Value = r.u64()
			a.Source = t == typeSourceCode
		}
		list = append(list, a)
	}
	return list
}

// errCompressed is the error for what the reader does not do.
var errCompressed = errors.New("the archive is compressed: write it with OTF2_COMPRESSION_NONE, or copy it with " +
	"a tool that has zlib")
