package column

import (
	"encoding/binary"
	"fmt"

	"tabard/internal/wire"
)

// An Error is an encoding that is broken or cut off.
type Error struct {
	Offset int // in the encoding, in bytes
	Reason string
}

func (e *Error) Error() string {
	return fmt.Sprintf("broken column, byte %d: %s", e.Offset, e.Reason)
}

// An input is read from front to back. After the first error all reads give zero.
type input struct {
	in  []byte
	pos int
	err error
}

func (p *input) fail(reason string) {
	if p.err == nil {
		p.err = &Error{Offset: p.pos, Reason: reason}
	}
}

func (p *input) left() int { return len(p.in) - p.pos }

func (p *input) uvarint() uint64 {
	if p.err != nil {
		return 0
	}
	v, n := binary.Uvarint(p.in[p.pos:])
	if n <= 0 {
		p.fail("cut off or number exceeds 64 bits")
		return 0
	}
	p.pos += n
	return v
}

func (p *input) varint() int64 { return wire.Unzigzag(p.uvarint()) }

func (p *input) byte() byte {
	if p.err == nil && p.left() == 0 {
		p.fail("cut off")
	}
	if p.err != nil {
		return 0
	}
	p.pos++
	return p.in[p.pos-1]
}

// bytes reads n bytes.
func (p *input) bytes(n uint64) []byte {
	if p.err == nil && n > uint64(p.left()) {
		p.fail("cut off")
	}
	if p.err != nil {
		return nil
	}
	p.pos += int(n)
	return p.in[p.pos-int(n) : p.pos]
}

// uvarintLen returns the number of bytes that v takes.
func uvarintLen(v uint64) int { return int(uvarintLens[widthOf(v)]) }

// uvarintLens is by width.
var uvarintLens = func() (t [65]uint8) {
	for w := range t {
		t[w] = uint8(max(1, (w+6)/7))
	}
	return t
}()
