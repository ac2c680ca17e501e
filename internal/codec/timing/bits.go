package timing

import (
	"math/bits"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// open returns a reader of in, which begins at byte base of the whole encoding.
func open(in []byte, base int64) *byteio.Reader {
	return &byteio.Reader{In: in, Base: base, What: "timing"}
}

// broken is an error that is not found while reading.
func broken(offset int64, reason string) error {
	return &byteio.Error{What: "timing", Offset: offset, Reason: reason}
}

// appendGolomb appends v in an Exp-Golomb code of order 0.
func appendGolomb(w *byteio.BitWriter, v uint64) {
	e := uint(bits.Len64(v+1)) - 1
	low := (v + 1) & (1<<e - 1)
	if 2*e < byteio.MaxWidth {
		w.Write((low<<1|1)<<e, 2*e+1)
		return
	}
	w.Write(0, e)
	w.Write(1, 1)
	w.Write(low, e)
}

// golomb reads a number below 2^32.
func golomb(r *byteio.BitReader, p *byteio.Reader) uint64 {
	next := r.Peek()
	if e := uint(bits.TrailingZeros64(next)); e < byteio.MaxWidth/2 {
		r.Pos += 2*e + 1
		return 1<<e + next>>(e+1)&(1<<e-1) - 1
	}
	e := uint(0)
	for r.Read(1) == 0 {
		if e++; e > 32 || r.Pos > uint(len(r.In))*8 {
			p.Fail("broken description of a table")
			return 0
		}
	}
	return 1<<e + r.Read(e) - 1
}
