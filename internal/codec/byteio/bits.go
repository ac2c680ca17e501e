// Package byteio reads and writes encodings. No other package does this by itself. It knows bytes,
// unsigned and zigzag numbers (Reader, Writer), and fields of bits (BitReader, BitWriter). Fields
// fill bytes from the low bit upwards, the first field first.
package byteio

import (
	"encoding/binary"
	"slices"
)

// Zigzag maps small magnitudes of either sign to small numbers, and Unzigzag back.
func Zigzag(v int64) uint64   { return uint64(v)<<1 ^ uint64(v>>63) }
func Unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// A BitWriter appends fields. Its state is exported for loops that are too hot to call Write.
type BitWriter struct {
	Out []byte // with room behind Pos
	Pos int    // of the first byte that is not complete
	Acc uint64
	N   uint // bits in Acc, below 8
}

// MaxWidth is the most bits that fit behind a part of a byte.
const MaxWidth = 56

// NewBitWriter returns a writer that appends to dst, with room for total bits. Write makes more
// room where that is too little.
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
	if len(w.Out)-w.Pos < 8 {
		w.grow()
	}
	w.Acc |= v << (w.N & 63)
	w.N += width
	binary.LittleEndian.PutUint64(w.Out[w.Pos:], w.Acc)
	w.Pos += int(w.N >> 3)
	w.Acc >>= w.N & 56
	w.N &= 7
}

func (w *BitWriter) grow() {
	w.Out = slices.Grow(w.Out, len(w.Out)+64)
	w.Out = w.Out[:cap(w.Out)]
}

// Flush pads the last byte with zeros and returns all bytes. More fields may follow.
func (w *BitWriter) Flush() []byte {
	if w.N > 0 {
		w.Pos++
		w.Acc, w.N = 0, 0
	}
	return w.Out[:w.Pos]
}

// A BitReader reads fields. Reading beyond the end gives zeros; the caller checks the number of
// bits.
type BitReader struct {
	In  []byte
	Pos uint // in bits
}

// Used is how many bytes the fields read so far take. The last byte may be used in part.
func (r *BitReader) Used() int { return int(r.Pos+7) / 8 }

// Over tells that more was read than there is.
func (r *BitReader) Over() bool { return r.Pos > 8*uint(len(r.In)) }

// Peek returns the next MaxWidth bits, and some or none of those behind them. It does not move
// forward.
func (r *BitReader) Peek() uint64 {
	i := r.Pos >> 3
	if i+8 <= uint(len(r.In)) {
		return binary.LittleEndian.Uint64(r.In[i:]) >> (r.Pos & 7)
	}
	var end [8]byte
	if i < uint(len(r.In)) {
		copy(end[:], r.In[i:])
	}
	return binary.LittleEndian.Uint64(end[:]) >> (r.Pos & 7)
}

// Read returns the next field of at most 64 bits.
func (r *BitReader) Read(width uint) uint64 {
	if width > MaxWidth {
		low := r.Read(32)
		return low | r.Read(width-32)<<32
	}
	v := r.Peek() & (1<<(width&63) - 1)
	r.Pos += width
	return v
}
