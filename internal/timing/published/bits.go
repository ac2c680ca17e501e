package published

import "encoding/binary"

// bitWriter appends bits, least significant first, in words of 64 as ZFP does.
type bitWriter struct {
	out  []byte
	word uint64
	n    uint // bits in word, below 64
}

// put appends the n low bits of v, at most 64, and no others may be set.
func (w *bitWriter) put(v uint64, n uint) {
	w.word |= v << w.n
	if w.n+n < 64 {
		w.n += n
		return
	}
	w.out = binary.LittleEndian.AppendUint64(w.out, w.word)
	used := 64 - w.n
	w.n = n - used
	w.word = 0
	if w.n > 0 {
		w.word = v >> used
	}
}

// finish pads with zeros to a whole number of bytes.
func (w *bitWriter) finish() []byte {
	for left := int(w.n); left > 0; left -= 8 {
		w.out = append(w.out, byte(w.word))
		w.word >>= 8
	}
	w.n, w.word = 0, 0
	return w.out
}

// bitReader reads what a bitWriter wrote. Behind the end there are zeros, and over is set.
type bitReader struct {
	in   []byte
	pos  int
	word uint64
	n    uint
	over bool
}

// get returns the next n bits, at most 56.
func (r *bitReader) get(n uint) uint64 {
	if r.n < n {
		r.fill()
	}
	v := r.word & (1<<n - 1)
	r.skip(n)
	return v
}

// peek returns the next n bits, at most 56, and stays; it tells nothing of the end.
func (r *bitReader) peek(n uint) uint64 {
	if r.n < n {
		r.fill()
	}
	return r.word & (1<<n - 1)
}

func (r *bitReader) skip(n uint) {
	if r.n < n {
		r.over = true
		r.word, r.n = 0, 0
		return
	}
	r.word >>= n
	r.n -= n
}

func (r *bitReader) fill() {
	for r.n <= 56 && r.pos < len(r.in) {
		r.word |= uint64(r.in[r.pos]) << r.n
		r.pos++
		r.n += 8
	}
}

// rest tells whether whole bytes are left.
func (r *bitReader) rest() bool { return r.pos < len(r.in) || r.n >= 8 }
