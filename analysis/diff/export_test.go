package diff

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// Certain counts the ranks whose first outcome that differs is not looked for, and all. It is an error if one of the
// former has such an outcome.
func Certain(a, b *archive.Archive, o Options) (certain, all int, err error) {
	defer func(n uint64) { callsPerTerminal = n }(callsPerTerminal)
	callsPerTerminal = 0
	c := newComparison(a, b, o)
	if err := c.all(); err != nil {
		return 0, 0, err
	}
	for i := range c.compared {
		k := &c.compared[i]
		for rank := range k.ranks.All() {
			all++
			if !k.certain(rank) {
				continue
			}
			certain++
			if x, _, err := c.arrivalAt(k, rank, maxArrivals); x != nil || err != nil {
				return 0, 0, fmt.Errorf("rank %d: %+v, %v", rank, x, err)
			}
		}
	}
	return certain, all, nil
}
