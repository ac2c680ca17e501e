package traffic

import (
	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// Entry says what calls of one terminal move, each of them.
type Entry struct {
	Move
	// Unit is the streams that the calls are in. Ranks are those of its members that make them;
	// nil for one, Member.
	Unit   *selection.Unit
	Ranks  *archive.RankSet
	Member int
	// From is the number of the process that makes the calls, -1 if there are several.
	From int32
	// Terminal is that of the calls: of MPI_Start for persistent operations.
	Terminal uint32
	Func     *spec.Func
	// N is the number of calls at each rank; of a persistent operation, of its starts.
	N uint64
}

// Calls is the number of calls at all ranks together.
func (e *Entry) Calls() uint64 {
	if e.Ranks == nil {
		return e.N
	}
	return e.N * uint64(e.Ranks.Len())
}

// Walk yields what the selected calls move. The entry is valid until the next one.
//
// With peers unset only Kind, Data and N are wanted. Calls that move the same at all ranks of a
// unit are then one entry, and its partners mean nothing.
func Walk(r *selection.Resolved, peers bool, yield func(*Entry) error) error {
	w, err := newWalker(r)
	if err != nil {
		return err
	}
	w.peers, w.yield = peers, yield
	for u, err := range r.Units() {
		if err != nil {
			return err
		}
		if err := w.unit(u); err != nil {
			return err
		}
	}
	return nil
}

// walker goes through the units of a selection.
type walker struct {
	r     *selection.Resolved
	peers bool
	yield func(*Entry) error

	procNull, root, inPlace int64
	worldRef                int64

	prog      *calls.Program // opened when it is first needed
	world     *comms.Comm    // MPI_COMM_WORLD where that is all that matters, else nil
	plans     map[*archive.Class]*classPlan
	neighbors map[neighborKey]neighborList
	sizes     []int64
	entry     Entry
}

// member is a stream that is looked at.
type member struct {
	class   *archive.Class
	rank    int // in the class
	process int // -1 if it was not asked for
	number  int32
	s       *archive.Stream
}

func (m *member) stream() *archive.Stream {
	if m.s == nil {
		m.s = m.class.Stream(m.rank)
	}
	return m.s
}

func newWalker(r *selection.Resolved) (*walker, error) {
	abi := r.Archive.Meta().ABI
	c := func(name string) int64 {
		v, ok := abi.Const(name)
		if !ok {
			return -1 << 62
		}
		return v
	}
	world, _ := spec.PredefinedByName(mpi.CommWorld)
	w := &walker{r: r, procNull: c(mpi.ProcNull), root: c(mpi.Root), inPlace: c(mpi.InPlace),
		worldRef: archive.PredefinedRef(world), plans: map[*archive.Class]*classPlan{},
		neighbors: map[neighborKey]neighborList{}}
	simple, size := true, 0
	for i, g := range r.Archive.Groups() {
		simple = simple && i == 0 && !g.Unranked && g.World == 0 && g.Ranks.Max() < g.Size
		size = g.Size
	}
	for _, c := range r.Classes() {
		p, err := newClassPlan(c.Class)
		if err != nil {
			return nil, err
		}
		w.plans[c.Class] = p
		simple = simple && p.simple(w)
	}
	if simple {
		// MPI_COMM_WORLD as package comms has it.
		w.world = &comms.Comm{Name: "world", How: "world", Members: comms.Span(0, size)}
	}
	return w, nil
}

// simple tells whether nothing needs to be known of communicators, windows and datatypes that
// the program made.
func (p *classPlan) simple(w *walker) bool {
	for _, x := range p.list {
		if x.sl.Class != spec.Comm && x.sl.Class != spec.NoClass || x.what >= toNeighbors && x.what <= toNeighborsW {
			return false
		}
		if s := x.sl.On; s >= 0 && (!x.uniform(s) || x.leafs[s].kind != archive.Ref || x.leafs[s].n != w.worldRef) {
			return false
		}
		for _, s := range x.used {
			if x.f.Slots[s].Class != spec.Type {
				continue
			}
			if !x.uniform(s) || x.f.Slots[s].Array || calls.PredefinedSize(x.leafs[s].n) < 0 {
				return false
			}
		}
	}
	return true
}

// program tells the meaning of objects.
func (w *walker) program() (*calls.Program, error) {
	var err error
	if w.prog == nil {
		w.prog, err = calls.Open(w.r.Archive)
	}
	return w.prog, err
}

const forever = ^uint64(0)

// scope is the communicator behind a communicator, window or file in an event.
func (w *walker) scope(me *member, class spec.Class, ref int64, event uint64) scope {
	if w.world != nil {
		return scope{comm: w.world, group: w.world.Members, rank: me.rank, to: forever}
	}
	id, ps, to := w.prog.Scope(me.stream(), class, ref, event)
	sc := scope{rank: -1, to: to}
	if ps != nil {
		sc.comm, sc.group, sc.rank = ps.Comm(), ps.Group(), ps.Rank()
	} else if id >= 0 && int(id) < len(w.prog.Comms.Comms) {
		sc.comm = w.prog.Comms.Comms[id]
	}
	return sc
}

// typeSize is the size of a datatype in an event, and up to which event it is that.
func (w *walker) typeSize(me *member, ref int64, event uint64) (int64, uint64) {
	if ref&1 == 1 || w.prog == nil {
		return calls.PredefinedSize(ref), forever
	}
	return w.prog.TypeSize(me.stream(), ref, event)
}

// unit walks one unit.
func (w *walker) unit(u *selection.Unit) error {
	p := w.plans[u.Class]
	if len(p.list) == 0 {
		return nil
	}
	if w.world == nil {
		if _, err := w.program(); err != nil {
			return err
		}
	}
	occ, err := u.Part.Occurrences()
	if err != nil {
		return err
	}
	for _, x := range p.list {
		if occ[x.t].Len() == 0 || x.makes() || !w.r.Selection.Function(x.f.ID) {
			continue
		}
		list, err := u.Part.OccurrencesIn(x.t, occ[x.t])
		if err == nil && len(list) > 0 {
			err = w.terminal(u, p, x, list)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// terminal walks the calls of one terminal: at each member of u its occurrences occ.
func (w *walker) terminal(u *selection.Unit, p *classPlan, x *term, occ occurrences) error {
	w.entry = Entry{Unit: u, Terminal: x.t, Func: x.f}
	if !w.peers && w.alike(x) {
		w.entry.Ranks, w.entry.Member, w.entry.From = u.Ranks, -1, -1
		me := &member{class: u.Class, rank: u.Ranks.Min(), s: u.Part.Stream, process: -1}
		c := &site{w: w, x: x, v: atRank{x, me.rank}, me: me, to: forever}
		return c.moves(w.emit(occ.len()))
	}
	first := true
	for rank := range u.Ranks.All() {
		me := &member{class: u.Class, rank: rank, process: -1}
		if first {
			me.s, first = u.Part.Stream, false
		}
		if w.world != nil {
			me.number = int32(rank)
		} else {
			me.process = me.stream().Process()
			me.number = w.prog.Number(me.process)
		}
		w.entry.From, w.entry.Member = me.number, rank
		c := &termCalls{w: w, p: p, x: x, me: me, occ: occ}
		if err := c.run(); err != nil {
			return err
		}
	}
	return nil
}

// alike tells whether the calls move the same at all ranks.
func (w *walker) alike(x *term) bool {
	s := x.sl
	if w.world == nil || !x.static() || s.Root >= 0 || s.Kind == calls.Start {
		return false
	}
	return x.what != gatheredV && x.uniform(x.used...) // a part of an array may be its own
}

// emit yields moves that n calls make.
func (w *walker) emit(n uint64) func(Move) error {
	return func(m Move) error {
		if n == 0 || !w.r.Chosen(m.Comm) {
			return nil
		}
		w.entry.Move, w.entry.N = m, n
		return w.yield(&w.entry)
	}
}

// atRank is the parameters of a call that are not in columns.
type atRank struct {
	x    *term
	rank int
}

func (a atRank) int(slot int) (int64, bool) {
	if slot < 0 {
		return 0, false
	}
	return a.x.leafs[slot].int(a.rank)
}

func (a atRank) array(slot int) []int64 {
	if slot < 0 {
		return nil
	}
	return a.x.leafs[slot].array(a.rank)
}
