package archive

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/tabard-hpc/tabard/internal/codec/grammar"
)

// The grammars of classes are coded like those of package grammar, with three differences. The
// exponent of a symbol that has one is stored less one, and 0 is a trip count that differs between
// ranks. If the size of MPI_COMM_WORLD is large, that size has a short code as exponent, and so has
// the size less one. Code 2 is a rule that was not used before, whose body is an item of the part
// bodies, in the form in which it would follow code 1.
const (
	codeNextTerminal = iota
	codeNewRule
	codeSharedRule
	codeBack // and above: an earlier terminal or rule
)

// Exponents that stand for the number of the other ranks, and for that of all ranks, if there are
// more than lastShort+1 ranks. The exponents with these numbers stand for those two in turn.
const (
	othersExponent = 127
	lastShort      = 128 // exponents up to this one take a byte
)

func swapExponent(v uint64, size int) uint64 {
	n := uint64(max(size, 0))
	if n <= lastShort+1 {
		return v
	}
	switch v {
	case n - 1:
		return othersExponent
	case n:
		return othersExponent + 1
	case othersExponent:
		return n - 1
	case othersExponent + 1:
		return n
	}
	return v
}

// span is where the body of a rule is in the encoding of a grammar: its
// number of symbols and the symbols. code is where the rule's code is.
type span struct {
	code, from, to int
	hash           uint64 // of the body, see shareBodies
}

// appendGrammar appends the encoding of g without shared rules and returns
// where the bodies of rules are, in the order of their begin. Rules
// and terminals of g must be numbered in the order of first use. size is that of MPI_COMM_WORLD.
func appendGrammar(dst []byte, g *Grammar, size int) ([]byte, []span, error) {
	type level struct {
		body []Symbol
		k    int
		span int
	}
	if len(g.Rules) == 0 {
		return nil, nil, fmt.Errorf("a grammar without rules")
	}
	var spans []span
	terminals, rules := uint64(0), uint64(1)
	dst = binary.AppendUvarint(dst, uint64(g.Tail))
	dst = binary.AppendUvarint(dst, uint64(len(g.Rules[0])))
	stack := []level{{body: g.Rules[0], span: -1}}
	for len(stack) > 0 {
		l := &stack[len(stack)-1]
		if l.k == len(l.body) {
			if l.span >= 0 {
				spans[l.span].to = len(dst)
			}
			stack = stack[:len(stack)-1]
			continue
		}
		s := l.body[l.k]
		s.Count = swapExponent(s.Count, size)
		l.k++
		if !s.IsRule() {
			t := uint64(s.ID)
			switch {
			case t < terminals:
				dst = appendCode(dst, codeBack+2*(terminals-1-t), s.Count)
			case t == terminals:
				dst = appendCode(dst, codeNextTerminal, s.Count)
				terminals++
			default:
				return nil, nil, fmt.Errorf("terminal %d before terminal %d", t, terminals)
			}
			continue
		}
		n := uint64(s.Rule())
		if n < rules {
			dst = appendCode(dst, codeBack+1+2*(rules-1-n), s.Count)
			continue
		}
		if n > rules || n >= uint64(len(g.Rules)) {
			return nil, nil, fmt.Errorf("rule %d before rule %d", n, rules)
		}
		rules++
		code := len(dst)
		dst = appendCode(dst, codeNewRule, s.Count)
		spans = append(spans, span{code: code, from: len(dst)})
		dst = binary.AppendUvarint(dst, uint64(len(g.Rules[n])-1))
		stack = append(stack, level{body: g.Rules[n], span: len(spans) - 1})
	}
	return dst, spans, nil
}

// appendCode appends a symbol: its code, and its exponent unless that is one.
func appendCode(dst []byte, code, count uint64) []byte {
	if count == 1 {
		return binary.AppendUvarint(dst, code<<1)
	}
	dst = binary.AppendUvarint(dst, code<<1|1)
	if count == 0 {
		return append(dst, 0)
	}
	return binary.AppendUvarint(dst, count-1)
}

// grammarParser reads the grammar of a class.
type grammarParser struct {
	d      *decoder // the current input: the class or a shared body
	bodies *items
	left   int // symbols that may still come
	size   int
	g      *Grammar

	terminals, rules uint64
	open             []bool
}

// parseGrammar reads a grammar of at most max symbols from d; size is that of MPI_COMM_WORLD.
// Errors are in d.
func parseGrammar(d *decoder, bodies *items, size, max int) *Grammar {
	p := &grammarParser{d: d, bodies: bodies, size: size, left: max, g: &Grammar{}, rules: 1, open: []bool{true}}
	tail := d.Uvarint()
	n := d.count("symbols")
	if tail > 0 && tail >= uint64(n) {
		d.fail("the tail of a grammar is as long as its start rule")
	}
	if d.Err != nil {
		return nil
	}
	p.g.Tail = int(tail)
	p.g.Rules = append(p.g.Rules, nil)
	p.run(n)
	return p.g
}

func (p *grammarParser) run(n int) {
	type level struct {
		rule, left int
		outer      *decoder // input to go on with when the rule ends
	}
	top := p.d
	stack := []level{{0, n, nil}}
	for len(stack) > 0 && p.d.Err == nil {
		l := &stack[len(stack)-1]
		if l.left == 0 {
			p.open[l.rule] = false
			if l.outer != nil {
				p.d.end()
				if p.d.Err == nil {
					p.d = l.outer
				}
			}
			stack = stack[:len(stack)-1]
			continue
		}
		l.left--
		if p.left--; p.left < 0 {
			p.d.fail("the grammar has more symbols than allowed")
			break
		}
		s, code := p.symbol()
		p.g.Rules[l.rule] = append(p.g.Rules[l.rule], s)
		if code != codeNewRule && code != codeSharedRule || p.d.Err != nil {
			continue
		}
		next := level{rule: len(p.g.Rules)}
		if code == codeSharedRule {
			next.outer = p.d
			i := p.d.index(p.bodies.len(), "shared rule")
			if p.d.Err != nil {
				break
			}
			p.d = decode(p.bodies.at(i), "structure/bodies", p.bodies.offset(i))
		}
		next.left = p.d.count("symbols") + 1
		p.g.Rules = append(p.g.Rules, nil)
		p.open = append(p.open, true)
		stack = append(stack, next)
	}
	top.Stop(p.d.Err)
}

// symbol reads one symbol.
func (p *grammarParser) symbol() (s Symbol, code uint64) {
	v := p.d.Uvarint()
	code = v >> 1
	switch {
	case code == codeNextTerminal:
		s.ID = uint32(p.terminals)
		p.terminals++
	case code == codeNewRule, code == codeSharedRule:
		s.ID = uint32(p.rules) | RuleBit
		p.rules++
	case (code-codeBack)%2 == 0:
		back := (code - codeBack) / 2
		if back >= p.terminals {
			p.d.fail("a grammar uses a terminal before the first one")
		}
		s.ID = uint32(p.terminals - 1 - back)
	default:
		back := (code - codeBack) / 2
		if back+1 >= p.rules {
			p.d.fail("a grammar uses a rule before the first one")
			return s, code
		}
		n := p.rules - 1 - back
		if p.open[n] {
			p.d.fail("a rule contains itself")
		}
		s.ID = uint32(n) | RuleBit
	}
	s.Count = 1
	if v&1 != 0 {
		switch x := p.d.Uvarint(); x {
		case 0:
			s.Count = 0
		default:
			if x == math.MaxUint64 {
				p.d.fail("exponent exceeds 64 bits")
			}
			s.Count = swapExponent(x+1, p.size)
		}
	}
	if p.terminals > grammar.MaxTerminal || p.rules > grammar.MaxTerminal {
		p.d.fail("a grammar has too many symbols")
	}
	return s, code
}

// CanonicalGrammar numbers rules and terminals in the order of their first use
// in the expansion of g and leaves out rules that are not used. It returns what g calls
// each terminal. The exponents are kept.
func CanonicalGrammar(g *Grammar) (c *Grammar, terminals []uint32) {
	type level struct {
		from []Symbol
		to   int
	}
	c = &Grammar{Tail: g.Tail, Rules: make([][]Symbol, 1, max(1, len(g.Rules)))}
	if len(g.Rules) == 0 {
		return c, nil
	}
	numbers := make(map[uint32]uint32) // of terminals and rules, by id in g
	stack := []level{{g.Rules[0], 0}}
	for len(stack) > 0 {
		l := &stack[len(stack)-1]
		if len(l.from) == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		s := l.from[0]
		l.from = l.from[1:]
		to := l.to
		n, seen := numbers[s.ID]
		if !seen && s.IsRule() {
			n = uint32(len(c.Rules)) | RuleBit
			c.Rules = append(c.Rules, make([]Symbol, 0, len(g.Rules[s.Rule()])))
			stack = append(stack, level{g.Rules[s.Rule()], len(c.Rules) - 1})
		} else if !seen {
			n = uint32(len(terminals))
			terminals = append(terminals, s.ID)
		}
		numbers[s.ID] = n
		c.Rules[to] = append(c.Rules[to], Symbol{ID: n, Count: s.Count})
	}
	return c, terminals
}
