// Package sequence codes sequences of symbols in which little repeats as a whole and much in parts.
//
// Each bit of a symbol is predicted by what followed the last symbols before, in contexts of several
// lengths. A linear combination of these predictions in the logistic domain, whose weights are
// learned on the way, is what an arithmetic coder works with (M. Mahoney: Adaptive weighing of
// context models for lossless data compression, Florida Tech CS-2005-16). All is done in integers, so
// that every machine decodes the same.
//
// # Encoding
//
// A sequence of n symbols of w bits is coded bit by bit, high bits first, by the coder of columns
// that are coded together, with probabilities as follows. Divisions by powers of two round down.
//
// A bit has seven contexts: the last 0, 1, 2, 3, 4, 6 and 10 symbols (0 before the first one, else
// the symbol plus one), and the node, which is a 1 followed by the bits of the symbol so far. With
// mix(h, x) = y xor (y div 2^32), y = (h xor x) * ff51afd7ed558ccd (hexadecimal, modulo 2^64), a
// hash h begins as 1 and becomes mix(h, s+1) for each of the symbols, the latest first; then
// mix(mix(h, o), node) * 9e3779b97f4a7c15 is the hash of context o from 0. Its high t bits say which
// of 2^t slots is the context's, and its low 32 bits are the check that the slot has to hold. Else,
// or at first, the slot becomes one with that check, p = 2^15 and c = 0. t is 3 plus the number of
// bits of n, from 12 to 21.
//
// A slot of context o gives two inputs, which are 0 if c is 0: number 2o is stretch(p div 16), and
// 2o+1 is (p div 16 - 2048) * min(c, 8) / 8, rounded to 0. The probability that the bit is 1 is
// 16q + 8 of 65536, within 24..65512, with q = squash((sum of inputs times weights) div 2^16). There
// are weights for each number of contexts with c above 0; all begin as 19660, those for bytes as
// 16384. After the bit b each weight of these grows by (input * (4096b - q) * 10 + 8192) div 2^14,
// and is kept within -2^24..2^24.
// Then p of each slot, in the order of contexts, moves by (65535b - p) * 2 / (2c + 3), rounded to 0,
// and c grows by one up to 30.
//
// squash(x) is 0 below -2047, 4095 above 2047, and else between values for the multiples of 128 from
// -2048 to 2048: with i = x div 128 + 16 and r = x mod 128, (v(i) * (128-r) + v(i+1) * r + 64) div
// 128, where v(0), v(1) ... are 1, 2, 3, 6, 10, 16, 27, 45, 73, 120, 194, 310, 488, 747, 1101, 1546,
// 2047, 2549, 2994, 3348, 3607, 3785, 3901, 3975, 4024, 4050, 4068, 4079, 4085, 4089, 4092, 4093,
// 4094. stretch(q) is the least x from -2047 on with squash(x) at least q, and 2047 if there is none.
package sequence

import (
	"math/bits"

	"github.com/tabard-hpc/tabard/internal/codec/entropy/arith"
)

// lengths are those of the contexts.
var lengths = [...]int{0, 1, 2, 3, 4, 6, 10}

const (
	orders   = len(lengths)
	inputs   = 2 * orders
	longest  = 10
	minTable = 12 // binary logarithm of the number of slots
	maxTable = 21
	mostSeen = 30 // how slowly a probability moves at last
	sure     = 8  // how often a context was seen that is trusted

	weight     = 3 << 16 / 10 // at first
	byteWeight = 1 << 14      // of what is short
	least      = 24           // the least probability, of 65536
)

// slot is what is known of a bit in a context.
type slot struct {
	check uint32
	p     uint16 // that it is 1, of 65536
	n     uint16 // how often it was seen
}

// Coder codes symbols of a number of bits.
type Coder struct {
	c       *arith.Coder
	width   int
	shift   uint
	table   []slot
	weights [orders + 1][inputs]int32 // by how many contexts are known
	past    [longest]uint32
}

// NewEncoder returns a coder of about n symbols of width bits, at most 32.
func NewEncoder(width, n int) *Coder { return newCoder(arith.NewEncoder(), width, n, weight) }

// NewDecoder returns a coder that reads what Bytes returned; width and n are the same.
func NewDecoder(code []byte, width, n int) *Coder {
	return newCoder(arith.NewDecoder(code), width, n, weight)
}

// EncodeBytes codes bytes as symbols. It takes about a microsecond for each, and so does DecodeBytes.
func EncodeBytes(raw []byte) []byte {
	m := newCoder(arith.NewEncoder(), 8, len(raw), byteWeight)
	for _, b := range raw {
		m.Code(uint32(b))
	}
	return m.Bytes()
}

// DecodeBytes is the n bytes that code stands for. Any code stands for some.
func DecodeBytes(code []byte, n int) []byte {
	m := newCoder(arith.NewDecoder(code), 8, n, byteWeight)
	raw := make([]byte, n)
	for i := range raw {
		raw[i] = byte(m.Code(0))
	}
	return raw
}

func newCoder(c *arith.Coder, width, n int, weight int32) *Coder {
	size := min(max(bits.Len(uint(n))+3, minTable), maxTable)
	m := &Coder{c: c, width: width, shift: uint(64 - size), table: make([]slot, 1<<size)}
	for i := range m.weights {
		for j := range m.weights[i] {
			m.weights[i][j] = weight
		}
	}
	return m
}

// Bytes ends the encoding and returns it.
func (m *Coder) Bytes() []byte { return m.c.Bytes() }

// Restart forgets the last symbols, but not what has been learned.
func (m *Coder) Restart() { m.past = [longest]uint32{} }

// Code codes a symbol. A decoder ignores the argument and returns the symbol.
func (m *Coder) Code(symbol uint32) uint32 {
	var ctx [orders]uint64
	h, k := uint64(1), 0
	for o, n := range lengths {
		for ; k < n; k++ {
			h = mix(h, uint64(m.past[k])+1)
		}
		ctx[o] = mix(h, uint64(o))
	}
	out := uint32(0)
	for i := m.width - 1; i >= 0; i-- {
		out = out<<1 | m.bit(&ctx, uint64(out)|1<<(m.width-1-i), symbol>>i&1)
	}
	copy(m.past[1:], m.past[:longest-1])
	m.past[0] = out + 1
	return out
}

func mix(h, x uint64) uint64 {
	h = (h ^ x) * 0xff51afd7ed558ccd
	return h ^ h>>32
}

// bit codes a bit of a symbol; node says which one it is, and those before.
func (m *Coder) bit(ctx *[orders]uint64, node uint64, bit uint32) uint32 {
	var slots [orders]*slot
	var in [inputs]int32
	known := 0
	for o := range orders {
		h := mix(ctx[o], node) * 0x9e3779b97f4a7c15
		s := &m.table[h>>m.shift]
		if s.check != uint32(h) || s.n == 0 {
			*s = slot{uint32(h), 1 << 15, 0}
		}
		slots[o] = s
		if s.n > 0 {
			known++
			in[2*o] = stretch[s.p>>4]
			in[2*o+1] = (int32(s.p>>4) - 2048) * int32(min(s.n, sure)) / sure
		}
	}
	weights, sum := &m.weights[known], int64(0)
	for i := range in {
		sum += int64(in[i]) * int64(weights[i])
	}
	p := squash(sum >> 16)
	bit = uint32(m.c.BitAt(uint32(min(max(p<<4+8, least), 65536-least)), int(bit)))
	miss := (int32(bit)<<12 - p) * 10
	for i := range in {
		w := int64(weights[i]) + int64(in[i]*miss+1<<13)>>14
		weights[i] = int32(min(max(w, -1<<24), 1<<24))
	}
	for _, s := range slots {
		target := int32(bit) * 65535
		s.p = uint16(int32(s.p) + (target-int32(s.p))*2/(2*int32(s.n)+3))
		if s.n < mostSeen {
			s.n++
		}
	}
	return bit
}

// squashed are probabilities, of 4096, at 16 steps of 128 on either side of the middle.
var squashed = [33]int32{1, 2, 3, 6, 10, 16, 27, 45, 73, 120, 194, 310, 488, 747, 1101, 1546, 2047, 2549, 2994, 3348,
	3607, 3785, 3901, 3975, 4024, 4050, 4068, 4079, 4085, 4089, 4092, 4093, 4094}

// squash is the logistic function: 4096 / (1 + exp(-x/256)).
func squash(x int64) int32 {
	if x > 2047 {
		return 4095
	}
	if x < -2047 {
		return 0
	}
	i, w := x>>7+16, int32(x&127)
	return (squashed[i]*(128-w) + squashed[i+1]*w + 64) >> 7
}

// stretch is the inverse of squash.
var stretch = func() (t [4096]int32) {
	next := int32(0)
	for x := int64(-2047); x <= 2047; x++ {
		for v := squash(x); next <= v; next++ {
			t[next] = int32(x)
		}
	}
	for ; next < 4096; next++ {
		t[next] = 2047
	}
	return t
}()
