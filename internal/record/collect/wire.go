package collect

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
	"github.com/tabard-hpc/tabard/internal/codec/column"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
	"github.com/tabard-hpc/tabard/internal/safefile"
	"github.com/tabard-hpc/tabard/spec"
)

// A checkpoint is private to one version of tabard: it is read by the same
// program minutes later, or by a newer one that refuses it. It is
//
//	magic, body, CRC-32C of both
//
// Numbers are uvarints, byte strings have their length in front.
const checkpointMagic = "\xffABARDK3"

var (
	castagnoli    = crc32.MakeTable(crc32.Castagnoli)
	errCheckpoint = errors.New("checkpoint is damaged")
)

type encoder struct{ byteio.Writer }

// decoder reads what encoder wrote.
type decoder struct{ byteio.Reader }

func decode(b []byte) *decoder {
	return &decoder{byteio.Reader{In: b, As: func(int64, string) error { return errCheckpoint }}}
}

func (e *encoder) stream(s *stream) {
	e.Uvarint(s.calls)
	e.Uvarint(s.own)
	e.Uvarint(s.misfits)
	e.Sized(s.g.Grammar().Append(nil))
	e.Uvarint(uint64(len(s.classIDs)))
	for _, k := range s.classKeys() {
		e.Uvarint(uint64(k.fn))
		e.Uvarint(uint64(k.site))
		e.Bool(k.polls)
	}
	e.Uvarint(uint64(len(s.list)))
	for _, t := range s.list {
		e.Uvarint(uint64(t.sig))
		for _, c := range t.cols {
			e.Sized(c.Encode(nil))
		}
	}
	e.Uvarint(uint64(len(s.strings)))
	for _, n := range s.strings {
		e.Uvarint(uint64(n))
	}
	e.Bool(s.run != nil)
	if s.run != nil {
		e.Uvarint(uint64(s.run.id))
		e.Uvarint(uint64(s.runN))
		e.Uvarint(uint64(len(s.held)))
		for _, v := range s.held {
			e.Uvarint(uint64(v))
		}
	}
	e.Bool(s.timing != nil)
	if s.timing != nil {
		e.times(s)
	}
}

// stream reads a stream whose spool, if it has one, is at path.
func (d *decoder) stream(p *process, dir *safefile.Dir, name string, open spoolOpener) (*stream, error) {
	syms := p.syms
	s := &stream{syms: syms, p: p, calls: d.Uvarint(), own: d.Uvarint(), misfits: d.Uvarint()}
	gb := d.Sized()
	if d.Err != nil {
		return nil, d.Err
	}
	g, rest, err := grammar.Parse(gb)
	if err != nil || len(rest) != 0 {
		return nil, errors.Join(errCheckpoint, err)
	}
	if s.g, err = grammar.Restore(g); err != nil {
		return nil, err
	}
	for i, n := 0, d.Count(); i < n && d.Err == nil; i++ {
		s.classOf(classKey{spec.ID(d.Uvarint()), uint32(d.Uvarint()), d.Bool()})
	}
	for i, n := 0, d.Count(); i < n && d.Err == nil; i++ {
		if err := d.terminal(s); err != nil {
			return nil, err
		}
	}
	for i, n := 0, d.Count(); i < n && d.Err == nil; i++ {
		v := d.Uvarint()
		if v >= uint64(len(syms.Strings())) {
			return nil, errCheckpoint
		}
		s.text(int64(v))
	}
	if d.Bool() {
		id := d.Uvarint()
		s.runN = int64(d.Uvarint())
		for i, n := 0, d.Count(); i < n && d.Err == nil; i++ {
			s.held = append(s.held, int64(d.Uvarint()))
		}
		if id >= uint64(len(s.list)) {
			return nil, errCheckpoint
		}
		s.run = s.list[id]
	}
	if d.Bool() && d.Err == nil {
		if err := d.times(s, dir, name, open); err != nil {
			return nil, err
		}
	}
	return s, d.Err
}

func (d *decoder) terminal(s *stream) error {
	sig := d.Uvarint()
	if d.Err != nil || sig >= uint64(s.syms.Signatures()) {
		return errCheckpoint
	}
	t := s.newTerminal(uint32(len(s.list)), uint32(sig))
	for i := range t.cols {
		b := d.Sized()
		if d.Err != nil {
			return d.Err
		}
		var err error
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
