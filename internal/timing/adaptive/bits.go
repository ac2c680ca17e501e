package adaptive

import "encoding/binary"

// A bitWriter appends fields, the first one in the lowest bits of the first byte.
type bitWriter struct {
	out []byte
	acc uint64
	n   uint // bits in acc, below 32
}

// put appends the low n bits of v, at most 64; the others must be zero.
func (w *bitWriter) put(v uint64, n uint) {
	if n > 32 {
		w.put(v&(1<<32-1), 32)
		v >>= 32
		n -= 32
	}
	w.acc |= v << (w.n & 63)
	if w.n += n; w.n >= 32 {
		w.out = binary.LittleEndian.AppendUint32(w.out, uint32(w.acc))
		w.acc >>= 32
		w.n -= 32
	}
}

func (w *bitWriter) finish() []byte {
	for left := int(w.n); left > 0; left -= 8 {
		w.out = append(w.out, byte(w.acc))
		w.acc >>= 8
	}
	return w.out
}

// A bitReader reads what a bitWriter wrote. Behind the end it reads zeros.
type bitReader struct {
	in  []byte
	pos uint // in bits
}

// get returns the next n bits, at most 56.
func (r *bitReader) get(n uint) uint64 {
	i := r.pos >> 3
	var v uint64
	if i+8 <= uint(len(r.in)) {
		v = binary.LittleEndian.Uint64(r.in[i:])
	} else {
		for k := uint(0); i+k < uint(len(r.in)); k++ {
			v |= uint64(r.in[i+k]) << (8 * k)
		}
	}
	v >>= r.pos & 7
	r.pos += n
	return v & (1<<(n&63) - 1)
}

// used is how many bytes the fields read so far have.
func (r *bitReader) used() int { return int(r.pos+7) / 8 }
