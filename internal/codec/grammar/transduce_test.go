package grammar

import (
	"errors"
	"math/rand"
	"slices"
	"testing"
)

// TestTransduce: an automaton does the same with the grammar as with its expansion.
func TestTransduce(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	for round := range 300 {
		seq := someSequence(rng, 4)
		// Terminals 6 and 7 open and close; others are 10 more at even depths.
		step := func(depth int, x uint32) (int, uint32) {
			switch {
			case x == 6:
				return depth + 1, x
			case x == 7:
				return max(depth-1, 0), x
			}
			return depth, x + uint32(1-depth%2)*10
		}
		g, err := Transduce(grammarOf(seq), 0, step, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Validate(-1); err != nil {
			t.Fatal(err)
		}
		var want []uint32
		depth, x := 0, uint32(0)
		for _, s := range seq {
			depth, x = step(depth, s)
			want = append(want, x)
		}
		if got := slices.Collect(g.All()); !slices.Equal(got, want) {
			t.Fatalf("round %d: %v, want %v", round, got, want)
		}
	}
}

// TestTransduceSize: what is repeated is gone through once, and what would be too large is an error.
func TestTransduceSize(t *testing.T) {
	g := &Grammar{Rules: [][]Symbol{{{ID: RuleBit | 1, Count: 1 << 40}}, {{ID: 0, Count: 1}, {ID: 1, Count: 1}}}}
	turn := func(s uint32, x uint32) (uint32, uint32) { return x, 2*x + s }
	if out, err := Transduce(g, 0, turn, 100); err != nil || out.Symbols() > 10 {
		t.Errorf("%v, %v", out, err)
	}
	count := func(s int, x uint32) (int, uint32) { return s + 1, x }
	if _, err := Transduce(g, 0, count, 1000); !errors.Is(err, ErrIrregular) {
		t.Error(err)
	}
}
