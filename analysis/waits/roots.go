package waits

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// origin is a part of a wait that goes back to a root.
type origin struct {
	root int32 // index in rootFinder.roots
	time float32
}

// maxOrigins bounds the memory for each wait; what is left over goes to the greatest.
const maxOrigins = 6

// maxBack bounds the work for each wait: how many waits of the late process are looked at.
const maxBack = 1024

// rootKey is a process and the call that came late, by its place.
type rootKey struct {
	process int32
	place   int32
}

// rootFinder follows waits back to their causes.
type rootFinder struct {
	waits   []wait
	origins [][]origin      // by wait
	of      map[int32][]int // by process: its waits in the order of their ends
	keys    map[rootKey]int32
	roots   []rootKey
	place   func(stream int32, term uint32) int32
}

// follow fills in the origins of all waits. A wait only goes back to what ended before it did, so
// in the order of ends all that it needs is known.
func (r *rootFinder) follow() {
	order := make([]int, len(r.waits))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(r.waits[a].end, r.waits[b].end), cmp.Compare(r.waits[a].begin, r.waits[b].begin), cmp.Compare(a, b))
	})
	r.origins = make([][]origin, len(r.waits))
	r.of, r.keys = map[int32][]int{}, map[rootKey]int32{}
	var parts []origin
	for _, i := range order {
		parts = r.trace(parts[:0], &r.waits[i])
		r.origins[i] = slices.Clone(parts)
		r.of[r.waits[i].waiter] = append(r.of[r.waits[i].waiter], i)
	}
}

// trace finds the origins of a wait. What made the late process late happened since the waiting one last
// waited: from then on that one did its own work without a break. The late process's waits since then come first, and what they do not explain
// is its own delay.
func (r *rootFinder) trace(parts []origin, w *wait) []origin {
	since := time.Duration(math.MinInt64)
	if own := r.of[w.waiter]; len(own) > 0 {
		since = min(r.waits[own[len(own)-1]].end, w.begin)
	}
	theirs := r.of[w.causer]
	n, _ := slices.BinarySearchFunc(theirs, since, func(i int, t time.Duration) int { return cmp.Compare(r.waits[i].end, t) })
	theirs = theirs[max(n, len(theirs)-maxBack):]
	lost := time.Duration(0)
	for until, i := since, 0; i < len(theirs); i++ {
		from, to := overlap(&r.waits[theirs[i]], &until, w.end)
		lost += to - from
	}
	length := w.length()
	scale := float32(1)
	if lost > length {
		scale = float32(length) / float32(lost)
	}
	for until, i := since, 0; i < len(theirs); i++ {
		v := &r.waits[theirs[i]]
		from, to := overlap(v, &until, w.end)
		share := scale * float32(to-from) / float32(v.length())
		if share == 0 {
			continue
		}
		for _, o := range r.origins[theirs[i]] {
			parts = add(parts, origin{o.root, o.time * share})
		}
	}
	if lost < length {
		parts = add(parts, origin{r.root(rootKey{w.causer, r.place(w.lateStream, w.lateTerm)}), float32(length - lost)})
	}
	slices.SortFunc(parts, func(a, b origin) int { return cmp.Or(cmp.Compare(b.time, a.time), cmp.Compare(a.root, b.root)) })
	for len(parts) > maxOrigins {
		parts[0].time += parts[len(parts)-1].time
		parts = parts[:len(parts)-1]
	}
	return parts
}

// overlap is the part of v from *until up to end, and moves *until there: waits of several threads may overlap.
func overlap(v *wait, until *time.Duration, end time.Duration) (from, to time.Duration) {
	from = max(v.begin, *until)
	to = max(from, min(v.end, end))
	*until = max(*until, to)
	return from, to
}

func add(parts []origin, o origin) []origin {
	for i := range parts {
		if parts[i].root == o.root {
			parts[i].time += o.time
			return parts
		}
	}
	return append(parts, o)
}

func (r *rootFinder) root(k rootKey) int32 {
	n, ok := r.keys[k]
	if !ok {
		n = int32(len(r.roots))
		r.keys[k] = n
		r.roots = append(r.roots, k)
	}
	return n
}
