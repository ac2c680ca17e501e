package export

import (
	"encoding/binary"
	"math"
)

// proto appends fields of a protocol buffer message, in the wire format that
// https://protobuf.dev/programming-guides/encoding describes.
type proto struct{ b []byte }

// Wire types.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
)

func (p *proto) tag(field, wire int) { p.b = binary.AppendUvarint(p.b, uint64(field)<<3|uint64(wire)) }

// uint appends a number, also where it is 0.
func (p *proto) uint(field int, v uint64) {
	p.tag(field, wireVarint)
	p.b = binary.AppendUvarint(p.b, v)
}

// set appends a number unless it is 0, which readers take for granted.
func (p *proto) set(field int, v int64) {
	if v != 0 {
		p.uint(field, uint64(v))
	}
}

func (p *proto) fixed64(field int, v uint64) {
	p.tag(field, wireFixed64)
	p.b = binary.LittleEndian.AppendUint64(p.b, v)
}

func (p *proto) double(field int, v float64) { p.fixed64(field, math.Float64bits(v)) }

func (p *proto) str(field int, s string) {
	p.tag(field, wireBytes)
	p.b = append(binary.AppendUvarint(p.b, uint64(len(s))), s...)
}

// packed appends a list of numbers.
func (p *proto) packed(field int, list ...uint64) {
	at := p.open(field)
	for _, v := range list {
		p.b = binary.AppendUvarint(p.b, v)
	}
	p.close(at)
}

// open begins a message inside the message; close gets what it returns.
func (p *proto) open(field int) (at int) {
	p.tag(field, wireBytes)
	p.b = append(p.b, 0) // its length: one byte mostly is enough
	return len(p.b)
}

func (p *proto) close(at int) {
	n := uint64(len(p.b) - at)
	if n < 0x80 {
		p.b[at-1] = byte(n)
		return
	}
	var length [binary.MaxVarintLen64]byte
	k := binary.PutUvarint(length[:], n)
	p.b = append(p.b, length[1:k]...) // room
	copy(p.b[at-1+k:], p.b[at:at+int(n)])
	copy(p.b[at-1:], length[:k])
}
