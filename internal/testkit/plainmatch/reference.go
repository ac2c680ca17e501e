// Package plainmatch matches the messages of an archive in the simplest way, and compares the result with that of
// package match.
//
// It expands all calls into slices and matches them with maps, by the names of parameters. It
// shares nothing with package match but who is in which communicator.
package plainmatch

import (
	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// refEnd is one end of a message.
type refEnd struct {
	proc, number     int
	send, wild       bool
	comm             string // identity
	source, dest     int
	tag              int
	part             int
	bytes            int64
	post, done       string
	begin            int64
	cancelled, known bool
	toCancel         bool
	seq              int
	peers            func(int) int
	anySrc, anyTag   bool
	finished         bool
}

// refRequest is what a request stands for.
type refRequest struct {
	send, recv *refEnd
	coll       *refPart
	persistent bool
	again      func(c *archive.Call) *refRequest // for MPI_Start
}

// refPart is a process's part in a collective.
type refPart struct {
	proc       int
	key        string
	post, done string
	fname      string
}

// reference is everything that the calls of an archive say about messages.
type reference struct {
	a         *archive.Archive
	comms     *comms.Result
	number    map[int]int // process -> global
	recorded  map[int]bool
	ends      []*refEnd
	parts     []*refPart
	seq       int
	anySource int64
	anyTag    int64
	procNull  int64
	truncate  int64
}

// newReference expands an archive.
func newReference(a *archive.Archive) (*reference, error) {
	cr, err := comms.Analyze(a, nil)
	if err != nil {
		return nil, err
	}
	r := &reference{a: a, comms: cr, number: map[int]int{}, recorded: map[int]bool{}}
	abi := a.Meta().ABI
	r.anySource, _ = abi.Const("MPI_ANY_SOURCE")
	r.anyTag, _ = abi.Const("MPI_ANY_TAG")
	r.procNull, _ = abi.Const("MPI_PROC_NULL")
	r.truncate, _ = abi.Const("MPI_ERR_TRUNCATE")
	calls := make([][]refCall, len(cr.Processes))
	for i, p := range cr.Processes {
		r.number[i], r.recorded[p.Member] = p.Member, true
	}
	for s := range a.Streams() {
		var events eventCounter
		for c, err := range s.Iter(0) {
			if err != nil {
				return nil, err
			}
			calls[s.Process()] = append(calls[s.Process()], refCall{c.Clone(), s, events.next(c)})
		}
	}
	for i := range calls {
		heads := map[int][]refCall{}
		for _, c := range calls[i] {
			heads[c.s.Thread()] = append(heads[c.s.Thread()], c)
		}
		p := &refProc{r: r, i: i, requests: map[int64]*refRequest{}, messages: map[int64]*refEnd{},
			types: map[int64]int64{}, counts: map[string]int{}}
		for len(heads) > 0 {
			best := -1
			for th, list := range heads {
				if best < 0 || refBefore(list[0], heads[best][0]) {
					best = th
				}
			}
			p.call(heads[best][0])
			if heads[best] = heads[best][1:]; len(heads[best]) == 0 {
				delete(heads, best)
			}
		}
	}
	return r, nil
}

// eventCounter numbers the events of a stream: a run of polls is one event, and two runs of one
// poll never follow each other.
type eventCounter struct {
	n     uint64
	polls bool
	of    uint32
}

func (e *eventCounter) next(c *archive.Call) uint64 {
	polls := c.Flags&archive.Polls != 0
	if !polls || !e.polls || e.of != c.Terminal {
		e.n++
	}
	e.polls, e.of = polls, c.Terminal
	return e.n - 1
}

// refCall is a call with the number of its event.
type refCall struct {
	*archive.Call
	s     *archive.Stream
	event uint64
}

// refBefore is the order of the calls of threads.
func refBefore(a, b refCall) bool {
	switch {
	case a.Timed && b.Timed && a.Start != b.Start:
		return a.Start < b.Start
	case a.Timed && b.Timed || a.Index == b.Index:
		return a.s.Thread() < b.s.Thread()
	}
	return a.Index < b.Index
}
