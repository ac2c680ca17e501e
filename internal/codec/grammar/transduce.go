package grammar

import "errors"

// ErrIrregular is the error of Transduce for a result that would be too large.
var ErrIrregular = errors.New("its structure is too irregular")

// Transduce runs an automaton over the expansion of g: from a state and a terminal, step makes the next state and
// another terminal. The result derives these, as many as before. Rules are gone through once for each state that they
// begin in, so that the time depends on the grammar and the states, not on the length of the expansion. More than most
// symbols are an error.
func Transduce[S comparable](g *Grammar, start S, step func(S, uint32) (S, uint32), most int) (*Grammar, error) {
	t := &transducer[S]{g: g, step: step, done: map[entry[S]]exit[S]{}, out: &Grammar{Rules: make([][]Symbol, 1)}}
	t.stack = append(t.stack, passage[S]{in: entry[S]{0, start}, state: start})
	for len(t.stack) > 0 {
		if most--; most < ruleSymbols*len(t.out.Rules) {
			return nil, ErrIrregular
		}
		t.next()
	}
	return t.out, nil
}

// ruleSymbols is how many more symbols a rule of the result is worth: it takes memory of its own.
const ruleSymbols = 4

// entry is a rule that is gone through from a state.
type entry[S comparable] struct {
	rule  int
	state S
}

// exit is what comes of it: a rule of the result, and the state after it.
type exit[S comparable] struct {
	rule  uint32
	state S
}

// passage is a rule that is being gone through: up to copy number copies of symbol at.
type passage[S comparable] struct {
	in     entry[S]
	rule   uint32
	at     int
	copies uint64
	state  S
}

type transducer[S comparable] struct {
	g     *Grammar
	step  func(S, uint32) (S, uint32)
	done  map[entry[S]]exit[S]
	out   *Grammar
	stack []passage[S]
}

// next goes one copy of a symbol on, or several where the state stays what it is.
func (t *transducer[S]) next() {
	f := &t.stack[len(t.stack)-1]
	body := t.g.Rules[f.in.rule]
	if f.at == len(body) {
		t.done[f.in] = exit[S]{f.rule, f.state}
		t.stack = t.stack[:len(t.stack)-1]
		return
	}
	s := body[f.at]
	x, id := exit[S]{}, uint32(0)
	if s.IsRule() {
		in, known := entry[S]{s.Rule(), f.state}, false
		if x, known = t.done[in]; !known {
			n := uint32(len(t.out.Rules))
			t.out.Rules = append(t.out.Rules, nil)
			t.stack = append(t.stack, passage[S]{in: in, rule: n, state: in.state})
			return
		}
		id = RuleBit | x.rule
	} else {
		x.state, id = t.step(f.state, s.ID)
	}
	n := uint64(1)
	if x.state == f.state {
		n = s.Count - f.copies
	}
	out := t.out.Rules[f.rule]
	if k := len(out); k > 0 && out[k-1].ID == id {
		out[k-1].Count += n
	} else {
		t.out.Rules[f.rule] = append(out, Symbol{ID: id, Count: n})
	}
	f.state = x.state
	if f.copies += n; f.copies == s.Count {
		f.at, f.copies = f.at+1, 0
	}
}
