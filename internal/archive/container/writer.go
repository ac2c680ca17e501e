package container

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Writer writes a file front to back.
type Writer struct {
	w       io.Writer
	index   []byte
	version Version
	err     error
}

// NewWriter writes the header to w.
func NewWriter(w io.Writer) (*Writer, error) {
	cw := &Writer{w: w, version: Latest}
	cw.write(header(cw.version))
	return cw, cw.err
}

// Encoders are costly to make and used by one goroutine at a time. They are deterministic: equal
// content gives equal files.
var (
	best = encoders(zstd.SpeedBestCompression) // for what is small
	fast = encoders(zstd.SpeedFastest)         // for the rest, most of which is entropy-coded already
)

func encoders(level zstd.EncoderLevel) *sync.Pool {
	return &sync.Pool{New: func() any {
		e, err := zstd.NewWriter(nil,
			zstd.WithEncoderLevel(level),
			zstd.WithEncoderConcurrency(1),
			zstd.WithEncoderCRC(false), // sections have their own
			zstd.WithLowerEncoderMem(true))
		if err != nil {
			panic(err) // of options that are constant
		}
		return e
	}}
}

func header(v Version) []byte { return append([]byte(Magic), byte(v)) }

func (w *Writer) write(b []byte) {
	if w.err == nil {
		_, w.err = w.w.Write(b)
	}
}

// Add appends a section that holds raw, compressed if that makes it smaller.
func (w *Writer) Add(typ uint32, optional bool, version uint32, raw []byte) error {
	s := Section{Type: typ, Optional: optional, Version: version, Raw: int64(len(raw))}
	stored := raw
	if packed := pack(raw); packed != nil {
		s.Codec, stored = Zstd, packed
	}
	return w.AddStored(s, stored)
}

// Sections up to longBytes are compressed as well as can be: structure is small and read often.
// Longer ones are mostly columns and timing, which are entropy-coded already. Of these, probeBytes
// tell whether compression is worth the time. It is then done fast: the best compression would cost
// more than all other work on the calls.
const (
	longBytes  = 256 << 10
	probeBytes = 32 << 10
)

// pack returns raw compressed, nil if that gains too little.
func pack(raw []byte) []byte {
	if len(raw) == 0 {
		return nil
	}
	pool := best
	if len(raw) > longBytes {
		pool = fast
	}
	enc := pool.Get().(*zstd.Encoder)
	defer pool.Put(enc)
	if len(raw) > longBytes && len(enc.EncodeAll(raw[:probeBytes], nil)) > probeBytes*15/16 {
		return nil
	}
	if packed := enc.EncodeAll(raw, nil); len(packed) < len(raw) {
		return packed
	}
	return nil
}

// PackedLen is about how many bytes raw takes as a section.
func PackedLen(raw []byte) int {
	if packed := pack(raw); packed != nil {
		return len(packed)
	}
	return len(raw)
}

// AddStored appends a section as described by s, whose bytes are stored. It
// sets lengths that s leaves 0 and the checksum; tests lie about the rest.
func (w *Writer) AddStored(s Section, stored []byte) error {
	s.Stored = int64(len(stored))
	s.CRC = Checksum(stored)
	w.index = AppendEntry(w.index, &s)
	w.write(stored)
	return w.err
}

// AppendEntry appends the index entry of s to dst.
func AppendEntry(dst []byte, s *Section) []byte {
	t := uint64(s.Type) << 1
	if s.Optional {
		t |= 1
	}
	dst = binary.AppendUvarint(dst, t)
	dst = binary.AppendUvarint(dst, uint64(s.Version))
	dst = append(dst, byte(s.Codec))
	dst = binary.AppendUvarint(dst, uint64(s.Stored))
	if s.Codec != Plain {
		dst = binary.AppendUvarint(dst, uint64(s.Raw))
	}
	return binary.LittleEndian.AppendUint32(dst, s.CRC)
}

// Close writes index and trailer. It does not close the underlying writer.
func (w *Writer) Close() error {
	if uint64(len(w.index)) > math.MaxUint32 {
		return fmt.Errorf("the index has %d bytes, more than the format can hold", len(w.index))
	}
	w.write(w.index)
	w.write(Trailer(w.version, w.index))
	return w.err
}

// Trailer is the trailer of a file with this version and index.
func Trailer(v Version, index []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(index)))
	b = binary.LittleEndian.AppendUint32(b, Checksum(header(v), index, b))
	return append(b, EndMagic...)
}
