package profile_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/profile"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/traffic"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/testkit/plainprofile"
	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
)

// app is three ranks with polls, communicators whose number is used again, and a thread.
func app() string {
	var b strings.Builder
	b.WriteString("abi mpich\ncommand ./app\n")
	for r := range 3 {
		fmt.Fprintf(&b, `rank %d of 3 on n
clock 0 0 0
clock 1000000 2000000 2000000
MPI_Init() @ a.c:1 [main]
MPI_Comm_dup(comm=MPI_COMM_WORLD) @ a.c:2 [main] ; newcomm=comm#0
MPI_Barrier(comm=comm#0) @ a.c:3 [main]
MPI_Comm_free(comm=comm#0) @ a.c:4 [main]
MPI_Comm_split(comm=MPI_COMM_WORLD, color=%d, key=0) @ a.c:5 [main] ; newcomm=comm#0
MPI_Barrier(comm=comm#0) @ a.c:3 [main]
`, r, r/2)
		fmt.Fprintf(&b, `loop 30
  MPI_Irecv(count=8, datatype=MPI_INT, source=%d, tag=1, comm=MPI_COMM_WORLD) @ a.c:10 [step] ; request=request#0
  tabard_segment(segment=3)
  MPI_Send(count=%d, datatype=MPI_INT, dest=%d, tag=1, comm=MPI_COMM_WORLD) @ a.c:11 [step]
  poll %d MPI_Test(request=request#0) @ a.c:12 [step] ; flag=0
  MPI_Wait(request=request#0) @ a.c:13 [step]
  MPI_Barrier(comm=comm#0) @ a.c:14 [step]
  loop %d
    MPI_Allreduce(count=?%d, datatype=MPI_INT, op=MPI_SUM, comm=comm#0) @ a.c:15 [step]
  end
end
500000+777 MPI_Barrier(comm=comm#0) @ a.c:20 [main]
MPI_Finalize() @ a.c:21 [main]
`, (r+2)%3, 8+r, (r+1)%3, 3+r, 2+r/2, 5+r)
		if r == 1 {
			b.WriteString("thread 1\nloop 3\n  MPI_Iprobe(source=0, tag=2, comm=MPI_COMM_WORLD) @ b.c:1 [t] ; " +
				"flag=0\nend\n")
		}
	}
	return b.String()
}

func resolved(t testing.TB, a *archive.Archive, f selection.Flags) *selection.Resolved {
	t.Helper()
	s, err := selection.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(a)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func compare(t *testing.T, a *archive.Archive, f selection.Flags, by profile.GroupBy, how profile.Timing) {
	t.Helper()
	if err := plainprofile.Compare(a, f, by, how); err != nil {
		t.Errorf("%+v %+v %d: %v", f, by, how, err)
	}
}

var allBy = []profile.GroupBy{{}, {Func: true}, {Site: true}, {Comm: true}, {Rank: true}, {Func: true, Comm: true},
	{Func: true, Site: true, Comm: true, Rank: true}}

func TestProfile(t *testing.T) {
	a := archivetest.Archive(t, app())
	for _, f := range []selection.Flags{{}, {Ranks: "1-2"}, {Functions: "coll,MPI_Test"}, {Steps: "3-7"},
		{Time: "20us..60us"}, {Comms: "split*"}, {Steps: "5-", Time: "..50us"}} {
		for _, by := range allBy {
			for how := range profile.Exact + 1 {
				compare(t, a, f, by, how)
			}
		}
	}
}

// TestProfileIn: the calls in a region are counted, whether its begins and ends are part of the archive or not.
func TestProfileIn(t *testing.T) {
	whole := archivetest.InMemory(t, archivetest.WithRegions(app()))
	part, err := whole.Calls()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []*archive.Archive{whole, part} {
		for _, f := range []selection.Flags{{In: "r"}, {In: "r", Comms: "split*"}, {In: "r", Steps: "3-7"},
			{In: "r", Time: "20us..60us"}, {In: "r/r", Functions: "coll"}} {
			for _, by := range allBy {
				compare(t, a, f, by, profile.None)
				compare(t, a, f, by, profile.Exact)
			}
		}
	}
	some := func(f selection.Flags) uint64 {
		p, err := profile.Of(resolved(t, part, f), profile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return p.Calls
	}
	if all, in := some(selection.Flags{}), some(selection.Flags{In: "r"}); in == 0 || in >= all {
		t.Errorf("%d of %d calls are in the region", in, all)
	}
}

func TestProfileUntimed(t *testing.T) {
	a := archivetest.Archive(t, strings.Replace(app(), "command", "notiming\ncommand", 1))
	p, err := profile.Of(resolved(t, a, selection.Flags{}),
		profile.Options{By: profile.GroupBy{Func: true}, Timing: profile.Exact})
	if err != nil || p.Timed || p.Rows[0].Time != nil || p.Rows[0].Calls < p.Rows[1].Calls {
		t.Errorf("%+v, %v", p, err)
	}
}

// The bytes are those of the histograms, which are checked against a reference.
func TestProfileBytes(t *testing.T) {
	a := archivetest.Archive(t, app())
	r := resolved(t, a, selection.Flags{Ranks: "0,2"})
	p, err := profile.Of(r, profile.Options{By: profile.GroupBy{Func: true}})
	if err != nil {
		t.Fatal(err)
	}
	hs, err := traffic.Histograms(r, traffic.GroupBy{Func: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hs {
		i := slices.IndexFunc(p.Rows, func(r *profile.Row) bool { return r.Func == h.Func })
		if i < 0 || p.Rows[i].Bytes != h.Bytes || h.Bytes == 0 {
			t.Errorf("%s: %d bytes", h.Func.Name, h.Bytes)
		}
	}
	if len(hs) != 2 {
		t.Errorf("%d functions with bytes", len(hs))
	}
}

func TestProfileSynthetic(t *testing.T) {
	tried := 0
	for _, p := range synthetic.Programs() {
		if p.Dims > 1 { // these take long, and stencils in one dimension do the same
			continue
		}
		a := job(t, p, synthetic.Params{Ranks: 9, Steps: 10, Seed: 3, Timing: true})
		if a == nil {
			continue
		}
		tried++
		compare(t, a, selection.Flags{}, profile.GroupBy{Site: true}, profile.Summary)
		compare(t, a, selection.Flags{}, profile.GroupBy{Func: true, Comm: true, Rank: true}, profile.Exact)
	}
	if tried < 5 {
		t.Errorf("%d programs", tried)
	}
}

// Damaged archives give errors, or other numbers, and end.
func TestDamage(t *testing.T) {
	d, err := archivetest.NewDamager(8, archivetest.Bytes(t, app()))
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for range 1000 {
		b, _ := d.Next()
		a, err := archive.OpenReader(bytes.NewReader(b), int64(len(b)), archive.MaxSection(1<<20),
			archive.MaxWork(1<<16))
		if err != nil {
			continue
		}
		r, err := selection.All.Resolve(a)
		if err != nil {
			continue
		}
		for _, o := range []profile.Options{{By: profile.GroupBy{Site: true}, Timing: profile.Summary},
			{By: profile.GroupBy{Comm: true, Rank: true}, Timing: profile.Exact}} {
			if _, err := profile.Of(r, o); err == nil {
				read++
			}
		}
	}
	if read < 50 {
		t.Errorf("only %d results", read)
	}
}
