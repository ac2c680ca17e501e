package column

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// zigzag maps small magnitudes of either sign to small numbers.
func zigzag(v int64) uint64   { return uint64(v)<<1 ^ uint64(v>>63) }
func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// A bitWriter appends fields of bits, the first field in the lowest bits of the first byte.
type bitWriter struct {
	out []byte // with room for all bits and 8 bytes more
	pos int    // of the first byte that is not complete
	acc uint64
	n   uint // bits in acc, below 8
}

// maxWidth is the most bits that fit behind a part of a byte.
const maxWidth = 56

// newBitWriter returns a writer that appends total bits to dst.
func newBitWriter(dst []byte, total uint64) bitWriter {
	room := len(dst) + int(bytesOf(total)) + 8
	return bitWriter{out: slices.Grow(dst, room-len(dst))[:room], pos: len(dst)}
}

// write appends the low width bits of v; the others must be zero.
func (w *bitWriter) write(v uint64, width uint) {
	if width > maxWidth {
		w.write(v&mask(32), 32)
		v >>= 32
		width -= 32
	}
	w.acc |= v << w.n
	w.n += width
	binary.LittleEndian.PutUint64(w.out[w.pos:], w.acc)
	w.pos += int(w.n >> 3)
	w.acc >>= w.n &^ 7
	w.n &= 7
}

// flush pads the last byte with zeros and returns all bytes.
func (w *bitWriter) flush() []byte {
	if w.n > 0 {
		w.pos++
	}
	return w.out[:w.pos]
}

// A bitReader reads what a bitWriter wrote. Reading beyond the end gives zeros;
// the caller checks the number of bits beforehand.
type bitReader struct {
	in  []byte
	pos uint // in bits
}

func (r *bitReader) read(width uint) uint64 {
	i := r.pos >> 3
	s := r.pos & 7
	r.pos += width
	if i+9 <= uint(len(r.in)) {
		v := binary.LittleEndian.Uint64(r.in[i:]) >> s
		if s+width > 64 {
			v |= uint64(r.in[i+8]) << (64 - s)
		}
		return v & mask(width)
	}
	return r.readSlow(i, s) & mask(width)
}

func (r *bitReader) readSlow(i, s uint) uint64 {
	var buf [9]byte
	if i < uint(len(r.in)) {
		copy(buf[:], r.in[i:])
	}
	v := binary.LittleEndian.Uint64(buf[:]) >> s
	if s > 0 {
		v |= uint64(buf[8]) << (64 - s)
	}
	return v
}

func mask(width uint) uint64 { return 1<<width - 1 } // 1<<64 is 0

func bytesOf(nbits uint64) uint64 { return (nbits + 7) / 8 }

func widthOf(v uint64) uint { return uint(bits.Len64(v)) }
