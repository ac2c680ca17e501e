package loops

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/codec/grammar"
	"github.com/tabard-hpc/tabard/spec"
)

// testShapes makes n shapes that stand on lines 10, 20, ... of one function.
func testShapes(n int) []Shape {
	var shapes []Shape
	for i := range n {
		shapes = append(shapes, Shape{Func: spec.ByName("MPI_Send"),
			Frames: []Frame{{Func: "f", File: "a.c", Line: 10 * (i + 1)}}})
	}
	return shapes
}

// nestOf folds a grammar into a class without streams.
func nestOf(t testing.TB, g *grammar.Grammar, shape []int32, shapes []Shape) *Class {
	t.Helper()
	tr, err := fold(g, shape, shapes, math.MaxInt)
	if err != nil {
		t.Fatal(err)
	}
	c := &Class{Body: tr.nodes(tr.body, shapes), Variants: make([]Variant, 1)}
	for _, b := range tr.blocks {
		c.Blocks = append(c.Blocks, tr.nodes(b, shapes))
	}
	return c
}

// text renders a nest shortly: "a 3{b c*2}"; counts that differ are "2-5".
func text(seq []*Node, shapes []Shape) string {
	var parts []string
	for _, n := range seq {
		least, most := n.Repeats()
		count := fmt.Sprint(least)
		if most != least {
			count += fmt.Sprint("-", most)
		}
		switch n.Kind {
		case Loop:
			parts = append(parts, count+"{"+text(n.Body, shapes)+"}")
			continue
		case Block:
			parts = append(parts, fmt.Sprintf("#%d", n.Block))
		default:
			parts = append(parts, string(rune('a'+n.Shape.Frames[0].Line/10-1)))
		}
		if count != "1" {
			parts[len(parts)-1] += "*" + count
		}
	}
	return strings.Join(parts, " ")
}

func grammarOf(word []uint32) *grammar.Grammar {
	b := grammar.NewBuilder()
	for _, t := range word {
		b.Append(t)
	}
	return b.Grammar()
}

// identity gives every terminal its own shape.
func identity(n int) []int32 {
	shape := make([]int32, n)
	for i := range shape {
		shape[i] = int32(i)
	}
	return shape
}

// The iterations that follow a loop in which every k-th has something more, and are no full k, are of the same loop.
func TestEveryKthAndMore(t *testing.T) {
	for program, want := range map[string]string{
		"2{10{a b c} d e f g} 3{a b c} h": "23{a b c d*0-1 e*0-1 f*0-1 g*0-1} h",
		"2{10{a*2 b} d} 3{a b} h":         "23{a*1-2 b d*0-1} h",
		"3{4{a b} c} 4{a b} d":            "3{4{a b} c} 4{a b} d", // a full one without c
		"3{4{a b} 2{c d}} 2{a b} e":       "3{4{a b} 2{c d}} 2{a b} e",
	} {
		shapes := testShapes(26)
		tr, err := fold(grammarOf(run(t, program)), identity(26), shapes, math.MaxInt)
		if err != nil {
			t.Fatal(err)
		}
		tr.body = tr.sk.everyKth(tr.body, 0)
		if got := text(tr.nodes(tr.body, shapes), shapes); got != want {
			t.Errorf("%s: %s, not %s", program, got, want)
		}
	}
}

// checkExact compares the expansion of a nest with that of its grammar.
func checkExact(t testing.TB, g *grammar.Grammar, shape []int32, shapes []Shape) *Class {
	t.Helper()
	c := nestOf(t, g, shape, shapes)
	sets := map[*Node]map[uint32]bool{}
	c.All(func(n *Node) {
		if n.Kind == Call {
			sets[n] = map[uint32]bool{}
			n.sets[0].Collect(sets[n])
		}
	})
	cur := g.NewCursor()
	at := 0
	for n, times := range c.Expand(0) {
		for range times {
			term, ok := cur.Next()
			if !ok {
				t.Fatalf("the nest has more calls than the grammar's %d: %s", at, text(c.Body, shapes))
			}
			if n.Shape != &shapes[shape[term]] || !sets[n][term] {
				t.Fatalf("call %d is terminal %d of shape %d: %s", at, term, shape[term], text(c.Body, shapes))
			}
			at++
		}
	}
	if _, ok := cur.Next(); ok {
		t.Fatalf("the nest ends after %d calls: %s", at, text(c.Body, shapes))
	}
	return c
}

// run executes a program in the notation of text, with alternatives: "3{a b}".
func run(t testing.TB, program string) []uint32 {
	t.Helper()
	var word []uint32
	rest := program
	var sequence func() []uint32
	sequence = func() (out []uint32) {
		for rest != "" {
			ch := rest[0]
			switch {
			case ch == ' ':
				rest = rest[1:]
			case ch == '}':
				return out
			case ch >= 'a' && ch <= 'z':
				rest = rest[1:]
				n := 1
				if k, err := fmt.Sscanf(rest, "*%d", &n); err == nil && k == 1 {
					rest = strings.TrimLeft(rest[1:], "0123456789")
				}
				for range n {
					out = append(out, uint32(ch-'a'))
				}
			default:
				var n int
				if _, err := fmt.Sscanf(rest, "%d{", &n); err != nil {
					t.Fatalf("%q at %q: %v", program, rest, err)
				}
				rest = rest[strings.IndexByte(rest, '{')+1:]
				body := sequence()
				rest = rest[1:]
				for range n {
					out = append(out, body...)
				}
			}
		}
		return out
	}
	word = sequence()
	return word
}

// Programs whose lines ascend come out as they were written.
func TestProgramsComeBack(t *testing.T) {
	for _, program := range []string{
		"a", "a*7", "a b c", "50{a b c d}", "z 50{a b c d} y", "a 49{b c} d", "a 50{b c} b d", "2{a b}", "x 2{a b} y",
		"5{9{a b c} a b d c}", "z 5{10{a b c} d} y", "a 3{b 4{c d} e} f", "100{a*4 b*4 c}", "a 10{b 3{c d 7{e f}} g} h",
		"3{a b c} 3{a b c d}", "a 20{b c a} d", "z 3{a b} c 3{a b} y", "6{a b} c 6{a b} d 6{a b} e",
		"1000{a 1000{b 1000{c}}}", "a b*1000 c", "10{a b} 20{c d} 30{e f}", "c 40{a b a} d", "c 40{a b c a} d",
		"a*2 b 40{a b}", "b 40{a*3 b a*2} c", "2{a 50{b c b}} d",
	} {
		word := []uint32{}
		if !strings.Contains(program, "1000{a 1000") {
			word = run(t, program)
		} else {
			word = run(t, "10{a 10{b 10{c}}}")
			program = "10{a 10{b c*10}}"
		}
		shapes := testShapes(26)
		c := checkExact(t, grammarOf(word), identity(26), shapes)
		want := program
		if w := known[program]; w != "" {
			want = w
		}
		if got := text(c.Body, shapes); got != want {
			t.Errorf("%s became %s", program, got)
		}
	}
}

// known are programs that do not tell by their calls how they were written.
var known = map[string]string{
	"a*2 b 40{a b}": "a 41{a b}",
	"a 20{b c a} d": "20{a b c} a d",
}

// A rule of the grammar begins anywhere in the loop: every cut of a run of a
// loop folds to the full iterations and what is left.
func TestRotations(t *testing.T) {
	shapes := testShapes(26)
	for front := range 4 {
		for back := range 4 {
			word := run(t, "z 50{a b c d} y")
			word = slices.Concat(word[:1], word[1+front:len(word)-1-back], word[len(word)-1:])
			c := checkExact(t, grammarOf(word), identity(26), shapes)
			got := text(c.Body, shapes)
			iterations := 50
			if front > 0 {
				iterations--
			}
			if back > 0 {
				iterations--
			}
			want := fmt.Sprintf("%d{a b c d}", iterations)
			if front > 0 && front+back == 4 { // no iteration is incomplete if they begin elsewhere
				want = "z 49{" + map[int]string{1: "b c d a", 2: "c d a b", 3: "d a b c"}[front] + "} y"
			}
			if !strings.Contains(got, want) {
				t.Errorf("without %d and %d calls: %s, want %s", front, back, got, want)
			}
		}
	}
}

// Words of all kinds expand to themselves.
func TestExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		alphabet := 1 + rng.IntN(6)
		var word []uint32
		switch i % 4 {
		case 0:
			for range rng.IntN(200) {
				word = append(word, uint32(rng.IntN(alphabet)))
			}
		case 1:
			word = randomProgram(rng, 3, alphabet)
		case 2: // iterations that differ
			for range rng.IntN(30) {
				for s := range alphabet {
					for range 1 + rng.IntN(3) {
						word = append(word, uint32(s))
					}
				}
			}
		default: // a part of a program
			word = randomProgram(rng, 4, alphabet)
			if len(word) > 4 {
				word = word[rng.IntN(len(word)/4) : len(word)-rng.IntN(len(word)/4)]
			}
		}
		// Several terminals may be one call site.
		shape := make([]int32, alphabet)
		for s := range shape {
			shape[s] = int32(rng.IntN(alphabet))
		}
		shapes := testShapes(alphabet)
		for k := range shapes {
			shapes[k].Frames[0].Line = rng.IntN(5)
		}
		checkExact(t, grammarOf(word), shape, shapes)
	}
}

func randomProgram(rng *rand.Rand, depth, alphabet int) []uint32 {
	var word []uint32
	for range 1 + rng.IntN(4) {
		if depth > 0 && rng.IntN(3) > 0 {
			body := randomProgram(rng, depth-1, alphabet)
			for range 1 + rng.IntN(5) {
				word = append(word, body...)
			}
		} else {
			word = append(word, uint32(rng.IntN(alphabet)))
		}
		if len(word) > 5000 {
			break
		}
	}
	return word
}

// Grammars that no builder makes expand to themselves as well.
func TestExactGrammars(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		checkExact(t, randomGrammar(rng), identity(4), testShapes(4))
	}
}

func randomGrammar(rng *rand.Rand) *grammar.Grammar {
	n := 1 + rng.IntN(6)
	g := &grammar.Grammar{Rules: make([][]grammar.Symbol, n)}
	for r := range g.Rules {
		for range 1 + rng.IntN(5) {
			s := grammar.Symbol{ID: uint32(rng.IntN(4)), Count: 1 + uint64(rng.IntN(3))}
			if r+1 < n && rng.IntN(2) == 0 {
				s.ID = grammar.RuleBit | uint32(r+1+rng.IntN(n-r-1))
			}
			g.Rules[r] = append(g.Rules[r], s)
		}
	}
	return g
}

func FuzzExact(f *testing.F) {
	f.Add([]byte("abcabcabcabd"), uint8(4))
	f.Add([]byte("abaabaabaaba"), uint8(2))
	f.Add([]byte("aabaaabaabaaab"), uint8(3))
	f.Fuzz(func(t *testing.T, in []byte, mod uint8) {
		if len(in) > 1<<12 {
			return
		}
		k := int(mod%8) + 1
		var word []uint32
		for _, b := range in {
			word = append(word, uint32(b)%16)
		}
		shape := make([]int32, 16)
		for i := range shape {
			shape[i] = int32(i % k)
		}
		checkExact(t, grammarOf(word), shape, testShapes(k))
	})
}

// The cost depends on the grammar: 2^60 calls are no more work than 20.
func TestHugeCounts(t *testing.T) {
	const r = grammar.RuleBit
	g := &grammar.Grammar{Rules: [][]grammar.Symbol{
		{{ID: 4, Count: 1}, {ID: 1, Count: 1}, {ID: r | 1, Count: 1<<40 - 1}, {ID: 0, Count: 1},
			{ID: r | 2, Count: 1 << 10},
			{ID: 3, Count: 1}},
		{{ID: 0, Count: 1}, {ID: r | 2, Count: 1 << 10}, {ID: 1, Count: 1}},
		{{ID: 2, Count: 1 << 9}, {ID: 5, Count: 1}},
	}}
	shapes := testShapes(6)
	c := nestOf(t, g, identity(6), shapes)
	// Beginning at b, no iteration is incomplete.
	if got, want := text(c.Body, shapes), fmt.Sprintf("e %d{b a 1024{c*512 f}} d", uint64(1<<40)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	n := c.Body[1]
	if got := n.Body[2].Body[0].Counts[0].Sum(); got != 1<<59 {
		t.Errorf("%d calls", got)
	}
}

// Words without any structure take time in proportion to their grammars, and
// deep grammars of repeated parts become blocks instead of growing without bound.
func TestIrregular(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	b := grammar.NewBuilder()
	for range 200000 {
		b.Append(uint32(rng.IntN(1000)))
	}
	shape := make([]int32, 1000)
	for i := range shape {
		shape[i] = int32(i % 26)
	}
	shapes := testShapes(26)
	checkExact(t, b.Grammar(), shape, shapes)

	// Rule k is x k x y with rules k+1 in place of x: the word doubles each time.
	const depth = 40
	g := &grammar.Grammar{}
	for k := range depth {
		next := grammar.Symbol{ID: grammar.RuleBit | uint32(k+1), Count: 1}
		if k == depth-1 {
			next = grammar.Symbol{ID: 25, Count: 1}
		}
		g.Rules = append(g.Rules, []grammar.Symbol{next, {ID: uint32(k % 25), Count: 1}, next,
			{ID: uint32((k + k/25 + 1) % 25), Count: 1}})
	}
	c := nestOf(t, g, identity(26), shapes)
	nodes := 0
	c.All(func(*Node) { nodes++ })
	if len(c.Blocks) == 0 || nodes > 1<<20 {
		t.Errorf("%d blocks, %d nodes", len(c.Blocks), nodes)
	}
	blocks := c.blockEvents()
	sum := uint64(0)
	for _, n := range c.Body {
		sum += n.events(blocks)
	}
	if want, _ := g.Len(); sum != want {
		t.Errorf("%d events of %d", sum, want)
	}
}

// A chain of rules, each used once, is no grammar of a builder, but a valid one.
func TestChain(t *testing.T) {
	const depth = 100000
	g := &grammar.Grammar{}
	for k := range depth {
		body := []grammar.Symbol{{ID: uint32(k * k % 7), Count: 1}, {ID: 7, Count: 1}}
		if k+1 < depth {
			body = append(body, grammar.Symbol{ID: grammar.RuleBit | uint32(k+1), Count: 1})
		}
		g.Rules = append(g.Rules, body)
	}
	checkExact(t, g, identity(8), testShapes(8))
}

// TestInnerLoops tells loops over neighbours and levels from the loops around them, though all calls of one
// line look the same.
func TestInnerLoops(t *testing.T) {
	word := func(steps int, step ...uint32) (w []uint32) {
		for range steps {
			w = append(w, step...)
		}
		return append(append([]uint32{0}, w...), 9)
	}
	// Terminals 1 to 4 are calls of one line, 5 to 8 of the next.
	shape := []int32{0, 1, 1, 1, 1, 2, 2, 2, 2, 3}
	for _, c := range []struct {
		want string
		word []uint32
	}{
		{"a 100{b*4} d", word(100, 1, 2, 3, 4)},                                              // neighbours
		{"a 5{6{b c}} d", word(5, 1, 5, 2, 6, 3, 7, 4, 8, 3, 7, 2, 6)},                       // levels, down and up
		{"a 100{b c} d", word(50, 1, 5, 2, 6)},                                               // two buffers in turn
		{"a 50{b c} d", word(5, 1, 5, 1, 5, 1, 5, 1, 5, 1, 5, 1, 5, 1, 5, 1, 5, 1, 5, 2, 6)}, // each tenth
	} {
		shapes := testShapes(4)
		got := checkExact(t, grammarOf(c.word), shape, shapes)
		if s := text(got.Body, shapes); s != c.want {
			t.Errorf("%s, not %s", s, c.want)
		}
	}
}

// A loop over neighbours is told from the steps around it also where one step more stands before the others.
func TestInnerLoopsJoined(t *testing.T) {
	shape := []int32{0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 4, 5}
	step := []uint32{1, 5, 2, 5, 3, 5}
	word := slices.Concat([]uint32{0, 10}, step, []uint32{11, 10}, slices.Repeat(step, 5), []uint32{9})
	shapes := testShapes(6)
	got := checkExact(t, grammarOf(word), shape, shapes)
	if s := text(got.Body, shapes); s != "a e 3{b c} f e 5{3{b c}} d" {
		t.Error(s)
	}
}
