package selection

import (
	"encoding/binary"
	"iter"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
)

// Unit is streams of a class that make the same calls in the same order: they differ in
// the values of parameters only. What counts calls looks at one of them.
type Unit struct {
	Class *archive.Class
	// Ranks are the members, some of Class.Ranks.
	Ranks *archive.RankSet
	// Part is what is selected of the first member. Its Range and counts are those of all.
	Part *Part
}

// Units yields the selection in units, class by class. Where all calls are selected, or time steps,
// a class has one unit for each combination of trip counts that its members have, so that the
// number of units, and mostly the time, does not depend on the number of ranks. Each stream is a
// unit of its own where a window of time or communicators are selected, or if the lengths of its
// runs of polls are its own. After an error the iteration ends.
func (r *Resolved) Units() iter.Seq2[*Unit, error] {
	return func(yield func(*Unit, error) bool) {
		classes := r.Classes()
		tell := r.teller(classes)
		for _, c := range classes {
			sets, err := r.alike(c)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, ranks := range sets {
				tell(ranks.Len())
				p, err := r.Part(c.Class.Stream(ranks.Min()))
				if err != nil {
					yield(nil, err)
					return
				}
				if p != nil && !yield(&Unit{c.Class, ranks, p}, nil) {
					return
				}
			}
		}
	}
}

// alike divides ranks into sets with the same calls.
func (r *Resolved) alike(c ClassPart) ([]*archive.RankSet, error) {
	d, err := c.Class.Data()
	if err != nil {
		return nil, err
	}
	own, trips := r.Selection.Window != nil || r.Selection.Comms != nil, d.Trips
	if r.path != nil || r.steps != nil && r.steps.regions != nil {
		whole, _ := c.Class.Stream(c.Ranks.Min()).Whole()
		w, err := whole.Class().Data()
		if err != nil {
			return nil, err
		}
		trips = w.Trips
		vary, err := namesVary(whole.Class())
		if err != nil {
			return nil, err
		}
		own = own || vary
	}
	for t := range d.Terminals {
		if own {
			break
		}
		tm, err := c.Class.Template(uint32(t))
		if err != nil {
			return nil, err
		}
		own = tm.Flags&archive.Polls != 0 && !sameRuns(c.Class, d, uint32(t))
	}
	switch {
	case own:
		var sets []*archive.RankSet
		for rank := range c.Ranks.All() {
			sets = append(sets, rankfunc.Range(rank, rank+1))
		}
		return sets, nil
	case len(trips) == 0:
		return []*archive.RankSet{c.Ranks}, nil
	}
	var keys []string
	of := map[string][]int{}
	for rank := range c.Ranks.All() {
		var b []byte
		for _, f := range trips {
			b = binary.AppendVarint(b, f.At(rank))
		}
		if _, ok := of[string(b)]; !ok {
			keys = append(keys, string(b))
		}
		of[string(b)] = append(of[string(b)], rank)
	}
	var sets []*archive.RankSet
	for _, k := range keys {
		sets = append(sets, rankfunc.NewSet(of[k]))
	}
	return sets, nil
}

// sameRuns tells whether the runs of polls of terminal t have the same lengths at all members of a
// class.
func sameRuns(c *archive.Class, d *archive.ClassData, t uint32) bool {
	place := 0
	for i := range t {
		tm, err := c.Template(i)
		if err != nil {
			return false
		}
		place += len(tm.Columns())
	}
	if place >= len(d.Columns) || len(d.Columns[place].Values) != 1 {
		return false
	}
	for i := range d.Columns[place].Values[0].Params {
		p := &d.Columns[place].Values[0].Params[i]
		if p.Fn != nil {
			if _, ok := p.Fn.Constant(); !ok {
				return false
			}
		}
		if p.Base != nil || p.Vec != nil {
			return false
		}
	}
	return true
}
