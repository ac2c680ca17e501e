package diff

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// treeKey tells what a tree of calls of the program's functions is made of; empty if the site is no tree.
func (s *side) treeKey(site uint32) string {
	sites := s.a.Sites()
	if site == 0 || int(site) > len(sites) || sites[site-1].Tree == nil {
		return ""
	}
	if key := s.trees[site]; key != "" {
		return key
	}
	h := sha256.New()
	part := func(x uint32) {
		key := s.treeKey(x)
		if key == "" && x > 0 {
			key = functionKey(&sites[x-1])
		}
		fmt.Fprintf(h, "%q ", key)
	}
	part(sites[site-1].Tree.Func)
	for _, c := range sites[site-1].Tree.Calls {
		part(c.Site)
		fmt.Fprintf(h, "%d ", c.Count)
	}
	if s.trees == nil {
		s.trees = map[uint32]string{}
	}
	s.trees[site] = string(h.Sum(nil)[:12])
	return s.trees[site]
}

// functionKey tells functions apart: by name and file, or where they lie.
func functionKey(site *archive.Site) string {
	n := len(site.Frames)
	if n == 0 {
		return ""
	}
	f := &site.Frames[n-1]
	if f.Func == "" {
		return fmt.Sprint(f.Image, f.Offset)
	}
	return fmt.Sprint(f.Func, filepath.Base(f.File), f.Line)
}

// callTree is a call of a function with all that it called, or a sequence of such without a function.
type callTree struct {
	s     *side
	site  uint32
	times uint64
}

func (t callTree) tree() *archive.Tree { return t.s.a.Sites()[t.site-1].Tree }

// key is what equal trees have in common.
func (t callTree) key() string {
	if k := t.s.treeKey(t.site); k != "" {
		return k
	}
	return functionKey(&t.s.a.Sites()[t.site-1])
}

// function is the site of the function that was called, nil if it is a sequence.
func (t callTree) function() *archive.Site {
	site := t.site
	if x := t.tree(); x != nil {
		site = x.Func
	}
	if site == 0 {
		return nil
	}
	return &t.s.a.Sites()[site-1]
}

func (t callTree) called() (list []callTree) {
	if x := t.tree(); x != nil {
		for _, c := range x.Calls {
			list = append(list, callTree{t.s, c.Site, c.Count})
		}
	}
	return list
}

// named is the name of the function.
func (t callTree) named() string {
	f := t.function()
	if f == nil {
		var parts []string
		for _, c := range t.called() {
			parts = append(parts, c.text())
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	if n := len(f.Frames); n > 0 && f.Frames[n-1].Func != "" {
		return f.Frames[n-1].Func
	} else if n > 0 {
		return f.Frames[n-1].Code()
	}
	return "?"
}

func (t callTree) text() string {
	if t.times > 1 {
		return fmt.Sprintf("%s %d times", t.named(), t.times)
	}
	return t.named()
}

// sameFunction tells whether two trees are calls of one function, or both sequences.
func sameFunction(x, y callTree) bool {
	f, g := x.function(), y.function()
	if f == nil || g == nil {
		return f == g
	}
	return functionKey(f) == functionKey(g)
}

// inside is where two different calls of one function did something else: the function, named from the inside out, and
// what it called instead.
func inside(x, y callTree) (in, a, b string) {
	path := []string{x.named()}
	for {
		c, d := x.called(), y.called()
		for len(c) > 0 && len(d) > 0 && equalTrees(c[0], d[0]) {
			c, d = c[1:], d[1:]
		}
		for len(c) > 0 && len(d) > 0 && equalTrees(c[len(c)-1], d[len(d)-1]) {
			c, d = c[:len(c)-1], d[:len(d)-1]
		}
		if len(c) == 0 || len(d) == 0 || c[0].times != d[0].times || !sameFunction(c[0], d[0]) ||
			len(path) > maxTreeDepth {
			return strings.Join(path, " < "), treesText(c), treesText(d)
		}
		if x, y = c[0], d[0]; x.function() != nil {
			path = slices.Insert(path, 0, x.named())
		}
	}
}

// maxTreeDepth bounds how deep inside looks.
const maxTreeDepth = 64

func equalTrees(x, y callTree) bool { return x.times == y.times && x.key() == y.key() }

func treesText(list []callTree) string {
	var parts []string
	for i, t := range list {
		if i == maxCalls {
			parts = append(parts, fmt.Sprintf("%d more", len(list)-i))
			break
		}
		parts = append(parts, t.text())
	}
	if parts == nil {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// insides notes calls of the same functions that did something else inside, at the beginning of a step, and leaves the
// rest of the step.
func (g *group) insides(s step, times uint64) step {
	for s.na > 0 && s.nb > 0 {
		x, y := g.treeAt(g.ka, g.wa, s.a), g.treeAt(g.kb, g.wb, s.b)
		if x.site == 0 || y.site == 0 || !sameFunction(x, y) {
			break
		}
		d := &Difference{Kind: Inside, Call: g.callAt(g.wa, s.a), Count: times}
		d.Param, d.A, d.B = inside(x, y)
		g.at(d, s.a, s.b)
		g.add(d, g.ranks)
		s.a, s.na, s.b, s.nb = s.a+1, s.na-1, s.b+1, s.nb-1
	}
	return s
}

// treeAt is the tree of calls that a letter is; its site is 0 if it is none.
func (g *group) treeAt(k *class, w *word, i uint64) callTree {
	x := &k.terms[w.terminal(i)]
	if x.f.Name != "function_calls" && x.f.Name != "function_inside" {
		return callTree{}
	}
	return callTree{k.side, x.sig.Site, 1}
}
