package infer

import (
	"slices"

	"github.com/tabard-hpc/tabard/analysis/consistency"
)

// Admitted says for which numbers of ranks a model is: all from 1 to Tried were tried, and those
// that were recorded.
type Admitted struct {
	Tried int
	// Sizes are those at which the calls of all ranks fit together, sorted.
	Sizes []int
}

// maxTried bounds the sizes that are tried, maxTrials what there is to look at in all of them.
const (
	maxTried  = 64
	maxTrials = 1_000_000
)

// Admits tries small numbers of ranks. A grid whose sizes the caller gave is used at its own number
// of ranks only.
func (m *Model) Admits() Admitted {
	a := Admitted{Sizes: slices.Clone(m.Sizes)}
	given := m.dims
	defer func() { m.dims = given }()
	left := int64(maxTrials)
	for n := 1; n <= max(maxTried, 2*slices.Max(m.Sizes)) && left > 0; n++ {
		m.dims = map[int][]int64{}
		for id, d := range given {
			product := int64(1)
			for _, x := range d {
				product *= x
			}
			if product == int64(n) {
				m.dims[id] = d
			}
		}
		a.Tried = n
		c, err := m.At(n)
		if err != nil {
			continue
		}
		e := effort(c)
		if left -= e; e > maxChecked {
			a.Tried--
			break
		}
		list, calls, err := m.unfit(c, n)
		if err == nil && len(list) == 0 {
			a.Sizes = append(a.Sizes, n)
		}
		if calls <= consistency.MaxOrdered { // each of them was looked at
			left -= int64(calls / 4)
		}
	}
	slices.Sort(a.Sizes)
	a.Sizes = slices.Compact(a.Sizes)
	return a
}
