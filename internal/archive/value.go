package archive

import "github.com/tabard-hpc/tabard/spec"

// Kind says which fields of a Value are meaningful.
type Kind uint8

// Kinds of values.
const (
	// Absent: the parameter was NULL, ignored, not significant at this rank,
	// or not written because the call failed or did not return.
	Absent Kind = iota
	// Hole: in a signature, the value differs from call to call and is in a
	// column. Never seen in a Call. See Value.Ignored, too.
	Hole
	// Int is N.
	Int
	// Float is the double whose bits are N.
	Float
	// Ref is an object: see Value.Ref.
	Ref
	// Addr is a place in memory: see Value.Addr.
	Addr
	// Str is a string.
	Str
	// Ints is an array of integers.
	Ints
	// List is an array of other values: references, addresses, strings,
	// statuses, lists of strings.
	List
	// Stat is an MPI_Status.
	Stat
	// Sentinel is a constant in place of an array: N is 1 for
	// MPI_UNWEIGHTED, 2 for MPI_WEIGHTS_EMPTY.
	Sentinel
)

// Value is one parameter or result of a call.
type Value struct {
	Kind Kind
	// Class is the class of a Ref.
	Class spec.Class
	// Mem is the class of an Addr.
	Mem Mem
	// Ignored is set for a status, or a list of statuses, that the program did not ask for: it
	// passed MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE. They are recorded nevertheless where a
	// receive took any source or any tag, as nothing else tells which message it got. In a list,
	// the statuses of other requests are empty: MPI_ANY_SOURCE, MPI_ANY_TAG, 0 bytes. So are those
	// of cancelled receives. In a signature it is set in the Hole.
	Ignored bool
	// Seg is an Addr's segment, module or thread number.
	Seg uint32
	// N is an Int, the bits of a Float, the code of a Ref, the offset of an
	// Addr or its literal value, or the number of a Sentinel.
	N    int64
	Str  string
	Ints []int64
	List []Value
	Stat Status
}

// Status is what a completed receive or operation reports.
type Status struct {
	// Source and Tag are as in MPI_Status, in the values of the recording MPI.
	Source, Tag int32
	// Bytes is the size of the message.
	Bytes int64
	// Error is the error field, 0 unless the call returned MPI_ERR_IN_STATUS.
	Error     int32
	Cancelled bool
}

// Mem is the class of a memory address.
type Mem uint8

// Classes of addresses; the numbers are those of the recording format.
const (
	// Literal is not an address but a constant: NULL, MPI_BOTTOM,
	// MPI_IN_PLACE, or a plain displacement.
	Literal Mem = 0
	// Heap is an allocated segment, numbered at its first use in a call.
	Heap Mem = 1
	// Static is static data or code: a module and the offset from its load address.
	Static Mem = 2
	// Stack is a thread's stack: offset from the frame of its first traced call.
	Stack Mem = 3
	// RawMem is an address that belongs to nothing known.
	RawMem Mem = 15
)

// A Ref's code N tells three kinds of references apart:
//
//	0        the null handle
//	1 + 2k   predefined object k of spec.Predefineds
//	2 + 2n   object n of its class: numbers are small, assigned in order of
//	         creation, and reused after the object has ended
//
// Requests are numbered so that equal iterations of a loop use equal numbers.

// PredefinedRef is the code of predefined object k.
func PredefinedRef(k int) int64 { return 1 + 2*int64(k) }

// DynamicRef is the code of object n of a class.
func DynamicRef(n int64) int64 { return 2 + 2*n }

// Flags of a call, part of its signature.
type Flags uint8

const (
	// Nested calls were made by a callback of the program inside another
	// call, which follows them in the stream.
	Nested Flags = 1 << iota
	// Failed calls returned an error that the program survived.
	Failed
	// Unfinished calls had not returned when the process ended.
	Unfinished
	// Polls are maximal runs of one unsuccessful poll; the length is in a column.
	Polls
)
