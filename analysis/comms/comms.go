package comms

import (
	"fmt"
	"math"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Result is the communicators of an archive.
type Result struct {
	// Worlds are the MPI_COMM_WORLDs, by number.
	Worlds []World
	// Comms are the communicators, each after the one that it was made from.
	// Comm.ID is the place here.
	Comms []*Comm
	// Processes are the processes of the archive, in its order.
	Processes []Process
	// Notes say what contradicts, what was assumed and what is not known.
	Notes []Note

	processOf map[int]int // by global number
}

// World is an MPI_COMM_WORLD. Global numbers of processes run through the
// worlds in order: First + rank.
type World struct {
	Number int
	Size   int
	First  int
}

// Comm is a communicator. One Comm stands for several communicators if they
// were made by the same call site from the same one, with the same members,
// properties and object numbers at all of them: such were freed in between.
type Comm struct {
	ID int
	// Name is the same in every recording of the run. It is made of what each member knows: the
	// parent's name, how the communicator was made, the number of that creation on the parent, and
	// what tells it from others of the same creation.
	Name string
	// How is the way it was made: world, self, dup, idup, split, split_type, create,
	// create_group, cart, cart_sub, graph, dist_graph, intercomm, from_group,
	// intercomm_from_groups, merge, shrink, spawn, parent, accept, connect, join.
	How string
	// Func is the function that made it, empty for predefined ones.
	Func string
	// Parent is what it was made from. For an intercommunicator Remote is the local communicator of
	// the second group, and Peer the communicator that its leaders share.
	Parent, Remote, Peer *Comm
	// Creation is the number of the creation among all on the parent.
	Creation int
	// Color tells parts of one creation apart, if Colored is set: the colour of a split,
	// the index of a sub-grid of MPI_Cart_sub.
	Color   int64
	Colored bool
	// Members is its group, or the first group of an intercommunicator, in
	// the order of ranks.
	Members *Members
	// Inter is set for intercommunicators. RemoteMembers is their second
	// group, nil if it is not known.
	Inter         bool
	RemoteMembers *Members
	Topology      *Topology
	// Labels are the names that the program gave it.
	Labels []string
	// Site is the call site of the first member that made it, nil if unknown.
	Site *archive.Site
	// Times is how many communicators this stands for; all recorded members
	// have freed Freed of them.
	Times, Freed int
	// Partial says why not all members are known, Assumed what was assumed
	// about their order; empty if there is no doubt.
	Partial, Assumed string
}

// Size is the number of members; of both groups for an intercommunicator.
func (c *Comm) Size() int { return c.Members.Len() + c.RemoteMembers.Len() }

// Short is the end of the name: what tells c from others made on its parent.
func (c *Comm) Short() string {
	switch {
	case c.Parent != nil:
		return strings.TrimPrefix(c.Name, c.Parent.base()+"/")
	case c.How == "self":
		return c.How
	}
	return c.Name
}

// Topology is the virtual topology of a communicator.
type Topology struct {
	Kind    string  `json:"kind"` // cart, graph, dist_graph
	Dims    []int64 `json:"dims,omitempty"`
	Periods []bool  `json:"periods,omitempty"`
	Reorder bool    `json:"reorder"`
	// Nodes and Edges count a graph, Edges also a distributed one, unless
	// DegreesKnown is false.
	Nodes        int   `json:"nodes,omitempty"`
	Edges        int   `json:"edges,omitempty"`
	DegreesKnown bool  `json:"degrees_known,omitempty"`
	In           Range `json:"indegree,omitzero"`
	Out          Range `json:"outdegree,omitzero"`
}

// Range is the least and the greatest of some numbers.
type Range struct {
	Min int `json:"min"`
	Max int `json:"max"`
}

// Process is what is known of one process.
type Process struct {
	// Member is its global number.
	Member int
	// Objects are its communicators, in the order of their creation.
	Objects []Object
	// Groups are the groups that it made, in that order.
	Groups []Group
}

// Group is a group object of a process.
type Group struct {
	// Ref, Stream and From are as in Object.
	Ref    int64
	Stream int
	From   uint64
	// Members is nil if they are not known.
	Members *Members
}

// Object is a communicator object of a process.
type Object struct {
	// Ref is the code that the process's calls name it by (archive.Value.N).
	Ref int64
	// Comm is the communicator, nil if it is not known.
	Comm *Comm
	// Side is 1 in the second group of an intercommunicator, else 0.
	Side int
	// Rank is the process's rank in its group, -1 if unknown.
	Rank int
	// Stream is the number of the stream that made it, -1 if it is predefined or came
	// from out of sight; From is the event that did, and To the one that freed
	// it: the last one, if there were several equal ones.
	Stream   int
	From, To uint64
	Freed    bool
	// Times is how many equal objects in a row this stands for.
	Times int
}

// Note is something that a reader of the result should know.
type Note struct {
	Kind NoteKind `json:"kind"`
	Text string   `json:"text"`
	// Count is how often it was found.
	Count int `json:"count"`
}

// NoteKind tells how bad a Note is.
type NoteKind string

// Kinds of notes.
const (
	// Contradiction: recorded values do not fit together.
	Contradiction NoteKind = "contradiction"
	// Assumption: the standard leaves something open that nothing recorded settles.
	Assumption NoteKind = "assumption"
	// Unknown: the recording does not say.
	Unknown NoteKind = "unknown"
)

// Lookup finds the communicator that a code means in the calls of a process,
// around an event of a stream. It is nil if that is not known.
func (r *Result) Lookup(process int, ref int64, stream int, event uint64) *Object {
	if process < 0 || process >= len(r.Processes) {
		return nil
	}
	var found *Object
	several := false
	objects := r.Processes[process].Objects
	for i := range objects {
		o := &objects[i]
		if o.Ref != ref {
			continue
		}
		if o.Stream == stream && o.From > event {
			break
		}
		// Objects are in order: a later one with the same code comes after the
		// end of the one before.
		several = found != nil && o.Stream != stream
		found = o
	}
	if several {
		return nil // the order of the threads is not in the events
	}
	return found
}

// Group is the members of the group that a code means in the calls of a process, in an event of a stream, and up to
// which event it means that. They are nil if they are not known.
func (r *Result) Group(process int, ref int64, stream int, event uint64) (members *Members, to uint64) {
	to = math.MaxUint64
	if process < 0 || process >= len(r.Processes) {
		return nil, to
	}
	maker := -1
	for i := range r.Processes[process].Groups {
		switch g := &r.Processes[process].Groups[i]; {
		case g.Ref != ref:
		case maker >= 0 && g.Stream != maker: // the order of the threads is not in the events
			return nil, to
		case g.Stream == stream && g.From > event:
			return members, g.From
		default:
			members, maker = g.Members, g.Stream
		}
	}
	return members, to
}

// worldOf is the world of a global number, nil for a process without a rank.
func (r *Result) worldOf(member int) *World {
	for i := range r.Worlds {
		if w := &r.Worlds[i]; member >= w.First && member < w.First+w.Size {
			return w
		}
	}
	return nil
}

// MaxText is the number of ranges that Text prints by default.
const MaxText = 16

// Text writes a list as ranks and ranges: "0-3,8,16-28:4" has steps of 4, "3-0" is
// in descending order. Ranks of spawned worlds have the world in front,
// "w1:0-3". After limit ranges it stops with "..."; 0 is no limit.
func (r *Result) Text(m *Members, limit int) string {
	var b strings.Builder
	n := 0
	world := 0
	part := func(text string, w int) {
		if n > 0 {
			b.WriteByte(',')
		}
		if w != world {
			fmt.Fprintf(&b, "w%d:", w)
			world = w
		}
		b.WriteString(text)
		n++
	}
	for run := range m.runs() {
		for run.count > 0 {
			if limit > 0 && n == limit {
				return b.String() + ",..."
			}
			w := r.worldOf(int(run.start))
			if w == nil {
				part(fmt.Sprintf("process%d", r.processOf[int(run.start)]), world)
				run.start, run.count = run.start+run.step, run.count-1
				continue
			}
			k := run.count
			for k > 1 && r.worldOf(int(run.start+(k-1)*run.step)) != w {
				k-- // runs across worlds are rare and short
			}
			part(rangeText(run.start-int64(w.First), run.step, k), w.Number)
			run.start, run.count = run.start+k*run.step, run.count-k
		}
	}
	return b.String()
}

func rangeText(start, step, count int64) string {
	last := start + (count-1)*step
	switch {
	case count == 1:
		return fmt.Sprint(start)
	case count == 2 && step != 1:
		return fmt.Sprintf("%d,%d", start, last)
	case step == 1 || step == -1:
		return fmt.Sprintf("%d-%d", start, last)
	}
	return fmt.Sprintf("%d-%d:%d", start, last, step)
}

// RefText names the communicator that a code stands for in a process's calls:
// "comm#3", "MPI_COMM_WORLD".
func RefText(ref int64) string {
	if ref&1 != 0 && ref>>1 < int64(len(spec.Predefineds)) {
		return spec.Predefineds[ref>>1].Name
	}
	return fmt.Sprintf("comm#%d", (ref-2)/2)
}
