package diff

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// structure describes the steps in which the words differ.
func (g *group) structure() {
	switch {
	case g.c.threads:
		g.progress()
	case g.whole:
		g.ending()
	}
	g.describe(g.steps, 1)
}

// ending describes how one recording ends where the other goes on, and removes that part from the
// steps.
func (g *group) ending() {
	openA, callA := g.last(g.ka, g.wa)
	openB, callB := g.last(g.kb, g.wb)
	n := len(g.steps)
	var rest step
	if n > 0 && g.steps[n-1].kind == missing && g.steps[n-1].period == 0 || n > 0 && g.steps[n-1].kind == missing &&
		openA != openB {
		rest = g.steps[n-1]
	}
	switch {
	case openA && openB && callA == callB || !openA && !openB && rest.na*rest.nb != 0 || !openA && !openB &&
		rest.na+rest.nb == 0:
		return
	case openB && !openA, openA && !openB, openA && openB:
		d := &Difference{Kind: Hang, Call: callB, Count: 1}
		pa, pb := g.wa.len()-min(rest.na, g.wa.len()), g.wb.len()-1
		// What the other recording did from the call that did not return.
		next, ahead := g.wa, pa
		if openA && !openB {
			d.Call, d.OnlyA, d.onlyB = callA, true, false
			next, ahead = g.wb, g.wb.len()-min(rest.nb, g.wb.len())
			pa, pb = g.wa.len()-1, ahead
		}
		if openA && openB {
			d.A = "hangs in " + callA.text()
		} else if ahead < next.len() {
			d.A = g.callAt(next, ahead).text()
		}
		if rest.kind == missing {
			d.More, d.unexpected = rest.na, rest.nb > 0
			if d.OnlyA {
				d.More, d.unexpected = rest.nb, rest.na > 0
			}
			// The call that hangs and one call that was made instead are part of this.
			g.steps = g.steps[:n-1]
		}
		g.at(d, pa, pb)
		g.add(d, g.ranks)
	case g.endedEarly(rest):
		d := &Difference{Kind: Stop, Count: 1, OnlyA: rest.na == 0}
		word, at, more, next := g.wb, g.wb.len(), rest.na, g.wa
		from := rest.a
		if d.OnlyA {
			word, at, more, next, from = g.wa, g.wa.len(), rest.nb, g.wb, rest.b
		}
		if at > 0 {
			d.Call = g.callAt(word, at-1)
		}
		d.A, d.More = g.callAt(next, from).text(), more
		g.steps = g.steps[:n-1]
		g.at(d, rest.a, rest.b)
		g.add(d, g.ranks)
	}
}

// endedEarly tells whether the recording that lacks what is left is not complete.
func (g *group) endedEarly(rest step) bool {
	if rest.na > 0 && rest.nb == 0 {
		return !g.sb.Rank().Complete
	}
	return rest.nb > 0 && rest.na == 0 && !g.sa.Rank().Complete
}

// last is the last call of a word, and whether it never returned.
func (g *group) last(k *class, w *word) (open bool, c Call) {
	n := w.len()
	if n == 0 {
		return false, Call{}
	}
	t, _ := w.at(n - 1)
	return k.terms[t].sig.Flags&archive.Unfinished != 0, Call{k.terms[t].f.Name, k.terms[t].site, 1}
}

func (g *group) callAt(w *word, i uint64) Call {
	k := g.ka
	if w == g.wb {
		k = g.kb
	}
	t, _ := w.at(i)
	return Call{k.terms[t].f.Name, k.terms[t].site, 1}
}

// text is "MPI_Recv at x.c:10 [main]".
func (c Call) text() string {
	if c.Site == "" {
		return c.Func
	}
	return c.Func + " at " + c.Site
}

// calls lists the calls from letter i on, n of them, equal ones in a row together.
func (g *group) calls(w *word, i, n uint64) (list []Call, more uint64) {
	for k := uint64(0); k < n; {
		c := g.callAt(w, i+k)
		t, _ := w.at(i + k)
		run := uint64(1)
		if k+1 < n && w.letters[t] == w.letters[w.terminal(i+k+1)] {
			run += common(w, i+k, w, i+k+1, n-k-1)
		}
		c.Count = run
		if len(list) == maxCalls {
			return list, n - k
		}
		list = append(list, c)
		k += run
	}
	return list, 0
}

func (w *word) terminal(i uint64) uint32 {
	t, _ := w.at(i)
	return t
}

// someOfOnly tells whether letters are only calls whose number is not determined, or calls of
// callbacks.
func (g *group) someOfOnly(k *class, w *word, i, n uint64) bool {
	for j := uint64(0); j < n; {
		x := &k.terms[w.terminal(i+j)]
		if !x.f.Has(spec.Indefinite) && x.sig.Flags&archive.Nested == 0 || j > 1<<12 {
			return false
		}
		j += 1 + common(w, i+j, w, i+j+1, n-j-1)
	}
	return n > 0
}

// describe notes the differences in steps that are repeated some times.
func (g *group) describe(steps []step, times uint64) {
	for i := 0; i < len(steps); i++ {
		s := &steps[i]
		switch {
		case s.kind == repeat:
			g.describe(s.body, times*s.times)
		case s.kind == same:
		case g.swapped(steps, i, times):
			i += 2
		case s.period > 0:
			g.trips(s, times)
		default:
			s := g.insides(*s, times)
			g.part(g.ka, g.wa, &s, s.a, s.na, Missing, times)
			g.part(g.kb, g.wb, &s, s.b, s.nb, Extra, times)
		}
	}
}

// part notes calls that only one recording has.
func (g *group) part(k *class, w *word, s *step, i, n uint64, kind Kind, times uint64) {
	if n == 0 {
		return
	}
	first := g.callAt(w, i)
	if g.someOfOnly(k, w, i, n) {
		g.c.addOrder(OrderNote{Func: first.Func, Site: first.Site, Param: "number of calls",
			Count: n * times * uint64(g.ranks.Len())}, g.ranks)
		return
	}
	d := &Difference{Kind: kind, Call: first, Count: times, onlyB: kind == Extra}
	d.Calls, d.More = g.calls(w, i, n)
	if i+n == w.len() && g.c.threads {
		d.Open, _ = g.last(k, w)
	}
	g.at(d, s.a, s.b)
	g.add(d, g.ranks)
}

// maxSwap is how many calls may lie between two places that a call is at.
const maxSwap = 64

// swapped notes that two parts are in another order: the missing calls come back after those that
// follow.
func (g *group) swapped(steps []step, i int, times uint64) bool {
	if i+2 >= len(steps) {
		return false
	}
	x, m, y := &steps[i], &steps[i+1], &steps[i+2]
	if m.kind != same || y.kind != missing || m.na > maxSwap || x.period+y.period > 0 {
		return false
	}
	d := &Difference{Kind: Order, Count: times}
	var n uint64
	switch {
	case x.nb == 0 && y.na == 0 && x.na == y.nb && g.equal(x.a, y.b, x.na):
		n = x.na
		d.Calls, d.More = g.calls(g.wa, x.a, n+m.na) // the order in A
	case x.na == 0 && y.nb == 0 && x.nb == y.na && g.equal(y.a, x.b, y.na):
		n = y.na
		d.Calls, d.More = g.calls(g.wa, m.a, n+m.na)
	default:
		return false
	}
	if n > maxSwap {
		return false
	}
	d.Call = d.Calls[0]
	g.at(d, x.a, x.b)
	g.add(d, g.ranks)
	return true
}

func (g *group) equal(a, b, n uint64) bool { return common(g.wa, a, g.wb, b, n) == n }

// trips notes that a loop is repeated more or less often.
func (g *group) trips(s *step, times uint64) {
	d := &Difference{Kind: Trips, Count: times, onlyB: s.na == 0}
	w, i, n := g.wa, s.a, s.na
	if s.na == 0 {
		w, i, n = g.wb, s.b, s.nb
	}
	k := g.ka
	if w == g.wb {
		k = g.kb
	}
	if g.someOfOnly(k, w, i, s.period) {
		c := g.callAt(w, i)
		g.c.addOrder(OrderNote{Func: c.Func, Site: c.Site, Param: "number of calls",
			Count: n / s.period * times * uint64(g.ranks.Len())}, g.ranks)
		return
	}
	d.Calls, d.More = g.calls(w, i, s.period)
	d.Call = d.Calls[0]
	g.at(d, s.a, s.b)
	findNests([]nestOf{{s: g.c.sides[0], st: g.sa}, {s: g.c.sides[1], st: g.sb}})
	a, placeA, stepA, okA := g.tripsAt(0, g.wa, s.a, s.period)
	b, placeB, stepB, okB := g.tripsAt(1, g.wb, s.b, s.period)
	// Without a loop nest, or where the number of repetitions changes, the words decide.
	if !okA || !okB || a == 0 || b == 0 {
		longer := n / s.period
		extent := func(w *word, i uint64) uint64 {
			e := s.period
			if i >= s.period {
				e = commonBack(w, i-s.period, w, i, i) + s.period
			}
			return e / s.period
		}
		if s.na > 0 {
			b = extent(g.wb, s.b)
			a = b + longer
		} else {
			a = extent(g.wa, s.a)
			b = a + longer
		}
	}
	d.A, d.B = fmt.Sprint(a), fmt.Sprint(b)
	d.Param = placeA
	if placeA == "" {
		d.Param = placeB
	}
	d.Step = stepA || stepB
	g.add(d, g.ranks)
}

// tripsAt looks for the loop at a letter in the loop nest.
func (g *group) tripsAt(i int, w *word, at, period uint64) (count uint64, place string, step, ok bool) {
	st := g.sa
	if i == 1 {
		st = g.sb
	}
	n := g.c.sides[i].nest(st)
	if n == nil {
		return 0, "", false, false
	}
	for _, letter := range []uint64{at, at - min(at, 1), at - min(at, period)} {
		if letter >= w.len() || letter < period/2 && letter != at {
			continue
		}
		_, before := w.at(letter)
		_, after := w.at(min(letter+period, w.len()-1))
		length := after.calls - before.calls
		if count, place, step, ok = n.trips(before.calls, length); ok {
			return count, place, step, ok
		}
		if count, place, step, ok = n.trips(before.calls, period); ok {
			return count, place, step, ok
		}
	}
	return 0, "", false, false
}
