package archive

import (
	"math"
	"sync"

	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/spec"
)

// A walker goes through the fields of groups and classes: the same functions
// write and read both the file and its text twin, so that the four cannot
// disagree. While it reads, the first error sticks and what follows is zero. Names are for the
// text form and for errors.
type walker interface {
	reading() bool
	fail(format string, args ...any)
	failed() bool
	// broke notes an error that says itself where it is.
	broke(err error)
	// num is a number from 0 to max.
	num(name string, v *int, max int)
	// sized is any number; where it is the size of the communicator, or one less, it takes little
	// space.
	sized(name string, v *int64, size int)
	str(name string, v *string)
	// count is a number of things of which each takes a byte or more.
	count(name string, n int) int
	// set is a set of ranks, all of within; ctx may be nil.
	set(name string, ctx *rankfunc.Context, v **RankSet, within *RankSet)
	fn(name string, ctx *rankfunc.Context, ranks *RankSet, v **RankFunc)
	vec(name string, ctx *rankfunc.Context, ranks *RankSet, v **RankVec)
	// params are integers, at least one: those of one open leaf of several terminals, or of a
	// column. bases has those of the class so far.
	params(name string, ctx *rankfunc.Context, ranks *RankSet, ps []*Param, bases *[]*Base)
	// ids is a list of numbers below n.
	ids(name string, v *[]int, n int)
	// ref is a number below n that is most often one more than the one of the
	// same name before, or none for -1.
	ref(name string, v *int, n int, none bool)
	// size is that of MPI_COMM_WORLD.
	grammar(name string, size int, v **Grammar)
}

// walkCases goes through cases. each gets a value and the ranks that have it.
func walkCases[T any](w walker, name string, all *RankSet, c *Cases[T], each func(v *T, ranks *RankSet)) {
	n := w.count(name, len(c.Values))
	if n == 0 || n > all.Len() {
		w.fail("%d cases of %s for %d ranks", n, name, all.Len())
	}
	walkValues(w, n, all, c, each)
}

// walkValues goes through n cases.
func walkValues[T any](w walker, n int, all *RankSet, c *Cases[T], each func(v *T, ranks *RankSet)) {
	if w.reading() {
		*c = Cases[T]{}
	}
	own := n == all.Len()
	for i := 0; i < n && !w.failed(); i++ {
		ranks := all
		if w.reading() {
			var zero T
			c.Values = append(c.Values, zero)
		}
		switch {
		case n == 1:
		case own:
			r := all.At(i)
			ranks = rankfunc.Range(r, r+1)
		default:
			if w.reading() {
				c.Sets = append(c.Sets, nil)
			}
			w.set("of", nil, &c.Sets[i], all)
			ranks = c.Sets[i]
		}
		if !w.failed() {
			each(&c.Values[i], ranks)
		}
	}
}

// walkGroup goes through a group; modules is the number of modules.
func walkGroup(w walker, g *Group, modules int, context contexts) {
	w.num("world", &g.World, math.MaxInt32)
	w.num("size", &g.Size, math.MaxInt32)
	unranked := 0
	if g.Unranked {
		unranked = 1
	}
	w.num("unranked", &unranked, 1)
	g.Unranked = unranked == 1
	if g.Unranked {
		w.str("host", &g.Host)
	}
	ctx := context.of(g.Size)
	w.set("ranks", ctx, &g.Ranks, nil)
	if w.failed() {
		return
	}
	text := func(name string) func(*string, *RankSet) {
		return func(v *string, _ *RankSet) { w.str(name, v) }
	}
	if !g.Unranked {
		walkCases(w, "hosts", g.Ranks, &g.Hosts, text("host"))
		w.fn("pid", ctx, g.Ranks, &g.PID)
	}
	w.fn("complete", ctx, g.Ranks, &g.Complete)
	w.fn("lost", ctx, g.Ranks, &g.Lost)
	walkCases(w, "ends", g.Ranks, &g.Ends, text("end"))
	n := w.count("infos", len(g.Info))
	for i := 0; i < n && !w.failed(); i++ {
		if w.reading() {
			g.Info = append(g.Info, InfoKey{})
		}
		k := &g.Info[i]
		w.str("key", &k.Key)
		walkCases(w, "values", g.Ranks, &k.Values, func(v *InfoValue, _ *RankSet) {
			present := 0
			if v.Present {
				present = 1
			}
			w.num("present", &present, 1)
			if v.Present = present == 1; v.Present {
				w.str("value", &v.Text)
			}
		})
	}
	walkCases(w, "modules", g.Ranks, &g.Modules, func(v *[]int, _ *RankSet) { w.ids("module", v, modules) })
	w.vec("clocks", ctx, g.Ranks, &g.Clocks)
	w.vec("bases", ctx, g.Ranks, &g.Bases)
}

// contexts are the contexts of functions by the size of MPI_COMM_WORLD.
type contexts struct{ bySize *sync.Map }

func newContexts() contexts { return contexts{&sync.Map{}} }

func (c contexts) of(size int) *rankfunc.Context {
	if x, ok := c.bySize.Load(size); ok {
		return x.(*rankfunc.Context)
	}
	x, _ := c.bySize.LoadOrStore(size, &rankfunc.Context{Size: size})
	return x.(*rankfunc.Context)
}

// classContext is what the fields of classes refer to.
type classContext struct {
	contexts   contexts
	groups     []*Group
	templates  int
	template   func(i int) (*Template, error)
	columns    int
	timings    int
	maxParams  int
	maxNumbers int // of the columns of a class

	rowLock    sync.Mutex
	rowOf      []int // see row
	maxSymbols int
}

// row is the numbers of timings in order up to n, which classes share.
func (x *classContext) row(n int) []int {
	x.rowLock.Lock()
	defer x.rowLock.Unlock()
	if n > len(x.rowOf) {
		x.rowOf = make([]int, max(n, min(2*len(x.rowOf), x.timings)))
		for i := range x.rowOf {
			x.rowOf[i] = i
		}
	}
	return x.rowOf[:n]
}

// walkClassHead goes through what tells which streams are in a class.
func walkClassHead(w walker, c *ClassData, x *classContext) {
	w.num("group", &c.Group, len(x.groups)-1)
	if w.failed() || len(x.groups) == 0 {
		w.fail("a class without a group")
		return
	}
	w.num("thread", &c.Thread, math.MaxInt32)
	g := x.groups[c.Group]
	w.set("ranks", x.contexts.of(g.Size), &c.Ranks, g.Ranks)
}

// walkClass goes through a class.
func walkClass(w walker, c *ClassData, x *classContext) {
	walkClassHead(w, c, x)
	w.ids("terminals", &c.Terminals, x.templates)
	if w.failed() {
		return
	}
	ctx := x.contexts.of(x.groups[c.Group].Size)
	w.grammar("grammar", ctx.Size, &c.Grammar)
	if w.failed() {
		return
	}
	walkTrips(w, ctx, c)
	f := columnsOf(w, c, x)
	if w.failed() {
		return
	}
	walkParams(w, ctx, c, f.templates, x.maxParams)
	if f.polls {
		w.fn("calls", ctx, c.Ranks, &c.Calls)
	}
	if f.texts {
		walkStrings(w, c)
	}
	walkColumns(w, ctx, c, x, f)
	walkTiming(w, c, x)
}

// walkTrips goes through the trip counts that differ between ranks.
func walkTrips(w walker, ctx *rankfunc.Context, c *ClassData) {
	trips := openTrips(c.Grammar)
	if w.reading() {
		c.Trips = nil
	}
	for i := range trips {
		if w.reading() {
			c.Trips = append(c.Trips, nil)
		}
		w.fn("trips", ctx, c.Ranks, &c.Trips[i])
	}
}

// classForm is what follows from the templates of a class.
type classForm struct {
	templates    []*Template  // of each terminal
	columns      []ColumnSpec // of all terminals
	owners       []int        // terminal of each column
	polls, texts bool         // some terminal is runs of polls, some column numbers of strings
}

// sized tells whether column i says how long it is.
func (f *classForm) sized(i int) bool { return f.columns[i].Array && f.columns[i].Field >= 0 }

func columnsOf(w walker, c *ClassData, x *classContext) *classForm {
	f := &classForm{templates: make([]*Template, len(c.Terminals))}
	for t, id := range c.Terminals {
		if w.failed() {
			return f
		}
		tm, err := x.template(id)
		if err != nil {
			w.broke(err)
			return f
		}
		f.templates[t] = tm
		f.polls = f.polls || tm.Flags&Polls != 0
		for _, s := range tm.Columns() {
			f.columns = append(f.columns, s)
			f.owners = append(f.owners, t)
			f.texts = f.texts || s.Slot >= 0 && s.Field >= 0 && isText(spec.ByID(tm.Func).Slots[s.Slot].Codec)
		}
	}
	return f
}

// walkStrings goes through the strings that columns number.
func walkStrings(w walker, c *ClassData) {
	walkCases(w, "texts", c.Ranks, &c.Strings, func(v *[]string, _ *RankSet) {
		n := w.count("strings", len(*v))
		for i := 0; i < n && !w.failed(); i++ {
			if w.reading() {
				*v = append(*v, "")
			}
			w.str("string", &(*v)[i])
		}
	})
}

// walkColumns goes through the columns.
func walkColumns(w walker, ctx *rankfunc.Context, c *ClassData, x *classContext, f *classForm) {
	like, left := make([]int, len(f.columns)), x.maxNumbers
	if !w.reading() {
		if len(c.Columns) != len(f.columns) {
			w.fail("%d columns, the signatures need %d", len(c.Columns), len(f.columns))
			return
		}
		like = alike(c.Columns, f.sized)
	}
	for i := range f.columns {
		if w.failed() {
			return
		}
		if w.reading() {
			c.Columns = append(c.Columns, Cases[ColumnData]{})
		}
		// Odd: so many cases, times two, less one. Even: half of it is how far back an equal column
		// is. 0: one value for all, which follows.
		head, value := 2*like[i], int64(0)
		if head == 0 && !w.reading() {
			v, same := uniform(&c.Columns[i], f.sized(i))
			if value = v; !same {
				head = 2*len(c.Columns[i].Values) - 1
			}
		}
		w.num(columnName(f.templates[f.owners[i]], &f.columns[i]), &head, max(2*i, 2*c.Ranks.Len()-1))
		switch {
		case w.failed():
		case head == 0:
			if w.sized("value", &value, ctx.Size); f.sized(i) {
				w.fail("elements of arrays without a length")
			}
			if w.reading() {
				c.Columns[i] = uniformColumn(value)
			}
		case head%2 == 0:
			j := i - head/2
			if j < 0 || f.sized(i) != f.sized(j) {
				w.fail("a column is said to be like another one, which it cannot be")
			} else if w.reading() {
				c.Columns[i] = c.Columns[j]
			}
		default:
			n := (head + 1) / 2
			if n > c.Ranks.Len() {
				w.fail("%d cases of a column for %d ranks", n, c.Ranks.Len())
				return
			}
			walkValues(w, n, c.Ranks, &c.Columns[i], func(v *ColumnData, ranks *RankSet) {
				walkColumn(w, ctx, v, ranks, f.sized(i), x, &left)
			})
		}
	}
}

// Forms of the numbers of timings.
const (
	timingNone  = 0 // of no rank
	timingRow   = 1 // one for each rank, in order, from the number that follows
	timingCases = 2 // cases follow
)

// walkTiming goes through the numbers of a class's timings.
func walkTiming(w walker, c *ClassData, x *classContext) {
	form := timingCases
	if v := c.Timing.Values; !w.reading() && len(v) > 0 && len(c.Timing.Sets) == 0 {
		row := len(v) == c.Ranks.Len() && v[0] >= 0
		for i := range v {
			row = row && v[i] == v[0]+i
		}
		switch {
		case row:
			form = timingRow
		case len(v) == 1 && v[0] < 0:
			form = timingNone
		}
	}
	w.num("timing", &form, timingCases)
	if w.failed() {
		return
	}
	switch form {
	case timingNone:
		c.Timing = Cases[int]{Values: []int{-1}}
	case timingRow:
		first := 0
		if !w.reading() {
			first = c.Timing.Values[0]
		}
		w.ref("times", &first, x.timings, false)
		if n := c.Ranks.Len(); w.reading() && !w.failed() {
			if n > x.timings-first {
				w.fail("timings %d to %d, but there are %d", first, first+n-1, x.timings)
				return
			}
			c.Timing = Cases[int]{Values: x.row(first + n)[first : first+n : first+n]}
		}
	default:
		walkCases(w, "timing", c.Ranks, &c.Timing, func(v *int, _ *RankSet) { w.ref("times", v, x.timings, true) })
	}
}

// uniform gives the one value of a column that has the same everywhere.
func uniform(c *Cases[ColumnData], sized bool) (value int64, ok bool) {
	if sized || len(c.Values) != 1 {
		return 0, false
	}
	v := &c.Values[0]
	if v.Blob >= 0 || v.Clock || len(v.Shape) != 1 || v.Shape[0].Kind != constantSegment || len(v.Params) != 1 {
		return 0, false
	}
	if f := v.Params[0].Fn; f != nil {
		return f.Constant()
	}
	return v.Params[0].N, true
}

func uniformColumn(value int64) Cases[ColumnData] {
	return Cases[ColumnData]{
		Values: []ColumnData{{Blob: -1, Shape: []SegmentShape{{Kind: constantSegment}}, Params: []Param{{N: value}}}},
	}
}

// alike tells of each column how far back one is that is equal, 0 for none.
func alike(columns []Cases[ColumnData], sized func(i int) bool) []int {
	back := make([]int, len(columns))
	last := map[string]int{}
	var e encoder
	for i := range columns {
		c := &columns[i]
		e.Out = append(e.Out[:0], 0)
		if sized(i) {
			e.Out[0] = 1
		}
		e.Uvarint(uint64(len(c.Values)))
		for _, s := range c.Sets {
			e.Out = s.Append(e.Out)
		}
		for k := range c.Values {
			c.Values[k].append(&e)
		}
		if j, ok := last[string(e.Out)]; ok {
			back[i] = i - j
		}
		last[string(e.Out)] = i
	}
	return back
}

// append appends a form of v that is the same for equal ones only.
func (v *ColumnData) append(e *encoder) {
	clock := uint64(0)
	if v.Clock {
		clock = 1
	}
	e.Uvarint(clock)
	e.Varint(int64(v.Blob))
	e.Uvarint(uint64(len(v.Shape)))
	for _, s := range v.Shape {
		e.Uvarint(uint64(s.Kind))
		e.Uvarint(uint64(s.Values))
	}
	for i := range v.Params {
		f := v.Params[i].Fn
		if f == nil {
			f = ConstantFunc(v.Params[i].N)
		}
		e.Out = f.Append(e.Out)
	}
}

// isText tells whether columns of a codec hold numbers of strings.
func isText(c spec.Codec) bool {
	return c == spec.String || c == spec.StringArray || c == spec.StringArray2
}

// columnName is "function.parameter" with what of it is in the column.
func columnName(t *Template, s *ColumnSpec) string { return columnNameOf(t.Func, s) }

func columnNameOf(id spec.ID, s *ColumnSpec) string {
	f := spec.ByID(id)
	if s.Slot < 0 {
		return f.Name + ".polls"
	}
	slot := &f.Slots[s.Slot]
	name := f.Name + "." + SlotName(f, slot)
	switch {
	case s.Field < 0:
		name += ".elements"
	case slot.Codec == spec.Status:
		name += statusNames[s.Field]
	}
	return name
}

// Fields of a status in columns. The last one has whether the operation was cancelled above its lower 32 bits.
const (
	StatusSource = iota
	StatusTag
	StatusBytes
	StatusError
)

// statusNames are their names.
var statusNames = [...]string{StatusSource: ".source", StatusTag: ".tag", StatusBytes: ".bytes", StatusError: ".error"}

// openTrips lists the symbols of g whose trip count differs between ranks.
func openTrips(g *Grammar) (open [][2]int) {
	for r, body := range g.Rules {
		for k, s := range body {
			if s.Count == 0 {
				open = append(open, [2]int{r, k})
			}
		}
	}
	return open
}

// walkParams goes through the values of open leaves: template by template in the order of
// first use, leaf by leaf, terminal by terminal.
func walkParams(w walker, ctx *rankfunc.Context, c *ClassData, ts []*Template, max int) {
	var bases []*Base
	first := map[int]int{} // by template: its place in order
	var order [][]int      // terminals of a template
	total := 0
	for t, id := range c.Terminals {
		k, ok := first[id]
		if !ok {
			k = len(order)
			first[id] = k
			order = append(order, nil)
		}
		order[k] = append(order[k], t)
		if total += ts[t].opens(); total > max {
			w.fail("the class has more than %d parameters", max)
			return
		}
	}
	if w.reading() {
		c.Params = make([][]Param, len(ts))
		all := make([]Param, total)
		for t := range ts {
			n := ts[t].opens()
			c.Params[t], all = all[:n:n], all[n:]
		}
	}
	var leaves []Leaf
	for _, terminals := range order {
		tm := ts[terminals[0]]
		leaves = Leaves(leaves[:0], &tm.Signature)
		k := 0
		for i := range leaves {
			if !tm.Open[i] {
				continue
			}
			name := leafName(tm, &leaves[i])
			ps := make([]*Param, len(terminals))
			for j, t := range terminals {
				ps[j] = &c.Params[t][k]
			}
			k++
			walkLeaf(w, name, ctx, c.Ranks, leaves[i].kind, ps, &bases)
			if w.failed() {
				return
			}
		}
	}
}

func walkLeaf(
	w walker, name string, ctx *rankfunc.Context, ranks *RankSet, kind LeafKind, ps []*Param, bases *[]*Base,
) {
	if kind == IntLeaf {
		w.params(name, ctx, ranks, ps, bases)
		return
	}
	for _, p := range ps {
		if w.failed() {
			return
		}
		if kind == VecLeaf {
			w.vec(name, ctx, ranks, &p.Vec)
			continue
		}
		if w.reading() {
			p.Str = &Cases[string]{}
		}
		walkCases(w, name, ranks, p.Str, func(v *string, _ *RankSet) { w.str("string", v) })
	}
}

// leafName is "function.parameter", with the number of the leaf if there are several.
func leafName(t *Template, l *Leaf) string {
	f := spec.ByID(t.Func)
	name := f.Name + "." + SlotName(f, &f.Slots[l.slot])
	if l.v.Kind == Addr && l.part == 0 {
		return name + ".segment"
	}
	if l.v.Kind == Stat {
		return name + statusNames[l.part]
	}
	return name
}

// Codes of columns.
const (
	columnBlob     = 0 // the number of a blob follows
	columnConstant = 1 // one constant segment
	columnAffine   = 2 // one affine segment
	columnSegments = 3 // segments follow
	columnClock    = 4 // the number of a timing follows, which is a column
)

// walkColumn goes through a column. sized columns tell their length.
func walkColumn(
	w walker, ctx *rankfunc.Context, v *ColumnData, ranks *RankSet, sized bool, x *classContext, left *int,
) {
	code := columnSegments
	switch {
	case v.Clock:
		code = columnClock
	case v.Blob >= 0:
		code = columnBlob
	case len(v.Shape) == 1 && v.Shape[0].Kind == constantSegment:
		code = columnConstant
	case len(v.Shape) == 1 && v.Shape[0].Kind == affineSegment:
		code = columnAffine
	}
	w.num("form", &code, columnClock)
	if w.reading() {
		v.Blob, v.Clock = -1, code == columnClock
	}
	switch code {
	case columnBlob:
		w.ref("blob", &v.Blob, x.columns, false)
		return
	case columnClock:
		w.ref("times", &v.Blob, x.timings, false)
		return
	case columnConstant:
		v.Shape = []SegmentShape{{Kind: constantSegment}}
	case columnAffine:
		v.Shape = []SegmentShape{{Kind: affineSegment}}
	default:
		walkShape(w, v)
	}
	n := 0
	for i := range v.Shape {
		n += v.Shape[i].numbers()
		if i < len(v.Shape)-1 {
			n++
		}
	}
	if sized && len(v.Shape) > 0 {
		n++
	}
	if *left -= n; n > maxSegmentValues || w.reading() && *left < 0 {
		w.fail("a column of %d numbers, or too many in all columns", n)
	}
	if w.failed() || n == 0 {
		return
	}
	if w.reading() {
		v.Params = make([]Param, n)
	}
	ps := make([]*Param, n)
	for i := range ps {
		ps[i] = &v.Params[i]
	}
	w.params("value", ctx, ranks, ps, nil)
}

// walkShape goes through the segments of a column.
func walkShape(w walker, v *ColumnData) {
	n := w.count("segments", len(v.Shape))
	for i := 0; i < n && !w.failed(); i++ {
		if w.reading() {
			v.Shape = append(v.Shape, SegmentShape{})
		}
		s := &v.Shape[i]
		kind := int(s.Kind)
		w.num("segment", &kind, int(rampsSegment))
		if s.Kind = SegmentKind(kind); s.Kind == periodicSegment || s.Kind == blockSegment {
			w.num("of", &s.Values, maxSegmentValues) // which together may take less than a byte each
		}
	}
}
