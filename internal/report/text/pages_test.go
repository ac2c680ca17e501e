package text

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/analysis/consistency"
	"github.com/tabard-hpc/tabard/analysis/profile"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/traffic"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
)

// late is two ranks of which rank 1 waits 4 us for a message that rank 0 sends late. A tick is a nanosecond.
const late = `abi mpich
command ./late
rank 0 of 2 on n
clock 0 0 0
clock 1000000 1000000 1000000
0+10 MPI_Init()
5000+100 MPI_Send(count=3, datatype=MPI_INT, dest=1, tag=2, comm=MPI_COMM_WORLD) @ a.c:7 [main]
9000+1000 MPI_Finalize()
rank 1 of 2 on n
clock 0 0 0
clock 1000000 1000000 1000000
0+10 MPI_Init()
1000+4200 MPI_Recv(count=3, datatype=MPI_INT, source=0, tag=2, comm=MPI_COMM_WORLD) @ a.c:9 [main] ; status={source=0 tag=2 bytes=12}
9000+1000 MPI_Finalize()
`

var narrow = render.Terminal{Width: 80, Height: 24}

func job(t *testing.T, a *archive.Archive) *report.Job {
	t.Helper()
	j, err := report.Open(a, selection.Flags{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// shows fails if a page lacks one of some lines, which it must have in this order.
func shows(t *testing.T, page string, want ...string) {
	t.Helper()
	left := page
	for _, line := range want {
		_, after, ok := strings.Cut(left, line+"\n")
		if !ok {
			t.Fatalf("no line %q, or before the others, in\n%s", line, page)
		}
		left = after
	}
}

// Rank 0 computes 8.89 us of 8.99 us, rank 1 4.79 us: on average 76.1 %, and as much is lost as rank 1 computes less.
func TestSummaryPage(t *testing.T) {
	o, err := job(t, archivetest.Archive(t, late)).Overview("late.tabard")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := Summary(&out, narrow, o, 1); err != nil {
		t.Fatal(err)
	}
	shows(t, out.String(), "late.tabard: ./late",
		"  computation  13.7 us  76.1%  ##################", "  pt2pt        4.30 us  23.9%  ######                  2",
		"  parallel efficiency 76.1% = load balance 76.9% x communication efficiency 98.9%",
		"  MPI_Init and MPI_Finalize took 1.01 us a process and are not counted",
		"  of the time in MPI 93.0% is waiting for other processes",
		"  4.20 us  23.4%    95.2%      1  4.20 us  4.20 us       0 ns  rank 1   MPI_Recv @ a.c:9 [main]",
		"  ... 1 more (--limit 0 shows all)",
		"  late sender  4.00 us  22.2%      1  most in MPI_Recv @ a.c:9 [main]",
		"  point to point         1   12 B       12 B", "Findings")
}

// Without times, the page says how to get them, and still who talks to whom.
func TestSummaryPageWithoutTimes(t *testing.T) {
	a := archivetest.Archive(t, strings.Replace(late, "abi mpich", "abi mpich\nnotiming", 1)+"killed 9\nlost 2\n")
	o, err := job(t, a).Overview("late.tabard")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := Summary(&out, narrow, o, 0); err != nil {
		t.Fatal(err)
	}
	shows(t, out.String(), "Not complete: 1 process did not terminate normally, 2 calls lost (tabard info says why)",
		"The recording has no times of calls: record with --timing=lossy or --timing=lossless to see where the time goes",
		"Who talks to whom")
	if strings.Contains(out.String(), "Where the time goes") || strings.Contains(out.String(), "Waiting") {
		t.Errorf("times that there are not:\n%s", out.String())
	}
}

// A snapshot of a job that hangs says that it is one, and who is in which call, innermost, for whom.
func TestSummaryPageOfSnapshot(t *testing.T) {
	hang := "abi mpich\ncommand ./hang\noption snapshot 2023-11-14T22:13:55Z\n"
	for rank := range 3 {
		hang += fmt.Sprintf("rank %d of 3 on n\nclock 0 0 0\nclock 1000000 1000000 1000000\nrunning\n0+10 MPI_Init()\n",
			rank)
		if rank == 1 {
			hang += "2000+0 MPI_Recv(count=3, datatype=MPI_INT, source=2, tag=7, comm=MPI_COMM_WORLD) " +
				"@ a.c:9 [inner] ; nested unfinished\n"
		}
		hang += "1500+0 MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:5 [main] ; unfinished\n"
	}
	o, err := job(t, archivetest.Archive(t, hang)).Overview("hang.tabard")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := Summary(&out, narrow, o, 0); err != nil {
		t.Fatal(err)
	}
	shows(t, out.String(), "Snapshot of the running job, 35.0 s after its start: 3 processes at work",
		"Calls that had not returned",
		"  1       2.00 us  MPI_Recv @ a.c:9 [inner]    source=2, tag=7, comm=MPI_COMM_WORLD",
		"  0,2     1.50 us  MPI_Barrier @ a.c:5 [main]  comm=MPI_COMM_WORLD")
	if strings.Contains(out.String(), "Not complete") {
		t.Errorf("a job that runs did not end badly:\n%s", out.String())
	}
}

// Tables are cut where the limit says, and say so.
func TestWaitsPage(t *testing.T) {
	j := job(t, archivetest.Archive(t, late))
	r, err := j.Waits()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	Waits(&out, r, 1)
	shows(t, out.String(), "4.00 us waiting in 1 call, 22.2% of the time of all processes",
		"late sender      1  4.00 us  22.2%  4.00 us",
		"rank 0   MPI_Send @ a.c:7 [main]  4.00 us  100.0%      1      -           -",
		"late sender  MPI_Recv @ a.c:9 [main]  MPI_Send @ a.c:7 [main]      1  4.00 us  4.00 us  rank 1 for rank 0",
		"rank 0    0 ns             4.00 us          4.00 us", "... 1 more (--limit 0 shows all)")
	out.Reset()
	Waits(&out, r, 0)
	shows(t, out.String(), "rank 1   4.00 us                0 ns             0 ns")
	if strings.Contains(out.String(), "...") {
		t.Errorf("cut without a limit:\n%s", out.String())
	}
}

// Which columns there are follows from what rows are told apart by, and from how exactly times are known.
func TestProfilePage(t *testing.T) {
	chosen, err := report.Resolve(archivetest.Archive(t, late), selection.Flags{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o    profile.Options
		want []string
	}{
		{profile.Options{By: profile.GroupBy{Func: true, Site: true}}, []string{
			"6 calls of 2 ranks, 12 B moved", "FUNCTION      CALLS  BYTES  RANKS  CALL SITE",
			"and 2 more rows (--top 0 shows all)"}},
		{profile.Options{By: profile.GroupBy{Rank: true, Comm: true}, Timing: profile.Exact}, []string{
			"6 calls of 2 ranks, 12 B moved, 6.32 us in MPI of 20.0 us (31.6%), all ranks together",
			"RANK  CALLS  BYTES     TIME  SHARE     MEAN      MIN   MEDIAN     95 %     99 %      MAX  COMMUNICATOR",
			"1         1      -  4.20 us  42.0%  4.20 us  4.20 us  4.20 us  4.20 us  4.20 us  4.20 us  0 world",
			"and 2 more rows (--top 0 shows all)"}},
	} {
		p, err := profile.Of(chosen, c.o)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := Profile(&out, c.o, p, 2); err != nil {
			t.Fatal(err)
		}
		shows(t, out.String(), c.want...)
	}
}

// A message of 12 B is in the bin of 8 to 15 B, and from rank 0 to 1 in the matrix. Calls of 4.2 us are below 8.19 us.
func TestCharts(t *testing.T) {
	a := archivetest.Archive(t, late)
	chosen, err := report.Resolve(a, selection.Flags{})
	if err != nil {
		t.Fatal(err)
	}
	hs, err := traffic.Histograms(chosen, traffic.GroupBy{Func: true, Site: true})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := Histograms(&out, narrow, hs, 2); err != nil {
		t.Fatal(err)
	}
	shows(t, out.String(), "MPI_Send @ a.c:7 [main]", "1 message, 12 B, sizes from 12 B to 12 B",
		"8-15 B "+strings.Repeat("#", 64)+" 1  12 B")
	g, err := report.NewGrid(chosen, report.GridOptions{Kind: "p2p", Value: "bytes"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := Matrix(&out, narrow, g, 5); err != nil {
		t.Fatal(err)
	}
	shows(t, out.String(), "0 |   . 12 B", "1 |   .    .", "   0   1         1   12 B       12 B")
	out.Reset()
	if err := MatrixCSV(&out, g); err != nil || out.String() != lines("from,to,messages,bytes", "0,1,1,12") {
		t.Errorf("%q, error %v", out.String(), err)
	}
	d, err := job(t, a).Durations(selection.Flags{}, "site")
	if err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := Durations(&out, narrow, d.Histograms); err != nil {
		t.Fatal(err)
	}
	shows(t, out.String(), "MPI_Recv @ a.c:9 [main]", "a tenth take up to 4.20 us, half 4.20 us, "+
		"all but a hundredth 4.20 us; 0 ns more than if all were as fast as the fastest tenth",
		"MPI_Send @ a.c:7 [main]")
	for want, f := range map[string]func() error{
		"no such messages": func() error { return Histograms(&out, narrow, nil, 2) },
		"no such calls":    func() error { return Durations(&out, narrow, nil) },
	} {
		if out.Reset(); f() != nil || out.String() != want+"\n" {
			t.Errorf("%q, want %s", out.String(), want)
		}
	}
}

// A line of dump has the thread, the call's number and times if they are known, and the call.
func TestDumpLines(t *testing.T) {
	a := archivetest.Archive(t, strings.ReplaceAll(late, "on n", "on n world 2"))
	line := func(a *archive.Archive, stream int, call uint64) string {
		s := a.Stream(stream)
		c, err := s.CallAt(call)
		if err != nil {
			t.Fatal(err)
		}
		return string(AppendCall(nil, s, c, 0))
	}
	if got, want := line(a, 1, 2), "w2:1.0        2   0.000009000       1us  MPI_Finalize()\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	a = archivetest.Archive(t, "abi mpich\nrank 0 of 1 on n\nthread 1\nMPI_Barrier(comm=MPI_COMM_WORLD) ; unfinished\n")
	if got := line(a, a.NumStreams()-1, 0); !strings.HasPrefix(got, "0.1 ") ||
		!strings.Contains(got, "         -  MPI_Barrier(") {
		t.Errorf("%q", got)
	}
	for ns, want := range map[time.Duration]string{0: "0.000000000", 1: "0.000000001", 61e9 + 5: "61.000000005",
		-1500e6: "-1.500000000"} {
		if got := seconds(ns); got != want {
			t.Errorf("%d ns are %s, want %s", ns, got, want)
		}
	}
}

// Parts of a creation are listed up to a limit; what each process makes for itself is one line.
func TestCommsPage(t *testing.T) {
	r, err := comms.Analyze(archivetest.Archive(t, commsText()), nil)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := Comms(&out, r); err != nil {
		t.Fatal(err)
	}
	shows(t, out.String(), "world         24    0-23          MPI_COMM_WORLD",
		"  split0:0    2     0,12          MPI_Comm_split @ c.c:1 [f]",
		"    dup0      2     0,12          MPI_Comm_dup @ c.c:2 [f]; freed",
		"  split0:7    2     7,19          MPI_Comm_split @ c.c:1 [f]",
		"  ...                             4 more parts of this creation (--json lists all)",
		"self          1     each of 0-23  MPI_COMM_SELF",
		"  dup0        1     likewise      MPI_Comm_dup @ c.c:3 [f]")
}

// Trip counts are told rank by rank where there are few variants; parameters as functions of the rank, those first that
// fit into the line.
func TestLoopsPage(t *testing.T) {
	a := archivetest.Archive(t, loopsText())
	classes, err := report.FindLoops(a, &report.LoopChoice{})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	Loops(&out, "l.tabard", classes)
	if want := lines("ranks 0-2   202-242 calls each", "  MPI_Init()",
		"  loop 50x (ranks 0-1), 60x (rank 2)   <- time step: 99 % of the calls",
		"    MPI_Sendrecv(sendcount=4, sendtype=MPI_INT, dest=rank+1 mod 3, sendtag=1, ...)   l.c:5 [step]",
		"    MPI_Allreduce(count=1, datatype=MPI_DOUBLE, op=MPI_SUM) 3x   l.c:9 [norm]",
		"  MPI_Finalize()"); out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
	out.Reset()
	if Loops(&out, "l.tabard", nil); out.String() != "l.tabard holds no calls\n" {
		t.Errorf("%q", out.String())
	}
}

// What has no partner is told with whom it would have been matched.
func TestMessagesPage(t *testing.T) {
	j := job(t, archivetest.Archive(t, lostText))
	r, err := j.Match()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	open := []consistency.Unfinished{{Func: "MPI_Isend", Site: "m.c:5 [f]", Send: true, Count: 3,
		Processes: rankfunc.NewSet([]int{0}),
		Peer:      1, Tag: 4, Call: 7}}
	Messages(&out, j.Program, r, open, 1)
	shows(t, out.String(), "1 message of 4 B", "1 collective operation", "Without a partner: 1 send, 1 receive",
		"MPI_Send @ m.c:2 [f]      1  0          no partner  rank 0 call 1, to rank 1, tag 9",
		"... 1 more (--limit 0 shows all)",
		"Requests that nothing completed or freed", "MPI_Isend @ m.c:5 [f]      3  0          rank 0 call 7, to "+
			"rank 1, tag 4",
		"Collective operations that do not fit together",
		"MPI_Barrier @ m.c:3 [f]  world              1  0          1 member did not call")
	out.Reset()
	Messages(&out, j.Program, r, nil, 0)
	shows(t, out.String(),
		"MPI_Recv @ m.c:8 [g]      1  1          never completed  rank 1 call 1, from MPI_ANY_SOURCE, MPI_ANY_TAG")
	j = job(t, archivetest.Archive(t, late))
	if r, err = j.Match(); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	Messages(&out, j.Program, r, nil, 0)
	shows(t, out.String(), "1 message of 12 B, every send and receive has its partner")
}

// commsText is 24 ranks that split the world by 12 colours, and duplicate their part and MPI_COMM_SELF.
func commsText() string {
	var b strings.Builder
	b.WriteString("abi mpich\n")
	for r := range 24 {
		fmt.Fprintf(&b, "rank %d of 24 on n\n"+
			"MPI_Comm_split(comm=MPI_COMM_WORLD, color=%d, key=0) @ c.c:1 [f] ; newcomm=comm#0\n"+
			"MPI_Comm_dup(comm=comm#0) @ c.c:2 [f] ; newcomm=comm#1\n"+
			"MPI_Comm_dup(comm=MPI_COMM_SELF) @ c.c:3 [f] ; newcomm=comm#2\n"+
			"MPI_Comm_free(comm=comm#1)\n", r, r%12)
	}
	return b.String()
}

// loopsText is three ranks, of which the last one makes more steps.
func loopsText() string {
	var b strings.Builder
	b.WriteString("abi mpich\nnotiming\n")
	for r := range 3 {
		fmt.Fprintf(&b, "rank %d of 3 on n\nMPI_Init()\nloop %d\n", r, 50+10*(r/2))
		fmt.Fprintf(&b, "MPI_Sendrecv(sendcount=4, sendtype=MPI_INT, dest=%d, sendtag=1, source=%d, recvtag=1, "+
			"comm=MPI_COMM_WORLD) @ l.c:5 [step]\n", (r+1)%3, (r+2)%3)
		b.WriteString("loop 3\nMPI_Allreduce(count=1, datatype=MPI_DOUBLE, op=MPI_SUM, comm=MPI_COMM_WORLD) " +
			"@ l.c:9 [norm]\nend\nend\nMPI_Finalize()\n")
	}
	return b.String()
}

// lostText is a send with another tag than any receive has, a receive that never completes, and half a barrier.
const lostText = `abi mpich
rank 0 of 2 on n
MPI_Send(count=1, datatype=MPI_INT, dest=1, tag=1, comm=MPI_COMM_WORLD) @ m.c:1 [f]
MPI_Send(count=1, datatype=MPI_INT, dest=1, tag=9, comm=MPI_COMM_WORLD) @ m.c:2 [f]
MPI_Barrier(comm=MPI_COMM_WORLD) @ m.c:3 [f]
rank 1 of 2 on n
MPI_Recv(count=1, datatype=MPI_INT, source=0, tag=1, comm=MPI_COMM_WORLD) ; status={source=0 tag=1 bytes=4}
MPI_Recv(count=1, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG, comm=MPI_COMM_SELF) @ m.c:8 [g] ; unfinished
`
