package collectives

import (
	"cmp"
	"slices"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/spec"
)

// order is what comes before what in different processes (Lamport, 1978): messages are received after they are sent,
// and nobody leaves a barrier before all have come. Each process has, for every other, the last call that it is known
// to have made (Fidge, Mattern, 1988).
type order struct {
	streams map[int32]int32 // of processes with one thread
	points  map[int32][]point
	edges   []edge
	pending map[[2]int32][]awaited // by the process that will have it, and who wrote it; in the order of calls
	known   map[int32]bool         // messages of which it is known when they are sent and received
	full    bool                   // there is too much to look at
	work    int
}

// spot is a call of a process.
type spot struct {
	process int32
	call    uint64
}

// An edge is calls that come before others.
type edge struct {
	left   int      // calls that have not been seen
	goals  int      // calls behind that have not
	single bool     // it has one source: its clock is that of the source, but for the source's own
	clock  []uint64 // what is known behind it
	own    int      // place of the source
	at     uint64   // its call
}

type awaited struct {
	call    uint64 // by which it was done
	message int32
}

// point is a call of a process that an edge begins or ends at, or before which a message is read.
type point struct {
	call uint64
	kind pointKind
	of   int32 // the edge, or the message
}

type pointKind uint8

const (
	leaves pointKind = iota
	arrives
	asks
)

// mostWork is how many numbers are compared to find what comes before what: processes times ends of edges.
const mostWork = 1 << 30

// mostClocks is how many numbers the clocks of all processes have together: processes times processes.
const mostClocks = 1 << 26

func newOrder() *order {
	return &order{streams: map[int32]int32{}, points: map[int32][]point{}, pending: map[[2]int32][]awaited{},
		known: map[int32]bool{}}
}

// add notes that some calls come before others.
func (o *order) add(from, to []spot) {
	foreign := func(s spot) bool {
		_, ok := o.streams[s.process]
		return !ok
	}
	from, to = slices.DeleteFunc(from, foreign), slices.DeleteFunc(to, foreign)
	if len(from) == 0 || len(to) == 0 {
		return
	}
	n := int32(len(o.edges))
	o.edges = append(o.edges, edge{left: len(from), goals: len(to), single: len(from) == 1})
	for _, s := range from {
		o.points[s.process] = append(o.points[s.process], point{s.call, leaves, n})
	}
	for _, s := range to {
		o.points[s.process] = append(o.points[s.process], point{s.call, arrives, n})
	}
	o.work += len(to) + len(from)
}

// asks has the message that a call reads sent before the first call of its sender that is not known to come before.
func (o *order) asks(at spot, message int32) {
	o.points[at.process] = append(o.points[at.process], point{at.call, asks, message})
}

// awaits has the message that was written by a call received by the first call of a process that comes after.
func (o *order) awaits(done spot, by int32, message int32) {
	k := [2]int32{by, done.process}
	o.pending[k] = append(o.pending[k], awaited{done.call, message})
}

// resolve finds when messages are sent and received.
func (o *order) resolve(p *calls.Program, most int, ms []Message) error {
	n := max(len(o.streams), 1)
	enough := func() bool { return len(o.edges) >= most || o.work > mostWork/n || n*n > mostClocks }
	_, err := match.RunProgram(p, match.Options{Untimed: true, Message: func(m *match.Message) error {
		if m.Recv.Done.Known() && !enough() {
			o.add([]spot{{m.Send.Process, m.Send.Post.Call}}, []spot{{m.Recv.Process, m.Recv.Done.Call}})
		}
		return nil
	}, Collective: func(c *match.Collective) error {
		if c.Missing == 0 && !c.Mixed && !enough() {
			o.collective(c)
		}
		return nil
	}})
	if err != nil {
		return err
	}
	if o.full = enough(); !o.full {
		newClocks(o, ms).run()
	}
	return nil
}

// collective adds what a collective says of the order of calls.
func (o *order) collective(c *match.Collective) {
	var from, to []spot
	for i := range c.Parts {
		q := &c.Parts[i]
		root := q.Process == c.Root
		switch c.Func.Flow {
		case spec.FlowFromRoot:
		case spec.FlowToRoot:
			root = !root
		case spec.FlowToAll:
			from = append(from, spot{q.Process, q.Post.Call})
			if q.Done.Known() {
				to = append(to, spot{q.Process, q.Done.Call})
			}
			continue
		default:
			return
		}
		if root {
			from = append(from, spot{q.Process, q.Post.Call})
		} else if q.Done.Known() {
			to = append(to, spot{q.Process, q.Done.Call})
		}
	}
	o.add(from, to)
}

// clocks go through the calls of all processes.
type clocks struct {
	*order
	messages  []Message
	processes []int32
	place     map[int32]int
	of        [][]uint64 // by place: one more than the last call of each process that is known to have been made
	shared    []bool     // an edge has the same
	writers   [][]int32  // by place: whose writes are awaited
}

func newClocks(o *order, ms []Message) *clocks {
	c := &clocks{order: o, messages: ms, place: map[int32]int{}}
	for p := range o.streams {
		c.processes = append(c.processes, p)
	}
	slices.Sort(c.processes)
	for i, p := range c.processes {
		c.place[p] = i
		slices.SortFunc(o.points[p], func(a, b point) int {
			return cmp.Or(cmp.Compare(a.call, b.call), cmp.Compare(a.kind, b.kind), cmp.Compare(a.of, b.of))
		})
	}
	n := len(c.processes)
	c.of, c.shared, c.writers = make([][]uint64, n), make([]bool, n), make([][]int32, n)
	for i := range c.of {
		c.of[i] = make([]uint64, n)
	}
	for k := range o.pending {
		if i, ok := c.place[k[0]]; ok {
			c.writers[i] = append(c.writers[i], k[1])
		}
	}
	return c
}

// run goes on with each process as far as what it waits for has been seen.
func (c *clocks) run() {
	for moved := true; moved; {
		moved = false
		for i, p := range c.processes {
			list := c.points[p]
			for len(list) > 0 && (list[0].kind != arrives || c.edges[list[0].of].left == 0) {
				c.see(i, p, list[0])
				list, moved = list[1:], true
			}
			c.points[p] = list
		}
	}
}

func (c *clocks) see(i int, p int32, x point) {
	switch x.kind {
	case leaves:
		c.leave(i, x)
	case arrives:
		c.arrive(i, x)
		c.take(i, p, x.call)
	case asks:
		m := &c.messages[x.of]
		if from, ok := c.place[m.From]; ok {
			m.Sent, c.known[x.of] = c.of[i][from], true
		}
	}
}

// leave tells an edge what the process knows.
func (c *clocks) leave(i int, x point) {
	e := &c.edges[x.of]
	e.left--
	if e.single {
		e.clock, e.own, e.at, c.shared[i] = c.of[i], i, x.call+1, true
		return
	}
	if e.clock == nil {
		e.clock = make([]uint64, len(c.of))
	}
	latest(e.clock, c.of[i])
	e.clock[i] = max(e.clock[i], x.call+1)
}

// arrive tells the process what is known of an edge.
func (c *clocks) arrive(i int, x point) {
	e := &c.edges[x.of]
	if c.shared[i] {
		c.of[i], c.shared[i] = slices.Clone(c.of[i]), false
	}
	latest(c.of[i], e.clock)
	if e.single {
		c.of[i][e.own] = max(c.of[i][e.own], e.at)
	}
	if e.goals--; e.goals == 0 {
		e.clock = nil
	}
}

func latest(to, from []uint64) {
	for k, v := range from {
		to[k] = max(to[k], v)
	}
}

// take has the process receive what it knows to be done by now.
func (c *clocks) take(i int, p int32, call uint64) {
	for _, w := range c.writers[i] {
		k := [2]int32{p, w}
		from, ok := c.place[w]
		for list := c.pending[k]; ok && len(list) > 0 && c.of[i][from] > list[0].call; list = list[1:] {
			m := &c.messages[list[0].message]
			m.Received, m.Posted, c.known[list[0].message] = call, call, true
			c.pending[k] = list[1:]
		}
	}
}
