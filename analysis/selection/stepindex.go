package selection

import (
	"sort"

	"github.com/tabard-hpc/tabard/analysis/loops"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
	"github.com/tabard-hpc/tabard/spec"
)

// StepTiming is up to how many bytes of stored time stamps the time-step loop is
// determined by time as well as by calls: see loops.Options. One value for all, so
// that a step has the same number everywhere.
const StepTiming = 64 << 20

// Range is calls of a stream: From up to, but not including, To.
type Range struct{ From, To uint64 }

// Len is the number of calls.
func (r Range) Len() uint64 { return r.To - r.From }

// StepIndex says where the time steps of each stream are.
type StepIndex struct {
	// Region is the region that is a time step, "" if that is an iteration of a loop.
	Region string

	regions *regionSteps  // instead of what follows
	of      map[int]place // by number of the stream
	words   map[wordKey]*word
	iters   map[place]*loops.Iterations
}

// place is a variant of a class of loops.
type place struct {
	class   *loops.Class
	variant int
}

// stepsOf is the time steps of classes that loops.Of found with StepTiming.
func stepsOf(classes []*loops.Class) *StepIndex {
	x := &StepIndex{of: map[int]place{}, words: map[wordKey]*word{}, iters: map[place]*loops.Iterations{}}
	for _, c := range classes {
		if c.Step == nil {
			continue
		}
		for v := range c.Variants {
			for _, s := range c.Variants[v].Streams {
				x.of[s.Index()] = place{c, v}
			}
		}
	}
	return x
}

// Of is the time steps of a stream, nil if it has none. It is not safe for concurrent use,
// nor are the results.
func (x *StepIndex) Of(s *archive.Stream) (*StreamSteps, error) {
	if x.regions != nil {
		return x.regions.stream(s)
	}
	p, ok := x.of[s.Index()]
	if !ok {
		return nil, nil
	}
	it := x.iters[p]
	if it == nil {
		it = p.class.Iterations(p.variant, p.class.Step)
		x.iters[p] = it
	}
	w, err := x.word(s)
	if err != nil {
		return nil, err
	}
	return &StreamSteps{stream: s, it: it, word: w}, nil
}

// StreamSteps is the time steps of a stream.
type StreamSteps struct {
	stream  *archive.Stream
	regions *entries // instead of what follows
	it      *loops.Iterations
	word    *word
	tries   uint64 // how many steps Run tries to take at once; 0 for all
}

// Len is the number of steps.
func (s *StreamSteps) Len() uint64 {
	if s.regions != nil {
		return s.regions.begins.Len()
	}
	return s.it.Len()
}

// Range is the calls of step k, below Len. It takes a time that depends on the
// loops and the grammar only, unless there are runs of polls.
func (s *StreamSteps) Range(k uint64) (Range, error) { return s.Span(k, k) }

// Span is the calls from step from to step to, which are below Len, both included.
func (s *StreamSteps) Span(from, to uint64) (r Range, err error) {
	if s.regions != nil {
		return s.regions.span(from, to)
	}
	a, _ := s.it.Range(from)
	_, b := s.it.Range(to)
	return s.calls(a, b)
}

// wordKey is what the words of streams depend on.
type wordKey struct {
	class   *archive.Class
	grammar *archive.Grammar
}

// word finds events by their number among those that the program called: the
// recorder's own records do not count in loops.
type word struct {
	x    *grammar.Index
	ends [][]uint64 // for each rule and symbol: visible events up to the symbol's end; nil if all are
}

func (x *StepIndex) word(s *archive.Stream) (*word, error) {
	index, err := s.GrammarIndex()
	if err != nil {
		return nil, err
	}
	key := wordKey{s.Class(), index.Grammar()}
	if w := x.words[key]; w != nil {
		return w, nil
	}
	sigs, err := s.Signatures()
	if err != nil {
		return nil, err
	}
	w := &word{x: index}
	weights, all := make([]uint64, len(sigs)), true
	for t, sig := range sigs {
		if spec.ByID(sig.Func).Own() {
			all = false
		} else {
			weights[t] = 1
		}
	}
	if !all {
		w.weigh(weights)
	}
	x.words[key] = w
	return w, nil
}

func (w *word) weigh(weights []uint64) {
	g := w.x.Grammar()
	w.ends = make([][]uint64, len(g.Rules))
	for _, r := range w.x.BottomUp() {
		sum := uint64(0)
		w.ends[r] = make([]uint64, len(g.Rules[r]))
		for i, s := range g.Rules[r] {
			sum += s.Count * w.weight(s, weights)
			w.ends[r][i] = sum
		}
	}
	// Terminals are looked up where they stand: weight needs no table any more.
}

// weight is the visible events of one copy of a symbol.
func (w *word) weight(s archive.Symbol, weights []uint64) uint64 {
	if !s.IsRule() {
		return weights[s.ID]
	}
	if e := w.ends[s.Rule()]; len(e) > 0 {
		return e[len(e)-1]
	}
	return 0
}

// event is the number of the event that v visible ones precede; that of the
// end if there is none.
func (w *word) event(v uint64) uint64 {
	if w.ends == nil {
		return v
	}
	rules, at := w.x.Grammar().Rules, uint64(0)
	for r := 0; ; {
		ends := w.ends[r]
		k := sort.Search(len(ends), func(k int) bool { return ends[k] > v })
		if k == len(ends) { // only in the start rule
			return w.x.Len()
		}
		before := uint64(0)
		if k > 0 {
			before, at = ends[k-1], at+w.x.Ends(r)[k-1]
		}
		s := rules[r][k]
		one := (ends[k] - before) / s.Count
		v -= before
		at += v / one * (w.x.SymbolLen(s) / s.Count)
		if v %= one; !s.IsRule() {
			return at
		}
		r = s.Rule()
	}
}
