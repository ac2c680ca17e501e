package grammar

// Fill sets dst to the next terminals and returns how many there are: fewer than len(dst) only at
// the end. Repetitions of a rule are copied from the first one, without walking the rule again.
func (c *Cursor) Fill(dst []uint32) int {
	n := 0
	for n < len(dst) && c.left > 0 {
		k := min(c.left, uint64(len(dst)-n))
		run := dst[n : n+int(k)]
		t := c.body[c.k].ID
		for i := range run {
			run[i] = t
		}
		n += len(run)
		c.pos += k
		if c.left -= k; c.left == 0 {
			n += c.repeat(dst, n)
			c.advance()
		}
	}
	return n
}

// repeat copies further repetitions of the rules that end with the current symbol, as far as dst
// holds one of them that ends at n, and returns how many terminals these are.
func (c *Cursor) repeat(dst []uint32, n int) int {
	for d := len(c.stack) - 1; d >= 0 && c.k+1 == len(c.body); d-- {
		p := &c.stack[d]
		if p.left == 0 {
			c.body, c.k = p.body, p.k
			c.stack = c.stack[:d]
			continue
		}
		size := c.x.lenOf(p.body[p.k].ID)
		if size > uint64(n) {
			return 0
		}
		times := min(p.left, uint64(len(dst)-n)/size)
		end := n + int(times*size)
		for at := n; at < end; {
			at += copy(dst[at:end], dst[n-int(size):at])
		}
		p.left -= times
		c.pos += times * size
		return end - n
	}
	return 0
}
