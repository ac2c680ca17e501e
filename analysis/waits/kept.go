package waits

import (
	"cmp"
	"slices"
	"time"
)

// thin keeps the longer half and returns the length of the longest one of the others, which stand behind it.
func thin[T any](all *[]T, length func(*T) time.Duration) time.Duration {
	slices.SortFunc(*all, func(a, b T) int { return cmp.Compare(length(&b), length(&a)) })
	n := len(*all) / 2
	least := length(&(*all)[n])
	for n > 0 && length(&(*all)[n-1]) == least {
		n-- // equal ones go together, whatever their order
	}
	*all = (*all)[:n]
	return least
}

// unite leaves one wait of each call: of several messages that a call completed the last one decides. Sends that did not have to wait
// go.
func (f *finder) unite() {
	f.waits = slices.DeleteFunc(f.waits, func(w wait) bool { return f.eager(&w) })
	slices.SortFunc(f.waits, func(a, b wait) int {
		return cmp.Or(cmp.Compare(a.stream, b.stream), cmp.Compare(a.call, b.call), cmp.Compare(b.end, a.end),
			cmp.Compare(a.kind, b.kind), cmp.Compare(a.lateStream, b.lateStream), cmp.Compare(a.lateCall, b.lateCall))
	})
	f.waits = slices.CompactFunc(f.waits, func(a, b wait) bool { return a.stream == b.stream && a.call == b.call })
}

// order marks late senders while another message lay there that was received later.
func (f *finder) order() {
	slices.SortFunc(f.idle, func(a, b idle) int {
		return cmp.Or(cmp.Compare(a.process, b.process), cmp.Compare(a.from, b.from))
	})
	// reach is the latest end of the messages of the process so far.
	reach := make([]time.Duration, len(f.idle))
	for i, m := range f.idle {
		reach[i] = m.to
		if i > 0 && f.idle[i-1].process == m.process {
			reach[i] = max(reach[i], reach[i-1])
		}
	}
	for i := range f.waits {
		w := &f.waits[i]
		if w.kind != LateSender {
			continue
		}
		// The last message that was there before the one that was waited for had been sent.
		n, _ := slices.BinarySearchFunc(f.idle, w, func(m idle, w *wait) int {
			return cmp.Or(cmp.Compare(m.process, w.waiter), cmp.Compare(m.from, w.end))
		})
		if n > 0 && f.idle[n-1].process == w.waiter && reach[n-1] > w.end {
			w.kind = WrongOrder
		}
	}
	f.idle = nil
}
