package byteio

import (
	"encoding/binary"
	"fmt"
)

// An Error is an encoding that is broken or cut off.
type Error struct {
	What   string // the encoding, e.g. "column"
	Offset int64  // in the encoding, in bytes
	Reason string
}

func (e *Error) Error() string {
	return fmt.Sprintf("broken %s, byte %d: %s", e.What, e.Offset, e.Reason)
}

// Reasons of errors that a Reader finds by itself.
const (
	Cut       = "cut off"
	BadNumber = "cut off or number exceeds 64 bits"
	TooMany   = "more items than bytes"
)

// A Reader reads an encoding from front to back and trusts nothing in it. The first error stays,
// and all reads after it give zero. So callers need to check for an error only before they use what
// they read.
type Reader struct {
	In   []byte
	Pos  int    // of the next byte in In
	Base int64  // of In in the whole encoding, for errors
	What string // is encoded, for errors
	// As makes the errors of a package that has a type of its own for them. If it is nil they are
	// *Error.
	As func(offset int64, reason string) error
	// Err is the first error.
	Err error
}

// Fail reports that the encoding is broken here.
func (r *Reader) Fail(reason string) {
	if r.Err != nil {
		return
	}
	offset := r.Base + int64(r.Pos)
	if r.As != nil {
		r.Stop(r.As(offset, reason))
	} else {
		r.Stop(&Error{r.What, offset, reason})
	}
}

// Stop ends reading with an error that was found elsewhere, unless that is nil. It drops what is
// not read yet, so that no read needs to look at Err.
func (r *Reader) Stop(err error) {
	if r.Err == nil && err != nil {
		r.Err = err
		r.In = r.In[:r.Pos]
	}
}

// Left is the number of bytes that are not read yet.
func (r *Reader) Left() int { return len(r.In) - r.Pos }

// Part reads the bytes from up to, but not including, to, with errors as r has them.
func (r *Reader) Part(from, to int) Reader {
	return Reader{In: r.In[:to], Pos: from, Base: r.Base, What: r.What, As: r.As, Err: r.Err}
}

// Uvarint reads an unsigned LEB128 number.
func (r *Reader) Uvarint() uint64 {
	if r.Pos < len(r.In) && r.In[r.Pos] < 0x80 { // as most are
		r.Pos++
		return uint64(r.In[r.Pos-1])
	}
	return r.long()
}

func (r *Reader) long() uint64 {
	v, n := binary.Uvarint(r.In[r.Pos:])
	if n <= 0 {
		r.Fail(BadNumber)
		return 0
	}
	r.Pos += n
	return v
}

// Varint reads a number in zigzag form.
func (r *Reader) Varint() int64 { return Unzigzag(r.Uvarint()) }

// Byte reads a byte.
func (r *Reader) Byte() byte {
	if r.Pos >= len(r.In) {
		r.Fail(Cut)
		return 0
	}
	r.Pos++
	return r.In[r.Pos-1]
}

// Bytes reads n bytes, which share memory with In. It returns nil after an error.
func (r *Reader) Bytes(n uint64) []byte {
	if n > uint64(r.Left()) {
		r.Fail(Cut)
	}
	if r.Err != nil {
		return nil
	}
	r.Pos += int(n)
	return r.In[r.Pos-int(n) : r.Pos : r.Pos]
}

// Sized reads a length and so many bytes, as AppendSized wrote them.
func (r *Reader) Sized() []byte { return r.Bytes(r.Uvarint()) }

// Count reads a number of items that take at least one byte each, so that no count asks for more
// memory than a small multiple of the input.
func (r *Reader) Count() int {
	n := r.Uvarint()
	if n > uint64(r.Left()) {
		r.Fail(TooMany)
		return 0
	}
	return int(n)
}

// Bool reads a number that is not 0 for true.
func (r *Reader) Bool() bool { return r.Uvarint() != 0 }
