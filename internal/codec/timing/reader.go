package timing

import (
	"iter"
	"math"
	"sort"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// A Source gives parts of an encoding.
type Source interface {
	Size() int64
	// Bytes returns n bytes at off, which lie within Size.
	Bytes(off int64, n int) ([]byte, error)
}

// Bytes is a source that is in memory.
type Bytes []byte

// Size is the number of bytes.
func (b Bytes) Size() int64 { return int64(len(b)) }

// Bytes returns n bytes at off.
func (b Bytes) Bytes(off int64, n int) ([]byte, error) {
	return b[off : off+int64(n) : off+int64(n)], nil
}

// A Walker tells which terminals a stream's calls have.
type Walker interface {
	// Terminals is their number.
	Terminals() int
	// Walk sets dst to the terminals of the calls from index from on, which exist.
	Walk(from uint64, dst []uint32) error
}

// A Span is the start and end of a call, in ticks.
type Span struct{ Start, End uint64 }

// A Reader gives access to encoded starts and ends of calls. It decodes a
// block when a call of it is asked for, and keeps the latest one. It is not safe
// for concurrent use.
type Reader struct {
	src       Source
	walk      Walker
	n         uint64
	coding    *coding
	classes   []uint32 // of each terminal
	ofRule    []uint8
	errs      Errors
	aggregate *Aggregates
	levels    []level    // 0 is that of the blocks
	blocks    int64      // where they begin
	whole     bool       // all calls are one block
	sel       *selection // nil: all calls

	cached       int // block in starts and ends, -1 none
	starts, ends []uint64
	tops         []uint64 // of ends, for seeks: see firstEnding
	terms        []uint32
	err          error
}

// A level of the pyramid.
type level struct {
	at, size int64
	calls    uint64 // of an entry
	node     int    // in entries, -1 none
	entries  []summaryEntry
}

// headBytes is how much is read to begin with.
const headBytes = 4096

// Open checks the frame of what a Builder encoded, which must be all of src, and returns a
// reader of it. walk is asked for the terminals of calls; nil if there is only one class of calls.
//
// The content of a block is checked when it is decoded: Err and Check tell.
func Open(src Source, walk Walker) (*Reader, error) {
	// The head is usually short: with many terminals it is not.
	for n := int64(headBytes); ; n *= 16 {
		n = min(n, src.Size())
		in, err := src.Bytes(0, int(n))
		if err != nil {
			return nil, err
		}
		r := &Reader{src: src, walk: walk, cached: -1}
		p := open(in, 0)
		r.head(p, n == src.Size())
		if p.Err == nil {
			return r, r.place(p)
		}
		if n == src.Size() {
			return nil, p.Err
		}
	}
}

// OpenBytes is Open for an encoding in memory.
func OpenBytes(in []byte, walk Walker) (*Reader, error) { return Open(Bytes(in), walk) }

// head reads what comes before the levels; all tells that p holds everything.
func (r *Reader) head(p *byteio.Reader, all bool) {
	r.n = p.Uvarint()
	if r.n == 0 || p.Err != nil {
		return
	}
	if r.coding = readCoding(p); p.Err != nil {
		return
	}
	limit := 0
	if r.walk != nil {
		limit = r.walk.Terminals()
	}
	r.classes = readTerminals(p, limit)
	if len(r.coding.mode.Rules) > 0 {
		r.ofRule = p.Sized()
		for _, b := range r.ofRule {
			if int(b) > len(r.coding.mode.Rules) {
				p.Fail("bound out of range")
			}
		}
	}
	switch r.coding.mode.Kind {
	case Aggregate:
		if !all && p.Err == nil {
			p.Fail("more is needed")
			return
		}
		r.aggregate = readAggregates(p, r.n)
		if p.Err == nil && p.Left() > 0 {
			p.Fail("bytes after the aggregates")
		}
		return
	case Published:
		r.errs.read(p)
		if r.whole = true; r.n > maxWhole {
			p.Fail("too many calls for a published method")
		}
		r.blocks = int64(p.Pos)
		return
	case Lossy:
		r.errs.read(p)
	}
	if p.Byte() != blockShift && p.Err == nil {
		p.Fail("unknown size of blocks")
	}
	entries := (r.n-1)>>blockShift + 1
	for calls := uint64(blockCalls); ; calls *= fanout {
		r.levels = append(r.levels, level{calls: calls, node: -1})
		if entries <= fanout {
			break
		}
		entries = (entries-1)/fanout + 1
	}
	for i := len(r.levels) - 1; i >= 0; i-- {
		if r.levels[i].size = int64(p.Uvarint() & math.MaxInt64); r.levels[i].size > r.src.Size() {
			p.Fail("cut off")
		}
	}
	r.blocks = int64(p.Pos)
}

// place finds the levels behind the head.
func (r *Reader) place(p *byteio.Reader) error {
	if r.n == 0 || r.coding.mode.Kind == Aggregate {
		if p.Left() > 0 {
			p.Fail("bytes after the last call")
		}
		return p.Err
	}
	for i := len(r.levels) - 1; i >= 0; i-- {
		r.levels[i].at = r.blocks
		if r.blocks += r.levels[i].size; r.blocks > r.src.Size() {
			return broken(r.src.Size(), "cut off")
		}
	}
	// Each block takes some bytes, and so do calls in small blocks. This bounds what a reader
	// allocates.
	if blocks := (r.n - 1) >> blockShift; !r.whole && uint64(r.src.Size()-r.blocks) < blocks {
		return broken(r.src.Size(), "cut off")
	}
	return nil
}

// Len returns the number of calls.
func (r *Reader) Len() uint64 { return r.n }

// Mode is how the times are stored; Lossless if there is no call.
func (r *Reader) Mode() Mode {
	if r.coding == nil {
		return Mode{Kind: Lossless}
	}
	return r.coding.mode
}

// Rate is the rate of the clock by which bounds were converted to ticks; 1 and 1 if there are none.
func (r *Reader) Rate() Rate {
	if r.coding == nil {
		return Rate{1, 1}
	}
	return r.coding.rate
}

// Errors are the errors that the stored times have, as measured when they were recorded; zero for
// exact ones.
func (r *Reader) Errors() Errors {
	e := r.errs
	e.Calls = r.n
	return e
}

// PerCall tells whether each call's times are there. Otherwise Aggregates has what is known.
func (r *Reader) PerCall() bool { return r.aggregate == nil }

// Classes is the class of each terminal that summaries and aggregates speak of; nil if there is one
// class. The caller must not change it.
func (r *Reader) Classes() []uint32 { return r.classes }

// Err returns the first error that decoding met; all times of such a block are 0.
func (r *Reader) Err() error { return r.err }

// Check decodes all blocks and summaries, compares them, and returns the first error.
func (r *Reader) Check() error {
	if r.n == 0 || r.aggregate != nil {
		return r.err
	}
	if r.sel != nil {
		return r.sel.of.Check()
	}
	at := r.blocks
	for k := range r.Blocks() {
		r.load(k)
		if r.err != nil || r.whole {
			return r.err
		}
		e := r.entry(0, uint64(k))
		if r.err == nil && r.blocks+e.offset != at {
			r.err = broken(at, "blocks do not follow one another")
		}
		at += int64(e.size)
		if s := r.loaded(e.From, e.To); r.err == nil && !s.equal(&e.Summary) {
			r.err = broken(r.blocks+e.offset, "the summary of a block differs from its calls")
		}
	}
	for l := 1; l < len(r.levels) && r.err == nil; l++ {
		for i := range (r.n-1)/r.levels[l].calls + 1 {
			if s, e := sumOf(r.node(l-1, i)), r.entry(l, i); r.err == nil && !s.equal(&e.Summary) {
				r.err = broken(r.levels[l].at, "a summary differs from those that it sums up")
			}
		}
	}
	if r.err == nil && at != r.src.Size() {
		r.err = broken(at, "bytes after the last call")
	}
	return r.err
}

func (r *Reader) callsOf(block int) int {
	if r.whole {
		return int(r.n)
	}
	return int(min(r.n-uint64(block)<<blockShift, blockCalls))
}

// At returns the start and end of call i, in ticks. They are 0 if i is not below
// Len, after an error, and if times of calls are not stored.
func (r *Reader) At(i uint64) (start, end uint64) {
	if i >= r.n || r.aggregate != nil {
		return 0, 0
	}
	if r.sel != nil {
		starts, ends := r.spanSelected(i)
		return starts[0], ends[0]
	}
	k := int(i >> blockShift)
	if r.whole {
		k = 0
	} else {
		i &= blockCalls - 1
	}
	if r.cached != k {
		r.load(k)
	}
	return r.starts[i], r.ends[i]
}

// Span returns the starts and ends of the calls from index i on that are in the same block, at
// least one if there is a call i. They are valid until the next call of a method. This is the
// fastest way to read all.
func (r *Reader) Span(i uint64) (starts, ends []uint64) {
	if i >= r.n || r.aggregate != nil {
		return nil, nil
	}
	if r.sel != nil {
		return r.spanSelected(i)
	}
	r.At(i)
	if !r.whole {
		i &= blockCalls - 1
	}
	return r.starts[i:], r.ends[i:]
}

// Range returns an iterator over the calls from index from up to, but not including, to.
func (r *Reader) Range(from, to uint64) iter.Seq2[uint64, Span] {
	return func(yield func(uint64, Span) bool) {
		if r.aggregate != nil {
			return
		}
		for i := from; i < min(to, r.n); i++ {
			start, end := r.At(i)
			if !yield(i, Span{start, end}) {
				return
			}
		}
	}
}

// SeekTime returns the first call that ends at or after t, or Len if there is none. It decodes one
// block. If that is the latest one decoded, it takes far less than a microsecond.
func (r *Reader) SeekTime(t uint64) uint64 {
	if r.n == 0 || r.aggregate != nil {
		return r.n
	}
	if r.sel != nil {
		return r.seekSelected(t)
	}
	k, base := uint64(0), uint64(0)
	if !r.whole {
		// Down the pyramid: the first entry that has a call which ends late enough.
		for l := len(r.levels) - 1; l >= 0; l-- {
			node := r.node(l, k)
			i := sort.Search(len(node), func(i int) bool {
				for _, e := range node[:i+1] {
					if e.Latest >= t {
						return true
					}
				}
				return false
			})
			if i == len(node) {
				if l == len(r.levels)-1 {
					return r.n
				}
				i = len(node) - 1 // an entry above lies; behind this one is the best answer
			}
			if i < 0 {
				return r.n
			}
			k = k*fanout + uint64(i)
		}
		base = k << blockShift
	}
	r.load(int(k))
	return base + uint64(r.firstEnding(t))
}

// seekStep is how many calls share an entry of tops.
const seekStep = 64

// firstEnding returns the first call of the loaded block that ends at or after t, or their number
// if there is none. Ends need not be in order, but the latest end so far is.
func (r *Reader) firstEnding(t uint64) int {
	if len(r.tops) == 0 {
		top := uint64(0)
		for i, end := range r.ends {
			if top = max(top, end); i%seekStep == seekStep-1 {
				r.tops = append(r.tops, top)
			}
		}
	}
	i := seekStep * sort.Search(len(r.tops), func(i int) bool { return r.tops[i] >= t })
	for i < len(r.ends) && r.ends[i] < t {
		i++
	}
	return i
}

// Blocks returns the number of blocks that the calls are stored in.
func (r *Reader) Blocks() int {
	switch {
	case r.n == 0 || r.aggregate != nil:
		return 0
	case r.sel != nil:
		r.placeSelected()
		return len(r.sel.blocks)
	case r.whole:
		return 1
	}
	return int((r.n-1)>>blockShift + 1)
}

// Block tells, without decoding it, which calls block k holds, the start of the
// first of them and the latest end.
func (r *Reader) Block(k int) (from, to, start, end uint64) {
	s := r.Summary(k)
	return s.From, s.To, s.First, s.Latest
}
