package grammar

import (
	"math/rand"
	"slices"
	"testing"
)

// naive is Sequitur with run lengths as its definition reads: rules are slices,
// and after each terminal the invariants are restored by searching everything,
// again and again. Symbols of rules are not renumbered.
type naive struct {
	rules map[uint32][]Symbol
	fresh uint32
}

func naiveGrammar(in []uint32) *naive {
	n := &naive{rules: map[uint32][]Symbol{0: nil}}
	for _, t := range in {
		n.rules[0] = joined(append(n.rules[0], Symbol{t, 1}))
		for n.digram() || n.underused() {
		}
	}
	return n
}

func (n *naive) order() (rules []uint32) {
	for r := range n.rules {
		rules = append(rules, r)
	}
	slices.Sort(rules)
	return rules
}

// joined returns body with equal neighbours joined.
func joined(body []Symbol) (out []Symbol) {
	for _, s := range body {
		if k := len(out) - 1; k >= 0 && out[k].ID == s.ID {
			out[k].Count += s.Count
		} else {
			out = append(out, s)
		}
	}
	return out
}

// digram replaces a digram that occurs twice, except the still open one at the end.
func (n *naive) digram() bool {
	type place struct {
		rule uint32
		at   int
	}
	first := map[[2]Symbol]place{}
	for _, r := range n.order() {
		body := n.rules[r]
		for i := 0; i+1 < len(body); i++ {
			if r == 0 && i+2 == len(body) {
				break
			}
			d := [2]Symbol{body[i], body[i+1]}
			if p, ok := first[d]; ok {
				n.replace(d, p.rule, r)
				return true
			}
			first[d] = place{r, i}
		}
	}
	return false
}

func (n *naive) replace(d [2]Symbol, rules ...uint32) {
	to := uint32(0)
	for _, r := range rules {
		if r != 0 && slices.Equal(n.rules[r], d[:]) {
			to = r
		}
	}
	if to == 0 {
		n.fresh++
		to = n.fresh
		n.rules[to] = d[:]
	}
	for _, r := range rules {
		if r == to {
			continue
		}
		body, out := n.rules[r], []Symbol(nil)
		for i := 0; i < len(body); i++ {
			if i+1 < len(body) && body[i] == d[0] && body[i+1] == d[1] {
				out = append(out, Symbol{to | RuleBit, 1})
				i++
			} else {
				out = append(out, body[i])
			}
		}
		n.rules[r] = joined(out)
	}
}

// underused takes in a rule that is used once, with exponent one.
func (n *naive) underused() bool {
	uses := map[uint32]uint64{}
	for _, body := range n.rules {
		for _, s := range body {
			uses[s.ID] += s.Count
		}
	}
	for _, r := range n.order() {
		if r == 0 || uses[r|RuleBit] != 1 {
			continue
		}
		for q, body := range n.rules {
			if i := slices.Index(body, Symbol{r | RuleBit, 1}); i >= 0 {
				n.rules[q] = joined(slices.Concat(body[:i], n.rules[r], body[i+1:]))
			}
		}
		delete(n.rules, r)
		return true
	}
	return false
}

func (n *naive) expand(r uint32) (out []uint32) {
	for _, s := range n.rules[r] {
		part := []uint32{s.ID}
		if s.IsRule() {
			part = n.expand(s.ID &^ RuleBit)
		}
		out = append(out, slices.Repeat(part, int(s.Count))...)
	}
	return out
}

// TestAgainstNaive compares sizes with those of the definition. Grammars differ
// where one waits for the end of a loop's iteration and the other does not.
func TestAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	ours, theirs := 0, 0
	for range 400 {
		in := inputs(rng, 1+rng.Intn(100))
		n := naiveGrammar(in)
		if !slices.Equal(n.expand(0), in) {
			t.Fatalf("the reference is wrong for %v", in)
		}
		mine, other := 0, 0
		for _, body := range build(append(in, 1<<20)).Grammar().Rules {
			mine += len(body)
		}
		for _, body := range n.rules {
			other += len(body)
		}
		ours += mine - 1 // the terminal that completes the tail
		theirs += other
		if mine > other+max(4, other/2) {
			t.Errorf("%d symbols, %d in the reference\ninput %v", mine, other, in)
		}
	}
	if ours > theirs+theirs/50 {
		t.Errorf("%d symbols in all, %d in the reference", ours, theirs)
	}
	t.Logf("%d symbols in all, %d in the reference", ours, theirs)
}
