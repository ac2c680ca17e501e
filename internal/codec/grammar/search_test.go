package grammar

import (
	"math/rand/v2"
	"testing"
)

// checkSearch compares a search with the expansion.
func checkSearch(t *testing.T, word []uint32, every, some []bool) {
	t.Helper()
	b := NewBuilder()
	for _, v := range word {
		b.Append(v)
	}
	x, err := NewIndex(b.Grammar())
	if err != nil {
		t.Fatal(err)
	}
	type hit struct {
		pos  uint64
		term uint32
	}
	found := map[hit]bool{}
	last, any := uint64(0), false
	for pos, term := range x.NewSearch(every, some).All() {
		if any && pos <= last {
			t.Fatalf("position %d after %d", pos, last)
		}
		last, any = pos, true
		if pos >= uint64(len(word)) || word[pos] != term || !has(every, term) && !has(some, term) {
			t.Fatalf("terminal %d at %d of %v", term, pos, word)
		}
		found[hit{pos, term}] = true
	}
	seen := map[uint32]bool{}
	for i, v := range word {
		h := hit{uint64(i), v}
		switch {
		case has(every, v):
			if clear(seen); !found[h] {
				t.Fatalf("%v: terminal %d at %d was not found", word, v, i)
			}
		case has(some, v) && !seen[v]:
			if seen[v] = true; !found[h] {
				t.Fatalf("%v: terminal %d at %d was not found, the first one of its kind", word, v, i)
			}
		}
	}
}

func TestSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		terms := 1 + rng.IntN(6)
		var word []uint32
		for len(word) < 5+rng.IntN(200) {
			piece := []uint32{uint32(rng.IntN(terms))}
			if len(word) > 4 && rng.IntN(2) == 0 { // repeat something: loops and rules
				from := rng.IntN(len(word))
				piece = append(piece, word[from:min(len(word), from+1+rng.IntN(12))]...)
			}
			for range 1 + rng.IntN(4) {
				word = append(word, piece...)
			}
		}
		every, some := make([]bool, rng.IntN(terms+1)), make([]bool, rng.IntN(terms+1))
		for i := range every {
			every[i] = rng.IntN(3) == 0
		}
		for i := range some {
			some[i] = rng.IntN(3) == 0
		}
		checkSearch(t, word, every, some)
	}
}

func FuzzSearch(f *testing.F) {
	f.Add([]byte{0, 1, 0, 1, 2, 0, 1, 0, 1, 2}, byte(4), byte(1))
	f.Fuzz(func(t *testing.T, in []byte, every, some byte) {
		word := make([]uint32, min(len(in), 2000))
		for i := range word {
			word[i] = uint32(in[i] & 7)
		}
		var e, s [8]bool
		for i := range e {
			e[i], s[i] = every>>i&1 != 0, some>>i&1 != 0
		}
		checkSearch(t, word, e[:], s[:])
	})
}

// A search does not enter what it does not look for: few steps in a long loop.
func TestSearchSkips(t *testing.T) {
	// S -> 0 A^(2^40) 1 with A -> 2 3^(2^20): what is looked for is 0, 1 and once 3.
	g := &Grammar{Rules: [][]Symbol{
		{{ID: 0, Count: 1}, {ID: RuleBit | 1, Count: 1 << 40}, {ID: 1, Count: 1}},
		{{ID: 2, Count: 1}, {ID: 3, Count: 1 << 20}},
	}}
	x, err := NewIndex(g)
	if err != nil {
		t.Fatal(err)
	}
	var got []uint64
	for pos := range x.NewSearch([]bool{true, true}, []bool{false, false, false, true}).All() {
		got = append(got, pos)
	}
	if len(got) != 3 || got[0] != 0 || got[1] != 2 || got[2] != 1+(1<<40)*(1+1<<20) {
		t.Errorf("positions %v", got)
	}
}
