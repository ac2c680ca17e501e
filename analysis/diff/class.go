package diff

import (
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/spec"
)

// side is one of the two archives.
type side struct {
	a        *archive.Archive
	number   int  // 0 for A
	rerun    bool // see Options
	abi      spec.ABI
	classes  map[*archive.Class]*class
	nests    map[int]*nest
	nestWork uint64              // nodes looked at in them
	nodes    int                 // in them
	symbols  int                 // in the grammars that they are of
	crowded  bool                // some nests were not made
	program  *calls.Program      // see objects
	resolved *selection.Resolved // see resolve
	trees    map[uint32]string   // see treeKey
}

// class is a class of streams with what is compared of its terminals.
type class struct {
	*archive.Class
	side  *side
	data  *archive.ClassData
	terms []term
}

// hintValidate is what to do about a file that is broken.
const hintValidate = "check the file with tabard info --validate"

// term is a terminal.
type term struct {
	// sig has the values that are the same at all ranks; open are the others.
	sig  archive.Signature
	open []openLeaf
	f    *spec.Func
	site string
	// key numbers function and call site. Polls and calls that are not selected are not kept.
	key          int
	kept, pseudo bool
	soft         []bool // by slot: left open by the standard, or of the machine
	holes        bool   // some slots that are not soft are in columns
}

type openLeaf struct {
	leaf int
	p    *archive.Param
}

// names numbers strings. A string of both archives has one number.
type names map[string]int

func (n names) id(s string) int {
	i, ok := n[s]
	if !ok {
		i = len(n) + 1
		n[s] = i
	}
	return i
}

func (c *comparison) class(s *side, tc *archive.Class) (*class, error) {
	if k := s.classes[tc]; k != nil {
		return k, nil
	}
	if s.number == 1 && c.itself() {
		same, err := c.class(c.sides[0], tc)
		if err != nil {
			return nil, err
		}
		k := *same
		k.side, s.classes[tc] = s, &k
		return &k, nil
	}
	d, err := tc.Data()
	if err != nil {
		return nil, err
	}
	k := &class{Class: tc, side: s, data: d, terms: make([]term, len(d.Terminals))}
	modules := tc.Stream(tc.Ranks().Min()).Rank().Modules
	for t := range k.terms {
		tmpl, err := tc.Template(uint32(t))
		if err != nil {
			return nil, err
		}
		if err := k.fill(&k.terms[t], tmpl, d.Params[t], siteText(tc.Site(tmpl), modules)); err != nil {
			return nil, err
		}
		x := &k.terms[t]
		nested := x.sig.Flags&archive.Nested != 0
		x.key = c.keys.id(fmt.Sprintf("%d %t %s", x.f.ID, nested, c.keySite(x.f, s.number, x.site)) +
			s.treeKey(tmpl.Site))
		if !c.o.Functions.Contains(x.f.ID) || nested && c.o.Rerun {
			x.kept = false
		}
	}
	s.classes[tc] = k
	return k, nil
}

func (k *class) fill(x *term, tmpl *archive.Template, params []archive.Param, site string) error {
	x.sig = cloneSignature(&tmpl.Signature)
	x.f, x.site = spec.ByID(tmpl.Func), site
	x.pseudo = x.f.Own()
	x.kept = !x.pseudo && x.sig.Flags&archive.Polls == 0
	leaves := archive.Leaves(nil, &x.sig)
	for i, open := range tmpl.Open {
		if !open {
			continue
		}
		if len(params) == 0 {
			return &archive.FormatError{File: k.side.a.File(), Section: "structure/classes", Offset: -1,
				Msg:  fmt.Sprintf("class %d: a terminal of %s lacks values", k.Index(), x.f.Name),
				Hint: hintValidate}
		}
		p := &params[0]
		params = params[1:]
		if !constant(p) {
			x.open = append(x.open, openLeaf{i, p})
		} else if err := setLeaf(&leaves[i], p, k.Ranks(), k.Ranks().Min(), k.class(&leaves[i], x.f)); err != nil {
			return err
		}
	}
	x.soft = softSlots(x.f, &x.sig, k.side.rerun)
	for i := range x.sig.Slots {
		x.holes = x.holes || !x.soft[i] && hasHole(&x.sig.Slots[i])
	}
	return nil
}

// class is the class of the references in a leaf.
func (k *class) class(l *archive.Leaf, f *spec.Func) spec.Class { return f.Slots[l.Slot()].Class }

func hasHole(v *archive.Value) bool { return v.Kind == archive.Hole }

// constant tells whether a parameter has the same value at all ranks.
func constant(p *archive.Param) bool {
	switch {
	case p.Base != nil:
		return false
	case p.Vec != nil:
		_, ok := p.Vec.Constant()
		return ok
	case p.Str != nil:
		return p.Str.Sets == nil && len(p.Str.Values) == 1
	case p.Fn != nil:
		_, ok := p.Fn.Constant()
		return ok
	}
	return true
}

// setLeaf sets a leaf to the value of p at a rank of all.
func setLeaf(l *archive.Leaf, p *archive.Param, all *archive.RankSet, rank int, class spec.Class) error {
	switch l.Kind() {
	case archive.VecLeaf:
		if p.Vec == nil {
			return nil
		}
		return l.SetVec(p.Vec.At(rank), class)
	case archive.StrLeaf:
		if p.Str != nil {
			if i := p.Str.Index(all, rank); i >= 0 {
				l.SetStr(p.Str.Values[i])
			}
		}
		return nil
	}
	return l.SetInt(p.At(rank))
}

// at is the signature of a terminal at a rank.
func (k *class) at(t uint32, rank int) (*archive.Signature, error) {
	x := &k.terms[t]
	if len(x.open) == 0 {
		return &x.sig, nil
	}
	sig := cloneSignature(&x.sig)
	leaves := archive.Leaves(nil, &sig)
	for _, o := range x.open {
		if err := setLeaf(&leaves[o.leaf], o.p, k.Ranks(), rank, k.class(&leaves[o.leaf], x.f)); err != nil {
			return nil, err
		}
	}
	return &sig, nil
}

func cloneSignature(s *archive.Signature) archive.Signature {
	c := *s
	c.Slots = cloneValues(s.Slots)
	return c
}

func cloneValues(vs []archive.Value) []archive.Value {
	vs = slices.Clone(vs)
	for i := range vs {
		vs[i].List = cloneValues(vs[i].List)
	}
	return vs
}

// siteText is a call site without addresses, so that it means the same in another build or another
// place: file, line and function of each frame; the module where there are no lines, and the offset
// in it only where there is no function either.
func siteText(s *archive.Site, modules []archive.Module) string {
	if s == nil {
		return ""
	}
	var parts []string
	for i := range s.Frames {
		f := s.Frames[i]
		if f.File != "" && f.Line > 0 {
			f.File = filepath.Base(f.File)
			parts = append(parts, fmt.Sprintf("%s:%d [%s]", f.File, f.Line, f.Func))
			continue
		}
		text := "?"
		if f.Module >= 0 && f.Module < len(modules) {
			text = filepath.Base(modules[f.Module].Path)
		}
		if f.Func != "" {
			text += " [" + f.Func + "]"
		} else {
			text += fmt.Sprintf("+%#x", f.Offset)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " < ")
}

// intersection is the ranks that two sets have in common.
func intersection(a, b *archive.RankSet) *archive.RankSet { return combined(a, b, true) }

// without is the ranks of a that are not in b.
func without(a, b *archive.RankSet) *archive.RankSet { return combined(a, b, false) }

// combined is the ranks of a that are in b, or with in unset those that are not.
func combined(a, b *archive.RankSet, in bool) *archive.RankSet {
	if a.Len() == 0 || b.Len() == 0 || a.Max() < b.Min() || b.Max() < a.Min() {
		if in {
			return newSet(nil)
		}
		return a
	}
	if a.Equal(b) {
		if in {
			return a
		}
		return newSet(nil)
	}
	next, stop := iter.Pull2(b.Intervals())
	defer stop()
	lo, hi, ok := next()
	var out []int
	for r, last := range a.Intervals() {
		for r < last {
			for ok && hi <= r {
				lo, hi, ok = next()
			}
			inside, end := ok && lo <= r, last // of ranks that are alike
			if inside {
				end = min(end, hi)
			} else if ok {
				end = min(end, lo)
			}
			for ; r < end; r++ {
				if inside == in {
					out = append(out, r)
				}
			}
		}
	}
	return newSet(out)
}

func newSet(ranks []int) *archive.RankSet { return rankfunc.NewSet(ranks) }
