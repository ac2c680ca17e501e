package loops

import (
	"math/rand/v2"
	"testing"

	"github.com/tabard-hpc/tabard/internal/codec/nest"
)

// walked notes where each iteration of each loop outside of blocks is, call by call.
func walked(c *Class) map[*Node][][2]uint64 {
	out := map[*Node][][2]uint64{}
	e := &expander{class: c, at: map[*Node]*cursor{}}
	defer e.close()
	at := uint64(0)
	e.yield = func(_ *Node, times uint64) bool { at += times; return true }
	var sequence func(seq []*Node)
	sequence = func(seq []*Node) {
		for _, n := range seq {
			for k, times := uint64(0), e.count(n); k < times; k++ {
				from := at
				switch n.Kind {
				case Call:
					at++
				case Block:
					e.block(c.Blocks[n.Block])
				default:
					sequence(n.Body)
					out[n] = append(out[n], [2]uint64{from, at})
				}
			}
		}
	}
	sequence(c.Body)
	return out
}

func checkIterations(t *testing.T, c *Class) (loops int) {
	t.Helper()
	for n, ranges := range walked(c) {
		loops++
		it := c.Iterations(0, n)
		if it == nil || it.Len() != uint64(len(ranges)) {
			t.Fatalf("%v: %d iterations", it, len(ranges))
		}
		for k, want := range ranges {
			if from, to := it.Range(uint64(k)); from != want[0] || to != want[1] {
				t.Fatalf("iteration %d: [%d, %d), want %v", k, from, to, want)
			}
			from, to, n := it.Run(uint64(k))
			if from != want[0] || to != want[1] || n == 0 || n > uint64(len(ranges)-k) {
				t.Fatalf("run of %d from iteration %d: [%d, %d), want %v", n, k, from, to, want)
			}
			for i := range n {
				if at := ranges[uint64(k)+i]; at[0] != from+i*(to-from) || at[1] != at[0]+to-from {
					t.Fatalf("run of %d from iteration %d: %d more are at %v", n, k, i, at)
				}
			}
		}
	}
	return loops
}

func TestIterations(t *testing.T) {
	shapes := testShapes(8)
	for _, program := range []string{
		"a 5{b c} d", "a 3{b 4{c d} e} f", "5{a*2 3{b} c} 4{d 2{e} f 7{g}}", "a 2{b 2{c 2{d e}}} 2{b 2{c 2{d e}}}",
		"a 3{b 1{c d}} 4{b 2{c d}} 2{b 3{c d} e} f", "100{a 50{b c}}",
	} {
		if c := checkExact(t, grammarOf(run(t, program)), identity(8), shapes); checkIterations(t, c) == 0 {
			t.Errorf("%s has no loop", program)
		}
	}
	found := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		var word []uint32
		var part func(depth int)
		part = func(depth int) {
			for range 1 + r.IntN(4) {
				if depth == 0 || r.IntN(3) == 0 {
					word = append(word, uint32(r.IntN(8)))
					continue
				}
				from := len(word)
				part(depth - 1)
				body := word[from:len(word):len(word)]
				for range r.IntN(5) {
					if word = append(word, body...); r.IntN(6) == 0 {
						word = append(word, uint32(r.IntN(8)))
					}
				}
			}
		}
		part(3)
		found += checkIterations(t, checkExact(t, grammarOf(word), identity(8), shapes))
	}
	if found < 300 {
		t.Errorf("only %d loops", found)
	}
	c := checkExact(t, grammarOf([]uint32{0, 1}), identity(8), shapes)
	if c.Iterations(0, c.Body[0]) != nil || c.Iterations(0, nil) != nil {
		t.Error("iterations of what is no loop")
	}
}

// A loop of 10^12 iterations takes no longer than a short one.
func TestIterationsLong(t *testing.T) {
	c := &Class{Body: []*Node{{Counts: []*nest.Counts{nest.Constant(3, 1)}}, {Kind: Loop,
		Counts: []*nest.Counts{nest.Constant(1e12, 1)},
		Body: []*Node{
			{Counts: []*nest.Counts{nest.Constant(2, 7).Cat(nest.Constant(5, 1)).Repeat(1e12 / 8)}},
		}}}}
	it := c.Iterations(0, c.Body[1])
	if from, to := it.Range(1e12 - 1); it.Len() != 1e12 || to != 3+19*(1e12/8) || to-from != 5 {
		t.Errorf("%d iterations, the last is [%d, %d)", it.Len(), from, to)
	}
	if _, _, n := it.Run(8e8); n != 7 {
		t.Errorf("a run of %d iterations", n)
	}
}
