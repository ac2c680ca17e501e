package column

import "slices"

const (
	maxDistinct  = 1024
	distinctBits = 12
)

// A distinctTable counts and numbers different values of a block.
type distinctTable struct {
	slots [1 << distinctBits]uint16 // number + 1, 0: free
	vals  []int64
	rank  []uint16
}

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
	for _, v := range vals {
		if s := d.slot(v); *s == 0 {
			if len(d.vals) == limit {
				return false
			}
			d.vals = append(d.vals, v)
			*s = uint16(len(d.vals))
		}
	}
	return true
}

// sort orders the values and makes rank what number returns.
func (d *distinctTable) sort() {
	order := make([]uint16, len(d.vals))
	for i := range order {
		order[i] = uint16(i)
	}
	slices.SortFunc(order, func(a, b uint16) int {
		if d.vals[a] < d.vals[b] {
			return -1
		}
		return 1
	})
	d.rank = slices.Grow(d.rank[:0], len(order))[:len(order)]
	for r, i := range order {
		d.rank[i] = uint16(r)
	}
}

// number returns the rank of v, which is in the table, among all values.
func (d *distinctTable) number(v int64) uint16 { return d.rank[*d.slot(v)-1] }
