package archive

import (
	"crypto/sha256"
	"io"
	"slices"
	"sync"

	"github.com/tabard-hpc/tabard/internal/codec/column"
)

// Bundles remembers how columns were coded together, for contents that are written again with
// little changed: the same columns of the same calls are not coded twice. Its zero value is empty.
// It is safe for concurrent use.
type Bundles struct {
	// Tick, unless it is nil, is called now and then while columns are coded, from several
	// goroutines.
	Tick func()

	mu    sync.Mutex
	codes map[bundleKey]bundleCode
}

// bundleKey is a hash of all that the code of a bundle depends on.
type bundleKey [sha256.Size]byte

// WriteWith is Write for a content that resembles others written with the same memo. The bytes are
// those of Write.
func (c *Content) WriteWith(w io.Writer, memo *Bundles) error {
	return c.write(w, true, func() *bundled { return c.bundle(memo) })
}

// WriteApart writes an archive of the same content whose columns are not coded together, and whose grammars
// are stored as they are: irregular ones take more room, and no time. It is meant for archives that are read
// once, right away.
func (c *Content) WriteApart(w io.Writer) error {
	return c.write(w, false, func() *bundled { return &bundled{columns: c.Columns} })
}

func (b *Bundles) find(k bundleKey) (code bundleCode, known bool) {
	if b == nil {
		return bundleCode{}, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	code, known = b.codes[k]
	return code, known
}

func (b *Bundles) tick() {
	if b != nil && b.Tick != nil {
		b.Tick()
	}
}

func (b *Bundles) keep(k bundleKey, code bundleCode) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.codes == nil {
		b.codes = map[bundleKey]bundleCode{}
	}
	b.codes[k] = code
}

// key is that of bundle k: the calls of its streams, and the columns that walking them reads.
// Columns of other bundles are not read.
func (w *bundler) key(k int, members []*bundleMember) (key bundleKey, err error) {
	h := sha256.New()
	var e encoder
	flush := func() {
		h.Write(e.Out)
		e.Out = e.Out[:0]
	}
	numbers := map[int]int{} // of columns of the bundle
	for _, o := range members {
		l, err := w.src.layout(o)
		if err != nil {
			return key, err
		}
		g := w.c.Groups[l.Group]
		unranked := uint64(0)
		if g.Unranked {
			unranked = 1
		}
		e.Uvarint(unranked)
		e.Uvarint(uint64(g.World))
		e.Uvarint(uint64(o.rank))
		e.Uvarint(uint64(len(l.tms)))
		for _, s := range l.signatures() {
			e.Sized(s.Append(nil))
		}
		flush()
		grammar := l.grammarAt(o.rank)
		e.Uvarint(uint64(len(grammar.Rules)))
		for _, body := range grammar.Rules {
			e.Uvarint(uint64(len(body)))
			for _, s := range body {
				e.Uvarint(uint64(s.ID))
				e.Uvarint(s.Count)
			}
			flush()
		}
		for n, id := range o.blobs {
			numbers[id] = len(numbers)
			e.Uvarint(uint64(o.places[n]))
			e.Sized(w.c.Columns[id])
			flush()
		}
		e.Uvarint(uint64(len(l.Columns)))
		for place := range l.Columns {
			w.keyColumn(&e, l, o, k, place, numbers)
			flush()
		}
	}
	h.Sum(key[:0])
	return key, nil
}

// keyColumn adds what a walk sees of a column, as in bundleSource.columns.
func (w *bundler) keyColumn(e *encoder, l *layout, o *bundleMember, k, place int, numbers map[int]int) {
	cases := &l.Columns[place]
	i := cases.Index(l.Ranks, o.rank)
	if i < 0 || cases.Values[i].Clock {
		e.Uvarint(0)
		return
	}
	v := &cases.Values[i]
	switch {
	case v.Blob < 0:
		e.Uvarint(1)
		elements := l.specs[place].Array && l.specs[place].Field >= 0
		if segs, ok := v.segments(o.rank, elements, l.occ[l.owner[place]]); ok {
			e.Sized(column.AppendSegments(nil, segs))
		}
	case w.src.owner[v.Blob] == int32(k)+1:
		e.Uvarint(2)
		e.Uvarint(uint64(numbers[v.Blob]))
	case w.src.owner[v.Blob] == 0:
		e.Uvarint(3)
		e.Sized(w.c.Columns[v.Blob])
	default:
		e.Uvarint(0)
	}
}

// reads tells whether a walk of the streams reads one of some columns.
func (w *bundler) reads(members []*bundleMember, columns map[int]bool) bool {
	return slices.ContainsFunc(members, func(o *bundleMember) bool {
		l, err := w.class(o.class)
		if err != nil {
			return true
		}
		return slices.ContainsFunc(l.Columns, func(cases Cases[ColumnData]) bool {
			i := cases.Index(l.Ranks, o.rank)
			return i >= 0 && !cases.Values[i].Clock && cases.Values[i].Blob >= 0 && columns[cases.Values[i].Blob]
		})
	})
}
