package archive

import (
	"sort"
	"sync"
	"sync/atomic"

	"github.com/tabard-hpc/tabard/internal/codec/timing"
)

// lazy is a value that is made at its first use. Several goroutines may make
// it at the same time; all get the same one. A failure is not kept.
type lazy[T any] struct{ p atomic.Pointer[T] }

func (l *lazy[T]) get(make func() (*T, error)) (*T, error) {
	if v := l.p.Load(); v != nil {
		return v, nil
	}
	v, err := make()
	if err != nil {
		return nil, err
	}
	if !l.p.CompareAndSwap(nil, v) {
		v = l.p.Load()
	}
	return v, nil
}

// blobs are byte strings that lie one after the other in the sections of one
// type. Only those of timing are cut by the end of a section.
type blobs struct {
	list [][]byte // they, if they are in no file, and nothing of the rest

	ends     []int64 // end of each blob in the concatenation of the sections
	sections []int   // their numbers in the container
	starts   []int64 // where each begins in the concatenation, then the end
}

func (b *blobs) len() int { return max(len(b.list), len(b.ends)) }

// placeBlobs works out where blobs of the given lengths lie and checks that
// they fill the sections exactly.
func (a *Archive) placeBlobs(typ uint32, part string, lengths []int64) (blobs, error) {
	b := blobs{ends: lengths, starts: []int64{0}}
	raw := int64(0)
	for i, s := range a.c.Sections() {
		if s.Type != typ || s.Version == 0 || s.Version > sectionVersion {
			continue
		}
		if raw+s.Raw < raw {
			return b, broken(sectionNames[typ], s.Offset, "lengths of sections overflow")
		}
		raw += s.Raw
		b.sections = append(b.sections, i)
		b.starts = append(b.starts, raw)
	}
	at, k := int64(0), 0
	for i, n := range lengths {
		for k+1 < len(b.starts) && b.starts[k+1] <= at {
			k++
		}
		limit := raw
		if k+1 < len(b.starts) && typ != secTiming {
			limit = b.starts[k+1]
		}
		if n < 0 || n > limit-at {
			return b, broken(
				part,
				-1,
				"item %d of %d bytes does not fit into the %d that are left of its section",
				i,
				n,
				limit-at,
			)
		}
		at += n
		b.ends[i] = at
	}
	if at != raw {
		return b, broken(part, -1, "items have %d bytes, but the sections hold %d", at, raw)
	}
	return b, nil
}

// blob loads blob i, which shares memory with its section.
func (a *Archive) blob(b *blobs, i uint32) ([]byte, error) {
	if a.projection != nil {
		of := a.projection.of
		if b == &a.timings {
			return of.blob(&of.timings, i)
		}
		return of.blob(&of.columns, i)
	}
	if b.list != nil {
		return b.list[i], nil
	}
	end, start := b.ends[i], int64(0)
	if i > 0 {
		start = b.ends[i-1]
	}
	if start == end {
		return nil, nil
	}
	return a.blobRange(b, start, end)
}

// blobRange loads what lies from start to end in the concatenation of the sections. Unless it goes
// beyond one section it shares memory with that.
func (a *Archive) blobRange(b *blobs, start, end int64) ([]byte, error) {
	var out []byte
	for k := sort.Search(len(b.sections), func(k int) bool { return b.starts[k+1] > start }); start < end; k++ {
		raw, err := a.cache.get(b.sections[k], a.load)
		if err != nil {
			return nil, err
		}
		from, to := start-b.starts[k], min(end, b.starts[k+1])-b.starts[k]
		if out == nil && b.starts[k+1] >= end {
			return raw[from:to:to], nil
		}
		out = append(out, raw[from:to]...)
		start = b.starts[k+1]
	}
	return out, nil
}

// blobSource is a blob that is loaded in parts.
type blobSource struct {
	a          *Archive
	b          *blobs
	start, end int64
}

func (a *Archive) blobSource(b *blobs, i uint32) timing.Source {
	if b.list != nil {
		return timing.Bytes(b.list[i])
	}
	s := &blobSource{a: a, b: b, end: b.ends[i]}
	if i > 0 {
		s.start = b.ends[i-1]
	}
	return s
}

// Size is the number of bytes.
func (s *blobSource) Size() int64 { return s.end - s.start }

// Bytes returns n bytes at off.
func (s *blobSource) Bytes(off int64, n int) ([]byte, error) {
	return s.a.blobRange(s.b, s.start+off, s.start+off+int64(n))
}

// cache keeps the sections used last, up to max bytes.
type cache struct {
	max     int64
	mu      sync.Mutex
	size    int64
	entries []cached // least recently used first
}

type cached struct {
	section int
	raw     []byte
}

func (c *cache) get(section int, load func(int) ([]byte, error)) ([]byte, error) {
	if raw := c.find(section); raw != nil {
		return raw, nil
	}
	raw, err := load(section)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries = append(c.entries, cached{section, raw})
	c.size += int64(len(raw))
	for c.size > c.max && len(c.entries) > 1 {
		c.size -= int64(len(c.entries[0].raw))
		c.entries = c.entries[1:]
	}
	return raw, nil
}

func (c *cache) find(section int) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, e := range c.entries {
		if e.section == section {
			copy(c.entries[i:], c.entries[i+1:])
			c.entries[len(c.entries)-1] = e
			return e.raw
		}
	}
	return nil
}
