package collect

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"tabard/internal/column"
	"tabard/internal/grammar"
	"tabard/spec"
)

// A checkpoint is private to one version of tabard: it is read by the same
// program minutes later, or by a newer one that refuses it. It is
//
//	magic, body, CRC-32C of both
//
// Numbers are uvarints, byte strings have their length in front.
const checkpointMagic = "\xffABARDK2"

var (
	castagnoli    = crc32.MakeTable(crc32.Castagnoli)
	errCheckpoint = errors.New("checkpoint is damaged")
)

type encoder struct{ b []byte }

func (e *encoder) num(v uint64) { e.b = binary.AppendUvarint(e.b, v) }
func (e *encoder) bytes(v []byte) {
	e.num(uint64(len(v)))
	e.b = append(e.b, v...)
}
func (e *encoder) bit(v bool) {
	if v {
		e.num(1)
	} else {
		e.num(0)
	}
}

// decoder reads what encoder wrote; after an error everything is zero.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) num() uint64 {
	v, n := binary.Uvarint(d.b)
	if d.err != nil || n <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) bytes() []byte {
	n := d.num()
	if d.err != nil || n > uint64(len(d.b)) {
		d.fail()
		return nil
	}
	v := d.b[:n:n]
	d.b = d.b[n:]
	return v
}

// count reads a number of items of at least one byte each.
func (d *decoder) count() int {
	n := d.num()
	if d.err != nil || n > uint64(len(d.b)) {
		d.fail()
		return 0
	}
	return int(n)
}

func (d *decoder) bit() bool { return d.num() != 0 }

func (d *decoder) fail() {
	if d.err == nil {
		d.err = errCheckpoint
	}
}

func (e *encoder) stream(s *stream) {
	e.num(s.calls)
	e.num(s.misfits)
	e.bytes(s.g.Grammar().Append(nil))
	e.num(uint64(len(s.classIDs)))
	for _, k := range s.classKeys() {
		e.num(uint64(k.fn))
		e.num(uint64(k.site))
		e.bit(k.polls)
	}
	e.num(uint64(len(s.list)))
	for _, t := range s.list {
		e.num(uint64(t.sig))
		for _, c := range t.cols {
			e.bytes(c.Encode(nil))
		}
	}
	e.num(uint64(len(s.strings)))
	for _, n := range s.strings {
		e.num(uint64(n))
	}
	e.bit(s.run != nil)
	if s.run != nil {
		e.num(uint64(s.run.id))
		e.num(uint64(s.runN))
		e.num(uint64(len(s.held)))
		for _, v := range s.held {
			e.num(uint64(v))
		}
	}
	e.bit(s.timing != nil)
	if s.timing != nil {
		e.times(s)
	}
}

// stream reads a stream whose spool, if it has one, is at path.
func (d *decoder) stream(p *process, path string) (*stream, error) {
	syms := p.syms
	s := &stream{syms: syms, p: p, calls: d.num(), misfits: d.num()}
	gb := d.bytes()
	if d.err != nil {
		return nil, d.err
	}
	g, rest, err := grammar.Parse(gb)
	if err != nil || len(rest) != 0 {
		return nil, errors.Join(errCheckpoint, err)
	}
	if s.g, err = grammar.Restore(g); err != nil {
		return nil, err
	}
	for i, n := 0, d.count(); i < n && d.err == nil; i++ {
		s.classOf(classKey{spec.ID(d.num()), uint32(d.num()), d.bit()})
	}
	for i, n := 0, d.count(); i < n && d.err == nil; i++ {
		if err := d.terminal(s); err != nil {
			return nil, err
		}
	}
	for i, n := 0, d.count(); i < n && d.err == nil; i++ {
		v := d.num()
		if v >= uint64(len(syms.Strings())) {
			return nil, errCheckpoint
		}
		s.text(int64(v))
	}
	if d.bit() {
		id := d.num()
		s.runN = int64(d.num())
		for i, n := 0, d.count(); i < n && d.err == nil; i++ {
			s.held = append(s.held, int64(d.num()))
		}
		if id >= uint64(len(s.list)) {
			return nil, errCheckpoint
		}
		s.run = s.list[id]
	}
	if d.bit() && d.err == nil {
		if err := d.times(s, path); err != nil {
			return nil, err
		}
	}
	return s, d.err
}

func (d *decoder) terminal(s *stream) error {
	sig := d.num()
	if d.err != nil || sig >= uint64(s.syms.Signatures()) {
		return errCheckpoint
	}
	t, err := s.newTerminal(uint32(len(s.list)), uint32(sig), s.syms.Signature(uint32(sig)))
	if err != nil {
		return err
	}
	for i := range t.cols {
		b := d.bytes()
		if d.err != nil {
			return d.err
		}
		if t.cols[i], err = column.Restore(b); err != nil {
			return err
		}
	}
	s.add(t)
	return nil
}

// seal adds the checksum.
func seal(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// unseal checks magic and checksum and returns the body.
func unseal(b []byte) ([]byte, error) {
	n := len(b) - 4
	if n < len(checkpointMagic) || string(b[:len(checkpointMagic)]) != checkpointMagic {
		return nil, fmt.Errorf("%w, or of another version of tabard", errCheckpoint)
	}
	if crc32.Checksum(b[:n], castagnoli) != binary.LittleEndian.Uint32(b[n:]) {
		return nil, fmt.Errorf("%w: checksum", errCheckpoint)
	}
	return b[len(checkpointMagic):n], nil
}
