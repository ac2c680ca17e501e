package column

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
	"github.com/tabard-hpc/tabard/internal/codec/sizeclass"
)

// maxPrecision is the greatest precision of a block: see package sizeclass.
const maxPrecision = 7

// classes are numbers and their classes.
type classes struct {
	vals []uint64
	k    uint // precision
	top  uint // most low bits
	size int  // an estimate of the encoding, in bytes
}

// sampled is about how many numbers of a block are looked at to choose the precision.
const sampled = 512

// classify chooses the precision for which c.vals take the least space.
func (c *classes) classify() {
	all := uint64(0)
	for _, v := range c.vals {
		all |= v
	}
	k := uint(maxPrecision)
	for ; ; k-- {
		if class, _ := sizeclass.Of(all, k); class <= 255 {
			break
		}
	}
	var hist [256]uint32
	stride := max(1, len(c.vals)/sampled)
	n := 0
	for i := 0; i < len(c.vals); i += stride {
		class, _ := sizeclass.Of(c.vals[i], k)
		hist[byte(class)]++
		n++
	}
	// Coarser classes take more bits, but shorten the code's table.
	scale := float32(len(c.vals)) / float32(max(n, 1))
	best := classCost(&hist, k, n, scale)
	for ; k > 0; k-- {
		coarsen(&hist, k)
		s := classCost(&hist, k-1, n, scale)
		if s >= best {
			break
		}
		best = s
	}
	c.k = k
	_, c.top = sizeclass.Of(all, k)
	c.size = int(best / 8)
}

// classCost estimates the bits that numbers take. The histogram of classes is of n of them, a
// sample of one out of scale.
func classCost(hist *[256]uint32, k uint, n int, scale float32) float32 {
	cost, used := float32(0), 0
	for c, m := range hist {
		if m == 0 {
			continue
		}
		used++
		low, _ := sizeclass.Low(uint(c), k)
		cost += float32(m) * (float32(low) + log2s[n] - log2s[m])
	}
	if used == 1 {
		return scale*cost + 16
	}
	// A Huffman code costs some 2% more than the entropy, its table 4 bits a class.
	return 1.02*scale*cost + 4*float32(used) + 40
}

// log2s are the logarithms of how often a class can occur in a block.
var log2s = func() (t [maxBlock + 1]float32) {
	for i := range t {
		t[i] = float32(math.Log2(float64(max(i, 1))))
	}
	return t
}()

// coarsen changes a histogram of classes of precision k into one of precision k-1.
func coarsen(hist *[256]uint32, k uint) {
	var to [256]uint32
	for c, m := range hist {
		if m > 0 {
			_, base := sizeclass.Low(uint(c), k)
			d, _ := sizeclass.Of(base, k-1)
			to[d] += m
		}
	}
	*hist = to
}

// append encodes the numbers.
func (c *classes) append(dst []byte, sc *scratch) []byte {
	sc.syms = slices.Grow(sc.syms[:0], len(c.vals))[:len(c.vals)]
	w := byteio.NewBitWriter(sc.out[:0], uint64(len(c.vals))*uint64(c.top))
	if vals := c.vals; c.top <= byteio.MaxWidth/2 {
		n := len(vals) &^ 1
		c.splitPairs(&w, vals[:n], sc.syms)
		c.split(&w, vals[n:], sc.syms[n:])
	} else {
		c.split(&w, vals, sc.syms)
	}
	low := w.Flush()
	dst = append(sc.appendSymbols(append(dst, byte(c.k)), sc.syms, false), low...)
	sc.out = w.Out
	return dst
}

// split puts the classes of vals into syms and their low bits into w.
func (c *classes) split(w *byteio.BitWriter, vals []uint64, syms []byte) {
	for i, v := range vals {
		class, low := sizeclass.Of(v, c.k)
		syms[i] = byte(class)
		w.Write(v&mask(low), low)
	}
}

// splitPairs does the same for an even number of values with few low bits. It is
// the hot loop of timing; w.write is written out and done once for two values.
func (c *classes) splitPairs(w *byteio.BitWriter, vals []uint64, syms []byte) {
	k, out, pos, acc, n := c.k, w.Out, w.Pos, w.Acc, w.N
	for i := 0; i+1 < len(vals) && i+1 < len(syms); i += 2 {
		u, v := vals[i], vals[i+1]
		class, low := sizeclass.Of(u, k)
		syms[i] = byte(class)
		both := u & (1<<(low&63) - 1)
		class, more := sizeclass.Of(v, k)
		syms[i+1] = byte(class)
		both |= v & (1<<(more&63) - 1) << (low & 63)
		acc |= both << (n & 63)
		n += low + more
		binary.LittleEndian.PutUint64(out[pos:], acc)
		pos += int(n >> 3)
		acc >>= n & 56
		n &= 7
	}
	w.Pos, w.Acc, w.N = pos, acc, n
}

// classed reads len(vals) numbers.
func (sc *scratch) classed(p *byteio.Reader, vals []uint64) {
	k := uint(p.Byte())
	if k > maxPrecision {
		p.Fail("precision out of range")
	}
	syms := sc.symbols(p, len(vals))
	if p.Err != nil {
		clear(vals)
		return
	}
	var lows [256]uint8
	var bases [256]uint64
	for c := range lows {
		low, base := sizeclass.Low(uint(c), k)
		lows[c], bases[c] = uint8(low), base
	}
	total := uint64(0)
	for _, s := range syms {
		if lows[s] > 63 {
			p.Fail("class out of range")
		}
		total += uint64(lows[s])
	}
	r := byteio.BitReader{In: p.Bytes(bytesOf(total))}
	for i, s := range syms {
		vals[i] = bases[s] + r.Read(uint(lows[s]))
	}
}
