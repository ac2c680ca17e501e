package archive

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tabard-hpc/tabard/internal/codec/column"
	"github.com/tabard-hpc/tabard/internal/codec/timing"
	"github.com/tabard-hpc/tabard/spec"
)

// String renders the signature in the form of the text twin (see WriteText).
func (s *Signature) String() string {
	f := spec.ByID(s.Func)
	p := printer{exact: true}
	p.b = append(p.b, f.Name+"("...)
	for i := range s.Slots {
		if i == f.NumIn {
			p.b = append(p.b, "; "...)
		} else {
			p.comma(i)
		}
		p.b = append(p.b, SlotName(f, &f.Slots[i])+"="...)
		p.value(f, &f.Slots[i], &s.Slots[i])
	}
	return fmt.Sprintf("%s) site=%d flags=%s ret=%d", p.b, s.Site, s.Flags, s.Ret)
}

// String lists the flags: "nested|poll"; "-" if there are none.
func (f Flags) String() string {
	var out []string
	for i, name := range flagNames {
		if f&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	if rest := f >> len(flagNames); rest != 0 {
		out = append(out, strconv.Itoa(int(rest<<len(flagNames))))
	}
	if out == nil {
		return "-"
	}
	return strings.Join(out, "|")
}

// FormatGrammar renders a grammar in the form of the text twin: rules
// separated by "|", symbols by spaces; a rule is R and its number, an exponent
// follows after "*".
func FormatGrammar(g *Grammar) string {
	var out strings.Builder
	for i, rule := range g.Rules {
		if i > 0 {
			out.WriteString(" | ")
		}
		for k, s := range rule {
			if k > 0 {
				out.WriteByte(' ')
			}
			if s.IsRule() {
				out.WriteByte('R')
			}
			fmt.Fprint(&out, s.ID&^RuleBit)
			if s.Count != 1 {
				fmt.Fprintf(&out, "*%d", s.Count)
			}
		}
	}
	if g.Tail != 0 {
		fmt.Fprintf(&out, " tail=%d", g.Tail)
	}
	return out.String()
}

// columnText renders a column; it fails if the column is broken or has more
// than max values.
func columnText(b []byte, max uint64) (string, error) {
	r, err := column.Open(b)
	if err != nil {
		return "", err
	}
	if r.Len() > max {
		return "", fmt.Errorf("%d values", r.Len())
	}
	var out []byte
	buf := make([]int64, 4096)
	runs := runWriter{}
	for i := uint64(0); i < r.Len(); {
		n := r.Read(i, buf)
		if err := r.Err(); err != nil || n == 0 {
			return "", fmt.Errorf("unreadable at %d: %v", i, err)
		}
		for _, v := range buf[:n] {
			out = runs.add(out, v)
		}
		i += uint64(n)
	}
	return strings.TrimSpace(string(runs.flush(out))), nil
}

// runWriter collects values into runs with a constant step.
type runWriter struct {
	first, last, step int64
	n                 int64
}

func (r *runWriter) add(out []byte, v int64) []byte {
	switch {
	case r.n == 0:
		r.first = v
	case r.n == 1:
		r.step = v - r.last
	case v-r.last != r.step:
		if r.n == 2 && r.step != 0 { // no run: the second value may begin one
			out = fmt.Appendf(out, " %d", r.first)
			r.first, r.step = r.last, v-r.last
			r.last = v
			return out
		}
		out = r.flush(out)
		r.first = v
	}
	r.n++
	r.last = v
	return out
}

func (r *runWriter) flush(out []byte) []byte {
	switch {
	case r.n == 0:
	case r.n == 1:
		out = fmt.Appendf(out, " %d", r.first)
	case r.step == 0:
		out = fmt.Appendf(out, " %d*%d", r.first, r.n)
	case r.n == 2:
		out = fmt.Appendf(out, " %d %d", r.first, r.last)
	default:
		out = fmt.Appendf(out, " %d:%d:%d", r.first, r.step, r.n)
	}
	r.n = 0
	return out
}

func timingText(b []byte, max uint64) (string, error) {
	r, err := timing.OpenBytes(b, nil)
	if err != nil {
		return "", err
	}
	if r.Len() > max {
		return "", fmt.Errorf("%d entries", r.Len())
	}
	var out []byte
	for i := range r.Len() {
		start, end := r.At(i)
		if err := r.Err(); err != nil {
			return "", err
		}
		if i > 0 {
			out = append(out, ' ')
		}
		out = fmt.Appendf(out, "%d+%d", start, end-start)
	}
	return string(out), nil
}
