package text

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/loops"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/resolve"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// Widths in columns: a line has at most loopsWidth unless its call site is
// long, and of a list of ranks maxRankText are shown.
const (
	loopsWidth  = 110
	maxRankText = 60
)

// loopsPrinter renders loop nests for people.
type loopsPrinter struct {
	w     io.Writer
	class *loops.Class
}

// Loops shows the loop nests of a recording.
func Loops(w io.Writer, file string, classes []*loops.Class) {
	p := &loopsPrinter{w: w}
	for i, c := range classes {
		if i > 0 {
			fmt.Fprintln(p.w)
		}
		p.class = c
		p.head(c)
		if c.SummedUp {
			fmt.Fprintln(p.w, "  (too little order to show all: what is not in a large loop is summed up)")
		}
		p.sequence(c.Body, 1, nil)
		for k, b := range c.Blocks {
			if len(b) > 0 {
				render.Printf(p.w, "  block %d:\n", k+1)
				p.sequence(b, 2, nil)
			}
		}
	}
	if len(classes) == 0 {
		render.Printf(p.w, "%s holds no calls\n", file)
	}
}

// head names the members of a class.
func (p *loopsPrinter) head(c *loops.Class) {
	calls := plural(c.Least, "call")
	switch {
	case c.Least != c.Most:
		calls = count(c.Least) + "-" + plural(c.Most, "call") + " each"
	case len(c.Streams()) > 1:
		calls += " each"
	}
	render.Printf(p.w, "%s   %s\n", membersText(c, c.Ranks()), calls)
}

// membersText names threads: "ranks 0-35", "thread 1 of ranks 2,4".
func membersText(c *loops.Class, ranks []int) string {
	text := "rank "
	if len(ranks) > 1 {
		text = "ranks "
	}
	list := report.RankList(ranks)
	if len(list) > maxRankText {
		cut := strings.LastIndexByte(list[:maxRankText-5], ',')
		list = fmt.Sprintf("%s,... (%s)", list[:cut], count(uint64(len(ranks))))
	}
	if ranks[0] < 0 {
		text, list = plural(uint64(len(ranks)), "process"), " without a rank"
	}
	text += list
	if c.World > 0 {
		text += fmt.Sprintf(" of spawned world %d", c.World)
	}
	if c.Thread > 0 {
		text = fmt.Sprintf("thread %d of %s", c.Thread, text)
	}
	return text
}

func (p *loopsPrinter) sequence(seq []*loops.Node, depth int, around *loops.Node) {
	var in functionNest
	for _, n := range seq {
		depth := depth + len(in)
		indent := strings.Repeat("  ", depth)
		switch n.Kind {
		case loops.Call:
			if !in.event(p, n, indent) {
				p.call(n, indent, around)
			}
		case loops.Loop:
			render.Printf(p.w, "%sloop %s%s\n", indent, p.repeats(n), loopNotes(n))
			p.sequence(n.Body, depth+1, n)
		case loops.Block:
			render.Printf(p.w, "%sblock %d%s   %s\n", indent, n.Block+1, p.times(n), plural(n.Calls, "call"))
		case loops.Mixed:
			p.mixed(n, depth)
		}
	}
}

// functionNest is the functions of the program that have begun in a sequence, with how many of them a line stands for.
type functionNest []uint64

// event shows what is no call of an API but one of a function of the program.
func (in *functionNest) event(p *loopsPrinter, n *loops.Node, indent string) bool {
	least, _ := n.Repeats()
	name, at := "?", ""
	if len(n.Shape.Frames) > 0 {
		f := n.Shape.Frames[0]
		if name = f.Func; name == "" {
			name = f.Code
		}
		f.Func = ""
		if at = f.String(); at == name {
			at = ""
		}
	}
	line := strings.TrimRight(indent+name+p.times(n)+"   "+at, " ")
	switch n.Shape.Func.Name {
	case "function_open":
		*in = append(*in, least)
	case "function_close":
		for k := len(*in) - 1; k >= 0 && least > 0; k-- {
			ended := min(least, (*in)[k])
			least -= ended
			if (*in)[k] -= ended; (*in)[k] == 0 {
				*in = (*in)[:k]
			}
		}
		return true
	case "function_calls", "function_counted":
		if times := ""; len(n.Params) > 0 {
			if times = strings.Join(n.Params[0].Values, "|"); n.Params[0].More {
				times += "|..."
			}
			if times != "1" && times != "" {
				line = strings.TrimRight(indent+name+" "+times+"x"+p.times(n)+"   "+at, " ")
			}
		}
	default:
		return false
	}
	render.Printf(p.w, "%s\n", line)
	return true
}

// repeats is "50x", "3-7x", or by rank "50x (ranks 0-3), 60x (rank 4)".
func (p *loopsPrinter) repeats(n *loops.Node) string {
	const maxVariants = 3
	least, most := n.Repeats()
	by := report.ByVariant(n)
	varies := func(v report.LoopVariants) bool { return v.Least != v.Most }
	if len(by) == 1 || len(by) > maxVariants || slices.ContainsFunc(by, varies) {
		return rangeText(least, most)
	}
	var parts []string
	for _, v := range by {
		var ranks []int
		for _, i := range v.Variants {
			ranks = append(ranks, p.class.Variants[i].Ranks...)
		}
		slices.Sort(ranks)
		parts = append(parts, rangeText(v.Least, v.Most)+" ("+membersText(&loops.Class{}, ranks)+")")
	}
	return strings.Join(parts, ", ")
}

func rangeText(least, most uint64) string {
	if least == most {
		return count(least) + "x"
	}
	return count(least) + "-" + count(most) + "x"
}

// times is the count of a call, "" if it is one.
func (p *loopsPrinter) times(n *loops.Node) string {
	s := ""
	if least, most := n.Repeats(); least != 1 || most != 1 {
		s = " " + p.repeats(n)
	}
	if n.Polls {
		s += " + polls"
	}
	return s
}

// loopNotes is where a loop is and what share it has.
func loopNotes(n *loops.Node) string {
	var s string
	if f, last, ok := n.Place(); ok {
		s = "   " + frameLines(&f, last)
	}
	switch {
	case n.Or > 0 && n.Or == n.Counts[0].Sum():
		s += "   (or another one of as many iterations: the calls do not tell)"
	case n.Or > 0:
		s += fmt.Sprintf("   (or %sx: the calls do not tell)", count(n.Or))
	}
	if n.Recursion != "" {
		s += "   (recursion of " + n.Recursion + ")"
	}
	switch {
	case n.Step && n.Time >= 0:
		s += fmt.Sprintf("   <- time step: %s of the calls, %s of the time", percent(n.Share), percent(n.Time))
	case n.Step:
		s += fmt.Sprintf("   <- time step: %s of the calls", percent(n.Share))
	case n.Share >= 0.01:
		s += fmt.Sprintf("   %s of the calls", percent(n.Share))
	}
	return s
}

// frameLines is "halo.c:41-52 [step]".
func frameLines(f *loops.Frame, last int) string {
	s := f.String()
	if last > f.Line && f.Line > 0 {
		at := fmt.Sprintf(":%d", f.Line)
		s = strings.Replace(s, at, fmt.Sprintf("%s-%d", at, last), 1)
	}
	return s
}

// percent renders a share; only all of something is 100 %.
func percent(x float64) string {
	s := fmt.Sprintf("%.1f", 100*x)
	if s == "100.0" && x < 1 {
		s = "> 99.9"
	}
	return strings.TrimSuffix(s, ".0") + " %"
}

func (p *loopsPrinter) call(n *loops.Node, indent string, around *loops.Node) {
	site := siteWithin(n.Shape.Frames, around)
	if n.Recursion != "" {
		site += "   (recursion of " + n.Recursion + ")"
	}
	name := indent + n.Shape.Func.Name
	times := p.times(n)
	first, _, _ := strings.Cut(site, " < ") // parameters say more than callers: these make the line longer
	room := loopsWidth - len(name) - len(times) - len(first) - len("()")
	render.Printf(p.w, "%s(%s)%s%s\n", name, p.paramText(n, room), times, site)
}

// maxFrames is how many frames of a call site a line shows.
const maxFrames = 3

// siteWithin is a call site as far out as the function that has the loop around it.
func siteWithin(frames []loops.Frame, around *loops.Node) string {
	var parts []string
	var outer loops.Frame
	if around != nil {
		outer, _, _ = around.Place()
	}
	for i := range frames {
		f := &frames[i]
		if i == maxFrames {
			parts = append(parts, "...")
			break
		}
		parts = append(parts, f.String())
		if outer.Func != "" && f.Func == outer.Func && f.File == outer.File {
			break
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "   " + strings.Join(parts, " < ")
}

// maxListed is how many values of a parameter a line lists.
const maxListed = 3

// paramText is the parameters that say most, as far as there is room.
func (p *loopsPrinter) paramText(n *loops.Node, room int) string {
	var b strings.Builder
	b.WriteString(render.KernelName(p.w, resolve.Readable(n.Shape.Kernel)))
	for i := range n.Params {
		param := &n.Params[i]
		v := valueText(n.Shape.Func, param)
		if v == "" {
			continue
		}
		if b.Len() > 0 {
			v = ", " + v
		}
		if b.Len()+len(v) > room {
			if b.Len() > 0 && b.Len()+len(", ...") <= room {
				b.WriteString(", ...")
			}
			break
		}
		b.WriteString(v)
	}
	return b.String()
}

// valueText is "tag=0", "dest=rank+1" or "count=10|20|30"; "" if there are too
// many values or they say little.
func valueText(f *spec.Func, p *loops.Param) string {
	slot := &f.Slots[p.Slot]
	switch slot.Codec {
	case spec.Address, spec.String, spec.StringArray, spec.StringArray2, spec.Status:
		return ""
	}
	if slot.Class == spec.Request || len(p.Values) == 1 && (p.Values[0] == "-" || p.Values[0] == mpi.CommWorld) {
		return ""
	}
	switch {
	case p.Relation != "":
		return p.Name + "=" + p.Relation
	case p.More || len(p.Values) > maxListed || len(p.Values) == 0:
		return ""
	}
	return p.Name + "=" + strings.Join(p.Values, "|")
}

// maxMixed is how many call sites of a mixed part are listed.
const maxMixed = 6

// mixed shows what a part calls that has no order.
func (p *loopsPrinter) mixed(n *loops.Node, depth int) {
	indent := strings.Repeat("  ", depth)
	render.Printf(p.w, "%smixed   %s\n", indent, plural(n.Calls, "call"))
	for i, m := range n.Body {
		if i == maxMixed && len(n.Body) > maxMixed+1 {
			rest := uint64(0)
			for _, m := range n.Body[i:] {
				rest += m.Calls
			}
			render.Printf(p.w, "%s  and %s from %s\n", indent, plural(rest, "call"),
				plural(uint64(len(n.Body)-i), "other place"))
			break
		}
		if m.Kind == loops.Block {
			render.Printf(p.w, "%s  %s in block %d\n", indent, plural(m.Calls, "call"), m.Block+1)
			continue
		}
		site := siteWithin(m.Shape.Frames, nil)
		render.Printf(p.w, "%s  %sx %s%s\n", indent, count(m.Calls), m.Shape.Func.Name, site)
	}
}
