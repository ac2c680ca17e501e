package grammar

import (
	"math/rand"
	"slices"
	"testing"
)

// someSequence has loops in loops and disorder.
func someSequence(rng *rand.Rand, depth int) []uint32 {
	var out []uint32
	for range 1 + rng.Intn(5) {
		if depth > 0 && rng.Intn(3) > 0 {
			body := someSequence(rng, depth-1)
			for range 1 + rng.Intn(6) {
				out = append(out, body...)
			}
			continue
		}
		out = append(out, uint32(rng.Intn(8)))
	}
	return out
}

func grammarOf(seq []uint32) *Grammar {
	b := NewBuilder()
	for _, t := range seq {
		b.Append(t)
	}
	return b.Grammar()
}

// TestProject: the expansion of a projection is the filtered expansion, its grammar is sound and no larger, and as many
// of the kept terminals lie before each position.
func TestProject(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	for round := range 2000 {
		seq := someSequence(rng, 4)
		g := grammarOf(seq)
		mask := rng.Intn(256)
		keep := func(t uint32) bool { return mask>>t&1 != 0 }
		p, err := g.Project(keep)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Grammar.Validate(len(p.Terminals)); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if p.Grammar.Symbols() > g.Symbols() || len(p.Open) > 0 {
			t.Fatalf("round %d: %d symbols of %d, %d open", round, p.Grammar.Symbols(), g.Symbols(), len(p.Open))
		}
		var got, want []uint32
		for x := range p.Grammar.All() {
			got = append(got, p.Terminals[x])
		}
		x, err := NewIndex(g)
		if err != nil {
			t.Fatal(err)
		}
		w := x.Weigh(keep)
		for i, s := range seq {
			if n := w.Before(uint64(i)); n != uint64(len(want)) {
				t.Fatalf("round %d: %d before %d, want %d", round, n, i, len(want))
			}
			if keep(s) {
				if at := w.Nth(uint64(len(want))); at != uint64(i) {
					t.Fatalf("round %d: %d is at %d, want %d", round, len(want), at, i)
				}
				want = append(want, s)
			}
		}
		if !slices.Equal(got, want) || w.Len() != uint64(len(want)) || w.Before(uint64(len(seq))) != w.Len() {
			t.Fatalf("round %d: %v, want %v", round, got, want)
		}
		checkFirstUses(t, p.Grammar)
		for r, body := range p.Grammar.Rules {
			for i, s := range body {
				if i > 0 && body[i-1].ID == s.ID || r > 0 && len(body) < 2 {
					t.Fatalf("round %d: rule %d is %v", round, r, body)
				}
			}
		}
	}
}

// checkFirstUses: rules and terminals have the numbers of their first uses.
func checkFirstUses(t *testing.T, g *Grammar) {
	t.Helper()
	next := uint32(0)
	for x := range g.FirstUses() {
		if x > next {
			t.Fatalf("terminal %d comes before %d", x, next)
		}
		next = max(next, x+1)
	}
	rule := 1
	var walk func(r int)
	walk = func(r int) {
		for _, s := range g.Rules[r] {
			if s.IsRule() && s.Rule() >= rule {
				if s.Rule() > rule {
					t.Fatalf("rule %d comes before %d", s.Rule(), rule)
				}
				rule++
				walk(s.Rule())
			}
		}
	}
	walk(0)
}

// TestProjectOpen: with any counts in place of those that are not known, the projection is that of the grammar with
// these counts.
func TestProjectOpen(t *testing.T) {
	rng := rand.New(rand.NewSource(6))
	for round := range 2000 {
		g := grammarOf(someSequence(rng, 4))
		var counts []uint64
		open := &Grammar{Rules: make([][]Symbol, len(g.Rules))}
		for r, body := range g.Rules {
			open.Rules[r] = slices.Clone(body)
			for i := range body {
				if rng.Intn(3) == 0 {
					counts = append(counts, 1+uint64(rng.Intn(4)))
					g.Rules[r][i].Count = counts[len(counts)-1]
					open.Rules[r][i].Count = 0
				}
			}
		}
		mask := rng.Intn(256)
		keep := func(t uint32) bool { return mask>>t&1 != 0 }
		p, err := open.Project(keep)
		if err != nil {
			t.Fatal(err)
		}
		k := 0
		for _, body := range p.Grammar.Rules {
			for i := range body {
				if body[i].Count == 0 {
					body[i].Count = counts[p.Open[k]]
					k++
				}
			}
		}
		var got, want []uint32
		for x := range p.Grammar.All() {
			got = append(got, p.Terminals[x])
		}
		for x := range g.All() {
			if keep(x) {
				want = append(want, x)
			}
		}
		if !slices.Equal(got, want) || k != len(p.Open) {
			t.Fatalf("round %d: %v, want %v; %d of %d counts", round, got, want, k, len(p.Open))
		}
	}
}

// TestProjectLikeNew: what is deleted leaves no trace in loops that it was in.
func TestProjectLikeNew(t *testing.T) {
	var seq []uint32
	for i := range 100 {
		seq = append(seq, 7, 0, uint32(3+i%4), 1, 7)
	}
	p, err := grammarOf(seq).Project(func(t uint32) bool { return t < 2 })
	if err != nil || p.Grammar.Symbols() > 5 { // the loop may begin in the middle
		t.Errorf("%v, %v", p.Grammar, err)
	}
}
