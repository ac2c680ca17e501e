package selection

// Chooser makes what tells whether a call is selected, for analyses that come by calls of all streams in any order.
// What cannot be read is not selected: whoever reads it finds the error.
func (r *Resolved) Chooser() func(stream int, terminal uint32, call uint64) bool {
	parts := map[int]*Part{}
	return func(stream int, terminal uint32, call uint64) bool {
		p, ok := parts[stream]
		if !ok {
			p, _ = r.Part(r.Archive.Stream(stream))
			parts[stream] = p
		}
		return p != nil && p.Selects(terminal, call)
	}
}

// Selects tells whether a call of the stream is selected.
func (p *Part) Selects(terminal uint32, call uint64) bool {
	if call < p.Range.From || call >= p.Range.To {
		return false
	}
	if err := p.choose(); err != nil || p.terms[terminal].none() {
		return false
	}
	c := &p.terms[terminal]
	if in, _ := p.Inside(call); c.split && !in {
		return false
	}
	if c.all {
		return true
	}
	k, err := p.Stream.CallAt(call)
	if err != nil {
		return false
	}
	ok, err := p.Has(k)
	return ok && err == nil
}
