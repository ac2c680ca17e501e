package symbol

import (
	"encoding/binary"
	"fmt"

	"tabard/trace"
)

// The journal holds what only ever grows: signatures, strings and definitions. A checkpoint
// then costs what is new since the last one and not all there is.
const (
	journalSig    = 1 // family + 1 or 0, bytes
	journalString = 2 // 0, bytes
	journalDef    = 3 // thread, number of words, words
	journalLoose  = 4 // family, bits that have left
	journalFamily = 5 // 0, what its signatures have in common
)

// Journal returns what is new since the last call. It belongs to the caller.
func (p *Process) Journal() []byte {
	j := p.journal
	p.journal = nil
	return j
}

func (p *Process) journalText(kind byte, of int, s string) {
	p.journal = append(p.journal, kind)
	p.journal = binary.AppendUvarint(p.journal, uint64(of))
	p.journal = binary.AppendUvarint(p.journal, uint64(len(s)))
	p.journal = append(p.journal, s...)
}

func (p *Process) journalLoose(fam int, mask uint64) {
	p.journal = append(p.journal, journalLoose)
	p.journal = binary.AppendUvarint(p.journal, uint64(fam))
	p.journal = binary.AppendUvarint(p.journal, mask)
}

func (p *Process) journalDef(thread int, payload []uint64) {
	p.journal = append(p.journal, journalDef)
	p.journal = binary.AppendUvarint(p.journal, uint64(thread))
	p.journal = binary.AppendUvarint(p.journal, uint64(len(payload)))
	for _, w := range payload {
		p.journal = binary.AppendUvarint(p.journal, w)
	}
}

// replay takes in a journal. Nothing of it is new.
func (p *Process) replay(journal []byte) error {
	defer p.Journal()
	r := journalReader{b: journal}
	for len(r.b) > 0 && !r.broken {
		kind := r.b[0]
		r.b = r.b[1:]
		of, n := r.num(), r.num()
		if kind != journalLoose && n > uint64(len(r.b)) {
			r.broken = true
		}
		if r.broken {
			break
		}
		switch kind {
		case journalSig:
			p.replaySignature(&r, of, n)
		case journalString:
			p.internString(string(r.bytes(n)))
		case journalFamily:
			if n < 16 {
				r.broken = true
				break
			}
			p.newFamily(string(r.bytes(n)))
		case journalDef:
			p.replayDef(&r, of, n)
		case journalLoose:
			if of >= uint64(len(p.fams)) {
				r.broken = true
				break
			}
			p.apply(p.fams[of].at, n)
		default:
			r.broken = true
		}
	}
	if r.broken {
		return fmt.Errorf("journal of a process: damaged %d bytes before its end", len(r.b))
	}
	return nil
}

// journalReader reads a journal; what is damaged is 0.
type journalReader struct {
	b      []byte
	broken bool
	words  []uint64
}

func (r *journalReader) num() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.b, r.broken = nil, true
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *journalReader) bytes(n uint64) []byte {
	v := r.b[:n]
	r.b = r.b[n:]
	return v
}

// replaySignature takes in a signature of family of-1.
func (p *Process) replaySignature(r *journalReader, of, n uint64) {
	sig := r.bytes(n)
	if of == 0 {
		p.internQuietly(sig)
		return
	}
	if _, err := trace.ParseSignature(sig); err != nil || of > uint64(len(p.fams)) {
		r.broken = true
		return
	}
	p.note(int(of-1), p.internQuietly(sig))
}

func (p *Process) replayDef(r *journalReader, thread, n uint64) {
	r.words = r.words[:0]
	for range n {
		r.words = append(r.words, r.num())
	}
	if thread > maxThread || r.broken {
		r.broken = true
		return
	}
	t := p.thread(int(thread))
	if _, err := t.defs.Define(r.words); err != nil {
		r.broken = true
		return
	}
	t.short = append(t.short, make([]short, t.defs.Len()-len(t.short))...)
}

// maxThread bounds the thread numbers that a damaged journal can make us believe.
const maxThread = 1 << 16
