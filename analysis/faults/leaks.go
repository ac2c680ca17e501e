package faults

import (
	"cmp"
	"slices"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// LeastLeft is how many objects of one call site a process must have left for a leak: few that are made at the
// beginning and kept are none.
const LeastLeft = 16

// Leak is objects of one call site that were never freed.
type Leak struct {
	Place
	Class spec.Class
	// Made is how many were made there, Count how many of them were never freed.
	Made uint64
	// Most is the greatest number that one process has left, MostProcess that process.
	Most        uint64
	MostProcess int32
}

// leakClasses are the classes of objects that a program should free; of requests the persistent ones. Others are looked
// at with the messages that they are for: see package consistency.
var leakClasses = []spec.Class{
	spec.Comm,
	spec.Group,
	spec.Type,
	spec.Op,
	spec.Win,
	spec.File,
	spec.Info,
	spec.Errhandler,
	spec.Request,
}

type leakKey struct {
	fn, site string
	class    spec.Class
}

// leaks looks for objects that are not freed in processes that ended in order.
func leaks(p *calls.Program) ([]Leak, error) {
	streams := map[int][]*archive.Stream{}
	for s := range p.Archive.Streams() {
		if s.Rank().Complete {
			streams[s.Process()] = append(streams[s.Process()], s)
		}
	}
	l := &leaker{p: p, found: map[leakKey]*Leak{}, ranks: map[leakKey]map[int]bool{}}
	for i := range p.Processes() {
		classes, err := unbalanced(streams[i])
		if err != nil {
			return nil, err
		}
		if len(classes) > 0 {
			if err := l.process(p.Number(i), streams[i], classes); err != nil {
				return nil, err
			}
		}
	}
	var list []Leak
	for k, x := range l.found {
		x.Processes = setOf(l.ranks[k])
		list = append(list, *x)
	}
	slices.SortFunc(list, func(a, b Leak) int {
		return cmp.Or(cmp.Compare(b.Most, a.Most), cmp.Compare(a.Func+a.Site, b.Func+b.Site))
	})
	return list, nil
}

// unbalanced are the classes of which a process makes at least LeastLeft more than it frees.
func unbalanced(streams []*archive.Stream) ([]spec.Class, error) {
	var left [spec.NumClasses]int64
	for _, s := range streams {
		sigs, err := s.Signatures()
		if err != nil {
			return nil, err
		}
		var counts []uint64
		for t, sig := range sigs {
			k := calls.LifeSlot(sig, leakClasses)
			if k < 0 {
				continue
			}
			if counts == nil {
				if counts, err = s.Counts(); err != nil {
					return nil, err
				}
			}
			if slot := &spec.ByID(sig.Func).Slots[k]; slot.Life == spec.Free {
				left[slot.Class] -= int64(counts[t])
			} else {
				left[slot.Class] += int64(counts[t])
			}
		}
	}
	var classes []spec.Class
	for c, n := range left {
		if n >= LeastLeft {
			classes = append(classes, spec.Class(c))
		}
	}
	return classes, nil
}

type leaker struct {
	p     *calls.Program
	found map[leakKey]*Leak
	ranks map[leakKey]map[int]bool
}

// alive is an object: which stream and terminal made it, and when.
type alive struct {
	stream   *archive.Stream
	terminal uint32
	event    uint64
	times    int // made less freed
}

// madeBy is how many objects a terminal of a stream made and left.
type madeBy struct {
	stream   *archive.Stream
	terminal uint32
}

func (l *leaker) process(number int32, streams []*archive.Stream, classes []spec.Class) error {
	type object struct {
		class spec.Class
		ref   int64
	}
	objects := map[object]*alive{}
	made := map[madeBy]uint64{}
	for _, s := range streams {
		err := calls.Lives(s, classes, func(x *calls.Life) {
			k := object{x.Class, x.Ref}
			o := objects[k]
			if o == nil {
				o = &alive{}
				objects[k] = o
			}
			if x.Ends {
				o.times--
				return
			}
			o.times++
			o.stream, o.terminal, o.event = s, x.Terminal, x.Event
			made[madeBy{s, x.Terminal}]++
		})
		if err != nil {
			return err
		}
	}
	left := map[leakKey]uint64{}
	first := map[leakKey]*alive{}
	for k, o := range objects {
		if o.times <= 0 || o.stream == nil {
			continue
		}
		sig, err := o.stream.Signature(o.terminal)
		if err != nil {
			return err
		}
		at := leakKey{spec.ByID(sig.Func).Name, siteOf(o.stream, sig), k.class}
		left[at]++
		if f := first[at]; f == nil || o.event < f.event {
			first[at] = o
		}
	}
	all := map[leakKey]uint64{}
	for k, n := range made {
		sig, err := k.stream.Signature(k.terminal)
		if err != nil {
			return err
		}
		f := spec.ByID(sig.Func)
		all[leakKey{f.Name, siteOf(k.stream, sig), f.Slots[calls.LifeSlot(sig, classes)].Class}] += n
	}
	for k, n := range left {
		if n < LeastLeft {
			continue
		}
		if err := l.add(k, number, n, all[k], first[k]); err != nil {
			return err
		}
	}
	return nil
}

func (l *leaker) add(k leakKey, number int32, left, made uint64, first *alive) error {
	x := l.found[k]
	if x == nil {
		call, err := first.stream.CallsBefore(first.event)
		if err != nil {
			return err
		}
		x = &Leak{Class: k.class, Place: Place{Func: k.fn, Site: k.site, Process: number,
			Stream: int32(first.stream.Index()),
			Call:   call}}
		l.found[k], l.ranks[k] = x, map[int]bool{}
	}
	x.Count += left
	x.Made += made
	if left > x.Most {
		x.Most, x.MostProcess = left, number
	}
	if len(l.ranks[k]) < maxProcesses {
		l.ranks[k][int(number)] = true
	}
	return nil
}
