package grammar

import "iter"

// A Search finds terminals in the expansion of a grammar. It enters only rules
// that derive one of them, so that it takes time proportional to the grammar and
// to what it yields.
type Search struct {
	x     *Index
	every []bool
	some  []bool
	rules []relevance // by rule
}

// relevance is what a Search knows of a rule.
type relevance struct {
	every, some bool    // the rule derives such a terminal
	symbols     []int32 // the symbols of its body that do, or are one
}

// NewSearch prepares a search for the terminals t with every[t], all of whose occurrences are
// yielded, and for those with some[t]. Of the latter only two kinds of occurrences are sure to be
// yielded: the first one after the beginning, and the first one after each occurrence of a terminal
// of every. Terminals behind the end of a slice are not looked for.
func (x *Index) NewSearch(every, some []bool) *Search {
	s := &Search{x: x, every: every, some: some, rules: make([]relevance, len(x.g.Rules))}
	for _, r := range x.order {
		rel := &s.rules[r]
		for i, sym := range x.g.Rules[r] {
			e, o := has(every, sym.ID), has(some, sym.ID)
			if sym.IsRule() {
				e, o = s.rules[sym.Rule()].every, s.rules[sym.Rule()].some
			}
			if e || o {
				rel.symbols = append(rel.symbols, int32(i))
			}
			rel.every, rel.some = rel.every || e, rel.some || o
		}
	}
	return s
}

func has(set []bool, id uint32) bool { return id < uint32(len(set)) && set[id] }

// searchPlace is a rule that the search is in.
type searchPlace struct {
	rule int
	next int    // index in the rule's relevant symbols
	base uint64 // where the rule's expansion begins
	left uint64 // further repetitions of the symbol before next
	at   uint64 // where the next repetition begins
}

// All yields positions and terminals in ascending order of the positions.
func (s *Search) All() iter.Seq2[uint64, uint32] {
	return func(yield func(uint64, uint32) bool) {
		epoch := uint64(1) // how many terminals of every were yielded, plus one
		seenRule := make([]uint64, len(s.rules))
		seenTerm := make([]uint64, len(s.some))
		stack := []searchPlace{{}}
		for len(stack) > 0 {
			p := &stack[len(stack)-1]
			rel := &s.rules[p.rule]
			if p.left == 0 {
				if p.next == len(rel.symbols) {
					stack = stack[:len(stack)-1]
					continue
				}
				k := rel.symbols[p.next]
				p.next++
				p.left, p.at = s.x.g.Rules[p.rule][k].Count, p.base
				if k > 0 {
					p.at += s.x.ends[p.rule][k-1]
				}
			}
			sym := s.x.g.Rules[p.rule][rel.symbols[p.next-1]]
			pos := p.at
			p.left--
			p.at += s.x.lenOf(sym.ID)
			switch {
			case !sym.IsRule() && has(s.every, sym.ID):
				if epoch++; !yield(pos, sym.ID) {
					return
				}
			case !sym.IsRule():
				p.left = 0
				if seenTerm[sym.ID] == epoch {
					continue
				}
				if seenTerm[sym.ID] = epoch; !yield(pos, sym.ID) {
					return
				}
			case s.rules[sym.Rule()].every:
				stack = append(stack, searchPlace{rule: sym.Rule(), base: pos})
			default:
				p.left = 0 // nothing can change between the repetitions
				if seenRule[sym.Rule()] != epoch {
					seenRule[sym.Rule()] = epoch
					stack = append(stack, searchPlace{rule: sym.Rule(), base: pos})
				}
			}
		}
	}
}
