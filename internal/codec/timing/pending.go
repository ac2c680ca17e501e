package timing

import "slices"

// pending is the numbers of calls that are not in a block yet. Nearly all fit 32 bits, and a collector holds these for
// each thread that it records.
type pending struct {
	gaps, durations []uint32
	far             []farCall // those that do not fit, in order
}

// A farCall is call i, if one of its numbers does not fit 32 bits.
type farCall struct {
	i             int
	gap, duration uint64
}

// set sets call i; all before are set.
func (p *pending) set(i int, gap, duration uint64) {
	if (gap|duration)>>32 != 0 {
		p.far = append(p.far, farCall{i, gap, duration})
	}
	p.gaps[i], p.durations[i] = uint32(gap), uint32(duration)
}

// at is the numbers of call i.
func (p *pending) at(i int) (gap, duration uint64) {
	for _, f := range p.far {
		if f.i == i {
			return f.gap, f.duration
		}
	}
	return uint64(p.gaps[i]), uint64(p.durations[i])
}

// numbers puts those of calls from up to, but not including, to into work, and returns them.
func (p *pending) numbers(work *[2][]uint64, from, to int) (gaps, durations []uint64) {
	n := to - from
	gaps, durations = slices.Grow(work[0][:0], n)[:n], slices.Grow(work[1][:0], n)[:n]
	*work = [2][]uint64{gaps, durations}
	ofGaps, ofDurations := p.gaps[from:][:n], p.durations[from:][:n]
	for i := range n {
		gaps[i], durations[i] = uint64(ofGaps[i]), uint64(ofDurations[i])
	}
	for _, f := range p.far {
		if from <= f.i && f.i < to {
			gaps[f.i-from], durations[f.i-from] = f.gap, f.duration
		}
	}
	return gaps, durations
}

// grow makes room for more calls.
func (p *pending) grow(more int) {
	p.gaps = append(p.gaps, make([]uint32, more)...)
	p.durations = append(p.durations, make([]uint32, more)...)
}

// memory is what it holds, in bytes.
func (p *pending) memory() int { return 4*(cap(p.gaps)+cap(p.durations)) + 24*cap(p.far) }
