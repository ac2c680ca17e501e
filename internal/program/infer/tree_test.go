package infer

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
)

// Programs are written as words here: a letter is a call, and A the same call as a with other
// values; # is an event of our own, 3(ab) is a loop, and <a|A> a loop whose iterations differ.

// nodesOf reads a word.
func nodesOf(t *testing.T, word string) []*node {
	t.Helper()
	seq, rest := parseNodes(word)
	if rest != "" {
		t.Fatalf("%q: %q is left", word, rest)
	}
	return seq
}

func parseNodes(word string) (seq []*node, rest string) {
	for word != "" {
		c := rune(word[0])
		switch {
		case c == ')' || c == '|' || c == '>':
			return seq, word
		case unicode.IsDigit(c):
			body, rest := parseNodes(word[2:])
			seq = append(seq, loopOf(&node{inst: [][]*node{body}, count: uint64(c - '0')}))
			word = rest[1:]
			continue
		case c == '<':
			n := &node{}
			for c != '>' {
				var body []*node
				body, word = parseNodes(word[1:])
				n.inst = append(n.inst, body)
				c = rune(word[0])
			}
			seq = append(seq, loopOf(n))
		default:
			key := uint64(unicode.ToLower(c))
			seq = append(seq, &node{key: key, line: key, term: uint32(c), own: c == '#'})
		}
		word = word[1:]
	}
	return seq, ""
}

// wordOf is the reverse of nodesOf.
func wordOf(seq []*node) string {
	var b strings.Builder
	for _, n := range seq {
		switch {
		case n.inst == nil:
			b.WriteRune(rune(n.term))
		case len(n.inst) == 1:
			fmt.Fprintf(&b, "%d(%s)", n.count, wordOf(n.inst[0]))
		default:
			var bodies []string
			for _, body := range n.inst {
				bodies = append(bodies, wordOf(body))
			}
			fmt.Fprintf(&b, "<%s>", strings.Join(bodies, "|"))
		}
	}
	return b.String()
}

// Loops begin as far back as they can, and take in whole iterations around them.
func TestTidy(t *testing.T) {
	for _, c := range [][2]string{
		{"abc", "abc"},
		{"3(ab)", "3(ab)"},
		{"3(ab)ab", "4(ab)"},
		{"ab3(ab)", "4(ab)"},
		{"3(ba)b", "b3(ab)"},
		{"a3(ba)", "a3(ba)"},
		{"a3(ba)b", "4(ab)"},
		{"x2(ab)aby", "x3(ab)y"},
		{"2(2(a)b)2(a)", "2(a)2(b2(a))"},
		{"3(a)3(A)", "3(a)3(A)"},
	} {
		if got := wordOf(tidy(nodesOf(t, c[0]))); got != c[1] {
			t.Errorf("%s becomes %s, not %s", c[0], got, c[1])
		}
	}
}

// Calls in a row that differ in values only are a loop; so are such loops.
func TestFolded(t *testing.T) {
	for _, c := range [][2]string{
		{"abc", "abc"},
		{"aA", "<a|A>"},
		{"xaAay", "x<a|A|a>y"},
		{"abAB", "<ab|AB>"},
		{"abABc", "<ab|AB>c"},
		{"aAbaAb", "<<a|A>b|<a|A>b>"},
		{"3(aA)", "3(<a|A>)"},
		{"A2(bca)bC", "<Abc|abc|abC>"}, // some iterations were equal
		{"aC2(bc)", "aC2(bc)"},
		{"Ab3(ab)", "<Ab|ab|ab|ab>"},
		{"xaByAb", "xaByAb"},
		{"aa#a", "<a|a|#a>"}, // a block of memory is used for the first time
		{"#a#A", "<#a|#A>"},
		{"#aAa", "#<a|A|a>"},
		{"a#bABab", "<a#b|AB|ab>"},
		{"A#2(bca)bC", "<A#bc|abc|abC>"}, // where some iterations were equal, too
		{"Abc#2(abc)aBC", "<Abc|#abc|abc|aBC>"},
		{"2(ab)3(AB)", "2(ab)3(AB)"}, // loops of several calls, of other lengths, are others
		{"2(a)3(A)", "<2(a)|3(A)>"},
	} {
		f := newFolder(false)
		if got := wordOf(expanded(f.tree(nodesOf(t, c[0])))); got != c[1] {
			t.Errorf("%s becomes %s, not %s", c[0], got, c[1])
		}
	}
}

// A single iteration is a loop if there are more elsewhere.
func TestWrapped(t *testing.T) {
	for _, c := range []struct{ other, word, want string }{
		{"aA", "xay", "x1(a)y"},
		{"aA", "xby", "xby"},
		{"abAB", "xaby", "x1(ab)y"},
		{"abAB", "xay", "xay"},
		{"aA", "2(a)", "2(a)"},
		{"aA", "2(ab)", "2(1(a)b)"},
	} {
		f := newFolder(false)
		f.tree(nodesOf(t, c.other))
		if got := wordOf(f.wrap(f.tree(nodesOf(t, c.word)), f.longest)); got != c.want {
			t.Errorf("%s beside %s becomes %s, not %s", c.word, c.other, got, c.want)
		}
	}
}

// The sequences of all classes are put together to one that has each of them.
func TestAligned(t *testing.T) {
	for _, c := range [][]string{
		{"abc", "abc"},
		{"abc", "abc", "abc"},
		{"abc", "ac", "abc"},
		{"abc", "a", "bc", "abc"},
		{"bc", "bxc", "bxc"},
		{"ax", "ay", "axy"},
		{"rs", "sr", "rsr"},
		{"i<w|W>f", "if", "iRf", "i<w>rf"},
	} {
		words, want := c[:len(c)-1], c[len(c)-1]
		b := &block{}
		for _, w := range words {
			b.seqs = append(b.seqs, sequence{nodes: nodesOf(t, w)})
		}
		if err := (&aligner{}).align(b); err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, it := range b.of {
			text := string(rune(it.key))
			if !it.leaf {
				text = "<" + string(rune(it.sub.of[0].key)) + ">"
			}
			got.WriteString(text)
		}
		if got.String() != want {
			t.Errorf("%v together are %s, not %s", words, got.String(), want)
		}
		// Each sequence has its nodes at its places, in order.
		for i, w := range words {
			own := ""
			for _, it := range b.of {
				if n := it.nodes[i]; n != nil {
					own += wordOf([]*node{n})
				}
			}
			if own != w {
				t.Errorf("%v: %s became %s", words, w, own)
			}
		}
	}
}
