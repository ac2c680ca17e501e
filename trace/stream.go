package trace

import (
	"iter"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Stream is the calls of one thread of one process, in the order of their return: what a callback calls
// inside another call comes before that call. It is safe for concurrent use.
type Stream struct {
	// Thread is the number of the thread in its process: 0 is the first thread that made a call.
	Thread int

	s *archive.Stream
}

// Rank is the process of the stream.
func (s *Stream) Rank() Rank { return rank(s.s.Rank()) }

// NumCalls is the number of calls, with the records of Tabard among them (Call.Own).
func (s *Stream) NumCalls() (uint64, error) {
	if _, err := s.s.Events(); err != nil {
		return 0, public(err)
	}
	return s.s.Calls(), nil
}

// Calls yields the calls from number from on. Reading begins there at once, wherever it is. The
// iteration ends after an error.
func (s *Stream) Calls(from uint64) iter.Seq2[*Call, error] {
	return func(yield func(*Call, error) bool) {
		m, err := s.newMaker()
		if err != nil {
			yield(nil, public(err))
			return
		}
		for c, err := range s.s.Iter(from) {
			if err != nil {
				yield(nil, public(err))
				return
			}
			if !yield(m.call(c), nil) {
				return
			}
		}
	}
}

// Call is call i. For several in a row Calls is faster.
func (s *Stream) Call(i uint64) (*Call, error) {
	c, err := s.s.CallAt(i)
	if err != nil {
		return nil, public(err)
	}
	return newCall(c, site(c.Site, s.s.Rank().Modules)), nil // c is a copy
}

// Step is a part of the structure of a stream: a loop if Body is not nil, else a call.
type Step struct {
	// Times is how often in a row the step is made.
	Times uint64
	// Body is what a loop repeats. Steps share bodies: it must not be changed.
	Body []Step
	// Func and Site say which function is called and where. Site is nil if that is unknown.
	Func string
	Site *Site
	// Polls is set if the call is a run of equal polls, which found nothing until the run ended.
	Polls bool
}

// Structure is the calls of the stream as loops. It takes time and memory in proportion to the
// compressed structure, not to the calls. Equal parts that stand at several places have one Body:
// following each of them anew can take much longer.
func (s *Stream) Structure() ([]Step, error) {
	m, err := s.newMaker()
	if err != nil {
		return nil, public(err)
	}
	g, err := s.s.Grammar()
	if err != nil {
		return nil, public(err)
	}
	bodies := make([][]Step, len(g.Rules))
	for i, rule := range g.Rules {
		bodies[i] = make([]Step, len(rule))
	}
	for i, rule := range g.Rules {
		for k, sym := range rule {
			if sym.IsRule() {
				bodies[i][k] = Step{Times: sym.Count, Body: bodies[sym.Rule()]}
			} else {
				bodies[i][k] = m.step(sym.ID, sym.Count)
			}
		}
	}
	return bodies[0], nil
}

// Counts is how often each call was made: a Step for each function, call site and set of regular
// parameters, in the order of the first call, whose Times are of the stream as a whole. Every poll
// counts. It reads no calls.
func (s *Stream) Counts() ([]Step, error) {
	m, err := s.newMaker()
	if err != nil {
		return nil, public(err)
	}
	counts, err := s.s.Counts()
	if err != nil {
		return nil, public(err)
	}
	steps := make([]Step, len(counts))
	for t, n := range counts {
		steps[t] = m.step(uint32(t), n)
	}
	return steps, nil
}

// maker makes calls and steps of the terminals of a stream.
type maker struct {
	signatures []*archive.Signature
	sites      []*Site // of each terminal
}

func (s *Stream) newMaker() (*maker, error) {
	signatures, err := s.s.Signatures()
	if err != nil {
		return nil, err
	}
	m := &maker{signatures: signatures, sites: make([]*Site, len(signatures))}
	shared := map[uint32]*Site{}
	modules := s.s.Rank().Modules
	for t, sig := range signatures {
		if shared[sig.Site] == nil {
			shared[sig.Site] = site(s.s.Site(sig), modules)
		}
		m.sites[t] = shared[sig.Site]
	}
	return m, nil
}

func (m *maker) step(terminal uint32, times uint64) Step {
	sig := m.signatures[terminal]
	polls := sig.Flags&archive.Polls != 0
	return Step{Times: times, Func: spec.ByID(sig.Func).Name, Site: m.sites[terminal], Polls: polls}
}

// call makes a call of one that the iteration goes on to use.
func (m *maker) call(c *archive.Call) *Call {
	var own *archive.Call
	if sig := m.signatures[c.Terminal]; len(c.Slots) > 0 && &c.Slots[0] != &sig.Slots[0] {
		own = c.Clone() // its values are in columns
	} else {
		d := *c
		own = &d
	}
	return newCall(own, m.sites[c.Terminal])
}
