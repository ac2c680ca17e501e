package column

import "slices"

const (
	maxDistinct  = 1024
	distinctBits = 12
)

// A distinctTable numbers the different values of a block.
type distinctTable struct {
	slots   [1 << distinctBits]uint16 // number + 1, 0: free
	vals    []int64                   // by number, in order of first occurrence
	numbers []uint16                  // of the block's values
	sorted  []int64
	rank    []uint16 // by number
}

// slot returns the slot of v, which may be free.
func (d *distinctTable) slot(v int64) *uint16 {
	i := uint64(v) * 0x9e3779b97f4a7c15 >> (64 - distinctBits)
	for {
		s := &d.slots[i]
		if *s == 0 || d.vals[*s-1] == v {
			return s
		}
		i = (i + 1) & (1<<distinctBits - 1)
	}
}

// fill makes the table of the different values in vals. It returns false if there
// are more than limit, which is at most maxDistinct.
func (d *distinctTable) fill(vals []int64, limit int) bool {
	clear(d.slots[:])
	d.vals = d.vals[:0]
	d.numbers = slices.Grow(d.numbers[:0], len(vals))[:len(vals)]
	for i, v := range vals {
		s := d.slot(v)
		if *s == 0 {
			if len(d.vals) == limit {
				return false
			}
			d.vals = append(d.vals, v)
			*s = uint16(len(d.vals))
		}
		d.numbers[i] = *s - 1
	}
	return true
}

// sort returns the values in order, and fills rank accordingly.
func (d *distinctTable) sort() []int64 {
	d.sorted = append(d.sorted[:0], d.vals...)
	slices.Sort(d.sorted)
	d.rank = slices.Grow(d.rank[:0], len(d.vals))[:len(d.vals)]
	for r, v := range d.sorted {
		d.rank[*d.slot(v)-1] = uint16(r)
	}
	return d.sorted
}
