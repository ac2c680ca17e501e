package collectives

import (
	"slices"
)

// merge makes one finding of those of one place in the program: the same operation, of the same grade, with an
// innermost frame of a call in common, whoever called it, and whose sets are equal or have no process in common: the
// rows of a grid.
func merge(found []Finding, place func(site int32) string) []Finding {
	var out []Finding
	for _, x := range found {
		i := slices.IndexFunc(out, func(y Finding) bool {
			return x.Grade != NearMiss && x.Operation == y.Operation && x.Grade == y.Grade &&
				(x.neighborhoods != nil && agree(x.neighborhoods, y.neighborhoods) ||
					x.neighborhoods == nil && fit(x.Sets, y.Sets)) &&
				(common(x.SendSites, y.SendSites, place) || common(x.RecvSites, y.RecvSites, place))
		})
		if i < 0 {
			out = append(out, x)
			continue
		}
		out[i].add(&x)
	}
	if len(out) < len(found) { // what has been put together may have more in common now
		return merge(out, place)
	}
	return out
}

func common(a, b []int32, place func(int32) string) bool {
	return slices.ContainsFunc(a, func(s int32) bool {
		return slices.ContainsFunc(b, func(t int32) bool { return place(s) == place(t) })
	})
}

// agree tells whether processes that are in both have the same neighbours.
func agree(a, b []neighborhood) bool {
	of := map[int32][]int32{}
	for _, n := range a {
		of[n.origin] = n.members
	}
	return !slices.ContainsFunc(b, func(n neighborhood) bool {
		other, both := of[n.origin]
		return both && !slices.Equal(other, n.members)
	})
}

func fit(a, b [][]int32) bool {
	for _, s := range a {
		for _, t := range b {
			if !slices.Equal(s, t) && slices.ContainsFunc(s, func(p int32) bool { return slices.Contains(t, p) }) {
				return false
			}
		}
	}
	return true
}

// add takes another finding in. Bytes, steps and the instance are those of the larger one.
func (f *Finding) add(x *Finding) {
	if f.Comm != x.Comm {
		f.Comm = -1
	}
	if x.Bytes > f.Bytes {
		f.Bytes, f.Block, f.Segments, f.Algorithm = x.Bytes, x.Block, x.Segments, x.Algorithm
		f.Steps, f.Messages, f.One = x.Steps, x.Messages, x.One
	}
	f.neighborhoods, f.same = append(f.neighborhoods, x.neighborhoods...), f.same && x.same
	for _, s := range x.Sets {
		if f.neighborhoods == nil && // else they follow from who is a neighbour
			!slices.ContainsFunc(f.Sets, func(t []int32) bool { return slices.Equal(s, t) }) {
			f.Sets = append(f.Sets, s)
		}
	}
	for _, r := range x.Roots {
		f.addRoot(r)
	}
	f.turns = append(f.turns, x.turns...)
	f.All = append(f.All, x.All...)
	f.SendSites, f.RecvSites = union(f.SendSites, x.SendSites), union(f.RecvSites, x.RecvSites)
	f.Instances += x.Instances
	f.Proven += x.Proven
	f.Unproven, f.Against, f.Parts = union(f.Unproven, x.Unproven), union(f.Against, x.Against), union(f.Parts, x.Parts)
}

func union[T int | int32 | string](a, b []T) []T {
	a = append(slices.Clone(a), b...)
	slices.Sort(a)
	return slices.Compact(a)
}
