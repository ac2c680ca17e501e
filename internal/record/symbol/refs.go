package symbol

import "github.com/tabard-hpc/tabard/internal/record/ring"

// short is what the shortest way needs of the calls that refer to a definition. Those
// of a long loop lie side by side.
type short struct {
	head   uint32 // first half of their records; 0 if they cannot take it
	number uint32 // of the definition, exactly
	gen    uint32
	sig    uint32
	at     uint32 // of their column values known on entry, in thread.consts
	consts uint8  // how many those are
	words  uint8  // of their records
	n      uint8
	widths [maxShort]uint8
}

// ReadAhead is how many words ahead of their use records are fetched from the other core's cache.
const ReadAhead = 64

// maxShort bounds the values in columns of a call that takes the shortest way.
const maxShort = 6

// define takes in a definition that later records refer to.
func (p *Process) define(th int, t *thread, rec ring.Record) error {
	before := t.defs.Len()
	n, err := t.defs.Define(rec.Payload())
	if err != nil {
		return err
	}
	t.redefined = t.redefined || n < before
	t.short = append(t.short, make([]short, t.defs.Len()-len(t.short))...)
	t.short[n] = short{}
	if !t.redefined {
		p.journalDef(th, rec.Payload())
	}
	return nil
}

// learn notes how calls like rec, which has been taken in by entry e, can take the shortest way.
func (p *Process) learn(t *thread, rec ring.Record, e *entry) {
	values := 0 // of columns known on return
	for _, w := range e.widths {
		if values++; w == 3 {
			values += 3
		}
	}
	n := len(p.cols) - values // known with the definition
	if len(rec) != ring.RefWords+e.after || len(e.widths) > maxShort || n < 0 || n > maxShort || e.gen != p.gen {
		return
	}
	if len(t.consts) > 1<<21 { // of definitions that have been replaced since
		clear(t.short)
		t.consts = t.consts[:0]
	}
	s := short{
		head:   uint32(rec[0]),
		number: rec.RefExact(),
		gen:    e.gen,
		sig:    e.sig,
		words:  uint8(len(rec)),
		n:      uint8(len(e.widths)),
		consts: uint8(n),
		at:     uint32(len(t.consts)),
	}
	copy(s.widths[:], e.widths)
	t.consts = append(t.consts, p.cols[:n]...)
	t.short[rec.RefNumber()] = s
}

// Burst takes in the records at the beginning of words that repeat known calls and take the
// shortest way, as Record would, up to the first one that returned after upto. It adds the words
// that it has taken in to done as it goes.
func (p *Process) Burst(th int, words []uint64, upto uint64, done *int, sink Sink) {
	t := p.thread(th)
	if t.n > 0 {
		return
	}
	for len(words) >= ring.RefWords {
		rec := ring.Record(words)
		n := rec.RefNumber()
		if rec.Flags()&^(ring.FIgnored|ring.FStack) != ring.FRef || n >= len(t.short) {
			return
		}
		s := &t.short[n]
		k := int(s.words)
		if s.head != uint32(rec[0]) || s.number != rec.RefExact() || s.gen != p.gen || rec.RefRet() != 0 ||
			rec.Len() != k ||
			k > len(words) ||
			rec.End() > upto {
			return
		}
		if len(words) > ReadAhead {
			p.ahead ^= words[ReadAhead] // the load starts now, nobody waits for it
		}
		p.cols = append(p.cols[:0], t.consts[s.at:s.at+uint32(s.consts)]...)
		p.repeated(th, s.sig, s.widths[:s.n], rec, words[ring.RefWords:], sink)
		*done += k
		words = words[k:]
	}
}
