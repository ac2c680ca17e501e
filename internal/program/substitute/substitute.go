// Package substitute makes of a recording that of the same program with the library's collectives in the place of
// those that it makes of messages.
//
// In each process the calls of the messages go, and what completes them; the collective stands where the last message
// was received, or the first one sent by who receives none. What other calls do stays, in its order. Sets of
// processes that are no communicator get one, by a split right after the initialisation. Whether the result could run
// is what package consistency tells of it: a replacement with which messages have no receive any more, or calls wait
// for each other, is not made.
package substitute

import (
	"fmt"
	"slices"

	"github.com/tabard-hpc/tabard/analysis/collectives"
	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/analysis/consistency"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/merge"
)

// A Result is a recording with replacements.
type Result struct {
	Archive *archive.Archive
	// Why says of each finding why it was not replaced; empty if it was.
	Why []string
}

// Of replaces findings of an archive, as many of them as go together. Those that wanted refuses stay.
func Of(a *archive.Archive, found *collectives.Result, wanted func(*collectives.Finding) bool) (*Result, error) {
	a, err := collectives.Projected(a)
	if err != nil {
		return nil, err
	}
	known, err := comms.Analyze(a, nil)
	if err != nil {
		return nil, err
	}
	x := &substitution{a: a, comms: known, processes: map[int32]int{}}
	x.look()
	if x.problems, err = problems(a); err != nil {
		return nil, err
	}
	r := &Result{Why: make([]string, len(found.Findings))}
	var plans []*plan
	var numbers []int
	for i := range found.Findings {
		f := &found.Findings[i]
		if !wanted(f) {
			r.Why[i] = fmt.Sprintf("it is %s", f.Grade)
			continue
		}
		p := &plan{substitution: x, f: f}
		if r.Why[i] = p.make(); r.Why[i] == "" {
			plans, numbers = append(plans, p), append(numbers, i)
		}
	}
	return r, x.choose(r, plans, numbers)
}

// choose takes all plans, or, if they do not go together, one after the other those that go with those before.
func (x *substitution) choose(r *Result, plans []*plan, numbers []int) (err error) {
	var why string
	if r.Archive, why, err = x.with(plans); err != nil || why == "" {
		return err
	}
	var good []*plan
	for i, p := range plans {
		a, why, err := x.with(append(slices.Clone(good), p))
		if err != nil {
			return err
		}
		if r.Why[numbers[i]] = why; why == "" {
			good, r.Archive = append(good, p), a
		}
	}
	if len(good) == 0 {
		r.Archive, _, err = x.with(nil)
	}
	return err
}

type substitution struct {
	a         *archive.Archive
	comms     *comms.Result
	processes map[int32]int // their places in the archive
	threads   map[int32]int
	objects   int64 // communicators that a process makes at most
	problems  map[[4]string]bool
}

// look finds the processes.
func (x *substitution) look() {
	x.threads = map[int32]int{}
	for i, p := range x.comms.Processes {
		x.processes[int32(p.Member)] = i
		for _, o := range p.Objects {
			if o.Ref%2 == 0 { // it is none of the predefined ones
				x.objects = max(x.objects, o.Ref/2)
			}
		}
	}
	for s := range x.a.Streams() {
		x.threads[int32(x.comms.Processes[s.Process()].Member)]++
	}
}

// mostOrdered is how many calls of a job are looked at for circles of waits; they take some 200 B each.
const mostOrdered = 1 << 23

func check(a *archive.Archive) ([]consistency.Problem, error) {
	return consistency.With(a, consistency.Options{Ordered: mostOrdered, Strict: true})
}

// problems are what does not fit together in an archive.
func problems(a *archive.Archive) (map[[4]string]bool, error) {
	list, err := check(a)
	keys := map[[4]string]bool{}
	for i := range list {
		keys[list[i].Key()] = true
	}
	return keys, err
}

// with is the archive with some plans carried out, unless that is not possible, or the result could not run.
func (x *substitution) with(plans []*plan) (*archive.Archive, string, error) {
	part := merge.New()
	meta := *x.a.Meta()
	part.SetMeta(meta)
	all := x.edits(plans)
	streams := map[int][]archive.StreamData{}
	for s := range x.a.Streams() {
		e := all[int32(x.comms.Processes[s.Process()].Member)]
		if e == nil {
			e = newEdits()
		}
		d, why, err := e.stream(s)
		if err != nil || why != "" {
			return nil, why, err
		}
		streams[s.Process()] = append(streams[s.Process()], d)
	}
	for i, d := range x.a.Ranks() {
		if err := part.Add(*d, streams[i]); err != nil {
			return nil, "", err
		}
	}
	c, err := part.Content()
	if err != nil {
		return nil, "", err
	}
	a, err := c.Archive(archive.FileName(x.a.File()))
	if err != nil || len(plans) == 0 {
		return a, "", err
	}
	list, err := check(a)
	for i := range list {
		if !x.problems[list[i].Key()] {
			return nil, "with it calls would not fit together: " + list[i].Text, err
		}
	}
	return a, "", err
}

// edits are what plans do to each process.
func (x *substitution) edits(plans []*plan) map[int32]*edits {
	all := map[int32]*edits{}
	for _, p := range plans {
		for _, t := range p.taken {
			of(all, t.process).taken[t.call]++
		}
		for _, m := range p.made {
			to := of(all, m.process)
			to.made[m.call] = append(to.made[m.call], m.sig)
		}
	}
	next := x.objects
	for _, p := range plans {
		if !p.splits {
			continue
		}
		code := archive.DynamicRef(next)
		for member := range x.processes {
			of(all, member).splits = append(of(all, member).splits, x.split(p.f.Sets, member, code))
		}
		for _, m := range p.made {
			m.sig.Slots[m.comm] = reference(code)
		}
		next++
	}
	return all
}

func of(all map[int32]*edits, process int32) *edits {
	if all[process] == nil {
		all[process] = newEdits()
	}
	return all[process]
}
