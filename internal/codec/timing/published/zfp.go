package published

import (
	"math"
	"math/bits"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// The body of a zfp buffer is, for each run of values with one bound, the bits of zfp's
// fixed-accuracy mode for doubles in one dimension, without its header, padded to a byte. The bits
// of a block of four values are 0 if all of them decode to 0, else 1, the exponent (11 bits, biased
// by 1023), and bit planes, the most significant first. A plane begins with the bits of the
// coefficients that were nonzero in a plane before. Then, as long as there are others, a bit says
// whether one of them is nonzero, and if so, the bits up to the first such one follow.

const (
	zfpExponentBits = 11
	zfpBias         = 1<<(zfpExponentBits-1) - 1
	zfpNegabinary   = 0xaaaaaaaaaaaaaaaa
)

// zfpMinExponent is the exponent of the greatest power of two that is not above the bound.
func zfpMinExponent(bound float64) int {
	_, e := math.Frexp(bound)
	return e - 1
}

// zfpPlanes is the number of bit planes of a block with exponent e that an error of 2^least needs.
func zfpPlanes(e, least int) int { return min(64, max(0, e-least+4)) }

func encodeZFP(dst []byte, b *buffer) []byte {
	from := 0
	w := byteio.NewBitWriter(dst, 0)
	for _, to := range b.cuts {
		if from == to {
			continue
		}
		least := zfpMinExponent(b.bounds.of(b.classes[from]))
		for ; from < to; from += min(4, to-from) {
			var block [4]float64
			n := min(4, to-from)
			for i, v := range b.values[from : from+n] {
				block[i] = float64(v)
			}
			zfpPad(&block, n)
			zfpEncode(&w, &block, least)
		}
		w.Flush()
	}
	return w.Flush()
}

// zfpPad completes a block of n values.
func zfpPad(p *[4]float64, n int) {
	if n <= 1 {
		p[1] = p[0]
	}
	if n <= 2 {
		p[2] = p[1]
	}
	if n <= 3 {
		p[3] = p[0]
	}
}

func zfpEncode(w *byteio.BitWriter, block *[4]float64, least int) {
	most := max(math.Abs(block[0]), math.Abs(block[1]), math.Abs(block[2]), math.Abs(block[3]))
	e := -zfpBias
	if most > 0 {
		_, e = math.Frexp(most)
	}
	planes := zfpPlanes(e, least)
	if planes == 0 || most == 0 {
		w.Write(0, 1)
		return
	}
	w.Write(uint64(e+zfpBias)<<1|1, zfpExponentBits+1)
	var x [4]int64
	for i, v := range block {
		x[i] = int64(math.Ldexp(v, 62-e))
	}
	zfpForward(&x)
	var u [4]uint64
	for i, v := range x {
		u[i] = (uint64(v) + zfpNegabinary) ^ zfpNegabinary
	}
	zfpPutPlanes(w, &u, planes)
}

// zfpForward is the lifted transform
//
//	        ( 4  4  4  4)
//	1/16 *  ( 5  1 -1 -5)
//	        (-4  4  4 -4)
//	        (-2  6 -6  2)
func zfpForward(p *[4]int64) {
	x, y, z, w := p[0], p[1], p[2], p[3]
	x += w
	x >>= 1
	w -= x
	z += y
	z >>= 1
	y -= z
	x += z
	x >>= 1
	z -= x
	w += y
	w >>= 1
	y -= w
	w += y >> 1
	y -= w >> 1
	*p = [4]int64{x, y, z, w}
}

func zfpInverse(p *[4]int64) {
	x, y, z, w := p[0], p[1], p[2], p[3]
	y += w >> 1
	w -= y >> 1
	y += w
	w -= y - w
	z += x
	x -= z - x
	y += z
	z -= y - z
	w += x
	x -= w - x
	*p = [4]int64{x, y, z, w}
}

func zfpPutPlanes(w *byteio.BitWriter, u *[4]uint64, planes int) {
	n := uint(0) // coefficients that are known to be significant
	for k := 63; k >= 64-planes; k-- {
		x := u[0]>>k&1 | u[1]>>k&1<<1 | u[2]>>k&1<<2 | u[3]>>k&1<<3
		w.Write(x&(1<<n-1), n)
		x >>= n
		for n < 4 {
			if x == 0 {
				w.Write(0, 1)
				break
			}
			w.Write(1, 1)
			// The last coefficient needs no bit: it must be the one.
			zeros := uint(bits.TrailingZeros64(x))
			if n+zeros < 3 {
				w.Write(1<<zeros, zeros+1)
			} else {
				w.Write(0, zeros)
			}
			x >>= zeros + 1
			n += zeros + 1
		}
	}
}

func zfpGetPlanes(r *bitReader, u *[4]uint64, planes int) {
	n := uint(0)
	for k := 63; k >= 64-planes; k-- {
		x := r.Read(n)
		for n < 4 && r.Read(1) == 1 {
			for n < 3 && r.Read(1) == 0 {
				n++
				if r.over() {
					return
				}
			}
			x |= 1 << n
			n++
		}
		for i := range u {
			u[i] |= x >> i & 1 << k
		}
	}
}

func decodeZFP(p *input, b *buffer) {
	r := bitReader{BitReader: byteio.BitReader{In: p.Bytes(uint64(p.Left()))}}
	from := 0
	for _, to := range b.cuts {
		if from == to {
			continue
		}
		least := zfpMinExponent(b.bounds.of(b.classes[from]))
		for ; from < to; from += min(4, to-from) {
			var block [4]float64
			zfpDecode(&r, &block, least)
			if r.over() {
				p.Fail("the bits end too early")
				return
			}
			for i := range b.values[from:min(from+4, to)] {
				b.values[from+i] = toUint(block[i])
			}
		}
		r.Pos = 8 * uint(r.Used())
	}
	if r.rest() {
		p.Fail("more bits than values")
	}
}

func zfpDecode(r *bitReader, block *[4]float64, least int) {
	if r.Read(1) == 0 {
		return
	}
	e := int(r.Read(zfpExponentBits)) - zfpBias
	var u [4]uint64
	zfpGetPlanes(r, &u, zfpPlanes(e, least))
	var x [4]int64
	for i, v := range u {
		x[i] = int64((v ^ zfpNegabinary) - zfpNegabinary)
	}
	zfpInverse(&x)
	for i, v := range x {
		block[i] = math.Ldexp(float64(v), e-62)
	}
}

// toUint rounds to the nearest number that there is.
func toUint(v float64) uint64 {
	v = math.Round(v)
	switch {
	case !(v > 0):
		return 0
	case v >= 1<<64:
		return math.MaxUint64
	}
	return uint64(v)
}
