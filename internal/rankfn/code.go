package rankfn

import (
	"encoding/binary"
	"fmt"
)

// An Error is an encoding that is broken or cut off.
type Error struct {
	Offset int // in the encoding that was to be parsed, in bytes
	Reason string
}

func (e *Error) Error() string {
	return fmt.Sprintf("broken rank function, byte %d: %s", e.Offset, e.Reason)
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
		p.fail("cut off, or number of more than 64 bits")
		return 0
	}
	p.pos += n
	return v
}

func (p *input) varint() int64 { return unzigzag(p.uvarint()) }

// upTo reads a number that is at most limit.
func (p *input) upTo(limit int, what string) int {
	v := p.uvarint()
	if v > uint64(max(limit, 0)) {
		p.fail(what + " out of range")
		return 0
	}
	return int(v)
}

// bytes reads a length and so many bytes.
func (p *input) bytes() []byte {
	n := p.uvarint()
	if p.err == nil && n > uint64(p.left()) {
		p.fail("cut off")
	}
	if p.err != nil {
		return nil
	}
	p.pos += int(n)
	return p.in[p.pos-int(n) : p.pos]
}

func zigzag(v int64) uint64   { return uint64(v<<1) ^ uint64(v>>63) }
func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

func appendUvarint(dst []byte, v int) []byte  { return binary.AppendUvarint(dst, uint64(v)) }
func appendVarint(dst []byte, v int64) []byte { return binary.AppendUvarint(dst, zigzag(v)) }

// appendBytes appends b with its length.
func appendBytes(dst, b []byte) []byte {
	return append(appendUvarint(dst, len(b)), b...)
}
