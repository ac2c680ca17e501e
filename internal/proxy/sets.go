package proxy

import (
	"fmt"
	"strings"

	"tabard/internal/rankfn"
	"tabard/trace"
)

// mostIntervals is how many intervals a condition lists.
const mostIntervals = 3

// condition is an expression that tells whether rank, one of all, is in s.
func (g *generator) condition(s, all *trace.RankSet) string {
	if s.Len() == all.Len() {
		return "1"
	}
	if c, ok := intervals(s, all); ok {
		return c
	}
	var rest []int
	for r := range all.All() {
		if !s.Contains(r) {
			rest = append(rest, r)
		}
	}
	if c, ok := intervals(rankfn.NewSet(rest), all); ok {
		if strings.HasPrefix(c, "rank == ") && !strings.Contains(c, "|") {
			return "rank != " + strings.TrimPrefix(c, "rank == ")
		}
		return "!(" + c + ")"
	}
	runs := s.Runs()
	if len(runs) == 1 && len(runs[0].Body) == 0 {
		return stepped(&runs[0], all)
	}
	return g.member(runs)
}

// intervals is a condition for a few intervals.
func intervals(s, all *trace.RankSet) (string, bool) {
	var parts []string
	for lo, hi := range s.Intervals() {
		if len(parts) == mostIntervals {
			return "", false
		}
		switch {
		case hi == lo+1:
			parts = append(parts, fmt.Sprintf("rank == %d", lo))
		case lo <= all.Min():
			parts = append(parts, fmt.Sprintf("rank < %d", hi))
		case hi > all.Max():
			parts = append(parts, fmt.Sprintf("rank >= %d", lo))
		default:
			parts = append(parts, fmt.Sprintf("(rank >= %d && rank < %d)", lo, hi))
		}
	}
	return strings.Join(parts, " || "), true
}

// stepped is a condition for single ranks with a constant distance.
func stepped(r *rankfn.Run, all *trace.RankSet) string {
	last := r.Low + (r.Count-1)*r.Stride
	var parts []string
	if r.Low-r.Stride >= all.Min() {
		parts = append(parts, fmt.Sprintf("rank >= %d", r.Low))
	}
	if last+r.Stride <= all.Max() {
		parts = append(parts, fmt.Sprintf("rank <= %d", last))
	}
	return strings.Join(append(parts, fmt.Sprintf("rank %% %d == %d", r.Stride, r.Low%r.Stride)), " && ")
}

// member is a call of a function that looks for the rank in runs that nest.
func (g *generator) member(runs []rankfn.Run) string {
	var b strings.Builder
	b.WriteString("    long x;\n")
	writeRuns(&b, runs, "rank", 1)
	b.WriteString("    return 0;\n")
	return g.helper("in_set", b.String())
}

// writeRuns writes statements that return 1 if from is in one of the runs. Level counts how deep they nest.
func writeRuns(b *strings.Builder, runs []rankfn.Run, from string, level int) {
	indent := strings.Repeat("    ", level)
	for i := range runs {
		r := &runs[i]
		span := (r.Count-1)*r.Stride + 1
		if len(r.Body) == 0 {
			fmt.Fprintf(b, "%sx = %s;\n%sif (x >= 0 && x < %d", indent, plus(from, -int64(r.Low)), indent, span)
			if r.Stride > 1 {
				fmt.Fprintf(b, " && x %% %d == 0", r.Stride)
			}
			b.WriteString(") return 1;\n")
			continue
		}
		inner := fmt.Sprintf("x%d", level)
		fmt.Fprintf(b, "%sif (%s >= %d && %s < %d) {\n", indent, from, r.Low, from, r.Low+r.Count*r.Stride)
		fmt.Fprintf(b, "%s    long %s = (%s) %% %d;\n", indent, inner, plus(from, -int64(r.Low)), r.Stride)
		writeRuns(b, r.Body, inner, level+1)
		fmt.Fprintf(b, "%s}\n", indent)
	}
}

// a choice is a text that some ranks have.
type choice struct {
	text  string
	ranks []int
}

// choose is an expression that has the text of each rank of a set.
func (g *generator) choose(ranks *trace.RankSet, hint, ctype string, text func(rank int) string) string {
	var list []*choice
	at := map[string]*choice{}
	for r := range ranks.All() {
		s := text(r)
		if at[s] == nil {
			at[s] = &choice{text: s}
			list = append(list, at[s])
		}
		at[s].ranks = append(at[s].ranks, r)
	}
	if len(list) == 1 {
		return list[0].text
	}
	var b strings.Builder
	for _, c := range list[:len(list)-1] {
		fmt.Fprintf(&b, "    if (%s) return %s;\n", g.condition(rankfn.NewSet(c.ranks), ranks), c.text)
	}
	fmt.Fprintf(&b, "    return %s;\n", list[len(list)-1].text)
	return g.typedHelper(hint, ctype, b.String())
}
