package column

import "github.com/tabard-hpc/tabard/internal/codec/byteio"

// open returns a reader of an encoding from byte pos on.
func open(in []byte, pos int) *byteio.Reader { return &byteio.Reader{In: in, Pos: pos, What: "column"} }

// uvarintLen returns the number of bytes that v takes.
func uvarintLen(v uint64) int { return int(uvarintLens[widthOf(v)]) }

// uvarintLens is by width.
var uvarintLens = func() (t [65]uint8) {
	for w := range t {
		t[w] = uint8(max(1, (w+6)/7))
	}
	return t
}()
