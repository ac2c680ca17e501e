package rans

import (
	"encoding/binary"
	"math/bits"
)

// A state of the coder has 32 bits. It is kept at or above Low, and below 2^31, by moving words of
// 16 bits. Two states take turns, so that neither waits for the other. Coding goes from the last
// symbol to the first and writes from the end of its room to the beginning: decoding goes the other
// way.
const Low = 1 << 15

// MaxScale is the greatest binary logarithm of what the frequencies of a table add up to.
const MaxScale = 12

// Room is the bytes that the words of n symbols take at most.
func Room(n int) int { return 2*n + 8 }

// A Symbol is an interval of 2^scale slots in a form that makes coding it cheap.
type Symbol struct {
	limit      uint32 // from here on the state gives 16 bits away first
	reciprocal uint32
	bias       uint32
	complement uint16
	shift      uint8
}

// NewSymbol returns the symbol that has freq slots, at least one, from slot cum on.
func NewSymbol(cum, freq uint32, scale uint) Symbol {
	s := Symbol{limit: freq << (31 - scale&31), complement: uint16(1<<(scale&31) - freq)}
	if freq < 2 {
		s.reciprocal, s.shift, s.bias = ^uint32(0), 32, cum+1<<(scale&31)-1
	} else {
		r := &reciprocals[freq&(2<<MaxScale-1)]
		s.reciprocal, s.shift, s.bias = r.factor, r.shift, cum
	}
	return s
}

// A reciprocal takes the place of a division by a frequency (R. Alverson, "Integer
// division using reciprocals", ARITH 1991): a product with factor is shifted.
type reciprocal struct {
	factor uint32
	shift  uint8
}

var reciprocals = func() (t [1<<MaxScale + 1]reciprocal) {
	for f := 2; f < len(t); f++ {
		s := bits.Len(uint(f - 1))
		t[f] = reciprocal{uint32((1<<(s+31) + f - 1) / f), uint8(s + 31)}
	}
	return t
}()

// Put codes s with a state, and returns the new state. What the state gives away goes before
// words[at], and the new at is where that begins. There are no branches, since the processor could
// not predict them.
func (s *Symbol) Put(state uint32, words []byte, at int) (uint32, int) {
	binary.LittleEndian.PutUint16(words[at-2:], uint16(state))
	full := uint32(int32(s.limit-1-state) >> 31)
	state >>= full & 16
	state += s.bias + uint32(uint64(state)*uint64(s.reciprocal)>>(s.shift&63))*uint32(s.complement)
	return state, at - int(full&2)
}

// End writes the last states before words[at], and returns where they begin. x is the one that
// decoding takes first.
func End(words []byte, at int, x, y uint32) int {
	binary.LittleEndian.PutUint64(words[at-8:], uint64(bits.RotateLeft32(y, 16))<<32|uint64(bits.RotateLeft32(x, 16)))
	return at - 8
}

// Begin reads what End wrote.
func Begin(words []byte) (x, y uint32) {
	return bits.RotateLeft32(binary.LittleEndian.Uint32(words), 16),
		bits.RotateLeft32(binary.LittleEndian.Uint32(words[4:]), 16)
}

// Refill makes a state that is below Low whole with the next word, and tells how many words that
// took, 1 or 0. There are no branches here either.
func Refill(state uint32, next uint16) (whole uint32, taken uint) {
	low := uint32(int32(state-Low) >> 31)
	return state<<(low&16) | uint32(next)&low, uint(low & 1)
}
