package selection

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
	"github.com/tabard-hpc/tabard/internal/suggest"
	"github.com/tabard-hpc/tabard/spec"
)

// ManyNames is the name of regions whose names are too many to be told apart.
const ManyNames = "(many names)"

// maxPath is of how many names a path may be.
const maxPath = 8

// mostSymbols bounds the size of what is made from one stream: see grammar.Transduce.
const mostSymbols = 1 << 24

// Within is what the program was in when it made calls: a region that it names itself, or anything else that begins
// and ends (spec.ShapeOpen) and has a name.
type Within struct{ text string }

// ParseWithin understands the name of a region, or several, separated by slashes: those of regions inside one another,
// the outer ones first. Others may lie between them.
func ParseWithin(s string) (*Within, error) {
	if strings.TrimSpace(s) == "" {
		return nil, errors.New("the name of a region is empty")
	}
	return &Within{s}, nil
}

// String is the path as given.
func (w *Within) String() string { return w.text }

// OpenName is the name of what a signature of a stream begins, if it begins something: what the event says, or the
// function that it is in.
func OpenName(s *archive.Stream, sig *archive.Signature) (name string, opens bool) {
	f := spec.ByID(sig.Func)
	if f.Shape != spec.ShapeOpen {
		return "", false
	}
	i := f.In("name")
	if i < 0 {
		if site := s.Site(sig); site != nil && len(site.Frames) > 0 && site.Frames[0].Func != "" {
			return site.Frames[0].Func, true
		}
		return f.Name, true
	}
	return nameIn(sig, i), true
}

// PointName is the name of what a signature of a stream marks at a moment, if the program gives that one.
func PointName(sig *archive.Signature) (name string, named bool) {
	f := spec.ByID(sig.Func)
	i := f.In("name")
	if f.Shape != spec.ShapePoint || i < 0 {
		return "", false
	}
	return nameIn(sig, i), true
}

// nameIn is the name that a slot has.
func nameIn(sig *archive.Signature, slot int) string {
	if v := &sig.Slots[slot]; v.Kind == archive.Str {
		return v.Str
	}
	return ManyNames
}

// OpenNames are the names of all that begins and ends in an archive, in the order in which they are first found.
func OpenNames(a *archive.Archive) ([]string, error) {
	seen := map[string]bool{}
	var names []string
	for _, c := range a.Whole().Classes() {
		varies, err := namesVary(c)
		if err != nil {
			return nil, err
		}
		for rank := range c.Ranks().All() {
			s := c.Stream(rank)
			sigs, err := s.Signatures()
			if err != nil {
				return nil, err
			}
			for _, sig := range sigs {
				if name, ok := OpenName(s, sig); ok && !seen[name] {
					seen[name] = true
					names = append(names, name)
				}
			}
			if !varies {
				break
			}
		}
	}
	return names, nil
}

// namesVary tells whether what begins may have another name at each rank.
func namesVary(c *archive.Class) (bool, error) {
	d, err := c.Data()
	if err != nil {
		return false, err
	}
	for t := range d.Terminals {
		tm, err := c.Template(uint32(t))
		if err != nil {
			return false, err
		}
		if spec.ByID(tm.Func).Shape == spec.ShapeOpen && slices.Contains(tm.Open, true) {
			return true, nil
		}
	}
	return false, nil
}

// path is the names that a text means, of those that an archive has. Names may have slashes, too.
func (w *Within) path(a *archive.Archive) ([]string, error) {
	names, err := OpenNames(a)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has no regions: the program names none, or they were not recorded (docs/regions.md)",
			a.File())
	}
	path := split(w.text, names)
	if path == nil { // functions of C++ without their arguments
		path = split(w.text, shortNames(names))
	}
	if path != nil {
		if len(path) > maxPath {
			return nil, fmt.Errorf("%q: a path has at most %d names", w.text, maxPath)
		}
		return path, nil
	}
	msg := fmt.Sprintf("there is no region %q", w.text)
	for _, part := range append(strings.Split(w.text, "/"), w.text) {
		if slices.Contains(names, part) {
			continue
		}
		if best := suggest.Closest(part, names, 3); len(best) > 0 {
			msg += "; did you mean " + strings.Join(best, " or ") + "?"
			break
		}
	}
	const most = 10
	shown := strings.Join(names[:min(most, len(names))], ", ")
	if len(names) > most {
		shown += fmt.Sprintf(" and %d more (tabard profile --by region shows them)", len(names)-most)
	}
	if slices.Contains(names, ManyNames) {
		shown += "; " + ManyNames + " are those at places that have too many to tell them apart"
	}
	return nil, fmt.Errorf("%s; the recording has %s", msg, shown)
}

// split cuts a text at slashes into names, into as few as there can be; nil if that is not possible.
func split(text string, names []string) []string {
	best := make([][]string, len(text)+1) // of the text from there on
	for i := len(text) - 1; i >= 0; i-- {
		for _, n := range names {
			rest, ok := strings.CutPrefix(text[i:], n)
			if !ok || n == "" {
				continue
			}
			at := len(text) - len(rest)
			if rest == "" {
				best[i] = []string{n}
				break
			}
			if rest[0] == '/' && best[at+1] != nil && (best[i] == nil || len(best[at+1])+1 < len(best[i])) {
				best[i] = append([]string{n}, best[at+1]...)
			}
		}
	}
	return best[0]
}

// inside tells which events of a stream lie in the regions of a path. Its grammar is that of the stream, but that a
// terminal outside of them is another one, by terms more, and one that begins such a region by 2*terms more.
type inside struct {
	x       *grammar.Index
	terms   int
	in, out *grammar.Weights
}

// at tells whether an event lies inside, and up to which event that does not change.
func (n *inside) at(event uint64) (in bool, to uint64) {
	if event >= n.x.Len() {
		return false, n.x.Len()
	}
	in = n.has(n.x.At(event))
	others := n.in
	if in {
		others = n.out
	}
	if k := others.Before(event); k < others.Len() {
		return in, others.Nth(k)
	}
	return in, n.x.Len()
}

// has tells whether a terminal of the grammar is inside.
func (n *inside) has(t uint32) bool { return int(t)/n.terms != 1 }

// begins counts what begins a region of the path.
func (n *inside) begins() *grammar.Weights {
	return n.x.Weigh(func(t uint32) bool { return int(t)/n.terms == 2 })
}

// counts is how often each terminal occurs inside and outside in a range of events.
func (n *inside) counts(r Range) (in, out []uint64) {
	in, out = make([]uint64, n.terms), make([]uint64, n.terms)
	for _, x := range []struct {
		event uint64
		sign  uint64
	}{{r.From, ^uint64(0)}, {r.To, 1}} {
		for t, k := range n.x.CountBefore(x.event) {
			to := in
			if !n.has(uint32(t)) {
				to = out
			}
			to[t%n.terms] += k * x.sign
		}
	}
	return in, out
}

// act is what a terminal does: it begins what the names of a path at these places mean, or ends what began last.
type act struct {
	names  uint8
	opens  bool
	closes bool
}

// nesting is how far a path has been entered: depth[i] is how much has begun since, and with, its name i and has not
// ended; those from the first 0 on have not been entered.
type nesting [maxPath]uint32

// entered is how many of the names of a path have been entered.
func (s *nesting) entered(path int) (n int) {
	for n < path && s[n] > 0 {
		n++
	}
	return n
}

// step is what an event makes of a nesting, and whether the event lies inside.
func (a act) step(s nesting, path int) (next nesting, in bool) {
	n := s.entered(path)
	next, in = s, n == path
	switch {
	case a.opens && n < path && a.names>>n&1 != 0:
		next[n] = 1
		n++
		in = n == path
		for i := range n - 1 {
			next[i]++
		}
	case a.opens:
		for i := range n {
			next[i]++
		}
	case a.closes:
		for i := range n {
			next[i]--
		}
	}
	return next, in
}

// shortName is a name of a function without its arguments, as far as it has any.
func shortName(name string) string {
	n := strings.TrimSuffix(name, " const")
	if !strings.HasSuffix(n, ")") {
		return name
	}
	depth := 0
	for i := len(n) - 1; i > 0; i-- {
		switch n[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return n[:i]
			}
		}
	}
	return name
}

func shortNames(names []string) []string {
	short := make([]string, len(names))
	for i, n := range names {
		short[i] = shortName(n)
	}
	return short
}

// acts finds out what the terminals of a stream do.
func acts(s *archive.Stream, path []string) ([]act, error) {
	sigs, err := s.Signatures()
	if err != nil {
		return nil, err
	}
	list := make([]act, len(sigs))
	for t, sig := range sigs {
		name, opens := OpenName(s, sig)
		list[t] = act{opens: opens, closes: spec.ByID(sig.Func).Shape == spec.ShapeClose}
		for i, p := range path {
			if opens && (p == name || p == shortName(name)) {
				list[t].names |= 1 << i
			}
		}
	}
	return list, nil
}

// insideOf is what lies in the selected regions of a stream.
func (r *Resolved) insideOf(s *archive.Stream) (*inside, error) {
	of, kept := s.Whole()
	g, err := of.Grammar()
	if err != nil {
		return nil, err
	}
	list, err := acts(of, r.path)
	if err != nil {
		return nil, err
	}
	if kept == nil {
		for t := range list {
			kept = append(kept, uint32(t))
		}
	}
	key := insideKey{g, s.Class(), string(appendActs(nil, list))}
	if n := r.insides[key]; n != nil {
		return n, nil
	}
	n, err := newInside(g, list, kept, len(r.path))
	if err != nil {
		return nil, fmt.Errorf("%s: regions of stream %d: %w", r.Archive.File(), s.Index(), err)
	}
	r.insides[key] = n
	return n, nil
}

// insideKey is what the insides of streams depend on.
type insideKey struct {
	grammar *archive.Grammar
	class   *archive.Class
	acts    string
}

func appendActs(b []byte, list []act) []byte {
	for t, a := range list {
		if a.names != 0 {
			b = append(binary.AppendUvarint(b, uint64(t)), a.names)
		}
	}
	return b
}

// newInside runs through a grammar whose terminals do what acts says. Kept are those that the stream has.
func newInside(g *archive.Grammar, acts []act, kept []uint32, path int) (*inside, error) {
	const dropped = 1 << 30
	n := &inside{terms: len(kept)}
	label := make([]uint32, len(acts))
	for t := range label {
		label[t] = dropped
	}
	for i, t := range kept {
		label[t] = uint32(i)
	}
	marked, err := grammar.Transduce(g, nesting{}, func(s nesting, t uint32) (nesting, uint32) {
		next, in := acts[t].step(s, path)
		id := label[t]
		switch {
		case id == dropped:
		case !in:
			id += uint32(n.terms)
		case s.entered(path) < path:
			id += 2 * uint32(n.terms)
		}
		return next, id
	}, mostSymbols)
	if err != nil {
		return nil, err
	}
	p, err := marked.Project(func(t uint32) bool { return t != dropped })
	if err != nil {
		return nil, err
	}
	for _, body := range p.Grammar.Rules {
		for i := range body {
			if !body[i].IsRule() {
				body[i].ID = p.Terminals[body[i].ID]
			}
		}
	}
	if n.x, err = grammar.NewIndex(p.Grammar); err != nil {
		return nil, err
	}
	n.in = n.x.Weigh(n.has)
	n.out = n.x.Weigh(func(t uint32) bool { return !n.has(t) })
	return n, nil
}
