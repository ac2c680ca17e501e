package comms

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// call is a call that matters here, and the objects that its handles meant.
type call struct {
	*place
	f      *spec.Func
	sig    *archive.Signature // its slots: see slot
	varied []varied
	site   *archive.Site
	at     uint64 // number of the event in the stream

	p        *process
	src      *source
	seq      int // order among the calls of the process
	on, peer *instance
	g1, g2   *group
	made     *instance // nil: none, MPI_COMM_NULL, or the call did not return
}

// varied is the value of a slot that is not in the signature: calls are kept by the million.
type varied struct {
	slot int32
	kind archive.Kind
	n    int64
	wide *archive.Value // an array or a text; nil for others
}

// slot is the value of a slot, as far as it matters here: the class of a handle does not.
func (c *call) slot(i int) archive.Value {
	for _, v := range c.varied {
		switch {
		case int(v.slot) != i:
		case v.wide != nil:
			return *v.wide
		default:
			return archive.Value{Kind: v.kind, N: v.n}
		}
	}
	return c.sig.Slots[i]
}

// null tells whether the call returned MPI_COMM_NULL.
func (c *call) null() bool {
	v := c.slot(c.outSlot)
	return v.Kind == archive.Ref && v.N == 0
}

// untold tells whether the call made something, and what is not known: it comes from a recording of another tool. The
// communicator that it made is told of by itself.
func (c *call) untold() bool {
	return c.outSlot >= 0 && c.slot(c.outSlot).Kind == archive.Absent &&
		c.sig.Flags&(archive.Failed|archive.Unfinished) == 0
}

// int is the value of a named parameter on entry.
func (c *call) int(name string) (int64, bool) {
	i := c.f.In(name)
	if i < 0 {
		return 0, false
	}
	v := c.slot(i)
	return v.N, v.Kind == archive.Int
}

// ints is an array on entry; nil if it is absent.
func (c *call) ints(name string) []int64 { return c.slot(c.f.In(name)).Ints }

func (c *call) text(name string) (string, bool) {
	v := c.slot(c.f.In(name))
	return v.Str, v.Kind == archive.Str
}

// out is an integer result.
func (c *call) out(name string) (int64, bool) {
	i := c.f.Out(name)
	if i < 0 {
		return 0, false
	}
	v := c.slot(i)
	return v.N, v.Kind == archive.Int
}

// An instance is a communicator object of one process, from its creation to its end.
type instance struct {
	p   *process
	ref int64 // its code in the process's calls
	by  *call // what made it; nil for predefined ones and those from out of sight

	freed bool
	end   uint64 // the event in the stream that freed it

	collective []*call // the creations on it that all members take part in, in order

	// What the program asked and was told; -1 if it did not.
	rank, size int64
	*rare

	u    *communicator // what it is part of; nil while unknown
	side int           // 0 or, in the second group of an intercommunicator, 1
	pos  int           // its rank, -1 unknown
}

// rare is what few instances have. They are made by the million.
type rare struct {
	groupwise  []*call // MPI_Comm_create_group
	label      string  // the name that the program gave it
	remoteSize int64   // as rank and size
	coords     []int64
	changed    string // a question that was answered differently another time
	waiting    []*node
}

// plain is shared by all that have nothing of it.
var plain = &rare{remoteSize: -1}

// some is what in has of it, to be changed.
func (in *instance) some() *rare {
	if in.rare == plain {
		in.rare = &rare{remoteSize: -1}
	}
	return in.rare
}

// group is a group object of a process: how it is made from others.
type group struct {
	op    kind
	of    *instance
	a, b  *group
	ranks []int64
	pset  string

	p      *process
	by     *call // what made it; nil for predefined ones and those from out of sight
	done   bool
	list   *Members // nil if it cannot be known
	unsure bool     // it comes from a communicator whose members are not all known
}

// process is what one process did to communicators.
type process struct {
	index  int
	data   *archive.RankData
	member int // its global number

	comms     map[int64]*instance // by code, as of now
	groups    map[int64]*group
	formed    []*group            // all that it made, in order
	wins      map[int64]*instance // the communicators that they are on
	files     map[int64]*instance
	instances []*instance
	questions []*call // about groups
	loose     []*call // creations on no communicator
	gets      []*instance
	calls     int
	kept      int  // calls, objects and groups
	most      int  // that may be kept
	disorder  bool // several threads and no times
}

// maxKept and maxKeptEach bound what is kept of an archive: calls, objects and groups, with what is worked out from
// them some 250 bytes each. So many there may be, and so many more for each process.
const (
	maxKept     = 3 << 20
	maxKeptEach = 64
)

var errTooMany = fmt.Errorf("communicators, groups and the calls that make them are more than %d: "+
	"to work them out would take more memory than is stated", maxKept)

func newProcess(index int, data *archive.RankData) *process {
	return &process{index: index, data: data, comms: map[int64]*instance{}, groups: map[int64]*group{},
		wins: map[int64]*instance{}, files: map[int64]*instance{}}
}

// refOf is the code of a predefined object.
func refOf(name string) int64 {
	k, ok := spec.PredefinedByName(name)
	if !ok {
		panic("comms: no predefined object " + name)
	}
	return archive.PredefinedRef(k)
}

var (
	worldRef      = refOf(mpi.CommWorld)
	selfRef       = refOf(mpi.CommSelf)
	emptyGroupRef = refOf(mpi.GroupEmpty)
)

// read goes through the calls of all threads of the process.
func (p *process) read(streams []*archive.Stream, known queryOnlyClasses) error {
	if len(streams) == 1 {
		q, err := known.of(streams[0])
		if err != nil || q != nil {
			q.apply(p, streams[0])
			return err
		}
	}
	var threads [][]*call
	timed := true
	for _, s := range streams {
		src, err := newSource(s)
		if err != nil {
			return err
		}
		var calls []*call
		read := uint64(0)
		for c, err := range src.calls() {
			if err == nil {
				read++
				err = s.Archive().Hopeless(read, src.all-min(src.all, read))
			}
			if err != nil {
				return err
			}
			c.p, c.src = p, src
			if len(streams) == 1 { // nothing to put in order, nothing to keep
				p.enter(c)
				p.leave(c)
			} else {
				calls = append(calls, c)
				p.kept++
			}
			if p.kept > p.most {
				return errTooMany
			}
		}
		if len(calls) == 0 {
			continue
		}
		threads = append(threads, calls)
		timed = timed && s.Timed()
	}
	switch {
	case len(threads) == 1 || len(threads) > 1 && !timed:
		p.disorder = len(threads) > 1
		p.inTurn(threads)
		return nil
	case len(threads) > 1:
		return p.inTime(threads)
	}
	return nil
}

// inTurn runs threads whose order is not known: each as long as the objects that it uses exist,
// then the next one.
func (p *process) inTurn(threads [][]*call) {
	for left := true; left; {
		left = false
		moved := false
		for i := range threads {
			for len(threads[i]) > 0 && p.ready(threads[i][0]) {
				p.enter(threads[i][0])
				p.leave(threads[i][0])
				threads[i], moved = threads[i][1:], true
			}
			left = left || len(threads[i]) > 0
		}
		if left && !moved { // an object from out of sight
			for i := range threads {
				if len(threads[i]) > 0 {
					p.enter(threads[i][0])
					p.leave(threads[i][0])
					threads[i] = threads[i][1:]
					break
				}
			}
		}
	}
}

// ready tells whether the objects that a call uses exist.
func (p *process) ready(c *call) bool {
	known := func(slot int, in map[int64]*instance) bool {
		if slot < 0 || c.slot(slot).Kind != archive.Ref {
			return true
		}
		n := c.slot(slot).N
		return n&1 != 0 || n == 0 || in[n] != nil
	}
	for _, slot := range []int{c.g1Slot, c.g2Slot} {
		if slot >= 0 && c.slot(slot).Kind == archive.Ref && c.slot(slot).N&1 == 0 && c.slot(slot).N != 0 &&
			p.groups[c.slot(slot).N] == nil {
			return false
		}
	}
	on := p.comms
	switch c.kind {
	case groupOfWin:
		on = p.wins
	case groupOfFile:
		on = p.files
	}
	return known(c.onSlot, on) && known(c.peerSlot, p.comms)
}

// inTime puts the entries and returns of all threads in order.
func (p *process) inTime(threads [][]*call) error {
	type half struct {
		c    *call
		tick uint64
		end  bool
	}
	var halves []half
	for _, calls := range threads {
		t, err := calls[0].src.s.Timing()
		if err != nil {
			return err
		}
		for _, c := range calls {
			start, end, err := c.src.ticks(t, c.at)
			if err != nil {
				return err
			}
			halves = append(halves, half{c, start, false}, half{c, end, true})
		}
	}
	slices.SortStableFunc(halves, func(a, b half) int { return cmp.Compare(a.tick, b.tick) })
	for _, h := range halves {
		if h.end {
			p.leave(h.c)
		} else {
			p.enter(h.c)
		}
	}
	return nil
}

// comm is the instance that a handle means now.
func (p *process) comm(ref int64) *instance {
	if in := p.comms[ref]; in != nil || ref == 0 {
		return in
	}
	return p.bind(ref, nil)
}

// bind makes an instance.
func (p *process) bind(ref int64, by *call) *instance {
	in := &instance{p: p, ref: ref, by: by, rank: -1, size: -1, rare: plain, pos: -1}
	p.comms[ref] = in
	p.instances = append(p.instances, in)
	p.kept++
	return in
}

// group is the group that a handle means now.
func (p *process) group(v archive.Value) *group {
	if v.Kind != archive.Ref {
		return nil
	}
	g := p.groups[v.N]
	if g == nil {
		g = &group{op: groupUnknown, p: p}
		if v.N == emptyGroupRef {
			g.op = groupIncl // of nothing
		}
		p.groups[v.N] = g
	}
	return g
}

// enter finds what the handles of a call mean when it is made.
func (p *process) enter(c *call) {
	c.seq = p.calls
	p.calls++
	ref := func(slot int) *instance {
		if slot < 0 || c.slot(slot).Kind != archive.Ref {
			return nil
		}
		switch c.kind {
		case groupOfWin:
			return p.wins[c.slot(slot).N]
		case groupOfFile:
			return p.files[c.slot(slot).N]
		}
		return p.comm(c.slot(slot).N)
	}
	c.on = ref(c.onSlot)
	if c.kind == interCreate {
		c.peer = ref(c.peerSlot)
	}
	if c.g1Slot >= 0 {
		c.g1 = p.group(c.slot(c.g1Slot))
	}
	if c.g2Slot >= 0 {
		c.g2 = p.group(c.slot(c.g2Slot))
	}
	switch {
	case c.kind == fromGroup || c.kind == interFromGroups || c.kind == join || c.kind == byID:
		p.loose = append(p.loose, c)
		p.kept++
	case c.on == nil || c.kind.makes() && c.untold():
	case c.kind.collective():
		c.on.collective = append(c.on.collective, c)
		p.kept++
	case c.kind == createGroup:
		c.on.some().groupwise = append(c.on.groupwise, c)
		p.kept++
	}
}

// leave handles what a call has returned.
func (p *process) leave(c *call) {
	if c.sig.Flags&archive.Unfinished != 0 {
		return
	}
	switch {
	case c.kind.makes():
		v := c.slot(c.outSlot)
		if v.Kind != archive.Ref || v.N == 0 {
			return
		}
		if old := p.comms[v.N]; c.kind == getParent && old != nil && old.by != nil && old.by.kind == getParent &&
			!old.freed {
			return // the same object again
		}
		c.made = p.bind(v.N, c)
		if c.kind == getParent {
			p.gets = append(p.gets, c.made)
		}
	case c.kind.group():
		if v := c.slot(c.outSlot); v.Kind == archive.Ref && v.N&1 == 0 && v.N != 0 {
			p.groups[v.N] = p.newGroup(c)
			p.formed = append(p.formed, p.groups[v.N])
			p.kept++
		}
	case c.kind == makeWin || c.kind == makeFile:
		if v := c.slot(c.outSlot); v.Kind == archive.Ref && c.kind == makeWin {
			p.wins[v.N] = c.on
		} else if v.Kind == archive.Ref {
			p.files[v.N] = c.on
		}
	case c.kind == askGroupRank || c.kind == askGroupSize || c.kind == askTranslate:
		p.questions = append(p.questions, c)
		p.kept++
	case c.on != nil:
		c.on.learn(c)
	}
}

// learn notes what a call tells of a communicator.
func (in *instance) learn(c *call) {
	note := func(to *int64, name string) {
		if v, ok := c.out(name); ok {
			in.told(to, v, c.f.Name)
		}
	}
	switch c.kind {
	case free:
		in.freed, in.end = true, c.at
	case setName:
		if s, ok := c.text("comm_name"); ok {
			in.some().label = s
		}
	case askRank:
		note(&in.rank, "rank")
	case askSize:
		note(&in.size, "size")
		note(&in.size, "count") // of NCCL
	case askRemoteSize:
		note(&in.some().remoteSize, "size")
	case askCart:
		in.some().coords = c.slot(c.f.Out("coords")).Ints
	}
}

// told keeps the first answer to a question.
func (in *instance) told(to *int64, v int64, function string) {
	switch {
	case *to < 0:
		*to = v
	case *to != v:
		in.some().changed = function
	}
}

func (p *process) newGroup(c *call) *group {
	g := &group{op: c.kind, of: c.on, a: c.g1, b: c.g2, p: p, by: c}
	switch c.kind {
	case groupIncl, groupExcl:
		g.ranks = c.ints("ranks")
	case groupRangeIncl, groupRangeExcl:
		g.ranks = c.ints("ranges")
	case groupPset:
		g.pset, _ = c.text("pset_name")
	}
	return g
}
