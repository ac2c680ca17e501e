package symbol

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// The journal holds what only ever grows: signatures, strings and definitions. A checkpoint
// then costs what is new since the last one and not all there is.
const (
	journalSig    = 1 // family + 1 or 0, bytes
	journalString = 2 // 0, bytes
	journalDef    = 3 // thread, number of words, words
	journalDemote = 4 // family, bits that have left
	journalFamily = 5 // 0, what its signatures have in common
)

// replay takes in a journal. Nothing of it is new.
func (p *Process) replay(journal []byte) error {
	defer p.Journal()
	r := &byteio.Reader{In: journal, As: func(offset int64, _ string) error {
		return fmt.Errorf("journal of a process: damaged %d bytes before its end", int64(len(journal))-offset)
	}}
	for r.Left() > 0 {
		kind := r.Byte()
		of, n := r.Uvarint(), r.Uvarint()
		if kind != journalDemote && n > uint64(r.Left()) {
			r.Fail(byteio.Cut)
		}
		if r.Err != nil {
			break
		}
		switch {
		case kind == journalSig:
			p.replaySignature(r, of, n)
		case kind == journalString:
			p.internString(string(r.Bytes(n)))
		case kind == journalFamily && n >= 16:
			p.newFamily(string(r.Bytes(n)))
		case kind == journalDef:
			p.replayDef(r, of, n)
		case kind == journalDemote && of < uint64(len(p.fams)):
			p.demote(p.fams[of].at, n)
		default:
			r.Fail("unknown kind, or no such family")
		}
	}
	return r.Err
}

// replaySignature takes in a signature of family of-1.
func (p *Process) replaySignature(r *byteio.Reader, of, n uint64) {
	s, err := archive.ParseSignature(r.Bytes(n))
	if err != nil || of > uint64(len(p.fams)) {
		r.Fail("broken signature")
		return
	}
	if id, _ := p.number(s); of > 0 {
		p.note(int(of-1), id)
	}
}

func (p *Process) replayDef(r *byteio.Reader, thread, n uint64) {
	words := make([]uint64, n)
	for i := range words {
		words[i] = r.Uvarint()
	}
	if thread > maxThread {
		r.Fail("no such thread")
	}
	if r.Err != nil {
		return
	}
	t := p.thread(int(thread))
	if _, err := t.defs.Define(words); err != nil {
		r.Fail(err.Error())
		return
	}
	t.short = append(t.short, make([]short, t.defs.Len()-len(t.short))...)
}

// maxThread bounds the thread numbers that a damaged journal can make us believe.
const maxThread = 1 << 16
