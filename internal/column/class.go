package column

import (
	"math"
	"math/bits"
	"slices"
)

// A class groups numbers of like size. With k bits of precision the numbers
// below 2^(k+1) are classes of their own, and each octave above has 2^k classes;
// the bits of a number that its class leaves open are its low bits. Classes go
// to an entropy coder, low bits are stored as they are.
//
// The scheme is that of Exp-Golomb codes and HdrHistogram's buckets.

const maxPrecision = 7

// classOf returns the class of v and the number of its low bits.
func classOf(v uint64, k uint) (class, low uint) {
	low = uint(bits.Len64(v|1<<k)) - 1 - k
	return low<<k + uint(v>>low), low
}

// lowBits returns the number of low bits of a class, and the class's least number.
func lowBits(class, k uint) (low uint, base uint64) {
	if class < 2<<k {
		return 0, uint64(class)
	}
	low = class>>k - 1
	return low, uint64(class-low<<k) << low
}

// classes are numbers and their classes.
type classes struct {
	vals []uint64
	syms []byte
	k    uint // precision of syms
	best uint // precision that takes the least space
	size int  // an estimate of that, in bytes
}

// classify determines classes and precision for c.vals.
func (c *classes) classify() {
	all := uint64(0)
	for _, v := range c.vals {
		all |= v
	}
	for c.k = maxPrecision; ; c.k-- {
		if top, _ := classOf(all, c.k); top <= 255 {
			break
		}
	}
	c.syms = slices.Grow(c.syms[:0], len(c.vals))[:len(c.vals)]
	var hist [256]uint32
	for i, v := range c.vals {
		s, _ := classOf(v, c.k)
		c.syms[i] = byte(s)
		hist[byte(s)]++
	}
	best := math.Inf(1)
	for k := c.k; ; k-- {
		if s := classCost(&hist, k, len(c.vals)); s < best {
			best, c.best = s, k
		}
		if k == 0 {
			break
		}
		coarsen(&hist, k)
	}
	c.size = int(best / 8)
}

// classCost estimates the bits that n numbers with the given histogram of classes take.
func classCost(hist *[256]uint32, k uint, n int) float64 {
	cost, used := 0.0, 0
	for c, m := range hist {
		if m == 0 {
			continue
		}
		used++
		low, _ := lowBits(uint(c), k)
		cost += float64(m) * (float64(low) + log2(n) - log2(int(m)))
	}
	if used == 1 {
		return cost + 16
	}
	// A Huffman code costs some 2% more than the entropy, its table 4 bits a class.
	return 1.02*cost + 4*float64(used) + 40
}

// log2 is a table for what a block can hold.
func log2(n int) float64 {
	if n < len(log2s) {
		return log2s[n]
	}
	return math.Log2(float64(n))
}

var log2s = func() (t [maxBlock + 1]float64) {
	for i := range t {
		t[i] = math.Log2(float64(max(i, 1)))
	}
	return t
}()

// coarsen changes a histogram of classes of precision k into one of precision k-1.
func coarsen(hist *[256]uint32, k uint) {
	var to [256]uint32
	for c, m := range hist {
		if m > 0 {
			_, base := lowBits(uint(c), k)
			d, _ := classOf(base, k-1)
			to[d] += m
		}
	}
	*hist = to
}

// append encodes the numbers.
func (c *classes) append(dst []byte, sc *scratch) []byte {
	var to, lows [256]uint8
	for s := range to {
		_, base := lowBits(uint(s), c.k)
		t, low := classOf(base, c.best)
		to[s], lows[s] = uint8(t), uint8(low)
	}
	total := uint64(0)
	for i, s := range c.syms {
		total += uint64(lows[s])
		c.syms[i] = to[s]
	}
	dst = sc.appendSymbols(append(dst, byte(c.best)), c.syms, false)
	w := newBitWriter(dst, total)
	for _, v := range c.vals {
		_, low := classOf(v, c.best)
		w.write(v&mask(low), low)
	}
	return w.flush()
}

// classed reads len(vals) numbers.
func (sc *scratch) classed(p *input, vals []uint64) {
	k := uint(p.byte())
	if k > maxPrecision {
		p.fail("precision out of range")
	}
	syms := sc.symbols(p, len(vals))
	if p.err != nil {
		clear(vals)
		return
	}
	var lows [256]uint8
	var bases [256]uint64
	for c := range lows {
		low, base := lowBits(uint(c), k)
		lows[c], bases[c] = uint8(low), base
	}
	total := uint64(0)
	for _, s := range syms {
		if lows[s] > 63 {
			p.fail("class out of range")
		}
		total += uint64(lows[s])
	}
	r := bitReader{in: p.bytes(bytesOf(total))}
	for i, s := range syms {
		vals[i] = bases[s] + r.read(uint(lows[s]))
	}
}
