package text

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/analysis/loops"
	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/analysis/traffic"
	"github.com/tabard-hpc/tabard/internal/doctor"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/verify"
)

// lines are what a view should print.
func lines(s ...string) string { return strings.Join(s, "\n") + "\n" }

func TestInfo(t *testing.T) {
	info := &report.Info{File: "a.tabard", Command: []string{"./app", "-n", "a b", "it's", ""}, ABI: "mpich", Ranks: 3,
		Threads: 4, Hosts: []string{"node1", "node2"}, Calls: 2000, Functions: map[string]uint64{"MPI_Send": 1500,
			"MPI_Recv": 400, "MPI_Test": 100}, Polls: 90, Failed: 1, Open: 2, LostCalls: 7,
		Options: map[string]string{"ranks": "0-2", "timing": "off"}, Memory: 2048,
		Grammar: report.Grammar{Classes: 1, Distinct: 1, Rules: 2, Symbols: 10, Events: 1910, Signatures: 3}}
	for i := range 10 {
		info.Missing = append(info.Missing, fmt.Sprintf("rank %d: killed", i))
	}
	var out strings.Builder
	if err := Info(&out, info, 2); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`command    ./app -n 'a b' 'it'\''s' ''`, "MPI        mpich", "options    --ranks=0-2 --timing=off",
		"processes  3 ranks, 4 threads, on node1, node2",
		"calls      2,000 of 3 functions (90 unsuccessful polls, 1 returned an error, 2 did not return, 7 lost)",
		"complete   no", "           rank 7: killed\n           and 2 more (--json lists all)",
		"structure  1 class of threads, 1 grammar, 2 rules, 10 symbols for 1,910 events; 3 signatures",
		"collector  2.0 KiB peak memory",
		"\n\n1,500  75.0%  MPI_Send\n  400  20.0%  MPI_Recv\n       and 1 more function (--top N lists more)\n",
		"Where the ranks were at the end: tabard dump a.tabard --last 3",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "clocks") {
		t.Errorf("clocks of a recording without times:\n%s", out.String())
	}
}

func TestTiming(t *testing.T) {
	off := report.TimingError{Max: 1234567, Mean: 12.345}
	for want, x := range map[string]*report.Timing{
		"exact": {Mode: "lossless"},
		"of functions and call sites, not of calls (aggregate)": {Mode: "aggregate"},
		"lossy:1%; in fact durations are at most 1.23ms (mean 12.3 ns) off, gaps 0 ns (mean 0 ns), " +
			"begins 0 ns (mean 0 ns)": {Mode: "lossy:1%", Durations: off},
	} {
		if got := timing(x); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestCost(t *testing.T) {
	c := &report.Cost{Costs: []report.CostRow{{Section: "structure", Kind: "templates", Name: "MPI_Send", Items: 2,
		Raw:    20,
		Stored: 9.6}, {Section: "meta", Kind: "strings", Items: 1, Raw: 4, Stored: 3}, {Stored: 2}}}
	var out strings.Builder
	if err := Cost(&out, c, 1); err != nil {
		t.Fatal(err)
	}
	if want := lines("stored  raw  items  section    what", "10      20   2      structure  templates: MPI_Send",
		"5  in 2 more rows (--top N lists more)"); !strings.HasSuffix(out.String(), want) {
		t.Errorf("%s\nwant the end\n%s", out.String(), want)
	}
}

func TestTopology(t *testing.T) {
	for want, x := range map[string]*comms.Topology{
		"grid 4x2p":               {Kind: "cart", Dims: []int64{4, 2}, Periods: []bool{false, true}},
		"grid without dimensions": {Kind: "cart"},
		"distributed graph":       {Kind: "dist_graph"},
		"graph of 6 edges, degrees 1-2 in, 3 out": {Kind: "graph", DegreesKnown: true, Edges: 6, In: comms.Range{Min: 1,
			Max: 2}, Out: comms.Range{Min: 3, Max: 3}},
	} {
		if got := topologyText(x); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Differences that are a matter of course are cut sooner than others, unless --strict asks for
// them.
func TestDiff(t *testing.T) {
	r := &diff.Result{Ranks: 2, Calls: 100, Notes: []string{"other MPIs"},
		Times: &diff.Times{ElapsedA: time.Second, ElapsedB: 2 * time.Second,
			Sites: []diff.SiteTime{{Func: "MPI_Send", A: 0,
				B: time.Second}}, Slower: []diff.RankTime{{World: 1, Rank: 2, A: time.Second,
				B: 1500 * time.Millisecond}}}}
	for i := range 7 {
		r.Moved = append(r.Moved, diff.Moved{Func: "MPI_Send", A: fmt.Sprintf("a.c:%d", i),
			B: fmt.Sprintf("a.c:%d", i+10)})
		r.Order = append(r.Order, diff.OrderNote{Func: "MPI_Wait", Param: "index", Ranks: 1, Count: 2})
	}
	var out strings.Builder
	Diff(&out, &report.DiffView{A: "x", B: "y", What: "all", Limit: 20}, r)
	for _, want := range []string{
		lines("A x", "B y", "note: other MPIs", "the same in structure and parameters (2 ranks, 100 calls of A)",
			"moved: 7 call sites", "  MPI_Send at a.c:0: now at a.c:10"),
		"  ... and 2 more\norder: 14 values of what differs", "  index of MPI_Wait: 2 times at 1 rank\n",
		"  ... at 2 more places\ntime: 2.00 s in all instead of 1.00 s",
		"  MPI_Send: 1.00 s instead of 0 ns (new)\n",
		"  world 1 rank 2 is slower outside of calls: 1.50 s instead of 1.00 s (+50%)\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	out.Reset()
	Diff(&out, &report.DiffView{What: "structure", Strict: true, Limit: 20}, r)
	if s := out.String(); !strings.Contains(s, "a.c:16") || strings.Contains(s, "...") {
		t.Errorf("strict:\n%s", s)
	}
}

func TestLoopTexts(t *testing.T) {
	for got, want := range map[string]string{
		rangeText(3, 3): "3x", rangeText(1, 2000): "1-2,000x", percent(1): "100 %", percent(.9999): "> 99.9 %",
		percent(.125): "12.5 %", frameLines(&loops.Frame{Func: "step", File: "a.c", Line: 3}, 9): "a.c:3-9 [step]",
		frameLines(&loops.Frame{Func: "step", File: "a.c", Line: 3}, 3): "a.c:3 [step]",
		membersText(&loops.Class{}, []int{0, 1, 2, 7}):                  "ranks 0-2,7",
		membersText(&loops.Class{World: 2, Thread: 1}, []int{4}):        "thread 1 of rank 4 of spawned world 2",
		membersText(&loops.Class{}, []int{-1, -1}):                      "2 processes without a rank",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var many []int
	for i := range 100 {
		many = append(many, i*i)
	}
	if s := membersText(&loops.Class{}, many); len(s) > maxRankText+20 || !strings.HasSuffix(s, ",... (100)") {
		t.Errorf("%q", s)
	}
}

func TestDoctor(t *testing.T) {
	d := &report.Doctor{Checks: []doctor.Check{{Name: "clock", Status: doctor.OK, Detail: "fine"},
		{Name: "room", Status: doctor.Fail, Detail: "none", Fix: "make some"}}}
	var out strings.Builder
	if err := Doctor(&out, render.Terminal{}, d); err != nil ||
		out.String() != lines("ok    clock: fine", "fail  room: none", "      -> make some") {
		t.Errorf("%v\n%s", err, out.String())
	}
	out.Reset()
	if err := Doctor(render.NewCleaner(&out), render.Terminal{Colors: render.Colors256}, d); err != nil ||
		!strings.Contains(out.String(), "\x1b[31;1mfail\x1b[0m  room") {
		t.Errorf("%v\n%q", err, out.String())
	}
}

func TestVerify(t *testing.T) {
	r := &verify.Report{Processes: 1, Threads: 2, Calls: 5, Values: 50, Hidden: 3, Lost: 1, Differences: 3,
		First: []verify.Difference{{Rank: 1, Index: 7, Func: "MPI_Send", What: "dest", Raw: "2", Archive: "3"}}}
	var out strings.Builder
	if err := Verify(&out, r); err != nil {
		t.Fatal(err)
	}
	if want := lines("rank 1 thread 0 call 7 MPI_Send: dest: raw log 2, archive 3", "and 2 further differences",
		"3 differences: 5 calls and 50 values of 1 rank, 2 threads compared, 3 calls filtered out, "+
			"1 call lost while recording"); out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
	if s := Ignored(r); s != "" {
		t.Errorf("ignored: %q", s)
	}
	r.Ignored = strings.Fields("a b c d e f")
	if s := Ignored(r); s != "6 raw logs of other runs (a, b, c, d, e, ...)" {
		t.Errorf("ignored: %q", s)
	}
}

func TestUnchecked(t *testing.T) {
	for checked, want := range map[int]string{8: "", 0: "was not looked at",
		4: "with 4 ranks only, as 8 are too many"} {
		if s := Unchecked(&report.Scale{Ranks: 8, Checked: checked}); !strings.Contains(s, want) ||
			(s == "") != (want == "") {
			t.Errorf("%d: %q", checked, s)
		}
	}
}

// The greatest come first and equal ones stay in order, whether there are few or many.
func TestGreatest(t *testing.T) {
	type item struct {
		value time.Duration
		place int
	}
	var all []item
	for i := range 300 {
		all = append(all, item{time.Duration(i % 7), i})
	}
	value := func(x *item) time.Duration { return x.value }
	for _, n := range []int{0, 1, 5, 100, 101, 300} {
		got := greatest(all, n, value)
		if len(got) != n {
			t.Errorf("%d of %d", len(got), n)
		}
		for i := 1; i < len(got); i++ {
			if a, b := got[i-1], got[i]; a.value < b.value || a.value == b.value && a.place > b.place {
				t.Fatalf("%d: %v before %v", n, *a, *b)
			}
		}
	}
}

func TestTimelineRows(t *testing.T) {
	rows := []timeline.Row{{Rank: 3, Threads: 1}, {Rank: 3, Thread: 1, Threads: 1}, {Rank: -1, First: 7, Threads: 1},
		{World: 2, Rank: 0, Threads: 4}}
	var names []string
	for i := range rows {
		names = append(names, rowText(&rows[i]))
	}
	if want := []string{"3", "3.1", "process 7", "w2:0"}; !reflect.DeepEqual(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	r := &timeline.Result{Rows: rows, From: time.Second, To: 3 * time.Second, Calls: 10, Blur: time.Millisecond}
	if s := rowsText(r); s != "7 threads" {
		t.Errorf("%q", s)
	}
	v := &TimelineView{File: "a.tabard", Skewed: true}
	if s := v.note(r); s != "a.tabard, 2.00 s from 1 s, 10 calls, from summaries of up to 1.00 ms, clocks of hosts not "+
		"corrected" {
		t.Errorf("%q", s)
	}
}

func TestTimelineSize(t *testing.T) {
	plain := render.Terminal{Width: 80, Height: 24}
	colors := render.Terminal{Width: 80, Height: 24, Colors: render.Colors256, Unicode: true}
	c1, r1 := TimelineSize(&plain)
	c2, r2 := TimelineSize(&colors)
	if c1 != c2 || r2 != 2*r1 { // half blocks show two rows in a line
		t.Errorf("%d x %d without colours, %d x %d with", c1, r1, c2, r2)
	}
}

func TestBinLabels(t *testing.T) {
	var got []string
	for _, size := range []int64{0, 1, 5, 1000, 1024, 1 << 20} {
		got = append(got, binLabel(traffic.BinOf(size)))
	}
	if want := []string{"0 B", "1 B", "4-7 B", "512-1023 B", "< 2.0 KiB", "< 2.0 MiB"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLicenses(t *testing.T) {
	l := &report.Licenses{Parts: []report.LinkedPart{{Name: "a", Version: "v1", License: "MIT", Text: "\nfree\n"},
		{Name: "b", Version: "v2", License: "BSD-3-Clause", Text: "also free"},
		{Name: "c", License: "MIT", Text: "\nfree\n"}}}
	var out strings.Builder
	if err := Licenses(&out, l); err != nil {
		t.Fatal(err)
	}
	if want := lines("", "----- a, c -----", "", "free", "", "----- b -----", "",
		"also free"); !strings.HasSuffix(out.String(),
		want) {
		t.Errorf("%s", out.String())
	}
}

type fullDisk struct{ left int }

func (d *fullDisk) Write(b []byte) (int, error) {
	if d.left -= len(b); d.left < 0 {
		return 0, errors.New("disk full")
	}
	return len(b), nil
}

// What cannot be written is an error, also if more is written after that.
func TestWriteErrors(t *testing.T) {
	if err := Verify(&fullDisk{5}, &verify.Report{}); err == nil || err.Error() != "disk full" {
		t.Errorf("error %v", err)
	}
}
