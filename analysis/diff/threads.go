package diff

import (
	"fmt"
	"sort"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Threads compares the calls of two streams of a recording: their structure, and of parameters those that tell what is
// done in common (roots, operations, counts, types), and peers relative to the ranks. Differences come in the order of
// the calls of s; their B is t. What is left open by the standard is no difference. Where one of them just came further
// before the job ended, that is a Hang or a Stop of the other one, whatever it still did.
func Threads(a *archive.Archive, s, t *archive.Stream) (*Result, error) {
	c := &comparison{o: Options{Structure: true, Calls: DefaultCalls}, keys: names{}, values: names{},
		found: map[string]*Difference{}, order: map[string]*orderNote{}, result: &Result{}, notes: map[string]bool{},
		threads: true}
	for i := range c.sides {
		c.sides[i] = &side{a: a, number: i, abi: a.Meta().ABI, classes: map[*archive.Class]*class{},
			nests: map[int]*nest{}}
	}
	ka, err := c.class(c.sides[0], s.Class())
	if err != nil {
		return nil, err
	}
	kb, err := c.class(c.sides[1], t.Class())
	if err != nil {
		return nil, err
	}
	g := &group{c: c, ka: ka, kb: kb, sa: s, sb: t, ranks: newSet([]int{s.ClassRank()}),
		local: map[string]*Difference{}}
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

// progress takes the last step away if it only tells that one of the threads came further, where the other one was
// ended.
func (g *group) progress() {
	openA, callA := g.last(g.ka, g.wa)
	openB, callB := g.last(g.kb, g.wb)
	n, rest := len(g.steps), step{a: g.wa.len(), b: g.wb.len()}
	if n > 0 && g.steps[n-1].kind == missing {
		rest = g.steps[n-1]
	}
	// Whose calls ended: of two that made the same ones that which did not return from the last.
	ended, more := openA && rest.na == 0, rest.nb
	d := &Difference{Kind: Stop, Count: 1, Call: callA, OnlyA: true}
	switch {
	case rest.na*rest.nb != 0 || rest.na+rest.nb == 0 && openA == openB:
		return // they did something else, or the same to the end
	case rest.na > 0 || rest.nb == 0 && openB:
		ended, more = openB, rest.na
		d.Call, d.OnlyA = callB, false
	}
	if g.ended(d).Rank().Complete {
		return
	}
	if ended {
		d.Kind = Hang
	}
	if more > 0 {
		g.steps = g.steps[:n-1]
	}
	d.More = more
	g.at(d, min(rest.a, max(g.wa.len(), 1)-1), min(rest.b, max(g.wb.len(), 1)-1))
	g.add(d, g.ranks)
}

// ended is the stream whose calls a Hang or a Stop ended.
func (g *group) ended(d *Difference) *archive.Stream {
	if d.OnlyA {
		return g.sa
	}
	return g.sb
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
				d := &Difference{Kind: Parameter, Call: Call{x.f.Name, x.site, 1},
					Param: archive.SlotName(x.f, &x.f.Slots[i]),
					A:     va[i], B: vb[i], Count: m.count}
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
