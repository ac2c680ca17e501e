// Package choices lets a fuzzer make the choices of a generator. A generator that takes a seed makes
// an unrelated thing of every other seed, and a fuzzer cannot find its way there; if each byte is
// a choice, it can change one and keep the rest.
package choices

import "math/rand/v2"

// source hands out one byte for each number.
type source struct {
	rest   []byte
	beyond uint64
}

// Rand returns numbers that are those of b, a byte each: of IntN(n) the byte decides, as far as 256
// values can. After the last byte, generators get what makes most of them stop: the least number
// most of the time, and others now and then, for those that draw until something suits them.
func Rand(b []byte) *rand.Rand { return rand.New(&source{rest: b}) }

// Uint64 implements rand.Source.
func (s *source) Uint64() uint64 {
	var b byte
	if len(s.rest) > 0 {
		b, s.rest = s.rest[0], s.rest[1:]
	} else if h := s.mix(); h%8 == 0 {
		b = byte(h >> 8)
	}
	// IntN of most n takes the upper half times n, and draws again if the lower half of that product
	// is small: a constant sees to it that it is not. Of powers of two it takes the
	// lowest bits.
	// Floating-point numbers take the lower 53 bits, or 32.
	v := uint64(b)
	return v<<56 | 1<<54 | v<<45 | 1<<32 | v*0x01010101
}

// mix is the next number of a sequence without a period that a loop could fall into step with
// (SplitMix64).
func (s *source) mix() uint64 {
	s.beyond += 0x9e3779b97f4a7c15
	h := (s.beyond ^ s.beyond>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
