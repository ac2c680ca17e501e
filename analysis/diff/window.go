package diff

import (
	"sort"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// windows tells whether calls are selected one by one: by communicator, by time, by time step or by
// region.
func (c *comparison) windows() bool {
	return c.o.Comms != nil || c.o.Window != nil || c.o.Steps != nil || c.o.Within != nil
}

// resolve finds the selection in both archives.
func (c *comparison) resolve() error {
	if !c.windows() {
		return nil
	}
	for _, s := range c.sides {
		sel := &selection.Selection{Ranks: c.o.Ranks, Functions: c.o.Functions, Comms: c.o.Comms, Window: c.o.Window,
			Steps: c.o.Steps, Within: c.o.Within}
		var err error
		if s.resolved, err = sel.Resolve(s.a); err != nil {
			return err
		}
	}
	return nil
}

// parts are ranks for which the same calls are selected: all ranks of a group, whose calls are the
// same, by time steps; each rank on its own by communicators, time and regions.
func (c *comparison) parts(ranks *archive.RankSet) []*archive.RankSet {
	if c.o.Comms == nil && c.o.Window == nil && c.o.Within == nil {
		return []*archive.RankSet{ranks}
	}
	var out []*archive.RankSet
	for r := range ranks.All() {
		if len(out) == maxWindows {
			c.note("by communicator, time or region no more ranks are compared than can be looked at one by one")
			break
		}
		out = append(out, newSet([]int{r}))
	}
	return out
}

// maxWindows is how many ranks are looked at one by one.
const maxWindows = 1 << 14

// leave leaves out terminals whose calls are not selected. It must be called before words are made.
func (g *group) leave() error {
	if !g.c.windows() {
		return nil
	}
	for i, s := range []*archive.Stream{g.sa, g.sb} {
		p, err := g.c.sides[i].resolved.Part(s)
		if err != nil {
			return err
		}
		g.selected[i] = p
		k := g.ka
		if i == 1 {
			k = g.kb
		}
		for t := range k.terms {
			none := p == nil
			if p != nil {
				if _, none, err = p.Terminal(uint32(t)); err != nil {
					return err
				}
			}
			if none {
				if g.left == nil {
					g.left = map[*term]bool{}
				}
				g.left[&k.terms[t]] = true
			}
		}
	}
	return nil
}

// span is the parts of both words that are compared.
func (g *group) span() (span, error) {
	s := span{0, g.wa.len(), 0, g.wb.len()}
	if !g.c.windows() {
		return s, nil
	}
	for i, w := range []*word{g.wa, g.wb} {
		p := g.selected[i]
		if p == nil {
			continue // nothing is kept
		}
		from, to := p.Range.From, p.Range.To
		var letters [2]uint64
		for k, call := range []uint64{from, to} {
			letters[k] = w.len()
			if call >= p.Stream.Calls() {
				continue
			}
			event, _, err := p.Stream.EventAt(call)
			if err != nil {
				return s, err
			}
			letters[k] = w.lettersBefore(event)
		}
		if i == 0 {
			s.a0, s.a1 = letters[0], max(letters[0], letters[1])
		} else {
			s.b0, s.b1 = letters[0], max(letters[0], letters[1])
		}
	}
	return s, nil
}

// lettersBefore is the number of letters among the first so many events.
func (w *word) lettersBefore(events uint64) (n uint64) {
	if len(w.rules) == 0 || events >= w.rules[0].events {
		return w.len()
	}
	for r := 0; ; {
		*w.work++
		x := &w.rules[r]
		k := sort.Search(len(x.before), func(k int) bool { return x.before[k].events > events }) - 1
		s := w.g.Rules[r][k]
		one, _ := w.symbol(s)
		events -= x.before[k].events
		q := events / one.events
		n += x.before[k].letters + q*one.letters
		events -= q * one.events
		if !s.IsRule() || events == 0 {
			return n
		}
		r = s.Rule()
	}
}
