package archive

import "github.com/tabard-hpc/tabard/spec"

// bundleCosts is told the bits that the columns of a parameter take at a call site.
type bundleCosts func(fn spec.ID, slot, field int, bits float64)

// bundles adds the columns that are coded together, by what they cost there.
func (c *costs) bundles() error {
	j := c.a.bundles
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for k := range j.classes.len() - 1 {
		total := 0.0
		sum := func(_ spec.ID, _, _ int, bits float64) { total += bits }
		if _, err := c.a.readBundle(k, nil, &j.left, sum); err != nil {
			return err
		}
		size, rest := c.a.columns.size(len(j.owner)+k), 0.0
		share := func(fn spec.ID, slot, field int, bits float64) {
			rest += bits / total * float64(size)
			n := int64(rest)
			rest -= float64(n)
			c.add("columns", "columns", columnNameOf(fn, &ColumnSpec{Slot: slot, Field: field}), 1, n)
		}
		if _, err := c.a.readBundle(k, nil, &j.left, share); err != nil {
			return err
		}
	}
	return nil
}
