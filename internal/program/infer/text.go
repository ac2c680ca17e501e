package infer

import (
	"fmt"
	"strings"

	"github.com/tabard-hpc/tabard/internal/program/formula"
)

// String is the program of the model for people: a line for each call and loop.
func (m *Model) String() string {
	var b strings.Builder
	for i := range m.Threads {
		t := &m.Threads[i]
		fmt.Fprintf(&b, "thread %d", t.Number)
		if t.Count != nil {
			fmt.Fprintf(&b, " if %v", t.Count)
		}
		b.WriteByte('\n')
		writeNodes(&b, t.Body, 1)
	}
	return b.String()
}

func writeNodes(b *strings.Builder, nodes []*Node, depth int) {
	for _, n := range nodes {
		b.WriteString(strings.Repeat("  ", depth))
		if n.Count != nil {
			fmt.Fprintf(b, "%v times ", n.Count)
		}
		if n.Call == nil {
			fmt.Fprintf(b, "for i%d\n", n.Index)
			writeNodes(b, n.Body, depth+1)
			continue
		}
		c := n.Call
		b.WriteString(c.Func.Name + "(")
		for i := range c.Slots {
			if i > 0 {
				b.WriteString(", ")
			}
			s := &c.Slots[i]
			switch {
			case s.Copied != nil:
				b.WriteString("*")
			case s.Const != nil:
				b.WriteString("-")
			case s.Len != nil:
				fmt.Fprintf(b, "%v x %s", s.Len, formula.List(s.Parts))
			case len(s.Parts) == 1:
				b.WriteString(s.Parts[0].String())
			default:
				b.WriteString(formula.List(s.Parts))
			}
		}
		b.WriteString(")\n")
	}
}
