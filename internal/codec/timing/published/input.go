package published

import (
	"encoding/binary"
	"math"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// An Error is an encoding that cannot be decoded, because it is broken or belongs to other calls.
type Error = byteio.Error

const what = "lossy times"

// An input is what a series is read from.
type input struct{ byteio.Reader }

func open(in []byte) *input { return &input{byteio.Reader{In: in, What: what}} }

// sub returns the next n bytes as an input of their own.
func (p *input) sub(n uint64) *input {
	from := p.Pos
	p.Bytes(n)
	return &input{p.Part(from, p.Pos)}
}

// below returns a number that must be less than limit.
func (p *input) below(limit uint64) uint64 {
	v := p.Uvarint()
	if p.Err == nil && v >= limit {
		p.Fail("number out of range")
	}
	if p.Err != nil {
		return 0
	}
	return v
}

// count returns a number of items that take at least size bytes each.
func (p *input) count(size int) int {
	n := p.Count()
	if n > p.Left()/size {
		p.Fail(byteio.TooMany)
		return 0
	}
	return n
}

func (p *input) double() float64 {
	b := p.Bytes(8)
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

// appendPacked appends plain, shrunk by zstd if that helps: the number of its bytes times two, plus
// one if it is shrunk, then the number of bytes that follow in that case.
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
	at := p.Base + int64(p.Pos)
	n := p.Uvarint()
	if n>>1 > uint64(min(limit, maxPlain)) {
		p.Fail("more bytes than the values can have")
	}
	if n&1 == 0 {
		return p.sub(n >> 1)
	}
	small := p.Sized()
	if p.Err != nil {
		return &input{byteio.Reader{Err: p.Err}}
	}
	var h zstd.Header
	if h.Decode(small) != nil || !h.HasFCS || h.FrameContentSize != n>>1 {
		p.Fail("broken zstd frame")
		return &input{byteio.Reader{Err: p.Err}}
	}
	plain, err := unzstd().DecodeAll(small, make([]byte, 0, n>>1))
	if err != nil || uint64(len(plain)) != n>>1 {
		p.Fail("broken zstd frame")
		return &input{byteio.Reader{Err: p.Err}}
	}
	return &input{byteio.Reader{In: plain, Base: at, What: what}}
}
