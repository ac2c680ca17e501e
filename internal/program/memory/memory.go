// Package memory finds out which memory the calls of a recording use: the blocks that addresses are
// in, how large they are, and where datatypes lead out of them.
//
// A recording does not say where blocks lie, and of static memory and stacks not how large they are.
// Both follow from what calls do with them: from the lengths of buffers, and from the extents of
// datatypes, which are worked out from the calls that make them. Datatypes may lead from one block
// into another by the difference of two addresses. Blocks for which that may be so are followed call
// by call (see Reaches), as numbers of blocks and of datatypes are used again and again.
package memory

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
)

// Memory is what the calls of a job use.
type Memory struct {
	// Segments are the blocks, sorted by kind and number.
	Segments []*Segment
	// Records are what is recorded of segments of the heap, by their numbers. Heaps is one more than
	// the largest of these.
	Records map[int64]*Record
	Heaps   int64
	// InColumns is set if numbers of segments in records are in columns.
	InColumns bool
	// Reaches are what datatypes use around the blocks that the calls with a terminal allocate.
	Reaches map[Terminal]*Reaches
	// Notes say what could not be found out.
	Notes []string

	size int
	by   map[Key]*Segment
}

// Names of the records of a segment that begins and of one that ends.
const SegmentBegin, SegmentEnd = "tabard_segment", "tabard_segment_end"

// Record is what the records of a segment of the heap say: whether the program allocated it each
// time, and how large it was.
type Record struct {
	Ours           bool
	Largest, Least int64
}

// Terminal is a terminal of a class.
type Terminal struct {
	Class    int
	Terminal uint32
}

// mostSegments is how many segments of the heap there may be at a time, MadeByMPI the kind of those
// that MPI allocates.
const (
	mostSegments = 1 << 24
	MadeByMPI    = 3
)

// terminal is a call of the recording.
type terminal struct {
	*program.Func
	tm *archive.Template
	id uint32
}

// class is a class with what is known of its datatypes.
type class struct {
	*program.Class
	data   *archive.ClassData
	terms  []*terminal
	types  map[int]map[int64]extent // by rank, -1 for all; see typesAt
	fixed  bool                     // types are the same at all ranks
	leaves bool                     // datatypes may lead out of blocks of memory
}

func newClass(c *program.Class) (*class, error) {
	d, err := c.Data()
	if err != nil {
		return nil, err
	}
	out := &class{Class: c, data: d, types: map[int]map[int64]extent{}}
	for i := range d.Terminals {
		tm, err := c.Template(uint32(i))
		if err != nil {
			return nil, err
		}
		out.terms = append(out.terms, &terminal{program.FuncOf(tm.Func), tm, uint32(i)})
	}
	return out, nil
}

// Of finds the memory that the calls of classes use, in a job of some size.
func Of(classes []*program.Class, size int) (*Memory, error) {
	m := &Memory{size: size, by: map[Key]*Segment{}, Records: map[int64]*Record{}, Reaches: map[Terminal]*Reaches{}}
	var list []*class
	for _, x := range classes {
		c, err := newClass(x)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
		for _, t := range c.terms {
			if err := m.scan(c, t); err != nil {
				return nil, err
			}
		}
	}
	return m, m.measure(list)
}

func (m *Memory) note(s string) {
	if !slices.Contains(m.Notes, s) {
		m.Notes = append(m.Notes, s)
	}
}

// A segment is a block of memory of the recording.
type Segment struct {
	Key
	Low   int64         // least offset in use at any rank
	High  map[int]int64 // by rank: the greatest offset, plus one
	Most  int64         // of High
	Made  bool          // MPI allocates it
	Own   bool          // each thread has its own
	Reach *Reach        // what datatypes use around it beyond that, all calls together
	Index int           // in Memory.Segments
}

// Key is the kind of memory that a segment is of, and its number.
type Key struct {
	Mem    archive.Mem
	Number uint32
}

// maxSegment bounds what a damaged recording can ask for.
const maxSegment = 1 << 40

// rawBlock is the size of the parts that memory that belongs to nothing known is divided into.
const rawBlock = 1 << 24

// Segment is the segment that an address is in.
func (m *Memory) Segment(v *archive.Value) *Segment {
	k := Key{v.Mem, v.Seg}
	if v.Mem == archive.RawMem {
		k.Number = uint32(uint64(v.N) / rawBlock)
	}
	s := m.by[k]
	if s == nil {
		s = &Segment{Key: k, Low: math.MaxInt64, Most: math.MinInt64, High: map[int]int64{}, Index: len(m.Segments)}
		if v.Mem == archive.Heap {
			s.Low = 0
		}
		m.by[k] = s
		m.Segments = append(m.Segments, s)
	}
	return s
}

// Find is the segment of a kind with a number, nil if there is none.
func (m *Memory) Find(mem archive.Mem, number int64) *Segment { return m.by[Key{mem, uint32(number)}] }

// Offset is that of an address in its segment.
func Offset(v *archive.Value) int64 {
	if v.Mem == archive.RawMem {
		return v.N % rawBlock
	}
	return v.N
}

// touch notes that the bytes of e relative to an address are used.
func (m *Memory) touch(rank int, v *archive.Value, e extent) {
	s := m.Segment(v)
	at := Offset(v)
	lo, hi := at+min(e.Low, 0), at+max(e.High, 1)
	if lo < -maxSegment || hi > maxSegment {
		m.note("a buffer is larger than memory; it gets less")
		lo, hi = max(lo, 0), min(hi, at+rawBlock)
	}
	if s.Mem != archive.Heap { // where it begins is known
		s.Low = min(s.Low, lo)
	}
	if old, ok := s.High[rank]; !ok || hi > old {
		s.High[rank] = hi
	}
	s.Most = max(s.Most, hi)
}

// MostRanks is how many ranks of a class are looked at one by one.
const MostRanks = 1 << 14

// measure finds the segments and their sizes.
func (m *Memory) measure(classes []*class) error {
	for _, c := range classes {
		n := c.Ranks().Len()
		for i := range n {
			if i >= MostRanks && i < n-1 {
				continue
			}
			rank := c.Ranks().At(i)
			if err := m.measureRank(c, rank, i == 0); err != nil {
				return err
			}
		}
	}
	for _, c := range classes {
		if c.leaves {
			if err := m.follow(c); err != nil {
				return err
			}
		}
	}
	for _, s := range m.Segments {
		if s.Reach == nil && s.Mem != archive.Heap && s.Most-s.Low > FarAway {
			s.Reach = &Reach{}
		}
	}
	slices.SortFunc(m.Segments, func(a, b *Segment) int {
		return cmp.Or(cmp.Compare(a.Mem, b.Mem), cmp.Compare(a.Number, b.Number))
	})
	for i, s := range m.Segments {
		s.Index = i
		s.Low &^= 63 // blocks begin at multiples of 64
	}
	return nil
}

func (m *Memory) measureRank(c *class, rank int, first bool) error {
	types, err := m.typesAt(c, rank)
	if err != nil {
		return err
	}
	for _, t := range c.terms {
		// What is the same at all ranks is looked at once.
		if !first && c.fixed && len(c.data.Params[t.id]) == 0 && len(t.tm.Signature.Columns()) == 0 {
			continue
		}
		sig, err := c.Stream(rank).Signature(t.id)
		if err != nil {
			return err
		}
		u := &usage{m: m, c: c, t: t, sig: sig, rank: rank, types: types}
		if err := u.measure(); err != nil {
			return err
		}
	}
	return nil
}

// scan notes which segments there are records of.
func (m *Memory) scan(c *class, t *terminal) error {
	if t.Name != SegmentBegin {
		return nil
	}
	for rank := range c.Ranks().All() {
		sig, err := t.tm.At(c.data.Params[t.id], c.Ranks(), rank)
		if err != nil {
			return err
		}
		u := &usage{m: m, c: c, t: t, sig: sig, rank: rank}
		numbers, kinds, sizes := u.numbers(0), u.numbers(1), u.numbers(2)
		m.InColumns = m.InColumns || u.value(0).Kind == archive.Hole
		least, most := Bounds(sizes)
		if u.value(2).Kind == archive.Hole {
			most = 1 << 62
		}
		mpi := u.value(1).Kind == archive.Int && kinds[0] == MadeByMPI
		for _, n := range numbers {
			if n >= mostSegments {
				return fmt.Errorf("memory segment %d is too large a number", n)
			}
			r := m.Records[n]
			if r == nil {
				r = &Record{Ours: true, Least: least}
				m.Records[n] = r
			}
			r.Ours = r.Ours && !mpi
			r.Largest, r.Least = max(r.Largest, most), min(r.Least, least)
			m.Heaps = max(m.Heaps, n+1)
		}
		if len(c.data.Params[t.id]) == 0 && len(sig.Columns()) == 0 {
			break // the same at all ranks
		}
	}
	return nil
}
