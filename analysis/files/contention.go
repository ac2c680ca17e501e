package files

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"time"
)

// Contention is how the time of accesses in one direction grows with the number of others at the same time.
//
// Of accesses of about one size (within a factor of 2), the time d is taken to be a + b*n, where n is how many others
// of any rank there were; a and b are those of least squares. n is counted in two ways, and the one counts of which it
// is surer that b is above 0: those that were in progress when the access began (it has to queue behind them), and
// besides those that began soon after it, within half of what the fastest tenth takes (they share what there is).
// Neither depends on d, so that accesses that take long for another reason do not have a greater n by themselves.
type Contention struct {
	// Calls are the accesses of sizes for which b is known to be greater than 0, Others the mean of n.
	Calls  uint64
	Others float64
	// Time is what they took, the slowest twentieth counted like the one before it; Alone what they would have taken by
	// a alone.
	Time, Alone time.Duration
}

// Excess is the time that the others cost.
func (c *Contention) Excess() time.Duration { return c.Time - c.Alone }

// Slowdown is by how much longer accesses took than alone.
func (c *Contention) Slowdown() float64 {
	if c.Alone <= 0 {
		return 1
	}
	return float64(c.Time) / float64(c.Alone)
}

// Bounds of what counts as contention: how many accesses tell, and how many standard errors b has
// to be above 0.
const (
	leastSamples = 20
	leastSigma   = 5
	leastSlow    = 1.1
	leastAlone   = 0.01 // of the mean
)

// maxSamples bounds the memory for accesses, to some 50 MB. If there are more, those of every second stretch of time
// are taken, of every fourth ...
const (
	maxSamples  = 1 << 21
	sampleWidth = 10 * time.Millisecond
)

// sample is an access that moved something.
type sample struct {
	begin, end time.Duration
	class      uint8 // bits of the size, and the direction
}

type samples struct {
	list  []sample
	every int64 // stretches of which one is taken, a power of 2; 0 is 1
}

// taken tells whether a moment is in a stretch that is looked at.
func (s *samples) taken(t time.Duration) bool {
	return s.every <= 1 || int64(t/sampleWidth)%s.every == 0
}

// touches tells whether an access is in such a stretch at any time.
func (s *samples) touches(x *sample) bool {
	if s.every <= 1 {
		return true
	}
	from, to := int64(x.begin/sampleWidth), int64(x.end/sampleWidth)
	return (from+s.every-1)/s.every*s.every <= to
}

func (s *samples) add(a *access) {
	if a.bytes <= 0 || a.end <= a.begin {
		return
	}
	x := sample{a.begin, a.end, uint8(2 * bits.Len64(uint64(a.bytes)))}
	if a.writes {
		x.class++
	}
	if !s.touches(&x) {
		return
	}
	for s.list = append(s.list, x); len(s.list) > maxSamples; {
		s.every = max(2, 2*s.every)
		if s.every > 1<<40 { // all of them last for ever
			s.list = s.list[:maxSamples/2]
			return
		}
		s.list = slices.DeleteFunc(s.list, func(x sample) bool { return !s.touches(&x) })
	}
}

// contention compares the times of accesses with how many others there were.
func (s *samples) contention() (all [2]Contention) {
	slices.SortFunc(s.list, func(a, b sample) int { return cmp.Compare(a.begin, b.begin) })
	for class, fits := range s.fits() {
		f, slope := &fits[0], fits[0].slope()
		if fits[1].slope() > slope { // in standard errors
			f, slope = &fits[1], fits[1].slope()
		}
		slow, ok := f.rise()
		if !ok || slope < leastSigma {
			continue
		}
		c, n := &all[class&1], uint64(f.n)
		c.Others = (c.Others*float64(c.Calls) + f.sx) / float64(c.Calls+n)
		c.Calls += n
		c.Time += time.Duration(f.sy)
		c.Alone += time.Duration(f.sy - slow*f.sx)
	}
	for i := range all {
		all[i].Time *= time.Duration(max(1, s.every))
		all[i].Alone *= time.Duration(max(1, s.every))
		all[i].Calls *= uint64(max(1, s.every))
	}
	return all
}

// fits are the times of accesses of each class over the number of others, counted in both ways.
func (s *samples) fits() map[uint8]*[2]fit {
	ends := make([]time.Duration, len(s.list))
	for i, x := range s.list {
		ends[i] = x.end
	}
	slices.Sort(ends)
	tenth, most := s.quantiles()
	fits := map[uint8]*[2]fit{}
	ended := 0
	for i := range s.list {
		x := &s.list[i]
		for ended < len(ends) && ends[ended] <= x.begin {
			ended++
		}
		if !s.taken(x.begin) {
			continue
		}
		f := fits[x.class]
		if f == nil {
			f = &[2]fit{}
			fits[x.class] = f
		}
		begun, _ := slices.BinarySearchFunc(s.list[i+1:], x.begin+tenth[x.class]/2+1,
			func(y sample, t time.Duration) int {
				return cmp.Compare(y.begin, t)
			})
		d := float64(min(x.end-x.begin, most[x.class])) // some that take very long have other reasons
		f[0].add(float64(i-ended), d)
		f[1].add(float64(i-ended+begun), d)
	}
	return fits
}

// quantiles are below which times a tenth and 19 twentieths of the accesses of each class stay.
func (s *samples) quantiles() (tenth, most map[uint8]time.Duration) {
	times := map[uint8][]time.Duration{}
	for i := range s.list {
		x := &s.list[i]
		if of := times[x.class]; len(of) < 1<<16 {
			times[x.class] = append(of, x.end-x.begin)
		}
	}
	tenth, most = map[uint8]time.Duration{}, map[uint8]time.Duration{}
	for class, of := range times {
		slices.Sort(of)
		n := float64(len(of))
		tenth[class], most[class] = of[int(0.1*n)], of[int(0.95*n)]
	}
	return tenth, most
}

// fit is a line through points, by least squares.
type fit struct {
	n                     int
	sx, sy, sxx, sxy, syy float64
}

func (f *fit) add(x, y float64) {
	f.n++
	f.sx += x
	f.sy += y
	f.sxx += x * x
	f.sxy += x * y
	f.syy += y * y
}

// slope is the line's, in standard errors; 0 where too little is known.
func (f *fit) slope() float64 {
	n := float64(f.n)
	xx, xy, yy := f.sxx-f.sx*f.sx/n, f.sxy-f.sx*f.sy/n, f.syy-f.sy*f.sy/n
	if f.n < leastSamples || xx <= 1e-9*n {
		return 0
	}
	slope := xy / xx
	return slope / math.Sqrt(max(1e-9*slope*slope, max(0, yy-slope*xy)/(n-2)/xx))
}

// rise is how much longer one more makes it, if that matters.
func (f *fit) rise() (rise float64, ok bool) {
	n := float64(f.n)
	xx, xy := f.sxx-f.sx*f.sx/n, f.sxy-f.sx*f.sy/n
	if xx <= 1e-9*n {
		return 0, false
	}
	rise = xy / xx
	alone := (f.sy - rise*f.sx) / n
	if alone < f.sy/n*leastAlone { // by chance the line may begin there, or lower
		alone = f.sy / n * leastAlone
		rise = (f.sy - alone*n) / f.sx
	}
	return rise, f.sy/n > leastSlow*alone
}
