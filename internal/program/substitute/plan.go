package substitute

import (
	"fmt"
	"slices"

	"github.com/tabard-hpc/tabard/analysis/collectives"
	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// A plan is what the replacement of a finding does: the calls of messages that go, and the collectives that come.
type plan struct {
	*substitution
	f      *collectives.Finding
	taken  []place
	made   []*made
	splits bool // its sets get communicators
}

type place struct {
	process int32
	call    uint64
}

// made is a collective call before another call; comm is the slot of its communicator.
type made struct {
	place
	sig  *archive.Signature
	comm int
}

// make plans the replacement. It returns why there is none.
func (p *plan) make() string {
	f := p.f
	switch fn := spec.ByName(f.Call); {
	case f.Grade == collectives.NearMiss:
		return "it is almost one only"
	case len(f.All) == 0 || fn == nil || fn.Flow == spec.FlowNeighbors:
		return "there is no one call for each of its instances"
	}
	n := uint64(0)
	for i := range f.All {
		n += f.All[i].Count * uint64(len(f.All[i].Messages))
	}
	if n > collectives.Most {
		return fmt.Sprintf("it has %d messages; up to %d are replaced", n, collectives.Most)
	}
	p.splits = slices.ContainsFunc(f.All, func(x collectives.Instance) bool { return p.own(&x) == nil })
	if p.splits && !disjoint(f.Sets) {
		return "its sets overlap, and are no communicators"
	}
	for i := range f.All {
		x := &f.All[i]
		if slices.ContainsFunc(x.Messages, func(m *collectives.Message) bool { return max(m.Count, 1) != x.Count }) {
			return "its messages are not in one loop"
		}
		for k := range x.Count {
			p.take(x, k)
		}
		for at := range x.Set {
			if why := p.insert(x, at); why != "" {
				return why
			}
		}
	}
	return ""
}

func disjoint(sets [][]int32) bool {
	seen := map[int32]bool{}
	for _, s := range sets {
		for _, p := range s {
			if seen[p] {
				return false
			}
			seen[p] = true
		}
	}
	return true
}

// own is the communicator of an instance if its members are those of the set, and no other.
func (p *plan) own(x *collectives.Instance) *comms.Comm {
	number := int(x.Messages[0].Comm)
	if number < 0 || number >= len(p.comms.Comms) {
		return nil
	}
	c := p.comms.Comms[number]
	if c.Inter || c.Members.Len() != len(x.Set) {
		return nil
	}
	for _, m := range x.Set {
		if c.Members.Index(int(m)) < 0 || p.object(c, m) < 0 {
			return nil
		}
	}
	return c
}

// object is the code that a process has for a communicator, -1 if it has none, or others at other times.
func (p *plan) object(c *comms.Comm, member int32) int64 {
	if world, ok := spec.PredefinedByName(mpi.CommWorld); ok && c.How == "world" {
		return archive.PredefinedRef(world)
	}
	code := int64(-1)
	for _, o := range p.comms.Processes[p.processes[member]].Objects {
		if o.Comm == c {
			if code >= 0 && code != o.Ref {
				return -1
			}
			code = o.Ref
		}
	}
	return code
}

// take notes the calls of all messages of iteration k.
func (p *plan) take(x *collectives.Instance, k uint64) {
	for _, m := range x.Messages { // one-sided ones are made by one call
		if m.Sided != collectives.Read {
			p.taken = append(p.taken, place{m.From, m.Sent + k*m.SendStep})
		}
		if m.Sided != collectives.Written {
			p.taken = append(p.taken, place{m.To, m.Posted + k*m.RecvStep})
		}
	}
}

// insert plans the calls of a member.
func (p *plan) insert(x *collectives.Instance, at int) string {
	member := x.Set[at]
	if _, known := p.processes[member]; !known || p.threads[member] != 1 {
		return fmt.Sprintf("rank %d has several threads, or was not recorded", member)
	}
	call, step, buffer := position(x, member)
	if buffer.Segment == 0 {
		return fmt.Sprintf("where rank %d has the data is not known", member)
	}
	sig, why := p.call(x, at, buffer)
	if why != "" {
		return why
	}
	for k := range x.Count {
		p.made = append(p.made, &made{place{member, call + k*step}, sig, spec.ByID(sig.Func).Slot(spec.RoleOn)})
	}
	return ""
}

// position is before which call of a member its collective comes, how far that moves on in a loop, and its buffer.
func position(x *collectives.Instance, member int32) (call, step uint64, buffer collectives.Place) {
	received := false
	for _, m := range x.Messages {
		switch {
		case m.To == member && (!received || m.Received > call):
			call, step, buffer, received = m.Received, m.RecvStep, m.Target, true
		case m.From == member && !received && (buffer.Segment == 0 || m.Sent < call):
			call, step, buffer = m.Sent, m.SendStep, m.Source
		}
	}
	for _, m := range x.Messages { // its beginning
		for _, at := range []struct {
			of    int32
			place collectives.Place
		}{{m.From, m.Source}, {m.To, m.Target}} {
			if at.of == member && at.place.Segment == buffer.Segment && (at.of == m.To) == received {
				buffer.Offset = min(buffer.Offset, at.place.Offset)
			}
		}
	}
	return call, step, buffer
}

// call is the collective of the member at a place of the set.
func (p *plan) call(x *collectives.Instance, at int, buffer collectives.Place) (*archive.Signature, string) {
	f := spec.ByName(p.f.Call)
	b := &builder{f: f, sig: &archive.Signature{Func: f.ID, Slots: make([]archive.Value, len(f.Slots))},
		abi: p.a.Meta().ABI}
	root := x.Root
	c := p.own(x)
	if !p.splits {
		b.role(spec.RoleOn, reference(p.object(c, x.Set[at])))
		if root >= 0 {
			root = c.Members.Index(int(x.Set[root]))
		}
	}
	if f.Slot(spec.RoleRoot) >= 0 {
		b.role(spec.RoleRoot, number(int64(root)))
	}
	if f.IsBarrier() {
		return b.sig, ""
	}
	b.element(x, p.f.Op)
	if f.Vector == spec.VectorCounts && f.Data != spec.DataReducedParts {
		if why := b.counts(x, at); why != "" {
			return nil, why
		}
	} else if f.Data == spec.DataReducedParts {
		b.both(number(b.elements(x.Block / int64(len(x.Set)))))
	} else {
		b.both(number(b.elements(x.Block)))
	}
	b.buffers(x, at, address(buffer))
	return b.sig, ""
}

// A builder fills in a call.
type builder struct {
	f    *spec.Func
	sig  *archive.Signature
	abi  spec.ABI
	size int64 // of an element
}

func (b *builder) role(r spec.Role, v archive.Value) { b.slot(b.f.Slot(r), v) }

func (b *builder) slot(i int, v archive.Value) {
	if i >= 0 {
		b.sig.Slots[i] = v
	}
}

func (b *builder) both(n archive.Value) {
	b.role(spec.RoleSendCount, n)
	b.role(spec.RoleRecvCount, n)
}

func (b *builder) elements(bytes int64) int64 { return (bytes + b.size - 1) / b.size }

// element chooses datatype and operation: those of the messages if they are predefined, else bytes.
func (b *builder) element(x *collectives.Instance, op string) {
	m := x.Messages[0]
	kind, _ := spec.PredefinedByName(mpi.Byte)
	b.size = 1
	if k, ok := m.Predefined(); ok && m.Elems > 0 {
		kind, b.size = k, int64(spec.Predefineds[k].Size)
	}
	b.role(spec.RoleSendType, reference(archive.PredefinedRef(kind)))
	b.role(spec.RoleRecvType, reference(archive.PredefinedRef(kind)))
	if op == "" && b.size > 1 {
		op = mpi.Sum
	} else if b.size == 1 {
		op = mpi.Bor
	}
	if k, ok := spec.PredefinedByName(op); ok {
		b.role(spec.RoleOperator, reference(archive.PredefinedRef(k)))
	}
}

// counts are those of each member.
func (b *builder) counts(x *collectives.Instance, at int) string {
	sent, received := x.Shares, x.Shares
	if b.f.Flow == spec.FlowToAll && b.f.Data == spec.DataParts {
		if len(x.Messages) != len(x.Set)*(len(x.Set)-1) {
			return "how large the blocks of each process are is not known"
		}
		sent, received = make([]int64, len(x.Set)), make([]int64, len(x.Set))
		for _, m := range x.Messages {
			switch x.Set[at] {
			case m.From:
				sent[slices.Index(x.Set, m.To)] = m.Bytes
			case m.To:
				received[slices.Index(x.Set, m.From)] = m.Bytes
			}
		}
		// In place as much is sent as received.
		received = slices.Clone(received)
		if !slices.Equal(sent, received) {
			return "its blocks are of different sizes in both directions"
		}
	} else if sent == nil {
		sent = slices.Repeat([]int64{x.Block}, len(x.Set))
		received = sent
	}
	mine := number(b.elements(sent[at]))
	list, displs := b.list(received)
	for _, r := range []spec.Role{spec.RoleSendCount, spec.RoleRecvCount} {
		if i := b.f.Slot(r); i >= 0 && b.f.Slots[i].Array {
			b.slot(i, list)
		} else {
			b.slot(i, mine)
		}
	}
	for _, name := range []string{"displs", "sdispls", "rdispls"} {
		b.slot(b.f.In(name), displs)
	}
	return ""
}

// list is counts, and where the blocks begin.
func (b *builder) list(bytes []int64) (counts, displs archive.Value) {
	counts.Kind, displs.Kind = archive.Ints, archive.Ints
	at := int64(0)
	for _, n := range bytes {
		counts.Ints, displs.Ints = append(counts.Ints, b.elements(n)), append(displs.Ints, at)
		at += b.elements(n)
	}
	return counts, displs
}

// buffers sets one buffer, and in its place the other where the standard has that.
func (b *builder) buffers(x *collectives.Instance, at int, buffer archive.Value) {
	place := archive.Value{Kind: archive.Addr, Mem: archive.Literal}
	place.N, _ = b.abi.Const(mpi.InPlace)
	send, receive := place, buffer
	switch {
	case b.f.Flow == spec.FlowFromRoot && b.f.Data == spec.DataWhole:
		b.slot(b.f.In("buffer"), buffer)
		return
	case b.f.Flow == spec.FlowFromRoot && at == x.Root:
		send, receive = buffer, place
	case b.f.Flow == spec.FlowFromRoot:
		send = archive.Value{}
	case b.f.Flow == spec.FlowToRoot && at != x.Root:
		send, receive = buffer, archive.Value{}
	}
	b.role(spec.RoleSendBuffer, send)
	b.role(spec.RoleRecvBuffer, receive)
}

// null is the code of null handles.
const null = 0

func number(n int64) archive.Value       { return archive.Value{Kind: archive.Int, N: n} }
func reference(code int64) archive.Value { return archive.Value{Kind: archive.Ref, N: code} }

// address is a place in memory as a value.
func address(p collectives.Place) archive.Value {
	return archive.Value{Kind: archive.Addr, Mem: archive.Mem(p.Segment >> 32), Seg: uint32(p.Segment) - 1, N: p.Offset}
}

// split is the call by which a process gets the communicator of its set, with a code.
func (x *substitution) split(sets [][]int32, member int32, code int64) *archive.Signature {
	f := x.splitter()
	s := &archive.Signature{Func: f.ID, Slots: make([]archive.Value, len(f.Slots))}
	world, _ := spec.PredefinedByName(mpi.CommWorld)
	color := slices.IndexFunc(sets, func(set []int32) bool { return slices.Contains(set, member) })
	made := reference(code)
	if color < 0 {
		n, _ := x.a.Meta().ABI.Const(mpi.Undefined)
		color, made = int(n), reference(null)
	}
	s.Slots[f.Slot(spec.RoleOn)] = reference(archive.PredefinedRef(world))
	s.Slots[f.In("color")], s.Slots[f.In("key")] = number(int64(color)), number(int64(member))
	s.Slots[f.Slot(spec.RoleNew)] = made
	return s
}

// splitter is the function that splits a communicator by colours.
func (x *substitution) splitter() *spec.Func {
	all := spec.Functions()
	return all[slices.IndexFunc(all, func(f *spec.Func) bool {
		return f.Op == spec.OpCommSplit && f.API == "mpi"
	})]
}
