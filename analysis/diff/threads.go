package diff

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"sort"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Threads compares the calls of two streams of a recording: their structure, and of parameters those that tell what is
// done in common (roots, operations, counts, types), and peers relative to the ranks. Differences come in the order of
// the calls of s; their B is t. What is left open by the standard is no difference.
func Threads(a *archive.Archive, s, t *archive.Stream) (*Result, error) {
	c := &comparison{o: Options{Structure: true, Calls: DefaultCalls}, keys: names{}, values: names{},
		found: map[string]*Difference{}, order: map[string]*orderNote{}, result: &Result{}, notes: map[string]bool{}}
	for i := range c.sides {
		c.sides[i] = &side{a: a, number: i, abi: a.Meta().ABI, classes: map[*archive.Class]*class{}, nests: map[int]*nest{}}
	}
	ka, err := c.class(c.sides[0], s.Class())
	if err != nil {
		return nil, err
	}
	kb, err := c.class(c.sides[1], t.Class())
	if err != nil {
		return nil, err
	}
	g := &group{c: c, ka: ka, kb: kb, sa: s, sb: t, ranks: newSet([]int{s.ClassRank()}), local: map[string]*Difference{}}
	if err := g.align(); err != nil {
		return nil, err
	}
	if err := g.common(); err != nil {
		return nil, err
	}
	sort.SliceStable(c.list, func(i, j int) bool { return c.list[i].position < c.list[j].position })
	for i, d := range c.list {
		if n := c.sides[1].nest(t); n != nil && i < maxThreadPlaces { // its loops are whole
			d.Places = n.around(d.callB)
		}
		d.group = nil
	}
	c.result.Differences = c.list
	return c.result, nil
}

// maxThreadPlaces bounds for how many differences the loops around them are looked for.
const maxThreadPlaces = 100

// common compares the parameters of aligned calls that Threads is about.
func (g *group) common() error {
	la, err := g.commonLetters(g.ka, g.sa)
	if err != nil {
		return err
	}
	lb, err := g.commonLetters(g.kb, g.sb)
	if err != nil {
		return err
	}
	p, err := g.met(la, lb)
	if err != nil {
		return err
	}
	for _, k := range p.order {
		m := p.found[k]
		va, err := commonValues(g.ka, k.a, g.sa)
		if err != nil {
			return err
		}
		vb, err := commonValues(g.kb, k.b, g.sb)
		if err != nil {
			return err
		}
		x := &g.ka.terms[k.a]
		for i := range min(len(va), len(vb)) {
			if va[i] != vb[i] {
				d := &Difference{Kind: Parameter, Call: Call{x.f.Name, x.site, 1}, Param: archive.SlotName(x.f, &x.f.Slots[i]),
					A: va[i], B: vb[i], Count: m.count}
				g.differs(d, m.pa, m.pb, g.ranks)
			}
		}
	}
	return g.settle()
}

func (g *group) commonLetters(k *class, s *archive.Stream) ([]print, error) {
	out := make([]print, len(k.terms))
	for t := range k.terms {
		if !k.terms[t].kept {
			continue
		}
		v, err := commonValues(k, uint32(t), s)
		if err != nil {
			return nil, err
		}
		id := uint64(g.c.values.id(fmt.Sprintf("%d %q", k.terms[t].key, v)))
		out[t] = print{id, id}
	}
	return out, nil
}

// commonValues are the values of a terminal's slots that can be compared between ranks, the others empty.
func commonValues(k *class, t uint32, s *archive.Stream) ([]string, error) {
	x := &k.terms[t]
	sig, err := k.at(t, s.ClassRank())
	if err != nil {
		return nil, err
	}
	rank, size := int64(s.Rank().Rank), int64(s.Rank().Size)
	out := make([]string, x.f.NumIn)
	for i := range out {
		v, sl := &sig.Slots[i], &x.f.Slots[i]
		switch {
		case x.soft[i] || sl.Array || v.Kind != archive.Int && v.Kind != archive.Ref || sl.Class == spec.Request:
		case i == x.f.Slot(spec.RoleSendPeer) || i == x.f.Slot(spec.RoleRecvPeer):
			if out[i] = archive.FormatValue(k.side.abi, x.f, sl, v); v.N >= 0 && size > 0 {
				out[i] = fmt.Sprintf("rank+%d", ((v.N-rank)%size+size)%size)
			}
		case v.Kind == archive.Ref && sl.Class != spec.Type && sl.Class != spec.Op:
		default:
			out[i] = archive.FormatValue(k.side.abi, x.f, sl, v)
		}
	}
	return out, nil
}

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
			for _, f := range sites[x-1].Frames {
				key = fmt.Sprint(f.Func, filepath.Base(f.File), f.Line)
				if f.Func == "" {
					key = fmt.Sprint(f.Image, f.Offset)
				}
			}
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
