package cgen

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program/cc"
)

// Computation is what passes between two calls. A rule of the grammar knows which calls follow one
// another in it; the time before its first call belongs to whoever uses the rule.

// Bounds of gaps: ranks whose times are averaged, and seconds from which one is worth a statement.
const (
	gapRanks = 64
	leastGap = 1e-6
)

// gaps are the mean times in seconds between calls of a class, by their timing classes.
type gaps struct {
	classes []uint32
	mean    map[[2]uint32]float64
}

// newGaps works out the times of a class; nil if there are none.
func newGaps(c *class) (*gaps, error) {
	type total struct{ sum, count float64 }
	totals := map[[2]uint32]*total{}
	out := &gaps{mean: map[[2]uint32]float64{}}
	n := c.Ranks().Len()
	for i := range min(n, gapRanks) {
		s := c.Stream(c.Ranks().At(i * n / min(n, gapRanks)))
		a, err := s.Aggregates()
		if err != nil {
			return nil, err
		}
		if a == nil {
			return nil, nil
		}
		if out.classes, err = s.TimingClass(); err != nil {
			return nil, err
		}
		unit := tick(s)
		for _, p := range a.Pairs() {
			d := a.Gaps(p)
			k := [2]uint32{p.Before, p.Class}
			if totals[k] == nil {
				totals[k] = &total{}
			}
			totals[k].sum += float64(d.Sum) * unit
			totals[k].count += float64(d.Count)
		}
	}
	for k, t := range totals {
		if t.count > 0 {
			out.mean[k] = t.sum / t.count
		}
	}
	return out, nil
}

// tick is how long a tick of a stream's clock takes, in seconds.
func tick(s *archive.Stream) float64 {
	from := uint64(0)
	if clocks := s.Rank().Clocks; len(clocks) > 0 {
		from = clocks[0].Ticks
	}
	const many = 1 << 32
	return (s.Since(from+many) - s.Since(from)).Seconds() / many
}

func (x *gaps) class(t uint32) uint32 {
	if int(t) < len(x.classes) {
		return x.classes[t]
	}
	return 0
}

// gap is the statement that computes between two calls, nil if that takes no time.
func (r *rules) gap(before, next uint32) *cc.Stmt {
	if r.gaps == nil {
		return nil
	}
	s := r.gaps.mean[[2]uint32{r.gaps.class(before), r.gaps.class(next)}]
	if s < leastGap {
		return nil
	}
	seconds := cc.Real(fmt.Sprintf("%.3g", s))
	if n := int64(s); seconds.Text == fmt.Sprint(n) {
		seconds = cc.Int(n)
	}
	return cc.Do(cc.Call("compute", seconds))
}

// ends are the first and the last terminal that a symbol stands for.
func (r *rules) ends(s archive.Symbol) (first, last uint32) {
	if s.ID&archive.RuleBit == 0 {
		return s.ID, s.ID
	}
	rule := int(s.ID &^ archive.RuleBit)
	if e, ok := r.ruleEnds[rule]; ok {
		return e[0], e[1]
	}
	body := r.c.data.Grammar.Rules[rule]
	first, _ = r.ends(body[0])
	_, last = r.ends(body[len(body)-1])
	r.ruleEnds[rule] = [2]uint32{first, last}
	return first, last
}

// between puts computation before code that follows another symbol, and between its repetitions.
func (r *rules) between(body []archive.Symbol, j, from int, x *code, repeated bool) (before *code, inside *code) {
	if r.gaps == nil {
		return nil, x
	}
	first, last := r.ends(body[j])
	if repeated {
		if s := r.gap(last, first); s != nil {
			later := newCode(x.hint, append([]*cc.Stmt{cc.If(compare(cc.Name(loopName(x)), ">", 0), s)}, x.list...)...)
			later.depth = x.depth
			x = later
		}
	}
	if j > from {
		_, prev := r.ends(body[j-1])
		if s := r.gap(prev, first); s != nil {
			before = newCode("", s)
		}
	}
	return before, x
}
