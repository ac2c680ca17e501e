package comms

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// communicator joins the instances of all recorded members of one communicator.
type communicator struct {
	comm  *Comm
	lists [2]*Members // its groups; the second only for intercommunicators, nil if unknown
	inter bool
	insts []*instance // in the order of groups and ranks
}

// node is a creation that has not been worked out yet: the calls of all members, or a single call
// that has to find its counterparts.
type node struct {
	kind  kind
	u     *communicator // the communicator that it is made on, nil if none
	k     int           // number of the creation on u
	calls []*call       // in the order of u's members
}

// resolver turns instances into communicators.
type resolver struct {
	a           *archive.Archive
	procs       []*process
	byMember    map[int]*process
	lists       *lists
	positions   map[*Members]map[int]int
	out         *Result
	queue       []*node
	collectives map[collectiveKey]*collectiveCall
	order       []*collectiveCall
	ended       map[collectiveKey]int // how many creations of a group are done
	spawns      []*node
	children    []*child // worlds that may have been spawned
	folds       map[foldKey]*Comm
	keys        map[*Comm]foldKey
	notes       map[Note]int
	numbered    int              // communicators that byNumber made
	named       map[string]int64 // their names that were told, and the numbers that have them
	groups      map[*Members]int // of each list: how many members are recorded

	progress func(done, total uint64)
}

// tell says how many processes have been read.
func (r *resolver) tell() {
	if r.progress != nil {
		r.progress(uint64(len(r.procs)), uint64(r.a.NumRanks()))
	}
}

// Analyze works out the communicators of an archive. Errors are those of
// reading it; what does not fit together is in the notes of the result.
// Progress is called now and then with the number of processes that were read and of all, unless it is nil.
func Analyze(a *archive.Archive, progress func(done, total uint64)) (*Result, error) {
	return analyze(a, queryOnlyClasses{}, progress)
}

func analyze(a *archive.Archive, known queryOnlyClasses, progress func(done, total uint64)) (*Result, error) {
	r := &resolver{a: a, progress: progress, byMember: map[int]*process{}, lists: newLists(),
		positions: map[*Members]map[int]int{},
		out:       &Result{processOf: map[int]int{}}, collectives: map[collectiveKey]*collectiveCall{},
		ended: map[collectiveKey]int{},
		folds: map[foldKey]*Comm{}, keys: map[*Comm]foldKey{}, notes: map[Note]int{}, groups: map[*Members]int{},
		named: map[string]int64{}}
	streams := streamsOf(a)
	left := maxKept + maxKeptEach*a.NumRanks()
	for i, data := range a.Ranks() {
		p := newProcess(i, data)
		p.most = left
		if err := p.read(streams[i], known); err != nil {
			return nil, err
		}
		left -= p.kept
		if p.disorder {
			r.note(Unknown, "several threads make communicators, and without time stamps their order is a guess")
		}
		r.procs = append(r.procs, p)
		r.tell()
	}
	r.number()
	r.findChildren(streams)
	r.roots()
	r.run()
	r.check()
	r.finish()
	return r.out, nil
}

// number gives the processes their global numbers.
func (r *resolver) number() {
	sizes := map[int]int{}
	for _, p := range r.procs {
		if p.data.Rank >= 0 {
			sizes[p.data.World] = max(sizes[p.data.World], p.data.Size, p.data.Rank+1)
		}
	}
	next := 0
	first := map[int]int{}
	for _, p := range r.procs {
		w := p.data.World
		if _, ok := first[w]; !ok && p.data.Rank >= 0 {
			first[w] = 0
			r.out.Worlds = append(r.out.Worlds, World{Number: w, Size: sizes[w]})
		}
	}
	slices.SortFunc(r.out.Worlds, func(a, b World) int { return cmp.Compare(a.Number, b.Number) })
	for i := range r.out.Worlds {
		w := &r.out.Worlds[i]
		w.First, first[w.Number] = next, next
		next += w.Size
	}
	for _, p := range r.procs {
		p.member = next
		if p.data.Rank >= 0 && r.byMember[first[p.data.World]+p.data.Rank] == nil {
			p.member = first[p.data.World] + p.data.Rank
		} else {
			if next++; p.data.Rank >= 0 {
				r.note(Contradiction, "two processes are rank %d of world %d: the second one is treated as a stranger",
					p.data.Rank, p.data.World)
			}
		}
		r.byMember[p.member] = p
		r.out.processOf[p.member] = p.index
	}
}

// roots makes the communicators that every process begins with.
func (r *resolver) roots() {
	for i := range r.out.Worlds {
		w := &r.out.Worlds[i]
		name := "world"
		if w.Number > 0 {
			name = fmt.Sprintf("world%d", w.Number)
		}
		u := r.predefined(name, "world", r.lists.span(w.First, w.Size))
		for rank := range r.recorded(u.lists[0]) {
			p := r.byMember[u.lists[0].At(rank)]
			if in := p.comms[worldRef]; in != nil {
				r.attach(in, u, 0, rank)
			}
		}
		r.schedule(u)
	}
	for _, p := range r.procs {
		if in := p.comms[selfRef]; in != nil {
			u := r.predefined("self:"+r.out.Text(r.lists.span(p.member, 1), 0), "self", r.lists.span(p.member, 1))
			r.attach(in, u, 0, 0)
			r.schedule(u)
		}
		for _, c := range p.loose {
			r.queue = append(r.queue, &node{kind: c.kind, calls: []*call{c}})
		}
		if in := p.comms[worldRef]; in != nil && in.u == nil {
			u := r.predefined("world?", "world", r.lists.span(p.member, 1))
			u.comm.Partial = "the process's rank is not known"
			r.attach(in, u, 0, 0)
			r.schedule(u)
		}
	}
}

// recorded yields the positions of the members that were recorded.
func (r *resolver) recorded(m *Members) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		if m.Len() <= 2*len(r.procs) {
			for i := range m.Len() {
				if r.byMember[m.At(i)] != nil && !yield(i) {
					return
				}
			}
			return
		}
		at := r.position(m)
		var found []int
		for _, p := range r.procs {
			if i := at(p.member); i >= 0 {
				found = append(found, i)
			}
		}
		slices.Sort(found)
		for _, i := range found {
			if !yield(i) {
				return
			}
		}
	}
}

// present counts the members that were recorded.
func (r *resolver) present(m *Members) int {
	n, ok := r.groups[m]
	if !ok {
		for range r.recorded(m) {
			n++
		}
		r.groups[m] = n
	}
	return n
}

// position tells the ranks of processes in a group, -1 for others.
func (r *resolver) position(m *Members) func(int) int {
	if m == nil || len(m.blocks) <= 8 || m.Len() > maxExpanded {
		return m.Index
	}
	at := r.positions[m]
	if at == nil {
		at = make(map[int]int, m.Len())
		i := 0
		for v := range m.All() {
			at[v] = i
			i++
		}
		r.positions[m] = at
	}
	return func(v int) int {
		if i, ok := at[v]; ok {
			return i
		}
		return -1
	}
}

func (r *resolver) predefined(name, how string, m *Members) *communicator {
	c := &Comm{ID: len(r.out.Comms), Name: name, How: how, Members: m, Times: 1}
	r.out.Comms = append(r.out.Comms, c)
	return &communicator{comm: c, lists: [2]*Members{m, nil}}
}

// attach makes an instance part of a communicator.
func (r *resolver) attach(in *instance, u *communicator, side, pos int) {
	if in.u != nil {
		return
	}
	in.u, in.side, in.pos = u, side, pos
	u.insts = append(u.insts, in)
	if in.label != "" && !slices.Contains(u.comm.Labels, in.label) {
		u.comm.Labels = append(u.comm.Labels, in.label)
	}
	if len(in.waiting) > 0 {
		r.queue = append(r.queue, in.waiting...)
		in.waiting = nil
	}
}

// schedule queues what was made on a communicator whose members are known.
func (r *resolver) schedule(u *communicator) {
	slices.SortStableFunc(u.insts, func(a, b *instance) int {
		return cmp.Or(cmp.Compare(a.side, b.side), cmp.Compare(a.pos, b.pos))
	})
	most := 0
	for _, in := range u.insts {
		most = max(most, len(in.collective))
	}
	for k := range most {
		n := &node{u: u, k: k}
		for _, in := range u.insts {
			if k < len(in.collective) {
				n.calls = append(n.calls, in.collective[k])
			}
		}
		n.kind = n.calls[0].kind
		n.calls = slices.DeleteFunc(n.calls, func(c *call) bool {
			if c.kind == n.kind {
				return false
			}
			r.note(Contradiction, "creation %d on %s is %s at %s and %s at %s", k, u.comm.Name,
				n.calls[0].f.Name, r.who(n.calls[0].p), c.f.Name, r.who(c.p))
			return true
		})
		r.queue = append(r.queue, n)
	}
	for _, in := range u.insts {
		for _, c := range in.groupwise {
			r.queue = append(r.queue, &node{kind: createGroup, u: u, calls: []*call{c}})
		}
	}
}

func (r *resolver) who(p *process) string {
	switch {
	case p.data.Rank < 0:
		return fmt.Sprintf("process %d", p.index)
	case p.data.World > 0:
		return fmt.Sprintf("rank %d of world %d", p.data.Rank, p.data.World)
	}
	return fmt.Sprintf("rank %d", p.data.Rank)
}

// run works until nothing more can be found out. Calls that need counterparts are looked at when
// everything else is done. Those without any come last.
func (r *resolver) run() {
	for {
		for worked := 0; len(r.queue) > 0; worked++ {
			if worked%256 == 0 {
				r.tell()
			}
			n := r.queue[0]
			r.queue[0] = nil
			r.queue = r.queue[1:]
			if blocked := r.work(n); blocked != nil {
				blocked.some().waiting = append(blocked.waiting, n)
			}
		}
		if !r.finishCollectives(false) && !r.finishCollectives(true) {
			return
		}
	}
}

// evaluate works out a group. It returns an instance that has to be known first, or nil.
func (r *resolver) evaluate(g *group) *instance {
	stack := []*group{g}
	for len(stack) > 0 {
		g := stack[len(stack)-1]
		if g == nil || g.done {
			stack = stack[:len(stack)-1]
			continue
		}
		waits := false
		for _, o := range []*group{g.a, g.b} {
			if o != nil && !o.done {
				stack = append(stack, o)
				waits = true
			}
		}
		if waits {
			continue
		}
		switch g.op {
		case groupOf, groupRemote, groupOfWin, groupOfFile:
			if g.of == nil {
				break
			}
			if g.of.u == nil {
				return g.of
			}
			side := g.of.side
			if g.op == groupRemote {
				side = 1 - side
			}
			g.list = g.of.u.lists[side]
		case groupPset:
			g.list = r.pset(g)
		case groupUnion, groupIntersection, groupDifference:
			if g.a != nil && g.b != nil && g.a.list != nil && g.b.list != nil {
				g.list = r.lists.combine(g.op, g.a.list, g.b.list)
			}
		case groupIncl, groupExcl, groupRangeIncl, groupRangeExcl:
			switch {
			case g.a == nil: // MPI_GROUP_EMPTY
				g.list = r.lists.of(nil)
			case g.a.list != nil:
				g.list = r.lists.pick(g.op, g.a.list, g.ranks)
			}
		}
		g.done = true
		g.unsure = g.of != nil && g.of.u != nil && g.of.u.comm.Partial != "" || g.a != nil && g.a.unsure ||
			g.b != nil && g.b.unsure
	}
	return nil
}

// pset is the group of a process set.
func (r *resolver) pset(g *group) *Members {
	switch g.pset {
	case "mpi://SELF", "mpi://self":
		return r.lists.span(g.p.member, 1)
	case "mpi://WORLD", "mpi://world":
		if w := r.out.worldOf(g.p.member); w != nil {
			return r.lists.span(w.First, w.Size)
		}
	}
	return nil
}

// maxNotes is how many different notes are kept.
const maxNotes = 1000

func (r *resolver) note(k NoteKind, format string, args ...any) {
	n := Note{Kind: k, Text: fmt.Sprintf(format, args...)}
	if _, ok := r.notes[n]; !ok {
		if len(r.out.Notes) == maxNotes {
			return
		}
		r.out.Notes = append(r.out.Notes, n)
	}
	r.notes[n]++
}
