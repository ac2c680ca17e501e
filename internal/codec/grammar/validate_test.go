package grammar

import (
	"fmt"
	"slices"
	"testing"
)

// invariants reports how g violates what the package promises of a builder's grammar.
func invariants(g *Grammar) error {
	if err := g.Validate(-1); err != nil {
		return err
	}
	type digram struct{ a, b Symbol }
	seen := map[digram]bool{}
	uses := make([]int, len(g.Rules))
	next := uint32(1)
	var firstUse func(r int) error
	firstUse = func(r int) error {
		body := g.Rules[r]
		if r == 0 {
			body = body[:len(body)-g.Tail]
		} else if len(body) < 2 {
			// Not promised, but no input is known that gives one.
			return fmt.Errorf("rule %d is a single symbol", r)
		}
		for i, s := range body {
			if s.IsRule() && uses[s.Rule()] == 0 {
				if s.ID != next|RuleBit {
					return fmt.Errorf("rule %d is not numbered by first use", s.Rule())
				}
				next++
				if err := firstUse(s.Rule()); err != nil {
					return err
				}
			}
			if s.IsRule() {
				uses[s.Rule()] += int(min(s.Count, 2))
			}
			if i == 0 {
				continue
			}
			if body[i-1].ID == s.ID {
				return fmt.Errorf("rule %d: equal neighbours at %d", r, i)
			}
			d := digram{body[i-1], s}
			if r == 0 && i == len(body)-1 {
				continue
			}
			if seen[d] {
				return fmt.Errorf("rule %d: digram %v at %d occurs twice", r, d, i)
			}
			seen[d] = true
		}
		return nil
	}
	if err := firstUse(0); err != nil {
		return err
	}
	for r := 1; r < len(g.Rules); r++ {
		if uses[r] < 2 {
			return fmt.Errorf("rule %d is used only once", r)
		}
	}
	return nil
}

func expand(g *Grammar) []uint32 {
	return slices.Collect(g.All())
}

func build(in []uint32) *Builder {
	b := NewBuilder()
	for _, t := range in {
		b.Append(t)
	}
	return b
}

// check builds the grammar of in and tests all that must hold for any input.
func check(t *testing.T, in []uint32) *Grammar {
	t.Helper()
	b := build(in)
	g := b.Grammar()
	if err := invariants(g); err != nil {
		t.Fatalf("%v\ninput %v\n%v", err, in, g.Rules)
	}
	if out := expand(g); !slices.Equal(in, out) {
		t.Fatalf("input    %v\nexpanded %v\n%v", in, out, g.Rules)
	}
	if b.Len() != uint64(len(in)) {
		t.Fatalf("length %d, want %d", b.Len(), len(in))
	}
	return g
}

func equal(a, b *Grammar) bool {
	return a.Tail == b.Tail && slices.EqualFunc(a.Rules, b.Rules, slices.Equal[[]Symbol])
}
