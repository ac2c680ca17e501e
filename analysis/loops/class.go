package loops

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
)

// shapeTable numbers the shapes of an archive.
type shapeTable struct {
	shapes []Shape
	ids    map[string]int32
	shared map[*archive.Class]*classShared
	plain  bool // take every stream on its own
	// pass is told of streams that are done with, and now and then of none.
	pass func(streams int)
}

func newShapeTable(plain bool) *shapeTable {
	return &shapeTable{ids: map[string]int32{}, shared: map[*archive.Class]*classShared{}, plain: plain,
		pass: func(int) {}}
}

// tellTo makes pass tell of the streams of an archive, each of which is passed three times.
func (t *shapeTable) tellTo(progress func(done, total uint64), streams int) {
	if progress == nil {
		return
	}
	done := 0
	t.pass = func(n int) {
		done += n
		progress(uint64(done), 3*uint64(streams))
	}
}

func (t *shapeTable) id(s Shape) int32 {
	key := s.key()
	id, ok := t.ids[key]
	if !ok {
		id = int32(len(t.shapes))
		t.ids[key] = id
		t.shapes = append(t.shapes, s)
	} else if t.shapes[id].Recursive == "" {
		t.shapes[id].Recursive = s.Recursive // the outermost calls of a recursion do not tell
	}
	return id
}

// group is streams with one grammar whose terminals have the same shapes.
type group struct {
	streams []*archive.Stream
	grammar *archive.Grammar
	shape   []int32 // of terminals
	local   []int32 // likewise, as its family numbers them
}

// groupsOf groups the streams of an archive. It looks at each stream's terminals,
// not at its grammar, which streams with the same structure share.
func groupsOf(a *archive.Archive, selected func(*archive.Stream) bool, table *shapeTable) ([]*group, error) {
	type key struct {
		grammar       *archive.Grammar
		world, thread int
		shapes        string
	}
	var groups []*group
	known, visible := map[key]*group{}, map[string]*archive.Grammar{}
	for s := range a.Streams() {
		table.pass(1)
		shape, g, err := table.structure(s)
		if err != nil {
			return nil, err
		}
		if table.callsOfStream(s) == 0 || selected != nil && !selected(s) {
			continue
		}
		k := key{g, s.Class().Group().World, s.Thread(), bodyKey(shape)}
		if known[k] == nil {
			if g, err = table.visible(g, shape, visible); err != nil {
				return nil, err
			}
			if g == nil {
				continue
			}
			known[k] = &group{grammar: g, shape: shape}
			groups = append(groups, known[k])
		}
		known[k].streams = append(known[k].streams, s)
	}
	return groups, nil
}

// structure is the shapes of the terminals of a stream, and its grammar.
func (t *shapeTable) structure(s *archive.Stream) ([]int32, *archive.Grammar, error) {
	k, err := sharedOf(s, t)
	if err != nil {
		return nil, nil, err
	}
	if k != nil && k.shape != nil {
		return k.shape, k.grammar, nil
	}
	shape, err := shapesOf(s, t)
	if err != nil {
		return nil, nil, err
	}
	g, err := s.Grammar()
	return shape, g, err
}

// visible is g without the recorder's own records, which stand where the program first uses some
// memory and would set the first iteration of a loop apart; nil if nothing else is left. Equal
// grammars are taken from known.
func (t *shapeTable) visible(g *archive.Grammar, shape []int32, known map[string]*archive.Grammar) (*archive.Grammar,
	error) {
	hidden := make([]bool, len(shape))
	mark := fmt.Appendf(nil, "%p", g)
	for i, id := range shape {
		hidden[i] = t.shapes[id].Func.Own()
		if hidden[i] {
			mark = binary.AppendUvarint(mark, uint64(i))
		}
	}
	v, ok := known[string(mark)]
	if !ok {
		var err error
		if v, err = without(g, hidden); err != nil {
			return nil, err
		}
		known[string(mark)] = v
	}
	return v, nil
}

// without is g without some terminals, nil if that is nothing.
func without(g *archive.Grammar, hidden []bool) (*archive.Grammar, error) {
	if !slices.Contains(hidden, true) {
		return g, nil
	}
	x, err := grammar.NewIndex(g)
	if err != nil {
		return nil, err
	}
	v := &archive.Grammar{Rules: make([][]archive.Symbol, len(g.Rules))}
	empty := make([]bool, len(g.Rules))
	for _, i := range x.BottomUp() {
		for _, s := range g.Rules[i] {
			if r, isRule := s.ID&^archive.RuleBit, s.ID&archive.RuleBit != 0; isRule && !empty[r] ||
				!isRule && !hidden[r] {
				v.Rules[i] = append(v.Rules[i], s)
			}
		}
		empty[i] = len(v.Rules[i]) == 0
	}
	if empty[0] {
		return nil, nil
	}
	return compact(v, empty), nil
}

// compact drops the empty rules.
func compact(g *archive.Grammar, empty []bool) *archive.Grammar {
	number := make([]uint32, len(g.Rules))
	n := uint32(0)
	for i := range g.Rules {
		number[i] = n
		if !empty[i] {
			g.Rules[n] = g.Rules[i]
			n++
		}
	}
	g.Rules = g.Rules[:n]
	for _, body := range g.Rules {
		for k, s := range body {
			if s.ID&archive.RuleBit != 0 {
				body[k].ID = number[s.ID&^archive.RuleBit] | archive.RuleBit
			}
		}
	}
	return g
}

// shapesOf gives the shape of each terminal of a stream.
func shapesOf(s *archive.Stream, table *shapeTable) ([]int32, error) {
	sigs, err := s.Signatures()
	if err != nil {
		return nil, err
	}
	shape := make([]int32, len(sigs))
	for t, sig := range sigs {
		shape[t] = table.id(shapeOf(sig, s.Site(sig)))
	}
	return shape, nil
}

// classOf makes a class of one variant of t, whose calls have some shapes.
func classOf(g *group, t *tree, local []Shape, table *shapeTable, limit int) *Class {
	summed := t.size() > limit
	if summed {
		t.sumUp(limit, g.local, len(local))
	}
	s := g.streams[0]
	c := &Class{World: s.Rank().World, Thread: s.Thread(), Body: t.nodes(t.body, local), SummedUp: summed,
		size: t.size()}
	for _, b := range t.blocks {
		c.Blocks = append(c.Blocks, t.nodes(b, local))
	}
	v := Variant{Streams: g.streams}
	for _, s := range g.streams {
		v.Ranks = append(v.Ranks, s.WorldRank())
		c.addCalls(table.callsOfStream(s))
	}
	slices.Sort(v.Ranks)
	c.Variants = []Variant{v}
	c.parts = []part{{g.streams, 0}}
	return c
}

func (c *Class) addCalls(n uint64) {
	if c.Calls == 0 {
		c.Least = n
	}
	c.Least, c.Most = min(c.Least, n), max(c.Most, n)
	c.Calls += n
}

// key is equal for classes of one structure.
func (c *Class) key(table *shapeTable) string {
	b := binary.AppendVarint(nil, int64(c.World))
	b = binary.AppendVarint(b, int64(c.Thread))
	var sequence func([]*Node)
	sequence = func(seq []*Node) {
		b = binary.AppendUvarint(b, uint64(len(seq)))
		for _, n := range seq {
			b = append(b, byte(n.Kind))
			switch n.Kind {
			case Call:
				b = binary.AppendUvarint(b, uint64(table.id(*n.Shape)))
			case Block:
				b = binary.AppendUvarint(b, uint64(n.Block))
			case Loop, Mixed:
				sequence(n.Body)
			}
		}
	}
	sequence(c.Body)
	for _, s := range c.Blocks {
		sequence(s)
	}
	return string(b)
}

// A part is members of a class with equal terminals: the parameters of the
// calls are found part by part.
type part struct {
	streams []*archive.Stream
	variant int
}

// take adds the members of o, a class of one part with the same structure.
func (c *Class) take(o *Class) {
	c.Least, c.Most = min(c.Least, o.Least), max(c.Most, o.Most)
	c.Calls += o.Calls
	v := c.variantLike(o)
	isNew := v == len(c.Variants)
	if isNew {
		c.Variants = append(c.Variants, Variant{})
	}
	to, from := &c.Variants[v], &o.Variants[0]
	to.Streams = append(to.Streams, from.Streams...)
	to.Ranks = append(to.Ranks, from.Ranks...)
	slices.Sort(to.Ranks)
	c.parts = append(c.parts, part{from.Streams, v})
	zip(c, o, func(n, m *Node) {
		if isNew {
			n.Counts = append(n.Counts, m.Counts[0])
		}
		n.sets = append(n.sets, m.sets...)
	})
}

// variantLike finds the variant with the counts of o, which has one variant. If there is none it
// returns the number of variants.
func (c *Class) variantLike(o *Class) int {
	if c.digests == nil {
		c.digests = map[string][]int{c.digest(): {0}}
	}
	digest := o.digest()
	for _, v := range c.digests[digest] {
		equal := true
		zip(c, o, func(n, m *Node) { equal = equal && n.Counts[v].Equal(m.Counts[0]) })
		if equal {
			return v
		}
	}
	c.digests[digest] = append(c.digests[digest], len(c.Variants))
	return len(c.Variants)
}

// digest sums up the counts of the first variant.
func (c *Class) digest() string {
	var b []byte
	c.All(func(n *Node) {
		for _, x := range []uint64{n.Counts[0].Len(), n.Counts[0].Sum(), n.Counts[0].Min(), n.Counts[0].Max()} {
			b = binary.AppendUvarint(b, x)
		}
	})
	return string(b)
}

// zip visits the nodes of two classes with the same structure.
func zip(a, b *Class, visit func(a, b *Node)) {
	var walk func(a, b []*Node)
	walk = func(a, b []*Node) {
		for i := range a {
			visit(a[i], b[i])
			walk(a[i].Body, b[i].Body)
		}
	}
	walk(a.Body, b.Body)
	for i := range a.Blocks {
		walk(a.Blocks[i], b.Blocks[i])
	}
}
