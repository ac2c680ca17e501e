package selection

// Run is the calls of step k, below Len, and how many steps from k on follow one another with
// equally many calls; n is at least 1. Step k+i has the calls from r.From + i*r.Len() on. So the
// time to go through all steps depends only on what differs between them.
func (s *StreamSteps) Run(k uint64) (r Range, n uint64, err error) {
	if s.regions != nil {
		r, err = s.regions.span(k, k)
		return r, 1, err
	}
	from, to, n := s.it.Run(k)
	if r, err = s.calls(from, to); err != nil {
		return r, 1, err
	}
	// Somewhere between there may be runs of polls and the recorder's own records.
	if s.tries > 0 {
		n = min(n, s.tries)
	}
	for ; n > 1 && to > from && r.Len() == to-from; n /= 2 {
		all, err := s.calls(from, from+n*(to-from))
		if err != nil {
			return r, 1, err
		}
		if all.Len() == n*(to-from) {
			if s.tries > 0 {
				s.tries = 4 * n
			}
			return r, n, nil
		}
		s.tries = max(2, n)
	}
	return r, 1, nil
}

// calls is the calls of visible events.
func (s *StreamSteps) calls(from, to uint64) (r Range, err error) {
	if r.From, err = s.stream.CallsBefore(s.word.event(from)); err != nil {
		return r, err
	}
	r.To, err = s.stream.CallsBefore(s.word.event(to))
	return r, err
}

// A StepCursor finds the steps of calls that come in order.
type StepCursor struct {
	of   *StreamSteps
	len  uint64
	k, n uint64 // first step of a run, and how many
	r    Range  // of all of them
	each uint64 // calls of a step
	// the step of the latest call
	step uint64
	in   Range
}

// Cursor makes a cursor at the first step.
func (s *StreamSteps) Cursor() *StepCursor { return &StepCursor{of: s, len: s.Len()} }

// Near is Find for calls whose step is not far from that of the call before. It may be used at the
// same time as other results of the StepIndex, and is ok for most calls.
func (c *StepCursor) Near(call uint64) (step uint64, ok bool) {
	if call-c.in.From < c.in.To-c.in.From {
		return c.step, true
	}
	if call < c.r.From || call >= c.r.To {
		return 0, false
	}
	if c.in.To <= call && call < c.in.To+c.each {
		c.step++
		c.in = Range{c.in.To, c.in.To + c.each}
		return c.step, true
	}
	i := (call - c.r.From) / c.each
	c.step = c.k + i
	c.in = Range{c.r.From + i*c.each, c.r.From + (i+1)*c.each}
	return c.step, true
}

// Range is the calls of the step of the latest call that was found, and of the steps around it that
// follow one another with as many calls and have the same number when that is divided by stride.
func (c *StepCursor) Range(stride uint64) Range {
	if stride <= 1 {
		return c.in
	}
	first := max(c.step/stride*stride, c.k)
	n := min((c.step/stride+1)*stride, c.k+c.n) - first
	from := c.r.From + (first-c.k)*c.each
	return Range{from, from + n*c.each}
}

// Find is the step that a call is in, if it is in any. Calls must not become less.
func (c *StepCursor) Find(call uint64) (step uint64, ok bool, err error) {
	for call >= c.r.To {
		if c.k+c.n >= c.len {
			return 0, false, nil
		}
		c.k += c.n
		r, n, err := c.of.Run(c.k)
		if err != nil {
			return 0, false, err
		}
		c.n, c.each = n, r.Len()
		c.r = Range{r.From, r.From + n*r.Len()}
		c.step, c.in = c.k-1, Range{r.From, r.From} // as if the call before were in the step before
	}
	step, ok = c.Near(call)
	return step, ok, nil
}
