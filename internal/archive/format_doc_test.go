package archive

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive/container"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/codec/timing"
	"github.com/tabard-hpc/tabard/spec"
)

const formatDoc = "../../docs/format.md"

// TestFormatDocument checks the generated blocks of docs/format.md, and that
// the bytes printed there are an archive that reads as printed.
func TestFormatDocument(t *testing.T) {
	b, err := os.ReadFile(formatDoc)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(b)
	file := exampleArchive(t)
	for name, want := range map[string]string{
		"parts":       partsTable(),
		"signature":   indent(exampleSignature(t)),
		"grammar":     packageDoc(t, "../codec/grammar", "Encoding"),
		"column":      packageDoc(t, "../codec/column", "Conventions of the encoding"),
		"timing":      packageDoc(t, "../codec/timing", "Timing"),
		"arith":       packageDoc(t, "../codec/entropy/arith", "Encoding"),
		"sequence":    packageDoc(t, "../codec/entropy/sequence", "Encoding"),
		"rankfunc":    packageDoc(t, "../codec/rankfunc", "Conventions of the encoding"),
		"overview":    indent(exampleOverview(t)),
		"description": indent(exampleText),
		"file":        indent(annotate(t, file)),
		"dump":        indent(dumpFile(t, file)),
	} {
		begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
		head, rest, ok1 := strings.Cut(doc, begin)
		got, tail, ok2 := strings.Cut(rest, end)
		if !ok1 || !ok2 {
			t.Fatalf("no block %q in %s", name, formatDoc)
		}
		want = "\n" + want + "\n"
		if got != want && !updateFlag() {
			t.Errorf("block %q of %s differs (go test -update rewrites it)\ngot:\n%s\nwant:\n%s", name, formatDoc,
				got, want)
		}
		doc = head + begin + want + end + tail
		if name == "file" && !updateFlag() {
			if printed := bytesOf(t, got); !bytes.Equal(printed, file) {
				t.Error("the bytes in the document are another file")
			} else if d := indent(dumpFile(t, printed)); !strings.Contains(string(b), d) {
				t.Errorf("the file in the document reads\n%s", d)
			}
		}
	}
	if updateFlag() {
		if err := os.WriteFile(formatDoc, []byte(doc), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// updateFlag is the flag that the tests of package trace_test define.
func updateFlag() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

func indent(s string) string {
	var out strings.Builder
	for line := range strings.Lines(strings.TrimRight(s, "\n") + "\n") {
		out.WriteString(strings.TrimRight("    "+line, " \n") + "\n")
	}
	return out.String()
}

// bytesOf collects the hexadecimal bytes in front of "#" of each line.
func bytesOf(t *testing.T, block string) []byte {
	t.Helper()
	var out []byte
	for line := range strings.Lines(block) {
		code, _, _ := strings.Cut(line, "#")
		b, err := hex.DecodeString(strings.Join(strings.Fields(code), ""))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b...)
	}
	return out
}

func partsTable() string {
	var out strings.Builder
	out.WriteString("| section | type | part | content |\n|---|---|---|---|\n")
	for _, s := range schema {
		content := "pool of " + s.name
		if s.kind == tablePart {
			content = "table:"
			for _, f := range s.fields {
				content += " " + f.name
				if f.step != 0 {
					content += fmt.Sprintf(" `+%d`", f.step)
				}
				content += ","
			}
			content = strings.TrimSuffix(content, ",")
		}
		fmt.Fprintf(&out, "| %s | %d | %s | %s |\n", sectionNames[s.section], s.id, s.name, content)
	}
	return out.String()
}

// packageDoc is the part of a package's documentation from a heading on.
func packageDoc(t *testing.T, dir, heading string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if f.Doc == nil || strings.HasSuffix(path, "_test.go") {
			continue
		}
		_, text, ok := strings.Cut(f.Doc.Text(), "# "+heading+"\n")
		if !ok {
			t.Fatalf("%s has no heading %q", path, heading)
		}
		text = strings.ReplaceAll("# "+heading+"\n"+text, "\t", "    ")
		return strings.ReplaceAll(text, "\n# ", "\n### ")[len("# "+heading+"\n\n"):]
	}
	t.Fatalf("no documentation in %s", dir)
	return ""
}

// exampleText describes the example in the document, which exampleArchive makes
// value by value. TestFormatDocumentExample checks that the two agree.
const exampleText = `abi openmpi
command ./app
rank 0 of 1 on n1
clock 100 1000000 1000
loop 3
  MPI_Recv(source=MPI_ANY_SOURCE, comm=MPI_COMM_WORLD) @ a.c:7 [main] ; status=?{source=1 tag=5 bytes=8}
end
`

func exampleArchive(t *testing.T) []byte {
	t.Helper()
	recv := spec.ByName("MPI_Recv")
	world, _ := spec.PredefinedByName("MPI_COMM_WORLD")
	anySource, _ := spec.OpenMPI.Const("MPI_ANY_SOURCE")
	sig := Signature{Func: recv.ID, Site: 1, Slots: make([]Value, len(recv.Slots))}
	for i := range recv.Slots {
		switch SlotName(recv, &recv.Slots[i]) {
		case "source":
			sig.Slots[i] = Value{Kind: Int, N: anySource}
		case "comm":
			sig.Slots[i] = Value{Kind: Ref, N: PredefinedRef(world)}
		case "status":
			sig.Slots[i] = Value{Kind: Hole}
		}
	}
	g, times := grammar.NewBuilder(), timing.NewLossless()
	for i := range uint64(3) {
		g.Append(0)
		times.Append(100+100*i, 110+100*i, 0)
	}
	ranks := rankfunc.Range(0, 1)
	one := func(v int64) ColumnData {
		return ColumnData{Blob: -1, Shape: []SegmentShape{{Kind: constantSegment}}, Params: []Param{{N: v}}}
	}
	var columns []Cases[ColumnData]
	for _, v := range []int64{1, 5, 8, 0} {
		columns = append(columns, Cases[ColumnData]{Values: []ColumnData{one(v)}})
	}
	vec := func(v []int64) *RankVec { return rankfunc.FitVec(&rankfunc.Context{Size: 1}, ranks, [][]int64{v}) }
	canonical, _ := CanonicalGrammar(g.Grammar())
	c := &Content{
		Meta:  Meta{Command: []string{"./app"}, ABI: spec.OpenMPI, Created: time.Unix(1700000000, 0)},
		Sites: []Site{{Frames: []Frame{{Module: -1, Func: "main", File: "a.c", Line: 7}}}},
		Groups: []*Group{{Size: 1, Ranks: ranks, Hosts: Cases[string]{Values: []string{"n1"}},
			Ends:    Cases[string]{Values: []string{"exited"}},
			Modules: Cases[[]int]{Values: [][]int{{}}}, PID: ConstantFunc(1000), Complete: ConstantFunc(1),
			Lost:   ConstantFunc(0),
			Clocks: vec(AppendClocks(nil, []Clock{{100, 1000000, 1000}})), Bases: vec(nil)}},
		Templates: []*Template{{Signature: sig, Open: make([]bool, len(Leaves(nil, &sig)))}},
		Classes: []*ClassData{{Ranks: ranks, Terminals: []int{0}, Grammar: canonical, Params: [][]Param{nil},
			Columns: columns,
			Timing:  Cases[int]{Values: []int{0}}}},
		Timings: [][]byte{times.Encode(nil, nil)},
	}
	enc, err := c.encode(true, func() *bundled { return c.bundle(nil) })
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w, err := container.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []struct {
		typ uint32
		raw []byte
	}{{secMeta, enc.meta}, {secStructure, enc.structure}, {secTiming, c.Timings[0]}} {
		if err := w.AddStored(container.Section{Type: part.typ, Version: 1}, part.raw); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func openBytes(t *testing.T, b []byte) *Archive {
	t.Helper()
	a, err := OpenReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func dumpFile(t *testing.T, b []byte) string {
	t.Helper()
	a := openBytes(t, b)
	if err := Validate(a); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for c, err := range a.Stream(0).Iter(0) {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%v+%v %v\n", c.Start, c.Duration(), c)
	}
	return out.String()
}

// annotator prints bytes with what they mean.
type annotator struct {
	out strings.Builder
	b   []byte
	at  int
}

// line prints the bytes up to end.
func (a *annotator) line(end int, format string, args ...any) {
	code := make([]string, 0, 16)
	note := "# " + fmt.Sprintf(format, args...)
	for ; a.at < end; a.at++ {
		if len(code) == 16 {
			fmt.Fprintf(&a.out, "%-48s%s\n", strings.Join(code, " "), note)
			code, note = code[:0], "#"
		}
		code = append(code, fmt.Sprintf("%02x", a.b[a.at]))
	}
	fmt.Fprintf(&a.out, "%-48s%s\n", strings.Join(code, " "), note)
}

// uvarint reads a number at offset pos.
func (a *annotator) uvarint(pos int) (uint64, int) {
	v, n := binary.Uvarint(a.b[pos:])
	return v, pos + n
}

func annotate(t *testing.T, b []byte) string {
	t.Helper()
	a := &annotator{b: b}
	arc := openBytes(t, b)
	a.line(8, "header: magic, format version %d", b[7])
	for _, s := range arc.c.Sections() {
		a.out.WriteString(fmt.Sprintf("%48s# section %s, %d bytes\n", "", sectionNames[s.Type], s.Stored))
		end := a.at + int(s.Stored)
		if s.Type == secColumns || s.Type == secTiming {
			a.blobs(arc, s.Type)
			continue
		}
		for a.at < end {
			a.part(t, arc, s.Type)
		}
	}
	for _, s := range arc.c.Sections() {
		e := container.AppendEntry(nil, &s)
		a.line(a.at+len(e), "index: %s, version %d, plain, %d bytes, checksum", sectionNames[s.Type], s.Version,
			s.Stored)
	}
	a.line(a.at+8, "trailer: length of the index, checksum")
	a.line(len(b), "end magic")
	return a.out.String()
}

func (a *annotator) blobs(arc *Archive, typ uint32) {
	b, what := &arc.columns, "column"
	text := func(b []byte) (string, error) { return columnText(b, 100) }
	if typ == secTiming {
		b, what = &arc.timings, "timing"
		text = func(b []byte) (string, error) { return timingText(b, 100) }
	}
	for i := range b.len() {
		blob, _ := arc.blob(b, uint32(i))
		s, _ := text(blob)
		a.line(a.at+len(blob), "%s %d: %s", what, i, s)
	}
}

func (a *annotator) part(t *testing.T, arc *Archive, section uint32) {
	id, pos := a.uvarint(a.at)
	_, pos = a.uvarint(pos)
	n, pos := a.uvarint(pos)
	s := schemaOf(section, uint32(id>>1))
	a.line(pos, "part %s (%d), version 1, %d bytes", s.name, s.id, n)
	end := pos + int(n)
	if s.kind == tablePart {
		table, err := parseTable(decode(a.b[pos:end], "", 0), s)
		if err != nil {
			t.Fatal(err)
		}
		_, pos = a.uvarint(pos)
		_, pos = a.uvarint(pos)
		a.line(pos, "  %d rows of %d fields", table.rows, len(table.cols))
		for i, f := range s.fields {
			for range table.rows {
				_, pos = a.uvarint(pos)
			}
			a.line(pos, "  %s: %s", f.name, strings.Trim(fmt.Sprint(table.cols[i]), "[]"))
		}
		return
	}
	count, pos := a.uvarint(pos)
	a.line(pos, "  %d items", count)
	for i := range count {
		n, from := a.uvarint(pos)
		pos = from + int(n)
		switch s.id {
		case partStrings:
			a.line(pos, "  %d: %q", i, a.b[from:pos])
		case partShapes:
			a.line(pos, "  %d", i)
		case partTemplates:
			tm, err := arc.template(int(i))
			if err != nil {
				t.Fatal(err)
			}
			a.line(pos, "  %d: %s", i, tm.text())
		case partGroups:
			a.line(from, "  %d:", i)
			w := a.walker(arc, pos)
			walkGroup(w, &Group{}, len(arc.modules), arc.context.contexts)
		case partClasses:
			a.line(from, "  %d:", i)
			w := a.walker(arc, pos)
			walkClass(w, &ClassData{}, arc.context)
		default:
			t.Fatalf("part %s in the example", s.name)
		}
	}
}

// walker reads the item up to end and prints a line for each field.
func (a *annotator) walker(arc *Archive, end int) walker {
	d := decode(a.b[:end], "", 0)
	d.Pos = a.at
	return &annotatingWalker{decWalker: newDecWalker(d, arc.strings, arc.items.bodies, 1<<20), a: a}
}

// annotatingWalker prints the bytes of each field with the text form of its value.
type annotatingWalker struct {
	*decWalker
	a *annotator
}

// note prints what was read since the last time; print writes the text form.
func (w *annotatingWalker) note(print func(t *textWalker)) {
	if w.Err != nil {
		panic(w.Err)
	}
	var text bytes.Buffer
	t := &textWalker{w: bufio.NewWriter(&text), left: 1 << 20}
	print(t)
	t.w.Flush()
	w.a.line(w.Pos, "    %s", strings.TrimSpace(text.String()))
}

func (w *annotatingWalker) num(name string, v *int, max int) {
	w.decWalker.num(name, v, max)
	w.note(func(t *textWalker) { t.num(name, v, max) })
}
func (w *annotatingWalker) str(name string, v *string) {
	w.decWalker.str(name, v)
	w.note(func(t *textWalker) { t.str(name, v) })
}
func (w *annotatingWalker) count(name string, n int) int {
	n = w.decWalker.count(name, n)
	w.note(func(t *textWalker) { t.count(name, n) })
	return n
}
func (w *annotatingWalker) set(name string, ctx *rankfunc.Context, v **RankSet, within *RankSet) {
	w.decWalker.set(name, ctx, v, within)
	w.note(func(t *textWalker) { t.set(name, ctx, v, within) })
}
func (w *annotatingWalker) fn(name string, ctx *rankfunc.Context, ranks *RankSet, v **RankFunc) {
	w.decWalker.fn(name, ctx, ranks, v)
	w.note(func(t *textWalker) { t.fn(name, ctx, ranks, v) })
}
func (w *annotatingWalker) vec(name string, ctx *rankfunc.Context, ranks *RankSet, v **RankVec) {
	w.decWalker.vec(name, ctx, ranks, v)
	w.note(func(t *textWalker) { t.vec(name, ctx, ranks, v) })
}
func (w *annotatingWalker) params(name string, ctx *rankfunc.Context, ranks *RankSet, ps []*Param, bases *[]*Base) {
	w.decWalker.params(name, ctx, ranks, ps, bases)
	w.note(func(t *textWalker) { t.params(name, ctx, ranks, ps, &[]*Base{}) })
}
func (w *annotatingWalker) ids(name string, v *[]int, n int) {
	w.decWalker.ids(name, v, n)
	w.note(func(t *textWalker) { t.ids(name, v, n) })
}
func (w *annotatingWalker) ref(name string, v *int, n int, none bool) {
	w.decWalker.ref(name, v, n, none)
	w.note(func(t *textWalker) { t.ref(name, v, n, none) })
}
func (w *annotatingWalker) grammar(name string, size int, v **Grammar) {
	w.decWalker.grammar(name, size, v)
	w.note(func(t *textWalker) { t.grammar(name, size, v) })
}

// exampleSignature annotates one signature.
func exampleSignature(t *testing.T) string {
	t.Helper()
	s, err := ParseSignatureText("MPI_Isend(buf=heap#1+64, count=8, datatype=MPI_INT, dest=3, tag=-1, comm=comm#0; " +
		"request=?) site=2 flags=nested ret=0")
	if err != nil {
		t.Fatal(err)
	}
	f := spec.ByID(s.Func)
	a := &annotator{b: s.Append(nil)}
	_, pos := a.uvarint(0)
	a.line(pos, "function %d: %s", f.ID, f.Name)
	a.line(pos+1, "call site 1, the second")
	a.line(pos+2, "flags: nested")
	a.line(pos+3, "return code 0")
	for i := range s.Slots {
		p := printer{exact: true}
		p.value(f, &f.Slots[i], &s.Slots[i])
		a.line(a.at+len(AppendValue(nil, &s.Slots[i])), "%s: %s", SlotName(f, &f.Slots[i]), p.b)
	}
	if back, err := ParseSignature(a.b); err != nil || back.String() != s.String() {
		t.Fatalf("%v: %v", err, back)
	}
	return a.out.String()
}

// exampleOverview annotates what an overview has after the hash.
func exampleOverview(t *testing.T) string {
	t.Helper()
	o := &Overview{Length: 4000, Lines: 3, Group: 2, Level: 10, Rows: []OverviewRow{
		{Time: [][]uint64{{1900, 2048, 1024, 1000}, nil, nil, {148, 0, 1024, 856}}, Calls: [][]uint64{3: {2, 0, 1, 1}}},
		{Time: [][]uint64{{900, 1024, 1024, 928}}}}}
	a := &annotator{b: o.encode()}
	for _, what := range []string{"length: 4000 ns", "3 lines", "2 in a row", "bins of 2^10 ns: there are 4"} {
		_, pos := a.uvarint(a.at)
		a.line(pos, "%s", what)
	}
	for i, r := range o.Rows {
		for k, values := range [][][]uint64{r.Time, r.Calls} {
			mask, pos := a.uvarint(a.at)
			a.line(pos, "row %d: categories of %s: %b", i, []string{"times", "calls"}[k], mask)
			for c, list := range values {
				if list != nil {
					n, from := a.uvarint(a.at)
					a.line(from+int(n), "  category %d: %v", c, list)
				}
			}
		}
	}
	if back, err := parseOverview(a.b); err != nil || !back.Equal(o) || a.at != len(a.b) {
		t.Fatalf("%+v, %v", back, err)
	}
	return a.out.String()
}
