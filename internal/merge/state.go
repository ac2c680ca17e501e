package merge

import (
	"fmt"

	"tabard/internal/rankfn"
	"tabard/trace"
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

// groupKey tells groups apart, see trace.Group.
type groupKey struct {
	world, size int
	unranked    bool
	host        string
}

type group struct {
	groupKey
	ranks               *trace.RankSet
	hosts, ends         choices[string]
	info                map[string]choices[trace.InfoValue]
	modules             choices[[]trace.Module]
	pid, complete, lost number
	clocks, bases       *trace.RankVec
}

// classKey tells classes apart: a hash of the group, the thread, the grammar without
// exponents, and the sites and kinds of terminals.
type classKey [16]byte

type class struct {
	group  groupKey
	thread int
	ranks  *trace.RankSet
	terms  []term
	g      *trace.Grammar // canonical; trip counts that differ are 0
	trips  []number       // of those, in the order of rules and symbols
	polls  bool
	calls  number // if polls

	strings choices[[]string]
	columns []choices[columnValue]
	timing  choices[[]byte]
}

// term is a terminal.
type term struct {
	site string // key of the call site, empty if unknown
	// sig is the encoded signature without site; leaves that differ between ranks are zero.
	sig  string
	open []openLeaf // those, in the order of leaves
}

type openLeaf struct {
	leaf int
	param
}

// columnValue is a column: a shape with numbers, or encoded.
type columnValue struct {
	blob    []byte // nil: shape
	shape   []trace.SegmentShape
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
			y = choose(absentKey, trace.InfoValue{}, b.ranks)
		}
		a.info[key] = mergeChoices(x, y, nil)
	}
	for key, y := range b.info {
		if _, ok := a.info[key]; !ok {
			a.info[key] = mergeChoices(choose(absentKey, trace.InfoValue{}, a.ranks), y, nil)
		}
	}
	a.pid = mergeNumbers(ctx, a.pid, a.ranks, b.pid, b.ranks)
	a.complete = mergeNumbers(ctx, a.complete, a.ranks, b.complete, b.ranks)
	a.lost = mergeNumbers(ctx, a.lost, a.ranks, b.lost, b.ranks)
	a.clocks = rankfn.MergeVec(ctx, a.clocks, a.ranks, b.clocks, b.ranks)
	a.bases = rankfn.MergeVec(ctx, a.bases, a.ranks, b.bases, b.ranks)
	a.ranks = all
	return nil
}

// absentKey is the key of the choice that a process lacks a name in its info.
const absentKey = ""

// infoKey is the key of the choice of a value.
func infoKey(v *trace.InfoValue) string {
	if !v.Present {
		return absentKey
	}
	return "=" + v.Text
}

func (e *env) mergeClass(a, b *class) error {
	ctx := e.context(a.group.size)
	as, bs := a.ranks, b.ranks
	for t := range a.terms {
		if err := e.mergeTerm(ctx, &a.terms[t], as, &b.terms[t], bs); err != nil {
			return err
		}
	}
	e.mergeTrips(ctx, a, b)
	a.calls = mergeNumbers(ctx, a.calls, as, b.calls, bs)
	a.strings = mergeChoices(a.strings, b.strings, nil)
	for i := range a.columns {
		a.columns[i] = mergeChoices(a.columns[i], b.columns[i], func(x *columnValue, xs *trace.RankSet, y *columnValue, ys *trace.RankSet) {
			mergeAll(ctx, x.numbers, xs, y.numbers, ys)
		})
	}
	a.timing = mergeChoices(a.timing, b.timing, nil)
	a.ranks = as.Union(bs)
	return nil
}

// mergeTrips merges the exponents of the grammars, which are otherwise equal.
func (e *env) mergeTrips(ctx *rankfn.Context, a, b *class) {
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
	g := &trace.Grammar{Tail: a.g.Tail, Rules: make([][]trace.Symbol, len(a.g.Rules))}
	var trips []number
	i, j := 0, 0
	take := func(s trace.Symbol, trips []number, next *int) number {
		if s.Count != 0 {
			return number{n: int64(s.Count)}
		}
		*next++
		return trips[*next-1]
	}
	for r, body := range a.g.Rules {
		g.Rules[r] = make([]trace.Symbol, len(body))
		for k, s := range body {
			x, y := take(s, a.trips, &i), take(b.g.Rules[r][k], b.trips, &j)
			m := mergeNumbers(ctx, x, a.ranks, y, b.ranks)
			g.Rules[r][k] = trace.Symbol{ID: s.ID, Count: uint64(m.n)}
			if m.f != nil {
				g.Rules[r][k].Count = 0
				trips = append(trips, m)
			}
		}
	}
	a.g, a.trips = g, trips
}

func (e *env) mergeTerm(ctx *rankfn.Context, a *term, as *trace.RankSet, b *term, bs *trace.RankSet) error {
	if a.sig == b.sig && len(a.open) == 0 && len(b.open) == 0 {
		return nil
	}
	x, err := parseTerm(ctx, a)
	if err != nil {
		return err
	}
	y, err := parseTerm(ctx, b)
	if err != nil {
		return err
	}
	var open []openLeaf
	for i := range x.leaves {
		kind := x.leaves[i].Kind()
		if x.equalConstant(y, i) {
			continue
		}
		p := mergeParams(ctx, kind, x.param(i, as), as, y.param(i, bs), bs)
		open = append(open, openLeaf{i, p})
		if err := x.clear(i); err != nil {
			return err
		}
	}
	a.sig, a.open = e.intern(x.sig.Append(nil)), open
	return nil
}

// parsedTerm is a terminal taken apart.
type parsedTerm struct {
	ctx    *rankfn.Context
	sig    *trace.Signature
	leaves []trace.Leaf
	open   []*param // by leaf, nil for those that are in the signature
}

func parseTerm(ctx *rankfn.Context, t *term) (*parsedTerm, error) {
	sig, err := trace.ParseSignature([]byte(t.sig))
	if err != nil {
		return nil, err
	}
	p := &parsedTerm{ctx: ctx, sig: sig, leaves: trace.Leaves(nil, sig)}
	if len(t.open) > 0 {
		p.open = make([]*param, len(p.leaves))
		for i := range t.open {
			p.open[t.open[i].leaf] = &t.open[i].param
		}
	}
	return p, nil
}

func (p *parsedTerm) isOpen(i int) bool { return p.open != nil && p.open[i] != nil }

// equalConstant tells whether leaf i is the same at all ranks of p and of q.
func (p *parsedTerm) equalConstant(q *parsedTerm, i int) bool {
	return !p.isOpen(i) && !q.isOpen(i) && equalLeaves(&p.leaves[i], &q.leaves[i])
}

func equalLeaves(x, y *trace.Leaf) bool {
	switch x.Kind() {
	case trace.VecLeaf:
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
	case trace.StrLeaf:
		return x.Str() == y.Str()
	}
	return x.Int() == y.Int()
}

// param is the value of leaf i at the given ranks.
func (p *parsedTerm) param(i int, ranks *trace.RankSet) param {
	if p.isOpen(i) {
		return *p.open[i]
	}
	l := &p.leaves[i]
	switch l.Kind() {
	case trace.VecLeaf:
		return param{vec: constantVec(p.ctx, ranks, l.Vec())}
	case trace.StrLeaf:
		return param{strs: choose(l.Str(), l.Str(), ranks)}
	}
	return param{number: number{n: l.Int()}}
}

// clear makes leaf i zero.
func (p *parsedTerm) clear(i int) error {
	l := &p.leaves[i]
	switch l.Kind() {
	case trace.VecLeaf:
		return l.SetVec([]int64{}, 0)
	case trace.StrLeaf:
		l.SetStr("")
		return nil
	}
	return l.SetInt(0)
}
