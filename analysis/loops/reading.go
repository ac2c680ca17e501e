package loops

import (
	"math"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/grammar"
	"github.com/tabard-hpc/tabard/internal/codec/nest"
)

// Threads of a program that call from the same lines are read together: as one nest whose loops and
// branches are executed differently often (package nest). That explains loops whose inner loops have no or
// one iteration at times, and calls in some of the iterations, where the folder leaves pieces. But the
// folder knows a function that is called at several places by what it is called between.
// The shorter description wins.

// Limits on what is read together. Threads beyond them are folded, each on its own.
const (
	readSymbols = 1 << 22 // symbols of all grammars
	readLabels  = 1 << 10
	readWork    = 1 << 23
)

// What a node takes in a description, in bits, and counts that vary besides what they take themselves:
// a function that is called once before a loop and in it is better shown twice than as a loop
// with much that is left out at first. The folder's tree may take preferFold bits more. branchBits are added to it for
// a loop with what looks like an iteration in which the program took another branch beside it.
const (
	nodeBits   = 12
	variedBits = 40
	preferFold = 32
	branchBits = 160
)

// family is groups of threads that call from the same lines.
type family struct {
	groups  []*group
	trees   []*tree // as folded
	symbols int
	pass    func(streams int) // see shapeTable
}

// familiesOf puts groups together, in the order of their first ones.
func familiesOf(groups []*group) []*family {
	type key struct {
		world, thread int
		shapes        string
	}
	var list []*family
	known := map[key]*family{}
	for _, g := range groups {
		ids := slices.Compact(slices.Sorted(slices.Values(g.shape)))
		k := key{g.streams[0].Rank().World, g.streams[0].Thread(), bodyKey(ids)}
		if known[k] == nil {
			known[k] = &family{}
			list = append(list, known[k])
		}
		f := known[k]
		f.groups = append(f.groups, g)
		f.symbols += g.grammar.Symbols()
	}
	return list
}

// reading is the trees of the family as one nest, nil if that takes too much work.
func (f *family) reading(shapes []Shape, steps uint64) (*family, error) {
	var seqs []nest.Sequence
	calls := make([]int, len(shapes)) // terminals of each shape
	for i, g := range f.groups {
		x, err := grammar.NewIndex(g.grammar)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			for t, n := range x.Occurrences() {
				if n > 0 {
					calls[g.local[t]]++
				}
			}
		}
		seqs = append(seqs, nest.Sequence{Index: x, Label: g.local})
	}
	r, err := nest.Read(seqs, nest.Hints{
		Back:       func(u, v int32) bool { return standsBefore(shapes[v].Frames, shapes[u].Frames) },
		Alike:      func(v int32) bool { return calls[v] <= 1 },
		Iterations: steps,
	}, readWork)
	if err != nil {
		return nil, nil // what takes too much work stays as it is
	}
	read := &family{}
	for i, e := range r.Runs {
		read.trees = append(read.trees, readTree(f.trees[i].sk.order, len(shapes), e))
	}
	return read, nil
}

// standsBefore tells whether a call site stands before another one, or at its line, in the function
// that has both.
func standsBefore(a, b []Frame) bool {
	n := min(len(a), len(b))
	for i := 1; i <= n; i++ {
		x, y := &a[len(a)-i], &b[len(b)-i]
		if x.Func != y.Func || x.File != y.File {
			return false
		}
		if *x != *y {
			return x.Line > 0 && x.Line <= y.Line
		}
	}
	return true
}

// unclear tells whether the folder left more than a nest of few nodes and equal iterations.
func (f *family) unclear(shapes int) bool {
	for _, t := range f.trees {
		d := t.describe(nest.NewColumns(), 0)
		if d.varied || len(t.blocks) > 0 || d.nodes > shapes+2 {
			return true
		}
	}
	return false
}

// bits is about what the trees take together; nodes of equal nests count once.
func (f *family) bits() float64 {
	sum := 0.0
	known, columns := map[string]int{}, nest.NewColumns() // nests by number
	for _, t := range f.trees {
		key := t.text()
		number, ok := known[key]
		if !ok {
			number = len(known)
			known[key] = number
		}
		d := t.describe(columns, number)
		if sum += d.bits; !ok {
			sum += nodeBits*float64(d.nodes) + branchBits*float64(d.branches)
		}
	}
	return sum
}

// description is what a tree takes.
type description struct {
	nodes    int
	bits     float64 // of all counts
	varied   bool    // there are counts that vary
	branches int     // see skeletons.branches

	sk      *skeletons
	columns *nest.Columns
	number  int // of the nest in columns
}

func (t *tree) describe(columns *nest.Columns, number int) description {
	d := &description{sk: t.sk, columns: columns, number: number}
	for _, b := range t.blocks {
		d.sequence(b)
	}
	d.sequence(t.body)
	return *d
}

func (d *description) sequence(seq []*item) {
	d.branches += d.sk.branches(len(seq), func(i int) (int32, uint64) { return seq[i].skel, seq[i].n })
	for _, x := range seq {
		d.nodes++
		d.count(nest.Constant(x.n, 1))
		if x.unit != nil {
			d.sequence(x.unit)
		}
		d.variedItems(x.varied)
	}
}

func (d *description) variedItems(seq []*variedItem) {
	d.branches += d.sk.branches(len(seq), func(i int) (int32, uint64) { return seq[i].skel, seq[i].counts.Max() })
	for _, v := range seq {
		d.nodes++
		d.count(v.counts)
		d.variedItems(v.body)
	}
}

func (d *description) count(c *nest.Counts) {
	bits, own := d.columns.Bits(c, d.number, d.nodes)
	if d.bits += bits; own {
		d.bits += variedBits
		d.varied = true
	}
}

// text is equal for trees whose nests are, apart from counts.
func (t *tree) text() string {
	var ids []int32
	var walk func(skel int32)
	walk = func(skel int32) {
		k := &t.sk.list[skel]
		if k.body == nil {
			ids = append(ids, k.shape, k.block)
			return
		}
		ids = append(ids, -2, int32(len(k.body)))
		for _, b := range k.body {
			walk(b)
		}
	}
	for _, seq := range append(slices.Clone(t.blocks), t.body) {
		ids = append(ids, -3)
		for _, x := range seq {
			walk(x.skel)
		}
	}
	return bodyKey(ids)
}

// readTree makes a tree of a nest.
func readTree(o *order, shapes int, e *nest.Executions) *tree {
	t := &tree{sk: newSkeletons(shapes, o)}
	for _, b := range e.Body {
		v := t.sk.read(b)
		x := &item{skel: v.skel, n: b.Counts.Sum(), set: v.set, varied: v.body}
		if v.body != nil && b.Counts.Sum() > 0 && allConstant(v.body) {
			x.varied = nil
			for _, c := range v.body {
				x.unit = append(x.unit, c.once(c.counts.Min()))
			}
		}
		t.body = append(t.body, x)
	}
	return t
}

func allConstant(seq []*variedItem) bool {
	return !slices.ContainsFunc(seq, func(v *variedItem) bool { return !v.isConstant() })
}

func (s *skeletons) read(e *nest.Executions) *variedItem {
	v := &variedItem{skel: e.Part.Label, counts: e.Counts, set: e.Set}
	if !e.Part.IsLoop() {
		return v
	}
	body := make([]int32, len(e.Body))
	for i, b := range e.Body {
		c := s.read(b)
		v.body = append(v.body, c)
		body[i] = c.skel
	}
	v.skel = s.loop(body)
	if or := e.Part.Or; or > 0 {
		s.or[v.skel] = or
	}
	return v
}

// localShapes numbers the shapes of a family's groups anew, so that the work depends on them only.
func (f *family) localShapes(table *shapeTable) []Shape {
	var local []Shape
	number := map[int32]int32{}
	for _, g := range f.groups {
		g.local = make([]int32, len(g.shape))
		for t, id := range g.shape {
			k, ok := number[id]
			if !ok {
				k = int32(len(local))
				number[id] = k
				local = append(local, table.shapes[id])
			}
			g.local[t] = k
		}
	}
	return local
}

// classes makes a class of one variant for each group. steps is how many time steps there are, 0 if that is not
// known; limit is how many nodes the next class may have.
func (f *family) classes(table *shapeTable, steps uint64, limit func() int, take func(*Class)) error {
	shapes := f.localShapes(table)
	f.pass = table.pass
	if f.symbols > readSymbols || len(shapes) > readLabels {
		for i := range f.groups {
			if err := f.fold(i, shapes, math.MaxInt); err != nil {
				return err
			}
			f.take(i, shapes, table, limit, take)
		}
		return nil
	}
	if err := f.shortest(shapes, steps); err != nil {
		return err
	}
	f.everyKth(steps)
	for i := range f.groups {
		f.take(i, shapes, table, limit, take)
	}
	return nil
}

// What has more items than manyItems is read before it is folded further: to partOfNodes times as many items as nodes
// would take what the reading takes, if these are not more than manyNodes.
const (
	manyItems   = 1 << 15
	manyNodes   = 1 << 20
	partOfNodes = 1.25
)

// shortest makes the trees of the family: as folded, or by one nest if that is the shorter description. Threads without
// order are folded as far as it takes to know that it is.
func (f *family) shortest(shapes []Shape, steps uint64) error {
	whole, err := f.foldAll(shapes, manyItems)
	if err != nil || whole && !f.unclear(len(shapes)) {
		return err
	}
	read, err := f.reading(shapes, steps)
	if err != nil {
		return err
	}
	bits := math.Inf(1)
	if read != nil {
		bits = read.bits() + preferFold
	}
	if most := bits / nodeBits / float64(len(f.groups)); !whole && most < manyNodes {
		if whole, err = f.foldAll(shapes, int(most*partOfNodes)); err != nil {
			return err
		}
	}
	if !whole && f.bits() <= bits {
		if _, err := f.foldAll(shapes, math.MaxInt); err != nil || !f.unclear(len(shapes)) {
			return err
		}
	}
	if bits < f.bits() {
		f.trees = read.trees
	}
	return nil
}

// foldAll folds all groups, but none to many more items than most. It tells whether that is all.
func (f *family) foldAll(shapes []Shape, most int) (whole bool, err error) {
	f.trees = nil
	whole = true
	for i := range f.groups {
		if err := f.fold(i, shapes, most); err != nil {
			return false, err
		}
		whole = whole && !f.trees[i].part
	}
	return whole, nil
}

func (f *family) fold(i int, shapes []Shape, most int) error {
	f.pass(0)
	t, err := fold(f.groups[i].grammar, f.groups[i].local, shapes, most)
	f.trees = append(f.trees, t)
	return err
}

// take makes the class of a group, whose grammar is not needed any more then.
func (f *family) take(i int, shapes []Shape, table *shapeTable, limit func() int, take func(*Class)) {
	f.pass(len(f.groups[i].streams))
	take(classOf(f.groups[i], f.trees[i], shapes, table, limit()))
	f.groups[i], f.trees[i] = nil, nil
}
