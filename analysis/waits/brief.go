package waits

import "time"

// briefKey is what waits have in common that are only counted: pattern, call that waited and call that came late.
type briefKey struct {
	stream, lateStream int32
	term, lateTerm     uint32
	kind               Kind
}

// briefs sums up the waits that are too short to be kept. A cache comes before the map: most keys come again soon.
type briefs struct {
	cache [256]struct {
		key briefKey
		n   int32 // 1 + number
	}
	all  map[briefKey]int32
	keys []briefKey
	sums []Sum
}

// of is the number of a key's sum.
func (b *briefs) of(at *briefKey) int32 {
	k := *at
	h := uint64(uint32(k.stream))<<32 | uint64(uint32(k.lateStream))
	h = (h*0x9e3779b97f4a7c15 ^ uint64(k.term)<<32 ^ uint64(k.lateTerm)<<8 ^ uint64(k.kind)) * 0x9e3779b97f4a7c15
	c := &b.cache[h>>56]
	if c.n == 0 || c.key != k {
		n, ok := b.all[k]
		if !ok {
			if b.all == nil {
				b.all = map[briefKey]int32{}
			}
			n = int32(len(b.keys))
			b.all[k] = n
			b.keys, b.sums = append(b.keys, k), append(b.sums, Sum{})
		}
		c.key, c.n = k, n+1
	}
	return c.n - 1
}

// lastShort is the latest wait of a stream that short counted.
type lastShort struct {
	call   uint64
	length time.Duration
	of     int32 // 1 + number of its sum; 0 for no wait
}

// short counts a wait that is not kept, of a call that waited for a time d. Of several waits of one call that follow one another the longest counts.
func (f *finder) short(k *briefKey, bytes int64, call uint64, d time.Duration) {
	if k.kind == LateReceiver && f.fits(bytes, k.stream, k.lateStream) {
		return
	}
	last := &f.shorts[k.stream]
	n := last.of
	if n > 0 && last.call == call {
		if more := d - last.length; more > 0 {
			s := &f.brief.sums[n-1]
			s.Time += more
			s.Max = max(s.Max, d)
			last.length = d
		}
		return
	}
	if n == 0 || f.brief.keys[n-1] != *k {
		n = 1 + f.brief.of(k)
	}
	f.brief.sums[n-1].add(d)
	*last = lastShort{call, d, n}
}

// merge adds sums of waits of the same sort.
func (s *Sum) merge(o *Sum) {
	s.Count += o.Count
	s.Time += o.Time
	s.Max = max(s.Max, o.Max)
}
