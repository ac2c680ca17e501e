package waits

import (
	"time"

	"github.com/tabard-hpc/tabard/analysis/match"
)

// briefKey is equal for short waits that are summed up together: pattern, call that waited and call
// that came late.
type briefKey struct {
	stream, lateStream int32
	term, lateTerm     uint32
	kind               Kind
}

// briefs sums up the waits that are too short to be kept.
type briefs struct {
	table[briefKey]
	sums []Sum
}

// of is the number of a key's sum.
func (b *briefs) of(at *briefKey) int32 {
	n := b.number(*at)
	if int(n) == len(b.sums) {
		b.sums = append(b.sums, Sum{})
	}
	return int32(n)
}

// lastShort is the latest wait of a stream that is too short to be kept. It is counted when a later
// call has one.
type lastShort struct {
	call   uint64
	length time.Duration
	of     int32 // 1 + number of its sum; 0 for no wait
}

// short counts a wait that is not kept, of a call that waited for a time d. Of several waits of one
// call that follow one another the longest counts.
func (f *finder) short(k *briefKey, bytes int64, call uint64, d time.Duration) {
	if k.kind == LateReceiver && f.fits(bytes, k.stream, k.lateStream) {
		return
	}
	last := &f.shorts[k.stream]
	if last.of > 0 && last.call == call && d <= last.length {
		return
	}
	n := last.of
	if n == 0 || f.brief.keys[n-1] != *k {
		n = 1 + f.brief.of(k)
	}
	switch {
	case last.of > 0 && call < last.call: // one that was kept until now
		f.brief.sums[n-1].add(d)
		return
	case last.call != call:
		f.count(last)
	}
	*last = lastShort{call, d, n}
}

// count adds a wait to its sum, if there is one.
func (f *finder) count(w *lastShort) {
	if w.of > 0 {
		f.brief.sums[w.of-1].add(w.length)
	}
}

// takeBack drops the short wait of a call that has waited longer for another call.
func (f *finder) takeBack(done *match.Ref) {
	if last := &f.shorts[done.Stream]; last.call == done.Call {
		last.of = 0
	}
}

// merge adds sums of waits with the same key.
func (s *Sum) merge(o *Sum) {
	s.Count += o.Count
	s.Time += o.Time
	s.Max = max(s.Max, o.Max)
}
