// Package grammar compresses a sequence of small integers, on line, into a
// context-free grammar that derives exactly that sequence.
//
// The algorithm is Sequitur (C. G. Nevill-Manning, I. H. Witten, "Identifying
// hierarchical structure in sequences: a linear-time algorithm", JAIR 7, 1997)
// with run lengths: a symbol of a rule body carries an exponent, so that a loop
// of n iterations is one symbol whatever n is. Three invariants hold, apart
// from the end of the start rule (see Grammar.Tail):
//
//   - no two adjacent symbols are equal: X^i X^j is joined to X^(i+j);
//   - no digram occurs twice, where a digram is two adjacent symbols with their exponents;
//   - every rule but the start rule is used at least twice, or once with an
//     exponent above one.
//
// Two decisions are put off, because they would be wrong in loops. The last
// symbol of the start rule can still grow, so its digram is looked up only when
// a different symbol follows. And when the start rule ends in a rule Z and the
// input goes on as Z begins, the input is only compared with Z's expansion: at
// its end the exponent of Z grows by one, and on a difference the part that
// agreed is appended as symbols of Z's body. The first makes nested loops come
// out with their trip counts; the second costs a few nanoseconds per terminal.
//
// The grammar depends only on which input terminals are equal: inputs that
// differ by a renaming of terminals give grammars that differ by that renaming.
//
// # Encoding
//
// All integers are unsigned LEB128 varints (encoding/binary). A grammar is
//
//	tail    number of symbols at the end of the start rule that are its tail
//	n       number of symbols of the start rule
//	symbol  n times
//
// A symbol is a varint v. If v&1 is set, the exponent less two follows the
// symbol's code (before a new rule's body); else the exponent is one. The code k = v>>1 is
//
//	0       the terminal after the greatest one so far (0 at first)
//	1       a rule that was not used before: next comes its body, as a varint
//	        with the number of its symbols less one, and the symbols
//	2       a terminal above the one of code 0; a varint follows with the
//	        difference less one
//	3+2d    the d-th terminal counted down from the greatest one so far
//	4+2d    the d-th rule counted down from the newest one so far
//
// Rules are numbered in the order in which their bodies begin, the start rule
// being 0; that is the order of first use. A rule cannot be named inside its own
// body, thus the grammar has no cycle.
package grammar

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"
)

// RuleBit marks a Symbol's ID as the number of a rule.
const RuleBit = 1 << 31

// MaxTerminal is the greatest terminal.
const MaxTerminal = RuleBit - 1

// A Symbol is a terminal or a rule, repeated Count times (at least once).
type Symbol struct {
	ID    uint32 // a terminal, or RuleBit + the number of a rule
	Count uint64
}

// IsRule tells whether s is a rule.
func (s Symbol) IsRule() bool { return s.ID&RuleBit != 0 }

// Rule returns the number of the rule that s is. It is meaningless for a terminal.
func (s Symbol) Rule() int { return int(s.ID &^ RuleBit) }

// A Grammar derives one sequence of terminals: the expansion of Rules[0].
type Grammar struct {
	// Rules holds the bodies of the rules; Rules[0] is the start rule and may be empty.
	Rules [][]Symbol

	// Tail is the number of symbols at the end of the start rule that agree
	// with the beginning of the rule before them, which the builder expects to
	// go on. They belong to the sequence like all others, but are not yet
	// folded in, so the invariants do not hold for them. Only Restore needs it.
	Tail int
}

// An Error is a grammar that cannot be used. Encodings that cannot be read give an error of package
// byteio.
type Error struct {
	Rule   int // -1 if unknown
	Reason string
}

func (e *Error) Error() string {
	s := "broken grammar"
	if e.Rule >= 0 {
		s += fmt.Sprintf(", rule %d", e.Rule)
	}
	return s + ": " + e.Reason
}

func broken(rule int, format string, args ...any) error {
	return &Error{Rule: rule, Reason: fmt.Sprintf(format, args...)}
}

// ErrTooLong is the reason for an expansion of 2^64 terminals or more.
var ErrTooLong = errors.New("broken grammar: its expansion has 2^64 terminals or more")

// Validate checks that g can be expanded: every symbol exists, counts are
// positive, no rule contains itself, no rule but the start rule is empty, the
// length fits 64 bits. Terminals must be below terminals, unless that is negative.
func (g *Grammar) Validate(terminals int) error {
	if len(g.Rules) == 0 {
		return broken(-1, "no start rule")
	}
	if g.Tail < 0 || g.Tail > 0 && g.Tail >= len(g.Rules[0]) {
		return broken(0, "tail of %d symbols in a start rule of %d", g.Tail, len(g.Rules[0]))
	}
	for r, body := range g.Rules {
		if len(body) == 0 && r > 0 {
			return broken(r, "empty")
		}
		for _, s := range body {
			switch {
			case s.Count == 0:
				return broken(r, "symbol with exponent zero")
			case s.IsRule() && (s.Rule() >= len(g.Rules) || s.Rule() == 0):
				return broken(r, "uses rule %d of %d", s.Rule(), len(g.Rules))
			case !s.IsRule() && terminals >= 0 && uint64(s.ID) >= uint64(terminals):
				return broken(r, "terminal %d of %d", s.ID, terminals)
			}
		}
	}
	_, err := g.Len()
	return err
}

// Len returns the number of terminals that g expands to. The symbols of g must
// exist; it is an error if rules form a cycle or the length does not fit.
func (g *Grammar) Len() (uint64, error) {
	order, err := g.order()
	if err != nil {
		return 0, err
	}
	lens, err := g.lengths(order)
	if err != nil || len(lens) == 0 {
		return 0, err
	}
	return lens[0], nil
}

// order returns the rules that the start rule uses, directly or not, each after
// all rules that it uses; the start rule comes last.
func (g *Grammar) order() ([]uint32, error) {
	if len(g.Rules) == 0 {
		return nil, nil
	}
	const open, closed = 1, 2
	type frame struct{ rule, pos int }
	state := make([]byte, len(g.Rules))
	order := make([]uint32, 0, len(g.Rules))
	stack := []frame{{0, 0}}
	state[0] = open
walk:
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		for body := g.Rules[f.rule]; f.pos < len(body); {
			s := body[f.pos]
			f.pos++
			if !s.IsRule() {
				continue
			}
			switch state[s.Rule()] {
			case open:
				return nil, broken(s.Rule(), "contains itself")
			case 0:
				state[s.Rule()] = open
				stack = append(stack, frame{s.Rule(), 0})
				continue walk
			}
		}
		state[f.rule] = closed
		order = append(order, uint32(f.rule))
		stack = stack[:len(stack)-1]
	}
	return order, nil
}

// Symbols is the number of symbols in all rules.
func (g *Grammar) Symbols() int {
	n := 0
	for _, body := range g.Rules {
		n += len(body)
	}
	return n
}

// FirstUses yields the terminals of the expansion in the order of their first occurrences. It looks at each
// rule once, so that the work follows the size of g; a terminal may come again.
func (g *Grammar) FirstUses() iter.Seq[uint32] {
	return func(yield func(terminal uint32) bool) {
		seen := make([]bool, len(g.Rules))
		type place struct{ rule, at int }
		for stack := []place{{0, 0}}; len(stack) > 0; {
			p := &stack[len(stack)-1]
			if p.at == len(g.Rules[p.rule]) {
				stack = stack[:len(stack)-1]
				continue
			}
			s := g.Rules[p.rule][p.at]
			p.at++
			switch {
			case !s.IsRule():
				if !yield(s.ID) {
					return
				}
			case !seen[s.Rule()]:
				seen[s.Rule()] = true
				stack = append(stack, place{s.Rule(), 0})
			}
		}
	}
}

// lengths returns the number of terminals that each rule in order expands to.
func (g *Grammar) lengths(order []uint32) ([]uint64, error) {
	lens := make([]uint64, len(g.Rules))
	for _, r := range order {
		total := uint64(0)
		for _, s := range g.Rules[r] {
			n := uint64(1)
			if s.IsRule() {
				n = lens[s.Rule()]
			}
			hi, lo := bits.Mul64(n, s.Count)
			sum, carry := bits.Add64(total, lo, 0)
			if hi != 0 || carry != 0 || sum == math.MaxUint64 {
				return nil, ErrTooLong
			}
			total = sum
		}
		lens[r] = total
	}
	return lens, nil
}
