package efficiency

import (
	"slices"
	"time"
)

// findSlow fills in MedianStep, MADStep and SlowSteps.
func (r *Result) findSlow() {
	lengths := make([]time.Duration, 0, len(r.Steps))
	useful := make([]time.Duration, 0, len(r.Steps))
	for i := range r.Steps {
		if r.Steps[i].Length.Processes > 0 {
			lengths = append(lengths, r.Steps[i].Length.Max)
			useful = append(useful, r.Steps[i].Useful.Mean())
		}
	}
	r.MedianStep = median(lengths)
	usual := median(useful)
	off := make([]time.Duration, len(lengths))
	for i, l := range lengths {
		off[i] = (l - r.MedianStep).Abs()
	}
	r.MADStep = median(off)
	if r.Stride > 1 || len(r.Steps) < 4 {
		return // neighbours together hide what is slow; of three nothing is unusual
	}
	limit := r.MedianStep + max(r.MedianStep/4, time.Duration(6*1.4826*float64(r.MADStep)))
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Length.Max <= limit {
			continue
		}
		slow := SlowStep{Step: uint64(i), Begin: s.Begin, Length: s.Length.Max, Process: s.Useful.Most,
			Excess: s.Useful.Imbalance()}
		more := s.Length.Max - r.MedianStep
		switch {
		case slow.Excess > more/2:
			slow.Cause = OneComputes
		case s.Useful.Mean()-usual > more/2:
			slow.Cause = AllCompute
		default:
			slow.Cause = InMPI
		}
		r.SlowSteps = append(r.SlowSteps, slow)
	}
}

// median of an empty list is 0.
func median(d []time.Duration) time.Duration {
	if len(d) == 0 {
		return 0
	}
	d = slices.Clone(d)
	// Quickselect: each round keeps the side that the median is in.
	for lo, hi, k := 0, len(d), len(d)/2; ; {
		if hi-lo < 64 {
			slices.Sort(d[lo:hi])
			return d[k]
		}
		pivot := max(min(d[lo], d[hi-1]), min(max(d[lo], d[hi-1]), d[lo+(hi-lo)/2]))
		less, more := lo, hi // d[lo:less] < pivot, d[more:hi] > pivot
		for i := lo; i < more; {
			switch x := d[i]; {
			case x < pivot:
				d[i], d[less] = d[less], x
				less++
				i++
			case x > pivot:
				more--
				d[i], d[more] = d[more], x
			default:
				i++
			}
		}
		switch {
		case k < less:
			hi = less
		case k >= more:
			lo = more
		default:
			return pivot
		}
	}
}
