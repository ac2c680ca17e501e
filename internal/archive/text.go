package archive

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
)

// textHeader is the first line of the text twin; the number is its version.
const textHeader = "tabard text 2"

// WriteText writes the text twin of an archive: its whole content, so that
// ParseText can make an archive with the same content of it. It is meant for
// people, golden tests and repairs; it is lossless, but how things are encoded, sizes and offsets
// are not in it. The lines are
//
//	tabard text 2                        first line
//	# anything                           comment, also empty lines
//	command "app", abi 1, ...            facts of the run
//	module 0: "app" "build id" size      a module
//	site 0: module offset "func" "file" line    a frame of a call site; several have several lines
//	group 0, class 0                     begin what has a line for each of its fields
//	template 0: MPI_Send(...) ...        a template
//	column 0: ..., timing 0: ...         columns and timings
//	unknown section=77 ...               what this version does not know, in hexadecimal
//
// Strings are in Go's notation. Numbers and the values of columns are values (7), runs of n equal
// values (7*n) and n values with a step (7:step:n). A function of the rank is "=" and its value if
// that is the same at all ranks, else the values at the ranks in order; of arrays likewise. "~0"
// before it says that the value is relative to base 0 of the class: "base" is the rank in a
// communicator and its size. Templates are signatures
//
//	MPI_Isend(buf=heap#0, ..., comm=MPI_COMM_WORLD; request=request#0) site=1 flags=nested ret=0 open=3
//
// with "?" for what is in columns, "ignored?" for statuses there that the program
// ignored, and the numbers of open leaves, which are 0; grammars are rules
// separated by "|" of terminals and rules with exponents (0 R1*5 2 | 3 4*2), 0 for trip counts that
// differ, and tail=n if there is one; timing is start+duration in ticks. What these
// forms cannot express exactly is "hex" and its bytes. Of functions, columns and timing
// the values are kept, not how they are encoded: ParseText encodes them anew.
func WriteText(w io.Writer, a *Archive) error {
	c, err := a.Content()
	if err != nil {
		return err
	}
	t := &textWalker{w: bufio.NewWriter(w), left: a.maxWork}
	t.content(c)
	if t.err != nil {
		return named(t.err, a.file)
	}
	return t.w.Flush()
}

// textWalker writes groups and classes as text.
type textWalker struct {
	w    *bufio.Writer
	left uint64 // values that may still be written
	err  error
}

func (t *textWalker) line(format string, args ...any) {
	if t.err == nil {
		fmt.Fprintf(t.w, format+"\n", args...)
	}
}

func (t *textWalker) content(c *Content) {
	t.line("%s", textHeader)
	t.run(&c.Meta)
	for i, m := range c.Modules {
		t.line("module %d: %q %q %d", i, m.Path, m.BuildID, m.Size)
	}
	for i, s := range c.Sites {
		frames := s.Frames
		if s.Tree != nil {
			frames = []Frame{{Module: -1}}
		}
		for _, f := range frames {
			t.line("site %d: %d %d %q %q %d", i, f.Module, f.Offset, f.Func, f.File, f.Line)
		}
	}
	for i, s := range c.Sites {
		if s.Tree == nil {
			continue
		}
		t.line("tree %d: %d%s", i, s.Tree.Func, calledText(s.Tree.Calls))
	}
	ctx := newContexts()
	for i, g := range c.Groups {
		t.line("group %d", i)
		walkGroup(t, g, len(c.Modules), ctx)
	}
	for i, tm := range c.Templates {
		t.line("template %d: %s", i, tm.text())
	}
	x := c.context()
	for i, cl := range c.Classes {
		t.line("class %d", i)
		walkClass(t, cl, x)
	}
	t.blobs("column", c.Columns, columnText)
	t.blobs("timing", c.Timings, timingText)
	for _, u := range c.extra {
		t.line("unknown section=%d part=%d version=%d at=%d hex=%x", u.section, u.part, u.version, u.at, u.raw)
	}
}

func (t *textWalker) run(m *Meta) {
	for _, arg := range m.Command {
		t.line("command %q", arg)
	}
	t.line("mpi %q", m.MPI)
	t.line("abi %d", m.ABI)
	if !m.Created.IsZero() {
		t.line("created %d", m.Created.UnixNano())
	}
	t.line("tool %q", m.Tool)
	if m.Partial {
		t.line("partial")
	}
	for _, name := range slices.Sorted(maps.Keys(m.Options)) {
		t.line("option %q %q", name, m.Options[name])
	}
}

func (t *textWalker) blobs(name string, blobs [][]byte, text func(b []byte, max uint64) (string, error)) {
	for i, b := range blobs {
		s, err := text(b, t.left)
		if err != nil {
			s = "hex " + hex.EncodeToString(b)
		}
		t.line("%s %d: %s", name, i, s)
	}
}

func (t *textWalker) reading() bool { return false }
func (t *textWalker) failed() bool  { return t.err != nil }
func (t *textWalker) fail(format string, args ...any) {
	if t.err == nil {
		t.err = broken("structure", -1, format, args...)
	}
}

func (t *textWalker) broke(err error) {
	if t.err == nil {
		t.err = err
	}
}

// work takes n values off what may be written.
func (t *textWalker) work(n int) bool {
	if t.err == nil && uint64(n) > t.left {
		t.err = &FormatError{Section: "structure", Offset: -1, Msg: "the text has more values than allowed",
			Hint: hintWork}
	}
	t.left -= uint64(n)
	return t.err == nil
}

func (t *textWalker) num(name string, v *int, _ int) { t.line(" %s %d", name, *v) }
func (t *textWalker) str(name string, v *string)     { t.line(" %s %q", name, *v) }
func (t *textWalker) count(name string, n int) int {
	t.line(" %s %d", name, n)
	return n
}

func (t *textWalker) sized(name string, v *int64, _ int) { t.line(" %s %d", name, *v) }

func (t *textWalker) set(name string, _ *rankfunc.Context, v **RankSet, _ *RankSet) {
	if !t.work((*v).Len()) {
		return
	}
	var out []byte
	runs := runWriter{}
	for r := range (*v).All() {
		out = runs.add(out, int64(r))
	}
	t.line(" %s%s", name, runs.flush(out))
}

func (t *textWalker) fn(name string, _ *rankfunc.Context, ranks *RankSet, v **RankFunc) {
	t.line(" %s%s", name, t.fnText(ranks, *v))
}

func (t *textWalker) fnText(ranks *RankSet, f *RankFunc) []byte {
	if c, ok := f.Constant(); ok {
		return fmt.Appendf(nil, " =%d", c)
	}
	if !t.work(ranks.Len()) {
		return nil
	}
	var out []byte
	runs := runWriter{}
	for _, x := range f.Values(ranks) {
		out = runs.add(out, x)
	}
	return runs.flush(out)
}

func (t *textWalker) vec(name string, _ *rankfunc.Context, ranks *RankSet, v **RankVec) {
	if c, ok := (*v).Constant(); ok && t.work(len(c)) {
		t.line(" %s =%v", name, c)
		return
	}
	var out []byte
	if !t.work(ranks.Len()) {
		return
	}
	for r := range ranks.All() {
		if !t.work((*v).Len(r)) {
			return
		}
		out = fmt.Appendf(out, " %v", (*v).At(r))
	}
	t.line(" %s%s", name, out)
}

func (t *textWalker) params(name string, _ *rankfunc.Context, ranks *RankSet, ps []*Param, bases *[]*Base) {
	var out []byte
	for i, p := range ps {
		if i > 0 {
			out = append(out, " |"...)
		}
		if p.Base != nil {
			n := slices.Index(*bases, p.Base)
			if n < 0 {
				n = len(*bases)
				*bases = append(*bases, p.Base)
				t.line(" base%s |%s", t.fnText(ranks, p.Base.Rank), t.fnText(ranks, p.Base.Size))
			}
			out = fmt.Appendf(out, " ~%d", n)
		}
		if p.Fn == nil {
			out = fmt.Appendf(out, " =%d", p.N)
			continue
		}
		out = append(out, t.fnText(ranks, p.Fn)...)
	}
	t.line(" %s%s", name, out)
}

func (t *textWalker) ids(name string, v *[]int, _ int) {
	var out []byte
	runs := runWriter{}
	for _, id := range *v {
		out = runs.add(out, int64(id))
	}
	t.line(" %s%s", name, runs.flush(out))
}

func (t *textWalker) ref(name string, v *int, _ int, _ bool) { t.line(" %s %d", name, *v) }

func (t *textWalker) grammar(name string, _ int, v **Grammar) {
	t.line(" %s %s", name, FormatGrammar(*v))
}

// text is the template in one line, in hexadecimal unless parsing gives the same signature again.
func (t *Template) text() string {
	out := t.Signature.String()
	raw := t.Signature.Append(nil)
	if back, err := ParseSignatureText(out); err != nil || !bytes.Equal(back.Append(nil), raw) {
		out = "hex " + hex.EncodeToString(raw)
	}
	var open []string
	for i, o := range t.Open {
		if o {
			open = append(open, strconv.Itoa(i))
		}
	}
	if open != nil {
		out += " open=" + strings.Join(open, ",")
	}
	return out
}

func calledText(calls []Called) string {
	var b []byte
	for _, c := range calls {
		b = fmt.Appendf(b, " %dx%d", c.Site, c.Count)
	}
	return string(b)
}
