package consistency

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
)

// Kind says what does not fit together.
type Kind uint8

// Kinds of problems.
const (
	// Alone: a send without a receive, or the reverse.
	Alone Kind = iota
	// Short: a buffer that is too small for the message.
	Short
	// Missing: a collective that not all members call.
	Missing
	// Mixed: a collective for which members call different functions.
	Mixed
	// Differing: a parameter of a collective that differs between members.
	Differing
	// Unequal: a collective that sends more or less than is received.
	Unequal
	// Membership: what is known of a communicator contradicts what the program was told.
	Membership
	// Negative: a parameter that must not be negative, and is.
	Negative
	// Circle: calls that wait for each other.
	Circle
	// Types: a message that is received as another datatype than it was sent as.
	Types
)

// Problem is calls from one place that do not fit together with other calls.
type Problem struct {
	Kind Kind
	// Func, Site and Param say which calls; empty if unknown, or if all of a call is meant.
	Func, Site, Param string
	// Processes are those that made the calls, up to 65,536 of them; nil if that is not known.
	Processes *rankfunc.Set
	// Text says in words what is wrong, as the end of a sentence.
	Text string
}

// Key is what equal problems of jobs of other sizes have in common.
func (p *Problem) Key() [4]string {
	return [4]string{strconv.Itoa(int(p.Kind)), p.Func, p.Site, p.Param}
}

// maxProblems is how many problems are listed, maxProcesses how many processes of one.
const (
	maxProblems  = 64
	maxProcesses = 1 << 16
)

// Of lists what does not fit together, in no more than 64 problems, those of one place put
// together. The time it takes is that of matching all messages. Errors are those of reading.
func Of(a *archive.Archive) ([]Problem, error) { return With(a, Options{Ordered: MaxOrdered}) }

// Options say how to look.
type Options struct {
	Ordered uint64 // calls of a job that is looked at for circles of waits
	// Strict lets all members of a collective wait for all others, which the standard allows: no program may depend on
	// its not being so. And calls whose outcome depends on what comes first wait for what they have in the archive.
	Strict bool
	Most   uint64 // calls that are matched one by one, 0 for any number: see match.Options
}

// With is Of with options.
func With(a *archive.Archive, opts Options) ([]Problem, error) {
	p, err := calls.Open(a)
	if err != nil {
		return nil, err
	}
	c := &checker{p: p, opts: opts, found: map[[4]string]*finding{}, calls: map[callKey]*call{}}
	for _, n := range p.Comms.Notes {
		if n.Kind == comms.Contradiction {
			c.add(Problem{Kind: Membership, Text: n.Text})
		}
	}
	if err := c.negatives(); err != nil {
		return nil, err
	}
	_, err = match.RunProgram(p, match.Options{Message: c.message, Collective: c.collective, Unmatched: c.unmatched,
		Untimed: true, Fold: true, Most: opts.Most})
	if err != nil {
		return nil, err
	}
	if len(c.found) == 0 { // what does not fit together waits for something else
		if err := c.circles(); err != nil {
			return nil, err
		}
	}
	return c.problems(), nil
}

// finding is a problem while processes are still added to it.
type finding struct {
	Problem
	processes map[int]bool
	order     int
}

type checker struct {
	p     *calls.Program
	opts  Options
	found map[[4]string]*finding
	calls map[callKey]*call
}

// told tells whether a problem of some processes was noted before: it may come millions of times, and its text need not
// be made again.
func (c *checker) told(x *Problem, processes ...int32) bool {
	f := c.found[x.Key()]
	if f == nil {
		return len(c.found) == maxProblems
	}
	return len(f.processes) == maxProcesses ||
		!slices.ContainsFunc(processes, func(p int32) bool { return !f.processes[int(p)] })
}

// add notes a problem of some processes.
func (c *checker) add(x Problem, processes ...int32) {
	k := x.Key()
	f := c.found[k]
	if f == nil {
		if len(c.found) == maxProblems {
			return
		}
		f = &finding{Problem: x, processes: map[int]bool{}, order: len(c.found)}
		c.found[k] = f
	}
	for _, p := range processes {
		if len(f.processes) < maxProcesses {
			f.processes[int(p)] = true
		}
	}
}

func setOf(processes map[int]bool) *rankfunc.Set {
	return rankfunc.NewSet(slices.Sorted(maps.Keys(processes)))
}

func (c *checker) problems() []Problem {
	list := make([]*finding, 0, len(c.found))
	for _, f := range c.found {
		if len(f.processes) > 0 {
			f.Processes = setOf(f.processes)
		}
		list = append(list, f)
	}
	// A collective that does not fit comes first, because what follows it is off, too.
	slices.SortFunc(list, func(x, y *finding) int {
		return cmp.Or(cmp.Compare(y.Kind, x.Kind), cmp.Compare(x.order, y.order))
	})
	out := make([]Problem, len(list))
	for i, f := range list {
		out[i] = f.Problem
	}
	return out
}

// unmatched handles an end of a message without a partner.
func (c *checker) unmatched(u *match.Unmatched) error {
	x, err := c.call(&u.Post)
	if err != nil {
		return err
	}
	at := Problem{Kind: Alone, Func: u.Func.Name, Site: x.site}
	if c.told(&at, u.Process) {
		return nil
	}
	switch {
	case u.Send:
		at.Text = fmt.Sprintf("process %d sends to %s with tag %d, which does not receive it", u.Process, c.name(u.Peer),
			u.Tag)
	case u.Peer < 0 && u.Wild:
		at.Text = fmt.Sprintf("process %d receives from anyone, and nobody sends", u.Process)
	default:
		at.Text = fmt.Sprintf("process %d receives from %s with tag %d, which sends no such message", u.Process,
			c.name(u.Peer), u.Tag)
	}
	c.add(at, u.Process)
	return nil
}

// name says who a partner is.
func (c *checker) name(peer int32) string {
	if peer < 0 {
		return "a rank that the communicator does not have"
	}
	return fmt.Sprintf("process %d", peer)
}

// message checks that the receive of a message has room for it.
func (c *checker) message(m *match.Message) error {
	to, err := c.call(&m.Recv.Post)
	if err != nil {
		return err
	}
	if m.Recv.Wild || m.Recv.Probe != nil || to.room < 0 {
		return nil
	}
	from, err := c.call(&m.Send.Post)
	if err != nil || from.size < 0 || from.size <= to.room {
		return err
	}
	at := Problem{Kind: Short, Func: to.f.Name, Site: to.site}
	if c.told(&at, m.Recv.Process) {
		return nil
	}
	at.Text = fmt.Sprintf("process %d has room for %d bytes, and process %d sends %d", m.Recv.Process, to.room,
		m.Send.Process, from.size)
	c.add(at, m.Recv.Process)
	return nil
}
