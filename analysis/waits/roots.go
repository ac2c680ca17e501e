package waits

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// origin is the part of a wait that one root caused.
type origin struct {
	root int32 // index in rootFinder.roots
	time float32
	// files is the part of the time in which the late process accessed files.
	files float32
}

// maxOrigins bounds the memory for each wait. What is left over is added to the greatest origin.
const maxOrigins = 6

// maxBack bounds the work for each wait: how many waits of the late process are looked at.
const maxBack = 1024

// rootKey is a process and the call that came late, by its place; ordered tells apart what began with a wait in the
// wrong order.
type rootKey struct {
	process int32
	place   int32
	ordered bool
}

// rootFinder follows waits back to their causes.
type rootFinder struct {
	waits []wait
	owner []int32  // the process of each stream
	which []uint32 // of them
	// The origins of wait i are the counts[i] from starts[i] on in found.
	found  []origin
	starts []uint32
	counts []uint8
	procs  slots
	of     [][]uint32 // by process: its waits in the order of their ends
	keys   pairTable
	roots  []rootKey
	place  func(stream int32, term uint32) int32
	files  *accessTimes
}

func (r *rootFinder) origins(i uint32) []origin { return r.found[r.starts[i]:][:r.counts[i]] }

// follow fills in the origins of all waits. A wait depends only on waits that ended before it, so
// in the order of ends everything that it needs is known.
func (r *rootFinder) follow() {
	r.starts, r.counts = make([]uint32, len(r.waits)), make([]uint8, len(r.waits))
	r.found = make([]origin, 0, len(r.which)+len(r.which)/4)
	var parts []origin
	for _, x := range r.byEnd() {
		i := x.i
		w := &r.waits[i]
		waiter, causer := r.list(r.owner[w.stream]), r.list(r.owner[w.lateStream])
		parts = r.trace(parts[:0], w, r.of[waiter], r.of[causer])
		r.starts[i], r.counts[i] = uint32(len(r.found)), uint8(len(parts))
		r.found = append(r.found, parts...)
		r.of[waiter] = append(r.of[waiter], i)
	}
	r.of = nil
}

// byEnd is the order of the waits by their ends, those with the same end by their begins, streams
// and calls.
func (r *rootFinder) byEnd() []keyed {
	order := make([]keyed, len(r.which))
	for k, i := range r.which {
		order[k] = keyed{uint64(r.waits[i].end) ^ 1<<63, i} // times may be negative
	}
	order = byKey(order, make([]keyed, len(order)))
	for from, k := 0, 1; k <= len(order); k++ {
		if k < len(order) && order[k].key == order[from].key {
			continue
		}
		if k-from > 1 {
			slices.SortFunc(order[from:k], func(a, b keyed) int {
				v, w := &r.waits[a.i], &r.waits[b.i]
				return cmp.Or(cmp.Compare(v.begin, w.begin), cmp.Compare(v.stream, w.stream),
					cmp.Compare(v.call, w.call))
			})
		}
		from = k
	}
	return order
}

// list is the number of the list of a process.
func (r *rootFinder) list(process int32) int32 {
	n := r.procs.of(process)
	for int(n) >= len(r.of) {
		r.of = append(r.of, nil)
	}
	return n
}

// trace finds the origins of a wait. Whatever delayed the late process happened after the last wait
// of the waiting process, which has worked without a break since then. The late process's own waits
// since then come first. What they do not explain is its own delay.
func (r *rootFinder) trace(parts []origin, w *wait, own, theirs []uint32) []origin {
	since := time.Duration(math.MinInt64)
	if len(own) > 0 {
		since = min(r.waits[own[len(own)-1]].end, w.begin)
	}
	theirs = r.after(theirs, since)
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
		for _, o := range r.origins(theirs[i]) {
			parts = add(parts, origin{o.root, o.time * share, o.files * share})
		}
	}
	if lost < length {
		in := min(r.files.within(w.lateStream, w.begin, w.end), length-lost)
		parts = add(parts, origin{r.root(r.owner[w.lateStream], r.place(w.lateStream, w.lateTerm),
			w.kind == WrongOrder),
			float32(length - lost), float32(in)})
	}
	if len(parts) > 1 {
		slices.SortFunc(parts, func(a, b origin) int {
			return cmp.Or(cmp.Compare(b.time, a.time), cmp.Compare(a.root, b.root))
		})
	}
	for len(parts) > maxOrigins {
		parts[0].time += parts[len(parts)-1].time
		parts[0].files += parts[len(parts)-1].files
		parts = parts[:len(parts)-1]
	}
	return parts
}

// after is the waits of a list that end at or after a time, at most the last maxBack. As a rule
// they are few.
func (r *rootFinder) after(list []uint32, t time.Duration) []uint32 {
	list = list[max(0, len(list)-maxBack):]
	lo := len(list) // list[lo:] does not end before t
	for step := 1; lo > 0; step *= 2 {
		k := max(0, lo-step)
		if r.waits[list[k]].end < t {
			n, _ := slices.BinarySearchFunc(list[k:lo], t, func(i uint32, t time.Duration) int {
				return cmp.Compare(r.waits[i].end, t)
			})
			return list[k+n:]
		}
		lo = k
	}
	return list
}

// overlap is the part of v from *until up to end, and moves *until there: waits of several threads
// may overlap.
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
			parts[i].files += o.files
			return parts
		}
	}
	return append(parts, o)
}

func (r *rootFinder) root(process, place int32, ordered bool) int32 {
	key := uint32(place) << 1
	if ordered {
		key++
	}
	n := r.keys.of(uint32(process), key)
	if int(n) == len(r.roots) {
		r.roots = append(r.roots, rootKey{process, place, ordered})
	}
	return int32(n)
}

// joined numbers the roots by process and place only: of is the number of each root, roots are those that there are.
func (r *rootFinder) joined() (of []int32, roots []rootKey) {
	var numbers pairTable
	of = make([]int32, len(r.roots))
	for i, k := range r.roots {
		n := numbers.of(uint32(k.process), uint32(k.place))
		if of[i] = int32(n); int(n) == len(roots) {
			roots = append(roots, k)
		}
	}
	return of, roots
}
