package traffic

import (
	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// Kind is a way to move data.
type Kind uint8

// Kinds.
const (
	PointToPoint Kind = iota
	Collective
	OneSided
	// File access has no partner.
	File
	NumKinds
)

var kindNames = [NumKinds]string{"p2p", "collective", "rma", "io"}

// String is "p2p", "collective", "rma" or "io".
func (k Kind) String() string { return kindNames[k] }

// Target says who the partners of a call are.
type Target uint8

// Targets.
const (
	// Nobody: no other process, as in file access.
	Nobody Target = iota
	// One is the process Move.To.
	One
	// Others are all members of Move.Group but the process itself.
	Others
	// Later are the members of Move.Group with a greater rank than the process.
	Later
	// Parts is a part for each member of Move.Group: Move.Parts.
	Parts
)

// Move is data that a call moves, at one rank.
type Move struct {
	Kind Kind
	// Bytes is the size for each partner, of Nobody that of all; calls.UnknownBytes if it is not
	// known.
	Bytes  int64
	Target Target
	// To is the partner of One, a number of a process as in package calls; calls.UnknownPeer if it
	// is not known.
	To int32
	// Get is set if data goes from the partner to the process.
	Get bool
	// Group is the processes of Others, Later and Parts; nil if they are not known. Rank is that of
	// the process in it, -1 if it is in the other group of an intercommunicator.
	Group *comms.Members
	Rank  int
	// Parts are the sizes for the members of Group; it is valid during the call only.
	Parts []int64
	// Comm is the communicator, nil if it is not known.
	Comm *comms.Comm
}

// Data is the bytes that the call moves to or from all partners together, calls.UnknownBytes if
// that is not known. Where the same goes to several partners it counts once.
func (m *Move) Data() int64 {
	switch m.Target {
	case Parts:
		sum := int64(0)
		for _, n := range m.Parts {
			if n < 0 {
				return calls.UnknownBytes
			}
			sum += n
		}
		return sum
	}
	return m.Bytes
}

// scope is the communicator of a call.
type scope struct {
	comm  *comms.Comm
	group *comms.Members // that the ranks which the call names are in; nil if unknown
	rank  int            // own rank in the own group
	to    uint64         // event up to which it holds
}

func (s *scope) at(rank int64) int32 {
	if s.group == nil || rank < 0 || rank >= int64(s.group.Len()) {
		return calls.UnknownPeer
	}
	return int32(s.group.At(int(rank)))
}

func (s *scope) inter() bool { return s.comm != nil && s.comm.Inter }

// source gives the parameters of a call.
type source interface {
	int(slot int) (int64, bool)
	array(slot int) []int64
}

// site is the call that is evaluated.
type site struct {
	w     *walker
	x     *term
	v     source
	me    *member
	event uint64
	to    uint64 // up to which event the result holds
}

// size is the size of a datatype.
func (c *site) size(ref int64) int64 {
	n, to := c.w.typeSize(c.me, ref, c.event)
	c.to = min(c.to, to)
	return n
}

// bytes is count times the size of a type, which are in slots. A call without a count has one
// element.
func (c *site) bytes(count, typ int) int64 {
	n := int64(1)
	if count >= 0 {
		var ok bool
		if n, ok = c.v.int(count); !ok {
			return calls.UnknownBytes
		}
	}
	ref, ok := c.v.int(typ)
	if !ok {
		return calls.UnknownBytes
	}
	return product(n, c.size(ref))
}

func product(a, b int64) int64 {
	if a < 0 || b < 0 || a > 0 && b > (1<<62)/a {
		return calls.UnknownBytes
	}
	return a * b
}

// moves evaluates a call.
func (c *site) moves(emit func(Move) error) error {
	s := c.x.sl
	sc := scope{to: ^uint64(0)}
	if s.On >= 0 {
		if ref, ok := c.v.int(s.On); ok {
			sc = c.w.scope(c.me, s.Class, ref, c.event)
			c.to = min(c.to, sc.to)
		}
	}
	if s.Kind == calls.RecvInit {
		return nil
	}
	m := Move{Comm: sc.comm, Group: sc.group, Rank: sc.rank}
	if sc.inter() {
		m.Rank = -1
	}
	switch s.Kind {
	case calls.Send, calls.SendRecv, calls.SendInit:
		m.Kind, m.Bytes = PointToPoint, c.bytes(s.SendCount, s.SendType)
		if s.Parts >= 0 {
			n, ok := c.v.int(s.Parts)
			if !ok {
				n = -1
			}
			m.Bytes = product(m.Bytes, n)
		}
		return c.one(m, &sc, s.SendPeer, emit)
	case calls.Put:
		m.Kind, m.Bytes = OneSided, c.bytes(s.SendCount, s.SendType)
		return c.one(m, &sc, s.SendPeer, emit)
	case calls.Get:
		m.Kind, m.Bytes, m.Get = OneSided, c.bytes(s.RecvCount, s.RecvType), true
		return c.one(m, &sc, s.SendPeer, emit)
	case calls.Accumulate:
		m.Kind = OneSided
		if !c.x.noOp {
			m.Bytes = c.bytes(s.SendCount, s.SendType)
			if err := c.one(m, &sc, s.SendPeer, emit); err != nil {
				return err
			}
		}
		if s.RecvType < 0 {
			return nil
		}
		m.Bytes, m.Get = c.bytes(s.RecvCount, s.RecvType), true
		return c.one(m, &sc, s.SendPeer, emit)
	case calls.Read, calls.Write:
		return c.file(m, emit)
	}
	return c.collective(m, &sc, emit)
}

func (c *site) file(m Move, emit func(Move) error) error {
	s := c.x.sl
	m.Kind, m.Target, m.Group = File, Nobody, nil
	switch {
	case s.SendType >= 0:
		m.Bytes = c.bytes(s.SendCount, s.SendType)
	case s.RecvType >= 0:
		m.Bytes, m.Get = c.bytes(s.RecvCount, s.RecvType), true
	default:
		return nil // the end of a split operation
	}
	return emit(m)
}

// one emits a message to a rank that a slot names.
func (c *site) one(m Move, sc *scope, peer int, emit func(Move) error) error {
	m.Target, m.To = One, calls.UnknownPeer
	if r, ok := c.v.int(peer); ok {
		if r == c.w.procNull {
			return nil
		}
		m.To = sc.at(r)
	}
	m.Group = nil
	return emit(m)
}

// inPlace tells whether the send buffer is MPI_IN_PLACE.
func (c *site) inPlace() bool {
	if c.x.sl.SendBuf < 0 {
		return false
	}
	l := &c.x.leafs[c.x.sl.SendBuf]
	v, ok := l.int(c.me.rank)
	return l.kind == archive.Addr && ok && v == c.w.inPlace
}

// collective emits what a call needs to give others, see the package's documentation.
func (c *site) collective(m Move, sc *scope, emit func(Move) error) error {
	s := c.x.sl
	m.Kind, m.Target = Collective, Others
	switch c.x.what {
	case fileAccess:
		return c.file(m, emit)
	case fromRoot, fromRootV:
		if !c.isRoot(sc) {
			return nil
		}
		if c.x.what == fromRootV {
			return c.parts(m, s.SendCounts, -1, s.SendType, emit)
		}
		m.Bytes = c.bytes(s.SendCount, s.SendType)
	case toRoot:
		root, ok := c.v.int(s.Root)
		if ok && (root == c.w.procNull || root == c.w.root && sc.inter()) ||
			ok && !sc.inter() && root == int64(sc.rank) {
			return nil
		}
		m.Target, m.Bytes = One, c.bytes(s.SendCount, s.SendType)
		if m.To = calls.UnknownPeer; ok {
			m.To = sc.at(root)
		}
		m.Group = nil
	case gathered, exchanged:
		if m.Bytes = c.bytes(s.SendCount, s.SendType); c.inPlace() {
			m.Bytes = c.bytes(s.RecvCount, s.RecvType)
		}
	case gatheredV:
		if m.Bytes = c.bytes(s.SendCount, s.SendType); c.inPlace() {
			m.Bytes = calls.UnknownBytes
			if counts := c.v.array(s.RecvCounts); sc.rank >= 0 && sc.rank < len(counts) {
				ref, _ := c.v.int(s.RecvType)
				m.Bytes = product(counts[sc.rank], c.size(ref))
			}
		}
	case exchangedV, exchangedW:
		if c.inPlace() {
			return c.parts(m, s.RecvCounts, s.RecvTypes, s.RecvType, emit)
		}
		return c.parts(m, s.SendCounts, s.SendTypes, s.SendType, emit)
	case reduced:
		m.Bytes = c.bytes(s.SendCount, s.SendType)
	case later:
		m.Target, m.Bytes = Later, c.bytes(s.SendCount, s.SendType)
	case reducedBlock:
		m.Bytes = c.bytes(s.RecvCount, c.typeOf())
	case reducedParts:
		if sc.inter() { // the sizes are known in the other group only
			m.Bytes = calls.UnknownBytes
			return emit(m)
		}
		return c.parts(m, s.RecvCounts, -1, c.typeOf(), emit)
	case toNeighbors, toNeighborsV, toNeighborsW:
		return c.neighbors(m, sc, emit)
	}
	return emit(m)
}

// typeOf is the slot of the only datatype.
func (c *site) typeOf() int {
	if t := c.x.sl.RecvType; t >= 0 {
		return t
	}
	return c.x.sl.SendType
}

func (c *site) isRoot(sc *scope) bool {
	root, ok := c.v.int(c.x.sl.Root)
	if sc.inter() {
		return ok && root == c.w.root
	}
	return ok && root == int64(sc.rank)
}

// parts emits a part for each member of the group.
func (c *site) parts(m Move, counts, types, typ int, emit func(Move) error) error {
	c.w.sizes = c.partSizes(c.w.sizes[:0], counts, types, typ)
	m.Target, m.Parts = Parts, c.w.sizes
	if m.Group != nil && m.Group.Len() != len(m.Parts) {
		m.Group = nil
	}
	return emit(m)
}

// partSizes appends the sizes of the parts of a buffer.
func (c *site) partSizes(dst []int64, counts, types, typ int) []int64 {
	if counts < 0 {
		return dst
	}
	var refs []int64
	if types >= 0 {
		refs = c.v.array(types)
	}
	one := calls.UnknownBytes
	if types < 0 {
		if ref, ok := c.v.int(typ); ok {
			one = c.size(ref)
		}
	}
	for i, n := range c.v.array(counts) {
		if size := one; types >= 0 {
			if size = calls.UnknownBytes; i < len(refs) {
				size = c.size(refs[i])
			}
			dst = append(dst, product(n, size))
		} else {
			dst = append(dst, product(n, size))
		}
	}
	return dst
}

// neighbors emits messages to the neighbours in the communicator's topology.
func (c *site) neighbors(m Move, sc *scope, emit func(Move) error) error {
	s := c.x.sl
	m.Target, m.Group = One, nil
	var sizes []int64
	switch c.x.what {
	case toNeighborsV:
		sizes = c.partSizes(nil, s.SendCounts, -1, s.SendType)
	case toNeighborsW:
		sizes = c.partSizes(nil, s.SendCounts, s.SendTypes, -1)
	default:
		m.Bytes = c.bytes(s.SendCount, s.SendType)
	}
	ref, _ := c.v.int(s.On)
	to, known := c.w.neighborsOf(c.me, sc, ref, c.event)
	if !known { // how many there are is known at best from the sizes
		m.To = calls.UnknownPeer
		for _, n := range sizes {
			m.Bytes = n
			if err := emit(m); err != nil {
				return err
			}
		}
		if sizes == nil {
			return emit(m)
		}
		return nil
	}
	for i, r := range to {
		if r < 0 { // beyond a border
			continue
		}
		m.To = sc.at(int64(r))
		if sizes != nil {
			if m.Bytes = calls.UnknownBytes; i < len(sizes) {
				m.Bytes = sizes[i]
			}
		}
		if err := emit(m); err != nil {
			return err
		}
	}
	return nil
}
