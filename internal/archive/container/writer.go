package container

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/tabard-hpc/tabard/internal/codec/entropy/sequence"
	"github.com/tabard-hpc/tabard/internal/workers"
)

// Writer writes a file front to back.
type Writer struct {
	w       io.Writer
	index   []byte
	version Version
	written int // bytes
	err     error
	packing []*packing // sections to be written, in their order
	coming  int        // bytes that they have before they are packed
	packers workers.Group
}

// packing is a section that is being packed beside others.
type packing struct {
	Section
	stored []byte
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
	best  = encoders(zstd.SpeedBestCompression) // for structure; it needs 34 MB
	small = encoders(zstd.SpeedDefault)         // for what a sequence is tried for, too; it needs 1 MB
	fast  = encoders(zstd.SpeedFastest)         // for the rest, most of which is entropy-coded already
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
	w.written += len(b)
	if w.err == nil {
		_, w.err = w.w.Write(b)
	}
}

// Add appends a section that holds raw, compressed if that makes it smaller.
func (w *Writer) Add(typ uint32, optional bool, version uint32, raw []byte) error {
	p := &packing{Section: Section{Type: typ, Optional: optional, Version: version, Raw: int64(len(raw))}}
	// How the rest of a long file is packed depends on what has been written.
	if len(raw) > longBytes || w.written+w.coming+len(raw) >= longFile {
		w.flush()
		p.pack(raw, w.written >= longFile)
		w.put(&p.Section, p.stored)
		return w.err
	}
	raw = slices.Clone(raw)
	w.packers.Go(func() { p.pack(raw, false) })
	w.packing = append(w.packing, p)
	w.coming += len(raw)
	return w.err
}

// flush writes the sections that are being packed.
func (w *Writer) flush() {
	w.packers.Wait()
	for _, p := range w.packing {
		w.put(&p.Section, p.stored)
	}
	w.packing, w.coming = nil, 0
}

// atOnce is how many sections of all writers are packed at a time; an encoder of the best compression needs 34 MB.
var atOnce = make(chan struct{}, 2)

// pack finds how the section is stored.
func (p *packing) pack(raw []byte, hurry bool) {
	atOnce <- struct{}{}
	defer func() { <-atOnce }()
	code, sure := closer(raw)
	var packed []byte
	if !sure {
		packed = pack(raw, hurry)
	}
	switch {
	case packed != nil && (code == nil || len(packed) <= len(code)):
		p.Codec, p.stored = Zstd, packed
	case code != nil:
		p.Codec, p.stored = Sequence, code
	default:
		p.stored = raw
	}
}

// Sections up to longBytes are compressed as well as can be: structure is small and read often. Those above probeBytes
// are mostly columns and timing, which are entropy-coded already. Where a file has longFile bytes before them, to look
// for what most of them do not have would cost a tenth of all work on the calls: see random. Above longBytes,
// probeBytes tell whether compression is worth the time, and it is done fast.
const (
	longFile   = 1 << 20
	longBytes  = 256 << 10
	probeBytes = 32 << 10
)

// A section is stored as a sequence only where Zstandard leaves at most closeNumerator of closeDenominator of it: what
// is entropy-coded already gains too little for the time that reading takes.
const closeNumerator, closeDenominator = 15, 16

// closer returns raw as a sequence, nil if Zstandard leaves too much of it, and whether the best of its compressions
// need not be tried, too: it is hardly an eighth better than the one that is.
func closer(raw []byte) (code []byte, sure bool) {
	if len(raw) > MaxSequence {
		return nil, false
	}
	packed := shrink(small, raw)
	if packed == nil || len(packed)*closeDenominator > len(raw)*closeNumerator {
		return nil, false
	}
	code = sequence.EncodeBytes(raw)
	return code, len(code) <= len(packed)*7/8
}

// pack returns raw compressed, nil if that gains too little. hurry is for a part of a long file.
func pack(raw []byte, hurry bool) []byte {
	n := len(raw)
	switch {
	case n == 0 || hurry && n > probeBytes && n <= longBytes && random(raw):
		return nil
	case n <= longBytes:
		return shrink(best, raw)
	}
	if probe := shrink(fast, raw[:probeBytes]); probe == nil || len(probe) > probeBytes*15/16 {
		return nil
	}
	return shrink(fast, raw)
}

// shrink returns raw compressed by one of pool, nil if that is no smaller.
func shrink(pool *sync.Pool, raw []byte) []byte {
	enc := pool.Get().(*zstd.Encoder)
	defer pool.Put(enc)
	if packed := enc.EncodeAll(raw, nil); len(packed) < len(raw) {
		return packed
	}
	return nil
}

// random reports that raw repeats little: of strings of six bytes fewer than one in 256 has been there before, and no
// bytes in its middle are more frequent than others. The best compression of such sections would gain less than a
// thousandth in all (120 MB of times and columns of recordings).
func random(raw []byte) bool {
	const hashBits = 16
	var seen [1 << hashBits]uint32 // by hash, more of the hash
	repeats := 0
	for i := 0; i+8 <= len(raw); i++ {
		hash := binary.LittleEndian.Uint64(raw[i:]) << 16 * 0x9e3779b97f4a7c15
		at, tag := hash>>(64-hashBits), uint32(hash>>(32-hashBits))
		if seen[at] == tag {
			repeats++
		}
		seen[at] = tag
	}
	return repeats < len(raw)/256 && shrink(best, raw[len(raw)/2:][:probeBytes/4]) == nil
}

// PackedLen is about how many bytes raw takes as a section.
func PackedLen(raw []byte) int {
	if packed := pack(raw, false); packed != nil {
		return len(packed)
	}
	return len(raw)
}

// AddStored appends a section as described by s, whose bytes are stored. It
// sets lengths that s leaves 0 and the checksum; tests lie about the rest.
func (w *Writer) AddStored(s Section, stored []byte) error {
	w.flush()
	w.put(&s, stored)
	return w.err
}

// put writes a section and remembers it for the index.
func (w *Writer) put(s *Section, stored []byte) {
	s.Stored = int64(len(stored))
	s.CRC = Checksum(stored)
	w.index = AppendEntry(w.index, s)
	w.write(stored)
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
	w.flush()
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
