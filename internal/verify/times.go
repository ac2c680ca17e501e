package verify

import (
	"fmt"
	"math/big"
	"path"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// times checks the times of a thread against the errors that the archive states.
type times struct {
	mode   archive.TimingMode
	ns     uint64 // of ticks: the rate by which bounds were converted
	ticks  uint64
	stated archive.TimingErrors
	sums   map[uint32]*sums // by class, if the archive has aggregates instead
	stored *archive.Aggregates
	class  []uint32 // of each terminal

	any      bool
	end      uint64 // of the last call in the log
	archived uint64 // the same in the archive
}

// sums are the durations of a class.
type sums struct {
	count    uint64
	sum      int64
	min, max int64
}

// newTimes returns the check of a stream's times; nil if it has none.
func newTimes(s *archive.Stream) (*times, error) {
	t := &times{}
	r, err := s.Timing()
	if err != nil {
		return nil, err
	}
	if r != nil {
		rate := r.Rate()
		t.mode, t.stated, t.ns, t.ticks = r.Mode(), r.Errors(), rate.NS, rate.Ticks
		return t, nil
	}
	if t.stored, err = s.Aggregates(); t.stored == nil || err != nil {
		return nil, err
	}
	t.sums = map[uint32]*sums{}
	t.class, err = s.TimingClass()
	return t, err
}

// allowed is the greatest error, in ticks, of a number of ticks of a call of a function. It is 0 if
// the number is negative.
func (t *times) allowed(function string, ticks uint64) uint64 {
	if int64(ticks) < 0 {
		return 0
	}
	b := t.mode.Bound
	for _, r := range t.mode.Rules {
		if ok, err := path.Match(r.Pattern, function); ok && err == nil {
			b = r.Bound
			break
		}
	}
	least := ^uint64(0)
	if b.PPM != 0 {
		v := new(big.Int).Mul(new(big.Int).SetUint64(ticks), big.NewInt(int64(b.PPM)))
		least = v.Div(v, big.NewInt(1_000_000)).Uint64()
	}
	if b.NS != 0 {
		v := new(big.Int).Mul(new(big.Int).SetUint64(b.NS), new(big.Int).SetUint64(t.ticks))
		if v.Div(v, new(big.Int).SetUint64(t.ns)); v.IsUint64() {
			least = min(least, max(1, v.Uint64()))
		}
	}
	return least
}

func distance(x, y uint64) uint64 {
	d := int64(x - y)
	if d < 0 {
		d = -d
	}
	return uint64(d)
}

// compareTime compares the times of the call, in ticks.
func (p *process) compareTime(t *thread, c *call, a *archive.Call, end uint64) {
	x := t.times
	if x == nil {
		return
	}
	if x.sums != nil {
		x.add(a.Terminal, int64(end-c.start))
		return
	}
	off := func(what string, raw, arch, most uint64) {
		p.report.Values++
		if distance(raw, arch) > most {
			p.differ(t, c, what, fmt.Sprint(raw), fmt.Sprintf("%d, more than %d off", arch, most))
		}
	}
	switch x.mode.Kind {
	case archive.TimingLossless:
		check(p, t, c, "time of the call", c.start, a.StartTicks)
		check(p, t, c, "time of the return", end, a.EndTicks)
		return
	case archive.TimingLossy:
		off("duration", end-c.start, a.EndTicks-a.StartTicks, x.allowed(c.f.Name, end-c.start))
		if x.any {
			off("time since the call before", c.start-x.end, a.StartTicks-x.archived,
				x.allowed(c.f.Name, c.start-x.end))
		}
		off("time of the call", c.start, a.StartTicks, x.stated.Starts.Max)
	default:
		off("duration", end-c.start, a.EndTicks-a.StartTicks, x.stated.Durations.Max)
		off("time of the call", c.start, a.StartTicks, x.stated.Starts.Max)
	}
	x.any, x.end, x.archived = true, end, a.EndTicks
}

func (t *times) add(terminal uint32, duration int64) {
	class := uint32(0)
	if int(terminal) < len(t.class) {
		class = t.class[terminal]
	}
	s := t.sums[class]
	if s == nil {
		s = &sums{min: duration, max: duration}
		t.sums[class] = s
	}
	s.count++
	s.sum += duration
	s.min, s.max = min(s.min, duration), max(s.max, duration)
}

// compareSums compares aggregates at the end of a thread.
func (p *process) compareSums(t *thread) {
	if t.times == nil || t.times.sums == nil {
		return
	}
	for class, s := range t.times.sums {
		d := t.times.stored.Durations(class)
		check(p, t, nil, fmt.Sprintf("sum of the durations of class %d", class), *s, sums{d.Count, d.Sum, d.Min, d.Max})
	}
}
