package archive

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"sort"
	"sync/atomic"
	"unsafe"

	"github.com/tabard-hpc/tabard/internal/codec/grammar"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/spec"
)

// Class is the streams that have the same structure: equal grammars but for trip counts, and
// terminals that are equal in function, call site, flags and kinds of values. An analysis that
// works on classes takes a time that does not depend on the number of ranks. It is safe for
// concurrent use.
type Class struct {
	a     *Archive
	index int
	head  ClassData // Group, Thread, Ranks
	realm *realm

	layout lazy[classLayout]
	broken atomic.Pointer[error] // why it cannot be read, once that is known
}

// classLayout is what reading the streams of a class needs.
type classLayout struct {
	*ClassData
	// sigs are the signatures of the terminals that are the same at all ranks, nil for the others.
	sigs []*Signature
	// first[t] is the place of terminal t's first column in Columns; the
	// last element is the number of columns.
	first []uint32
	polls []uint32       // terminals that are runs of polls
	specs []ColumnSpec   // of each column
	owner []uint32       // terminal of each column
	x     *grammar.Index // nil if trip counts differ between ranks
	vary  bool           // some signature differs between ranks
	tms   []*Template    // of each terminal
	timed []int32        // of each rank, the index in Timing; nil if that is found soon enough
}

// readStructure takes over the structure section. Of classes it reads which
// streams are in them; the rest when it is used.
func (a *Archive) readStructure(p *parts) error {
	a.items.templates, a.items.bodies = p.pools[partTemplates], p.pools[partBodies]
	a.items.classes, a.sequences.items = p.pools[partClasses], p.pools[partSequences]
	a.heads = heads{p.tables[partHeads], p.pools[partShapes]}
	if n := a.items.templates.len(); n != a.heads.rows.rows {
		return broken("structure/heads", -1, "%d heads for %d templates", a.heads.rows.rows, n)
	}
	if err := a.heads.check(p); err != nil {
		return err
	}
	a.templates = make([]lazy[Template], a.items.templates.len())
	var err error
	if a.columns, err = a.placeBlobs(secColumns, "structure/columns", p.tables[partColumns].cols[0]); err != nil {
		return err
	}
	x := a.context
	x.groups, x.templates, x.template = a.groups, len(a.templates), a.template
	if x.columns, err = a.readBundles(p.pools[partBundles], p.tables[partModels]); err != nil {
		return err
	}
	x.timings = a.timings.len()
	x.maxParams, x.maxSymbols = int(a.maxSection/64), int(a.maxSection/64)
	raw := int64(0)
	for _, n := range p.sizes {
		raw += n
	}
	x.maxNumbers = maxSegmentValues + int(min(16*raw, a.maxSection/64)) // as memory is bounded by bytes of the file
	return a.readClasses()
}

func (a *Archive) readClasses() error {
	realms := make([]*realm, len(a.groups))
	for i := range a.realms {
		for _, g := range a.realms[i].groups {
			realms[g] = &a.realms[i]
		}
	}
	store := make([]Class, a.numClasses())
	threads := map[*realm]map[int]*realmThread{}
	for i := range store {
		c := &store[i]
		c.a, c.index = a, i
		if err := a.readHead(i, &c.head); err != nil {
			return within(err, "class %d", i)
		}
		if !among(c.head.Ranks, a.groups[c.head.Group].Ranks) {
			return broken("structure/classes", a.classOffset(i), "class %d has ranks that its group has not", i)
		}
		r := realms[c.head.Group]
		c.realm = r
		if threads[r] == nil {
			threads[r] = map[int]*realmThread{}
		}
		t := threads[r][c.head.Thread]
		if t == nil {
			t = &realmThread{thread: c.head.Thread, all: r.ranks}
			threads[r][c.head.Thread] = t
			r.threads = append(r.threads, t)
		}
		t.classes = append(t.classes, c)
		if t.members += c.head.Ranks.Len(); t.members > r.ranks.Len() {
			return broken("structure/classes", a.classOffset(i),
				"class %d: more streams of thread %d than processes", i, t.thread)
		}
		a.classes = append(a.classes, c)
	}
	n := 0
	for i := range a.realms {
		r := &a.realms[i]
		r.streams = n
		sort.Slice(r.threads, func(i, j int) bool { return r.threads[i].thread < r.threads[j].thread })
		for _, t := range r.threads {
			if n += t.members; n > math.MaxInt32 {
				return broken("structure/classes", -1, "there are too many streams")
			}
		}
	}
	a.streams = n
	return nil
}

// among tells whether all members of a set, which is not empty, are in another one.
func among(s, all *RankSet) bool {
	switch {
	case s.Min() < all.Min() || s.Max() > all.Max():
		return false
	case all.Max()-all.Min() == all.Len()-1 || s.Equal(all):
		return true
	case s.Len() == 1:
		return all.Contains(s.Min())
	}
	return s.Union(all).Len() == all.Len()
}

func (a *Archive) numClasses() int {
	if a.content != nil {
		return len(a.content.Classes)
	}
	return a.items.classes.len()
}

func (a *Archive) classOffset(i int) int64 {
	if a.content != nil {
		return -1
	}
	return a.items.classes.offset(i)
}

// readHead reads which streams are in class i.
func (a *Archive) readHead(i int, head *ClassData) error {
	if a.content != nil {
		c := a.content.Classes[i]
		*head = ClassData{Group: c.Group, Thread: c.Thread, Ranks: c.Ranks}
		return nil
	}
	w := a.classWalker(i)
	walkClassHead(w, head, a.context)
	return w.Err
}

func (a *Archive) classWalker(i int) *decWalker {
	pool := a.items.classes
	d := decode(pool.at(i), "structure/classes", pool.offset(i))
	w := newDecWalker(d, a.strings, a.items.bodies, a.context.maxSymbols)
	w.sequence = func() (*Grammar, error) { return a.sequence(i) }
	return w
}

// template parses template i.
func (a *Archive) template(i int) (*Template, error) {
	return a.templates[i].get(func() (*Template, error) {
		if a.content != nil {
			return a.content.Templates[i], nil
		}
		pool := a.items.templates
		d := decode(pool.at(i), "structure/templates", pool.offset(i))
		t, err := a.heads.parseTemplate(i, d, a.strings, len(a.sites))
		if err != nil {
			return nil, named(within(err, "template %d", i), a.file)
		}
		return t, nil
	})
}

// maxArray is the greatest number of elements of all arrays among the parameters of a stream.
func (a *Archive) maxArray() int { return int(a.maxSection / int64(unsafe.Sizeof(Value{}))) }

func (a *Archive) broken(section string, offset int64, format string, args ...any) error {
	e := broken(section, offset, format, args...)
	e.File = a.file
	return e
}

// Classes lists the classes. The caller must not change the list.
func (a *Archive) Classes() []*Class { return a.classes }

// NumStreams is the number of streams of calls: one for each thread that made calls.
func (a *Archive) NumStreams() int { return a.streams }

// Stream is stream i, from 0 to NumStreams-1: streams are in the order of their
// processes, and those of a process in the order of threads. Each call makes
// a new Stream, which keeps what it reads.
func (a *Archive) Stream(i int) *Stream {
	if i < 0 || i >= a.streams {
		panic("trace: no such stream")
	}
	k := sort.Search(len(a.realms), func(k int) bool { return a.realms[k].streams > i }) - 1
	r := &a.realms[k]
	at := i - r.streams
	// The last process that no more than at streams precede.
	before := func(rank int) (n int) {
		for _, t := range r.threads {
			b, _ := t.set().Index(rank)
			n += b
		}
		return n
	}
	p := sort.Search(r.ranks.Len(), func(p int) bool { return before(r.ranks.At(p)) > at }) - 1
	rank := r.ranks.At(p)
	at -= before(rank)
	for _, t := range r.threads {
		if !t.set().Contains(rank) {
			continue
		}
		if at--; at < 0 {
			return a.stream(i, r, t, p, rank)
		}
	}
	// Classes of the file overlap: the stream cannot be read.
	return a.stream(i, r, r.threads[0], p, rank)
}

func (a *Archive) stream(i int, r *realm, t *realmThread, p, rank int) *Stream {
	return &Stream{a: a, class: t.find(rank), index: i, process: r.first + p, thread: t.thread, rank: rank}
}

// Streams yields all streams in the order of their numbers.
func (a *Archive) Streams() iter.Seq[*Stream] {
	return func(yield func(*Stream) bool) {
		for k := range a.realms {
			for s := range a.realmStreams(&a.realms[k]) {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// realmStreams yields the streams of the processes of a realm.
func (a *Archive) realmStreams(r *realm) iter.Seq[*Stream] {
	return func(yield func(*Stream) bool) {
		i, p := r.streams, -1
		for rank := range r.ranks.All() {
			p++
			for _, t := range r.threads {
				if !t.set().Contains(rank) {
					continue
				}
				if !yield(a.stream(i, r, t, p, rank)) {
					return
				}
				i++
			}
		}
	}
}

// Index is the number of the class in Archive.Classes.
func (c *Class) Index() int { return c.index }

// Archive is the archive that the class is in.
func (c *Class) Archive() *Archive { return c.a }

// Group is the group of processes that the class belongs to.
func (c *Class) Group() *Group { return c.a.groups[c.head.Group] }

// Thread is the number of the thread in its process.
func (c *Class) Thread() int { return c.head.Thread }

// Ranks are the ranks that have a stream in the class (process ids if the group has no ranks).
func (c *Class) Ranks() *RankSet { return c.head.Ranks }

// Stream is the stream of a member of Ranks.
func (c *Class) Stream(rank int) *Stream {
	if !c.head.Ranks.Contains(rank) {
		panic("trace: no such rank in the class")
	}
	p, _ := c.realm.ranks.Index(rank)
	i := c.realm.streams
	for _, t := range c.realm.threads {
		b, _ := t.set().Index(rank)
		i += b
		if t.thread < c.head.Thread && t.set().Contains(rank) {
			i++
		}
	}
	return &Stream{a: c.a, class: c, index: i, process: c.realm.first + p, thread: c.head.Thread, rank: rank}
}

// Data is all that is common to the streams, with functions of the rank for what
// differs between them. The caller must not change it.
func (c *Class) Data() (*ClassData, error) {
	l, err := c.open()
	if err != nil {
		return nil, err
	}
	return l.ClassData, nil
}

// Template is what terminal t is made of; its open leaves are in ClassData.Params.
func (c *Class) Template(t uint32) (*Template, error) {
	l, err := c.open()
	if err != nil {
		return nil, err
	}
	if int(t) >= len(l.tms) {
		return nil, c.a.broken(
			"structure/classes",
			-1,
			"class %d: terminal %d does not exist (there are %d)",
			c.index,
			t,
			len(l.tms),
		)
	}
	return l.tms[t], nil
}

// Site is the call site of a template, nil if unknown. Frame.Module is a number in the
// modules of the class's first process.
func (c *Class) Site(t *Template) *Site {
	return c.Stream(c.head.Ranks.Min()).Site(&t.Signature)
}

// ProgramCalls is the number of calls that the program made, at all ranks together.
func (c *Class) ProgramCalls() (uint64, error) {
	counts, _, err := c.Counts()
	n := uint64(0)
	for t, k := range counts {
		tm, err := c.Template(uint32(t))
		if err != nil {
			return 0, err
		}
		if !spec.ByID(tm.Func).Own() {
			n += k
		}
	}
	return n, err
}

// Counts is the number of calls behind each terminal, at all ranks together, and the number of
// events of the grammars. Where nothing but values differs between ranks, it takes a time that does
// not depend on how many they are. Sums wrap around.
func (c *Class) Counts() (calls []uint64, events uint64, err error) {
	l, err := c.open()
	if err != nil {
		return nil, 0, err
	}
	calls = make([]uint64, len(l.tms))
	n, ranks := uint64(1), c.head.Ranks
	if l.x != nil && len(l.polls) == 0 {
		n, ranks = uint64(ranks.Len()), rankfunc.Range(ranks.Min(), ranks.Min()+1)
	}
	for rank := range ranks.All() {
		s := c.Stream(rank)
		counts, err := s.Counts()
		if err != nil {
			return nil, 0, err
		}
		for t := range counts {
			calls[t] += n * counts[t]
		}
		e, err := s.Events()
		if err != nil {
			return nil, 0, err
		}
		events += n * e
	}
	return calls, events, nil
}

// open reads the class.
func (c *Class) open() (*classLayout, error) {
	if err := c.broken.Load(); err != nil { // each of its ranks would find out anew
		return nil, *err
	}
	return c.layout.get(func() (*classLayout, error) {
		d, err := c.read()
		l := &classLayout{ClassData: d}
		if err == nil {
			err = l.prepare(c.a.template, c.a.maxArray())
		}
		if err == nil && l.x != nil {
			err = c.a.countable(l.x.Len())
		}
		if err != nil {
			err = named(within(err, "class %d", c.index), c.a.file)
			if fe := (*FormatError)(nil); errors.As(err, &fe) {
				c.broken.Store(&err)
			}
			return nil, err
		}
		return l, nil
	})
}

// read decodes the class.
func (c *Class) read() (*ClassData, error) {
	if content := c.a.content; content != nil {
		return content.Classes[c.index], nil
	}
	d := &ClassData{}
	w := c.a.classWalker(c.index)
	walkClass(w, d, c.a.context)
	return d, w.end()
}

// prepare works out what does not depend on the rank. budget is how many elements arrays may have.
func (l *classLayout) prepare(template func(i int) (*Template, error), budget int) error {
	l.timed = l.Timing.indices(l.Ranks)
	l.tms = make([]*Template, len(l.Terminals))
	l.sigs = make([]*Signature, len(l.Terminals))
	shared := map[int]*Signature{} // of templates without open leaves
	for t, id := range l.Terminals {
		tm, err := template(id)
		if err != nil {
			return err
		}
		l.tms[t] = tm
		l.first = append(l.first, uint32(len(l.specs)))
		l.specs = append(l.specs, tm.Columns()...)
		for len(l.owner) < len(l.specs) {
			l.owner = append(l.owner, uint32(t))
		}
		if tm.Flags&Polls != 0 {
			l.polls = append(l.polls, uint32(t))
		}
		if shared[id] != nil {
			l.sigs[t] = shared[id]
		} else if constantParams(l.Params[t]) {
			if l.sigs[t], err = tm.at(l.Params[t], l.Ranks, l.Ranks.Min(), &budget); err != nil {
				return err
			}
			if len(l.Params[t]) == 0 {
				shared[id] = l.sigs[t]
			}
		} else {
			l.vary = true
		}
	}
	l.first = append(l.first, uint32(len(l.specs)))
	if len(l.Trips) > 0 {
		return nil
	}
	x, err := grammar.NewIndex(l.Grammar)
	if err == nil {
		l.x, err = x, checkTerminals(x, len(l.Terminals))
	}
	if err != nil {
		return broken("structure/classes", -1, "%v", err)
	}
	return nil
}

func checkTerminals(x *grammar.Index, n int) error {
	if x.Terminals() > n {
		return broken("structure/classes", -1, "the grammar has terminal %d, but there are %d", x.Terminals()-1, n)
	}
	return nil
}

// constantParams tells whether the values are the same at all ranks.
func constantParams(ps []Param) bool {
	for i := range ps {
		p := &ps[i]
		switch {
		case p.Vec != nil:
			if _, ok := p.Vec.Constant(); !ok {
				return false
			}
		case p.Str != nil:
			if len(p.Str.Values) != 1 {
				return false
			}
		case p.Fn != nil || p.Base != nil:
			return false
		}
	}
	return true
}

// At is the signature of a terminal at a rank of those of its class; ps are the values of its open
// leaves.
func (t *Template) At(ps []Param, all *RankSet, rank int) (*Signature, error) {
	budget := math.MaxInt
	return t.at(ps, all, rank, &budget)
}

// at is the signature of a terminal at a rank; ps are the values of its open leaves. budget
// is how many elements arrays may still have.
func (t *Template) at(ps []Param, all *RankSet, rank int, budget *int) (*Signature, error) {
	if len(ps) == 0 {
		return &t.Signature, nil
	}
	s := t.Signature
	s.Slots = cloneValues(s.Slots)
	f := spec.ByID(t.Func)
	k := 0
	for i, l := range Leaves(make([]Leaf, 0, len(t.Open)), &s) {
		if !t.Open[i] {
			continue
		}
		p := &ps[k]
		k++
		var err error
		switch l.kind {
		case VecLeaf:
			n := p.Vec.Len(rank)
			if *budget -= n; *budget < 0 {
				return nil, &FormatError{Section: "structure/classes", Offset: -1, Hint: hintLimit,
					Msg: fmt.Sprintf(
						"%s at rank %d: an array of %d elements takes more memory than allowed",
						leafName(t, &l),
						rank,
						n,
					)}
			}
			err = l.SetVec(p.Vec.At(rank), f.Slots[l.slot].Class)
		case StrLeaf:
			v, _ := caseAt(p.Str, all, rank)
			l.SetStr(v)
		default:
			err = l.SetInt(p.At(rank))
		}
		if err != nil {
			return nil, broken("structure/classes", -1, "%s at rank %d: %v", leafName(t, &l), rank, err)
		}
	}
	return &s, nil
}

// At is the value of an IntLeaf at a rank.
func (p *Param) At(rank int) int64 {
	v := p.N
	if p.Fn != nil {
		v = p.Fn.At(rank)
	}
	if p.Base != nil {
		return p.Base.At(rank, v)
	}
	return v
}

// cloneValues copies values so that leaves of the copy can be set.
func cloneValues(vs []Value) []Value {
	out := append([]Value(nil), vs...)
	for i := range out {
		if out[i].Kind == List && !IsRefs(&out[i]) {
			out[i].List = cloneValues(out[i].List)
		}
	}
	return out
}
