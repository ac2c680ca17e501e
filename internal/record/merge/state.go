package merge

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
)

// state is a set of processes as classes. Merging two uses them up.
type state struct {
	groups  map[groupKey]*group
	classes map[classKey]*class
}

func newState() *state {
	return &state{groups: map[groupKey]*group{}, classes: map[classKey]*class{}}
}

func (s *state) ranks() int {
	n := 0
	for _, g := range s.groups {
		n += g.ranks.Len()
	}
	return n
}

// groupKey tells groups apart, see archive.Group.
type groupKey struct {
	world, size int
	unranked    bool
	host        string
}

type group struct {
	groupKey
	ranks               *archive.RankSet
	hosts, ends         choices[string]
	info                map[string]choices[archive.InfoValue]
	modules             choices[[]archive.Module]
	pid, complete, lost number
	clocks, bases       *archive.RankVec
}

// classKey tells classes apart: a hash of the group, the thread, the grammar without
// exponents, and the sites and kinds of terminals.
type classKey [16]byte

type class struct {
	group  groupKey
	thread int
	ranks  *archive.RankSet
	terms  []term
	parsed []*termParts     // of terms, if they are kept, see env.keep
	g      *archive.Grammar // canonical; trip counts that differ are 0
	trips  []number         // of those, in the order of rules and symbols
	polls  bool
	calls  number // if polls

	strings choices[[]string]
	columns []choices[columnValue]
	timing  choices[[]byte]
}

// term is a terminal.
type term struct {
	site string // key of the call site, empty if unknown
	// sig has no call site, and leaves that differ between ranks are zero. Equal ones are mostly
	// the same one.
	sig  *archive.Signature
	open []openLeaf // those, in the order of leaves
}

type openLeaf struct {
	leaf int
	param
}

// columnValue is a column: a shape with numbers, or encoded.
type columnValue struct {
	blob    []byte // nil: shape
	clock   bool   // blob is what a clock told the program
	shape   []archive.SegmentShape
	numbers []number
}

// merge returns the processes of a and b.
func (e *env) merge(a, b *state) (*state, error) {
	if len(a.classes) < len(b.classes) {
		a, b = b, a
	}
	for k, y := range b.groups {
		x := a.groups[k]
		if x == nil {
			a.groups[k] = y
			continue
		}
		if err := e.mergeGroup(x, y); err != nil {
			return nil, err
		}
	}
	for k, y := range b.classes {
		x := a.classes[k]
		if x == nil {
			a.classes[k] = y
			continue
		}
		if err := e.mergeClass(x, y); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (e *env) mergeGroup(a, b *group) error {
	ctx := e.context(a.size)
	all := a.ranks.Union(b.ranks)
	if all.Len() != a.ranks.Len()+b.ranks.Len() {
		for r := range b.ranks.All() {
			if a.ranks.Contains(r) {
				return fmt.Errorf("rank %d of world %d is there twice", r, a.world)
			}
		}
	}
	a.hosts = mergeChoices(a.hosts, b.hosts, nil)
	a.ends = mergeChoices(a.ends, b.ends, nil)
	a.modules = mergeChoices(a.modules, b.modules, nil)
	for key, x := range a.info {
		y, ok := b.info[key]
		if !ok {
			y = choose(absentKey, archive.InfoValue{}, b.ranks)
		}
		a.info[key] = mergeChoices(x, y, nil)
	}
	for key, y := range b.info {
		if _, ok := a.info[key]; !ok {
			a.info[key] = mergeChoices(choose(absentKey, archive.InfoValue{}, a.ranks), y, nil)
		}
	}
	a.pid = mergeNumbers(ctx, a.pid, a.ranks, b.pid, b.ranks)
	a.complete = mergeNumbers(ctx, a.complete, a.ranks, b.complete, b.ranks)
	a.lost = mergeNumbers(ctx, a.lost, a.ranks, b.lost, b.ranks)
	a.clocks = rankfunc.MergeVec(ctx, a.clocks, a.ranks, b.clocks, b.ranks)
	a.bases = rankfunc.MergeVec(ctx, a.bases, a.ranks, b.bases, b.ranks)
	a.ranks = all
	return nil
}

// absentKey is the key of the choice that a process lacks a name in its info.
const absentKey = ""

// infoKey is the key of the choice of a value.
func infoKey(v *archive.InfoValue) string {
	if !v.Present {
		return absentKey
	}
	return "=" + v.Text
}

func (e *env) mergeClass(a, b *class) error {
	ctx := e.context(a.group.size)
	as, bs := a.ranks, b.ranks
	if err := e.mergeTerms(ctx, a, b); err != nil {
		return err
	}
	e.mergeTrips(ctx, a, b)
	a.calls = mergeNumbers(ctx, a.calls, as, b.calls, bs)
	a.strings = mergeChoices(a.strings, b.strings, nil)
	for i := range a.columns {
		a.columns[i] = mergeChoices(
			a.columns[i],
			b.columns[i],
			func(x *columnValue, xs *archive.RankSet, y *columnValue, ys *archive.RankSet) {
				mergeAll(ctx, x.numbers, xs, y.numbers, ys)
			},
		)
	}
	a.timing = mergeChoices(a.timing, b.timing, nil)
	a.ranks = as.Union(bs)
	return nil
}

// mergeTrips merges the exponents of the grammars, which are otherwise equal.
func (e *env) mergeTrips(ctx *rankfunc.Context, a, b *class) {
	equal := len(a.trips) == 0 && len(b.trips) == 0
	if equal {
	compare:
		for r, body := range a.g.Rules {
			for k, s := range body {
				if s.Count != b.g.Rules[r][k].Count {
					equal = false
					break compare
				}
			}
		}
	}
	if equal {
		return
	}
	g := &archive.Grammar{Tail: a.g.Tail, Rules: make([][]archive.Symbol, len(a.g.Rules))}
	var trips []number
	i, j := 0, 0
	take := func(s archive.Symbol, trips []number, next *int) number {
		if s.Count != 0 {
			return number{n: int64(s.Count)}
		}
		*next++
		return trips[*next-1]
	}
	for r, body := range a.g.Rules {
		g.Rules[r] = make([]archive.Symbol, len(body))
		for k, s := range body {
			x, y := take(s, a.trips, &i), take(b.g.Rules[r][k], b.trips, &j)
			m := mergeNumbers(ctx, x, a.ranks, y, b.ranks)
			g.Rules[r][k] = archive.Symbol{ID: s.ID, Count: uint64(m.n)}
			if m.f != nil {
				g.Rules[r][k].Count = 0
				trips = append(trips, m)
			}
		}
	}
	a.g, a.trips = g, trips
}

// maxKept is how many terminals of all classes are kept taken apart.
const maxKept = 1 << 16

// keep notes the terminals of a class, taken apart, if there are not too many. Regular classes are
// merged again and again.
func (e *env) keep(c *class, parsed []*termParts) {
	if e.kept+len(parsed) <= maxKept {
		c.parsed = parsed
		e.kept += len(parsed)
	}
}

// drop is the reverse of keep.
func (e *env) drop(c *class) {
	e.kept -= len(c.parsed)
	c.parsed = nil
}

// term takes terminal t of a class apart.
func (e *env) term(ctx *rankfunc.Context, c *class, t int) *termParts {
	if c.parsed == nil {
		return takeApart(ctx, &c.terms[t])
	}
	if c.parsed[t] == nil {
		c.parsed[t] = takeApart(ctx, &c.terms[t])
	}
	return c.parsed[t]
}

// mergeTerms merges the terminals of b into those of a.
func (e *env) mergeTerms(ctx *rankfunc.Context, a, b *class) error {
	if a.parsed == nil {
		e.keep(a, make([]*termParts, len(a.terms)))
	}
	for t := range a.terms {
		x, y := &a.terms[t], &b.terms[t]
		if x.sig.Equal(y.sig) && len(x.open) == 0 && len(y.open) == 0 {
			continue
		}
		p, q := e.term(ctx, a, t), e.term(ctx, b, t)
		if err := e.mergeTerm(x, p, a.ranks, q, b.ranks); err != nil {
			return err
		}
	}
	e.drop(b)
	return nil
}

// mergeTerm merges the terminal q at the ranks bs into a, which is p at the ranks as.
func (e *env) mergeTerm(a *term, p *termParts, as *archive.RankSet, q *termParts, bs *archive.RankSet) error {
	open := make([]openLeaf, 0, len(a.open))
	changed := false
	for i := range p.leaves {
		kind := p.leaves[i].Kind()
		if p.equalConstant(q, i) {
			continue
		}
		wasOpen := p.isOpen(i)
		open = append(open, openLeaf{i, mergeParams(p.ctx, kind, p.param(i, as), as, q.param(i, bs), bs)})
		if !wasOpen {
			changed = true
			if err := p.clear(i); err != nil {
				return err
			}
		}
	}
	a.open = open
	p.setOpen(open)
	if changed {
		a.sig = e.share(p.sig)
		p.sig, p.shared = a.sig, true
	}
	return nil
}

// termParts is a terminal taken apart.
type termParts struct {
	ctx    *rankfunc.Context
	sig    *archive.Signature
	shared bool // sig belongs to others, too: it is copied before it changes
	leaves []archive.Leaf
	open   []*param // by leaf, nil for those that are in the signature
}

func takeApart(ctx *rankfunc.Context, t *term) *termParts {
	p := &termParts{ctx: ctx, sig: t.sig, shared: true, leaves: archive.Leaves(make([]archive.Leaf, 0, 12), t.sig)}
	p.setOpen(t.open)
	return p
}

// setOpen notes which leaves differ between ranks.
func (p *termParts) setOpen(open []openLeaf) {
	if len(open) == 0 {
		return
	}
	if p.open == nil {
		p.open = make([]*param, len(p.leaves))
	}
	for i := range open {
		p.open[open[i].leaf] = &open[i].param
	}
}

func (p *termParts) isOpen(i int) bool { return p.open != nil && p.open[i] != nil }

// equalConstant tells whether leaf i is the same at all ranks of p and of q.
func (p *termParts) equalConstant(q *termParts, i int) bool {
	return !p.isOpen(i) && !q.isOpen(i) && equalLeaves(&p.leaves[i], &q.leaves[i])
}

func equalLeaves(x, y *archive.Leaf) bool {
	switch x.Kind() {
	case archive.VecLeaf:
		a, b := x.Vec(), y.Vec()
		if len(a) != len(b) {
			return false
		}
		for i := range a {
			if a[i] != b[i] {
				return false
			}
		}
		return true
	case archive.StrLeaf:
		return x.Str() == y.Str()
	}
	return x.Int() == y.Int()
}

// param is the value of leaf i at the given ranks.
func (p *termParts) param(i int, ranks *archive.RankSet) param {
	if p.isOpen(i) {
		return *p.open[i]
	}
	l := &p.leaves[i]
	switch l.Kind() {
	case archive.VecLeaf:
		return param{vec: constantVec(p.ctx, ranks, l.Vec())}
	case archive.StrLeaf:
		return param{strs: choose(l.Str(), l.Str(), ranks)}
	}
	return param{number: number{n: l.Int()}}
}

// clear makes leaf i zero.
func (p *termParts) clear(i int) error {
	if p.shared {
		p.sig, p.shared = p.sig.Clone(), false
		p.leaves = archive.Leaves(p.leaves[:0], p.sig)
	}
	l := &p.leaves[i]
	switch l.Kind() {
	case archive.VecLeaf:
		return l.SetVec([]int64{}, 0)
	case archive.StrLeaf:
		l.SetStr("")
		return nil
	}
	return l.SetInt(0)
}
