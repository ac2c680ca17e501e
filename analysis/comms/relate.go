package comms

import (
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	parts "github.com/tabard-hpc/tabard/internal/record/merge"
	"github.com/tabard-hpc/tabard/spec"
)

// relateMost is how many processes are looked at, at most, for the sake of smaller parameters.
const relateMost = 1 << 22

// Relate lets the archive of p express peers and roots relative to the own rank in communicators
// that the program made. It is to be called when p is complete, just before it is written.
func Relate(p *parts.Part) error {
	c, err := p.Content()
	if err != nil {
		return err
	}
	if !makesComms(c) {
		return nil
	}
	a, err := untimed(c).Archive()
	if err != nil {
		return err
	}
	r, err := Analyze(a, nil)
	if err != nil {
		return err
	}
	p.SetMembers(r.members(a))
	return nil
}

// makesComms reports whether calls make communicators, in more than one process and not in too
// many.
func makesComms(c *archive.Content) bool {
	ranks := 0
	for _, g := range c.Groups {
		ranks += g.Ranks.Len()
	}
	if ranks < 2 || ranks > relateMost {
		return false
	}
	for _, t := range c.Templates {
		f := spec.ByID(t.Func)
		for i := range f.Slots {
			if s := &f.Slots[i]; s.Class == spec.Comm && s.Out {
				return true
			}
		}
	}
	return false
}

// untimed is c without time stamps, which may be large.
func untimed(c *archive.Content) *archive.Content {
	d := *c
	d.Timings, d.Classes = slices.Clone(c.Timings), nil
	for _, cl := range c.Classes {
		for _, i := range cl.Timing.Values {
			if i >= 0 {
				d.Timings[i] = nil
			}
		}
		k := *cl
		k.Timing = archive.Cases[int]{Values: []int{-1}}
		d.Classes = append(d.Classes, &k)
	}
	return &d
}

// members tells the rank in a communicator where that is certain.
func (r *Result) members(a *archive.Archive) parts.Members {
	type key struct{ world, rank int }
	process := map[key]int{}
	for i := range a.NumRanks() {
		if d := a.Rank(i); d.Rank >= 0 {
			process[key{d.World, d.Rank}] = i
		}
	}
	return func(world, rank int, comm int64) (commRank, size int, ok bool) {
		i, known := process[key{world, rank}]
		if !known || i >= len(r.Processes) {
			return 0, 0, false
		}
		objects := r.Processes[i].Objects
		for k := range objects {
			o := &objects[k]
			if o.Ref != comm {
				continue
			}
			c := o.Comm
			if c == nil || c.Inter || c.Partial != "" || o.Rank < 0 ||
				ok && (o.Rank != commRank || c.Members.Len() != size) {
				return 0, 0, false
			}
			commRank, size, ok = o.Rank, c.Members.Len(), true
		}
		return commRank, size, ok
	}
}
