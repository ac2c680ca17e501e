package diff

import (
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/workers"
	"github.com/tabard-hpc/tabard/spec"
)

// holes are the terminals of both classes that have parameters in columns. Where their calls are
// few, only those are read, and their partners in the alignment.
type holes struct {
	g    *group
	u, v *word // with parameters
	open [2][]bool
	// words count the calls of these terminals only; nil if they are not made yet.
	words [2]*word
}

func (h *holes) none() bool {
	for _, list := range h.open {
		for _, x := range list {
			if x {
				return false
			}
		}
	}
	return true
}

// maxSettled is how often a terminal may occur that settle looks at.
const maxSettled = 1 << 12

// settle leaves terminals out whose calls are aligned one by one with those of another one, if
// their columns are the same functions of the rank.
func (h *holes) settle() error {
	g := h.g
	if err := h.count(); err != nil {
		return err
	}
	if !g.ka.Ranks().Equal(g.kb.Ranks()) {
		return nil
	}
	first := func(k *class) []int {
		out, n := make([]int, len(k.terms)), 0
		for t := range k.terms {
			out[t] = n
			n += len(k.terms[t].sig.Columns())
		}
		return out
	}
	firstA, firstB := first(g.ka), first(g.kb)
	timesB, err := g.sb.Occurrences()
	if err != nil {
		return err
	}
	partner := map[uint32]uint32{} // of terminals of A
	times := map[uint32]uint64{}
	bad := map[uint32]bool{}
	if h.words[0].len() > maxSettled {
		return nil
	}
	for i := range h.words[0].len() {
		t, p := h.letter(0, i)
		q, ok := aligned(g.steps, p, false)
		if !ok {
			bad[t] = true
			continue
		}
		o, _ := g.wb.at(q)
		if old, seen := partner[t]; seen && old != o {
			bad[t] = true
		}
		partner[t] = o
		times[t]++
	}
	for t, o := range partner {
		if bad[t] || !h.open[1][o] || times[t] != timesB[o] || times[t] != g.timesOfA[t] ||
			h.u.letters[t] != h.v.letters[o] {
			continue
		}
		same, err := g.sameTerminal(t, o, firstA[t], firstB[o])
		if err != nil {
			return err
		}
		if same {
			h.open[0][t], h.open[1][o] = false, false
			h.words = [2]*word{}
		}
	}
	return nil
}

// count makes the words that count the terminals, unless they are known.
func (h *holes) count() error {
	if h.words[0] != nil {
		return nil
	}
	return workers.Each(2, func(i int) error {
		k, s := h.g.ka, h.g.sa
		if i == 1 {
			k, s = h.g.kb, h.g.sb
		}
		gr, err := s.Grammar()
		if err != nil {
			return err
		}
		pseudo := make([]bool, len(k.terms))
		for t := range k.terms {
			pseudo[t] = k.terms[t].pseudo
		}
		h.words[i] = newWord(gr, make([]print, len(k.terms)), h.open[i], pseudo, &h.g.work)
		return nil
	})
}

// letter is the terminal of call i of those of a side, and its letter in the word that is compared.
func (h *holes) letter(side int, i uint64) (t uint32, p uint64) {
	w := h.g.wa
	if side == 1 {
		w = h.g.wb
	}
	t, before := h.words[side].at(i)
	return t, w.lettersBefore(before.events)
}

// aligned is the letter of B that one of A is aligned with; of A with back set.
func aligned(steps []step, p uint64, back bool) (uint64, bool) {
	for i := range steps {
		s := &steps[i]
		from, n, to, m := s.a, s.na, s.b, s.nb
		if back {
			from, n, to, m = to, m, from, n
		}
		times := max(s.times, 1)
		if p < from || n == 0 || (p-from)/n >= times {
			continue
		}
		switch s.kind {
		case same:
			return to + (p - from), true
		case repeat:
			k := (p - from) / n
			q, ok := aligned(s.body, p-k*n, back)
			return q + k*m, ok
		}
		return 0, false
	}
	return 0, false
}

// lookUp is how many calls can be read in order in the time that one takes that is looked up.
const lookUp = 16

// sparse tells whether it is better to look for calls than to read all, and how many calls are read
// in either case.
func (h *holes) sparse() (ok bool, calls uint64, err error) {
	if err := h.count(); err != nil {
		return false, 0, err
	}
	n, all := h.words[0].len()+h.words[1].len(), max(h.g.wa.len(), h.g.wb.len())
	if n < all/(2*lookUp) {
		return true, lookUp * n, nil
	}
	return false, all, nil
}

// values compares the calls of a rank that have parameters in columns.
func (h *holes) values(rank int) error {
	g := h.g
	v, sa, sb := g.newValues(rank), g.ka.Stream(rank), g.kb.Stream(rank)
	for i := range h.words[0].len() {
		_, p := h.letter(0, i)
		if q, ok := aligned(g.steps, p, false); ok {
			if err := v.at(sa, sb, p, q); err != nil {
				return err
			}
		}
	}
	for i := range h.words[1].len() {
		_, q := h.letter(1, i)
		if p, ok := aligned(g.steps, q, true); ok {
			if t, _ := g.wa.at(p); h.open[0][t] {
				continue // compared above
			}
			if err := v.at(sa, sb, p, q); err != nil {
				return err
			}
		}
	}
	v.finish()
	return nil
}

// at compares the calls of two letters.
func (v *values) at(sa, sb *archive.Stream, p, q uint64) error {
	call := func(w *word, s *archive.Stream, i uint64) (*archive.Call, error) {
		_, before := w.at(i)
		n, err := s.CallsBefore(before.events)
		if err != nil {
			return nil, err
		}
		return s.CallAt(n)
	}
	x, err := call(v.g.wa, sa, p)
	if err != nil {
		return err
	}
	y, err := call(v.g.wb, sb, q)
	if err != nil {
		return err
	}
	v.a.pos, v.b.pos = p+1, q+1
	v.g.c.calls += lookUp
	v.pair(x, y)
	return nil
}

// sameTerminal tells whether the columns of two terminals are the same functions of the rank; first
// is the number of the first one.
func (g *group) sameTerminal(t, o uint32, firstA, firstB int) (bool, error) {
	x := &g.ka.terms[t]
	columns := x.sig.Columns()
	if len(g.kb.terms[o].sig.Columns()) != len(columns) {
		return false, nil
	}
	for i, col := range columns {
		if col.Slot < 0 || x.soft[col.Slot] {
			continue
		}
		// Numbers of strings mean something in their stream only.
		if x.f.Slots[col.Slot].Codec == spec.String || firstA+i >= len(g.ka.data.Columns) ||
			firstB+i >= len(g.kb.data.Columns) {
			return false, nil
		}
		if equal, err := g.sameCases(t, o, col, &g.ka.data.Columns[firstA+i], &g.kb.data.Columns[firstB+i]); !equal ||
			err != nil {
			return false, err
		}
	}
	return true, nil
}
