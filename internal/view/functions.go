package view

import (
	"github.com/tabard-hpc/tabard/analysis/functions"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/view/api"
	"github.com/tabard-hpc/tabard/spec"
)

// Limits of the nest of functions: levels, and places.
const (
	maxDepth  = 64
	maxPlaces = 20_000
)

// functionNest answers /api/functions: which functions of the program were called where in the nest of functions, by
// some ranks or all.
func functionNest(q *question) (any, error) {
	a := q.rec.whole
	kinds, err := a.Kinds()
	if err != nil {
		return nil, err
	}
	if k, ok := spec.EventsNamed("functions"); !ok || !kinds[k] {
		return nil, absent("no functions of the program were recorded: tabard record --functions records them")
	}
	q.flags = selection.Flags{Ranks: q.args.Get("rank")}
	chosen, err := q.resolve(a)
	if err != nil {
		return nil, err
	}
	defer q.meter.Reading(chosen)()
	r, err := functions.Of(a, chosen)
	if err != nil {
		return nil, err
	}
	n := &api.FunctionNest{Timed: r.Timed, Complete: r.Grow(maxDepth), Places: []api.FunctionPlace{}}
	var add func(c *functions.Context, depth int)
	add = func(c *functions.Context, depth int) {
		for _, x := range c.Children() {
			if len(n.Places) == maxPlaces || depth == maxDepth {
				n.Complete = false
				return
			}
			n.Places = append(n.Places, api.FunctionPlace{Depth: depth, Name: x.Name(), Calls: x.Calls, Time: x.Time})
			add(x, depth+1)
		}
	}
	add(r.Root, 0)
	return n, nil
}
