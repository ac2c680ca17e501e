package grammar

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

// inputs yields sequences of many kinds, up to about n terminals.
func inputs(rng *rand.Rand, n int) []uint32 {
	k := uint32(1 + rng.Intn(1<<rng.Intn(8)))
	var out []uint32
	switch rng.Intn(5) {
	case 0: // random
		for range rng.Intn(n) {
			out = append(out, rng.Uint32()%k)
		}
	case 1: // random runs
		for len(out) < n {
			t := rng.Uint32() % k
			for range 1 + rng.Intn(1+rng.Intn(9)) {
				out = append(out, t)
			}
		}
	case 2: // nested loops with random interruptions
		var loop func(depth int)
		loop = func(depth int) {
			body := rng.Intn(4) + 1
			for range 1 + rng.Intn(6) {
				for i := range body {
					if depth > 0 && i == body/2 {
						loop(depth - 1)
					}
					out = append(out, uint32(depth*8+i))
					if rng.Intn(100) == 0 {
						out = append(out, rng.Uint32()%k)
					}
				}
				if len(out) > n {
					return
				}
			}
		}
		loop(rng.Intn(4))
	case 3: // copies of earlier pieces
		out = append(out, 0)
		for len(out) < n {
			if rng.Intn(3) == 0 {
				out = append(out, rng.Uint32()%k)
				continue
			}
			i := rng.Intn(len(out))
			j := i + rng.Intn(len(out)-i)
			out = append(out, out[i:j]...)
		}
	case 4: // two symbols, where most digrams repeat
		for range rng.Intn(n) {
			out = append(out, uint32(rng.Intn(2)))
		}
	}
	return out[:min(n, len(out))]
}

func TestRoundTripAndInvariants(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 3000 {
		check(t, inputs(rng, 1+rng.Intn(400)))
	}
	for range 20 {
		check(t, inputs(rng, 20000))
	}
}

func TestRunsEqualAppends(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for range 2000 {
		in := inputs(rng, 300)
		b := NewBuilder()
		for i := 0; i < len(in); {
			j := i + 1
			for j < len(in) && in[j] == in[i] && rng.Intn(8) > 0 {
				j++
			}
			b.AppendRun(in[i], uint64(j-i))
			i = j
		}
		if g, w := b.Grammar(), build(in).Grammar(); !equal(g, w) {
			t.Fatalf("input %v\n%v\n%v", in, g, w)
		}
	}
}

func TestRestoreContinues(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	for range 2000 {
		in := inputs(rng, 500)
		b := NewBuilder()
		for _, s := range in {
			if rng.Intn(30) == 0 {
				enc := b.Grammar().Append(nil)
				g, rest, err := Parse(enc)
				if err != nil || len(rest) > 0 {
					t.Fatal(err, rest)
				}
				if b, err = Restore(g); err != nil {
					t.Fatal(err)
				}
			}
			b.Append(s)
		}
		if g, w := b.Grammar(), build(in).Grammar(); !equal(g, w) {
			t.Fatalf("input %v\nrestored %v\noriginal %v", in, g, w)
		}
	}
}

// TestRenaming shows that the grammar depends only on which terminals are equal.
func TestRenaming(t *testing.T) {
	rng := rand.New(rand.NewSource(4))
	for range 1000 {
		in := inputs(rng, 400)
		name := map[uint32]uint32{}
		back := map[uint32]uint32{}
		renamed := make([]uint32, len(in))
		for i, s := range in {
			n, ok := name[s]
			for !ok {
				n = rng.Uint32() >> 1
				if _, used := back[n]; !used {
					name[s], back[n], ok = n, s, true
				}
			}
			renamed[i] = n
		}
		g := build(renamed).Grammar()
		for _, body := range g.Rules {
			for i, s := range body {
				if !s.IsRule() {
					body[i].ID = back[s.ID]
				}
			}
		}
		if w := build(in).Grammar(); !equal(g, w) {
			t.Fatalf("input %v\nrenamed %v\noriginal %v", in, g, w)
		}
	}
}

// render writes g with terminals as letters: "S: A2 b; A: a b".
func render(g *Grammar) string {
	var lines []string
	for r, body := range g.Rules {
		var words []string
		for _, s := range body {
			w := string(rune('a' + s.ID&31))
			if s.IsRule() {
				w = string(rune('A' + s.Rule() - 1))
			}
			if s.Count > 1 {
				w += fmt.Sprint(s.Count)
			}
			words = append(words, w)
		}
		name := "S"
		if r > 0 {
			name = string(rune('A' + r - 1))
		}
		lines = append(lines, name+": "+strings.Join(words, " "))
	}
	return strings.Join(lines, "; ")
}

func letters(s string) (in []uint32) {
	for _, c := range s {
		in = append(in, uint32(c-'a'))
	}
	return in
}

func TestKnownGrammars(t *testing.T) {
	rep := strings.Repeat
	for _, c := range []struct{ in, want string }{
		{"", "S: "},
		{"a", "S: a"},
		{"aaaaaaa", "S: a7"},
		{"abcabd", "S: A c A d; A: a b"},
		// The last digram stays open until something follows it.
		{"abcdbcabcdz", "S: A B A z; A: a B d; B: b c"},
		{rep("ab", 1000) + "z", "S: A1000 z; A: a b"},
		{"x" + rep("abcd", 77) + "y", "S: x A77 y; A: a b c d"},
		{rep("aab", 50) + "z", "S: A50 z; A: a2 b"},
		{rep("a"+rep("xy", 9)+"b", 12) + "z", "S: A12 z; A: a B9 b; B: x y"},
		{rep("a"+rep("c"+rep("xy", 5)+"d", 7)+"b", 12) + "z", "S: A12 z; A: a B7 b; B: c C5 d; C: x y"},
		// Trip counts that differ, with the loop's end known beforehand.
		{"a" + rep("xyw", 5) + "z" + rep("xyw", 6) + "b", "S: a A5 z A6 b; A: x y w"},
		// A loop that was followed by its own beginning goes on as one loop.
		{rep("xyw", 5) + "xq" + rep("xyw", 6) + "b", "S: A5 x q A6 b; A: x y w"},
	} {
		g := check(t, letters(c.in))
		if got := render(g); got != c.want || g.Tail != 0 {
			t.Errorf("%.40s: %s, tail %d\nwant %s", c.in, got, g.Tail, c.want)
		}
	}
}

// TestLoopsAreConstant shows that a loop nest is as large as its source, for any trip counts.
func TestLoopsAreConstant(t *testing.T) {
	size := func(n, m int) (symbols int) {
		b := NewBuilder()
		b.AppendRun(0, 1)
		for range n {
			b.Append(1)
			for range m {
				b.Append(2)
				b.AppendRun(3, 5)
				b.Append(4)
			}
			b.Append(5)
		}
		b.Append(6)
		g := b.Grammar()
		if err := invariants(g); err != nil {
			t.Fatal(err)
		}
		for _, body := range g.Rules {
			symbols += len(body)
		}
		return symbols
	}
	for _, n := range []int{3, 100, 3000} {
		for _, m := range []int{2, 3, 7, 400} {
			if s := size(n, m); s != 9 {
				t.Errorf("%d x %d iterations: %d symbols", n, m, s)
			}
		}
	}
	if s := size(3, 3_000_000); s != 9 {
		t.Errorf("millions of iterations: %d symbols", s)
	}
}

func TestTailIsFolded(t *testing.T) {
	in := letters(strings.Repeat("abcd", 5) + "abc")
	g := check(t, in)
	if got := render(g); got != "S: A5 a b c; A: a b c d" || g.Tail != 3 {
		t.Errorf("%s, tail %d", got, g.Tail)
	}
	g = check(t, append(in, 9))
	if got := render(g); got != "S: A5 B j; A: B d; B: a b c" || g.Tail != 0 {
		t.Errorf("%s, tail %d", got, g.Tail)
	}
}

func TestCursorAndCounts(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	for range 300 {
		in := inputs(rng, 600)
		g := build(in).Grammar()
		x, err := NewIndex(g)
		if err != nil {
			t.Fatal(err)
		}
		c := x.NewCursor()
		for range 40 {
			i := rng.Intn(len(in) + 2)
			c.Seek(uint64(i))
			for j := min(i, len(in)); j < min(i+20, len(in)); j++ {
				if c.Pos() != uint64(j) {
					t.Fatalf("position %d, want %d", c.Pos(), j)
				}
				if s, ok := c.Next(); !ok || s != in[j] {
					t.Fatalf("terminal at %d: %d %v, want %d", j, s, ok, in[j])
				}
			}
			if i < len(in) {
				if s := x.At(uint64(i)); s != in[i] {
					t.Fatalf("At(%d) = %d, want %d", i, s, in[i])
				}
			}
			want := make([]uint64, x.Terminals())
			for _, s := range in[:min(i, len(in))] {
				want[s]++
			}
			if got := x.CountBefore(uint64(i)); !slices.Equal(got, want) {
				t.Fatalf("counts before %d of %d: %v, want %v", i, len(in), got, want)
			}
		}
		c.Seek(0)
		var out []uint32
		for {
			s, n := c.NextRun(uint64(1 + rng.Intn(9)))
			if n == 0 {
				break
			}
			out = append(out, slices.Repeat([]uint32{s}, int(n))...)
		}
		if _, ok := c.Next(); ok || !slices.Equal(in, out) {
			t.Fatalf("runs give %v, want %v", out, in)
		}
		for range 10 {
			i := rng.Intn(len(in) + 1)
			c.Seek(uint64(i))
			for i < len(in) {
				dst := make([]uint32, 1+rng.Intn(len(in)+9))
				n := c.Fill(dst)
				if n != min(len(dst), len(in)-i) || !slices.Equal(dst[:n], in[i:i+n]) || c.Pos() != uint64(i+n) {
					t.Fatalf("filled %d at %d: %v, of %v", n, i, dst, in)
				}
				if i += n; i < len(in) && rng.Intn(2) == 0 {
					if s, ok := c.Next(); !ok || s != in[i] {
						t.Fatalf("terminal at %d: %d %v, want %d", i, s, ok, in[i])
					}
					i++
				}
			}
			if n := c.Fill(make([]uint32, 3)); n != 0 {
				t.Fatalf("%d terminals at the end", n)
			}
		}
	}
}

func TestEncodingRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewSource(6))
	for range 1000 {
		g := build(inputs(rng, 300)).Grammar()
		enc := g.Append([]byte("x"))
		p, rest, err := Parse(append(enc[1:], "rest"...))
		if err != nil || string(rest) != "rest" || !equal(p, g) {
			t.Fatalf("%v, rest %q\n%v\n%v", err, rest, p, g)
		}
	}
	g := &Grammar{Rules: [][]Symbol{{{7, 1}, {RuleBit | 2, 1 << 40}, {MaxTerminal, 3}}, {{1, 1}},
		{{7, 9}, {RuleBit | 1, 1}}}}
	p, _, err := Parse(g.Append(nil))
	want := &Grammar{Rules: [][]Symbol{{{7, 1}, {RuleBit | 1, 1 << 40}, {MaxTerminal, 3}}, {{7, 9}, {RuleBit | 2, 1}},
		{{1, 1}}}}
	if err != nil || !equal(p, want) {
		t.Errorf("renumbered: %v %v", p, err)
	}
}

// TestSmallEncodings fixes the bytes of common grammars.
func TestSmallEncodings(t *testing.T) {
	loop := build(letters(strings.Repeat("abc", 300) + "d")).Grammar()
	for _, c := range []struct {
		g    *Grammar
		want []byte
	}{
		{NewBuilder().Grammar(), []byte{0, 0}},
		{build([]uint32{0}).Grammar(), []byte{0, 1, 0}},
		{build([]uint32{0, 0, 0}).Grammar(), []byte{0, 1, 1, 1}},
		{loop, []byte{0, 2, 3, 298&127 | 128, 298 >> 7, 2, 0, 0, 0, 0}},
		{build([]uint32{5, 0}).Grammar(), []byte{0, 2, 4, 4, 6 + 4*5}},
	} {
		if got := c.g.Append(nil); !bytes.Equal(got, c.want) {
			t.Errorf("%v: % x, want % x", c.g, got, c.want)
		}
	}
}

func TestBrokenInput(t *testing.T) {
	for name, in := range map[string][]byte{
		"empty":                  {},
		"no length":              {0},
		"cut":                    {0, 2, 0},
		"length beyond input":    {0, 0xff, 0xff, 3, 0, 0, 0},
		"huge length":            {0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0},
		"tail of everything":     {2, 2, 0, 0},
		"65 bits":                {0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2},
		"terminal below zero":    {0, 1, 6},
		"start rule in itself":   {0, 1, 8},
		"rule in itself":         {0, 1, 2, 0, 8},
		"exponent of 2^64":       {0, 1, 1, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
		"terminal of 2^31":       {0, 1, 4, 0xff, 0xff, 0xff, 0xff, 7},
		"length of 2^64 by rule": {0, 1, 3, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1, 0, 0},
	} {
		if g, _, err := Parse(in); err == nil {
			t.Errorf("%s: parsed as %v", name, g)
		}
	}
	for name, g := range map[string]*Grammar{
		"no rules":       {},
		"cycle":          {Rules: [][]Symbol{{{RuleBit | 1, 1}}, {{RuleBit | 2, 1}}, {{RuleBit | 1, 1}}}},
		"start rule":     {Rules: [][]Symbol{{{RuleBit, 1}}}},
		"missing rule":   {Rules: [][]Symbol{{{RuleBit | 1, 1}}}},
		"zero":           {Rules: [][]Symbol{{{1, 0}}}},
		"empty rule":     {Rules: [][]Symbol{{{RuleBit | 1, 1}}, {}}},
		"terminal":       {Rules: [][]Symbol{{{10, 1}}}},
		"too long":       {Rules: [][]Symbol{{{1, 1 << 63}, {2, 1 << 63}}}},
		"tail too long":  {Rules: [][]Symbol{{{1, 1}}}, Tail: 1},
		"tail below nil": {Rules: [][]Symbol{{{1, 1}}}, Tail: -1},
	} {
		if err := g.Validate(10); err == nil {
			t.Errorf("%s is valid", name)
		}
		if _, err := Restore(g); err == nil && name != "terminal" {
			t.Errorf("%s can be restored", name)
		}
	}
	for name, g := range map[string]*Grammar{
		"equal neighbours": {Rules: [][]Symbol{{{1, 1}, {1, 1}}}},
		"digram twice":     {Rules: [][]Symbol{{{1, 1}, {2, 1}, {3, 1}, {1, 1}, {2, 1}, {4, 1}}}},
		"rule used once":   {Rules: [][]Symbol{{{RuleBit | 1, 1}}, {{1, 1}, {2, 1}}}},
		"rule not used":    {Rules: [][]Symbol{{{1, 1}}, {{1, 1}, {2, 1}}}},
		"wrong tail":       {Rules: [][]Symbol{{{RuleBit | 1, 2}, {2, 1}}, {{1, 1}, {2, 1}}}, Tail: 1},
		"complete tail":    {Rules: [][]Symbol{{{RuleBit | 1, 2}, {1, 1}, {2, 1}}, {{1, 1}, {2, 1}}}, Tail: 2},
	} {
		if _, err := Restore(g); err == nil {
			t.Errorf("%s can be restored", name)
		}
	}
}

func TestTerminalRange(t *testing.T) {
	for _, s := range []uint32{RuleBit, RuleBit | 1, 1<<32 - 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("terminal %d accepted", s)
				}
			}()
			NewBuilder().Append(s)
		}()
	}
	check(t, []uint32{MaxTerminal, 0, MaxTerminal, 0, MaxTerminal, 0})
}

// TestFirstUses compares with the expansion.
func TestFirstUses(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	for range 200 {
		b := NewBuilder()
		var want, got []uint32
		for _, v := range inputs(rng, 300) {
			b.Append(v)
			if !slices.Contains(want, v) {
				want = append(want, v)
			}
		}
		for v := range b.Grammar().FirstUses() {
			if !slices.Contains(got, v) {
				got = append(got, v)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v, not %v", got, want)
		}
	}
}
