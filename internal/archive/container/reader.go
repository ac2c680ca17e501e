package container

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
	"github.com/tabard-hpc/tabard/internal/codec/entropy/sequence"
)

// maxRatio bounds what a byte can decompress to: a Zstandard block has at
// least 4 bytes and expands to at most 128 KiB. A section that declares more
// lies, and is refused before anything is allocated for it.
const maxRatio = 128 << 10 / 4

// Reader reads sections of a file. It is safe for concurrent use.
type Reader struct {
	r        io.ReaderAt
	size     int64
	max      int64
	version  Version
	sections []Section
	index    int64 // offset of the index
}

// Open reads header, trailer and index of a file of size bytes, and nothing
// else. Sections larger than max bytes are refused when they are loaded.
func Open(r io.ReaderAt, size, max int64) (*Reader, error) {
	c := &Reader{r: r, size: size, max: max}
	if err := c.readHeader(); err != nil {
		return nil, err
	}
	index, err := c.readTrailer()
	if err != nil {
		return nil, err
	}
	return c, c.readIndex(index)
}

// Sections lists the index. The caller must not change it.
func (c *Reader) Sections() []Section { return c.sections }

// Version is the version of the outer form.
func (c *Reader) Version() Version { return c.version }

// Overhead is the size in bytes of all that is not sections.
func (c *Reader) Overhead() int64 { return int64(HeaderSize) + c.size - c.index }

const (
	hintNotArchive = "is this the file that `tabard record` wrote?"
	hintCut        = "the file is incomplete: copy it again, or run `tabard recover` where it was recorded"
	hintDamaged    = "the file was damaged after it was written: copy it again from its source"
	hintOld        = "record again"
	hintNewer      = "it was written by a newer tabard: read it with that version or a later one"
)

func (c *Reader) readHeader() error {
	if c.size < int64(HeaderSize) {
		return &Error{"header", 0, fmt.Sprintf("the file has only %d bytes", c.size), hintCut}
	}
	b, err := c.read("header", 0, int64(HeaderSize))
	if err != nil {
		return err
	}
	if string(b[:len(Magic)]) != Magic {
		return &Error{"header", 0, "not a tabard archive (wrong magic)", hintNotArchive}
	}
	c.version = Version(b[len(Magic)])
	if c.version == 0 {
		return &Error{"header", int64(len(Magic)), "format version 0 does not exist", hintDamaged}
	}
	if c.version < Oldest {
		return &Error{
			"header",
			int64(len(Magic)),
			fmt.Sprintf("format version %d was never released", c.version),
			hintOld,
		}
	}
	if c.version > Latest {
		return &Error{
			"header",
			int64(len(Magic)),
			fmt.Sprintf("unknown format version %d, this reader knows %d to %d", c.version, Oldest, Latest),
			hintNewer,
		}
	}
	return nil
}

func (c *Reader) readTrailer() ([]byte, error) {
	at := c.size - int64(TrailerSize)
	if at < int64(HeaderSize) {
		return nil, &Error{"trailer", c.size, "the file ends before its trailer", hintCut}
	}
	t, err := c.read("trailer", at, int64(TrailerSize))
	if err != nil {
		return nil, err
	}
	if string(t[8:]) != EndMagic {
		return nil, &Error{"trailer", at + 8, "the file does not end with a trailer", hintCut}
	}
	n := int64(binary.LittleEndian.Uint32(t))
	c.index = at - n
	if c.index < int64(HeaderSize) {
		return nil, &Error{
			"trailer",
			at,
			fmt.Sprintf("the index cannot have %d bytes in a file of %d", n, c.size),
			hintDamaged,
		}
	}
	if n > c.max {
		return nil, &Error{
			"trailer",
			at,
			fmt.Sprintf("the index has %d bytes, more than the limit of %d", n, c.max),
			hintLimit,
		}
	}
	b, err := c.read("index", c.index, n)
	if err != nil {
		return nil, err
	}
	if Checksum(header(c.version), b, t[:4]) != binary.LittleEndian.Uint32(t[4:]) {
		return nil, &Error{"index", c.index, "wrong checksum of header and index", hintDamaged}
	}
	return b, nil
}

const hintLimit = "raise the limit with trace.MaxSection if you trust the file and have the memory"

func (c *Reader) readIndex(b []byte) error {
	off := int64(HeaderSize)
	r := byteio.Reader{In: b, Base: c.index}
	fail := func(msg string) error {
		return &Error{"index", r.Base + int64(r.Pos), msg, hintDamaged}
	}
	upTo := func(max uint64) uint64 {
		at := r.Pos
		v := r.Uvarint()
		if v > max {
			r.Pos = at
			r.Fail("number out of range")
			return 0
		}
		return v
	}
	for r.Left() > 0 {
		t, v := upTo(math.MaxUint32), upTo(math.MaxUint32)
		s := Section{Type: uint32(t >> 1), Optional: t&1 != 0, Version: uint32(v), Codec: Codec(r.Byte()), Offset: off}
		if r.Err != nil {
			return fail("bad type or version of a section")
		}
		s.Stored = int64(upTo(math.MaxInt64))
		s.Raw = s.Stored
		if r.Err != nil || s.Stored > c.index-off {
			return fail("a section does not fit into the file")
		}
		if s.Codec != Plain {
			s.Raw = int64(upTo(math.MaxInt64))
		}
		crc := r.Bytes(4)
		if r.Err != nil {
			return fail("the index ends within an entry")
		}
		s.CRC = binary.LittleEndian.Uint32(crc)
		off += s.Stored
		c.sections = append(c.sections, s)
	}
	if off != c.index {
		return fail(fmt.Sprintf("sections end at offset %d but the index begins at %d", off, c.index))
	}
	return nil
}

// read reads n bytes that lie within the file.
func (c *Reader) read(section string, off, n int64) ([]byte, error) {
	b := make([]byte, n)
	m, err := c.r.ReadAt(b, off)
	if int64(m) == n {
		return b, nil
	}
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, &Error{section, off + int64(m), "the file became shorter while it was read", hintCut}
	}
	return nil, fmt.Errorf("reading at offset %d: %w", off, err)
}

// fail makes an error of section i.
func (c *Reader) fail(i int, hint, format string, args ...any) error {
	return &Error{fmt.Sprintf("section %d", i), c.sections[i].Offset, fmt.Sprintf(format, args...), hint}
}

// Stored reads and checks section i as it is stored.
func (c *Reader) Stored(i int) ([]byte, error) {
	s := &c.sections[i]
	if s.Stored > c.max {
		return nil, c.fail(i, hintLimit, "it has %d bytes, more than the limit of %d", s.Stored, c.max)
	}
	b, err := c.read(fmt.Sprintf("section %d", i), s.Offset, s.Stored)
	if err != nil {
		return nil, err
	}
	if Checksum(b) != s.CRC {
		return nil, c.fail(i, hintDamaged, "wrong checksum")
	}
	return b, nil
}

// Load reads, checks and decompresses section i. It allocates at most the
// stored and the raw size, and not before both are within bounds.
func (c *Reader) Load(i int) ([]byte, error) {
	s := &c.sections[i]
	fail := func(hint, format string, args ...any) error { return c.fail(i, hint, format, args...) }
	if s.Raw > c.max || s.Stored > c.max {
		return nil, fail(hintLimit, "it has %d bytes, more than the limit of %d", max(s.Raw, s.Stored), c.max)
	}
	if s.Codec >= numCodecs {
		return nil, fail(hintNewer, "unknown codec %d", s.Codec)
	}
	if s.Codec == Zstd && s.Raw/maxRatio > s.Stored || s.Codec == Sequence && s.Raw > MaxSequence {
		return nil, fail(hintDamaged, "%d bytes cannot hold the %d that are declared", s.Stored, s.Raw)
	}
	b, err := c.Stored(i)
	if err != nil {
		return nil, err
	}
	switch s.Codec {
	case Plain:
		return b, nil
	case Sequence:
		return sequence.DecodeBytes(b, int(s.Raw)), nil
	}
	raw, err := decompress(b, s.Raw)
	if err != nil {
		return nil, fail(hintDamaged, "cannot be decompressed: %v", err)
	}
	return raw, nil
}

// decoders are costly to make and used by one goroutine at a time.
var decoders = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return err
	}
	return d
}}

func decompress(b []byte, n int64) ([]byte, error) {
	d, ok := decoders.Get().(*zstd.Decoder)
	if !ok {
		return nil, errors.New("cannot set up decompression")
	}
	defer decoders.Put(d)
	raw, err := d.DecodeAll(b, make([]byte, 0, n))
	if err != nil {
		return nil, err
	}
	if int64(len(raw)) != n {
		return nil, fmt.Errorf("%d bytes instead of the %d that are declared", len(raw), n)
	}
	return raw, nil
}
