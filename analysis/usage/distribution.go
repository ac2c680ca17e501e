package usage

import (
	"encoding/json"
	"math/bits"
	"time"
)

// Distribution is the distribution of durations, in bins of which eight divide a power of two: a quantile is off by at
// most 6.25 % (and 0.5 ns).
type Distribution struct {
	bins  []uint32 // by number, may be short; what does not fit is left out
	count uint64
}

// subBins is the binary logarithm of the bins of a power of two.
const subBins = 3

// bin is the bin of a duration; negative ones count as 0.
func bin(d time.Duration) int {
	v := uint64(max(d, 0))
	if v < 1<<subBins {
		return int(v)
	}
	e := bits.Len64(v) - 1 - subBins
	return e<<subBins + int(v>>e)
}

// span is the durations of a bin: from up to, but not including, to.
func span(b int) (from, to time.Duration) {
	if b < 2<<subBins {
		return time.Duration(b), time.Duration(b + 1)
	}
	e := b>>subBins - 1
	m := uint64(b&(1<<subBins-1) | 1<<subBins)
	return time.Duration(m << e), time.Duration((m + 1) << e)
}

func (d *Distribution) add(t time.Duration) {
	b := bin(t)
	if b >= len(d.bins) {
		d.grow(b)
	}
	if n := &d.bins[b]; *n != 1<<32-1 {
		*n++
	}
	d.count++
}

// grow makes room for a bin.
func (d *Distribution) grow(b int) {
	for len(d.bins) <= b {
		d.bins = append(d.bins, 0)
	}
}

// Merge adds the durations of another distribution.
func (d *Distribution) Merge(o *Distribution) { d.merge(o) }

func (d *Distribution) merge(o *Distribution) {
	for len(d.bins) < len(o.bins) {
		d.bins = append(d.bins, 0)
	}
	for b, n := range o.bins {
		if d.bins[b] += n; d.bins[b] < n {
			d.bins[b] = 1<<32 - 1
		}
	}
	d.count += o.count
}

// Count is the number of durations.
func (d *Distribution) Count() uint64 { return d.count }

// Quantile is the duration that a fraction q of all do not exceed: the middle of its bin, 0 without any.
func (d *Distribution) Quantile(q float64) time.Duration {
	all, sum := uint64(0), uint64(0)
	for _, n := range d.bins { // fewer than count where a bin is full
		all += uint64(n)
	}
	want := uint64(q * float64(all))
	want = min(max(want, 1), all)
	for b, n := range d.bins {
		if sum += uint64(n); n > 0 && sum >= want {
			from, to := span(b)
			return from + (to-from)/2
		}
	}
	return 0
}

// Excess is how much longer the calls took than they would have, had all been as fast as the fastest tenth: with q the
// 0.1-quantile, the sum of what durations exceed q by. Where like calls share something, a disk, a network, a lock, that is
// what contention costs at most.
func (d *Distribution) Excess() time.Duration {
	q := d.Quantile(0.1)
	sum := time.Duration(0)
	for b, n := range d.bins {
		from, to := span(b)
		if mid := from + (to-from)/2; n > 0 && mid > q {
			sum += time.Duration(n) * (mid - q)
		}
	}
	return sum
}

// Bin is durations from From up to, but not including, To.
type Bin struct {
	From  time.Duration `json:"from_ns"`
	To    time.Duration `json:"to_ns"`
	Count uint64        `json:"count"`
}

// Bins lists the bins that are not empty.
func (d *Distribution) Bins() (bins []Bin) {
	for b, n := range d.bins {
		if n > 0 {
			from, to := span(b)
			bins = append(bins, Bin{from, to, uint64(n)})
		}
	}
	return bins
}

// MarshalJSON gives count, quantiles, excess and bins.
func (d *Distribution) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Count  uint64        `json:"count"`
		P10    time.Duration `json:"p10_ns"`
		P50    time.Duration `json:"p50_ns"`
		P90    time.Duration `json:"p90_ns"`
		P99    time.Duration `json:"p99_ns"`
		Excess time.Duration `json:"excess_ns"`
		Bins   []Bin         `json:"bins"`
	}{d.count, d.Quantile(.1), d.Quantile(.5), d.Quantile(.9), d.Quantile(.99), d.Excess(), d.Bins()})
}
