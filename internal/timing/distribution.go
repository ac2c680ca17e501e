package timing

import (
	"encoding/binary"
	"math"

	"tabard/internal/wire"
)

// sketchPPM makes bins of less than 4 % of their numbers.
const sketchPPM = 40_000

// SketchError is the greatest relative error of Distribution.Quantile.
const SketchError = 0.02

// maxSketchBins is above all bins of a sketch.
const maxSketchBins = 2048

// A Distribution is what is known of many numbers of ticks. Sum is exact, modulo 2^64.
type Distribution struct {
	Count    uint64
	Sum      int64
	Min, Max int64
	// MinAt and MaxAt are what a reader that merges distributions says of where Min and Max come from, such as a rank.
	MinAt, MaxAt int

	bins []binCount // ascending; of negative numbers that of 0
}

type binCount struct {
	bin uint32
	n   uint64
}

// Mean is the arithmetic mean.
func (d *Distribution) Mean() float64 { return float64(d.Sum) / float64(max(d.Count, 1)) }

// Quantile returns a number that differs from the q-quantile, 0 <= q <= 1, by at most SketchError of it (the one of
// rank floor(q*(Count-1)) in ascending order, negative numbers counting as 0). After DDSketch (Masson, Rim, Lee, PVLDB 12, 2019).
func (d *Distribution) Quantile(q float64) int64 {
	if d.Count == 0 {
		return 0
	}
	rank := uint64(math.Floor(min(max(q, 0), 1) * float64(d.Count-1)))
	b := newBins(sketchPPM, 0, true)
	for _, c := range d.bins {
		if rank < c.n {
			return min(max(int64(b.middle(uint64(c.bin))), d.Min), d.Max)
		}
		rank -= c.n
	}
	return d.Max
}

// Bins calls f for each range of numbers that occur, from up to but not including to, and how many there are.
func (d *Distribution) Bins(f func(from, to uint64, n uint64)) {
	b := newBins(sketchPPM, 0, true)
	for _, c := range d.bins {
		start, width := b.at(uint64(c.bin))
		f(start, start+width, c.n)
	}
}

// Merge adds the numbers of o, which is not changed.
func (d *Distribution) Merge(o *Distribution) {
	if o.Count == 0 {
		return
	}
	if d.Count == 0 || o.Min < d.Min {
		d.Min, d.MinAt = o.Min, o.MinAt
	}
	if d.Count == 0 || o.Max > d.Max {
		d.Max, d.MaxAt = o.Max, o.MaxAt
	}
	d.Count += o.Count
	d.Sum += o.Sum
	x, y := d.bins, o.bins
	out := make([]binCount, 0, max(len(x), len(y)))
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0].bin < y[0].bin:
			out, x = append(out, x[0]), x[1:]
		case x[0].bin > y[0].bin:
			out, y = append(out, y[0]), y[1:]
		default:
			out = append(out, binCount{x[0].bin, x[0].n + y[0].n})
			x, y = x[1:], y[1:]
		}
	}
	d.bins = append(append(out, x...), y...)
}

func (d *Distribution) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, d.Count)
	dst = wire.AppendVarint(dst, d.Sum)
	dst = wire.AppendVarint(dst, d.Min)
	dst = binary.AppendUvarint(dst, uint64(d.Max-d.Min))
	dst = binary.AppendUvarint(dst, uint64(len(d.bins)))
	next := uint32(0)
	for _, c := range d.bins {
		dst = binary.AppendUvarint(dst, uint64(c.bin-next))
		dst = binary.AppendUvarint(dst, c.n)
		next = c.bin + 1
	}
	return dst
}

func (d *Distribution) read(p *input) {
	d.Count, d.Sum, d.Min = p.uvarint(), p.varint(), p.varint()
	d.Max = d.Min + int64(p.uvarint())
	n, next, total := p.count(), uint64(0), uint64(0)
	for range n {
		bin := next + p.uvarint()
		c := p.uvarint()
		if bin >= maxSketchBins || c > d.Count-total || c == 0 {
			p.fail("sketch out of range")
		}
		if p.err != nil {
			return
		}
		total += c
		next = bin + 1
		d.bins = append(d.bins, binCount{uint32(bin), c})
	}
	if p.err == nil && (total != d.Count || d.Max < d.Min || d.Count == 0) {
		p.fail("sketch of other numbers")
	}
}

// A counter is a distribution that is being counted.
type counter struct {
	d      Distribution
	counts []uint64 // by bin - least
	least  uint32
}

var sketchBins = newBins(sketchPPM, 0, true)

func (c *counter) add(v int64) {
	if c.d.Count == 0 {
		c.d.Min, c.d.Max = v, v
	}
	c.d.Count++
	c.d.Sum += v
	c.d.Min, c.d.Max = min(c.d.Min, v), max(c.d.Max, v)
	bin, _ := sketchBins.find(uint64(min(max(v, 0), maxValue-1)))
	i := uint32(bin) - c.least
	if int(i) >= len(c.counts) {
		i = c.grow(uint32(bin))
	}
	c.counts[i]++
}

// grow makes room for a bin.
func (c *counter) grow(bin uint32) uint32 {
	if len(c.counts) == 0 {
		c.least = bin
	}
	if bin < c.least {
		more := min(c.least, max(c.least-bin, uint32(len(c.counts)/2)))
		c.counts = append(make([]uint64, more, int(more)+len(c.counts)), c.counts...)
		c.least -= more
	}
	for uint32(len(c.counts)) <= bin-c.least {
		c.counts = append(c.counts, 0)
	}
	return bin - c.least
}

// distribution is what was counted.
func (c *counter) distribution() Distribution {
	d := c.d
	d.bins = nil
	for i, n := range c.counts {
		if n != 0 {
			d.bins = append(d.bins, binCount{c.least + uint32(i), n})
		}
	}
	return d
}

// restore goes on with d.
func (c *counter) restore(d *Distribution) {
	c.d = *d
	c.d.bins = nil
	for _, b := range d.bins {
		i := b.bin - c.least
		if int(i) >= len(c.counts) {
			i = c.grow(b.bin)
		}
		c.counts[i] = b.n
	}
}
