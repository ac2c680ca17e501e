package timing

import (
	"encoding/binary"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
	"github.com/tabard-hpc/tabard/internal/codec/quantile"
)

// sketchPPM makes bins of less than 4 % of their numbers. It is part of the format, so these are
// not the bins of quantile.Sketch, to which readers pass on what Bins tells.
const sketchPPM = 40_000

// maxSketchBins is above all bins of a distribution.
const maxSketchBins = 2048

// A Distribution is what is known of many numbers of ticks. Sum is exact, modulo 2^64.
type Distribution struct {
	Count    uint64
	Sum      int64
	Min, Max int64

	bins quantile.Counts // of negative numbers that of 0
}

var sketchBins = newBins(sketchPPM, 0, true)

func (d *Distribution) add(v int64) {
	if d.Count == 0 {
		d.Min, d.Max = v, v
	}
	d.Count++
	d.Sum += v
	d.Min, d.Max = min(d.Min, v), max(d.Max, v)
	bin, _ := sketchBins.find(uint64(min(max(v, 0), maxValue-1)))
	d.bins.Add(int(bin), 1)
}

// Mean is the arithmetic mean.
func (d *Distribution) Mean() float64 { return float64(d.Sum) / float64(max(d.Count, 1)) }

// Bins calls f for each range of numbers that occur, from up to but not including to, and how many
// there are.
func (d *Distribution) Bins(f func(from, to uint64, n uint64)) {
	for bin, n := range d.bins.All() {
		start, width := sketchBins.at(uint64(bin))
		f(start, start+width, n)
	}
}

func (d *Distribution) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, d.Count)
	dst = byteio.AppendVarint(dst, d.Sum)
	dst = byteio.AppendVarint(dst, d.Min)
	dst = binary.AppendUvarint(dst, uint64(d.Max-d.Min))
	bins := 0
	for range d.bins.All() {
		bins++
	}
	dst = binary.AppendUvarint(dst, uint64(bins))
	next := 0
	for bin, n := range d.bins.All() {
		dst = binary.AppendUvarint(dst, uint64(bin-next))
		dst = binary.AppendUvarint(dst, n)
		next = bin + 1
	}
	return dst
}

func (d *Distribution) read(p *byteio.Reader) {
	d.Count, d.Sum, d.Min = p.Uvarint(), p.Varint(), p.Varint()
	d.Max = d.Min + int64(p.Uvarint())
	n, next, total := p.Count(), uint64(0), uint64(0)
	for range n {
		bin := next + p.Uvarint()
		c := p.Uvarint()
		if bin < next || bin >= maxSketchBins || c > d.Count-total || c == 0 {
			p.Fail("sketch out of range")
		}
		if p.Err != nil {
			return
		}
		total += c
		next = bin + 1
		d.bins.Add(int(bin), c)
	}
	if p.Err == nil && (total != d.Count || d.Max < d.Min || d.Count == 0) {
		p.Fail("sketch of other numbers")
	}
}
