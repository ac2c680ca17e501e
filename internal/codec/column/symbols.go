package column

import (
	"bytes"
	"encoding/binary"
	"sync"

	"github.com/klauspost/compress/fse"
	"github.com/klauspost/compress/huff0"
	"github.com/klauspost/compress/zstd"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// Modes of a string of symbols.
const (
	symbolsRaw = iota
	symbolsSame
	symbolsPacked
	symbolsHuff1
	symbolsHuff4
	symbolsZstd
	symbolsFSE
)

const (
	minEntropy = 32  // fewer symbols are not worth a code table
	minHuff4   = 512 // from here on four interleaved streams pay
)

// scratch is memory that encoding or decoding a block needs for a while.
type scratch struct {
	huff   *huff0.Scratch
	states fse.Scratch
	syms   []byte
	out    []byte
	block  []byte
	u      []uint64
	a, b   classes
	table  distinctTable
}

var scratches = sync.Pool{New: func() any { return &scratch{huff: &huff0.Scratch{}} }}

var encoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false),
		zstd.WithSingleSegment(true), zstd.WithWindowSize(1<<17), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // only if the options are wrong
	}
	return e
})

var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(1<<20), zstd.WithDecodeAllCapLimit(true),
		zstd.WithDecoderLowmem(true))
	if err != nil {
		panic(err) // only if the options are wrong
	}
	return d
})

// appendSymbols encodes syms in the mode that takes the least space, out of those
// that are fast; with repeats set it also tries one that finds repeated strings.
func (sc *scratch) appendSymbols(dst, syms []byte, repeats bool) []byte {
	if n := len(syms); n > 0 && bytes.Equal(syms[1:], syms[:n-1]) {
		return append(dst, symbolsSame, syms[0])
	}
	width := widthOf(uint64(union(syms)))
	best, mode := int(bytesOf(uint64(len(syms))*uint64(width)))+1, byte(symbolsPacked)
	if width == 8 {
		best, mode = len(syms), symbolsRaw
	}
	var coded []byte
	if len(syms) >= minEntropy {
		if c, m := sc.huffman(syms); c != nil && len(c)+uvarintLen(uint64(len(c))) < best {
			best, mode, coded = len(c)+uvarintLen(uint64(len(c))), m, c
		}
		if c := sc.fse(syms, best); c != nil {
			best, mode, coded = len(c)+uvarintLen(uint64(len(c))), symbolsFSE, c
		}
		if repeats && sc.repetitive(syms, best) {
			sc.out = encoder().EncodeAll(syms, sc.out[:0])
			if n := len(sc.out) + uvarintLen(uint64(len(sc.out))); n < best {
				mode, coded = symbolsZstd, sc.out
			}
		}
	}
	dst = append(dst, mode)
	switch mode {
	case symbolsRaw:
		return append(dst, syms...)
	case symbolsPacked:
		w := byteio.NewBitWriter(append(dst, byte(width)), uint64(len(syms))*uint64(width))
		for _, s := range syms {
			w.Write(uint64(s), width)
		}
		return w.Flush()
	}
	dst = binary.AppendUvarint(dst, uint64(len(coded)))
	return append(dst, coded...)
}

// union returns the bits that are set in some of syms.
func union(syms []byte) byte {
	all := uint64(0)
	for len(syms) >= 8 {
		all |= binary.LittleEndian.Uint64(syms)
		syms = syms[8:]
	}
	for _, s := range syms {
		all |= uint64(s)
	}
	all |= all >> 32
	all |= all >> 16
	return byte(all | all>>8)
}

// huffman returns syms in a Huffman code, or nil if that does not make them smaller.
func (sc *scratch) huffman(syms []byte) ([]byte, byte) {
	sc.huff.Reuse = huff0.ReusePolicyNone
	if len(syms) >= minHuff4 {
		if out, _, err := huff0.Compress4X(syms, sc.huff); err == nil {
			return out, symbolsHuff4
		}
		return nil, 0
	}
	if out, _, err := huff0.Compress1X(syms, sc.huff); err == nil {
		return out, symbolsHuff1
	}
	return nil, 0
}

// fse returns syms in a finite state entropy code, or nil if that is not worth its
// slowness: only symbols that deserve about a bit or less gain much by it.
func (sc *scratch) fse(syms []byte, best int) []byte {
	if 8*best > len(syms)*5/4 {
		return nil
	}
	if out, err := fse.Compress(syms, &sc.states); err == nil && len(out)+uvarintLen(uint64(len(out))) < best {
		return out
	}
	return nil
}

// repetitive tells whether syms, which take best bytes otherwise, seem to have
// repeated strings, judging by their first part.
func (sc *scratch) repetitive(syms []byte, best int) bool {
	const part = 4
	n := len(syms) / part
	if n < 256 {
		return true
	}
	sc.out = encoder().EncodeAll(syms[:n], sc.out[:0])
	return len(sc.out) < best/part
}

// symbols reads n symbols, at most maxBlock, into sc.syms[:n] behind what is there.
func (sc *scratch) symbols(p *byteio.Reader, n int) []byte {
	if cap(sc.syms) < n {
		sc.syms = make([]byte, n)
	}
	out := sc.syms[:n]
	switch p.Byte() {
	case symbolsRaw:
		copy(out, p.Bytes(uint64(n)))
	case symbolsSame:
		s := p.Byte()
		for i := range out {
			out[i] = s
		}
	case symbolsPacked:
		width := uint(p.Byte())
		if width > 8 {
			p.Fail("symbols of more than 8 bits")
			break
		}
		r := byteio.BitReader{In: p.Bytes(bytesOf(uint64(n) * uint64(width)))}
		for i := range out {
			out[i] = byte(r.Read(width))
		}
	case symbolsHuff1:
		sc.unhuffman(p, out, (*huff0.Decoder).Decompress1X)
	case symbolsHuff4:
		sc.unhuffman(p, out, (*huff0.Decoder).Decompress4X)
	case symbolsZstd:
		in := p.Sized()
		if p.Err == nil {
			if d, err := decoder().DecodeAll(in, out[:0:n]); err != nil || len(d) != n {
				p.Fail("broken Zstandard frame")
			}
		}
	case symbolsFSE:
		sc.unfse(p, out)
	default:
		p.Fail("unknown mode of symbols")
	}
	if p.Err != nil {
		clear(out)
	}
	return out
}

func (sc *scratch) unhuffman(p *byteio.Reader, out []byte,
	decompress func(*huff0.Decoder, []byte, []byte) ([]byte, error)) {
	in := p.Sized()
	if p.Err != nil {
		return
	}
	s, rest, err := huff0.ReadTable(in, sc.huff)
	if err != nil {
		p.Fail("broken Huffman table")
		return
	}
	sc.huff = s
	if d, err := decompress(s.Decoder(), out[:0:len(out)], rest); err != nil || len(d) != len(out) {
		p.Fail("broken Huffman code")
	}
}

func (sc *scratch) unfse(p *byteio.Reader, out []byte) {
	in := p.Sized()
	if p.Err != nil {
		return
	}
	sc.states.DecompressLimit = len(out)
	d, err := fse.Decompress(in, &sc.states)
	if err != nil || len(d) != len(out) {
		p.Fail("broken finite state entropy code")
		return
	}
	copy(out, d)
}
