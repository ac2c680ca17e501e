package rankfunc

import (
	"encoding/binary"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// An Error is an encoding that is broken or cut off.
type Error = byteio.Error

const what = "rank function"

// An input is what sets, functions and arrays are read from.
type input struct{ byteio.Reader }

func open(b []byte) *input { return &input{byteio.Reader{In: b, What: what}} }

// upTo reads a number that is at most limit.
func (p *input) upTo(limit int, what string) int {
	v := p.Uvarint()
	if v > uint64(max(limit, 0)) {
		p.Fail(what + " out of range")
		return 0
	}
	return int(v)
}

func appendUvarint(dst []byte, v int) []byte { return binary.AppendUvarint(dst, uint64(v)) }
