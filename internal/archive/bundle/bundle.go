// Package bundle codes the irregular columns of many streams together.
//
// Such columns say the same things many times: the size and tag of a message are in the call that
// sends it, in the one that receives it, in its status, and in what the program does with that. So
// the streams of a bundle are walked call by call, and each number of a column is guessed from what
// came before it: in the call, in the stream, and at the other end of the message. What is stored,
// by an adaptive arithmetic code, is which of the guesses was right, or the number if none was. With
// the model Vectors numbers are guessed from collective calls, too: what one process sends another
// receives, and displacements are sums of counts.
//
// The package knows calls and their numbers, and neither the file nor how columns are stored.
// Package archive chooses what is coded together.
package bundle

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/column"
	"github.com/tabard-hpc/tabard/internal/codec/entropy/arith"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
	"github.com/tabard-hpc/tabard/spec"
)

// Limits of a bundle.
const (
	MaxValues = 1 << 22 // numbers that are coded
	MaxWork   = 1 << 26 // numbers that are looked at
)

// Bounds of what a walk keeps. They are part of the format: a reader has to forget what the writer
// forgot.
const (
	minTable    = 10 // binary logarithm of the entries of the table of contexts
	maxTable    = 20
	maxContexts = 1 << 12
	maxMail     = 1 << 20
	maxBoxes    = 1 << 18
	maxPools    = 1 << 16 // of a stream
	maxRequests = 1 << 16
)

// Errors of bundles that exceed the limits of their Coder.
var (
	ErrWork   = errors.New("a bundle of columns needs more work than allowed")
	ErrValues = errors.New("a bundle of columns has more values than allowed")
)

// Stream is a stream with columns of the bundle, its own ones.
type Stream struct {
	// World tells MPI_COMM_WORLDs apart, and Rank is the rank in it, -1 if unknown.
	World, Rank int
	// Grammar is the calls, as terminals.
	Grammar *grammar.Index
	// Terminals is how many there are, and Terminal gives what is known of one.
	Terminals int
	Terminal  func(t uint32) Terminal
	// First has the first column of each terminal in Columns.
	First   []uint32
	Columns []Column
	// Events is how many of the calls, and runs of polls, are walked; 0 is all.
	Events uint64
}

// Terminal is what calls have in common.
type Terminal struct {
	Func spec.ID
	Site uint32
	// Polls is set for runs of polls: their first column is the lengths.
	Polls bool
	// Slots are the values of the function's slots.
	Slots Slots
}

// Slots are the values that are the same in all calls of a terminal.
type Slots interface {
	// Form says where the value of a slot is.
	Form(slot int) Form
	// Len is the number of elements of a fixed value, 1 if it is no array.
	Len(slot int) int
	// Number is field field of element i of a fixed value; not ok if that is not a number.
	Number(slot, field, i int) (v int64, ok bool)
}

// Form says where a value is.
type Form uint8

// Forms of values.
const (
	Absent      Form = iota
	InColumns        // one for each field, after that of the numbers of elements if it is an array
	Fixed            // the same in all calls
	FixedStatus      // the same in all calls, and a status or several
)

// Column is a column of a stream: one of the bundle, or one that is stored otherwise. It is unknown
// if neither is set.
type Column struct {
	// Coded is the column of the bundle. Several columns, also of several streams, may be the same.
	Coded  *Values
	Stored *column.Reader

	buf  []int64
	at   uint64 // index of buf[0]
	next uint64
}

// Values are the numbers of a column of the bundle. They are coded where a walk needs them first.
type Values struct {
	Known []int64 // so far
	All   []int64 // what is to be encoded, nil when decoding
}

// full tells whether all that is to be encoded was.
func (b *Values) full() bool { return b.All != nil && len(b.Known) == len(b.All) }

// Model is what numbers are guessed from. Files hold these numbers: append only.
type Model uint8

// Models of bundles.
const (
	// Messages guesses from messages.
	Messages Model = iota
	// Vectors guesses from the other arrays and processes of a collective call, too.
	Vectors
	NumModels
)

// NewEncoder returns an encoder of a bundle.
func NewEncoder(model Model) *Coder { return newCoder(arith.NewEncoder(), model) }

// NewDecoder returns a decoder of what Bytes gave with the same model, which codes and looks at so
// many numbers at most.
func NewDecoder(code []byte, model Model, values, work int) *Coder {
	m := newCoder(arith.NewDecoder(code), model)
	m.left, m.work = values, work
	return m
}

// Bytes is the code of the bundle.
func (m *Coder) Bytes() []byte { return m.c.Bytes() }

// ValuesLeft is how many numbers may still be coded, and WorkLeft how many may be looked at: below
// 0 once there was an ErrWork.
func (m *Coder) ValuesLeft() int { return m.left }

// WorkLeft is how many numbers may still be looked at.
func (m *Coder) WorkLeft() int { return m.work }

// Code codes the columns of the next stream.
func (m *Coder) Code(s *Stream) error {
	n := s.Grammar.Len()
	if n > uint64(m.work) {
		return ErrWork
	}
	m.work -= int(n)
	m.streams++
	return newWalk(m, s, m.streams).run()
}

// CountBits makes the coder keep account of the bits that parameters take, for Bits.
func (m *Coder) CountBits() { m.costs = true }

// Bits tells each the bits that the columns of a slot's field took at a call site, in the order of
// their first use.
func (m *Coder) Bits(each func(fn spec.ID, slot, field int, bits float64)) {
	ids := slices.SortedFunc(maps.Keys(m.contexts), func(x, y contextID) int {
		return cmp.Compare(m.contexts[x].id, m.contexts[y].id)
	})
	for _, id := range ids {
		each(id.fn, id.slot, id.field, m.contexts[id].bits)
	}
}
