package infer

import (
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// howOften is the reason of an obstacle that is about how often a call is made.
const howOften = "how often it is made does not follow from rank and size"

// causes leaves out obstacles that only follow from others: where the parts of a message begin, from how long they are;
// what a collective receives, from what is sent. Calls whose values vary fall into pieces that are made at some ranks
// and not at others, but all together equally often.
func (m *inference) causes(classes []*class) {
	all := slices.Clone(m.obstacles.List)
	values := slices.ContainsFunc(all, func(o Obstacle) bool { return o.Param != "" })
	m.obstacles.List = slices.DeleteFunc(m.obstacles.List, func(o Obstacle) bool {
		if o.Reason == howOften {
			return values && equallyOften(classes, &o)
		}
		return slices.ContainsFunc(all, func(x Obstacle) bool {
			return x.Func == o.Func && x.Site == o.Site && x.Reason == o.Reason && follows(&o, x.Param)
		})
	})
}

// follows tells whether the parameter of an obstacle follows from another one of its call.
func follows(o *Obstacle, from string) bool {
	f := spec.ByName(o.Func)
	if f == nil || o.Param == "" || from == "" {
		return false
	}
	is := func(param int8, name string) bool { return param >= 0 && f.Params[param].Name == name }
	for i := range f.Params {
		if p := &f.Params[i]; is(p.BufDispls, o.Param) && is(p.BufCount, from) {
			return true
		}
	}
	count := func(r spec.Role) string {
		if i := f.Slot(r); i >= 0 {
			return archive.SlotName(f, &f.Slots[i])
		}
		return ""
	}
	return f.Has(spec.Collective) && from != o.Param && count(spec.RoleSendCount) == from &&
		count(spec.RoleRecvCount) == o.Param
}

// equallyOften tells whether the call of an obstacle is made equally often by all threads of some classes.
func equallyOften(classes []*class, o *Obstacle) bool {
	first, known := uint64(0), false
	for _, k := range classes {
		c := k.recording.c
		var of []int
		for t, id := range k.d.Terminals {
			if x := c.Templates[id]; specFunc(x).Name == o.Func && siteName(c, x.Site) == o.Site {
				of = append(of, t)
			}
		}
		for _, rank := range k.ranks {
			n := uint64(0)
			for _, t := range of {
				n += k.occurrences(rank)[t]
			}
			if known && n != first {
				return false
			}
			first, known = n, true
		}
	}
	return known
}
