package trace

// bundles adds the columns that are coded together, by what they cost there.
func (c *costs) bundles() error {
	j := c.a.joint
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for k := range j.classes.len() - 1 {
		total := 0.0
		_, err := c.a.readBundle(k, func(id keyID, bits float64) { total += bits })
		if err != nil {
			return err
		}
		size, rest := c.a.columns.size(len(j.owner)+k), 0.0
		if _, err = c.a.readBundle(k, func(id keyID, bits float64) {
			rest += bits / total * float64(size)
			n := int64(rest)
			rest -= float64(n)
			c.add("columns", "columns", id.name(), 1, n)
		}); err != nil {
			return err
		}
	}
	return nil
}
