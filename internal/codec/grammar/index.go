package grammar

import "sort"

// An Index answers questions about positions in the expansion of a grammar
// without expanding it. It may be shared by any number of goroutines; the
// grammar must not change.
type Index struct {
	g     *Grammar
	lens  []uint64   // length of each rule's expansion
	ends  [][]uint64 // for each rule and symbol: where the symbol's expansion ends in the rule's
	order []uint32   // used rules, each after those that it uses
	terms int        // greatest terminal + 1
}

// NewIndex returns an index of g, or an error if g is not valid. Time and
// memory are proportional to the size of g.
func NewIndex(g *Grammar) (*Index, error) {
	if err := g.Validate(-1); err != nil {
		return nil, err
	}
	x := &Index{g: g, ends: make([][]uint64, len(g.Rules))}
	var err error
	if x.order, err = g.order(); err != nil {
		return nil, err
	}
	if x.lens, err = g.lengths(x.order); err != nil {
		return nil, err
	}
	for _, r := range x.order {
		ends := make([]uint64, len(g.Rules[r]))
		total := uint64(0)
		for i, s := range g.Rules[r] {
			total += s.Count * x.lenOf(s.ID)
			ends[i] = total
			if !s.IsRule() {
				x.terms = max(x.terms, int(s.ID)+1)
			}
		}
		x.ends[r] = ends
	}
	return x, nil
}

func (x *Index) lenOf(id uint32) uint64 {
	if id&RuleBit != 0 {
		return x.lens[id&^RuleBit]
	}
	return 1
}

// Grammar returns the grammar that x indexes.
func (x *Index) Grammar() *Grammar { return x.g }

// Len returns the number of terminals in the expansion.
func (x *Index) Len() uint64 { return x.lens[0] }

// Terminals returns the greatest terminal plus one, or 0 if there is none.
func (x *Index) Terminals() int { return x.terms }

// RuleLen returns the number of terminals that rule r expands to, or 0 if the
// start rule does not use it.
func (x *Index) RuleLen(r int) uint64 { return x.lens[r] }

// SymbolLen returns the number of terminals that s expands to, repetitions included.
func (x *Index) SymbolLen(s Symbol) uint64 { return s.Count * x.lenOf(s.ID) }

// Ends returns, for each symbol in the body of rule r, the position in the
// rule's expansion at which that symbol's expansion ends. Do not modify it.
func (x *Index) Ends(r int) []uint64 { return x.ends[r] }

// BottomUp returns the rules that the start rule uses, and the start rule at
// the end, each rule after all rules that it uses. Do not modify it.
func (x *Index) BottomUp() []uint32 { return x.order }

// RuleOccurrences returns how many times each rule is expanded in the whole expansion.
func (x *Index) RuleOccurrences() []uint64 {
	times := make([]uint64, len(x.g.Rules))
	times[0] = 1
	x.spread(times, nil)
	return times
}

// Occurrences returns how many times each terminal occurs in the expansion. The
// result has Terminals elements: check untrusted grammars with Validate first.
func (x *Index) Occurrences() []uint64 {
	times := make([]uint64, len(x.g.Rules))
	counts := make([]uint64, x.terms)
	times[0] = 1
	x.spread(times, counts)
	return counts
}

// CountBefore returns how many times each terminal occurs before position i of
// the expansion, or in all of it if i is behind its end. It takes time
// proportional to the size of the grammar.
func (x *Index) CountBefore(i uint64) []uint64 {
	if i >= x.Len() {
		return x.Occurrences()
	}
	times := make([]uint64, len(x.g.Rules))
	counts := make([]uint64, x.terms)
	add := func(id uint32, n uint64) {
		if id&RuleBit != 0 {
			times[id&^RuleBit] += n
		} else {
			counts[id] += n
		}
	}
	for r := 0; ; {
		body := x.g.Rules[r]
		k, start := x.find(r, i)
		for _, s := range body[:k] {
			add(s.ID, s.Count)
		}
		n := x.lenOf(body[k].ID)
		add(body[k].ID, (i-start)/n)
		i = (i - start) % n
		if i == 0 {
			break
		}
		r = body[k].Rule()
	}
	x.spread(times, counts)
	return counts
}

// spread adds to times how often rules are used by the rules that are expanded
// times times, and to counts, unless nil, how often terminals are.
func (x *Index) spread(times, counts []uint64) {
	for k := len(x.order) - 1; k >= 0; k-- {
		r := x.order[k]
		n := times[r]
		if n == 0 {
			continue
		}
		for _, s := range x.g.Rules[r] {
			if s.IsRule() {
				times[s.Rule()] += n * s.Count
			} else if counts != nil {
				counts[s.ID] += n * s.Count
			}
		}
	}
}

// find returns the symbol of rule r that covers position i of the rule's
// expansion, and where that symbol's expansion starts.
func (x *Index) find(r int, i uint64) (k int, start uint64) {
	ends := x.ends[r]
	k = sort.Search(len(ends), func(k int) bool { return ends[k] > i })
	if k > 0 {
		start = ends[k-1]
	}
	return k, start
}

// At returns the terminal at position i of the expansion; i must be below Len.
func (x *Index) At(i uint64) uint32 {
	for r := 0; ; {
		k, start := x.find(r, i)
		s := x.g.Rules[r][k]
		if !s.IsRule() {
			return s.ID
		}
		r = s.Rule()
		i = (i - start) % x.lens[r]
	}
}

// Occurrences returns how many times each terminal occurs in the expansion of
// g, or nil if g is not valid. For several questions make an Index.
func (g *Grammar) Occurrences() []uint64 {
	x, err := NewIndex(g)
	if err != nil {
		return nil
	}
	return x.Occurrences()
}

// CountBefore returns how many times each terminal occurs before position i of
// the expansion of g, or nil if g is not valid. For several questions make an Index.
func (g *Grammar) CountBefore(i uint64) []uint64 {
	x, err := NewIndex(g)
	if err != nil {
		return nil
	}
	return x.CountBefore(i)
}
