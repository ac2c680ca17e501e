package nest

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/codec/grammar"
)

func sequenceOf(t testing.TB, word []uint32) Sequence {
	t.Helper()
	b := grammar.NewBuilder()
	most := uint32(0)
	for _, v := range word {
		b.Append(v)
		most = max(most, v)
	}
	x, err := grammar.NewIndex(b.Grammar())
	if err != nil {
		t.Fatal(err)
	}
	s := Sequence{Index: x}
	for v := range most + 1 {
		s.Label = append(s.Label, int32(v))
	}
	return s
}

// expanded is the labels that executions stand for.
func expanded(e *Executions) []uint32 {
	type reader struct {
		next func() (uint64, uint64, bool)
		v, n uint64
	}
	readers := map[*Executions]*reader{}
	count := func(e *Executions) uint64 {
		r := readers[e]
		if r == nil {
			r = &reader{}
			r.next, _ = iter.Pull2(e.Counts.All())
			readers[e] = r
		}
		for r.n == 0 {
			r.v, r.n, _ = r.next()
		}
		r.n--
		return r.v
	}
	var out []uint32
	var walk func(e *Executions)
	walk = func(e *Executions) {
		for range count(e) {
			if !e.Part.IsLoop() {
				out = append(out, uint32(e.Part.Label))
			}
			for _, b := range e.Body {
				walk(b)
			}
		}
	}
	walk(e)
	return out
}

// text renders a nest: "a 3{b c*0-2}".
func text(e *Executions) string {
	var parts []string
	for _, b := range e.Body {
		n := fmt.Sprint(b.Counts.Min())
		if b.Counts.Min() != b.Counts.Max() {
			n += fmt.Sprint("-", b.Counts.Max())
		}
		switch {
		case b.Part.IsLoop() && b.Part.Or > 0:
			parts = append(parts, fmt.Sprintf("%s|%d{%s}", n, b.Part.Or, text(b)))
		case b.Part.IsLoop():
			parts = append(parts, n+"{"+text(b)+"}")
		case n == "1":
			parts = append(parts, string('a'+b.Part.Label))
		default:
			parts = append(parts, string('a'+b.Part.Label)+"*"+n)
		}
	}
	return strings.Join(parts, " ")
}

var lineOrder = Hints{Back: func(u, v int32) bool { return v <= u }, Alike: func(int32) bool { return true }}

func readOf(t testing.TB, words ...[]uint32) *Reading {
	t.Helper()
	var seqs []Sequence
	for _, w := range words {
		seqs = append(seqs, sequenceOf(t, w))
	}
	r, err := Read(seqs, lineOrder, 1<<24)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range r.Runs {
		if got := expanded(e); !slices.Equal(got, words[i]) {
			t.Fatalf("%s\ngives %v\nnot   %v", text(e), got, words[i])
		}
	}
	return r
}

func call(label int32) *statement { return some(label, once) }

func some(label int32, times counter) *statement { return &statement{label: label, times: times} }

func loop(times counter, body ...*statement) *statement { return &statement{body: body, times: times} }

// TestAnySequence takes sequences without any order.
func TestAnySequence(t *testing.T) {
	for seed := range uint64(400) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		labels := 1 + rnd.IntN(7)
		var word []uint32
		for len(word) < 1+rnd.IntN(200) {
			piece := make([]uint32, 1+rnd.IntN(4))
			for i := range piece {
				piece[i] = uint32(rnd.IntN(labels))
			}
			for range 1 + rnd.IntN(6) {
				word = append(word, piece...)
			}
		}
		readOf(t, word)
	}
}

func TestPrograms(t *testing.T) {
	always := func(n int) counter { return func(*rand.Rand) int { return n } }
	between := func(a, b int) counter { return func(r *rand.Rand) int { return a + r.IntN(b-a+1) } }
	every := func(k, first int) counter { // each k-th time, beginning with the given one
		i := -1 - first
		return func(*rand.Rand) int {
			if i++; i%k == 0 {
				return 1
			}
			return 0
		}
	}
	branch := between(0, 1)
	chosen := 0
	choice := func(k int) counter { // the k-th of two branches, or neither
		return func(r *rand.Rand) int {
			if k == 0 {
				chosen = r.IntN(3)
			}
			if chosen == k {
				return 1
			}
			return 0
		}
	}
	for _, c := range []struct {
		name, want string
		steps      int
		step       []*statement // between calls 0 and 9
	}{
		{"varying inner loop", "a 100{1-4{b c} d} j", 100,
			[]*statement{loop(between(1, 4), call(1), call(2)), call(3)}},
		{"inner loop of none or more", "a 100{0-3{b c} d} j", 100,
			[]*statement{loop(between(0, 3), call(1), call(2)), call(3)}},
		{"completions", "a 100{b c d*1-3} j", 100, []*statement{call(1), call(2), some(3, between(1, 3))}},
		{"branch in front", "a 100{b*0-1 c d} j", 100, []*statement{some(1, branch), call(2), call(3)}},
		{"each 10th", "a 100{b c d*0-1} j", 100, []*statement{call(1), call(2), some(3, every(10, 0))}},
		{"each 10th, at the end", "a 100|10{b c d*0-1} j", 100, []*statement{call(1), call(2), some(3, every(10, 9))}},
		{"each 3rd, not a full group", "a 100|34{b c*1-3 d*0-1} j", 100,
			[]*statement{call(1), some(2, between(1, 3)), some(3, every(3, 2))}},
		{"each 3rd, or loops of three", "a 30|90{3{b c} d} j", 90,
			[]*statement{call(1), call(2), some(3, every(3, 2))}},
		{"the one branch, the other, or none", "a 60{b c*0-1 d*0-1} j", 60,
			[]*statement{call(1), some(2, choice(0)), some(3, choice(1))}},
		{"two branches", "a 100{b*0-1 c d*0-1} j", 100, []*statement{some(1, branch), call(2), some(3, branch)}},
		{"solver and output", "a 50{b 3-9{c d e} f*0-1} j", 50,
			[]*statement{call(1), loop(between(3, 9), call(2), call(3), call(4)), some(5, every(5, 0))}},
		{"alternatives", "a 60{b c*0-1 d*0-1 e} j", 60,
			[]*statement{call(1), some(2, every(2, 0)), some(3, every(2, 1)), call(4)}},
	} {
		program := []*statement{call(0), loop(always(c.steps), c.step...), call(9)}
		r := readOf(t, executed(rand.New(rand.NewPCG(7, 7)), program, map[*statement]*done{}))
		if got := text(r.Runs[0]); got != c.want {
			t.Errorf("%s: %s, not %s (%.0f bits)", c.name, got, c.want, r.Bits)
		}
	}
}

// TestColumns: counts that are linear functions of others are told from all that are not, however they are put
// together.
func TestColumns(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	some := func(values []uint64) *Counts { // in pieces that are put together anyhow
		c := Constant(values[0], 1)
		for _, v := range values[1:] {
			c = c.Cat(Constant(v, 1))
		}
		return c
	}
	for range 200 {
		part := make([]uint64, 2+rnd.IntN(9))
		for i := range part {
			part[i] = uint64(rnd.IntN(4))
		}
		part[0], part[1] = 0, 3
		var whole, up, down, other []uint64
		for range 3 {
			for _, v := range part {
				whole, up, down = append(whole, v), append(up, 7+5*v), append(down, 11-2*v)
			}
		}
		other = slices.Clone(whole)
		other[2+rnd.IntN(len(other)-2)] += 9
		k := NewColumns()
		if _, own := k.Bits(some(part).Repeat(3), 0, 0); !own {
			t.Fatal("the first counts follow from nothing")
		}
		for i, c := range []struct {
			values []uint64
			own    bool
		}{{whole, false}, {up, false}, {down, false}, {other, true}, {part, true}} {
			if _, own := k.Bits(some(c.values), 0, i+1); own != c.own {
				t.Errorf("%v beside %v: own %t", c.values, whole, own)
			}
		}
	}
}

// Counts put together in many steps are the same sequence, however many parts they have.
func TestManyParts(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	var want []uint64
	c := Constant(3, 1)
	want = append(want, 3)
	for len(want) < 20*mostParts {
		switch v := r.Uint64N(9); {
		case v == 0:
			c = c.AddLast(2)
			want[len(want)-1] += 2
		case v == 1 && r.IntN(mostParts) == 0:
			c, want = c.Cat(c), append(want, want...)
		default:
			c, want = c.Cat(Constant(v, 1)), append(want, v)
		}
	}
	var got []uint64
	for v, n := range c.All() {
		got = append(got, slices.Repeat([]uint64{v}, int(n))...)
	}
	if !slices.Equal(got, want) || c.Len() != uint64(len(want)) {
		t.Errorf("%d counts, %d in all, want %d", len(got), c.Len(), len(want))
	}
}

// Each of a chain of rules holds the one before twice, and one more call: nothing looks at each of its 2^40 parts.
func TestDoublingParts(t *testing.T) {
	c := Constant(1, 1).Cat(Constant(5, 1))
	for i := range uint64(40) {
		c = c.Cat(Constant(i%7, 1)).Cat(c)
	}
	bits, own := NewColumns().Bits(c, 0, 0)
	if !own || bits <= 0 {
		t.Error(bits, own)
	}
	parts := 0
	for range c.Parts {
		parts++
	}
	if c.Len() < 1<<40 || parts > 4*mostParts {
		t.Errorf("%d counts in %d parts", c.Len(), parts)
	}
}
