package loops

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tabard-hpc/tabard/internal/codec/grammar"
)

// What has many items is folded in part only, if at all: the trees are those that folding all of it would give.
func TestShortest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	branches := func(b *grammar.Builder) { // a loop in which branches are taken at random
		b.Append(0)
		for i := range uint32(6) {
			if rng.IntN(2) == 0 {
				b.Append(1 + i)
			}
		}
		b.Append(7)
	}
	for name, next := range map[string]func(*grammar.Builder){
		"branches": branches,
		"anything": func(b *grammar.Builder) { b.Append(uint32(rng.IntN(26))) },
		// Terminals that the shapes do not tell apart: the grammar is as large, and one loop is all there is.
		"parameters": func(b *grammar.Builder) {
			b.Append(uint32(26 * rng.IntN(50)))
			b.Append(uint32(26*rng.IntN(50) + 1))
		},
	} {
		b := grammar.NewBuilder()
		for range 40_000 {
			next(b)
		}
		shapes, local := testShapes(26), make([]int32, 26*50)
		for i := range local {
			local[i] = int32(i % 26)
		}
		family := func() *family {
			g := &group{grammar: b.Grammar(), local: local}
			return &family{groups: []*group{g}, symbols: g.grammar.Symbols(), pass: func(int) {}}
		}
		got, want := family(), family()
		if err := got.shortest(shapes, 0); err != nil {
			t.Fatal(err)
		}
		if whole, err := want.foldAll(shapes, math.MaxInt); err != nil || !whole {
			t.Fatal(whole, err)
		}
		folded := want.bits()
		if want.unclear(len(shapes)) {
			read, err := want.reading(shapes, 0)
			if err != nil {
				t.Fatal(err)
			}
			if read != nil && read.bits()+preferFold < folded {
				want = read
			}
		}
		if got.trees[0].part || got.trees[0].text() != want.trees[0].text() || got.bits() != want.bits() {
			t.Errorf("%s: %d nodes, %.0f bits, want %d nodes, %.0f bits (folded %.0f)", name, got.trees[0].size(),
				got.bits(), want.trees[0].size(), want.bits(), folded)
		}
	}
}
