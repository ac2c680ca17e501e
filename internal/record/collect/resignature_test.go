package collect

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/record/ring/ringtest"
	"github.com/tabard-hpc/tabard/internal/record/symbol"
	"github.com/tabard-hpc/tabard/internal/safefile"
	"github.com/tabard-hpc/tabard/internal/testkit/private"
)

// familySize sets symbol.MaxFamily for a test.
func familySize(t *testing.T, n int) {
	old := symbol.MaxFamily
	symbol.MaxFamily = n
	t.Cleanup(func() { symbol.MaxFamily = old })
}

// openJob records calls of one thread and gives the path of the archive.
func openJob(t *testing.T, calls func(p *program, emit func(ringtest.Call)), restarts bool) string {
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, deadPID+1, 1)
	register(t, dir, p.id, 0, 1)
	recs := p.prologue(0, 1)
	calls(p, func(c ringtest.Call) {
		c.Start, c.End = p.tick(), p.tick()
		if c.Site == 0 {
			c.Site = ring.Address{Class: ring.WModule, Off: 0x1000 + int64(len(c.Func))}.Word()
		}
		recs = append(recs, ringtest.Record(c))
	})
	recs = append(recs, p.epilogue()...)
	c := testCollector(t, dir)
	r := rng(99)
	drive(t, &c, p.threads[0], recs, func(int) {
		if restarts && len(c.order) > 0 && r.IntN(400) == 0 {
			if err := c.order[0].checkpoint(c.dirs); err != nil {
				t.Fatal(err)
			}
			c = testCollector(t, dir)
			c.scan()
			revive(c)
		}
	})
	finishAll(t, testCollector(t, dir))
	return out
}

// irregular is a program in which values of all kinds vary, at places that also see other outcomes.
func irregular(n int) func(p *program, emit func(ringtest.Call)) {
	return func(p *program, emit func(ringtest.Call)) {
		r := rand.New(rand.NewPCG(8, 9))
		live := []uint64{}
		for i := range n {
			peer, buf := r.IntN(60), heapAt(uint32(1+r.IntN(50)), int64(8*r.IntN(40)))
			switch r.IntN(8) {
			case 0:
				emit(ringtest.Call{Func: "MPI_Send", In: []any{buf, i, mpiInt, peer, i % 90, commWorld},
					Ret: int32(r.IntN(20) / 19)})
			case 1, 2:
				req := uint64(100 + r.IntN(70))
				emit(ringtest.Call{Func: "MPI_Isend", In: []any{buf, 8, mpiInt, peer, 7, commWorld}, Out: []any{req}})
				live = append(live, req)
			case 3:
				if len(live) > 0 {
					emit(ringtest.Call{Func: "MPI_Test", In: []any{live[0]}, Out: []any{0, nil}})
				}
			case 4:
				if len(live) > 0 {
					k := 1 + r.IntN(min(4, len(live)))
					emit(ringtest.Call{Func: "MPI_Waitall", In: []any{k, live[:k:k]}, Out: []any{nil}})
					live = live[k:]
				}
			case 5:
				emit(ringtest.Call{Func: "MPI_Recv", In: []any{buf, r.IntN(100), mpiInt, -2, -1, commWorld},
					Out: []any{ring.Status{Source: int32(peer), Tag: int32(i), Bytes: int64(i)}}})
			case 6:
				emit(ringtest.Call{Func: "MPI_Iprobe", In: []any{peer, -1, commWorld}, Out: []any{0, nil}})
			case 7:
				counts := make([]int32, 4)
				for k := range counts {
					counts[k] = int32(r.IntN(100))
				}
				emit(ringtest.Call{Func: "MPI_Alltoallv",
					In: []any{buf, counts, counts, mpiInt, buf, counts, counts, mpiInt, commWorld}})
			}
		}
	}
}

var requestName = regexp.MustCompile(`request#\d+`)

// byCreation is lines with requests named by their creation: which numbers they have depends on
// what has left the signatures.
func byCreation(lines []string) []string {
	made := map[string]string{}
	for i, l := range lines {
		in, out, _ := strings.Cut(l, " ; ")
		in = requestName.ReplaceAllStringFunc(in, func(r string) string { return made[r] })
		out = requestName.ReplaceAllStringFunc(out, func(r string) string {
			made[r] = fmt.Sprint("request of call ", i)
			return made[r]
		})
		lines[i] = in + " ; " + out
	}
	return lines
}

// Whatever leaves the signatures, and when, the calls stay what they were, also with restarts.
func TestDemote(t *testing.T) {
	familySize(t, 1<<30)
	want := byCreation(text(t, openJob(t, irregular(3000), false)))
	for _, n := range []int{32, 4, 1} {
		familySize(t, n)
		got := text(t, openJob(t, irregular(3000), false))
		equal(t, text(t, openJob(t, irregular(3000), true)), got)
		equal(t, byCreation(got), want)
	}
}

// A loop whose message differs in each iteration costs the same for any number of iterations.
func TestVaryingParameter(t *testing.T) {
	size := func(n int) int64 {
		path := openJob(t, func(p *program, emit func(ringtest.Call)) {
			for i := range n {
				emit(ringtest.Call{Func: "MPI_Send", In: []any{heapAt(1, 0), 8 * i, mpiInt, 1, i, commWorld}})
				emit(ringtest.Call{Func: "MPI_Barrier", In: []any{commWorld}})
			}
		}, false)
		a, err := archive.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		s := a.Stats()
		return s.Structure + s.Columns
	}
	if few, many := size(100), size(10000); many > few+16 {
		t.Errorf("%d bytes for 100 iterations, %d for 10,000", few, many)
	}
}

// The moment when a value leaves does not show: ranks whose values begin to vary at different
// moments have the same grammar and the same signatures.
func TestReplaceIsInvisible(t *testing.T) {
	rank := func(steady int) archive.StreamData {
		o := NewOffline(false)
		for _, r := range []ring.Record{ringtest.Meta(ring.RABI, 0, 2, 32, []uint64{}),
			ringtest.Meta(ring.RWorld, 0, 0, 1)} {
			if err := o.Record(r); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 400 {
			calls := []ringtest.Call{
				{Func: "MPI_Send", In: []any{heapAt(1, 0), max(i, steady), mpiInt, 1, 5, commWorld}},
				{Func: "MPI_Recv", In: []any{heapAt(2, 0), 9, mpiInt, 1, 5, commWorld},
					Out: []any{ring.Status{Source: 1, Tag: 5, Bytes: 36}}},
			}
			if i%10 == 0 {
				calls = append(calls, ringtest.Call{Func: "MPI_Barrier", In: []any{commWorld}})
			}
			for _, c := range calls {
				c.Site = ring.Address{Class: ring.WModule, Off: 0x1000 + int64(len(c.Func))}.Word()
				if err := o.Record(ringtest.Record(c)); err != nil {
					t.Fatal(err)
				}
			}
		}
		_, streams, err := o.Data(func(symbol.Module, uint64) archive.Frame { return archive.Frame{} })
		if err != nil {
			t.Fatal(err)
		}
		return streams[0]
	}
	want := rank(0)
	if len(want.Signatures) != 3 {
		t.Errorf("%d signatures", len(want.Signatures))
	}
	for _, steady := range []int{1, 50, 300, 350} {
		got := rank(steady)
		if !bytes.Equal(got.Grammar.Append(nil), want.Grammar.Append(nil)) ||
			!slices.EqualFunc(got.Signatures, want.Signatures, (*archive.Signature).Equal) {
			t.Errorf("steady for %d iterations: %d signatures, grammar %s", steady, len(got.Signatures),
				archive.FormatGrammar(got.Grammar))
		}
	}
}

// Of two checkpoints in two places the newer one counts, and the older one does no harm to the
// files beside it.
func TestTwoCheckpoints(t *testing.T) {
	for _, newer := range []int{0, 1} {
		dirs := []*safefile.Dir{private.Temp(t), private.Temp(t)}
		p := newProcess(ring.ProcessID{PID: deadPID + 1}, true)
		p.dir = dirs[0]
		p.chain(0)
		feed := func(n int) {
			for _, r := range newProgram(t, dirs[0].Path(), p.id.PID, 1).work(rng(3), n) {
				if err := p.syms.Record(0, r, p); err != nil {
					t.Fatal(err)
				}
			}
		}
		feed(20000)
		if err := p.checkpoint(dirs[1-newer : 2-newer]); err != nil {
			t.Fatal(err)
		}
		feed(20000)
		if err := p.checkpoint(dirs[newer : newer+1]); err != nil {
			t.Fatal(err)
		}
		q, err := loadProcess(dirs, p.id)
		if err != nil {
			t.Fatal(err)
		}
		if q.gen != 2 || q.calls() != p.calls() {
			t.Errorf("generation %d with %d calls, want 2 with %d", q.gen, q.calls(), p.calls())
		}
		if _, err := q.chains[0].s.data(0, func() {}); err != nil {
			t.Error(err)
		}
	}
}
