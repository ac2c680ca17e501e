package published

import "github.com/tabard-hpc/tabard/internal/codec/byteio"

// A bitReader reads codes of which nobody knows the number of bits.
type bitReader struct {
	byteio.BitReader
	broken bool // what was read is no code
}

// peek returns the next n bits, at most 56, and stays.
func (r *bitReader) peek(n uint) uint64 {
	return r.Peek() & (1<<n - 1)
}

// over tells that the bits were no codes, or too few.
func (r *bitReader) over() bool { return r.broken || r.Over() }

// rest tells whether whole bytes are left.
func (r *bitReader) rest() bool { return r.Pos+8 <= 8*uint(len(r.In)) }
