package waits

import (
	"cmp"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// sample is how many lengths thin looks at.
const sample = 1 << 12

// thin keeps about the longer half, passes the others to drop, unless that is nil, and returns the
// greatest length among those. Equal lengths are treated alike, whatever their order.
func thin[T any](all *[]T, length func(*T) time.Duration, drop func(*T)) time.Duration {
	a := *all
	step := max(1, len(a)/sample)
	n := (len(a)-1)/step + 1
	least := time.Duration(kth((n-1)/2, n, func(i int) uint64 { return uint64(length(&a[i*step])) }))
	n = 0
	for i := range a {
		switch {
		case length(&a[i]) > least:
			if n != i {
				a[n] = a[i]
			}
			n++
		case drop != nil:
			drop(&a[i])
		}
	}
	if *all = a[:n]; n > len(a)*3/4 { // the sample was a poor one
		return max(least, thinExactly(all, length, drop))
	}
	return least
}

// thinExactly is thin, but keeps at most half.
func thinExactly[T any](all *[]T, length func(*T) time.Duration, drop func(*T)) time.Duration {
	a := *all
	least := time.Duration(kth((len(a)-1)/2, len(a), func(i int) uint64 { return uint64(length(&a[i])) }))
	n := 0
	for i := range a {
		if length(&a[i]) > least {
			a[n] = a[i]
			n++
		} else if drop != nil {
			drop(&a[i])
		}
	}
	*all = a[:n]
	return least
}

// unite is the order of the waits by stream and call, with one wait for each call. If a call
// completed several messages, the last one decides. Sends that did not have to wait are left out.
func (f *finder) unite() []uint32 {
	order := f.byStream()
	n := 0
	for _, i := range order {
		if n > 0 {
			w, last := &f.waits[i], &f.waits[order[n-1]]
			if last.stream == w.stream && last.call == w.call {
				continue
			}
		}
		order[n] = i
		n++
	}
	return order[:n]
}

// byStream is the order of the waits by stream and call, and of those of a call by what decides.
func (f *finder) byStream() []uint32 {
	var ends []uint32
	for i := range f.waits {
		if s := int(f.waits[i].stream); s >= len(ends) {
			ends = append(ends, make([]uint32, max(s+1, 2*len(ends))-len(ends))...)
		}
		if !f.eager(&f.waits[i]) {
			ends[f.waits[i].stream]++
		}
	}
	sum := uint32(0)
	for s, n := range ends {
		ends[s] = sum
		sum += n
	}
	order := make([]uint32, sum)
	for i := range f.waits {
		if !f.eager(&f.waits[i]) {
			at := &ends[f.waits[i].stream]
			order[*at] = uint32(i)
			*at++
		}
	}
	from := uint32(0)
	for s := range ends {
		nearlySorted(order[from:ends[s]], func(i, j uint32) int {
			a, b := &f.waits[i], &f.waits[j]
			if a.call != b.call {
				return cmp.Compare(a.call, b.call)
			}
			return cmp.Or(cmp.Compare(b.end, a.end), cmp.Compare(a.kind, b.kind),
				cmp.Compare(a.lateStream, b.lateStream), cmp.Compare(a.lateCall, b.lateCall))
		})
		from = ends[s]
	}
	return order
}

// order marks late senders for which another message was already there that was received later.
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
	for _, i := range f.sorted {
		w := &f.waits[i]
		if w.kind != LateSender {
			continue
		}
		p := procs.of(f.owner[w.stream])
		if int(p) >= len(lists) {
			continue // nothing ever lay there
		}
		// The last message that was there before the one that was waited for had been sent.
		l := lists[p]
		n := before(l, at[p], w.end)
		at[p] = n
		if n > 0 && l[n-1].to > w.end && f.oneByOne(w.stream, w.term) {
			w.kind = WrongOrder
		}
	}
}

// oneByOne tells whether a call waits for one message, so that the program says which one it wants first. A call that
// completes several waits for all of them, in whatever order they come.
func (f *finder) oneByOne(stream int32, term uint32) bool {
	c := f.a.Stream(int(stream)).Class()
	known := f.single[c]
	if int(term) >= len(known) {
		known = append(known, make([]int8, max(int(term)+1, 2*len(known))-len(known))...)
		if f.single == nil {
			f.single = map[*archive.Class][]int8{}
		}
		f.single[c] = known
	}
	if known[term] == 0 {
		known[term] = 1
		if t, err := c.Template(term); err == nil { // else reading its calls would have failed
			if s := calls.SlotsOf(t.Func); s != nil && s.Requests >= 0 && spec.ByID(t.Func).Slots[s.Requests].Array {
				known[term] = -1
			}
		}
	}
	return known[term] > 0
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
