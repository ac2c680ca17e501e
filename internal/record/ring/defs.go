package ring

import (
	"encoding/binary"
	"fmt"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// Def is what is known on entry of calls that repeat.
type Def struct {
	Number uint32 // as in the records
	Head   uint32 // function and flags, as in a record's first word
	Absent uint32
	Site   uint64
	Body   []uint64 // the slots known on entry
}

// Defs are the definitions of one thread, by number, which records with FRef refer to.
type Defs struct {
	list  []Def
	arena []uint64
	full  []uint64 // the record that Expand returned last
}

// Define takes in the payload of an RDef record and returns the definition's number.
func (d *Defs) Define(payload []uint64) (int, error) {
	if len(payload) < 3 {
		return 0, fmt.Errorf("definition of %d words", len(payload))
	}
	if payload[0] > 1<<32-1 {
		return 0, fmt.Errorf("definition %d", payload[0])
	}
	n := payload[0] % DefMax      // the bits above tell a definition that is missing from an older one
	for uint64(len(d.list)) < n { // lost
		d.list = append(d.list, Def{})
	}
	def := Def{
		Number: uint32(payload[0]),
		Head:   uint32(payload[1]),
		Absent: uint32(payload[1] >> 32),
		Site:   payload[2],
		Body:   d.keep(payload[3:]),
	}
	if n == uint64(len(d.list)) {
		d.list = append(d.list, def)
	} else {
		d.list[n] = def
	}
	return int(n), nil
}

// keep copies words; copies made in turn lie side by side.
func (d *Defs) keep(words []uint64) []uint64 {
	if cap(d.arena)-len(d.arena) < len(words) {
		d.arena = make([]uint64, 0, max(4096, len(words)))
	}
	n := len(d.arena)
	d.arena = append(d.arena, words...)
	return d.arena[n:len(d.arena):len(d.arena)]
}

// Len is how many numbers are defined.
func (d *Defs) Len() int { return len(d.list) }

// RefNumber is the place of the definition that a record with FRef refers to.
func (r Record) RefNumber() int { return int(uint32(r[3]) % DefMax) }

// RefExact is RefNumber with the bits that tell definitions at one place apart.
func (r Record) RefExact() uint32 { return uint32(r[3]) }

// RefRet is the return code of a record with FRef.
func (r Record) RefRet() int32 { return int32(r[3] >> 32) }

// Expand writes a record with FRef out in full; others are returned as they
// are. The result is valid until the next call of Expand.
func (d *Defs) Expand(r Record) (Record, error) {
	if r.Flags()&FRef == 0 {
		return r, nil
	}
	if len(r) < RefWords || r.RefNumber() >= len(d.list) || d.list[r.RefNumber()].Head == 0 ||
		d.list[r.RefNumber()].Number != r.RefExact() {
		return nil, fmt.Errorf("record refers to a definition that is not there")
	}
	def := &d.list[r.RefNumber()]
	if uint16(def.Head) != uint16(r[0]) {
		return nil, fmt.Errorf("record of function %d refers to a call of function %d", uint16(r[0]), uint16(def.Head))
	}
	n := HeadWords + len(def.Body) + len(r) - RefWords
	head := r[0]&^(FRef<<16)&(1<<32-1) | uint64(n)<<32
	d.full = append(d.full[:0], head, r[1], r[2], def.Site, uint64(def.Absent)|r[3]&^(1<<32-1))
	d.full = append(d.full, def.Body...)
	d.full = append(d.full, r[RefWords:]...)
	return d.full, nil
}

// Append appends the definitions to dst, for RestoreDefs.
func (d *Defs) Append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(d.list)))
	for i := range d.list {
		def := &d.list[i]
		dst = binary.AppendUvarint(dst, uint64(def.Number))
		dst = binary.AppendUvarint(dst, uint64(def.Head))
		dst = binary.AppendUvarint(dst, uint64(def.Absent))
		dst = binary.AppendUvarint(dst, def.Site)
		dst = binary.AppendUvarint(dst, uint64(len(def.Body)))
		for _, w := range def.Body {
			dst = binary.AppendUvarint(dst, w)
		}
	}
	return dst
}

// RestoreDefs reads what Append wrote and returns the rest of b.
func RestoreDefs(b []byte) (*Defs, []byte, error) {
	r := byteio.Reader{In: b}
	d := &Defs{}
	for n := r.Uvarint(); n > 0 && r.Err == nil; n-- {
		def := Def{Number: uint32(r.Uvarint()), Head: uint32(r.Uvarint()), Absent: uint32(r.Uvarint()),
			Site: r.Uvarint()}
		for range r.Count() {
			d.full = append(d.full, r.Uvarint())
		}
		def.Body = d.keep(d.full)
		d.full = d.full[:0]
		d.list = append(d.list, def)
	}
	if r.Err != nil {
		return nil, nil, fmt.Errorf("definitions cut off")
	}
	return d, b[r.Pos:], nil
}
