package archive

import (
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
)

// RankSet, RankFunc and RankVec are sets of ranks and functions of the rank,
// of integers and of arrays of integers.
type (
	// RankSet is a set of ranks.
	RankSet = rankfunc.Set
	// RankFunc gives each rank of a set an integer.
	RankFunc = rankfunc.Func
	// RankVec gives each rank of a set an array of integers.
	RankVec = rankfunc.Vec
)

// MaxProcesses is the greatest number of processes that an archive holds.
const MaxProcesses = 1 << 24

// Content is what an archive holds, in the form in which it is stored: what is
// common to many processes is there once, with functions of the rank for
// what differs. It is what writers and mergers of archives work with; readers have the
// methods of Archive.
type Content struct {
	Meta Meta
	// Modules are those of all processes; Base is 0.
	Modules []Module
	// Sites are the call sites of all processes; Frame.Module is an index in Modules.
	Sites []Site
	// Groups are sorted by World, ranked ones first, then Size and Host.
	Groups []*Group
	// Templates are what terminals are made of.
	Templates []*Template
	// Classes are sorted by group and least rank.
	Classes []*ClassData
	// Columns and Timings are the encoded columns, and timings and columns of times, that classes
	// refer to by number.
	Columns, Timings [][]byte

	extra []extra // what this version does not know
}

// extra is an optional section, or part of a section, that this version does not know.
type extra struct {
	section, part uint32 // part 0: a section
	version       uint64
	at            int // sections: how many others precede; parts: how many parts of the section precede
	raw           []byte
}

// Group is the processes of one MPI_COMM_WORLD, or those of a host that have no
// rank. Its fields are functions of the rank.
type Group struct {
	// World tells MPI_COMM_WORLDs apart; 0 is that of the launched program.
	World int
	// Size is the size of MPI_COMM_WORLD, 0 if unknown. Processes of a world
	// that know it and such that do not are in different groups.
	Size int
	// Unranked processes never initialised MPI: they stand in Ranks by process
	// id, and all are on Host.
	Unranked bool
	Host     string
	// Ranks are the processes that were recorded.
	Ranks *RankSet

	Hosts, Ends Cases[string] // Hosts is empty for unranked processes
	Info        []InfoKey     // sorted by Key
	Modules     Cases[[]int]  // numbers in Content.Modules
	// PID, Complete (0 or 1) and Lost are the facts of RankData; PID is nil for unranked ones.
	PID, Complete, Lost *RankFunc
	// Clocks holds the readings of the clocks, and Bases the load addresses of modules, as
	// AppendClocks and AppendBases make them.
	Clocks, Bases *RankVec
}

// InfoKey is a name in RankData.Info with its value at each rank.
type InfoKey struct {
	Key    string
	Values Cases[InfoValue]
}

// InfoValue is a value in RankData.Info; it is absent if Present is not set.
type InfoValue struct {
	Present bool
	Text    string
}

// Cases says for each rank of a set which of several values it has.
type Cases[T any] struct {
	// Sets are the ranks with each of Values, by least rank. It is nil if there is
	// one value, and if each rank has its own, in the order of ranks.
	Sets   []*RankSet
	Values []T
}

// Index is the index in Values of what rank has, a member of the set all; -1 if none.
func (c *Cases[T]) Index(all *RankSet, rank int) int {
	if c.Sets == nil {
		if len(c.Values) == 1 {
			return 0
		}
		if i, ok := all.Index(rank); ok && i < len(c.Values) {
			return i
		}
		return -1
	}
	for i, s := range c.Sets {
		if s.Contains(rank) {
			return i
		}
	}
	return -1
}

// From manySets sets on, indices are listed, of mostIndices ranks at most.
const (
	manySets    = 32
	mostIndices = 1 << 20
)

// indices is Index of each member of the set all, in their order. It is nil if there are few sets, and if the sets of a
// broken file have more ranks than there are.
func (c *Cases[T]) indices(all *RankSet) []int32 {
	if len(c.Sets) < manySets || all.Len() > mostIndices {
		return nil
	}
	n := 0
	for _, s := range c.Sets {
		if n += s.Len(); n > all.Len() {
			return nil
		}
	}
	list := make([]int32, all.Len())
	for k := range list {
		list[k] = -1
	}
	for i, s := range c.Sets {
		for r := range s.All() {
			if k, ok := all.Index(r); ok && list[k] < 0 {
				list[k] = int32(i)
			}
		}
	}
	return list
}

// Ranks is the set of ranks that have Values[i], out of all.
func (c *Cases[T]) Ranks(all *RankSet, i int) *RankSet {
	switch {
	case c.Sets != nil:
		return c.Sets[i]
	case len(c.Values) == 1:
		return all
	}
	r := all.At(i)
	return rankfunc.Range(r, r+1)
}

// ClassData is a class: the streams that have the same structure. Their grammars are
// equal but for trip counts, and their terminals in function, call site, flags,
// return code and kinds of values.
type ClassData struct {
	// Group is an index in Content.Groups, Thread the number of the thread in its process.
	Group, Thread int
	Ranks         *RankSet
	// Terminals holds the template of each terminal, an index in Content.Templates.
	Terminals []int
	// Grammar is the grammar. Rules and terminals are numbered in the order of their first
	// use. A Count of 0 stands for a trip count that differs from rank to rank: they are
	// Trips, in the order of rules and symbols.
	Grammar *Grammar
	Trips   []*RankFunc
	// Params holds for each terminal the values of the leaves that its template leaves open.
	Params [][]Param
	// Calls is the number of calls if terminals are runs of polls, else nil: it follows from the
	// grammar.
	Calls *RankFunc
	// Strings are what the values of string columns number; empty if there are no such columns.
	Strings Cases[[]string]
	// Columns are the columns of terminal 0, then those of terminal 1, and so on.
	Columns []Cases[ColumnData]
	// Timing is the number of the timing in Content.Timings, -1 for none.
	Timing Cases[int]
}

// Param is the value of a leaf of a terminal: what Leaf.Kind says it is.
type Param struct {
	// N is an IntLeaf if Fn is nil.
	N   int64
	Fn  *RankFunc
	Vec *RankVec
	Str *Cases[string]
	// Base, if it is not nil, says that an IntLeaf which is not negative is relative to a
	// communicator's ranks: see Base.
	Base *Base
}

// Base is the rank of the processes of a class in a communicator, and its size. A value v
// relative to it stands for (Rank + v) mod Size if it is not negative, else for itself.
type Base struct {
	Rank, Size *RankFunc
}

// At is what v stands for at a rank. A size that is not above 0 leaves v as it is.
func (b *Base) At(rank int, v int64) int64 {
	if v < 0 {
		return v
	}
	size := b.Size.At(rank)
	if size <= 0 {
		return v
	}
	return ((b.Rank.At(rank)+v)%size + size) % size
}

// ColumnData is a column at some ranks.
type ColumnData struct {
	// Blob is the number of the column in Content.Columns, or with Clock in Content.Timings;
	// -1 if Shape has it.
	Blob int
	// Clock is set for columns of what a clock told the program, which are stored with the time
	// stamps.
	Clock bool
	// Shape is the column as segments, empty for an empty column.
	Shape []SegmentShape
	// Params are the numbers of the segments, see SegmentShape, and at the end for
	// the elements of arrays the number of values of the last segment.
	Params []Param
}

// SegmentShape is a segment of a column without its numbers. Those are the number of values, not
// for the last segment; Period (ramps), Base (constant, affine, ramps), Step (affine, ramps,
// periodic), Move (ramps), and Values.
type SegmentShape struct {
	Kind   SegmentKind
	Values int // how many, of periodic segments and blocks
}

// numbers is how many numbers the segment has but its length.
func (s *SegmentShape) numbers() int {
	switch s.Kind {
	case constantSegment:
		return 1
	case affineSegment:
		return 2
	case periodicSegment:
		return 1 + s.Values
	case rampsSegment:
		return 4
	}
	return s.Values
}
