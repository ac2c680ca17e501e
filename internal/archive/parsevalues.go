package archive

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tabard-hpc/tabard/internal/codec/column"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
	"github.com/tabard-hpc/tabard/internal/codec/timing"
	"github.com/tabard-hpc/tabard/spec"
)

// ParseSignatureText is the reverse of Signature.String.
func ParseSignatureText(text string) (*Signature, error) {
	name, rest, ok := strings.Cut(text, "(")
	f := spec.ByName(name)
	if !ok || f == nil {
		return nil, fmt.Errorf("unknown function %q", name)
	}
	s := &Signature{Func: f.ID, Slots: make([]Value, len(f.Slots))}
	for i := range f.Slots {
		rest = strings.TrimLeft(rest, " ,;")
		if rest, ok = strings.CutPrefix(rest, SlotName(f, &f.Slots[i])+"="); !ok {
			return nil, fmt.Errorf("%s: expected %s at %q", f.Name, SlotName(f, &f.Slots[i]), ellipsis(rest))
		}
		var err error
		if s.Slots[i], rest, err = ParseValue(spec.UnknownABI, f, &f.Slots[i], rest); err != nil {
			return nil, err
		}
		setClass(&s.Slots[i], f.Slots[i].Class)
	}
	if rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " ;"), ")"); !ok {
		return nil, fmt.Errorf("%s: expected a closing parenthesis at %q", f.Name, ellipsis(rest))
	}
	return s, s.parseTail(rest)
}

// parseTail takes "site=1 flags=nested ret=0".
func (s *Signature) parseTail(text string) error {
	for _, field := range strings.Fields(text) {
		key, val, _ := strings.Cut(field, "=")
		switch key {
		case "site":
			n, err := strconv.ParseUint(val, 10, 32)
			if err != nil {
				return err
			}
			s.Site = uint32(n)
		case "ret":
			n, err := strconv.ParseInt(val, 10, 32)
			if err != nil {
				return err
			}
			s.Ret = int32(n)
		case "flags":
			f, err := parseFlags(val)
			if err != nil {
				return err
			}
			s.Flags = f
		default:
			return fmt.Errorf("unknown attribute %q", field)
		}
	}
	return nil
}

func parseFlags(text string) (f Flags, err error) {
	if text == "-" {
		return 0, nil
	}
	for _, w := range strings.Split(text, "|") {
		if i := slices.Index(flagNames, w); i >= 0 {
			f |= 1 << i
		} else if n, err := strconv.ParseUint(w, 10, 8); err == nil {
			f |= Flags(n)
		} else {
			return 0, fmt.Errorf("unknown flag %q", w)
		}
	}
	return f, nil
}

// ParseGrammarText is the reverse of FormatGrammar.
func ParseGrammarText(text string) (*Grammar, error) {
	g, err := parseGrammarText(text)
	if err != nil {
		return nil, err
	}
	return g, g.Validate(-1)
}

// parseGrammarText also takes exponents of 0, and checks nothing.
func parseGrammarText(text string) (*Grammar, error) {
	g := &Grammar{}
	if body, tail, ok := strings.Cut(text, "tail="); ok {
		n, err := strconv.Atoi(strings.TrimSpace(tail))
		if err != nil {
			return nil, err
		}
		g.Tail, text = n, body
	}
	for _, rule := range strings.Split(text, "|") {
		var body []Symbol
		for _, f := range strings.Fields(rule) {
			s, err := parseSymbol(f)
			if err != nil {
				return nil, err
			}
			body = append(body, s)
		}
		g.Rules = append(g.Rules, body)
	}
	return g, nil
}

func parseSymbol(f string) (Symbol, error) {
	id, count, hasCount := strings.Cut(f, "*")
	s := Symbol{Count: 1}
	id, isRule := strings.CutPrefix(id, "R")
	n, err := strconv.ParseUint(id, 10, 31)
	if err != nil {
		return s, err
	}
	if s.ID = uint32(n); isRule {
		s.ID |= grammar.RuleBit
	}
	if hasCount {
		s.Count, err = strconv.ParseUint(count, 10, 64)
	}
	return s, err
}

// maxTextRun bounds what one run in the text of a column stands for.
const maxTextRun = 1 << 32

func parseColumnText(text string) ([]byte, error) {
	if h, ok := strings.CutPrefix(text, "hex"); ok {
		return hex.DecodeString(strings.TrimSpace(h))
	}
	b := column.NewBuilder()
	for _, f := range strings.Fields(text) {
		v, step, n, err := parseRun(f)
		if err != nil {
			return nil, err
		}
		for range n {
			b.Append(v)
			v += step
		}
	}
	return b.Encode(nil), nil
}

func parseRun(f string) (v, step, n int64, err error) {
	n = 1
	value, count, repeated := strings.Cut(f, "*")
	var first, by string
	var stepped bool
	if !repeated {
		first, by, stepped = strings.Cut(value, ":")
		if stepped {
			by, count, stepped = strings.Cut(by, ":")
			if !stepped {
				return 0, 0, 0, fmt.Errorf("bad run %q", f)
			}
			if step, err = strconv.ParseInt(by, 10, 64); err != nil {
				return 0, 0, 0, err
			}
			value = first
		}
	}
	if repeated || stepped {
		if n, err = strconv.ParseInt(count, 10, 64); err != nil {
			return 0, 0, 0, err
		}
		if n < 0 || n > maxTextRun {
			return 0, 0, 0, fmt.Errorf("run of %d values", n)
		}
	}
	v, err = strconv.ParseInt(value, 10, 64)
	return v, step, n, err
}

func parseTimingText(text string) ([]byte, error) {
	if h, ok := strings.CutPrefix(text, "hex"); ok {
		return hex.DecodeString(strings.TrimSpace(h))
	}
	b := timing.NewLossless()
	for _, f := range strings.Fields(text) {
		start, dur, _ := strings.Cut(f, "+")
		s, err1 := strconv.ParseUint(start, 10, 64)
		d, err2 := strconv.ParseUint(dur, 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		b.Append(s, s+d, 0) // wraps around for ends before the start, which are broken but have a text
	}
	return b.Encode(nil, nil), nil
}

// write writes the archive. The lengths of columns and timings are those of
