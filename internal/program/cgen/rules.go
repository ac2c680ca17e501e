package cgen

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program/cc"
)

// Bounds on functions: what is shorter than a function call and its definition is written where it
// is used; what is used once is, too, unless it is long; compilers take long for long functions.
const (
	shortLines = 3
	blockLines = 60
	partLines  = 300
)

// code is statements.
type code struct {
	list  []*cc.Stmt
	lines []string // their text, see cc.Lines
	depth int      // of loops
	hint  string
}

func newCode(hint string, list ...*cc.Stmt) *code {
	return &code{list: list, lines: cc.Lines(list, nil), hint: hint}
}

// rules writes the grammar of a class.
type rules struct {
	g        *generator
	c        *class
	ruleUses []int
	termUses []int
	trips    map[[2]int]*archive.RankFunc // by rule and place
	rule     []*code                      // done ones
	term     []*code
	gaps     *gaps // nil: no computation
	ruleEnds map[int][2]uint32
	insert   map[int][]*cc.Stmt // before symbols of the start rule

	listed []bool   // which rules are lists; nil: none
	words  [][]word // of those
	bare   []*code  // of terminals there
}

func (g *generator) newRules(c *class) *rules {
	gr := c.data.Grammar
	r := &rules{g: g, c: c, ruleUses: make([]int, len(gr.Rules)), termUses: make([]int, len(c.terms)),
		trips: map[[2]int]*archive.RankFunc{},
		rule:  make([]*code, len(gr.Rules)), term: make([]*code, len(c.terms)), ruleEnds: map[int][2]uint32{}}
	if g.o.Compute {
		var err error
		if r.gaps, err = newGaps(c); err != nil {
			g.fail(err)
		}
		if r.gaps == nil {
			g.noteOnce("it computes nothing: the recording has no times")
		}
	}
	k := 0
	for i, body := range gr.Rules {
		for j, s := range body {
			if s.ID&archive.RuleBit != 0 {
				r.ruleUses[s.ID&^archive.RuleBit]++
			} else {
				r.termUses[s.ID]++
			}
			if s.Count == 0 && k < len(c.data.Trips) {
				r.trips[[2]int{i, j}] = c.data.Trips[k]
				k++
			}
		}
	}
	return r
}

// symbols is the code of each symbol of a rule from one on.
func (r *rules) symbols(rule, from int) []*code {
	body := r.c.data.Grammar.Rules[rule]
	out := make([]*code, 0, len(body))
	end := len(body)
	if r.inList(rule) {
		end = max(from, r.head())
	}
	for j := from; j <= end; j++ {
		if j == end && end < len(body) {
			return append(out, r.listCode(rule, j))
		}
		if list := r.insert[j]; rule == 0 && len(list) > 0 {
			out = append(out, newCode("", list...))
		}
		if j < end {
			out = append(out, r.symbolCode(rule, j, from)...)
		}
	}
	return out
}

// symbolCode is the code of a symbol of a rule, of which those from another one on are written in a
// row.
func (r *rules) symbolCode(rule, j, from int) (out []*code) {
	body := r.c.data.Grammar.Rules[rule]
	s := body[j]
	var x *code
	if s.ID&archive.RuleBit != 0 {
		x = r.ruleCode(int(s.ID &^ archive.RuleBit))
	} else {
		x = r.termCode(s.ID)
	}
	before, x := r.between(body, j, from, x, s.Count != 1)
	if before != nil {
		out = append(out, before)
	}
	if len(x.lines) == 0 {
		return out
	}
	switch {
	case s.Count == 0:
		fn := r.trips[[2]int{rule, j}]
		if fn == nil {
			return out
		}
		x = loop(x, r.g.function(fn, r.c.Ranks(), nil, "trips"))
	case s.Count > 1:
		n := cc.Name(fmt.Sprint(s.Count))
		if s.Count <= math.MaxInt32 {
			n = cc.Int(int64(s.Count))
		}
		x = loop(x, n)
	}
	return append(out, x)
}

// loopName is the name of the counter of a loop around code.
func loopName(x *code) string { return string(rune('i' + min(x.depth, 12))) }

// loop repeats code.
func loop(x *code, n *cc.Expr) *code {
	head := cc.For("long", loopName(x), cc.Operand(n))
	s := cc.Around(head, x.list...)
	if len(x.lines) == 1 && len(head.String())+len(x.lines[0]) < 110 {
		s = cc.Under(head, x.list[0])
	}
	out := newCode(x.hint, s)
	out.depth = x.depth + 1
	return out
}

// join puts code in a row.
func join(parts []*code) *code {
	out := &code{}
	for _, x := range parts {
		out.list = append(out.list, x.list...)
		out.lines = append(out.lines, x.lines...)
		out.depth = max(out.depth, x.depth)
		if out.hint == "" {
			out.hint = x.hint
		}
	}
	return out
}

func (r *rules) ruleCode(rule int) *code {
	if x := r.rule[rule]; x != nil {
		return x
	}
	var x *code
	if r.inList(rule) {
		x = r.g.lists.code(r.ruleWords(rule))
	} else {
		x = r.place(r.symbols(rule, 0), r.ruleUses[rule])
	}
	r.rule[rule] = x
	return x
}

// place makes a function of code unless it is short or used once.
func (r *rules) place(parts []*code, uses int) *code {
	x := join(parts)
	if len(x.lines) <= shortLines || uses == 1 && len(x.lines) <= blockLines {
		return x
	}
	return r.g.define(r.split(parts), x.hint)
}

// split makes functions of parts of long code.
func (r *rules) split(parts []*code) *code {
	for {
		x := join(parts)
		if len(x.lines) <= partLines {
			return x
		}
		var next []*code
		for i := 0; i < len(parts); {
			n, j := 0, i
			for j < len(parts) && (j == i || n+len(parts[j].lines) <= partLines) {
				n += len(parts[j].lines)
				j++
			}
			if j == i+1 && len(parts[i].lines) < 2 {
				next = append(next, parts[i])
			} else {
				y := join(parts[i:j])
				next = append(next, r.g.define(y, y.hint))
			}
			i = j
		}
		if len(next) >= len(parts) {
			return join(next)
		}
		parts = next
	}
}

func (r *rules) termCode(id uint32) *code {
	if x := r.term[id]; x != nil {
		return x
	}
	t := r.c.terms[id]
	x := r.callCode(t)
	if len(x.lines) > shortLines && r.termUses[id] > 1 {
		x = r.g.define(x, x.hint)
	}
	r.term[id] = x
	return x
}

// callCode is the code of a call, however long it is.
func (r *rules) callCode(t *terminal) *code {
	hint := siteName(t.site, t.Name)
	if t.Func.Func.Own() {
		hint = ""
	}
	return newCode(hint, r.g.statement(r.c, t)...)
}

// define makes a function of code, the one that there is if another has the same, and returns its
// call.
func (g *generator) define(x *code, hint string) *code {
	body := strings.Join(x.lines, "\n")
	name := g.byBody[body]
	if name == "" {
		if hint == "" {
			hint = "buffers"
		}
		name = g.unique(hint)
		g.byBody[body] = name
		if g.o.Loop != nil && g.calls(x.list) {
			g.callers[name] = true
		}
		fmt.Fprintf(&g.code, "static void %s(void)\n{\n%s}\n\n", name, g.text(x.list...))
	}
	return newCode(x.hint, cc.Do(cc.Call(name)))
}

// text is statements inside of a function of the program; their words are noted.
func (g *generator) text(list ...*cc.Stmt) string {
	g.words.Add(list...)
	if g.o.Loop != nil {
		g.noteLoops(list)
	}
	return cc.Body(list)
}

// siteName is a name in C for what happens at a call site.
func siteName(site *archive.Site, other string) string {
	if site == nil || len(site.Frames) == 0 || site.Frames[0].Func == "" && site.Frames[0].File == "" {
		return strings.ToLower(strings.TrimPrefix(other, "MPI_"))
	}
	f := &site.Frames[0]
	parts := []string{f.Func}
	if f.File != "" {
		parts = append(parts, path.Base(f.File))
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	name := identifier(strings.Join(parts, "_"))
	if f.Line > 0 {
		name += fmt.Sprintf("_%d", f.Line)
	}
	return name
}

// identifier turns a text into a name in C.
func identifier(s string) string {
	var b strings.Builder
	for _, c := range s {
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_':
			b.WriteRune(c)
		case c >= '0' && c <= '9':
			if b.Len() == 0 {
				b.WriteByte('_')
			}
			b.WriteRune(c)
		case b.Len() > 0:
			b.WriteByte('_')
		}
		if b.Len() > 60 {
			break
		}
	}
	name := strings.Trim(b.String(), "_")
	if name == "" {
		return "calls"
	}
	if name[0] >= '0' && name[0] <= '9' {
		name = "at_" + name
	}
	return name
}
