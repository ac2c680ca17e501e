package replay

import (
	"fmt"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/spec"
)

// Options say how a stream is to be replayed.
type Options struct {
	// Target is the MPI that makes the calls.
	Target program.Target
	// Forced says that outcomes are to be as recorded, else they are left to the library.
	Forced bool
	// Gaps says that the time between calls is to pass as recorded, times Scale.
	Gaps  bool
	Scale float64
	// Threads are the streams of all threads of the process, in the order of their numbers; nil for
	// one.
	Threads []*archive.Stream
	// Scratch is the directory for files, empty if their names are used as they are.
	Scratch string
	// Patience is how long a call may take before the replay ends with a report; 0 for ever.
	Patience time.Duration
}

// Program is what the executor is told to do for one stream: tables first, then values.
type Program struct {
	tables *tables
	l      *lowering
	// Streams tells whether values follow the tables.
	Streams bool
}

// Words are the words before the values.
func (p *Program) Words() []uint64 { return p.tables.encode() }

// lowering is the work of turning a stream into a program.
type lowering struct {
	s       *archive.Stream
	o       *Options
	t       *tables
	sigs    []*archive.Signature
	strings []int64 // numbers in the program of the stream's strings
	plans   []plan
	// follow says that receives from any source are waiting for the calls that complete them.
	follow bool
	// successes are the polls, by function and call site, that succeeded at some time.
	successes map[[2]uint32]bool
	numbers   map[numberKey]int64
	ordered   bool  // several threads, with times
	dynamic   bool  // see rerun.Dynamic
	far       int64 // number of the array of distances, see findFar; -1 for none
	leads     bool  // datatypes may lead out of blocks, see findFar
}

type numberKey struct {
	kind string
	v    int64
}

// emitter appends words that a call needs to dst.
type emitter func(dst []uint64, vals []value) []uint64

// plan is what the values of a terminal's events are made of.
type plan struct {
	skip    bool
	ordered bool    // see callOrdered
	polls   *column // lengths of runs, if needed
	readers []*reader
	vals    []value   // static ones are set, those of readers change
	emit    []emitter // of parameters, in order
	outcome emitter
	// receive tells the request of a receive whose source is known only when it completes; its
	// outcome is then the last two words. complete calls found with the requests that a call
	// completed.
	receive  func(vals []value) int64
	complete func(vals []value, found func(request int64, status []int64))
}

// values tells whether events of the terminal have values besides gaps.
func (p *plan) values() bool { return len(p.emit) > 0 || p.outcome != nil || p.ordered }

// Lower turns a stream of an archive into a program. Broken input is an error.
func Lower(s *archive.Stream, o *Options) (*Program, error) {
	l := &lowering{s: s, o: o, t: newTables(), successes: map[[2]uint32]bool{}, numbers: map[numberKey]int64{}}
	var err error
	if l.sigs, err = s.Signatures(); err != nil {
		return nil, err
	}
	if l.t.grammar, err = s.Grammar(); err != nil {
		return nil, err
	}
	if err := l.takeStrings(); err != nil {
		return nil, err
	}
	for _, sig := range l.sigs {
		if program.OutcomesOf(sig.Func) != nil && sig.Flags&(archive.Polls|archive.Nested) == 0 {
			l.successes[[2]uint32{uint32(sig.Func), sig.Site}] = true
		}
		l.follow = l.follow || l.completesLater(sig)
	}
	l.dynamic = program.Dynamic(l.sigs)
	l.ordered = len(o.Threads) > 1
	for _, x := range o.Threads {
		l.ordered = l.ordered && x.Timed()
	}
	if err := l.findFar(); err != nil {
		return nil, err
	}
	l.plans = make([]plan, len(l.sigs))
	streams := o.Gaps
	for t := range l.sigs {
		x, err := l.terminal(uint32(t))
		if err != nil {
			return nil, fmt.Errorf("stream %d, terminal %d: %w", s.Index(), t, err)
		}
		l.t.terminals = append(l.t.terminals, x)
		streams = streams || l.plans[t].values()
	}
	l.head()
	return &Program{tables: l.t, l: l, Streams: streams}, nil
}

// head fills in the header.
func (l *lowering) head() {
	h, r := &l.t.header, l.s.Rank()
	h[hThread], h[hABI] = uint64(l.s.Thread()), uint64(l.o.Target.To)
	if l.o.Gaps {
		h[hFlags] |= flagGaps
	}
	if l.o.Forced {
		h[hFlags] |= flagForced
	}
	if l.leads {
		h[hFlags] |= flagOwn
	}
	h[hPatience] = uint64(l.o.Patience)
	h[hRank], h[hSize], h[hCalls] = uint64(r.Rank), uint64(r.Size), l.s.Calls()
	if l.o.Scratch != "" {
		h[hScratch] = uint64(l.t.str(l.o.Scratch)) + 1
	}
	h[hFar] = uint64(l.far + 1)
}

// takeStrings puts the strings that columns number into the program.
func (l *lowering) takeStrings() error {
	c := l.s.Class()
	if c == nil {
		return nil
	}
	d, err := c.Data()
	if err != nil {
		return err
	}
	if i := d.Strings.Index(c.Ranks(), l.s.ClassRank()); i >= 0 {
		for _, s := range d.Strings.Values[i] {
			l.strings = append(l.strings, int64(l.t.str(s)))
		}
	}
	return nil
}

// number is an integer of a kind in the target's numbers.
func (l *lowering) number(kind string, v int64) int64 {
	tr := l.o.Target.Translation
	if tr.From == tr.To {
		return v
	}
	k := numberKey{kind, v}
	n, ok := l.numbers[k]
	if !ok {
		n, _ = tr.Number(kind, v)
		if len(l.numbers) > 1<<16 {
			clear(l.numbers)
		}
		l.numbers[k] = n
	}
	return n
}

// terminal lowers what the calls of a terminal have in common, and plans their values.
func (l *lowering) terminal(t uint32) (terminal, error) {
	sig := l.sigs[t]
	f := program.FuncOf(sig.Func)
	x := terminal{name: l.t.str(f.Name), text: l.t.str(l.text(sig)), site: sig.Site}
	p := &l.plans[t]
	p.vals = make([]value, len(sig.Slots))
	for i := range sig.Slots {
		if sig.Slots[i].Kind == archive.Hole {
			continue
		}
		var err error
		if p.vals[i], err = l.t.static(&f.Slots[i], &sig.Slots[i]); err != nil {
			return x, err
		}
	}
	if f.Return >= 0 {
		x.flags |= callVoid
		if f.Slots[f.Return].Codec == spec.Float {
			x.flags |= callFloat
		}
	}
	if sig.Flags&archive.Failed != 0 {
		x.flags |= callFails
	}
	if sig.Flags&archive.Polls != 0 && (l.o.Gaps || l.o.Forced || l.ordered) {
		c, err := l.s.Column(t, -1, 0)
		if err != nil {
			return x, err
		}
		if c == nil {
			return x, fmt.Errorf("%s: a run of polls has no length", f.Name)
		}
		p.polls = &column{col: c, name: f.Name + ".polls"}
	}
	p.skip = f.Func.Own() || l.o.Target.ReasonOf(sig, l.dynamic) != "" || l.idlePolls(sig)
	if p.skip {
		x.flags |= callSkip
		return x, nil
	}
	if p.ordered = l.ordered && usesShared(f); p.ordered {
		x.flags |= callOrdered
	}
	if l.far >= 0 && usesDatatype(f, sig) {
		x.flags |= callFar
	}
	if i := program.Remote(sig); i >= 0 {
		x.flags |= callRemote
		x.outcomeParam = i
	}
	need := make([]bool, len(sig.Slots))
	c := &caller{l: l, f: f, sig: sig, plan: p, need: need}
	for _, a := range program.Pass(f, program.Passer[passed](c)) {
		if a.emit != nil {
			p.emit = append(p.emit, a.emit)
			a.op |= nextBit
		}
		x.args = append(x.args, a.argument)
	}
	c.outcome(&x)
	if l.follow {
		c.completions()
	}
	for slot := range need {
		if need[slot] && sig.Slots[slot].Kind == archive.Hole {
			r, err := l.reader(t, slot)
			if err != nil {
				return x, err
			}
			p.readers = append(p.readers, r)
		}
	}
	return x, nil
}

// usesShared tells whether a function creates or frees objects that several threads may use, or
// sends and receives in a communicator. Threads that were joined and replaced by others in the
// program must not get into each other's way in the replay, where nobody joins them.
func usesShared(f *program.Func) bool {
	for i := range f.Slots {
		s := &f.Slots[i]
		passes := s.Class == spec.Request || s.Class == spec.Message // of one thread
		if s.Codec == spec.Handle && (s.Class == spec.Comm || (s.Life == spec.New || s.Life == spec.Free) && !passes) {
			return true
		}
	}
	return false
}

// idlePolls tells whether a terminal is unsuccessful polls that are not made, because the
// successful one, which is waited for, does the same.
func (l *lowering) idlePolls(sig *archive.Signature) bool {
	return sig.Flags&archive.Polls != 0 && !l.o.Forced && l.successes[[2]uint32{uint32(sig.Func), sig.Site}]
}

// maxText bounds the text of a call.
const maxText = 400

// text renders the calls of a terminal, with "?" for what varies.
func (l *lowering) text(sig *archive.Signature) string {
	f := spec.ByID(sig.Func)
	abi := l.s.Archive().Meta().ABI
	b := append([]byte(f.Name), '(')
	for i := range f.Slots[:f.NumIn] {
		if i > 0 {
			b = append(b, ", "...)
		}
		if len(b) > maxText {
			b = append(b, "..."...)
			break
		}
		v := archive.FormatValue(abi, f, &f.Slots[i], &sig.Slots[i])
		if len(v) > maxText/4 {
			v = v[:maxText/4] + "..."
		}
		b = append(append(append(b, archive.SlotName(f, &f.Slots[i])...), '='), v...)
	}
	b = append(b, ')')
	if site := l.s.Site(sig); site != nil && len(site.Frames) > 0 {
		b = append(append(b, " @ "...), site.String()...)
	}
	return string(b)
}
