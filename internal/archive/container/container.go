// Package container reads and writes the outer form of an archive: a header,
// sections that lie back to back, an index of the sections, and a trailer
// that says where the index is. It knows nothing of what sections hold.
//
//	header    magic (7 bytes), format version (1 byte)
//	sections  stored bytes, one section after the other
//	index     one entry for each section, in file order
//	trailer   index length (u32), CRC-32C (u32), end magic (8 bytes)
//
// An index entry is uvarint type*2 + optional, uvarint version, byte codec,
// uvarint stored length, uvarint raw length (unless the codec is Plain), u32
// CRC-32C of the stored bytes. The trailer's checksum covers header, index and
// index length, so that no byte of a file is unprotected. Fixed-size integers
// are little-endian. Normative: docs/format.md.
package container

import (
	"fmt"
	"hash/crc32"
)

// Version is a version of the outer form. Versions are append-only data: a
// reader knows a prefix of them, and a version never changes its meaning.
type Version uint8

// Versions of the outer form.
const (
	_ Version = iota
	// V1 stored every stream on its own. It was never released and is no longer read.
	V1
	// V2 stored classes of streams, columns by themselves, and exact times. It was never released
	// either.
	V2
	// V3 stores bundles of columns, repeated runs, cells of grids, and times in several modes.
	V3
	nextVersion
	// Latest is what Writer writes.
	Latest = nextVersion - 1
	// Oldest is the first one that is read.
	Oldest = V3
)

// Magic opens a file, EndMagic closes it. The first byte is no text, so that
// transfers that rewrite line ends or encodings are noticed.
const (
	Magic    = "\xffTABARD"
	EndMagic = "DRABAT\r\n"

	// HeaderSize and TrailerSize are in bytes.
	HeaderSize  = len(Magic) + 1
	TrailerSize = 4 + 4 + len(EndMagic)
)

// Codec says how the bytes of a section are stored.
type Codec uint8

// Codecs.
const (
	// Plain stores the bytes as they are.
	Plain Codec = iota
	// Zstd stores one Zstandard frame (RFC 8878) that holds its content size.
	Zstd
	// Sequence stores the bytes as a sequence of symbols (package sequence), at most MaxSequence. It
	// takes a microsecond a byte, either way, and a tenth to a quarter less room than Zstd.
	Sequence
	numCodecs
)

// MaxSequence is the greatest raw length of a section that is stored as a Sequence, in bytes: it
// bounds what opening a file costs.
const MaxSequence = 1 << 16

// Section is an entry of the index.
type Section struct {
	Type uint32
	// Optional sections may be skipped by a reader that does not know them.
	Optional bool
	Version  uint32
	Codec    Codec
	Stored   int64 // bytes in the file
	Raw      int64 // bytes after decompression
	CRC      uint32
	Offset   int64 // in the file; follows from the lengths of the sections before
}

// Error is an error in the input, at an offset of the file.
type Error struct {
	Section string // "header", "trailer", "index" or "section N"
	Offset  int64
	Msg     string
	Hint    string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: offset %d: %s", e.Section, e.Offset, e.Msg)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum is the CRC-32C of the parts in sequence.
func Checksum(parts ...[]byte) uint32 {
	c := uint32(0)
	for _, p := range parts {
		c = crc32.Update(c, castagnoli, p)
	}
	return c
}
