// Package wire holds what encodings of numbers have in common: zigzag numbers and fields of bits. Fields fill bytes from
// the low bit upwards, the first field first.
package wire

import (
	"encoding/binary"
	"slices"
)

// Zigzag maps small magnitudes of either sign to small numbers, and Unzigzag back.
func Zigzag(v int64) uint64   { return uint64(v)<<1 ^ uint64(v>>63) }
func Unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// AppendVarint appends the uvarint of v in zigzag form.
func AppendVarint(dst []byte, v int64) []byte { return binary.AppendUvarint(dst, Zigzag(v)) }

// A BitWriter appends fields of which the total is known. Its state is open to loops that are too hot for a call of Write.
type BitWriter struct {
	Out []byte // with room for all bits and 8 bytes more
	Pos int    // of the first byte that is not complete
	Acc uint64
	N   uint // bits in Acc, below 8
}

// MaxWidth is the most bits that fit behind a part of a byte.
const MaxWidth = 56

// NewBitWriter returns a writer that appends at most total bits to dst.
func NewBitWriter(dst []byte, total uint64) BitWriter {
	room := len(dst) + int((total+7)/8) + 8
	return BitWriter{Out: slices.Grow(dst, room-len(dst))[:room], Pos: len(dst)}
}

// Write appends the low width bits of v, at most 64; the others must be zero.
func (w *BitWriter) Write(v uint64, width uint) {
	if width > MaxWidth {
		w.Write(v&(1<<32-1), 32)
		v >>= 32
		width -= 32
	}
	w.Acc |= v << (w.N & 63)
	w.N += width
	binary.LittleEndian.PutUint64(w.Out[w.Pos:], w.Acc)
	w.Pos += int(w.N >> 3)
	w.Acc >>= w.N & 56
	w.N &= 7
}

// Flush pads the last byte with zeros and returns all bytes.
func (w *BitWriter) Flush() []byte {
	if w.N > 0 {
		w.Pos++
	}
	return w.Out[:w.Pos]
}

// A BitReader reads fields. Reading beyond the end gives zeros; the caller checks the
// number of bits.
type BitReader struct {
	In  []byte
	Pos uint // in bits
}

// Read returns the next field of at most 64 bits.
func (r *BitReader) Read(width uint) uint64 {
	i := r.Pos >> 3
	s := r.Pos & 7
	r.Pos += width
	if i+9 <= uint(len(r.In)) {
		v := binary.LittleEndian.Uint64(r.In[i:]) >> s
		if s+width > 64 {
			v |= uint64(r.In[i+8]) << (64 - s)
		}
		return v & (1<<width - 1) // 1<<64 is 0
	}
	return r.readSlow(i, s) & (1<<width - 1)
}

func (r *BitReader) readSlow(i, s uint) uint64 {
	var buf [9]byte
	if i < uint(len(r.In)) {
		copy(buf[:], r.In[i:])
	}
	v := binary.LittleEndian.Uint64(buf[:]) >> s
	if s > 0 {
		v |= uint64(buf[8]) << (64 - s)
	}
	return v
}
