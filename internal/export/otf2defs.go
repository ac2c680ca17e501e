package export

import (
	"fmt"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/otf2"
	"github.com/tabard-hpc/tabard/spec"
)

// rootNode is the number of the machine that all hosts are part of.
const rootNode = 0

// processes defines hosts, processes and threads, and returns how many locations there are. Processes that nothing is
// written of, and such as were not recorded, are there without events, as communicators refer to them: one stands for
// all of these if there are many.
func (x *otf2Archive) processes() (n uint64, err error) {
	x.defs.Node(rootNode, "machine", "machine", otf2.Undefined, otf2.Machine)
	hosts := map[string]uint32{}
	threads := map[int][]*archive.Stream{} // but for the first ones
	first := map[int]*archive.Stream{}
	for _, p := range x.parts {
		if i := p.Stream.Process(); p.Stream.Thread() > 0 {
			threads[i] = append(threads[i], p.Stream)
		} else {
			first[i] = p.Stream
		}
	}
	for i, r := range x.Archive.Ranks() {
		if x.Archive.NumRanks() > mostLocations && first[i] == nil && len(threads[i]) == 0 {
			continue
		}
		host, ok := hosts[r.Host]
		if !ok {
			host = uint32(len(hosts) + 1)
			hosts[r.Host] = host
			x.defs.Node(host, r.Host, "node", rootNode, otf2.SharedMemory)
		}
		x.defined[i] = true
		x.defs.Process(uint32(i), rankName(r, i), host)
		if err := x.thread(otf2Location(i, 0), rankName(r, i), uint32(i)); err != nil {
			return 0, err
		}
		n++
		for _, s := range threads[i] {
			if err := x.thread(otf2Location(i, s.Thread()), threadName(s), uint32(i)); err != nil {
				return 0, err
			}
			n++
		}
	}
	more, err := x.members(rootNode)
	return n + more, err
}

// thread defines a location.
func (x *otf2Archive) thread(id uint64, name string, process uint32) error {
	events, written := x.events[id]
	x.defs.Location(id, name, events, process)
	if written {
		return nil
	}
	f, err := x.location(id) // readers want a file all the same
	if err != nil {
		return err
	}
	if err := otf2.NewEvents(f).Close(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// commLocations is the number of the group of all processes.
const commLocations = 0

// members defines the group of all processes that communicate, by their numbers through all worlds, and the processes
// among them that were not recorded.
func (x *otf2Archive) members(node uint32) (more uint64, err error) {
	worlds := x.program.Comms.Worlds
	if len(worlds) == 0 {
		return 0, nil
	}
	last := worlds[len(worlds)-1]
	of := make([]uint64, last.First+last.Size)
	for i := range of {
		process := x.program.Process(int32(i))
		if process >= 0 && !x.defined[process] {
			process = -1
		}
		switch {
		case process >= 0:
		case more > 0 && len(of) > mostLocations:
			process = x.Archive.NumRanks()
		default:
			process = x.Archive.NumRanks() + int(more)
			more++
			name := fmt.Sprintf("process %d, not recorded", i)
			if len(of) > mostLocations {
				name = "all other processes"
			}
			x.defs.Process(uint32(process), name, node)
			if err := x.thread(otf2Location(process, 0), name, uint32(process)); err != nil {
				return 0, err
			}
		}
		of[i] = otf2Location(process, 0)
	}
	x.defs.Group(commLocations, "", otf2.CommLocations, len(of), func(i int) uint64 { return of[i] })
	return more, nil
}

// comms defines communicators and their groups. Intercommunicators are written as communicators with both groups, one
// behind the other: the records that OTF2 3.0 has for them cannot be read by its own Python reader.
func (x *otf2Archive) comms() {
	next := uint32(commLocations)
	if len(x.program.Comms.Worlds) > 0 {
		next++
	}
	groups, self := map[[2]*comms.Members]uint32{}, uint32(otf2.Undefined)
	for _, c := range x.program.Comms.Comms {
		m := groupOf(c)
		id, ok := groups[m]
		switch {
		case ok:
		case c.How == "self" && self != otf2.Undefined:
			id = self
		case c.How == "self":
			self, id = next, next
			x.defs.Group(id, "", otf2.CommSelf, 0, nil)
			next++
		default:
			id = next
			groups[m] = id
			x.group(id, c.Name, m)
			next++
		}
		parent := uint32(otf2.Undefined)
		if c.Parent != nil {
			parent = uint32(c.Parent.ID)
		}
		x.defs.Comm(uint32(c.ID), c.Name, id, parent)
	}
}

// groupOf are the lists of processes that the group of a communicator has.
func groupOf(c *comms.Comm) [2]*comms.Members {
	m := [2]*comms.Members{c.Members, nil}
	if c.Inter {
		m[1] = c.RemoteMembers
	}
	return m
}

// listed is how many members all groups have.
func (x *otf2Archive) listed() (n uint64) {
	if worlds := x.program.Comms.Worlds; len(worlds) > 0 {
		last := worlds[len(worlds)-1]
		n = uint64(last.First + last.Size)
	}
	seen := map[[2]*comms.Members]bool{}
	for _, c := range x.program.Comms.Comms {
		if m := groupOf(c); c.How != "self" && !seen[m] {
			seen[m] = true
			n += uint64(m[0].Len() + m[1].Len())
		}
	}
	return n
}

// group defines the group of two lists of processes, which may not be known.
func (x *otf2Archive) group(id uint32, name string, of [2]*comms.Members) {
	n := [2]int{}
	for i, m := range of {
		if m != nil {
			n[i] = m.Len()
		}
	}
	x.defs.Group(id, name, otf2.CommGroup, n[0]+n[1], func(i int) uint64 {
		if i < n[0] {
			return uint64(of[0].At(i))
		}
		return uint64(of[1].At(i - n[0]))
	})
}

// function is the region of a function.
func (x *otf2Archive) function(f *spec.Func) uint32 {
	id, ok := x.functions[f.ID]
	if !ok {
		id = x.defs.Region(otf2.Region{Name: f.Name, Role: role(f), Paradigm: paradigm(f)})
		x.functions[f.ID] = id
	}
	return id
}

// paradigms are whose events of a kind are.
var paradigms = map[string]otf2.Paradigm{"mpi": otf2.MPI, "regions": otf2.User, "openmp": otf2.OpenMP,
	"functions": otf2.Compiler, "python": otf2.Compiler, "cuda": otf2.CUDA}

func paradigm(f *spec.Func) otf2.Paradigm { return paradigms[spec.EventKinds[f.Kind].Name] }

var rolesByFlow = map[spec.Flow]otf2.Role{spec.FlowFromRoot: otf2.RoleOneToAll, spec.FlowToRoot: otf2.RoleAllToOne,
	spec.FlowToAll: otf2.RoleAllToAll}

var rolesByActivity = map[spec.Activity]otf2.Role{spec.ActivityPointToPoint: otf2.RolePointToPt,
	spec.ActivityWait: otf2.RolePointToPt, spec.ActivityCollective: otf2.RoleCollective,
	spec.ActivityRma: otf2.RoleRemoteWrite, spec.ActivityIo: otf2.RoleFile}

// role is what a function does.
func role(f *spec.Func) otf2.Role {
	if f.IsBarrier() {
		return otf2.RoleBarrier
	}
	if r, ok := rolesByFlow[f.Flow]; ok && f.Op == spec.OpCollective {
		return r
	}
	if r, ok := rolesByActivity[f.Activity]; ok {
		return r
	}
	return otf2.RoleFunction
}

type flowData struct {
	flow   spec.Flow
	data   spec.Data
	vector spec.Vector
}

// collectives are the operations that OTF2 has. It has none for neighbours: theirs are those of the same data among
// all.
var collectives = map[flowData]otf2.CollectiveOp{
	{flow: spec.FlowToAll}:                                                         otf2.OpBarrier,
	{flow: spec.FlowFromRoot, data: spec.DataWhole}:                                otf2.OpBcast,
	{flow: spec.FlowToRoot, data: spec.DataWhole}:                                  otf2.OpGather,
	{flow: spec.FlowToRoot, data: spec.DataWhole, vector: spec.VectorCounts}:       otf2.OpGatherv,
	{flow: spec.FlowFromRoot, data: spec.DataParts}:                                otf2.OpScatter,
	{flow: spec.FlowFromRoot, data: spec.DataParts, vector: spec.VectorCounts}:     otf2.OpScatterv,
	{flow: spec.FlowToAll, data: spec.DataWhole}:                                   otf2.OpAllgather,
	{flow: spec.FlowToAll, data: spec.DataWhole, vector: spec.VectorCounts}:        otf2.OpAllgatherv,
	{flow: spec.FlowToAll, data: spec.DataParts}:                                   otf2.OpAlltoall,
	{flow: spec.FlowToAll, data: spec.DataParts, vector: spec.VectorCounts}:        otf2.OpAlltoallv,
	{flow: spec.FlowToAll, data: spec.DataParts, vector: spec.VectorTypes}:         otf2.OpAlltoallw,
	{flow: spec.FlowToAll, data: spec.DataReduced}:                                 otf2.OpAllreduce,
	{flow: spec.FlowToRoot, data: spec.DataReduced}:                                otf2.OpReduce,
	{flow: spec.FlowToAll, data: spec.DataReducedParts}:                            otf2.OpReduceScatterBlock,
	{flow: spec.FlowToAll, data: spec.DataReducedParts, vector: spec.VectorCounts}: otf2.OpReduceScatter,
	{flow: spec.FlowPrefix, data: spec.DataReduced}:                                otf2.OpScan,
}

// collectiveOp is what a collective does; ok is false if OTF2 has no word for it.
func collectiveOp(f *spec.Func) (op otf2.CollectiveOp, ok bool) {
	if f.Op == spec.OpCollective {
		k := flowData{f.Flow, f.Data, f.Vector}
		if k.flow == spec.FlowNeighbors {
			k.flow = spec.FlowToAll
		}
		op, ok = collectives[k]
		if op == otf2.OpScan && strings.Contains(strings.ToLower(f.ShortName()), "exscan") { // no row tells them apart
			op = otf2.OpExscan
		}
		return op, ok && f.Flow != spec.FlowNone
	}
	for i := range f.Slots {
		switch s := &f.Slots[i]; {
		case s.Life == spec.Free:
			return otf2.OpDestroyHandle, true
		case s.Life == spec.New && s.Class != spec.Request:
			return otf2.OpCreateHandle, true
		}
	}
	return 0, false
}
