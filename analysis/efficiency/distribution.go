package efficiency

import (
	"time"

	"github.com/tabard-hpc/tabard/internal/codec/quantile"
)

// Distribution is the distribution of durations.
type Distribution struct{ sketch quantile.Sketch }

// add counts a duration; negative ones count as 0.
func (d *Distribution) add(t time.Duration) { d.sketch.Add(uint64(max(t, 0))) }

// Merge adds the durations of another distribution.
func (d *Distribution) Merge(o *Distribution) { d.sketch.Merge(&o.sketch) }

// Count is the number of durations.
func (d *Distribution) Count() uint64 { return d.sketch.Count() }

// Quantile is the duration that a part q, 0 to 1, of all do not exceed, with an error of at most
// quantile.Error; 0 without any.
func (d *Distribution) Quantile(q float64) time.Duration { return time.Duration(d.sketch.Quantile(q)) }

// Excess is how much longer the calls took than they would have, had all been as fast as the
// fastest tenth: with q the 0.1-quantile, the sum of what durations exceed q by. Where like calls
// share something, a disk, a network, a lock, that is what contention costs at most.
func (d *Distribution) Excess() time.Duration {
	return time.Duration(d.sketch.Above(uint64(d.Quantile(0.1))))
}

// Bin is durations from From up to, but not including, To.
type Bin struct {
	From  time.Duration
	To    time.Duration
	Count uint64
}

// Bins lists the bins that are not empty, of which eight divide a power of two.
func (d *Distribution) Bins() (bins []Bin) {
	for _, b := range d.sketch.Bins(8) {
		bins = append(bins, Bin{time.Duration(b.From), time.Duration(b.To), b.Count})
	}
	return bins
}
