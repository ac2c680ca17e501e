package export

import (
	"math"
	"time"
)

// binned is the mean of a quantity over time in bins of equal length, for some rows.
type binned struct {
	from  time.Duration
	width float64 // of a bin, in nanoseconds
	n     int
	diff  []float32 // by row and bin: by how much the mean differs from that of the bin before
}

// Bounds of the number of bins: together they take at most 4 bytes times maxCells.
const (
	maxBins  = 512
	minBins  = 8
	maxCells = 1 << 22
)

func newBinned(rows int, from, to time.Duration) *binned {
	n := max(minBins, min(maxBins, maxCells/max(rows, 1)))
	return &binned{from: from, width: max(float64(to-from)/float64(n), 1), n: n, diff: make([]float32, rows*(n+2))}
}

// add adds a value that a row has from a time to another one. What lies outside is left out.
func (b *binned) add(row int, from, to time.Duration, value float64) {
	if row >= 0 {
		b.step(row, from, value)
		b.step(row, to, -value)
	}
}

// step changes the value of a row at a time.
func (b *binned) step(row int, at time.Duration, value float64) {
	x := max(float64(at-b.from)/b.width, 0)
	i := int(min(math.Floor(x), float64(b.n)))
	part := min(x-float64(i), 1)
	cells := b.diff[row*(b.n+2):]
	cells[i] += float32(value * (1 - part))
	cells[i+1] += float32(value * part)
}

// each yields the begin of each bin of a row and its mean, where that changes.
func (b *binned) each(row int, yield func(at time.Duration, mean float64)) {
	cells, sum, last := b.diff[row*(b.n+2):(row+1)*(b.n+2)], 0.0, math.NaN()
	for i := range b.n {
		sum += float64(cells[i])
		if sum != last {
			yield(b.from+time.Duration(float64(i)*b.width), sum)
		}
		last = sum
	}
}

// clear makes all values 0.
func (b *binned) clear() { clear(b.diff) }
