package calls

import (
	"slices"
	"sort"
	"sync"

	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// Program is what has to be known of an archive to understand its calls. It
// is safe for concurrent use.
type Program struct {
	Archive *archive.Archive
	Comms   *comms.Result

	abi       spec.ABI
	consts    constants
	processes []process
	byNumber  map[int32]int
	scopes    []scope // of windows and files

	mu      sync.Mutex
	unknown map[unknownComm]int32
}

// constants are those of the recording MPI.
type constants struct {
	procNull, anySource, root, anyTag, undefined, inPlace int64
	truncate, pending, inStatus                           int64
}

func constantsOf(abi spec.ABI) constants {
	c := func(name string) int64 {
		v, ok := abi.Const(name)
		if !ok {
			return -1 << 62 // no value is that
		}
		return v
	}
	return constants{procNull: c(mpi.ProcNull), anySource: c(mpi.AnySource), root: c(mpi.Root), anyTag: c(mpi.AnyTag),
		undefined: c(mpi.Undefined), inPlace: c(mpi.InPlace),
		truncate: c(mpi.ErrTruncate), pending: c(mpi.ErrPending), inStatus: c(mpi.ErrInStatus)}
}

// process is what is known of a process.
type process struct {
	number  int32
	comms   map[int64][]commLife // in the order of their creation
	maker   int                  // the stream that made them all but predefined ones, -1 if there is none such
	objects objects
	made    map[onComm]int32
}

// commLife is a communicator object.
type commLife struct {
	o *comms.Object
	*Peers
}

type unknownComm struct {
	process int32
	ref     int64
}

// Peers translates the ranks that calls on a communicator name to numbers of processes.
type Peers struct {
	comm        *comms.Comm
	group       *comms.Members // that peers are in; nil if unknown
	rank        int            // own rank
	local, size int            // sizes of the own group and of that of peers, 0 unknown
}

// At is the process of a rank; UnknownPeer if it is not known.
func (p *Peers) At(rank int32) int32 {
	if p == nil || p.group == nil || rank < 0 || int(rank) >= p.group.Len() {
		return UnknownPeer
	}
	return int32(p.group.At(int(rank)))
}

// Open looks at the structure of an archive. The time it takes is
// proportional to processes and to the calls that make communicators, datatypes, windows and
// files, not to all calls.
func Open(a *archive.Archive) (*Program, error) {
	r, err := comms.Analyze(a, nil)
	if err != nil {
		return nil, err
	}
	abi := a.Meta().ABI
	p := &Program{Archive: a, Comms: r, abi: abi, consts: constantsOf(abi), byNumber: map[int32]int{},
		unknown: map[unknownComm]int32{}}
	p.processes = make([]process, len(r.Processes))
	for i := range p.processes {
		pr := &p.processes[i]
		*pr = process{number: int32(r.Processes[i].Member), comms: map[int64][]commLife{}, objects: objects{},
			made: map[onComm]int32{}}
		p.byNumber[pr.number] = i
		os := r.Processes[i].Objects
		for k := range os {
			pr.comms[os[k].Ref] = append(pr.comms[os[k].Ref], commLife{&os[k], peersOf(&os[k])})
		}
		pr.maker = makerOf(os)
	}
	p.worlds()
	for s := range a.Streams() {
		if i := s.Process(); i >= 0 && i < len(p.processes) {
			if err := p.readObjects(&p.processes[i], s); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// makerOf is the stream that made all objects but predefined ones, -1 if there is none such.
func makerOf(os []comms.Object) int {
	made := slices.IndexFunc(os, func(o comms.Object) bool { return isDynamic(o.Ref) })
	if made < 0 || slices.ContainsFunc(os, func(o comms.Object) bool {
		return isDynamic(o.Ref) && o.Stream != os[made].Stream
	}) {
		return -1
	}
	return os[made].Stream
}

func peersOf(o *comms.Object) *Peers {
	c := o.Comm
	if c == nil {
		return nil
	}
	own, other := c.Members, c.RemoteMembers
	if o.Side == 1 {
		own, other = other, own
	}
	if !c.Inter {
		other = own
	}
	ps := &Peers{comm: c, group: other, rank: o.Rank}
	if own != nil {
		ps.local = own.Len()
	}
	if other != nil {
		ps.size = other.Len()
	}
	return ps
}

// predefinedRef is the code of a predefined communicator.
func predefinedRef(name string) int64 {
	k, _ := spec.PredefinedByName(name)
	return archive.PredefinedRef(k)
}

var worldRef, selfRef = predefinedRef(mpi.CommWorld), predefinedRef(mpi.CommSelf)

// worlds adds MPI_COMM_WORLD to the communicators of each process, which package comms knows only
// where something was made from it. It looks at processes, not at members: there may be far more of
// those.
func (p *Program) worlds() {
	for _, c := range p.Comms.Comms {
		if c.How != "world" {
			continue
		}
		for i := range p.processes {
			if rank := c.Members.Index(int(p.processes[i].number)); rank >= 0 {
				p.predefined(&p.processes[i], worldRef, c, rank)
			}
		}
	}
}

// predefined notes that a process knows a communicator from the beginning.
func (p *Program) predefined(pr *process, ref int64, c *comms.Comm, rank int) {
	if len(pr.comms[ref]) == 0 {
		o := &comms.Object{Ref: ref, Comm: c, Rank: rank, Stream: -1, Times: 1}
		pr.comms[ref] = []commLife{{o, peersOf(o)}}
	}
}

// addSelf makes MPI_COMM_SELF of a process that uses it, which package comms knows likewise.
func (p *Program) addSelf(pr *process, sigs []*archive.Signature) {
	if len(pr.comms[selfRef]) > 0 || !slices.ContainsFunc(sigs, usesSelf) {
		return
	}
	m := comms.NewMembers([]int{int(pr.number)})
	c := &comms.Comm{ID: len(p.Comms.Comms), Name: "self:" + p.Comms.Text(m, 0), How: "self", Members: m, Times: 1}
	p.Comms.Comms = append(p.Comms.Comms, c)
	p.predefined(pr, selfRef, c, 0)
}

// usesSelf tells whether calls with a signature may have MPI_COMM_SELF.
func usesSelf(sig *archive.Signature) bool {
	for i := range sig.Slots {
		switch v := &sig.Slots[i]; {
		case v.Kind == archive.Ref && v.Class == spec.Comm && v.N == selfRef:
			return true
		case v.Kind == archive.Hole && spec.ByID(sig.Func).Slots[i].Class == spec.Comm:
			return true
		}
	}
	return false
}

// Processes is the number of processes in the archive.
func (p *Program) Processes() int { return len(p.processes) }

// Number is the number through all worlds of process i of the archive.
func (p *Program) Number(i int) int32 { return p.processes[i].number }

// Process is the process of the archive that has a number, -1 if it was not recorded.
func (p *Program) Process(number int32) int {
	if i, ok := p.byNumber[number]; ok {
		return i
	}
	return -1
}

// commScope is the communicator that a reference means in an event of a stream, and up to which
// event.
func (p *Program) commScope(pr *process, ref int64, stream int, event uint64) (scope, uint64) {
	var found *commLife
	several, to := false, forever
	lives := pr.comms[ref]
	if n := len(lives); n > 2 && pr.maker == stream { // a number that is used again and again
		k := sort.Search(n, func(k int) bool { return lives[k].o.From > event })
		lives = lives[max(k-1, 0):]
	}
	for i := range lives {
		l := &lives[i]
		if l.o.Stream == stream && l.o.From > event {
			to = l.o.From
			break
		}
		several = found != nil && l.o.Stream != stream
		found = l
	}
	if found == nil || several || found.Peers == nil {
		return scope{comm: p.unknownComm(pr, ref)}, to
	}
	return scope{comm: int32(found.comm.ID), Peers: found.Peers}, to
}

// unknownComm numbers a communicator of which nothing is known, below NoComm.
func (p *Program) unknownComm(pr *process, ref int64) int32 {
	if ref == 0 {
		return NoComm
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	k := unknownComm{pr.number, ref}
	id, ok := p.unknown[k]
	if !ok {
		id = NoComm - 1 - int32(len(p.unknown))
		p.unknown[k] = id
	}
	return id
}

// scopeOf is where the ranks that a call names lead.
func (p *Program) scopeOf(pr *process, class spec.Class, ref int64, stream int, event uint64) (scope, uint64) {
	if class == spec.Comm {
		return p.commScope(pr, ref, stream, event)
	}
	if val, to, ok := pr.objects.at(class, ref, stream, event); ok {
		return p.scopes[val], to
	} else {
		return scope{comm: p.unknownComm(pr, -1-ref*int64(spec.NumClasses)-int64(class))}, to
	}
}
