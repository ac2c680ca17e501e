package loops

import (
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
)

// summed folds a grammar and sums it up.
func summed(t *testing.T, g *grammar.Grammar, shapes []Shape, limit int) *Class {
	t.Helper()
	tr, err := fold(g, identity(len(shapes)), shapes, math.MaxInt)
	if err != nil {
		t.Fatal(err)
	}
	tr.sumUp(limit, identity(len(shapes)), len(shapes))
	return &Class{Body: tr.nodes(tr.body, shapes), Variants: make([]Variant, 1), size: tr.size()}
}

// counted is how often each shape is called.
func counted(c *Class) map[*Shape]uint64 {
	out := map[*Shape]uint64{}
	for n, times := range c.Expand(0) {
		out[n.Shape] += times
	}
	return out
}

// What is summed up loses nothing but order, and leaves large loops where they are.
func TestSumUp(t *testing.T) {
	shapes := testShapes(8)
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		noise := func(n int) (word []uint32) {
			for range n {
				word = append(word, uint32(r.IntN(5)))
			}
			return word
		}
		word := append([]uint32{7}, noise(300+r.IntN(500))...)
		from := uint64(len(word))
		const trips = 200
		body := append([]uint32{5}, noise(20)...)
		for range trips {
			word = append(append(word, body...), 6)
		}
		word = append(append(word, 7), noise(300)...)
		g := grammarOf(word)
		exact, short := nestOf(t, g, identity(8), shapes), summed(t, g, shapes, 100)
		if short.size > 200 {
			t.Fatalf("seed %d: %d nodes", seed, short.size)
		}
		want := counted(exact)
		for s, n := range counted(short) {
			if want[s] != n {
				t.Fatalf("seed %d: %d calls of line %d, want %d", seed, n, s.Frames[0].Line, want[s])
			}
		}
		var loop *Node
		short.All(func(n *Node) {
			if least, _ := n.Repeats(); n.Kind == Loop && least >= trips-1 {
				loop = n
			}
		})
		if loop == nil {
			t.Fatalf("seed %d: the loop is gone: %s", seed, text(short.Body, shapes))
		}
		a, b := short.Iterations(0, loop).Range(0)
		if b-a != uint64(len(body)+1) || a+b-a > from+2*(b-a) {
			t.Errorf("seed %d: the loop begins with [%d, %d), want a length of %d from %d on", seed, a, b,
				len(body)+1, from)
		}
	}
}

// Fifty thousand rules of a program without order make neither many nodes nor much garbage.
func TestManyRules(t *testing.T) {
	shapes := testShapes(20)
	r := rand.New(rand.NewPCG(1, 1))
	b := grammar.NewBuilder()
	for range 1_100_000 {
		b.Append(uint32(r.IntN(20)))
	}
	g := b.Grammar()
	if len(g.Rules) < 50_000 {
		t.Fatalf("only %d rules", len(g.Rules))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c := summed(t, g, shapes, classNodes)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if c.size > 2*classNodes {
		t.Errorf("%d nodes", c.size)
	}
	if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 100<<20 {
		t.Errorf("%d bytes are kept", kept)
	}
	calls := uint64(0)
	for _, n := range counted(c) {
		calls += n
	}
	if calls != 1_100_000 {
		t.Errorf("%d calls", calls)
	}
}

// Of sums up when it has made too many nodes, and says so.
func TestOfIsBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	desc := "abi openmpi\nnotiming\n"
	for _, rank := range []string{"0", "1"} {
		desc += "rank " + rank + " of 2 on n\n"
		for range 400 {
			desc += "MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:" + strconv.Itoa(1+r.IntN(30)) + " [f]\n"
		}
	}
	a := archivetest.Archive(t, desc)
	for _, x := range []struct {
		most   int
		summed bool
	}{{0, false}, {20, true}} {
		classes, err := Of(a, Options{most: x.most})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range classes {
			if c.SummedUp != x.summed || x.summed && c.Size() > 80 {
				t.Errorf("at most %d nodes: %d, summed up: %v", x.most, c.Size(), c.SummedUp)
			}
			if c.Calls%400 != 0 {
				t.Errorf("%d calls", c.Calls)
			}
		}
	}
}

// A Locator says what Iterations say, for every event.
func TestLocator(t *testing.T) {
	shapes := testShapes(8)
	for _, program := range []string{
		"a 5{b c} d", "a 3{b 4{c d} e} f", "5{a*2 3{b} c} 4{d 2{e} f 7{g}}", "a 2{b 2{c 2{d e}}} 2{b 2{c 2{d e}}}",
		"a 3{b 1{c d}} 4{b 2{c d}} 2{b 3{c d} e} f", "100{a 50{b c}}",
	} {
		c := checkExact(t, grammarOf(run(t, program)), identity(8), shapes)
		l, around := c.Locator(0), map[uint64]int{}
		for n, ranges := range walked(c) {
			for k, at := range ranges {
				for e := at[0]; e < at[1]; e++ {
					around[e]++
					found := false
					for _, x := range l.Find(e) {
						found = found || x.Loop == n && x.Iteration == uint64(k) &&
							x.Iterations == uint64(len(ranges)) &&
							x.From == at[0] && x.To == at[1]
					}
					if !found {
						t.Fatalf("%s: event %d is in iteration %d at %v: %+v", program, e, k, at, l.Find(e))
					}
				}
			}
		}
		for e, n := range around {
			if len(l.Find(e)) != n {
				t.Fatalf("%s: event %d is in %d loops, not %d", program, e, n, len(l.Find(e)))
			}
		}
		if l.Find(1<<40) != nil {
			t.Errorf("%s: a loop behind the end", program)
		}
	}
}
