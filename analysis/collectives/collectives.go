// Package collectives finds places in a program that do by sends and receives what a collective does.
//
// Data is followed through processes, whatever pattern the messages make: what a process sends is what it received
// before, or something new. If the recording has contents (tabard record --payload), data is known by its hash. If
// not, it is known by where it lies: who sends from where it received to, passes on what it received. An item of data
// that ends up at several processes was broadcast to them: by one message after another, along a tree or a ring, in
// segments. Items of all members of a set, none of which waits for another, are an allgather. Messages with data of
// their own for each process are a scatter, a gather or an all-to-all if each pair has as many, and the parts lie in
// one buffer.
//
// What loops repeat is looked at once (match.Options.Fold). Memory and time are linear in the messages that are left;
// at most Most are looked at, or as many as Options say.
package collectives

import (
	"cmp"
	"math"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// Most is how many messages are looked at; they take some 1.4 KB each.
const Most = 1 << 20

// Options say how to look.
type Options struct {
	Most     int                      // messages that are looked at; 0 is the constant Most
	All      bool                     // with more messages than that, nothing is looked for
	Progress func(done, total uint64) // may be nil
}

// Result is what was found in a recording.
type Result struct {
	Findings []Finding
	// Sites are the places that findings number: the function and where it is called.
	Sites []string
	// Contents tells whether the recording has hashes of contents. Messages is how many there are; Looked at how many,
	// those that loops repeat counted once.
	Contents         bool
	Messages, Looked uint64
	// Left is how many were left out, as there were too many.
	Left uint64
	// Comms are names of communicators; Finding.Comm is -1 if its sets have one each.
	Comms map[int32]string
	// Sizes are how many processes communicators have.
	Sizes map[int32]int
}

// Projected is the part of an archive that is looked at: calls of messages are numbered in it.
func Projected(a *archive.Archive) (*archive.Archive, error) {
	payload, _ := spec.EventsNamed("payload")
	samples, _ := spec.EventsNamed("samples")
	return a.Project(func(f *spec.Func) bool { return f.Kind == 0 || f.Kind == payload || f.Kind == samples })
}

// Of finds the collectives of an archive.
func Of(a *archive.Archive, o Options) (*Result, error) {
	a, err := Projected(a)
	if err != nil {
		return nil, err
	}
	p, err := calls.Open(a)
	if err != nil {
		return nil, err
	}
	r := &reader{a: a, most: cmp.Or(o.Most, Most), res: &Result{Comms: map[int32]string{}}, sites: map[string]int32{},
		ends: map[int32]ends{}, bases: map[window]base{},
		procNull: math.MinInt64}
	if n, ok := a.Meta().ABI.Const(mpi.ProcNull); ok {
		r.procNull = n
	}
	_, err = match.RunProgram(p, match.Options{Untimed: true, Fold: true, Message: r.message, Progress: o.Progress})
	if err != nil {
		return nil, err
	}
	if err := r.oneSided(p); err != nil {
		return nil, err
	}
	if o.All && r.res.Left > 0 {
		return r.res, nil
	}
	if err := r.readAll(r.ends, r.at); err != nil {
		return nil, err
	}
	r.finished()
	sizes := map[int32]int{}
	for _, c := range p.Comms.Comms {
		if !c.Inter {
			sizes[int32(c.ID)] = c.Size()
		}
		r.res.Comms[int32(c.ID)] = c.Short()
	}
	r.res.Sizes = sizes
	r.res.Looked = uint64(len(r.messages))
	found, err := find(r.messages, sizes, r.frames(), r.agree)
	if err != nil {
		return nil, err
	}
	r.res.Findings = merge(found, func(site int32) string {
		place, _, _ := strings.Cut(r.res.Sites[site], " < ")
		return place
	})
	kept := r.res.Findings[:0]
	for _, f := range r.res.Findings {
		if f.topology() {
			f.Rule = f.rule()
			kept = append(kept, f)
		}
	}
	r.res.Findings = kept
	return r.res, nil
}

// reader collects messages, and then what is not said of them: contents, buffers and places.
type reader struct {
	a        *archive.Archive
	most     int
	res      *Result
	messages []Message
	sites    map[string]int32
	ends     map[int32]ends // by stream
	streams  []int32        // of senders, by message
	posts    []uint64       // the calls that post their sends
	nths     []int32        // and which of the requests that these start
	last     []uint64       // the hash that was read last, by message
	sampled  int            // elements that are kept
	procNull int64
	sided    *oneSided // nil if there are no one-sided calls
	bases    map[window]base
}

func (r *reader) message(m *match.Message) error {
	r.res.Messages += m.Count
	if m.Send.Process == m.Recv.Process || m.Bytes < 0 || m.Bytes > mostMemory {
		return nil
	}
	if len(r.messages) >= r.most {
		r.res.Left += m.Count
		return nil
	}
	done := m.Recv.Done
	if !done.Known() {
		done = m.Recv.Post
	}
	n := int32(len(r.messages))
	r.messages = append(r.messages, Message{From: m.Send.Process, To: m.Recv.Process, Sent: m.Send.Post.Call,
		Received: done.Call, Comm: m.Comm, Bytes: m.Bytes, Count: m.Count, SendStep: m.SendStep, RecvStep: m.RecvStep,
		Posted: m.Recv.Post.Call,
		Freed:  freed(m), Synchronous: m.Send.Mode == spec.SendSynchronous})
	from, to := &m.Send.Post, &m.Recv.Post
	r.streams, r.last = append(r.streams, from.Stream), append(r.last, 0)
	r.posts, r.nths = append(r.posts, from.Call), append(r.nths, m.Send.Nth)
	r.ends[from.Stream] = append(r.ends[from.Stream], end{from.Call, m.SendStep, m.Count, n, m.Send.Nth, sends})
	r.ends[to.Stream] = append(r.ends[to.Stream], end{to.Call, 0, 1, n, m.Recv.Nth, receives})
	return nil
}

// freed is the call after which a send is over, 0 if that is not known.
func freed(m *match.Message) uint64 {
	if m.Send.Done.Known() {
		return m.Send.Done.Call
	}
	return 0
}

// frames numbers the functions, and what called them, that sites are in.
func (r *reader) frames() func(site int32) int32 {
	numbers, of := map[string]int32{}, make([]int32, len(r.res.Sites))
	for i, text := range r.res.Sites {
		place, callers, _ := strings.Cut(text, " < ")
		if _, function, known := strings.Cut(place, " ["); known {
			callers = function + " < " + callers
		} else if callers == "" {
			callers = text
		}
		n, known := numbers[callers]
		if !known {
			n = int32(len(numbers))
			numbers[callers] = n
		}
		of[i] = n
	}
	return func(site int32) int32 { return of[site] }
}

func (r *reader) site(c *archive.Call) int32 {
	name := c.Func.Name
	if c.Site != nil {
		name += " @ " + c.Site.String()
	}
	n, known := r.sites[name]
	if !known {
		n = int32(len(r.res.Sites))
		r.sites[name] = n
		r.res.Sites = append(r.res.Sites, name)
	}
	return n
}

// buffer is the memory of a call: the only one, or the named one.
func buffer(c *archive.Call, name string) Place {
	v, ok := c.In(name)
	if !ok {
		v, ok = c.In("buf")
	}
	if !ok {
		return Place{}
	}
	return placeOf(v)
}

func placeOf(v archive.Value) Place {
	if v.Kind != archive.Addr {
		return Place{}
	}
	return placeAt(int64(v.Mem)<<32|int64(v.Seg)+1, v.N)
}

// mostMemory is more bytes than any memory has. What a file says beyond it is made up, and sums of it would overflow.
const mostMemory = 1 << 56

// placeAt is a place in a segment of memory, an unknown one if there is no such offset.
func placeAt(segment, offset int64) Place {
	if offset < -mostMemory || offset > mostMemory {
		return Place{}
	}
	return Place{segment, offset}
}
