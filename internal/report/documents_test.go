package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/analysis/profile"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/analysis/traffic"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/record/merge"
)

// late is two ranks: rank 1 is in its receive from 1 us on, but rank 0 computes until 5 us before it sends. A tick is
// a nanosecond.
const late = `abi mpich
command ./late -n 2
rank 0 of 2 on node1
clock 0 0 0
clock 1000000 1000000 1000000
0+10 MPI_Init()
5000+100 MPI_Send(count=3, datatype=MPI_INT, dest=1, tag=2, comm=MPI_COMM_WORLD) @ a.c:7 [main]
9000+1000 MPI_Finalize()
rank 1 of 2 on node1
clock 0 0 0
clock 1000000 1000000 1000000
0+10 MPI_Init()
1000+4200 MPI_Recv(count=3, datatype=MPI_INT, source=0, tag=2, comm=MPI_COMM_WORLD) @ a.c:9 [main] ; status=?{source=0 tag=2 bytes=12}
9000+1000 MPI_Finalize()
`

// job opens a recording for analyses.
func job(t *testing.T, a *archive.Archive, flags selection.Flags) *Job {
	t.Helper()
	j, err := Open(a, flags, nil)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func newInfo(t *testing.T, desc string) *Info {
	t.Helper()
	info, err := NewInfo(archivetest.Archive(t, desc), nil)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// Calls are counted by name, and those that are not plain successes once more. The same call with another outcome is
// another signature.
func TestInfoCounts(t *testing.T) {
	info := newInfo(t, `abi mpich
command ./app
option timing lossless
option collector_peak_bytes 4096
rank 0 of 1 on node1
MPI_Init()
poll 5 MPI_Test(request=request#0) ; flag=0
MPI_Barrier(comm=MPI_COMM_WORLD) ; ret 5
loop 3
MPI_Barrier(comm=MPI_COMM_WORLD)
end
MPI_Barrier(comm=MPI_COMM_WORLD) ; unfinished
`)
	want := map[string]uint64{"MPI_Init": 1, "MPI_Test": 5, "MPI_Barrier": 5}
	if !maps.Equal(info.Functions, want) || info.Calls != 11 {
		t.Errorf("%d calls: %v, want %v", info.Calls, info.Functions, want)
	}
	if info.Polls != 5 || info.Failed != 1 || info.Open != 1 {
		t.Errorf("%d polls, %d failed, %d did not return", info.Polls, info.Failed, info.Open)
	}
	// Polls in a row are one event, and the three barriers one symbol of the one rule: five symbols for seven events.
	g := info.Grammar
	if g.Classes != 1 || g.Distinct != 1 || g.Rules != 1 || g.Symbols != 5 || g.Events != 7 || g.Signatures != 5 {
		t.Errorf("%+v", g)
	}
	if info.Memory != 4096 || info.ABI != "mpich" || info.Created != "2023-11-14T22:13:20Z" || info.Threads != 1 {
		t.Errorf("%+v", info)
	}
	if !info.Complete || info.Timing == nil || info.Timing.Mode != "lossless" || info.Timing.Durations.Max != 0 {
		t.Errorf("complete %t, times %+v", info.Complete, info.Timing)
	}
}

// Begins and ends of regions are events of the program, and no calls.
func TestInfoRegions(t *testing.T) {
	info := newInfo(t, `abi mpich
rank 0 of 1 on n
MPI_Init()
region_begin(name="solve")
MPI_Barrier(comm=MPI_COMM_WORLD)
region_end()
`)
	if info.Calls != 2 || info.Called() != 2 || info.Functions["region_begin"] != 1 || info.Events["regions"] != 2 {
		t.Errorf("%d calls of %d functions, %v, %v", info.Calls, info.Called(), info.Functions, info.Events)
	}
}

// What is missing of a recording is said once for each process, and of ranks that have none in one line.
func TestInfoMissing(t *testing.T) {
	barrier := "\nMPI_Barrier(comm=MPI_COMM_WORLD)\n"
	for _, c := range []struct {
		name, desc string
		want       []string
	}{
		{"whole", "rank 0 of 1 on n" + barrier, nil},
		{"killed", "rank 0 of 2 on n" + barrier + "killed 9\nrank 1 of 2 on n" + barrier,
			[]string{"rank 0: killed by signal 9"}},
		{"lost", "rank 0 of 1 on n\nlost 3" + barrier, []string{"rank 0: 3 calls could not be recorded"}},
		{"killed and lost", "rank 0 of 1 on n\nkilled 11\nlost 1" + barrier,
			[]string{"rank 0: killed by signal 11; 1 call could not be recorded"}},
		{"one rank without a recording", "rank 1 of 2 on n" + barrier, []string{"nothing was recorded of rank 0"}},
		{"holes", "rank 1 of 7 on n" + barrier + "rank 4 of 7 on n" + barrier,
			[]string{"nothing was recorded of ranks 0,2-3,5-6"}},
		{"ranks left out on purpose", "option ranks 1\nrank 1 of 7 on n" + barrier, nil},
		{"a spawned world", "rank 0 of 1 on n" + barrier + "rank 1 of 2 on n world 1" + barrier + "killed 9\n",
			[]string{"rank 1 of spawned world 1: killed by signal 9", "nothing was recorded of rank 0"}},
		{"no process", "", []string{"no process was recorded"}},
	} {
		info := newInfo(t, "abi mpich\n"+c.desc)
		if !slices.Equal(info.Missing, c.want) || info.Complete != (c.want == nil) {
			t.Errorf("%s: complete %t, missing %q, want %q", c.name, info.Complete, info.Missing, c.want)
		}
	}
}

// What was not recorded is said in one sentence, before everything else.
func TestIncomplete(t *testing.T) {
	barrier := "\nMPI_Barrier(comm=MPI_COMM_WORLD)\n"
	silent := func(rank int, facts string) string { return fmt.Sprintf("rank %d of 8 on n\n%s", rank, facts) }
	for _, c := range []struct{ name, desc, want string }{
		{"whole", "rank 0 of 1 on n" + barrier, ""},
		{"killed, but recorded", "rank 0 of 1 on n" + barrier + "killed 9\n", ""},
		{"ranks left out on purpose", "option ranks 1\nrank 1 of 7 on n" + barrier, ""},
		{"absent", "rank 0 of 4 on n" + barrier + "rank 2 of 4 on n" + barrier,
			"INCOMPLETE: ranks 1, 3 were not recorded (no process with this rank was seen here)"},
		{"known", "rank 0 of 4 on n" + barrier + "rank 1 of 4 on n\nfact unrecorded no room\nrank 2 of 4 on n\n" +
			"fact unrecorded no room\nrank 3 of 4 on n\nfact unrecorded static\n",
			"INCOMPLETE: ranks 1-2 were not recorded (no room); rank 3 was not recorded (static)"},
		{"lost", "rank 0 of 2 on n\nlost 3" + barrier + "rank 1 of 2 on n\nlost 4" + barrier,
			"INCOMPLETE: 7 calls of ranks 0-1 are missing (they could not be recorded)"},
		{"by file of before", "rank 0 of 2 on n" + barrier + "rank 1 of 2 on n\nend exited, made no MPI call\n",
			"INCOMPLETE: rank 1 was not recorded (exited, made no MPI call)"},
		{"many", silent(0, "") + barrier + silent(3, "fact unrecorded x\n") + silent(6, "fact unrecorded x\n"),
			"INCOMPLETE: ranks 1-2, 4-5, 7 were not recorded (no process with this rank was seen here); " +
				"ranks 3, 6 were not recorded (x)"},
	} {
		info := newInfo(t, "abi mpich\n"+c.desc)
		if info.Incomplete != c.want || c.want != "" && (info.Complete || len(info.Gaps) == 0) {
			t.Errorf("%s: %q, want %q; complete %t, gaps %v", c.name, info.Incomplete, c.want, info.Complete, info.Gaps)
		}
	}
}

// The time that rank 1 waits is that from its own entry to the sender's: 4 us of the 4.2 us of its receive.
func TestWaitsOfLateSender(t *testing.T) {
	r, err := job(t, archivetest.Archive(t, late), selection.Flags{}).Waits()
	if err != nil {
		t.Fatal(err)
	}
	d := NewWaits("late.tabard", r)
	if d.Total.Time != 4*time.Microsecond || d.Kinds["late sender"].Time != 4*time.Microsecond {
		t.Fatalf("total %+v, kinds %+v", d.Total, d.Kinds)
	}
	if len(d.Processes) != 2 || d.Processes[1].Waited["late sender"] != 4*time.Microsecond ||
		len(d.Processes[0].Waited) != 0 || d.Processes[0].Caused != 4*time.Microsecond {
		t.Errorf("processes %+v", d.Processes)
	}
	if len(d.Causes) != 1 || d.Causes[0].Process != 0 || d.Causes[0].Worst != -1 {
		t.Errorf("causes %+v", d.Causes)
	}
	if d.Steps == nil || len(d.Waits) != 1 || d.Waits[0].Waiters[0].Process != 1 {
		t.Errorf("waits %+v, steps %v", d.Waits, d.Steps)
	}
}

// From MPI_Init's return to MPI_Finalize, what is outside of calls is computation. Most time comes first.
func TestOverview(t *testing.T) {
	a := archivetest.Archive(t, late)
	o, err := job(t, a, selection.Flags{}).Overview("late.tabard")
	if err != nil {
		t.Fatal(err)
	}
	if n := o.Counts(); n != (Counts{Calls: 6, Hosts: 1}) {
		t.Errorf("%+v", n)
	}
	d := o.Document()
	if d.Processes != 2 || d.Elapsed != 8990 || fmt.Sprint(d.Command) != "[./late -n 2]" {
		t.Errorf("%+v", d)
	}
	for i, want := range []time.Duration{100, 4200} { // in calls
		if p := d.Ranks[i]; p.MPI != want || p.Useful != d.Elapsed-want || p.Calls != 1 {
			t.Errorf("rank %d: %+v, want %v in calls", i, p, want)
		}
	}
	if c := d.Calls[0]; c.Func != "MPI_Recv" || c.Site != "a.c:9 [main]" || c.MPI.Sum != 4200 || c.MPI.Processes != 1 {
		t.Errorf("first %+v", c)
	}
	if d.Waits["late sender"].Time != 4000 || d.Steps != nil {
		t.Errorf("waits %+v, steps %+v", d.Waits, d.Steps)
	}
	if g := o.Matrix; g.Sum().Bytes != 12 {
		t.Errorf("%+v", g.Sum())
	}
}

// Without times, a summary has the matrix and the findings, and leaves out all that is a time.
func TestOverviewWithoutTimes(t *testing.T) {
	o, err := job(t, archivetest.Archive(t, strings.Replace(late, "abi mpich", "abi mpich\nnotiming", 1)),
		selection.Flags{}).Overview("late.tabard")
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(o.Document())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"elapsed_ns", "efficiency", "ranks", "groups", "calls", "steps", "waits"} {
		if strings.Contains(string(b), `"`+name+`":`) {
			t.Errorf("%s in %s", name, b)
		}
	}
	if o.Matrix.Sum().Messages != 1 || !strings.Contains(string(b), `"findings":[`) {
		t.Errorf("%+v, %s", o.Matrix.Sum(), b)
	}
}

// Time steps that are alike have their median; the one that is longer is listed as slow, with who caused it.
func TestSummarySteps(t *testing.T) {
	var b strings.Builder
	b.WriteString("abi mpich\n")
	for r := range 2 {
		fmt.Fprintf(&b, "rank %d of 2 on n\nclock 0 0 0\nclock 100000000 100000000 100000000\n0+10 MPI_Init()\n", r)
		begin := 0
		for step := range 40 {
			length := 100_000
			if step == 25 {
				length = 900_000
			}
			begin += length
			enter := begin - 1000 // rank 1 computes; rank 0 is there early in the slow step
			if step == 25 && r == 0 {
				enter = begin - 800_000
			}
			fmt.Fprintf(&b, "%d+%d MPI_Barrier(comm=MPI_COMM_WORLD) @ s.c:3 [step]\n", enter, begin-enter)
			fmt.Fprintf(&b, "%d+10 MPI_Bcast(count=1, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD) @ s.c:4 [step]\n",
				begin)
		}
		b.WriteString("9000000+10 MPI_Finalize()\n")
	}
	o, err := job(t, archivetest.Archive(t, b.String()), selection.Flags{}).Overview("steps.tabard")
	if err != nil {
		t.Fatal(err)
	}
	s := o.Document().Steps
	if s == nil || s.Stride != 1 || s.Median != 100_000 || s.MAD != 0 {
		t.Fatalf("%+v", s)
	}
	if len(s.Slow) != 1 || s.Slow[0].Process != 1 || s.Slow[0].Length < 800_000 {
		t.Errorf("slow %+v", s.Slow)
	}
}

// The same calls by group, function or call site, without the program's begin and end. Those that take most come first.
func TestDurationsBy(t *testing.T) {
	for by, want := range map[string]string{
		"function": "MPI_Recv 1 4.2µs, MPI_Send 1 100ns",
		"site":     "MPI_Recv @ a.c:9 [main] 1 4.2µs, MPI_Send @ a.c:7 [main] 1 100ns",
		"group":    "pt2pt 2 4.3µs",
	} {
		d, err := job(t, archivetest.Archive(t, late), selection.Flags{}).Durations(selection.Flags{}, by)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, h := range d.Histograms {
			n := uint64(0)
			for _, b := range h.Durations.Bins {
				if n += b.Count; b.From >= b.To {
					t.Errorf("by %s: bin %+v", by, b)
				}
			}
			if n != h.Durations.Count {
				t.Errorf("by %s: %s has %d calls, and %d in bins", by, h.Name, h.Durations.Count, n)
			}
			got = append(got, fmt.Sprintf("%s %d %v", h.Name, h.Durations.Count, h.Time))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("by %s: %q, want %q", by, got, want)
		}
	}
}

// Ends without a partner are listed with why; a tag or peer that is a wildcard is null.
func TestMessagesDocument(t *testing.T) {
	a := archivetest.Archive(t, `abi mpich
rank 0 of 2 on n
MPI_Send(count=1, datatype=MPI_INT, dest=1, tag=1, comm=MPI_COMM_WORLD) @ m.c:1 [f]
MPI_Send(count=1, datatype=MPI_INT, dest=1, tag=9, comm=MPI_COMM_WORLD) @ m.c:2 [f]
MPI_Barrier(comm=MPI_COMM_WORLD) @ m.c:3 [f]
rank 1 of 2 on n
MPI_Recv(count=1, datatype=MPI_INT, source=0, tag=1, comm=MPI_COMM_WORLD) ; status={source=0 tag=1 bytes=4}
MPI_Recv(count=1, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG, comm=MPI_COMM_SELF) ; unfinished
`)
	j := job(t, a, selection.Flags{})
	r, err := j.Match()
	if err != nil {
		t.Fatal(err)
	}
	d := NewMessages(a, selection.Flags{}, j.Program, r, nil)
	if d.Messages != 1 || d.Bytes != 4 || d.UnmatchedSends != 1 || d.UnmatchedRecvs != 1 || len(d.Unmatched) != 2 {
		t.Fatalf("%+v", d)
	}
	for _, u := range d.Unmatched {
		switch u.Kind {
		case "send":
			if u.Site != "m.c:2 [f]" || u.First.Call != 1 || u.First.Tag == nil || *u.First.Tag != 9 ||
				u.First.Peer == nil || *u.First.Peer != 1 || u.Processes != "0" {
				t.Errorf("send %+v", u)
			}
		case "receive":
			if u.First.Process != 1 || u.First.Tag != nil || u.First.Peer != nil {
				t.Errorf("receive %+v", u)
			}
		}
	}
	if len(d.Incomplete) != 1 || d.Incomplete[0].Func != "MPI_Barrier" || d.Incomplete[0].Missing != 1 ||
		d.Incomplete[0].Present != "0" {
		t.Errorf("%+v", d.Incomplete)
	}
	flags := selection.Flags{Functions: "MPI_Barrier"}
	if r, err = job(t, a, flags).Match(); err != nil || r.Messages != 0 || len(r.Incomplete) != 1 {
		t.Errorf("only barriers: %+v, error %v", r, err)
	}
}

// A selection by a column's value has to look at each call: only those on the duplicate count.
func TestSelectedCalls(t *testing.T) {
	a := archivetest.Archive(t, `abi mpich
rank 0 of 1 on n
MPI_Comm_dup(comm=MPI_COMM_WORLD) ; newcomm=comm#0
MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=1, comm=MPI_COMM_WORLD)
MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=1, comm=?comm#0)
MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=1, comm=?MPI_COMM_WORLD)
`)
	for comms, want := range map[string]uint64{"": 3, "MPI_COMM_WORLD": 2, "dup*": 1} {
		r, err := job(t, a, selection.Flags{Comms: comms}).Match()
		if err != nil {
			t.Fatal(err)
		}
		if r.UnmatchedSends != want {
			t.Errorf("%q: %d sends, want %d", comms, r.UnmatchedSends, want)
		}
	}
	if _, err := Open(a, selection.Flags{Ranks: "x"}, nil); err == nil {
		t.Error("ranks that are none are selected")
	}
}

// A communicator names its parent by its place in the list; a process has an object for each that it is in.
func TestCommsDocument(t *testing.T) {
	a := archivetest.Archive(t, `abi mpich
rank 0 of 3 on n
MPI_Comm_split(comm=MPI_COMM_WORLD, color=7, key=0) @ c.c:1 [f] ; newcomm=comm#0
MPI_Comm_free(comm=comm#0)
rank 1 of 3 on n
MPI_Comm_split(comm=MPI_COMM_WORLD, color=8, key=0) @ c.c:1 [f] ; newcomm=comm#0
rank 2 of 3 on n
MPI_Comm_split(comm=MPI_COMM_WORLD, color=7, key=0) @ c.c:1 [f] ; newcomm=comm#0
MPI_Comm_free(comm=comm#0)
`)
	r, err := comms.Analyze(a, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := NewComms(a, r)
	members := map[int64]string{}
	for i, c := range d.Comms {
		if c.ID != i {
			t.Errorf("communicator %d is called %d", i, c.ID)
		}
		if c.Color == nil {
			continue
		}
		members[*c.Color] = c.Members
		if c.Parent == nil || d.Comms[*c.Parent].Name != "world" || c.Site != "c.c:1 [f]" ||
			c.Inter || c.RemoteSize != nil {
			t.Errorf("%+v", c)
		}
		if freed := map[int64]int{7: 1}[*c.Color]; c.Freed != freed { // the one of colour 8 never is
			t.Errorf("colour %d: freed %d times", *c.Color, c.Freed)
		}
	}
	if want := map[int64]string{7: "0,2", 8: "1"}; !maps.Equal(members, want) {
		t.Errorf("members %v, want %v", members, want)
	}
	if len(d.Worlds) != 1 || d.Worlds[0].Size != 3 || len(d.Processes) != 3 || d.Notes == nil {
		t.Errorf("%+v", d)
	}
	for _, o := range d.Processes[2].Objects {
		if o.Object == "comm#0" && (o.Comm == nil || *d.Comms[*o.Comm].Color != 7 || o.Rank != 1 || !o.Freed) {
			t.Errorf("rank 2: %+v", o)
		}
	}
}

// Two ranks with other trip counts are two variants of one class; what is said of a loop is its range, and each.
func TestLoopsDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString("abi mpich\nnotiming\n")
	for r := range 2 {
		fmt.Fprintf(&b, "rank %d of 2 on n\nMPI_Init()\nloop %d\n", r, 10+10*r)
		b.WriteString("MPI_Bcast(count=4, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD) @ l.c:5 [f]\n" +
			"MPI_Barrier(comm=MPI_COMM_WORLD) @ l.c:6 [f]\nend\nMPI_Finalize()\n")
	}
	a := archivetest.Archive(t, b.String())
	find := func(o LoopChoice) *Loops {
		classes, err := FindLoops(a, &o)
		if err != nil {
			t.Fatal(err)
		}
		return NewLoops(a, classes)
	}
	d := find(LoopChoice{})
	if len(d.Classes) != 1 {
		t.Fatalf("%+v", d)
	}
	c := d.Classes[0]
	if c.Ranks != "0-1" || c.MinCalls != 22 || c.MaxCalls != 42 || c.Calls != 64 ||
		!slices.Equal(c.Variants, []string{"0", "1"}) || len(c.Body) != 3 {
		t.Fatalf("%+v", c)
	}
	loop := c.Body[1]
	if loop.Kind != "loop" || loop.Min != 10 || loop.Max != 20 || len(loop.Body) != 2 || loop.Time != nil ||
		!slices.Equal(loop.ByVariant, []LoopCounts{{10, 10}, {20, 20}}) {
		t.Errorf("%+v", loop)
	}
	if len(loop.Site) != 1 || loop.Site[0] != (LoopFrame{Func: "f", File: "l.c", Line: 5, LastLine: 6}) {
		t.Errorf("the loop is at %+v", loop.Site)
	}
	if bcast := loop.Body[0]; bcast.Func != "MPI_Bcast" || bcast.Params[1].Name != "count" ||
		!slices.Equal(bcast.Params[1].Values, []string{"4"}) {
		t.Errorf("%+v", bcast)
	}
	functions, err := selection.ParseFunctions("MPI_Barrier")
	if err != nil {
		t.Fatal(err)
	}
	c = find(LoopChoice{Functions: functions}).Classes[0]
	if len(c.Body) != 1 || len(c.Body[0].Body) != 1 || c.Body[0].Body[0].Func != "MPI_Barrier" {
		t.Errorf("only barriers: %+v", c.Body)
	}
	for want, o := range map[string]LoopChoice{
		" has no calls of rank 5": {Ranks: "5", HasRank: func(rank int) bool { return rank == 5 }},
		" has no calls of MPI_Send": {Functions: func() *selection.Functions {
			f, _ := selection.ParseFunctions("MPI_Send")
			return f
		}()},
	} {
		if _, err := FindLoops(a, &o); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// A histogram lists the bins that have messages, and the sizes of most.
func TestHistogramsDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString("abi mpich\nrank 0 of 1 on n\n")
	for _, count := range []int{1, 1, 1, 5, 100} {
		fmt.Fprintf(&b, "MPI_Send(count=%d, datatype=MPI_BYTE, dest=0, tag=0, comm=MPI_COMM_WORLD) @ h.c:2 [f]\n",
			count)
	}
	a := archivetest.Archive(t, b.String())
	chosen, err := Resolve(a, selection.Flags{})
	if err != nil {
		t.Fatal(err)
	}
	hs, err := traffic.Histograms(chosen, traffic.GroupBy{Func: true, Site: true})
	if err != nil {
		t.Fatal(err)
	}
	d := NewHistograms(a, selection.Flags{}, hs, 1)
	if len(d.Histograms) != 1 {
		t.Fatalf("%+v", d)
	}
	h := d.Histograms[0]
	if h.Func != "MPI_Send" || h.Messages != 5 || h.Bytes != 108 || h.Least != 1 || h.Most != 100 ||
		!slices.Equal(h.Site, []Frame{{Func: "f", File: "h.c", Line: 2}}) {
		t.Errorf("%+v", h)
	}
	if want := []SizeBin{{1, 1, 3, 3}, {4, 7, 1, 5}, {64, 127, 1, 100}}; !slices.Equal(h.Bins, want) {
		t.Errorf("bins %v, want %v", h.Bins, want)
	}
	if !slices.Equal(h.Top, []Size{{1, 3}}) {
		t.Errorf("top %v", h.Top)
	}
}

// The members of a row are those that it was asked for.
func TestProfileDocument(t *testing.T) {
	a := archivetest.Archive(t, late)
	chosen, err := Resolve(a, selection.Flags{})
	if err != nil {
		t.Fatal(err)
	}
	rows := func(by profile.GroupBy, timing profile.Timing) *Profile {
		o := profile.Options{By: by, Timing: timing}
		p, err := profile.Of(chosen, o)
		if err != nil {
			t.Fatal(err)
		}
		return NewProfile(a, selection.Flags{}, nil, o, p)
	}
	p := rows(profile.GroupBy{Rank: true}, profile.Exact)
	if len(p.Rows) != 2 || p.Calls != 6 || p.Time == nil || *p.Time != 6320 {
		t.Fatalf("%+v", p)
	}
	for _, r := range p.Rows {
		if r.Rank == nil || r.World == nil || r.Func != "" || r.Elapsed == 0 || r.Times == nil ||
			r.Times.Total != map[int]int64{0: 1110, 1: 5210}[*r.Rank] {
			t.Errorf("%+v", r)
		}
	}
	for _, r := range rows(profile.GroupBy{Func: true}, profile.Exact).Rows {
		if r.Func == "MPI_Send" && (r.Rank != nil || r.Bytes != 12 || r.Times == nil || !r.Times.Exact ||
			r.Times.Min == nil || *r.Times.Min != 100 || len(r.Times.Quantiles) != 3) {
			t.Errorf("%+v, %+v", r, r.Times)
		}
	}
}

// In each column the shares of a row are parts of one, and categories that never occur are left out.
func TestTimelineDocument(t *testing.T) {
	a := archivetest.Archive(t, late)
	chosen, err := Resolve(a, selection.Flags{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := timeline.Of(chosen, timeline.Options{Columns: 10, MaxSpans: 100})
	if err != nil {
		t.Fatal(err)
	}
	d := NewTimeline(a, selection.Flags{}, r, nil)
	if d.Columns != 10 || d.From != 0 || d.To != 10_000 || d.Calls != 6 || len(d.Rows) != 2 || d.Blur != 0 {
		t.Fatalf("%+v", d)
	}
	for _, row := range d.Rows {
		sums := make([]float64, d.Columns)
		for category, shares := range row.Shares {
			if slices.Max(shares) == 0 || len(shares) != d.Columns {
				t.Errorf("rank %d: %s is %v", row.Rank, category, shares)
			}
			for i, s := range shares {
				sums[i] += s
			}
		}
		for i, s := range sums {
			if s < 0.999 || s > 1.001 {
				t.Errorf("rank %d: shares of column %d add up to %g", row.Rank, i, s)
			}
		}
	}
	recv := d.Rows[1].Calls[1]
	if recv.Func != "MPI_Recv" || recv.Index != 1 || recv.Start != 1000 || recv.End != 5200 || recv.Unfinished {
		t.Errorf("%+v", recv)
	}
}

// Most bytes come first, and no part of a file is larger than the file.
func TestCostDocument(t *testing.T) {
	c, err := NewCost(archivetest.Archive(t, late))
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i, r := range c.Costs {
		if sum += r.Stored; i > 0 && r.Stored > c.Costs[i-1].Stored {
			t.Errorf("%+v comes after %+v", r, c.Costs[i-1])
		}
	}
	b := c.Bytes
	if len(c.Costs) == 0 || sum > float64(b.File) ||
		b.Structure+b.Columns+b.Timing+b.Meta+b.Index+b.Other != b.File {
		t.Errorf("%+v, %g bytes in all", b, sum)
	}
}

// What counts as different depends on what is compared: moved call sites only with --strict, times only if asked for.
func TestDifferent(t *testing.T) {
	one := []*diff.Difference{{Kind: diff.Missing, Ranks: rankfunc.NewSet([]int{1})}}
	moved := []diff.Moved{{Func: "MPI_Send", A: "a.c:1", B: "a.c:2"}}
	slower := &diff.Times{Slower: []diff.RankTime{{Rank: 1}}}
	for _, c := range []struct {
		view DiffView
		r    diff.Result
		want bool
	}{
		{DiffView{What: "all"}, diff.Result{}, false},
		{DiffView{What: "all"}, diff.Result{Differences: one}, true},
		{DiffView{What: "all"}, diff.Result{Moved: moved}, false},
		{DiffView{What: "all", Strict: true}, diff.Result{Moved: moved}, true},
		{DiffView{What: "all"}, diff.Result{Follows: one}, false},
		{DiffView{What: "all", Strict: true}, diff.Result{Follows: one}, true},
		{DiffView{What: "all", Strict: true}, diff.Result{Times: slower}, false},
		{DiffView{What: "time"}, diff.Result{Times: slower}, true},
		{DiffView{What: "time"}, diff.Result{Times: &diff.Times{}}, false},
		{DiffView{What: "time"}, diff.Result{}, false},
	} {
		if got := c.view.Different(&c.r); got != c.want || c.view.Document(&c.r).Same == c.want {
			t.Errorf("%+v of %+v: %t", c.view, c.r, got)
		}
	}
	for what, want := range map[string]diff.Options{
		"all": {Structure: true, Parameters: true, Time: true}, "structure": {Structure: true},
		"params": {Parameters: true}, "time": {Time: true},
	} {
		if got := (&DiffView{What: what}).Options(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", what, got)
		}
	}
}

// The total counts differences that are not listed, too.
func TestDiffDocument(t *testing.T) {
	a := archivetest.Archive(t, late)
	changed := strings.NewReplacer("dest=1", "dest=0", "count=3", "count=4").Replace(late)
	r, err := diff.Of(a, archivetest.Archive(t, changed), diff.Options{Structure: true, Parameters: true})
	if err != nil {
		t.Fatal(err)
	}
	d := (&DiffView{A: "x", B: "y", What: "all", Limit: 1}).Document(r)
	if d.Same || d.Total != 3 || len(d.Differences) != 1 || d.Ranks != 2 || d.Calls != 6 {
		t.Fatalf("%+v", d)
	}
	all := (&DiffView{What: "all"}).Document(r)
	var params []string
	for _, x := range all.Differences {
		params = append(params, fmt.Sprintf("%s %s.%s %s %s", x.Ranks, x.Func, x.Param, x.A, x.B))
	}
	slices.Sort(params)
	if got := strings.Join(params, ", "); got != "0 MPI_Send.count 3 4, 0 MPI_Send.dest 1 0, 1 MPI_Recv.count 3 4" {
		t.Errorf("%s", got)
	}
	b, err := json.Marshal(all)
	if err != nil || strings.Contains(string(b), "null") { // lists are there, if they are empty, too
		t.Errorf("%s, error %v", b, err)
	}
}

// What became of an interrupted recording is one word.
func TestRecoveryOutcome(t *testing.T) {
	for want, r := range map[string]collect.Report{"moved": {Moved: "/dev/shm/x", Bytes: 5},
		"kept":      {Kept: true, Bytes: 5},
		"recovered": {Bytes: 5}, "nothing": {}} {
		if d := NewRecovery("a", r); d.Outcome != want || d.Problems == nil {
			t.Errorf("%+v, want %s", d, want)
		}
	}
	m := NewMerge("all", &collect.MergeReport{Ranks: 3, Bytes: 9,
		Sources: []merge.Outcome{{Name: "p", Added: 2, Replaced: 1}}})
	if m.Ranks != 3 || !slices.Equal(m.Parts, []MergePart{{File: "p", Added: 2, Replaced: 1}}) {
		t.Errorf("%+v", m)
	}
}

func TestNames(t *testing.T) {
	for got, want := range map[string]string{
		RankLabel(0, 3): "3", RankLabel(1, 3): "w1:3", RankLabel(0, -1): "none", RankLabel(2, -1): "w2:none",
		PlaceText("MPI_Send", ""): "MPI_Send", PlaceText("MPI_Send", "a.c:1"): "MPI_Send @ a.c:1",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	// The place in the module counts only where the line is not known.
	site := &archive.Site{Frames: []archive.Frame{{Func: "f", File: "a.c", Line: 4, Offset: 99}, {Offset: 99}}}
	if got := frames(site); !slices.Equal(got, []Frame{{Func: "f", File: "a.c", Line: 4}, {Offset: 99}}) {
		t.Errorf("%+v", got)
	}
	if frames(nil) != nil {
		t.Error("frames of no call site")
	}
}
