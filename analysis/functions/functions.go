// Package functions tells which functions of the program were called, how often, by which and below which.
//
// A recording has functions below which calls of an API were made as begins and ends in the stream of their thread,
// and everything else as trees of calls: a tree is the site of an event, and says how often its function called which
// other trees. So a function that was called a million times in one call of another one is one number in one tree.
// Nothing is expanded here. Where a call stands in the nest of begun functions follows from the grammar: each rule is
// evaluated once for each nest that it begins in. How often a function was called follows from the trees, from the
// greatest down to those in it. Only where the lengths of runs differ from one event to the next, events are looked
// at one by one.
package functions

import (
	"cmp"
	"slices"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/spec"
)

// Function is a function of the program.
type Function struct {
	Site  int // its place among the sites of the archive
	Name  string
	Image string
	Frame archive.Frame
	// Calls is how often it was called by all selected threads, Counted how many of those calls are in no tree: their
	// place in the order of calls was given up, as there were too many different ones.
	Calls, Counted uint64
	// Ranks is how many processes called it, Least and Most how often a process did that called it least, or most.
	Ranks       int
	Least, Most uint64
	// Times, if the recording has any: from begin to end, and without the functions in it. Only calls that stand in the
	// stream have times, Timed of them.
	Inclusive, Exclusive int64
	Timed                uint64
	// InCalls is the part of Exclusive that was in calls of MPI and other APIs.
	InCalls int64

	of   map[int]uint64 // by process
	open int            // calls that have not returned, while times are added
}

// Result is what was called.
type Result struct {
	// Functions are sorted by calls.
	Functions []*Function
	// Calls is how many there were; Trees how many different trees of calls the recording has.
	Calls uint64
	Trees int
	// Root is the nest of functions: what it called is what threads began with.
	Root *Context
	// Timed says that calls have times.
	Timed bool

	sites []archive.Site
}

// Context is a function at a place in the nest of functions: the functions around it, and it.
type Context struct {
	Parent *Context
	// Func is nil for the root, and for what calls of an API did inside.
	Func *Function
	// Calls is how often the function was called there.
	Calls uint64
	// Time is how long that took without the functions in it, as far as calls there have times.
	Time int64

	children map[int]*Context
	apis     map[spec.ID]uint64
	trees    map[uint32]uint64 // calls made directly there, as sites of trees or functions
}

// inside is the place in Context.children of what calls of an API did inside.
const inside = -1

// Children are the functions called there, most often called first.
func (c *Context) Children() []*Context {
	var list []*Context
	for _, x := range c.children {
		list = append(list, x)
	}
	slices.SortFunc(list, func(x, y *Context) int {
		return cmp.Or(cmp.Compare(y.Calls, x.Calls), cmp.Compare(x.Name(), y.Name()), cmp.Compare(x.site(), y.site()))
	})
	return list
}

// APICalls is how often functions of MPI and other APIs were called there.
type APICalls struct {
	Func  *spec.Func
	Calls uint64
}

// APIs are the calls of MPI and other APIs that the function made there itself, most often called first. A run of
// unsuccessful polls is one.
func (c *Context) APIs() []APICalls {
	var list []APICalls
	for id, n := range c.apis {
		list = append(list, APICalls{spec.ByID(id), n})
	}
	slices.SortFunc(list, func(x, y APICalls) int {
		return cmp.Or(cmp.Compare(y.Calls, x.Calls), cmp.Compare(x.Func.Name, y.Func.Name))
	})
	return list
}

// Name is the name of the function.
func (c *Context) Name() string {
	switch {
	case c.Func != nil:
		return c.Func.Name
	case c.Parent == nil:
		return ""
	}
	return "(inside recorded calls)"
}

func (c *Context) site() int {
	if c.Func == nil {
		return inside
	}
	return c.Func.Site
}

// Of counts the calls of what is selected.
func Of(a *archive.Archive, r *selection.Resolved) (*Result, error) {
	b := newBuilder(a)
	for u, err := range r.Units() {
		if err != nil {
			return nil, err
		}
		if err := b.unit(u); err != nil {
			return nil, err
		}
	}
	if timed := a.Meta().Options[OptionTimes]; timed == "entry" || timed == "all" {
		if err := b.times(r); err != nil {
			return nil, err
		}
	}
	return b.finish(), nil
}

// OptionTimes is the option of a recording that says which times its function calls have.
const OptionTimes = "function-times"

// OptionDepth is the option of a recording that says how many levels of functions were recorded.
const OptionDepth = "depth"

type builder struct {
	a     *archive.Archive
	out   *Result
	funcs map[int]*Function // by site
	// total is how often each site was called by the unit at hand.
	total []uint64
}

func newBuilder(a *archive.Archive) *builder {
	b := &builder{a: a, funcs: map[int]*Function{}, out: &Result{sites: a.Sites(), Root: &Context{}}}
	for i := range b.out.sites {
		if b.out.sites[i].Tree != nil {
			b.out.Trees++
		}
	}
	b.total = make([]uint64, len(b.out.sites))
	return b
}

func (b *builder) function(site uint32) *Function {
	i := int(site) - 1
	f := b.funcs[i]
	if f == nil {
		f = &Function{Site: i, Name: "?", of: map[int]uint64{}}
		if frames := b.out.sites[i].Frames; len(frames) > 0 {
			f.Frame = frames[len(frames)-1]
			f.Name, f.Image = f.Frame.Func, f.Frame.Image
			if f.Name == "" {
				f.Name = f.Frame.Code()
			}
		}
		b.funcs[i] = f
	}
	return f
}

// child is what is called at a place, made if need be; site 0 is what calls of an API did inside.
func (b *builder) child(c *Context, site uint32) *Context {
	key := int(site) - 1
	x := c.children[key]
	if x == nil {
		x = &Context{Parent: c}
		if site > 0 {
			x.Func = b.function(site)
		}
		if c.children == nil {
			c.children = map[int]*Context{}
		}
		c.children[key] = x
	}
	return x
}

// unit adds the calls of threads that made the same ones.
func (b *builder) unit(u *selection.Unit) error {
	s := u.Part.Stream
	terms, err := b.terminals(s)
	if err != nil || !slices.ContainsFunc(terms, func(t terminal) bool { return t.kind > other }) {
		return err
	}
	own := false // each member has numbers of its own
	for t := range terms {
		tm, err := u.Class.Template(uint32(t))
		if err != nil {
			return err
		}
		own = own || terms[t].kind > other && slices.Contains(tm.Open, true)
		own = own || terms[t].kind > closing && terms[t].times < 0
	}
	if !own {
		return b.stream(s, terms, u.Ranks)
	}
	for rank := range u.Ranks.All() {
		s := u.Class.Stream(rank)
		if terms, err = b.terminals(s); err != nil {
			return err
		}
		if err := b.stream(s, terms, rankfunc.Range(rank, rank+1)); err != nil {
			return err
		}
	}
	return nil
}

// Kinds of terminals.
const (
	api = iota - 1 // a call of MPI or another API
	other
	opening // a function begins
	closing // and ends
	calling // a tree of calls
	insides // a tree of what a call of an API did inside
	counted // calls that are in no tree
)

// terminal is what an event means.
type terminal struct {
	kind  int
	api   spec.ID
	site  uint32
	times int64 // how often in a row, -1 if that is in a column
}

var kinds = map[string]int{"function_open": opening, "function_close": closing, "function_calls": calling,
	"function_inside": insides, "function_counted": counted}

func (b *builder) terminals(s *archive.Stream) ([]terminal, error) {
	sigs, err := s.Signatures()
	if err != nil {
		return nil, err
	}
	out := make([]terminal, len(sigs))
	for t, sig := range sigs {
		f := spec.ByID(sig.Func)
		out[t] = terminal{kind: kinds[f.Name], api: f.ID, site: sig.Site, times: 1}
		if f.Call() && out[t].kind == other && sig.Flags&archive.Nested == 0 {
			out[t].kind = api
			continue
		}
		if sig.Site == 0 && out[t].kind != closing {
			out[t].kind = other // a place that is not known
		}
		if out[t].kind > closing {
			if out[t].times = -1; sig.Slots[0].Kind == archive.Int {
				out[t].times = sig.Slots[0].N
			}
		}
	}
	return out, nil
}

// stream adds the calls of a thread, and of all that are like it.
func (b *builder) stream(s *archive.Stream, terms []terminal, ranks *archive.RankSet) error {
	n := uint64(ranks.Len())
	if err := b.totals(s, terms, n); err != nil {
		return err
	}
	for i, calls := range b.total {
		if calls == 0 || b.out.sites[i].Tree != nil {
			continue
		}
		f := b.function(uint32(i + 1))
		f.Calls += n * calls
		b.out.Calls += n * calls
		for rank := range ranks.All() {
			f.of[s.Class().Stream(rank).Process()] += calls
		}
	}
	return nil
}

// totals counts how often a thread called each site, and adds the places of its calls n times to the nest of functions.
func (b *builder) totals(s *archive.Stream, terms []terminal, n uint64) error {
	clear(b.total)
	err := eachPlace(s, terms, b.out.Root, b.child, func(at *Context, t uint32, times uint64) {
		x := &terms[t]
		if x.kind == api {
			if at.apis == nil {
				at.apis = map[spec.ID]uint64{}
			}
			at.apis[x.api] += n * times
			return
		}
		b.total[x.site-1] += times
		switch x.kind {
		case opening:
			at.Calls += n * times
		case counted:
			b.function(x.site).Counted += n * times
		default:
			if x.kind == insides {
				at = b.child(at, 0)
			}
			if at.trees == nil {
				at.trees = map[uint32]uint64{}
			}
			at.trees[x.site] += n * times
		}
	})
	b.spread(b.total)
	return err
}

// spread turns calls of trees into calls of functions. Trees come behind those that are in them.
func (b *builder) spread(total []uint64) {
	for i := len(total) - 1; i >= 0; i-- {
		t := b.out.sites[i].Tree
		if t == nil || total[i] == 0 {
			continue
		}
		if t.Func > 0 {
			total[t.Func-1] += total[i]
		}
		for _, c := range t.Calls {
			total[c.Site-1] += total[i] * c.Count
		}
	}
}

func (b *builder) finish() *Result {
	for _, f := range b.funcs {
		if f.Calls == 0 {
			continue
		}
		f.Ranks = len(f.of)
		for _, n := range f.of {
			f.Most = max(f.Most, n)
			if f.Least == 0 || n < f.Least {
				f.Least = n
			}
		}
		b.out.Functions = append(b.out.Functions, f)
	}
	slices.SortFunc(b.out.Functions, func(x, y *Function) int {
		return cmp.Or(cmp.Compare(y.Exclusive, x.Exclusive), cmp.Compare(y.Calls, x.Calls), cmp.Compare(x.Name, y.Name),
			cmp.Compare(x.Site, y.Site))
	})
	return b.out
}
