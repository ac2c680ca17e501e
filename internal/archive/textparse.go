package archive

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/spec"
)

// mostNumbered bounds the numbers of columns and timings in a text.
const mostNumbered = 1 << 24

// ParseText reads the text twin of an archive (see WriteText) and writes the
// archive. It checks the text, not what the text says: text may well describe
// an archive that is broken. It is for tests, and for tools that make or mend
// recordings; no command reads text.
func ParseText(w io.Writer, r io.Reader) error {
	p := &textParser{in: bufio.NewReader(r), c: &Content{}}
	if !p.next() && p.err == nil {
		return errors.New("text of an archive: it is empty")
	}
	if p.err == nil && p.text != textHeader {
		p.fail("expected %q", textHeader)
	}
	for p.next() {
		p.top()
	}
	if p.err != nil {
		return fmt.Errorf("text of an archive: line %d: %w", p.n, p.err)
	}
	return p.c.Write(w)
}

// textParser reads groups and classes from text.
type textParser struct {
	in     *bufio.Reader
	text   string // the current line
	n      int    // its number
	again  bool   // next gives the current line again
	at     string // what the current section of lines is
	err    error
	c      *Content
	ctx    contexts
	polled bool
}

// next goes to the next line that is not empty or a comment.
func (p *textParser) next() bool {
	if p.again {
		p.again = false
		return p.err == nil
	}
	for p.err == nil {
		line, err := p.in.ReadString('\n')
		p.n++
		p.text = strings.TrimSpace(line)
		if p.text != "" && !strings.HasPrefix(p.text, "#") {
			return true
		}
		if err == io.EOF {
			p.text = ""
			return false
		}
		if err != nil {
			p.fail("%v", err)
		}
	}
	return false
}

func (p *textParser) reading() bool { return true }
func (p *textParser) failed() bool  { return p.err != nil }
func (p *textParser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

func (p *textParser) broke(err error) {
	if p.err == nil {
		p.err = err
	}
}

func (p *textParser) check(err error) bool {
	if err != nil {
		p.fail("%v", err)
	}
	return p.err == nil
}

// field takes a line that begins with name and returns the rest.
func (p *textParser) field(name string) string {
	if p.err != nil {
		return ""
	}
	if !p.next() {
		p.fail("expected %s", name)
		return ""
	}
	word, rest, _ := strings.Cut(p.text, " ")
	if word != name {
		p.fail("expected %s at %q", name, ellipsis(p.text))
	}
	return rest
}

// numbered takes "n: text" as item n of a list.
func (p *textParser) numbered(text string, n int) string {
	number, rest, ok := strings.Cut(text, ":")
	if i, err := strconv.Atoi(number); !ok || err != nil {
		p.fail("expected the number of an item and a colon")
	} else if i != n {
		p.fail("item %d follows item %d", i, n-1)
	}
	return strings.TrimPrefix(rest, " ")
}

// top takes a line that begins something.
func (p *textParser) top() {
	word, rest, _ := strings.Cut(p.text, " ")
	c := p.c
	switch word {
	case "module":
		m := Module{}
		f := p.fields(p.numbered(rest, len(c.Modules)), 3)
		m.Path, m.BuildID, m.Size = p.quoted(f[0]), p.quoted(f[1]), uint64(p.integer(f[2]))
		c.Modules = append(c.Modules, m)
	case "site":
		p.site(rest)
	case "tree":
		p.tree(rest)
	case "group":
		p.numbered(rest+":", len(c.Groups))
		if p.ctx.bySize == nil {
			p.ctx = newContexts()
		}
		g := &Group{}
		walkGroup(p, g, len(c.Modules), p.ctx)
		c.Groups = append(c.Groups, g)
	case "template":
		t, err := parseTemplateText(p.numbered(rest, len(c.Templates)))
		if p.check(err) {
			c.Templates = append(c.Templates, t)
		}
	case "class":
		p.numbered(rest+":", len(c.Classes))
		cl := &ClassData{}
		x := c.context()
		x.columns, x.timings = mostNumbered, mostNumbered // they come later
		walkClass(p, cl, x)
		c.Classes = append(c.Classes, cl)
	case "column":
		b, err := parseColumnText(p.numbered(rest, len(c.Columns)))
		if p.check(err) {
			c.Columns = append(c.Columns, b)
		}
	case "timing":
		b, err := parseTimingText(p.numbered(rest, len(c.Timings)))
		if p.check(err) {
			c.Timings = append(c.Timings, b)
		}
	case "unknown":
		p.unknown(rest)
	default:
		p.run(word, rest)
	}
}

func (p *textParser) run(word, rest string) {
	m := &p.c.Meta
	switch word {
	case "command":
		m.Command = append(m.Command, p.quoted(rest))
	case "mpi":
		m.MPI = p.quoted(rest)
	case "abi":
		m.ABI = spec.ABI(p.integer(rest))
	case "created":
		m.Created = time.Unix(0, p.integer(rest))
	case "tool":
		m.Tool = p.quoted(rest)
	case "partial":
		m.Partial = true
	case "option":
		f := p.fields(rest, 2)
		if m.Options == nil {
			m.Options = map[string]string{}
		}
		m.Options[p.quoted(f[0])] = p.quoted(f[1])
	default:
		p.fail("not understood: %q", ellipsis(p.text))
	}
}

func (p *textParser) site(rest string) {
	number, rest, _ := strings.Cut(rest, ":")
	n, err := strconv.Atoi(number)
	if p.check(err) && n != len(p.c.Sites) && n != len(p.c.Sites)-1 || n < 0 {
		p.fail("site %d follows site %d", n, len(p.c.Sites)-1)
	}
	f := p.fields(rest, 5)
	frame := Frame{
		Module: int(p.integer(f[0])),
		Offset: uint64(p.integer(f[1])),
		Func:   p.quoted(f[2]),
		File:   p.quoted(f[3]),
		Line:   int(p.integer(f[4])),
	}
	if p.err != nil {
		return
	}
	if n == len(p.c.Sites) {
		p.c.Sites = append(p.c.Sites, Site{})
	}
	p.c.Sites[n].Frames = append(p.c.Sites[n].Frames, frame)
}

func (p *textParser) tree(rest string) {
	number, rest, _ := strings.Cut(rest, ":")
	n, err := strconv.Atoi(number)
	fields := strings.Fields(rest)
	if p.check(err) || n < 0 || n >= len(p.c.Sites) || len(fields) == 0 {
		p.fail("tree %d of %d sites", n, len(p.c.Sites))
		return
	}
	t := &Tree{Func: uint32(p.integer(fields[0]))}
	for _, f := range fields[1:] {
		site, count, _ := strings.Cut(f, "x")
		t.Calls = append(t.Calls, Called{uint32(p.integer(site)), uint64(p.integer(count))})
	}
	p.c.Sites[n].Tree = t
	if err := LinkTrees(p.c.Sites[:n+1]); p.err == nil && err != nil {
		p.fail("%v", err)
	}
}

func (p *textParser) unknown(rest string) {
	u := extra{}
	for _, f := range strings.Fields(rest) {
		key, val, _ := strings.Cut(f, "=")
		switch key {
		case "section":
			u.section = uint32(p.integer(val))
		case "part":
			u.part = uint32(p.integer(val))
		case "version":
			u.version = uint64(p.integer(val))
		case "at":
			u.at = int(p.integer(val))
		case "hex":
			b, err := hex.DecodeString(val)
			p.check(err)
			u.raw = b
		default:
			p.fail("unknown attribute %q", f)
		}
	}
	p.c.extra = append(p.c.extra, u)
}

// fields splits text into n words or quoted strings.
func (p *textParser) fields(text string, n int) []string {
	out := make([]string, 0, n)
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		word, _, _ := strings.Cut(text, " ")
		if q, err := strconv.QuotedPrefix(text); err == nil {
			word = q
		}
		out = append(out, word)
		text = text[len(word):]
	}
	if len(out) != n {
		p.fail("%d values instead of %d", len(out), n)
		return make([]string, n)
	}
	return out
}

func (p *textParser) quoted(text string) string {
	if p.err != nil {
		return ""
	}
	s, err := strconv.Unquote(text)
	if err != nil {
		p.fail("%q is no string in quotes", ellipsis(text))
	}
	return s
}

func (p *textParser) integer(text string) int64 {
	if p.err != nil {
		return 0
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		u, uerr := strconv.ParseUint(text, 10, 64)
		if uerr != nil {
			p.fail("%q is no number", ellipsis(text))
		}
		v = int64(u)
	}
	return v
}

func (p *textParser) num(name string, v *int, max int) {
	x := p.integer(p.field(name))
	if p.err == nil && (x < 0 || x > int64(max)) {
		p.fail("%s %d is not in 0..%d", name, x, max)
		return
	}
	*v = int(x)
}
func (p *textParser) str(name string, v *string) { *v = p.quoted(p.field(name)) }
func (p *textParser) count(name string, _ int) int {
	n := 0
	p.num(name, &n, math.MaxInt32)
	return n
}

// values takes runs, at most max values.
func (p *textParser) values(text string, max int) []int64 {
	var out []int64
	for _, f := range strings.Fields(text) {
		v, step, n, err := parseRun(f)
		if !p.check(err) {
			return nil
		}
		if n > int64(max-len(out)) {
			p.fail("more than %d values", max)
			return nil
		}
		for range n {
			out = append(out, v)
			v += step
		}
	}
	return out
}

func (p *textParser) sized(name string, v *int64, _ int) { *v = p.integer(p.field(name)) }

func (p *textParser) set(name string, _ *rankfunc.Context, v **RankSet, _ *RankSet) {
	vals := p.values(p.field(name), MaxProcesses)
	ranks := make([]int, len(vals))
	for i, x := range vals {
		if x < 0 || x > rankfunc.MaxRank {
			p.fail("rank %d is out of range", x)
			return
		}
		ranks[i] = int(x)
	}
	if len(ranks) == 0 {
		p.fail("%s: no ranks", name)
		return
	}
	*v = rankfunc.NewSet(ranks)
}

func (p *textParser) fn(name string, ctx *rankfunc.Context, ranks *RankSet, v **RankFunc) {
	*v = p.function(p.field(name), ctx, ranks)
}

func (p *textParser) function(text string, ctx *rankfunc.Context, ranks *RankSet) *RankFunc {
	text = strings.TrimSpace(text)
	if c, ok := strings.CutPrefix(text, "="); ok {
		return ConstantFunc(p.integer(c))
	}
	vals := p.values(text, ranks.Len())
	if p.err == nil && len(vals) != ranks.Len() {
		p.fail("%d values for %d ranks", len(vals), ranks.Len())
	}
	if p.err != nil {
		return nil
	}
	return rankfunc.Fit(ctx, ranks, vals)
}

func (p *textParser) vec(name string, ctx *rankfunc.Context, ranks *RankSet, v **RankVec) {
	text := strings.TrimSpace(p.field(name))
	text, constant := strings.CutPrefix(text, "=")
	var arrays [][]int64
	for _, part := range strings.Split(strings.ReplaceAll(text, "[", ""), "]") {
		vals := []int64{}
		for _, f := range strings.Fields(part) {
			vals = append(vals, p.integer(f))
		}
		arrays = append(arrays, vals)
	}
	arrays = arrays[:len(arrays)-1]
	if constant && len(arrays) == 1 {
		for len(arrays) < ranks.Len() {
			arrays = append(arrays, arrays[0])
		}
	}
	if p.err == nil && len(arrays) != ranks.Len() {
		p.fail("%d arrays for %d ranks", len(arrays), ranks.Len())
	}
	if p.err == nil {
		*v = rankfunc.FitVec(ctx, ranks, arrays)
	}
}

func (p *textParser) params(name string, ctx *rankfunc.Context, ranks *RankSet, ps []*Param, bases *[]*Base) {
	for bases != nil && p.next() {
		text, ok := strings.CutPrefix(p.text, "base ")
		if p.again = !ok; !ok {
			break
		}
		rank, size, _ := strings.Cut(text, "|")
		*bases = append(*bases, &Base{p.function(rank, ctx, ranks), p.function(size, ctx, ranks)})
	}
	parts := strings.Split(p.field(name), "|")
	if p.err == nil && len(parts) != len(ps) {
		p.fail("%d functions for %d terminals", len(parts), len(ps))
	}
	for i, x := range ps {
		if p.err != nil {
			return
		}
		text := strings.TrimSpace(parts[i])
		if based, ok := strings.CutPrefix(text, "~"); ok {
			var number string
			number, text, _ = strings.Cut(based, " ")
			n := p.integer(number)
			if bases == nil || n < 0 || n >= int64(len(*bases)) {
				p.fail("base %s does not exist", number)
				return
			}
			x.Base = (*bases)[n]
		}
		if f := p.function(text, ctx, ranks); f != nil {
			x.setFn(f)
		}
	}
}

// maxIDs is how many numbers of things a list in a text may have: a few characters can stand for any number of them.
const maxIDs = 1 << 22

func (p *textParser) ids(name string, v *[]int, n int) {
	*v = []int{}
	for _, x := range p.values(p.field(name), maxIDs) {
		if x < 0 || x >= int64(n) {
			p.fail("%s: %d does not exist (there are %d)", name, x, n)
			return
		}
		*v = append(*v, int(x))
	}
}

func (p *textParser) ref(name string, v *int, n int, none bool) {
	x := p.integer(p.field(name))
	if p.err == nil && (x >= int64(n) || x < 0 && !(none && x == -1)) {
		p.fail("%s %d is out of range", name, x)
		return
	}
	*v = int(x)
}

func (p *textParser) grammar(name string, _ int, v **Grammar) {
	g, err := parseGrammarText(p.field(name))
	p.check(err)
	*v = g
}

// parseTemplateText is the reverse of Template.text.
func parseTemplateText(text string) (*Template, error) {
	open := ""
	if i := strings.LastIndex(text, " open="); i >= 0 {
		open, text = text[i+len(" open="):], text[:i]
	}
	var s *Signature
	var err error
	if h, ok := strings.CutPrefix(text, "hex "); ok {
		var b []byte
		if b, err = hex.DecodeString(h); err == nil {
			s, err = ParseSignature(b)
		}
	} else {
		s, err = ParseSignatureText(text)
	}
	if err != nil {
		return nil, err
	}
	t := &Template{Signature: *s, Open: make([]bool, len(Leaves(nil, s)))}
	for _, f := range strings.FieldsFunc(open, func(r rune) bool { return r == ',' }) {
		i, err := strconv.Atoi(f)
		if err != nil || i < 0 || i >= len(t.Open) {
			return nil, fmt.Errorf("leaf %q does not exist (there are %d)", f, len(t.Open))
		}
		t.Open[i] = true
	}
	return t, nil
}
