package waits

import (
	"cmp"
	"slices"
	"time"
)

// appendTo appends x, and doubles the room for all if there is none, up to most.
func appendTo[T any](all []T, x *T, most int) []T {
	if len(all) == cap(all) {
		all = slices.Grow(all, max(1024, min(len(all), most-len(all))))
	}
	return append(all, *x)
}

// thin keeps the longer half, moves the others behind it and returns the length of the longest one of these. Equal ones
// go together, whatever their order.
func thin[T any](all *[]T, length func(*T) time.Duration) time.Duration {
	a := *all
	least := time.Duration(kth(len(a)-1-len(a)/2, len(a), func(i int) uint64 { return uint64(length(&a[i])) }))
	n := 0
	for i := range a {
		if length(&a[i]) > least {
			a[n], a[i] = a[i], a[n]
			n++
		}
	}
	*all = a[:n]
	return least
}

// unite leaves one wait of each call: of several messages that a call completed the last one decides. Sends that did not have to wait
// go. It returns the order of what is left by stream and call.
func (f *finder) unite() []uint32 {
	f.waits = slices.DeleteFunc(f.waits, func(w wait) bool { return f.eager(&w) })
	order := f.byStream()
	drop := make([]bool, len(f.waits))
	n := 0
	for k, i := range order {
		if w := &f.waits[i]; k > 0 && n > 0 {
			if last := &f.waits[order[n-1]]; last.stream == w.stream && last.call == w.call {
				drop[i] = true
				continue
			}
		}
		order[n] = i
		n++
	}
	order = order[:n]
	if n == len(f.waits) {
		return order
	}
	to := make([]uint32, len(f.waits))
	n = 0
	for i, gone := range drop {
		if to[i] = uint32(n); !gone {
			f.waits[n] = f.waits[i]
			n++
		}
	}
	f.waits = f.waits[:n]
	for k, i := range order {
		order[k] = to[i]
	}
	return order
}

// byStream is the order of the waits by stream and call, and of those of a call by what decides.
func (f *finder) byStream() []uint32 {
	streams := 0
	for i := range f.waits {
		streams = max(streams, int(f.waits[i].stream)+1)
	}
	ends := make([]uint32, streams+1)
	for i := range f.waits {
		ends[f.waits[i].stream+1]++
	}
	for s := range streams {
		ends[s+1] += ends[s]
	}
	order := make([]uint32, len(f.waits))
	for i := range f.waits {
		at := &ends[f.waits[i].stream]
		order[*at] = uint32(i)
		*at++
	}
	from := uint32(0)
	for s := range streams {
		nearlySorted(order[from:ends[s]], func(i, j uint32) int {
			a, b := &f.waits[i], &f.waits[j]
			if a.call != b.call {
				return cmp.Compare(a.call, b.call)
			}
			return cmp.Or(cmp.Compare(b.end, a.end), cmp.Compare(a.kind, b.kind), cmp.Compare(a.lateStream, b.lateStream), cmp.Compare(a.lateCall, b.lateCall))
		})
		from = ends[s]
	}
	return order
}

// arrange brings the waits into an order, which it uses up.
func (f *finder) arrange(order []uint32) {
	for k := range order {
		if order[k] == uint32(k) {
			continue
		}
		first := f.waits[k]
		to := uint32(k)
		for {
			i := order[to]
			order[to] = to
			if i == uint32(k) {
				f.waits[to] = first
				break
			}
			f.waits[to] = f.waits[i]
			to = i
		}
	}
}

// order marks late senders while another message lay there that was received later. The waits are in the order of
// streams and calls.
func (f *finder) order() {
	var procs slots
	var lists [][]idle
	counts := []int{}
	for i := range f.idle {
		n := procs.of(f.idle[i].process)
		if int(n) == len(counts) {
			counts = append(counts, 0)
		}
		counts[n]++
	}
	all := make([]idle, len(f.idle))
	for _, n := range counts {
		lists = append(lists, all[:0:n])
		all = all[n:]
	}
	for i := range f.idle {
		n := procs.of(f.idle[i].process)
		lists[n] = append(lists[n], f.idle[i])
	}
	f.idle = nil
	at := make([]int, len(lists)) // where the last wait of the process was
	for _, l := range lists {
		slices.SortFunc(l, func(a, b idle) int { return cmp.Compare(a.from, b.from) })
		// From now on to is the latest end of the messages of the process so far.
		for i := 1; i < len(l); i++ {
			l[i].to = max(l[i].to, l[i-1].to)
		}
	}
	for i := range f.waits {
		w := &f.waits[i]
		if w.kind != LateSender {
			continue
		}
		p := procs.of(w.waiter)
		if int(p) >= len(lists) {
			continue // nothing ever lay there
		}
		// The last message that was there before the one that was waited for had been sent.
		l := lists[p]
		n := before(l, at[p], w.end)
		at[p] = n
		if n > 0 && l[n-1].to > w.end {
			w.kind = WrongOrder
		}
	}
}

// before is how many messages were there before t, in steps that double from n on.
func before(l []idle, n int, t time.Duration) int {
	lo, hi := n, n // l[:lo] is before t, l[hi:] is not
	for step := 1; lo > 0 && l[lo-1].from >= t; step *= 2 {
		hi = lo - 1
		lo = max(0, lo-step)
	}
	for step := 1; hi < len(l) && l[hi].from < t; step *= 2 {
		lo = hi + 1
		hi = min(len(l), hi+step)
	}
	k, _ := slices.BinarySearchFunc(l[lo:hi], t, func(m idle, t time.Duration) int { return cmp.Compare(m.from, t) })
	return lo + k
}
