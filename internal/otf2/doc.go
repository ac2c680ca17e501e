// Package otf2 writes archives in the Open Trace Format 2, which Vampir, Scalasca and other tools read.
//
// An archive is a directory: an anchor file, a file of definitions that hold for all, and for each location (a thread)
// a file of definitions of its own, empty here, and a file of events. All of them consist of chunks, and chunks of
// records: a byte that says what it is, for most the length, and the values. Numbers are mostly as many bytes as they
// need behind one that says how many these are, low byte first. A time stamp is a record of its own before the events
// that have it. The layout is that of version 3.0 of the format, whose library is under the BSD license; none of it is
// copied.
package otf2

import "encoding/binary"

// Undefined and Undefined64 stand for what there is not, or is not known.
const (
	Undefined   = 1<<32 - 1
	Undefined64 = 1<<64 - 1
)

// RootNone is the root of collectives without one.
const RootNone = Undefined

// Creator is how the creators of archives begin that Tabard wrote. In these, events have the attributes SiteAttribute,
// where a call is made, and OffsetAttribute, where in a file it reads or writes.
const (
	Creator         = "tabard "
	SiteAttribute   = "call site"
	OffsetAttribute = "offset"
)

// Records that are neither definitions nor events.
const (
	endOfChunk    = 0
	endOfBuffer   = 1
	endOfFile     = 2
	chunkHeader   = 3
	timeStamp     = 5
	attributeList = 6

	littleEndian = 0x42
	headerBytes  = 18
	stampBytes   = 9
	// EventChunk is how large chunks of events are.
	EventChunk = 1 << 20
)

// record is the values of a record.
type record struct{ b []byte }

func (r *record) u8(v uint8) { r.b = append(r.b, v) }

// u64 appends a number with its length.
func (r *record) u64(v uint64) {
	switch v {
	case 0:
		r.b = append(r.b, 0)
		return
	case Undefined64:
		r.b = append(r.b, 0xff)
		return
	}
	at := len(r.b)
	r.b = append(r.b, 0)
	for ; v > 0; v >>= 8 {
		r.b = append(r.b, byte(v))
	}
	r.b[at] = byte(len(r.b) - at - 1)
}

func (r *record) u32(v uint32) {
	if v == Undefined {
		r.b = append(r.b, 0xff)
		return
	}
	r.u64(uint64(v))
}

// text appends a string, which ends at its first NUL.
func (r *record) text(s string) {
	for i := range len(s) {
		if s[i] == 0 {
			s = s[:i]
			break
		}
	}
	r.b = append(append(r.b, s...), 0)
}

// appendRecord appends a record with its length.
func appendRecord(b []byte, kind uint8, values []byte) []byte {
	b = append(b, kind)
	if n := len(values); n < 0xff {
		b = append(b, byte(n))
	} else {
		b = binary.LittleEndian.AppendUint64(append(b, 0xff), uint64(n))
	}
	return append(b, values...)
}
