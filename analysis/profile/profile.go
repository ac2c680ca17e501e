// Package profile counts calls, bytes and times by function, call site, communicator and rank.
//
// Calls come from the grammar and bytes from the parameters that the classes of
// streams have (package traffic), so that without times the work does not depend on the number of
// calls of a regular program. Bytes are those that a call sends, puts, gets, writes or reads, as
// traffic.Move.Data has them; what receives get counts at the sender.
//
// Times are sums and extremes from the summaries that are stored with the time stamps (Summary), or
// follow from all of them (Exact), with quantiles. The recorder's own records do not count.
//
// # Why no call is expanded
//
// Counting goes class by class and terminal by terminal: the grammar tells how often a terminal
// occurs in the selected calls, the class tells what each call does as a function of the rank,
// and only parameters in columns are read value by value. What a rank sends to all others of a
// group stays one number, so that a matrix of 65,536 ranks has as many cells as pairs that
// exchange messages.
package profile

import (
	"cmp"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/traffic"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/quantile"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/spec"
)

// GroupBy says what separates rows.
type GroupBy struct{ Func, Site, Comm, Rank bool }

// Timing is how the times are found.
type Timing uint8

// Ways to find times.
const (
	// None leaves them out.
	None Timing = iota
	// Summary takes sums from stored summaries, which takes little time; Max is then at most an
	// eighth too great, and there are no Min and quantiles. Where summaries do not tell what is
	// asked for (communicators, functions of few calls in a window), all times are read.
	Summary
	// Exact reads all times.
	Exact
)

// Options select what Of does.
type Options struct {
	By     GroupBy
	Timing Timing
	// NoBytes leaves Bytes and Unsized at 0, so that no parameters are read.
	NoBytes bool
	// Progress, if it is not nil, is told of calls whose times have been read.
	Progress func(cs uint64)
}

// Row is the calls of a function, from a call site, on a communicator, at a rank. Only what
// Options.By asks for is set; the others are nil, and Rank is -1.
type Row struct {
	Func *spec.Func
	// Site is nil also for calls whose call site is not known.
	Site *archive.Site
	// Comm is the communicator that calls are given, that of the window or file; nil also for calls
	// without one.
	Comm        *comms.Comm
	World, Rank int
	// Ranks is how many processes make such calls.
	Ranks int
	Calls uint64
	// Bytes is the data that they move, as far as it is known; Unsized counts the calls of which it
	// is not.
	Bytes   int64
	Unsized uint64
	// Time is nil without times.
	Time *Times
	// Elapsed is the time of the rank from the begin of its first selected call to the end of its
	// last one, of all its threads together; 0 unless Options.By.Rank is set.
	Elapsed time.Duration

	ranks map[int]*archive.RankSet // by world
}

// Times is how long calls take. Of the calls in a window of time the whole duration counts.
type Times struct {
	Calls uint64 // with times
	Total time.Duration
	// Min is set if Exact is.
	Min, Max time.Duration
	Exact    bool

	durations quantile.Sketch
}

// Mean is the mean duration.
func (t *Times) Mean() time.Duration {
	if t.Calls == 0 {
		return 0
	}
	return t.Total / time.Duration(t.Calls)
}

// Quantile is the duration that a part q, 0 to 1, of the calls do not exceed, with an error of at
// most quantile.Error; 0 unless Exact is set.
func (t *Times) Quantile(q float64) time.Duration {
	return min(max(time.Duration(t.durations.Quantile(q)), t.Min), t.Max)
}

// Profile is the rows, most time (without times, most calls) first.
type Profile struct {
	Rows []*Row
	// Calls and Bytes are those of all rows; Ranks is the number of processes with selected calls.
	Calls uint64
	Bytes int64
	Ranks int
	// Timed tells whether times are there. Time is the sum over all calls, and Elapsed over all
	// processes from the begin of the first selected call to the end of the last one.
	Timed         bool
	Time, Elapsed time.Duration
}

// Of is the profile of the selected calls.
func Of(r *selection.Resolved, o Options) (*Profile, error) {
	b := &builder{r: r, o: o, rows: map[key]*Row{}, classes: map[*archive.Class]*class{},
		ranks: map[int]*archive.RankSet{}, elapsed: map[[2]int]time.Duration{}}
	if o.By.Comm {
		var err error
		if b.program, err = calls.Open(r.Archive); err != nil {
			return nil, err
		}
	}
	for u, err := range r.Units() {
		if err != nil {
			return nil, err
		}
		if err := b.count(u); err != nil {
			return nil, err
		}
		if o.Timing != None {
			if err := b.times(u); err != nil {
				return nil, err
			}
		}
	}
	if !o.NoBytes {
		if err := traffic.Walk(r, false, b.bytes); err != nil {
			return nil, err
		}
	}
	return b.finish(), nil
}

// key is equal for calls of one row.
type key struct {
	f           spec.ID
	site        string
	comm        int // its ID + 1
	world, rank int
}

// builder makes a profile.
type builder struct {
	r       *selection.Resolved
	o       Options
	program *calls.Program // for communicators
	rows    map[key]*Row
	classes map[*archive.Class]*class
	ranks   map[int]*archive.RankSet
	elapsed map[[2]int]time.Duration // by world and rank
	out     Profile
}

// class is what is known of a class of streams.
type class struct {
	world     int
	templates []*archive.Template
	funcs     []*spec.Func
	sites     []traffic.SiteOf
	rows      []*Row // of terminals, where neither communicators nor ranks matter
}

func (b *builder) class(c *archive.Class) (*class, error) {
	if k := b.classes[c]; k != nil {
		return k, nil
	}
	d, err := c.Data()
	if err != nil {
		return nil, err
	}
	k := &class{world: c.Group().World, rows: make([]*Row, len(d.Terminals))}
	for t := range d.Terminals {
		tm, err := c.Template(uint32(t))
		if err != nil {
			return nil, err
		}
		k.templates = append(k.templates, tm)
		k.funcs = append(k.funcs, spec.ByID(tm.Func))
	}
	if b.o.By.Site {
		if k.sites, err = traffic.Sites(c); err != nil {
			return nil, err
		}
	}
	b.classes[c] = k
	return k, nil
}

// row is the row of a terminal's calls on a communicator at a rank.
func (b *builder) row(k *class, t uint32, comm *comms.Comm, rank int) *Row {
	fixed := !b.o.By.Comm && !b.o.By.Rank
	if fixed && k.rows[t] != nil {
		return k.rows[t]
	}
	row := &Row{Rank: -1}
	id := key{rank: -1}
	if b.o.By.Func || b.o.By.Site {
		row.Func = k.funcs[t]
		id.f = row.Func.ID
	}
	if b.o.By.Site {
		row.Site, id.site = k.sites[t].Site, k.sites[t].Key
	}
	if b.o.By.Comm && comm != nil {
		row.Comm, id.comm = comm, comm.ID+1
	}
	if b.o.By.Rank {
		row.World, row.Rank = k.world, rank
		id.world, id.rank = k.world, rank
	}
	if old := b.rows[id]; old != nil {
		row = old
	} else {
		row.ranks = map[int]*archive.RankSet{}
		b.rows[id] = row
	}
	if fixed {
		k.rows[t] = row
	}
	return row
}

func (row *Row) add(world int, ranks *archive.RankSet, cs uint64) {
	if cs == 0 {
		return
	}
	row.Calls += cs * uint64(ranks.Len())
	if row.ranks[world] != ranks {
		row.ranks[world] = row.ranks[world].Union(ranks)
	}
}

// count adds the calls of a unit.
func (b *builder) count(u *selection.Unit) error {
	k, err := b.class(u.Class)
	if err != nil {
		return err
	}
	counts, err := u.Part.Counts()
	if err != nil {
		return err
	}
	any := false
	for t, n := range counts {
		if n == 0 || k.funcs[t].Own() {
			continue
		}
		any = true
		b.out.Calls += n * uint64(u.Ranks.Len())
		switch {
		case b.o.By.Comm:
			err = b.countComms(u, k, uint32(t), n)
		case b.o.By.Rank:
			for rank := range u.Ranks.All() {
				b.row(k, uint32(t), nil, rank).add(k.world, rankfunc.Range(rank, rank+1), n)
			}
		default:
			b.row(k, uint32(t), nil, -1).add(k.world, u.Ranks, n)
		}
		if err != nil {
			return err
		}
	}
	if any {
		b.ranks[k.world] = b.ranks[k.world].Union(u.Ranks)
	}
	return nil
}

// bytes adds what calls move.
func (b *builder) bytes(e *traffic.Entry) error {
	k, err := b.class(e.Unit.Class)
	if err != nil {
		return err
	}
	comm := e.Comm
	if sl := calls.SlotsOf(e.Func.ID); sl == nil || sl.On < 0 {
		comm = nil // the call is given a request
	}
	add := func(rank int, n uint64) {
		row := b.row(k, e.Terminal, comm, rank)
		if d := e.Data(); d < 0 {
			row.Unsized += n
		} else {
			row.Bytes += d * int64(n)
			b.out.Bytes += d * int64(n)
		}
	}
	switch {
	case !b.o.By.Rank:
		add(-1, e.Calls())
		return nil
	case e.Ranks == nil:
		add(e.Member, e.N)
		return nil
	}
	for rank := range e.Ranks.All() {
		add(rank, e.N)
	}
	return nil
}

// finish sorts the rows.
func (b *builder) finish() *Profile {
	p := &b.out
	for _, set := range b.ranks {
		p.Ranks += set.Len()
	}
	for id, row := range b.rows {
		if row.Calls == 0 {
			continue
		}
		for _, set := range row.ranks {
			row.Ranks += set.Len()
		}
		row.ranks = nil
		if b.o.By.Rank {
			row.Elapsed = b.elapsed[[2]int{row.World, row.Rank}]
		}
		p.Rows = append(p.Rows, row)
		if row.Time != nil {
			p.Time += row.Time.Total
		}
		b.rows[id] = row
	}
	total := func(r *Row) time.Duration {
		if r.Time == nil {
			return 0
		}
		return r.Time.Total
	}
	siteOf := func(r *Row) string {
		if r.Site == nil {
			return ""
		}
		return r.Site.String()
	}
	slices.SortFunc(p.Rows, func(x, y *Row) int {
		return cmp.Or(cmp.Compare(total(y), total(x)), cmp.Compare(y.Calls, x.Calls), cmp.Compare(y.Bytes, x.Bytes),
			cmp.Compare(x.World, y.World), cmp.Compare(x.Rank, y.Rank), cmp.Compare(nameOf(x.Func), nameOf(y.Func)),
			cmp.Compare(siteOf(x), siteOf(y)), cmp.Compare(commID(x.Comm), commID(y.Comm)))
	})
	return p
}

func nameOf(f *spec.Func) string {
	if f == nil {
		return ""
	}
	return f.Name
}

func commID(c *comms.Comm) int {
	if c == nil {
		return -1
	}
	return c.ID
}
