package consistency

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/spec"
)

// MaxOrdered bounds the calls of a job that is looked at for circles of waits: loops are not folded for that.
const MaxOrdered = 1 << 17

// A gate opens when all calls that it waits for have begun.
type gate struct {
	shut    int     // how many have not
	waiting []int32 // streams
}

// A step is a call of a stream that has to do with a gate: it opens it by beginning, or cannot return before
// it is open.
type step struct {
	ref     match.Ref
	process int32
	gate    int
}

// order is what calls wait for before they return, by MPI's rules: a receive for the call that sends, a
// synchronous send for the call that receives, a collective for the members from which something comes. That
// other sends may wait, too, is left out, as libraries buffer messages; so are calls whose outcome depends on
// what comes first.
type order struct {
	gates        []gate
	opens, waits [][]step // by stream, in the order of calls
	opened       []int    // how many of opens have begun
	passed       []int    // how many of waits have returned
}

// circles looks for calls that wait for each other in a circle, for which the job is run call by call.
func (c *checker) circles() error {
	streams, total := 0, uint64(0)
	for s := range c.p.Archive.Streams() {
		streams++
		total += s.Calls()
	}
	if total > c.opts.Ordered {
		return nil
	}
	o := &order{opens: make([][]step, streams), waits: make([][]step, streams), opened: make([]int, streams),
		passed: make([]int, streams)}
	message := func(m *match.Message) error {
		if m.Guessed || !c.opts.Strict && (m.Recv.Wild || m.Recv.Probe != nil) {
			return nil
		}
		o.add([]step{{ref: m.Send.Post, process: m.Send.Process}}, c.settled(m.Recv.Done, m.Recv.Process))
		if m.Send.Mode == calls.Synchronous {
			o.add([]step{{ref: m.Recv.Post, process: m.Recv.Process}}, c.settled(m.Send.Done, m.Send.Process))
		}
		return nil
	}
	collective := func(x *match.Collective) error {
		c.meeting(o, x)
		return nil
	}
	if _, err := match.RunProgram(c.p, match.Options{Message: message, Collective: collective,
		Untimed: true}); err != nil {
		return err
	}
	return c.blocked(o, o.run())
}

// settled is a call that waits, if it waits for one thing only, whatever comes first.
func (c *checker) settled(r match.Ref, process int32) []step {
	if !r.Known() {
		return nil
	}
	x, err := c.call(&r)
	if err != nil || !c.opts.Strict && x.f.Outcome > spec.OutcomeFromAny {
		return nil
	}
	return []step{{ref: r, process: process}}
}

// meeting adds what the members of a collective wait for.
func (c *checker) meeting(o *order, x *match.Collective) {
	flow := x.Func.Flow
	if all := c.opts.Strict && flow != spec.FlowNeighbors; x.Mixed || x.Missing > 0 ||
		!all && flow != spec.FlowToAll && flow != spec.FlowFromRoot && flow != spec.FlowToRoot {
		return
	}
	var begin, end []step
	for i := range x.Parts {
		p := &x.Parts[i]
		isRoot := p.Process == x.Root
		if flow != spec.FlowFromRoot || isRoot || c.opts.Strict {
			begin = append(begin, step{ref: p.Post, process: p.Process})
		}
		if flow != spec.FlowToRoot || isRoot || c.opts.Strict {
			end = append(end, c.settled(p.Done, p.Process)...)
		}
	}
	o.add(begin, end)
}

// add notes that calls cannot return before others have begun.
func (o *order) add(begin, end []step) {
	if len(begin) == 0 || len(end) == 0 {
		return
	}
	o.gates = append(o.gates, gate{shut: len(begin)})
	for _, list := range []struct {
		steps []step
		to    [][]step
	}{{begin, o.opens}, {end, o.waits}} {
		for _, s := range list.steps {
			s.gate = len(o.gates) - 1
			list.to[s.ref.Stream] = append(list.to[s.ref.Stream], s)
		}
	}
}

// run lets all streams go as far as they come, and lists those that do not come to their end.
func (o *order) run() (stuck []int32) {
	var ready []int32
	for i := range o.waits {
		for _, list := range [][]step{o.opens[i], o.waits[i]} {
			slices.SortStableFunc(list, func(a, b step) int { return cmp.Compare(a.ref.Call, b.ref.Call) })
		}
		ready = append(ready, int32(i))
	}
	for len(ready) > 0 {
		s := ready[len(ready)-1]
		ready = o.advance(s, ready[:len(ready)-1])
	}
	for i := range o.waits {
		if o.passed[i] < len(o.waits[i]) {
			stuck = append(stuck, int32(i))
		}
	}
	return stuck
}

// advance lets a stream go on up to a gate that is shut, and returns ready with those that this lets go on.
func (o *order) advance(s int32, ready []int32) []int32 {
	for {
		at := o.passed[s]
		last := at == len(o.waits[s])
		for opens := o.opens[s]; o.opened[s] < len(opens); o.opened[s]++ {
			next := &opens[o.opened[s]]
			if !last && next.ref.Call > o.waits[s][at].ref.Call {
				break
			}
			if g := &o.gates[next.gate]; g.shut == 1 {
				ready = append(ready, g.waiting...)
				g.shut, g.waiting = 0, nil
			} else {
				g.shut--
			}
		}
		if last {
			return ready
		}
		if g := &o.gates[o.waits[s][at].gate]; g.shut > 0 {
			g.waiting = append(g.waiting, s)
			return ready
		}
		o.passed[s]++
	}
}

// blocked says who waits for whom, if some streams are stuck.
func (c *checker) blocked(o *order, stuck []int32) error {
	if len(stuck) == 0 {
		return nil
	}
	circle := o.circle(stuck)
	var text strings.Builder
	var processes []int32
	for i, s := range circle {
		w := &o.waits[s][o.passed[s]]
		processes = append(processes, w.process)
		if i == maxTold {
			text.WriteString(" and so on in a circle")
		}
		if i >= maxTold {
			continue
		}
		x, err := c.call(&w.ref)
		if err != nil {
			return err
		}
		if i > 0 {
			text.WriteString(", which ")
		} else {
			fmt.Fprintf(&text, "process %d ", w.process)
		}
		other := circle[(i+1)%len(circle)]
		fmt.Fprintf(&text, "waits in %s for process %d", x.f.Name, o.waits[other][o.passed[other]].process)
	}
	if len(circle) == 0 {
		return nil
	}
	first, err := c.call(&o.waits[circle[0]][o.passed[circle[0]]].ref)
	if err != nil {
		return err
	}
	c.add(Problem{Kind: Circle, Func: first.f.Name, Site: first.site, Text: text.String()}, processes...)
	return nil
}

// maxTold is how many calls of a circle are named.
const maxTold = 4

// circle is streams of which each waits for the next one, and the last one for the first.
func (o *order) circle(stuck []int32) []int32 {
	opener := map[int]int32{}
	for _, s := range stuck {
		for _, x := range o.opens[s][o.opened[s]:] {
			if _, ok := opener[x.gate]; !ok {
				opener[x.gate] = s
			}
		}
	}
	var path []int32
	for s := stuck[0]; ; {
		if i := slices.Index(path, s); i >= 0 {
			return path[i:]
		}
		path = append(path, s)
		next, ok := opener[o.waits[s][o.passed[s]].gate]
		if !ok {
			return nil
		}
		s = next
	}
}
