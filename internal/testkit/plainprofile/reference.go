// Package plainprofile counts calls and times in the simplest way, and compares the result with that of package
// profile.
package plainprofile

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/profile"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// plain is a row of the reference, which looks at every call.
type plain struct {
	calls, timed uint64
	durations    []time.Duration
	ranks        map[int]bool
}

func keyOf(by profile.GroupBy, f *spec.Func, site *archive.Site, comm, world, rank int) string {
	var b strings.Builder
	if by.Func || by.Site {
		b.WriteString(f.Name)
	}
	if by.Site && site != nil {
		b.WriteString(" " + site.String())
		for _, f := range site.Frames { // where lines are not known the place in the module tells
			if f.Line == 0 || f.File == "" {
				fmt.Fprintf(&b, " %#x", f.Offset)
			}
		}
	}
	if by.Comm {
		fmt.Fprintf(&b, " comm %d", comm)
	}
	if by.Rank {
		fmt.Fprintf(&b, " rank %d of world %d", rank, world)
	}
	return b.String()
}

func reference(r *selection.Resolved, by profile.GroupBy) (map[string]*plain, error) {
	p, err := calls.Open(r.Archive)
	if err != nil {
		return nil, err
	}
	rows := map[string]*plain{}
	for part, err := range r.Parts() {
		if err != nil {
			return nil, err
		}
		s := part.Stream
		event, last, lastTerminal := uint64(0), archive.Flags(0), uint32(0)
		for c, err := range s.Iter(0) {
			if err != nil {
				return nil, err
			}
			if c.Index > 0 && !(c.Flags&last&archive.Polls != 0 && c.Terminal == lastTerminal) {
				event++ // two runs of one poll never follow each other
			}
			last, lastTerminal = c.Flags, c.Terminal
			if c.Func.Own() || c.Index < part.Range.From || c.Index >= part.Range.To {
				continue
			}
			if ok, err := part.Has(c); err != nil {
				return nil, err
			} else if !ok {
				continue
			}
			comm := -1
			for i, slot := range c.Func.Slots {
				v := c.Slots[i]
				if slot.Out || v.Kind != archive.Ref ||
					slot.Class != spec.Comm && slot.Class != spec.Win && slot.Class != spec.File {
					continue
				}
				if id, _, _ := p.Scope(s, slot.Class, v.N, event); id >= 0 {
					comm = int(id)
				}
				break
			}
			k := keyOf(by, c.Func, c.Site, comm, s.Rank().World, s.Rank().Rank)
			row := rows[k]
			if row == nil {
				row = &plain{ranks: map[int]bool{}}
				rows[k] = row
			}
			row.calls++
			row.ranks[s.Process()] = true
			if c.Timed {
				row.timed++
				row.durations = append(row.durations, c.Duration())
			}
		}
	}
	return rows, nil
}

// tolerance is how far two times of one call may be apart, as a share. Package profile takes the
// mean rate of the clock in a stream. In a short run on a busy machine the rate of a moment may be
// far from it, as the readings of the clock say: each is late by what interrupted it.
func tolerance(a *archive.Archive) float64 {
	most := 0.0
	for i := range a.NumRanks() {
		clocks := a.Rank(i).Clocks
		lo, hi := math.Inf(1), 0.0
		for j := 1; j < len(clocks); j++ {
			ns, ticks := clocks[j].MonoNS-clocks[j-1].MonoNS, clocks[j].Ticks-clocks[j-1].Ticks
			if ns > 0 && ticks > 0 {
				lo, hi = min(lo, float64(ns)/float64(ticks)), max(hi, float64(ns)/float64(ticks))
			}
		}
		if hi > 0 {
			most = max(most, hi/lo-1)
		}
	}
	return 1e-4 + most
}

// near reports whether two times agree within slack ns and a share of b.
func near(a, b time.Duration, slack, share float64) bool {
	return math.Abs(float64(a-b)) <= slack+share*math.Abs(float64(b))
}

// problems collects the differences that were found.
type problems struct {
	list  []string
	share float64 // see tolerance
}

func (p *problems) errorf(format string, args ...any) {
	p.list = append(p.list, fmt.Sprintf(format, args...))
}

// Compare checks the profile of the selected calls of an archive against the reference.
func Compare(a *archive.Archive, f selection.Flags, by profile.GroupBy, how profile.Timing) error {
	s, err := selection.Parse(f)
	if err != nil {
		return err
	}
	r, err := s.Resolve(a)
	if err != nil {
		return err
	}
	want, err := reference(r, by)
	if err != nil {
		return err
	}
	p, err := profile.Of(r, profile.Options{By: by, Timing: how})
	if err != nil {
		return err
	}
	t := &problems{share: tolerance(a)}
	cs, bytes := uint64(0), int64(0)
	for _, row := range p.Rows {
		comm := -1
		if row.Comm != nil {
			comm = row.Comm.ID
		}
		k := keyOf(by, row.Func, row.Site, comm, row.World, row.Rank)
		w := want[k]
		if w == nil {
			t.errorf("%+v %+v: %s: %d calls, want none", f, by, k, row.Calls)
			continue
		}
		delete(want, k)
		cs += row.Calls
		bytes += row.Bytes
		if row.Calls != w.calls || row.Ranks != len(w.ranks) {
			t.errorf("%+v %+v: %s: %d calls of %d ranks, want %d of %d", f, by, k, row.Calls, row.Ranks, w.calls,
				len(w.ranks))
		}
		if how != profile.None && w.timed > 0 {
			checkTimes(t, fmt.Sprintf("%+v %+v %d: %s", f, by, how, k), row, w, how)
		}
	}
	for k, w := range want {
		t.errorf("%+v %+v: %s is missing: %d calls", f, by, k, w.calls)
	}
	if cs != p.Calls || bytes != p.Bytes {
		t.errorf("%+v %+v: %d calls, %d bytes in all, rows have %d and %d", f, by, p.Calls, p.Bytes, cs, bytes)
	}
	if len(t.list) > 0 {
		return errors.New(strings.Join(t.list, "\n"))
	}
	return nil
}

func checkTimes(t *problems, what string, row *profile.Row, w *plain, how profile.Timing) {
	total := time.Duration(0)
	for _, d := range w.durations {
		total += d
	}
	slices.Sort(w.durations)
	least, most := w.durations[0], w.durations[len(w.durations)-1]
	x := row.Time
	if x == nil || x.Calls != w.timed || !near(x.Total, total, float64(w.timed), t.share) {
		t.errorf("%s: %+v, want %d calls, %v", what, x, w.timed, total)
		return
	}
	if how == profile.Exact || x.Exact {
		if !x.Exact || !near(x.Min, least, 1, t.share) || !near(x.Max, most, 1, t.share) {
			t.errorf("%s: from %v to %v, want %v to %v", what, x.Min, x.Max, least, most)
		}
		for _, q := range []float64{0, 0.25, 0.5, 0.9, 1} {
			want := w.durations[int(q*float64(len(w.durations)-1))]
			if got := x.Quantile(q); math.Abs(float64(got-want)) > 1+float64(want)*(1./60+t.share) {
				t.errorf("%s: quantile %g is %v, want %v", what, q, got, want)
			}
		}
	} else if float64(x.Max) < float64(most)*(1-t.share)-1 || float64(x.Max) > (1.126+t.share)*float64(most)+2 {
		t.errorf("%s: at most %v, want %v", what, x.Max, most)
	}
}
