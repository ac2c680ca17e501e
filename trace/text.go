package trace

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tabard/internal/column"
	"tabard/internal/grammar"
	"tabard/spec"
)

// textHeader is the first line of the text twin; the number is its version.
const textHeader = "tabard text 1"

// WriteText writes the text twin of an archive: every section, part and value,
// in the order of the file, so that ParseText can make an archive with the
// same content of it. It is meant for people, golden tests and repairs; it is
// lossless, but sizes and offsets are not in it. By lines:
//
//	tabard text 1                        first line
//	# anything                           comment, also empty lines
//	section meta                         a section; those of one type are taken together
//	part strings                         a part of the section
//	0: "app"                             an item of a pool: number and content
//	part ranks: world rank size ...      a table with the names of its fields
//	0 0 4 ...                            a row of it
//	section 77 version=1 optional        what this version does not know ...
//	hex 00ff                             ... in hexadecimal
//
// Items are strings in Go's notation; lists of ids (0-3 7); signatures
//
//	MPI_Isend(buf=heap#0, ..., comm=MPI_COMM_WORLD; request=request#0) site=1 flags=nested ret=0
//
// with "?" for what is in columns; grammars, as rules separated by "|" of
// terminals and rules with exponents (0 R1*5 2 | 3 4*2), and tail=n if there is
// one; columns as values (7), runs of n equal values (7*n) and n values with
// a step (7:step:n); timing as start+duration in ticks. An item that these
// forms cannot express exactly is "hex" and its bytes. Of columns and timing
// the values are kept, not how they are encoded: ParseText encodes them anew.
func WriteText(w io.Writer, a *Archive) error {
	t := &textWriter{a: a, w: bufio.NewWriter(w)}
	fmt.Fprintln(t.w, textHeader)
	done := map[uint32]bool{}
	for i, s := range a.c.Sections() {
		known := s.Type >= secMeta && s.Type <= secTiming && s.Version == sectionVersion
		if known && done[s.Type] {
			continue
		}
		done[s.Type] = known
		if err := t.section(i, s.Type, s.Version, known); err != nil {
			return err
		}
	}
	return t.w.Flush()
}

type textWriter struct {
	a *Archive
	w *bufio.Writer
}

func (t *textWriter) section(i int, typ, version uint32, known bool) error {
	if !known {
		b, err := t.a.load(i)
		fmt.Fprintf(t.w, "section %d version=%d optional\nhex %x\n", typ, version, b)
		return err
	}
	fmt.Fprintf(t.w, "section %s\n", sectionNames[typ])
	switch typ {
	case secColumns:
		return t.blobs(&t.a.columns, columnText)
	case secTiming:
		return t.blobs(&t.a.timings, timingText)
	}
	b, err := t.a.load(i)
	if err != nil {
		return err
	}
	d := &decoder{b: b, section: sectionNames[typ]}
	for d.err == nil && d.left() > 0 {
		id, version := d.uint(), d.uint()
		content := d.bytes("a part")
		if d.err == nil {
			t.part(typ, id, version, content)
		}
	}
	return d.err
}

func (t *textWriter) part(section uint32, id, version uint64, content []byte) {
	s := schemaOf(section, uint32(id>>1))
	d := &decoder{b: content}
	switch {
	case s == nil || version != partVersion:
		fmt.Fprintf(t.w, "part %d version=%d optional\nhex %x\n", id>>1, version, content)
	case s.kind == tablePart:
		names := make([]string, len(s.fields))
		for i, f := range s.fields {
			names[i] = f.name
		}
		table, err := parseTable(d, s)
		if err != nil || !bytes.Equal(table.part(s), content) {
			fmt.Fprintf(t.w, "part %s\nhex %x\n", s.name, content)
			return
		}
		fmt.Fprintf(t.w, "part %s: %s\n", s.name, strings.Join(names, " "))
		for r := range table.rows {
			for k := range table.cols {
				if k > 0 {
					t.w.WriteByte(' ')
				}
				t.w.WriteString(strconv.FormatInt(table.cols[k][r], 10))
			}
			t.w.WriteByte('\n')
		}
	default:
		fmt.Fprintf(t.w, "part %s\n", s.name)
		pool, err := parseItems(d)
		if err != nil { // cannot be: the archive is open
			fmt.Fprintf(t.w, "hex %x\n", content)
			return
		}
		for i := range pool.len() {
			fmt.Fprintf(t.w, "%d: %s\n", i, itemText(s.item, pool.at(i)))
		}
	}
}

// itemText renders an item of a pool, in hexadecimal unless parsing gives the
// same bytes again.
func itemText(kind poolItem, b []byte) string {
	text := ""
	switch kind {
	case stringItem:
		text = strconv.Quote(string(b))
	case listItem:
		text = listText(b)
	case signatureItem:
		text = signatureText(b)
	case grammarItem:
		text = grammarText(b)
	}
	if back, err := parseItem(kind, text); err != nil || !bytes.Equal(back, b) {
		return "hex " + hex.EncodeToString(b)
	}
	return text
}

func listText(b []byte) string {
	d := &decoder{b: b}
	ids := d.ids(1<<32, "id")
	var out []string
	for i := 0; i < len(ids); {
		n := 1
		for i+n < len(ids) && ids[i+n] == ids[i]+uint32(n) {
			n++
		}
		if n > 1 {
			out = append(out, fmt.Sprintf("%d-%d", ids[i], ids[i+n-1]))
		} else {
			out = append(out, strconv.Itoa(int(ids[i])))
		}
		i += n
	}
	return strings.Join(out, " ")
}

func signatureText(b []byte) string {
	s, err := ParseSignature(b)
	if err != nil {
		return ""
	}
	return s.String()
}

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

func grammarText(b []byte) string {
	g, rest, err := grammar.Parse(b)
	if err != nil || len(rest) != 0 {
		return ""
	}
	return FormatGrammar(g)
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

func (t *textWriter) blobs(b *blobs, text func(b []byte, max uint64) (string, error)) error {
	for i := range b.len() {
		blob, err := t.a.blob(b, uint32(i))
		if err != nil {
			return err
		}
		s, err := text(blob, t.a.maxWork)
		if err != nil {
			s = "hex " + hex.EncodeToString(blob)
		}
		fmt.Fprintf(t.w, "%d: %s\n", i, s)
	}
	return nil
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
	r, err := column.OpenTiming(b)
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
