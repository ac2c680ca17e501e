package archive_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/record/merge"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// archiveFile is a golden file: text, then files that begin with "-- name --".
type archiveFile struct {
	comment string
	names   []string
	files   map[string]string
}

func readGolden(t *testing.T, path string) *archiveFile {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	g := &archiveFile{files: map[string]string{}}
	name := ""
	for line := range strings.Lines(string(b)) {
		if n, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(n, " --\n") {
			name = strings.TrimSuffix(n, " --\n")
			g.names = append(g.names, name)
			continue
		}
		if name == "" {
			g.comment += line
		} else {
			g.files[name] += line
		}
	}
	return g
}

func (g *archiveFile) write(t *testing.T, path string) {
	t.Helper()
	var out strings.Builder
	out.WriteString(g.comment)
	for _, n := range g.names {
		fmt.Fprintf(&out, "-- %s --\n%s", n, g.files[n])
	}
	if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// check compares an output with its golden file.
func (g *archiveFile) check(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if !slices.Contains(g.names, name) {
			g.names = append(g.names, name)
		}
		g.files[name] = got
		return
	}
	want := g.files[name]
	if got == want {
		return
	}
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		g, w := "(end)", "(end)"
		if i < len(gotLines) {
			g = gotLines[i]
		}
		if i < len(wantLines) {
			w = wantLines[i]
		}
		if g != w {
			t.Errorf("%s differs at line %d:\n got %s\nwant %s\n(go test -update rewrites it)", name, i+1, g, w)
			return
		}
	}
}

func goldens(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	return paths
}

// dump renders all calls as people read them.
func dump(t testing.TB, a *archive.Archive) string {
	t.Helper()
	var out strings.Builder
	for s := range a.Streams() {
		fmt.Fprintf(&out, "rank %d thread %d: %d calls\n", s.Rank().Rank, s.Thread(), s.Calls())
		for c, err := range s.Iter(0) {
			if err != nil {
				t.Fatal(err)
			}
			if c.Timed {
				fmt.Fprintf(&out, "%v+%v ", c.Start, c.Duration())
			}
			fmt.Fprintln(&out, c)
		}
	}
	return out.String()
}

func dumpJSON(t testing.TB, a *archive.Archive) string {
	t.Helper()
	var out strings.Builder
	for s := range a.Streams() {
		for c, err := range s.Iter(0) {
			if err != nil {
				t.Fatal(err)
			}
			b, err := c.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&out, "%s\n", b)
		}
	}
	return out.String()
}

func text(t testing.TB, a *archive.Archive) string {
	t.Helper()
	var out bytes.Buffer
	if err := archive.WriteText(&out, a); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGolden(t *testing.T) {
	for _, path := range goldens(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			g := readGolden(t, path)
			b := archivetest.Bytes(t, g.files["desc"])
			a := archivetest.Open(t, b)
			if err := archive.Validate(a); err != nil {
				t.Error(err)
			}
			g.check(t, "dump", dump(t, a))
			g.check(t, "json", dumpJSON(t, a))
			twin := text(t, a)
			g.check(t, "text", twin)
			var back bytes.Buffer
			if err := archive.ParseText(&back, strings.NewReader(twin)); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(back.Bytes(), b) {
				t.Error("the text twin gives another file")
			}
			checkStats(t, a, int64(len(b)))
			if *update {
				g.write(t, path)
			}
		})
	}
}

func checkStats(t *testing.T, a *archive.Archive, size int64) {
	t.Helper()
	s := a.Stats()
	if sum := s.Structure + s.Columns + s.Timing + s.Meta + s.Index + s.Other; sum != s.Total || s.Total != size {
		t.Errorf("parts have %d bytes, total %d, file %d", sum, s.Total, size)
	}
}

// long is a stream of many calls with everything that makes random access hard.
const long = `
rank 0 of 1 on n
loop 7
  MPI_Alltoallv(sendcounts=?[1, 2, 3], comm=MPI_COMM_WORLD)
  loop 5
    MPI_Isend(dest=1, tag=?5) ; request=request#0
    poll 3 MPI_Test(request=request#0) ; flag=0
    MPI_Test(request=request#0) ; flag=1 ; status=?{source=0 tag=7 bytes=4}
    poll 1 MPI_Test(request=request#0) ; flag=0
  end
  MPI_Alltoallv(sendcounts=?[4], comm=MPI_COMM_WORLD)
  MPI_Alltoallv(sendcounts=?[], comm=MPI_COMM_WORLD)
  poll 900 MPI_Iprobe(source=0) ; flag=0
end
`

// TestRandomAccess compares CallAt and Iter from everywhere with reading in order.
func TestRandomAccess(t *testing.T) {
	a := archivetest.Archive(t, long)
	s := a.Stream(0)
	var all []string
	for c, err := range s.Iter(0) {
		if err != nil {
			t.Fatal(err)
		}
		if int(c.Index) != len(all) {
			t.Fatalf("call %d has the number %d", len(all), c.Index)
		}
		all = append(all, fmt.Sprint(c.Index, c.StartTicks, c))
	}
	if uint64(len(all)) != s.Calls() {
		t.Fatalf("%d calls read, %d counted", len(all), s.Calls())
	}
	for k := range len(all) {
		i := (k * 3571) % len(all)
		c, err := s.CallAt(uint64(i))
		if err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
		if got := fmt.Sprint(c.Index, c.StartTicks, c); got != all[i] {
			t.Fatalf("CallAt(%d) = %s\nwant %s", i, got, all[i])
		}
	}
	for i := 0; i < len(all); i += 97 {
		n := i
		for c, err := range s.Iter(uint64(i)) {
			if err != nil {
				t.Fatalf("from %d: %v", i, err)
			}
			if got := fmt.Sprint(c.Index, c.StartTicks, c); got != all[n] {
				t.Fatalf("from %d: %s\nwant %s", i, got, all[n])
			}
			if n++; n > i+50 {
				break
			}
		}
	}
	if _, err := s.CallAt(s.Calls()); err == nil {
		t.Error("a call after the last one exists")
	}
	for range s.Iter(s.Calls()) {
		t.Error("iterating from the end yields")
	}
}

func TestCounts(t *testing.T) {
	s := archivetest.Archive(t, long).Stream(0)
	want := make(map[uint32]uint64)
	for c, err := range s.Iter(0) {
		if err != nil {
			t.Fatal(err)
		}
		want[c.Terminal]++
	}
	counts, err := s.Counts()
	if err != nil {
		t.Fatal(err)
	}
	for terminal, n := range counts {
		if n != want[uint32(terminal)] {
			t.Errorf("terminal %d: %d calls, want %d", terminal, n, want[uint32(terminal)])
		}
	}
}

// ranks describes n ranks that do the same.
func ranks(n int) string {
	var desc strings.Builder
	for r := range n {
		fmt.Fprintf(&desc, "rank %d of %d on n\nMPI_Init()\nloop 50\n"+
			"MPI_Bcast(count=3, root=0, comm=MPI_COMM_WORLD) @ a.c:1 [main]\n"+
			"MPI_Recv(comm=MPI_COMM_WORLD) ; status=?{source=1 tag=2 bytes=3}\nend\nMPI_Finalize()\n", r, n)
	}
	return "notiming\n" + desc.String()
}

func TestRanksShare(t *testing.T) {
	few, many := len(archivetest.Bytes(t, ranks(2))), len(archivetest.Bytes(t, ranks(1000)))
	if many > few+200 {
		t.Errorf("2 ranks take %d bytes, 1000 equal ones %d", few, many)
	}
	if few > 500 {
		t.Errorf("a small archive takes %d bytes", few)
	}
}

func TestConcurrentReading(t *testing.T) {
	a := archivetest.Archive(t, long+strings.Replace(long, "rank 0", "rank 1", 1))
	want := dump(t, archivetest.Archive(t, long+strings.Replace(long, "rank 0", "rank 1", 1)))
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			if g%2 == 0 {
				if got := dump(t, a); got != want {
					t.Error("another dump")
				}
				return
			}
			for i := range uint64(50) {
				if _, err := a.Stream(g / 2 % 2).CallAt(i * 20); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestAccessors(t *testing.T) {
	a := archivetest.Archive(t, `
rank 0 of 1 on n
100+25 MPI_Recv(source=0, tag=4, comm=MPI_COMM_WORLD) ; status=?{source=0 tag=4 bytes=8}`)
	c, err := a.Stream(0).CallAt(0)
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := c.In("tag"); !ok || v.N != 4 {
		t.Errorf("tag: %+v %v", v, ok)
	}
	if v, ok := c.Out("status"); !ok || v.Stat.Bytes != 8 {
		t.Errorf("status: %+v %v", v, ok)
	}
	if _, ok := c.In("count"); ok {
		t.Error("count is absent, but found")
	}
	if _, ok := c.Out("tag"); ok {
		t.Error("tag is no result, but found as one")
	}
	if c.Duration() != 25 || c.Stream().Rank().Host != "n" {
		t.Errorf("duration %v, host %s", c.Duration(), c.Stream().Rank().Host)
	}
}

// TestMeta compares what goes in with what comes out.
func TestMeta(t *testing.T) {
	meta := archive.Meta{Command: []string{"./app", "", "./app"}, MPI: "x", ABI: 2, Created: time.Unix(5, 7),
		Tool: "t", Partial: true,
		Options: map[string]string{"a": "1", "b": ""}}
	rank := archive.RankData{World: 1, Rank: -1, Size: 3, Host: "h", PID: 77, LostCalls: 1 << 63, End: "exited",
		Complete: true,
		Info:     map[string]string{"exe": "/bin/app"},
		Modules:  []archive.Module{{Path: "/bin/app", BuildID: "ab", Base: 1 << 47, Size: 9}, {Path: "/lib/x"}},
		Sites: []archive.Site{{Frames: []archive.Frame{{Module: 1, Offset: 1 << 40, Func: "f", File: "f.c",
			Line: 3}, {Module: -1}}}, {Frames: []archive.Frame{{Module: 0}}}},
		Clocks: []archive.Clock{{Ticks: 1, RealNS: 2, MonoNS: -3}, {Ticks: 1 << 63, RealNS: 5, MonoNS: 6}}}
	other := archive.RankData{Rank: 1, Size: 3, Modules: rank.Modules[1:]}
	b := merge.New()
	b.SetMeta(meta)
	// Call sites are kept as far as calls were made there.
	st := archivetest.NewStream()
	for site := range uint32(2) {
		sig, err := archive.ParseSignatureText(fmt.Sprintf("MPI_Finalize() site=%d", site+1))
		if err != nil {
			t.Fatal(err)
		}
		if err := st.Add(&archivetest.Call{Sig: *sig, Run: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(b.Add(rank, []archive.StreamData{st.Data(0, false)}), b.Add(other, nil)); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := b.Write(&out); err != nil {
		t.Fatal(err)
	}
	a := archivetest.Open(t, out.Bytes())
	got := *a.Rank(0)
	got.Sites = nil // those of all processes
	rank.Sites[0].Frames[0].Image, rank.Sites[1].Frames[0].Image = "x", "app"
	for _, test := range []struct{ got, want any }{{*a.Meta(), meta}, {*a.Rank(1), rank}, {got, other}} {
		if got, want := fmt.Sprintf("%+v", test.got), fmt.Sprintf("%+v", test.want); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestWriterErrors checks that contradictions are noticed before they are written.
func TestWriterErrors(t *testing.T) {
	g, err := archive.ParseGrammarText("0")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []archive.StreamData{
		{Thread: -1, Grammar: g}, {}, {Grammar: g, Columns: make([][][]byte, 1)}, {Grammar: g},
		{Grammar: g, Calls: 1, Signatures: []*archive.Signature{{Func: 1}}},
	} {
		if err := merge.New().Add(archive.RankData{}, []archive.StreamData{s}); err == nil {
			t.Errorf("%+v: no error", s)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := archive.Open(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := archive.Open(dir); err == nil {
		t.Error("a directory can be opened")
	}
	path := filepath.Join(dir, "x.tabard")
	if err := os.WriteFile(path, []byte("something else altogether, but long enough"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := archive.Open(path)
	var fe *archive.FormatError
	if !errors.As(err, &fe) || fe.File != path || fe.Section != "header" || fe.Hint == "" {
		t.Errorf("%v", err)
	}
}

// barriers are the calls of a loop in loops.
var barriers = []string{"MPI_Init(argc=-, argv=-; argc=-, argv=-)", "MPI_Barrier(comm=MPI_COMM_WORLD)",
	"MPI_Barrier(comm=MPI_COMM_SELF)", "MPI_Finalize()"}

// TestTooManyCalls: the calls of a stream are a number, and so is their sum over all streams.
func TestTooManyCalls(t *testing.T) {
	for processes, want := range map[int]string{1: "", 2: "too many for an archive of 2 streams"} {
		a := archivetest.Open(t, archivetest.OfGrammar(t, processes, "0 1*2305843009213693952 3", 1<<61+2, barriers...))
		err := archive.Validate(a)
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) {
			t.Errorf("%d processes: %v", processes, err)
		}
	}
}

// TestHugeLoop opens an archive of 10^18 calls.
func TestHugeLoop(t *testing.T) {
	const n = 1e18 + 1e9 + 2
	a := archivetest.Open(t, archivetest.OfGrammar(t, 1, "0 R1*1000000000 3 | R2*1000000000 2 | 1", n, barriers...))
	if err := archive.Validate(a); err != nil {
		t.Fatal(err)
	}
	s := a.Stream(0)
	counts, err := s.Counts()
	if err != nil || counts[1] != 1e18 || counts[2] != 1e9 {
		t.Errorf("%v %v", counts, err)
	}
	for i, want := range map[uint64]string{0: "MPI_Init(", 1: "MPI_Barrier(comm=MPI_COMM_WORLD)",
		1e9 + 1: "MPI_Barrier(comm=MPI_COMM_SELF)", n - 1: "MPI_Finalize()"} {
		c, err := s.CallAt(i)
		if err != nil || !strings.HasPrefix(c.String(), want) {
			t.Errorf("call %d: %v %v", i, c, err)
		}
	}
}

// TestFormatDocumentExample makes the example of docs/format.md from its
// description and compares it with the bytes printed there.
func TestFormatDocumentExample(t *testing.T) {
	b, err := os.ReadFile("../../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	block := func(name string) string {
		_, rest, ok := strings.Cut(string(b), "<!-- begin "+name+" -->\n")
		if !ok {
			t.Fatalf("no block %s", name)
		}
		text, _, _ := strings.Cut(rest, "<!-- end")
		return text
	}
	var want []byte
	for line := range strings.Lines(block("file")) {
		code, _, _ := strings.Cut(line, "#")
		bytes, err := hex.DecodeString(strings.Join(strings.Fields(code), ""))
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, bytes...)
	}
	file, err := archivetest.Split(archivetest.Bytes(t, block("description")))
	if err != nil {
		t.Fatal(err)
	}
	if got := file.Bytes(); !bytes.Equal(got, want) {
		t.Errorf("the description makes\n%x\nthe document has\n%x", got, want)
	}
}

// BenchmarkIter reads calls in order; the metric of interest is ns per call.
func BenchmarkIter(b *testing.B) {
	a := archivetest.Archive(b, strings.Replace(long, "loop 7", "loop 700", 1))
	s := a.Stream(0)
	b.ReportAllocs()
	calls := uint64(0)
	for b.Loop() {
		for _, err := range s.Iter(0) {
			if err != nil {
				b.Fatal(err)
			}
			calls++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(calls), "ns/call")
}

func BenchmarkCallAt(b *testing.B) {
	a := archivetest.Archive(b, strings.Replace(long, "loop 7", "loop 700", 1))
	s := a.Stream(0)
	i := uint64(0)
	for b.Loop() {
		if _, err := s.CallAt(i * 7919 % s.Calls()); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

// The values of a block may take less than a byte each.
func TestSmallBlockAtTheEnd(t *testing.T) {
	var b strings.Builder
	b.WriteString("abi mpich\nnotiming\nrank 0 of 1 on n\n")
	for _, code := range []int{0, 1, 1, 0, 1, 0, 0, 0, 1, 1, 0} {
		fmt.Fprintf(&b, "MPI_Recv(source=0) @ a.c:1 [main] ; status=?{source=0 tag=0 bytes=0 error=%d}\n", code)
	}
	a := archivetest.Archive(t, b.String())
	if err := archive.Validate(a); err != nil {
		t.Error(err)
	}
}
