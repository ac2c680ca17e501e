package traffic_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/traffic"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
)

// longer is an archive like a whose loops of n iterations have factor times as many.
func longer(t testing.TB, a *archive.Archive, n, factor uint64) *archive.Archive {
	t.Helper()
	old, err := a.Content()
	if err != nil {
		t.Fatal(err)
	}
	c := &archive.Content{Meta: old.Meta, Modules: old.Modules, Sites: old.Sites, Groups: old.Groups,
		Templates: old.Templates, Columns: old.Columns, Timings: old.Timings}
	changed := false
	for _, k := range old.Classes {
		d := *k
		d.Grammar = &archive.Grammar{}
		for _, body := range k.Grammar.Rules {
			body = append([]archive.Symbol(nil), body...)
			for i := range body {
				if m := body[i].Count; m >= n-2 && m <= n {
					body[i].Count, changed = m*factor, true
				}
			}
			d.Grammar.Rules = append(d.Grammar.Rules, body)
		}
		c.Classes = append(c.Classes, &d)
	}
	if !changed {
		t.Fatalf("no loop of %d iterations", n)
	}
	var buf bytes.Buffer
	if err := c.Write(&buf); err != nil {
		t.Fatal(err)
	}
	return archivetest.Open(t, buf.Bytes())
}

// billion is a stencil on 1,024 ranks that makes more than 10^9 calls.
func billion(t testing.TB) *archive.Archive {
	p := synthetic.ByName("stencil-2d")
	if p == nil {
		t.Fatal("no stencil")
	}
	const steps = 8 // without a reduction
	return longer(t, makeJob(t, p, synthetic.Params{Ranks: 1024, Steps: steps}), steps, 20_000)
}

func everything(t testing.TB, a *archive.Archive) *selection.Resolved {
	r, err := selection.All.Resolve(a)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestBillion answers from the structure of 10^9 calls: the time and the memory are those of the
// ranks.
func TestBillion(t *testing.T) {
	a := billion(t)
	r := everything(t, a)
	calls := uint64(0)
	for _, c := range a.Classes() {
		n, _, err := c.Counts()
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range n {
			calls += k
		}
	}
	if calls < 1e9 {
		t.Fatalf("only %d calls", calls)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	m, err := traffic.MatrixOf(r)
	if err != nil {
		t.Fatal(err)
	}
	hs, err := traffic.Histograms(r, traffic.GroupBy{Site: true})
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	t.Logf("%d calls in %v, %d bytes", calls, took, after.TotalAlloc-before.TotalAlloc)
	if took > 2*time.Second { // about 10 ms on a machine that does nothing else
		t.Errorf("it took %v", took)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 50<<20 {
		t.Errorf("it took %d bytes", n)
	}
	// 32 x 32 ranks without wrap-around: 2*32*31 neighbours in both directions.
	if pairs := m.Pairs(traffic.PointToPoint); pairs != 2*2*32*31 {
		t.Errorf("%d pairs", pairs)
	}
	messages := uint64(0)
	for _, h := range hs {
		if h.Kind == traffic.PointToPoint {
			messages += h.Messages
		}
	}
	if total := m.Total(traffic.PointToPoint); total.Messages != messages || messages < 1e8 {
		t.Errorf("%d messages in the matrix, %d in histograms", total.Messages, messages)
	}
}

// TestObjectsOfManyCalls: an object that is made anew means something else, however many calls are before and after.
func TestObjectsOfManyCalls(t *testing.T) {
	const n = 1 << 50
	b := archivetest.OfGrammar(t, 2, fmt.Sprintf("0 1 2*%d 3 1 2*%d 4", uint64(n), uint64(n)), 2*n+5,
		"MPI_Init(argc=-, argv=-; argc=-, argv=-)", "MPI_Comm_dup(comm=MPI_COMM_WORLD; newcomm=comm#0)",
		"MPI_Send(buf=-, count=1, datatype=MPI_INT, dest=0, tag=0, comm=comm#0)", "MPI_Comm_free(comm=comm#0)",
		"MPI_Finalize()")
	m, err := traffic.MatrixOf(everything(t, archivetest.Open(t, b)))
	if err != nil {
		t.Fatal(err)
	}
	if total := m.Total(traffic.PointToPoint); total.Messages != 4*n {
		t.Errorf("%d messages", total.Messages)
	}
}

func BenchmarkMatrix(b *testing.B) {
	a := billion(b)
	for b.Loop() {
		if _, err := traffic.MatrixOf(everything(b, a)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHistograms(b *testing.B) {
	a := billion(b)
	for b.Loop() {
		if _, err := traffic.Histograms(everything(b, a), traffic.GroupBy{Site: true}); err != nil {
			b.Fatal(err)
		}
	}
}

// ringOf is the text of a recording of a ring of some ranks that make 10,000 steps of three calls,
// with a reduction at the end.
func ringOf(t testing.TB, ranks int) *archive.Archive {
	var desc strings.Builder
	desc.WriteString("notiming\n")
	for r := range 8 {
		fmt.Fprintf(&desc, "rank %d of 8 on node\nloop 10\n"+
			"MPI_Send(count=3, datatype=MPI_INT, dest=%d, tag=1, comm=MPI_COMM_WORLD)\n"+
			"MPI_Send(count=1, datatype=MPI_DOUBLE, dest=%d, tag=1, comm=MPI_COMM_WORLD)\n"+
			"MPI_Bcast(count=1, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD)\nend\n"+
			"MPI_Allreduce(count=1, datatype=MPI_DOUBLE, op=MPI_SUM, comm=MPI_COMM_WORLD)\n", r, (r+1)%8, (r+7)%8)
	}
	var text, file bytes.Buffer
	if err := archive.WriteText(&text, archivetest.Archive(t, desc.String())); err != nil {
		t.Fatal(err)
	}
	many := text.String()
	for old, new := range map[string]string{
		"size 8\n": fmt.Sprintf("size %d\n", ranks), " ranks 0:1:8\n": fmt.Sprintf(" ranks 0:1:%d\n", ranks),
		" pid 1000:1:8\n": fmt.Sprintf(" pid 1000:1:%d\n", ranks), "*10": "*10000",
	} {
		if !strings.Contains(many, old) {
			t.Fatalf("%q is not in\n%s", old, text.String())
		}
		many = strings.ReplaceAll(many, old, new)
	}
	for old, next := range map[string]string{" 1:1:7 0 |": fmt.Sprintf(" 1:1:%d 0 |", ranks-1),
		" 7 0:1:7\n": fmt.Sprintf(" %d 0:1:%d\n", ranks-1, ranks-1)} {
		many = strings.ReplaceAll(many, old, next)
	}
	if err := archive.ParseText(&file, strings.NewReader(many)); err != nil {
		t.Fatalf("%v in\n%s", err, many)
	}
	return archivetest.Open(t, file.Bytes())
}

// TestManyRanks makes the matrix of 65,536 ranks: space follows from the pairs that exchange
// messages, also where collectives relate everyone to everyone.
func TestManyRanks(t *testing.T) {
	const n = 1 << 16
	a := ringOf(t, n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	m, err := traffic.MatrixOf(everything(t, a))
	if err != nil {
		t.Fatal(err)
	}
	binned := m.Binned(64, traffic.PointToPoint, traffic.Collective)
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	t.Logf("%d ranks in %v, %d bytes", n, took, after.TotalAlloc-before.TotalAlloc)
	if took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 100<<20 {
		t.Errorf("it took %d bytes", bytes)
	}
	if p := m.Pairs(traffic.PointToPoint); p != 2*n {
		t.Errorf("%d pairs", p)
	}
	if v := m.Total(traffic.PointToPoint); v != (traffic.Volume{Messages: 2 * 10_000 * n, Bytes: 20 * 10_000 * n}) {
		t.Errorf("%+v", v)
	}
	const others = n - 1
	if v := m.Total(traffic.Collective); v.Messages != n*others+10_000*others || v.Bytes != 8*n*others+4*10_000*others {
		t.Errorf("%+v", v)
	}
	var sum traffic.Volume
	for _, v := range binned {
		sum.Messages += v.Messages
	}
	if want := m.Total(traffic.PointToPoint).Messages + m.Total(traffic.Collective).Messages; sum.Messages != want {
		t.Errorf("%d messages in bins, want %d", sum.Messages, want)
	}
}
