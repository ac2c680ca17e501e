package grammar

import (
	"encoding/binary"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

const (
	codeNextTerminal = iota
	codeNewRule
	codeSkip
	codeBack // and above: an earlier terminal or rule
)

// A numbering is what both sides of the encoding know at some point of it.
type numbering struct {
	terminals uint64 // greatest terminal so far + 1
	rules     uint64 // rules so far
}

// Append appends the encoding of g, which must be valid, to dst. Rules that the
// start rule does not use are left out, and the others numbered by first use.
func (g *Grammar) Append(dst []byte) []byte {
	type level struct {
		body []Symbol
		k    int
	}
	known := numbering{rules: 1}
	number := make([]uint64, len(g.Rules)) // as encoded; 0: not yet used
	dst = binary.AppendUvarint(dst, uint64(g.Tail))
	dst = binary.AppendUvarint(dst, uint64(len(g.Rules[0])))
	stack := []level{{body: g.Rules[0]}}
	for len(stack) > 0 {
		l := &stack[len(stack)-1]
		if l.k == len(l.body) {
			stack = stack[:len(stack)-1]
			continue
		}
		s := l.body[l.k]
		l.k++
		if !s.IsRule() {
			dst = known.appendTerminal(dst, s)
			continue
		}
		if n := number[s.Rule()]; n > 0 {
			dst = appendSymbol(dst, codeBack+1+2*(known.rules-1-n), s.Count)
			continue
		}
		number[s.Rule()] = known.rules
		known.rules++
		body := g.Rules[s.Rule()]
		dst = appendSymbol(dst, codeNewRule, s.Count)
		dst = binary.AppendUvarint(dst, uint64(len(body)-1))
		stack = append(stack, level{body: body})
	}
	return dst
}

func (k *numbering) appendTerminal(dst []byte, s Symbol) []byte {
	t := uint64(s.ID)
	switch {
	case t == k.terminals:
		dst = appendSymbol(dst, codeNextTerminal, s.Count)
	case t > k.terminals:
		dst = appendCode(dst, codeSkip, s.Count)
		dst = binary.AppendUvarint(dst, t-k.terminals-1)
		return k.seen(t, appendExponent(dst, s.Count))
	default:
		return appendSymbol(dst, codeBack+2*(k.terminals-1-t), s.Count)
	}
	return k.seen(t, dst)
}

func (k *numbering) seen(t uint64, dst []byte) []byte {
	k.terminals = t + 1
	return dst
}

func appendSymbol(dst []byte, code, count uint64) []byte {
	return appendExponent(appendCode(dst, code, count), count)
}

func appendCode(dst []byte, code, count uint64) []byte {
	v := code << 1
	if count > 1 {
		v |= 1
	}
	return binary.AppendUvarint(dst, v)
}

func appendExponent(dst []byte, count uint64) []byte {
	if count > 1 {
		dst = binary.AppendUvarint(dst, count-2)
	}
	return dst
}

// A parser reads an encoding.
type parser struct{ byteio.Reader }

// symbols reads the number of symbols of a body, less less. Each symbol takes a byte or more.
func (p *parser) symbols(less uint64) int {
	v := p.Uvarint()
	if p.Err == nil && v > uint64(p.Left()) {
		p.Fail("body is longer than the input")
	}
	if p.Err != nil {
		return 0
	}
	return int(v + less)
}

// Parse reads a grammar as written by Append from the beginning of in, checks it
// as Validate does with terminals below 2^31, and returns it with the bytes
// behind it. It allocates at most 64 bytes per byte of the encoding.
func Parse(in []byte) (g *Grammar, rest []byte, err error) {
	p := &parser{byteio.Reader{In: in, What: "grammar"}}
	g = &Grammar{}
	tail := p.Uvarint()
	n := p.symbols(0)
	if p.Err == nil && tail > 0 && tail >= uint64(n) {
		p.Fail("tail is as long as the start rule")
	}
	if p.Err != nil {
		return nil, nil, p.Err
	}
	g.Tail = int(tail)
	if err := p.bodies(g, n); err != nil {
		return nil, nil, err
	}
	if _, err := g.Len(); err != nil {
		return nil, nil, err
	}
	return g, in[p.Pos:], nil
}

// bodies reads all rules of g; the start rule has n symbols.
func (p *parser) bodies(g *Grammar, n int) error {
	type level struct{ rule, left int }
	known := numbering{rules: 1}
	open := []bool{true}
	// Bodies grow as their symbols come, so that a length alone costs nothing.
	g.Rules = append(g.Rules, nil)
	stack := []level{{0, n}}
	for len(stack) > 0 && p.Err == nil {
		l := &stack[len(stack)-1]
		if l.left == 0 {
			open[l.rule] = false
			stack = stack[:len(stack)-1]
			continue
		}
		l.left--
		s, isNew := p.symbol(&known)
		if s.IsRule() && !isNew && p.Err == nil && open[s.Rule()] {
			p.Fail("a rule contains itself")
		}
		g.Rules[l.rule] = append(g.Rules[l.rule], s)
		if isNew {
			n := p.symbols(1)
			g.Rules = append(g.Rules, nil)
			open = append(open, true)
			stack = append(stack, level{len(g.Rules) - 1, n})
		}
	}
	return p.Err
}

// symbol reads one symbol; isNew tells that it is a rule whose body follows.
func (p *parser) symbol(known *numbering) (s Symbol, isNew bool) {
	v := p.Uvarint()
	k := v >> 1
	switch {
	case k == codeNextTerminal:
		s.ID = p.newTerminal(known, 0)
	case k == codeNewRule:
		isNew = true
		if known.rules > MaxTerminal {
			p.Fail("too many rules")
		}
		s.ID = uint32(known.rules) | RuleBit
		known.rules++
	case k == codeSkip:
		s.ID = p.newTerminal(known, p.Uvarint()+1)
	case (k-codeBack)%2 == 0:
		d := (k - codeBack) / 2
		if d >= known.terminals {
			p.Fail("terminal before the first one")
		}
		s.ID = uint32(known.terminals - 1 - d)
	default:
		d := (k - codeBack) / 2
		if d+1 >= known.rules {
			p.Fail("rule before the first one")
		}
		s.ID = uint32(known.rules-1-d) | RuleBit
	}
	s.Count = 1
	if v&1 != 0 {
		s.Count = p.Uvarint() + 2
		if s.Count < 2 {
			p.Fail("exponent exceeds 64 bits")
		}
	}
	if p.Err != nil {
		return Symbol{}, false
	}
	return s, isNew
}

// newTerminal returns the terminal that skips skip terminals above the greatest one.
func (p *parser) newTerminal(known *numbering, skip uint64) uint32 {
	if skip > MaxTerminal || known.terminals+skip > MaxTerminal {
		p.Fail("terminal out of range")
		return 0
	}
	known.terminals += skip + 1
	return uint32(known.terminals - 1)
}
