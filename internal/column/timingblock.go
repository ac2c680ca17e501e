package column

// Each series of a block of calls, gaps and durations, has a flag of its own in
// the block's first byte: set if the numbers are signed.
const (
	signedGaps      = 1
	signedDurations = 2
)

// appendCalls encodes a block of calls. The first gap is not stored: the block's
// index entry has the first start.
func (sc *scratch) appendCalls(dst []byte, gaps, durations []uint64) []byte {
	flags := signFlag(gaps, signedGaps) | signFlag(durations, signedDurations)
	dst = append(dst, flags)
	if len(gaps) > 1 {
		dst = sc.appendSeries(dst, gaps[1:], flags&signedGaps != 0)
	}
	return sc.appendSeries(dst, durations, flags&signedDurations != 0)
}

// signFlag returns flag if some of vals are small only as signed numbers.
func signFlag(vals []uint64, flag byte) byte {
	for _, v := range vals {
		if int64(v) < 0 {
			return flag
		}
	}
	return 0
}

func (sc *scratch) appendSeries(dst []byte, vals []uint64, signed bool) []byte {
	c := &sc.a
	own := c.vals[:0]
	if c.vals = vals; signed {
		for _, v := range vals {
			own = append(own, zigzag(int64(v)))
		}
		c.vals = own
	}
	c.classify()
	dst = c.append(dst, sc)
	c.vals = own
	return dst
}

// decodeCalls decodes the whole of p, a block whose first call starts at first,
// to the calls' starts and ends.
func (sc *scratch) decodeCalls(p *input, first uint64, starts, ends []uint64) {
	flags := p.byte()
	if flags > signedGaps|signedDurations {
		p.fail("unknown flags of a block of calls")
	}
	if len(starts) > 1 {
		sc.series(p, starts[1:], flags&signedGaps != 0)
	}
	sc.series(p, ends, flags&signedDurations != 0)
	end := first
	starts[0] = 0
	for i := range starts {
		starts[i] += end
		ends[i] += starts[i]
		end = ends[i]
	}
}

func (sc *scratch) series(p *input, vals []uint64, signed bool) {
	sc.classed(p, vals)
	if signed {
		for i, v := range vals {
			vals[i] = uint64(unzigzag(v))
		}
	}
}
