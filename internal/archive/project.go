package archive

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/codec/grammar"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/codec/timing"
	"github.com/tabard-hpc/tabard/spec"
)

// projection is what makes an archive a part of another one: see Project.
type projection struct {
	of   *Archive
	from []*Class   // of each class that of the whole
	kept [][]uint32 // of each class: its terminals in the whole
}

// Kinds are the kinds of events that the archive has functions of.
func (a *Archive) Kinds() (map[spec.EventKind]bool, error) {
	kinds := map[spec.EventKind]bool{}
	for i := range a.templates {
		t, err := a.template(i)
		if err != nil {
			return nil, err
		}
		if f := spec.ByID(t.Func); !f.Own() {
			kinds[f.Kind] = true
		}
	}
	return kinds, nil
}

// MPI is the archive without events of other kinds than MPI's calls: what is known of messages and
// communicators is in it.
func (a *Archive) MPI() (*Archive, error) {
	return a.Project(func(f *spec.Func) bool { return f.Kind == 0 })
}

// Messages is the archive without events of other kinds than those of calls that communicate: MPI's, NCCL's and those of
// torch.distributed.
func (a *Archive) Messages() (*Archive, error) {
	nccl, _ := spec.EventsNamed("nccl")
	torch, _ := spec.EventsNamed("torch")
	return a.Project(func(f *spec.Func) bool { return f.Kind == 0 || f.Kind == nccl || f.Kind == torch })
}

// Calls is the archive without events that are no calls, such as begins and ends of regions.
func (a *Archive) Calls() (*Archive, error) {
	return a.Project(func(f *spec.Func) bool { return f.Shape == spec.ShapeCall })
}

// Nested is Calls with begins and ends of functions of the program, and those between the calls. What libraries called
// inside of a call is not among them.
func (a *Archive) Nested() (*Archive, error) {
	functions, _ := spec.EventsNamed("functions")
	inside := spec.ByName("function_inside")
	return a.Project(func(f *spec.Func) bool { return f.Shape == spec.ShapeCall || f.Kind == functions && f != inside })
}

// Project is a view of the archive that has the wanted functions only. Its calls have the numbers, values and
// times that they would have if the others had not been recorded; streams without any are left out. It is
// made from the grammars (grammar.Project): nothing is expanded, and columns and times are read where they
// are, so that a must stay open. An archive of wanted functions only is its own projection.
func (a *Archive) Project(wanted func(*spec.Func) bool) (*Archive, error) {
	all := true
	for i := range a.templates {
		t, err := a.template(i)
		if err != nil {
			return nil, err
		}
		all = all && wanted(spec.ByID(t.Func))
	}
	if all {
		return a, nil
	}
	c := &Content{Meta: a.meta, Modules: a.modules, Sites: a.sites, Groups: a.groups}
	for i := range a.templates {
		t, err := a.template(i)
		if err != nil {
			return nil, err
		}
		c.Templates = append(c.Templates, t)
	}
	p := &projection{of: a}
	for _, cl := range a.classes {
		d, kept, err := cl.project(wanted)
		if err != nil {
			return nil, err
		}
		if len(kept) > 0 {
			c.Classes = append(c.Classes, d)
			p.from, p.kept = append(p.from, cl), append(p.kept, kept)
		}
	}
	v, err := c.Archive(FileName(a.file), MaxSection(a.maxSection), MaxWork(a.maxWork))
	if err != nil {
		return nil, err
	}
	v.projection, v.stats, v.closer = p, a.stats, a.closer
	return v, nil
}

// project deletes the calls of functions that are not wanted. kept are the old numbers of the terminals.
func (c *Class) project(wanted func(*spec.Func) bool) (out *ClassData, kept []uint32, err error) {
	l, err := c.open()
	if err != nil {
		return nil, nil, err
	}
	p, err := l.Grammar.Project(func(t uint32) bool { return int(t) < len(l.tms) && wanted(spec.ByID(l.tms[t].Func)) })
	if err != nil {
		return nil, nil, c.a.broken("structure/classes", -1, "class %d: %v", c.index, err)
	}
	d := &ClassData{Group: l.Group, Thread: l.Thread, Ranks: l.Ranks, Grammar: p.Grammar, Strings: l.Strings,
		Timing: l.Timing}
	for _, k := range p.Open {
		d.Trips = append(d.Trips, l.Trips[k])
	}
	polls := false
	for _, t := range p.Terminals {
		d.Terminals = append(d.Terminals, l.Terminals[t])
		d.Params = append(d.Params, l.Params[t])
		d.Columns = append(d.Columns, l.Columns[l.first[t]:l.first[t+1]]...)
		polls = polls || l.tms[t].Flags&Polls != 0
	}
	if polls {
		d.Calls, err = c.callsOf(p.Terminals)
	}
	return d, p.Terminals, err
}

// callsOf is the number of calls behind some terminals at each rank.
func (c *Class) callsOf(terminals []uint32) (*RankFunc, error) {
	var values []int64
	for rank := range c.head.Ranks.All() {
		counts, err := c.Stream(rank).Counts()
		if err != nil {
			return nil, err
		}
		n := uint64(0)
		for _, t := range terminals {
			n += counts[t]
		}
		values = append(values, int64(n))
	}
	size := c.Group().Size
	return rankfunc.Fit(c.a.context.contexts.of(size), c.head.Ranks, values), nil
}

// whole is the stream of the archive that the stream's is a projection of, and the terminals of the stream in it.
func (s *Stream) whole() (*Stream, []uint32) {
	p := s.a.projection
	return p.from[s.class.index].Stream(s.rank), p.kept[s.class.index]
}

// Whole is the stream that s is a part of, if s is one of a projection (see Archive.Project), and the terminals of s
// there; else s itself, and nil.
func (s *Stream) Whole() (of *Stream, terminals []uint32) {
	for of = s; of.a.projection != nil; {
		outer, kept := of.whole()
		if terminals != nil {
			inner := terminals
			kept, terminals = make([]uint32, len(inner)), kept
			for i, t := range inner {
				kept[i] = terminals[t]
			}
		}
		of, terminals = outer, kept
	}
	return of, terminals
}

// Whole is the archive that a is a projection of; else a itself.
func (a *Archive) Whole() *Archive {
	for a.projection != nil {
		a = a.projection.of
	}
	return a
}

// openProjected opens the times of a projection's stream.
func (s *Stream) openProjected(l *layout) (*Timing, error) {
	w, kept := s.whole()
	t, err := w.openTiming()
	if t == nil || err != nil {
		return nil, err
	}
	wl, err := w.open()
	if err != nil {
		return nil, err
	}
	keep := make([]bool, len(wl.tms))
	for _, k := range kept {
		keep[k] = true
	}
	weights := wl.x.Weigh(func(t uint32) bool { return keep[t] })
	return t.Select(timing.Selection{Len: l.call, Keep: keep, Terminals: kept,
		Before: func(i uint64) (uint64, error) { return w.keptBefore(wl, i, keep, weights) }}), nil
}

// keptBefore is the number of calls of some terminals before call i.
func (s *Stream) keptBefore(l *layout, i uint64, keep []bool, weights *grammar.Weights) (uint64, error) {
	if len(l.polls) == 0 {
		return weights.Before(i), nil
	}
	event, inside, before := l.x.Len(), uint64(0), l.occ
	if i < l.call {
		var err error
		if event, inside, before, err = s.locate(l, i); err != nil {
			return 0, err
		}
	}
	n := weights.Before(event)
	for _, t := range l.polls {
		if !keep[t] {
			continue
		}
		sum, err := s.sum(l, l.first[t], before[t])
		if err != nil {
			return 0, err
		}
		n += sum - before[t]
	}
	if inside > 0 && keep[l.x.At(event)] {
		n += inside
	}
	return n, nil
}

// storable loads what Content gives, of a projection: the columns that its classes have, and times encoded
// anew, without loss beyond that of the whole. Times that are stored without their calls are left out.
func (a *Archive) storable() (*Content, error) {
	c := *a.content
	c.Classes = nil
	columns := map[int]int{}
	for i, cl := range a.classes {
		d := *a.content.Classes[i]
		d.Columns = make([]Cases[ColumnData], len(d.Columns))
		for k := range d.Columns {
			old := &a.content.Classes[i].Columns[k]
			d.Columns[k] = Cases[ColumnData]{Sets: old.Sets, Values: append([]ColumnData(nil), old.Values...)}
			for j := range d.Columns[k].Values {
				v := &d.Columns[k].Values[j]
				switch {
				case v.Clock:
					b, err := a.blob(&a.timings, uint32(v.Blob))
					if err != nil {
						return nil, err
					}
					v.Blob = len(c.Timings)
					c.Timings = append(c.Timings, b)
				case v.Blob >= 0:
					n, known := columns[v.Blob]
					if !known {
						b, err := a.column(v.Blob)
						if err != nil {
							return nil, err
						}
						n = len(c.Columns)
						columns[v.Blob] = n
						c.Columns = append(c.Columns, b)
					}
					v.Blob = n
				}
			}
		}
		var err error
		if d.Timing, err = a.retime(cl, &c, TimingMode{Kind: TimingLossless}); err != nil {
			return nil, err
		}
		c.Classes = append(c.Classes, &d)
	}
	return &c, nil
}

// encodeTimes encodes the times of a projection's stream, nil if there are none of single calls.
func (s *Stream) encodeTimes() ([]byte, error) {
	t, err := s.Timing()
	if t == nil || err != nil {
		return nil, err
	}
	b := timing.New(TimingMode{Kind: TimingLossless}, nil)
	if err := t.Each(b.Append); err != nil {
		return nil, fmt.Errorf("%s: stream %d: %w", s.a.file, s.index, err)
	}
	return b.Encode(nil, t.Classes()), nil
}
