package published

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// An Error is an encoding that cannot be decoded, because it is broken or belongs to other calls.
type Error struct {
	Offset int // in bytes, from the beginning of the series
	Reason string
}

func (e *Error) Error() string {
	return fmt.Sprintf("broken lossy times at byte %d: %s", e.Offset, e.Reason)
}

// input reads an encoding. After the first error it yields zeros.
type input struct {
	in   []byte
	pos  int
	base int // position of in[0] in the whole, as far as it is known
	err  error
}

func (p *input) fail(reason string) {
	if p.err == nil {
		p.err = &Error{p.base + p.pos, reason}
	}
}

func (p *input) left() int { return len(p.in) - p.pos }

func (p *input) byte() byte {
	if b := p.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// bytes returns the next n bytes, nil after an error.
func (p *input) bytes(n uint64) []byte {
	if p.err == nil && n > uint64(p.left()) {
		p.fail("it ends too early")
	}
	if p.err != nil {
		return nil
	}
	p.pos += int(n)
	return p.in[p.pos-int(n) : p.pos]
}

// sub returns the next n bytes as an input of their own.
func (p *input) sub(n uint64) *input {
	base := p.base + p.pos
	return &input{in: p.bytes(n), base: base, err: p.err}
}

func (p *input) uvarint() uint64 {
	if p.err != nil {
		return 0
	}
	v, n := binary.Uvarint(p.in[p.pos:])
	if n <= 0 {
		p.fail("broken number")
		return 0
	}
	p.pos += n
	return v
}

// below returns a number that must be less than limit.
func (p *input) below(limit uint64) uint64 {
	v := p.uvarint()
	if p.err == nil && v >= limit {
		p.fail("number out of range")
	}
	if p.err != nil {
		return 0
	}
	return v
}

// count returns a number of items that take at least size bytes each.
func (p *input) count(size int) int {
	n := p.uvarint()
	if p.err == nil && n > uint64(p.left()/size) {
		p.fail("more items than bytes")
	}
	if p.err != nil {
		return 0
	}
	return int(n)
}

func (p *input) double() float64 {
	b := p.bytes(8)
	if b == nil {
		return 0
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b))
}

func appendDouble(dst []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
}

// The zstd coders. A frame never has more than maxPlain bytes: the limit is for what the frame
// says, the caller's for what it may have.
const maxPlain = 1 << 28

var (
	fastest = sync.OnceValue(func() *zstd.Encoder { return newZstd(zstd.SpeedFastest) })
	usual   = sync.OnceValue(func() *zstd.Encoder { return newZstd(zstd.SpeedDefault) })
	unzstd  = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxPlain),
			zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			panic(err)
		}
		return d
	})
)

func newZstd(level zstd.EncoderLevel) *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false), zstd.WithSingleSegment(true))
	if err != nil {
		panic(err)
	}
	return e
}

// appendPacked appends plain, shrunk by zstd if that helps: the number of its bytes times two, plus one
// if it is shrunk, then the number of bytes that follow in that case.
func appendPacked(dst, plain []byte, e *zstd.Encoder) []byte {
	small := e.EncodeAll(plain, nil)
	n := uint64(len(plain)) << 1
	if len(small)+4 >= len(plain) {
		return append(binary.AppendUvarint(dst, n), plain...)
	}
	dst = binary.AppendUvarint(dst, n|1)
	dst = binary.AppendUvarint(dst, uint64(len(small)))
	return append(dst, small...)
}

// unpack is the inverse of appendPacked. It allows at most limit bytes of plain.
func (p *input) unpack(limit int) *input {
	at := p.base + p.pos
	n := p.uvarint()
	if n>>1 > uint64(min(limit, maxPlain)) {
		p.fail("more bytes than the values can have")
	}
	if n&1 == 0 {
		return p.sub(n >> 1)
	}
	small := p.bytes(p.uvarint())
	if p.err != nil {
		return &input{err: p.err}
	}
	var h zstd.Header
	if h.Decode(small) != nil || !h.HasFCS || h.FrameContentSize != n>>1 {
		p.fail("broken zstd frame")
		return &input{err: p.err}
	}
	plain, err := unzstd().DecodeAll(small, make([]byte, 0, n>>1))
	if err != nil || uint64(len(plain)) != n>>1 {
		p.fail("broken zstd frame")
		return &input{err: p.err}
	}
	return &input{in: plain, base: at}
}
