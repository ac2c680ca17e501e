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
// at most Most are looked at.
package collectives

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Most is how many messages are looked at; they take some 1.4 KB each.
const Most = 1 << 20

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
}

// Of finds the collectives of an archive. progress may be nil.
func Of(a *archive.Archive, progress func(done, total uint64)) (*Result, error) {
	payload, _ := spec.EventsNamed("payload")
	a, err := a.Project(func(f *spec.Func) bool { return f.Kind == 0 || f.Kind == payload })
	if err != nil {
		return nil, err
	}
	p, err := calls.Open(a)
	if err != nil {
		return nil, err
	}
	r := &reader{a: a, res: &Result{Comms: map[int32]string{}}, sites: map[string]int32{}, ends: map[int32][]end{}}
	_, err = match.RunProgram(p, match.Options{Untimed: true, Fold: true, Message: r.message, Progress: progress})
	if err != nil {
		return nil, err
	}
	for stream, ends := range r.ends {
		if err := r.read(int(stream), ends); err != nil {
			return nil, err
		}
	}
	sizes := map[int32]int{}
	for _, c := range p.Comms.Comms {
		if !c.Inter {
			sizes[int32(c.ID)] = c.Size()
		}
		r.res.Comms[int32(c.ID)] = c.Short()
	}
	r.res.Looked = uint64(len(r.messages))
	r.res.Findings = merge(Find(r.messages, sizes), func(site int32) string {
		place, _, _ := strings.Cut(r.res.Sites[site], " < ")
		return place
	})
	return r.res, nil
}

// reader collects messages, and then what is not said of them: contents, buffers and places.
type reader struct {
	a        *archive.Archive
	res      *Result
	messages []Message
	sites    map[string]int32
	ends     map[int32][]end // by stream
}

// end is the call of one end of a message.
type end struct {
	call    uint64
	message int32
	recv    bool
}

func (r *reader) message(m *match.Message) error {
	r.res.Messages += m.Count
	if m.Send.Process == m.Recv.Process || m.Bytes < 0 {
		return nil
	}
	if len(r.messages) >= Most {
		r.res.Left += m.Count
		return nil
	}
	done := m.Recv.Done
	if !done.Known() {
		done = m.Recv.Post
	}
	n := int32(len(r.messages))
	r.messages = append(r.messages, Message{From: m.Send.Process, To: m.Recv.Process, Sent: m.Send.Post.Call,
		Received: done.Call, Comm: m.Comm, Bytes: m.Bytes, Count: m.Count})
	r.ends[m.Send.Post.Stream] = append(r.ends[m.Send.Post.Stream], end{m.Send.Post.Call, n, false})
	r.ends[m.Recv.Post.Stream] = append(r.ends[m.Recv.Post.Stream], end{m.Recv.Post.Call, n, true})
	return nil
}

// read goes through a stream up to the last call that is asked for.
func (r *reader) read(stream int, ends []end) error {
	slices.SortFunc(ends, func(a, b end) int { return cmp.Compare(a.call, b.call) })
	var hashes []hash
	for c, err := range r.a.Stream(stream).Iter(0) {
		if err != nil {
			return err
		}
		if c.Func.Category == "payload" {
			hashes = append(hashes, hashOf(c))
			r.res.Contents = true
			continue
		}
		for len(ends) > 0 && ends[0].call <= c.Index {
			if ends[0].call == c.Index {
				r.at(c, &ends[0], hashes)
			}
			ends = ends[1:]
		}
		hashes = hashes[:0]
		if len(ends) == 0 {
			break
		}
	}
	return nil
}

type hash struct {
	value uint64
	known bool
}

func hashOf(c *archive.Call) hash {
	i := c.Func.In("hash")
	if i < 0 {
		return hash{}
	}
	return hash{uint64(c.Slots[i].N), true}
}

// at notes what a call says of a message.
func (r *reader) at(c *archive.Call, e *end, hashes []hash) {
	m := &r.messages[e.message]
	if e.recv {
		m.Target, m.RecvSite = buffer(c, "recvbuf"), r.site(c)
		return
	}
	m.Source, m.SendSite = buffer(c, "sendbuf"), r.site(c)
	if len(hashes) == 1 {
		m.Hash, m.Known = hashes[0].value, hashes[0].known
	}
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
	if !ok || v.Kind != archive.Addr {
		return Place{}
	}
	return Place{int64(v.Mem)<<32 | int64(v.Seg) + 1, v.N}
}
