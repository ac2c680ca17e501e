package diff

import (
	"sort"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
)

// word is the calls of a stream that are compared, as its grammar generates them: terminals
// that are left out have length 0. Letters are what makes two terminals equal.
type word struct {
	g *archive.Grammar
	// letters are the fingerprints of terminals, kept tells which of them count, and
	// pseudo are records of the recorder's own. Where a region is selected the terminals are those of
	// selection.Part.Marked, of terms of the stream.
	letters []print
	kept    []bool
	pseudo  []bool
	terms   int
	rules   []rule
	// work counts steps, for the limit that keeps hostile archives from taking forever.
	work   *uint64
	cursor *grammar.Cursor // see walk
}

// size is how long something is: in letters, in events that are calls, in all events.
type size struct{ letters, calls, events uint64 }

func (s size) plus(t size, n uint64) size {
	return size{s.letters + n*t.letters, s.calls + n*t.calls, s.events + n*t.events}
}

type rule struct {
	size
	print print
	power print // of the base, to the number of letters
	// before[i] and prefix[i] are about the symbols before symbol i.
	before []size
	prefix []print
}

func newWord(g *archive.Grammar, letters []print, kept, pseudo []bool, work *uint64) *word {
	w := &word{g: g, letters: letters, kept: kept, pseudo: pseudo, terms: max(1, len(kept)),
		rules: make([]rule, len(g.Rules)), work: work}
	done := make([]bool, len(g.Rules))
	// Rules may be as deep as they are many: no recursion.
	stack := []int{0}
	for len(stack) > 0 && len(g.Rules) > 0 {
		r := stack[len(stack)-1]
		ready := !done[r]
		if ready {
			for _, s := range g.Rules[r] {
				if s.IsRule() && !done[s.Rule()] {
					stack = append(stack, s.Rule())
					ready = false
				}
			}
		} else {
			stack = stack[:len(stack)-1]
		}
		if ready {
			w.fill(r)
			done[r] = true
			stack = stack[:len(stack)-1]
		}
	}
	return w
}

func (w *word) fill(r int) {
	x := &w.rules[r]
	body := w.g.Rules[r]
	x.before, x.prefix = make([]size, len(body)), make([]print, len(body))
	x.power = power(0)
	for i, s := range body {
		x.before[i], x.prefix[i] = x.size, x.print
		n, p := w.symbol(s)
		to := power(1) // most often the power of all repetitions together
		switch {
		case s.Count != 1 || n.letters == 0:
			p, to = p.repeated(n.letters, s.Count), power(n.letters*s.Count)
		case s.IsRule():
			to = w.rules[s.Rule()].power
		}
		x.print, x.power = x.print.mul(to).add(p), x.power.mul(to)
		x.size = x.size.plus(n, s.Count)
	}
}

// symbol is the size and the fingerprint of one repetition of a symbol.
func (w *word) symbol(s archive.Symbol) (size, print) {
	if s.IsRule() {
		r := &w.rules[s.Rule()]
		return r.size, r.print
	}
	n := size{0, 1, 1}
	if w.pseudo[s.ID] {
		n.calls = 0
	}
	if !w.kept[s.ID] {
		return n, print{}
	}
	n.letters = 1
	return n, w.letters[s.ID]
}

func (w *word) len() uint64 {
	if len(w.rules) == 0 {
		return 0
	}
	return w.rules[0].letters
}

// prefix is the fingerprint of the first n letters.
func (w *word) prefix(n uint64) (p print) {
	if n >= w.len() {
		if len(w.rules) == 0 {
			return p
		}
		return w.rules[0].print
	}
	for r := 0; n > 0; {
		*w.work++
		x := &w.rules[r]
		i := sort.Search(len(x.before), func(i int) bool { return x.before[i].letters >= n }) - 1
		p = p.then(x.prefix[i], x.before[i].letters)
		n -= x.before[i].letters
		s := w.g.Rules[r][i]
		one, h := w.symbol(s)
		q := n / one.letters
		p = p.then(h.repeated(one.letters, q), q*one.letters)
		n -= q * one.letters
		r = s.Rule() // not used for a terminal: n is 0 then
	}
	return p
}

// part is the fingerprint of the letters from..from+n-1, given that of those before from.
func part(before, to print, n uint64) print { return to.sub(before.mul(power(n))) }

// at is the terminal of letter i, and what precedes it.
func (w *word) at(i uint64) (t uint32, before size) {
	for r := 0; ; {
		*w.work++
		x := &w.rules[r]
		k := sort.Search(len(x.before), func(k int) bool { return x.before[k].letters > i }) - 1
		s := w.g.Rules[r][k]
		one, _ := w.symbol(s)
		i -= x.before[k].letters
		q := i / one.letters
		before = before.plus(x.before[k], 1).plus(one, q)
		i -= q * one.letters
		if !s.IsRule() {
			return s.ID % uint32(w.terms), before
		}
		r = s.Rule()
	}
}

// before is what precedes letter i, or all there is if the word is not longer than that.
func (w *word) before(i uint64) size {
	if i < w.len() {
		_, s := w.at(i)
		return s
	}
	if len(w.rules) == 0 {
		return size{}
	}
	return w.rules[0].size
}

// eventsPerStep is how many events a word is walked through in the time that one step of a search takes.
const eventsPerStep = 16

// walk gives the terminals of the letters from i on, one after the other, for so many events. All walks of a word move
// one cursor: of two, only the later one can go on.
func (w *word) walk(i, events uint64) (next func() (t uint32, ok bool)) {
	if w.cursor == nil {
		w.cursor = w.g.NewCursor()
	}
	w.cursor.Seek(w.before(i).events)
	return func() (uint32, bool) {
		for events > 0 {
			if events--; events%eventsPerStep == 0 {
				*w.work++
			}
			t, ok := w.cursor.Next()
			if !ok {
				break
			}
			if w.kept[t] {
				return t % uint32(w.terms), true
			}
		}
		return 0, false
	}
}

// periods are the lengths of what is repeated around letter i, the longest first.
func (w *word) periods(i uint64) (list []uint64) {
	if i >= w.len() {
		return nil
	}
	for r := 0; ; {
		*w.work++
		x := &w.rules[r]
		k := sort.Search(len(x.before), func(k int) bool { return x.before[k].letters > i }) - 1
		s := w.g.Rules[r][k]
		one, _ := w.symbol(s)
		if s.Count > 1 && one.letters > 0 && (len(list) == 0 || list[len(list)-1] != one.letters) && len(list) < 64 {
			list = append(list, one.letters)
		}
		if !s.IsRule() || one.letters == 0 {
			return list
		}
		i = (i - x.before[k].letters) % one.letters
		r = s.Rule()
	}
}

// common is how many letters of u from i on, and of v from j on, agree, at most limit.
func common(u *word, i uint64, v *word, j uint64, limit uint64) uint64 {
	limit = min(limit, u.len()-min(i, u.len()), v.len()-min(j, v.len()))
	if limit == 0 {
		return 0
	}
	s, _ := u.at(i)
	t, _ := v.at(j)
	if u.letters[s] != v.letters[t] {
		return 0
	}
	pu, pv := u.prefix(i), v.prefix(j)
	equal := func(n uint64) bool {
		return part(pu, u.prefix(i+n), n) == part(pv, v.prefix(j+n), n)
	}
	if equal(limit) {
		return limit
	}
	return longest(1, limit, equal)
}

// commonBack is how many letters before i in u, and before j in v, agree, at most limit.
func commonBack(u *word, i uint64, v *word, j uint64, limit uint64) uint64 {
	limit = min(limit, i, j)
	pu, pv := u.prefix(i), v.prefix(j)
	equal := func(n uint64) bool {
		return part(u.prefix(i-n), pu, n) == part(v.prefix(j-n), pv, n)
	}
	if equal(limit) {
		return limit
	}
	return longest(0, limit, equal)
}

// longest is the greatest n below limit for which equal holds, which is known to hold for lo and
// not for limit: in steps that double, then by halves.
func longest(lo, limit uint64, equal func(uint64) bool) uint64 {
	hi := lo + 1
	for hi < limit && equal(hi) {
		lo, hi = hi, hi+min(hi, limit-hi) // limit may be anything that a number can be
	}
	for lo+1 < hi {
		if m := lo + (hi-lo)/2; equal(m) {
			lo = m
		} else {
			hi = m
		}
	}
	return lo
}
