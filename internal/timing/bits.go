package timing

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"tabard/internal/wire"
)

// An Error is an encoding that is broken or cut off.
type Error struct {
	Offset int64 // in the encoding, in bytes
	Reason string
}

func (e *Error) Error() string {
	return fmt.Sprintf("broken timing, byte %d: %s", e.Offset, e.Reason)
}

// An input is read from front to back. After the first error all reads give zero.
type input struct {
	in   []byte
	pos  int
	base int64 // of in, in the whole
	err  error
}

func (p *input) fail(reason string) {
	if p.err == nil {
		p.err = &Error{Offset: p.base + int64(p.pos), Reason: reason}
	}
}

func (p *input) left() int { return len(p.in) - p.pos }

func (p *input) uvarint() uint64 {
	if p.err != nil {
		return 0
	}
	v, n := binary.Uvarint(p.in[p.pos:])
	if n <= 0 {
		p.fail("cut off or number exceeds 64 bits")
		return 0
	}
	p.pos += n
	return v
}

func (p *input) varint() int64 { return wire.Unzigzag(p.uvarint()) }

func (p *input) byte() byte {
	if p.err == nil && p.left() == 0 {
		p.fail("cut off")
	}
	if p.err != nil {
		return 0
	}
	p.pos++
	return p.in[p.pos-1]
}

// bytes reads n bytes.
func (p *input) bytes(n uint64) []byte {
	if p.err == nil && n > uint64(p.left()) {
		p.fail("cut off")
	}
	if p.err != nil {
		return nil
	}
	p.pos += int(n)
	return p.in[p.pos-int(n) : p.pos]
}

// count reads a number of things of which each takes at least one byte.
func (p *input) count() int {
	n := p.uvarint()
	if p.err == nil && n > uint64(p.left()) {
		p.fail("more items than bytes")
	}
	if p.err != nil {
		return 0
	}
	return int(n)
}

// A bitWriter appends fields of bits, the first field in the lowest bits of the first byte.
type bitWriter struct {
	out []byte
	acc uint64
	n   uint // bits in acc, below 8
}

// write appends the low width bits of v; the others must be zero.
func (w *bitWriter) write(v uint64, width uint) {
	if width > wire.MaxWidth {
		w.write(v&(1<<32-1), 32)
		v >>= 32
		width -= 32
	}
	w.acc |= v << (w.n & 63)
	w.n += width
	for w.n >= 8 {
		w.out = append(w.out, byte(w.acc))
		w.acc >>= 8
		w.n -= 8
	}
}

// golomb appends v in an Exp-Golomb code of order 0.
func (w *bitWriter) golomb(v uint64) {
	e := uint(bits.Len64(v+1)) - 1
	low := (v + 1) & (1<<e - 1)
	if 2*e < wire.MaxWidth {
		w.write((low<<1|1)<<e, 2*e+1)
		return
	}
	w.write(0, e)
	w.write(1, 1)
	w.write(low, e)
}

// flush pads the last byte with zeros and returns all bytes.
func (w *bitWriter) flush() []byte {
	if w.n > 0 {
		w.out = append(w.out, byte(w.acc))
		w.acc, w.n = 0, 0
	}
	return w.out
}

// bitReader reads what a bitWriter wrote. Reading beyond the end gives zeros.
type bitReader struct{ wire.BitReader }

// golomb reads a number below 2^32.
func (r *bitReader) golomb(p *input) uint64 {
	e := uint(0)
	for r.Read(1) == 0 {
		if e++; e > 32 || r.Pos > uint(len(r.In))*8 {
			p.fail("broken description of a table")
			return 0
		}
	}
	return 1<<e + r.Read(e) - 1
}
