package cli

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// faultyRun is four ranks in a ring that exchange, add up, and compute for work(rank, step) us
// before that, in 30 time steps. Messages take 1 us.
func faultyRun(work func(r, s int) int) string {
	const ranks, steps = 4, 30
	var calls [ranks]strings.Builder
	var now [ranks]int // ns
	call := func(r, d int, text string) {
		fmt.Fprintf(&calls[r], "%d+%d %s\n", now[r], d, text)
		now[r] += d + 100
	}
	for r := range ranks {
		call(r, 5_000_000+r, "MPI_Init(argc=1) @ app.c:10 [main]")
	}
	for s := range steps {
		var sent, posted [ranks]int
		for r := range ranks {
			now[r] += work(r, s) * 1000
			posted[r] = now[r]
			call(r, 200, fmt.Sprintf("MPI_Irecv(count=8, datatype=MPI_INT, source=%d, tag=1, comm=MPI_COMM_WORLD) "+
				"@ app.c:20 [exchange] ; request=request#0", (r+ranks-1)%ranks))
			sent[r] = now[r]
			call(r, 500, fmt.Sprintf("MPI_Send(count=8, datatype=MPI_INT, dest=%d, tag=1, comm=MPI_COMM_WORLD) @ "+
				"app.c:21 [exchange]", (r+1)%ranks))
		}
		entered := 0
		for r := range ranks {
			from := (r + ranks - 1) % ranks
			call(r, max(sent[from]+1000-now[r], 100),
				fmt.Sprintf("MPI_Wait(request=request#0) @ app.c:22 [exchange] ; request=MPI_REQUEST_NULL ; "+
					"status={source=%d tag=1 bytes=32}", from))
			entered = max(entered, now[r])
		}
		for r := range ranks {
			call(r, entered+2000-now[r],
				"MPI_Allreduce(count=1, datatype=MPI_DOUBLE, op=MPI_SUM, comm=MPI_COMM_WORLD) @ app.c:30 [main]")
		}
	}
	var b strings.Builder
	b.WriteString("abi mpich\nmpi MPICH\ntool tabard test\ncommand ./app\n")
	for r := range ranks {
		call(r, 3_000_000, "MPI_Finalize() @ app.c:40 [main]")
		fmt.Fprintf(&b, "rank %d of %d on n\nclock 0 0 0\nclock 1000000 1000000 1000000\n%s", r, ranks,
			calls[r].String())
	}
	return b.String()
}

// slowRank: rank 2 computes three times as long, rank 0 ten times as long in step 13.
func slowRank(r, s int) int {
	switch {
	case r == 0 && s == 13:
		return 1000
	case r == 2:
		return 300
	}
	return 100
}

// TestSameMedians: report and profile tell the same medians of the same calls.
func TestSameMedians(t *testing.T) {
	trace := file(t, faultyRun(slowRank))
	// The column of the median by call and place, of rows that begin with a number or with a
	// function.
	medians := func(column int, args ...string) map[string]string {
		t.Helper()
		code, stdout, stderr := run(append(args, trace)...)
		if code != 0 {
			t.Fatalf("%v: code %d, stderr %q", args, code, stderr)
		}
		found := map[string]string{}
		for line := range strings.Lines(stdout) {
			call, place := regexp.MustCompile(`MPI_\w+`).FindString(line),
				regexp.MustCompile(`app\.c:\d+`).FindString(line)
			cells := regexp.MustCompile(` {2,}`).Split(strings.TrimSpace(line), -1)
			if call != "" && place != "" && len(cells) > 8 {
				found[call+" "+place] = cells[column]
			}
		}
		return found
	}
	profile := medians(7, "profile", "--by", "function,site", "--quantiles")
	report := medians(4, "report", "--limit", "0")
	if len(report) < 4 {
		t.Fatalf("report tells of %v only", report)
	}
	for call, median := range report {
		if profile[call] != median {
			t.Errorf("%s: report says %s, profile %s", call, median, profile[call])
		}
	}
}

func TestReport(t *testing.T) {
	path := file(t, faultyRun(slowRank))
	for name, args := range map[string]string{
		"report.txt":       "report FILE",
		"report-steps.txt": "report FILE --steps 13 --limit 2",
		"report.json":      "report FILE --json --steps 12-13",
		"waits.txt":        "waits FILE",
		"waits-cause.txt":  "waits FILE --cause 0 --kind late-sender",
		"waits.json":       "waits FILE --json --steps 12-13",
	} {
		code, stdout, stderr := run(strings.Fields(strings.ReplaceAll(args, "FILE", path))...)
		if code != exitOK || stderr != "" {
			t.Errorf("tabard %s: code %d, stderr %q", args, code, stderr)
		}
		golden(t, name, fileSizes.ReplaceAllString(strings.ReplaceAll(stdout, path, "app.tabard"), "${1}${2}N"))
	}
}

// fileSizes are the sizes of files, which goldens leave open: see sizes.
var fileSizes = regexp.MustCompile(`(calls in )[0-9.]+ (?:B|KiB)|("bytes": )\d+`)

// TestFindings: what is wrong is named, and nothing is where nothing is wrong.
func TestFindings(t *testing.T) {
	found := func(work func(r, s int) int) (all []struct {
		Kind       string
		Process    int
		Step       int
		Func, Site string
		Command    []string
	}) {
		code, stdout, stderr := run("report", "--json", file(t, faultyRun(work)))
		if code != exitOK {
			t.Fatal(stderr)
		}
		var got struct{ Findings json.RawMessage }
		if err := json.Unmarshal([]byte(stdout), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(got.Findings, &all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	if all := found(func(r, s int) int { return 100 }); len(all) != 0 {
		t.Errorf("a balanced program: %+v", all)
	}
	all := found(func(r, s int) int {
		if r == 2 {
			return 300
		}
		return 100
	})
	if len(all) == 0 || all[0].Kind != "late rank" || all[0].Process != 2 || all[0].Site != "app.c:20 [exchange]" &&
		all[0].Site != "app.c:21 [exchange]" {
		t.Errorf("a slow rank: %+v", all)
	}
	all = found(func(r, s int) int {
		if r == 1 && s == 17 {
			return 5000
		}
		return 100
	})
	steps := 0
	for _, f := range all {
		if f.Step == 17 && f.Process == 1 {
			steps++
		}
	}
	if steps != 1 { // the late rank: that its step is slow follows from it
		t.Errorf("a slow step: %+v", all)
	}
}

func TestWaitsMistakes(t *testing.T) {
	path := file(t, faultyRun(slowRank))
	for _, c := range []struct{ args, want string }{
		{"waits FILE --kind lazy", `--kind "lazy" is none of late-sender, wrong-order`},
		{"waits FILE --cause 77", "--cause 77: FILE has no process with this number"},
		{"waits FILE --limit -1", "--limit -1 is less than 0"},
		{"report FILE --limit -1", "--limit -1 is less than 0"},
		{"report FILE --steps 100", "the time-step loop has 30"},
		{"waits FILE --rank 9", "has no calls of rank 9"},
	} {
		code, _, stderr := run(strings.Fields(strings.ReplaceAll(c.args, "FILE", path))...)
		if code == exitOK || !strings.Contains(stderr, strings.ReplaceAll(c.want, "FILE", path)) {
			t.Errorf("tabard %s: code %d, %q, want %q", c.args, code, stderr, c.want)
		}
	}
	code, _, stderr := run("waits", file(t, "abi mpich\nnotiming\nrank 0 of 1 on n\nMPI_Init()\n"))
	if code != exitFailure || !strings.Contains(stderr, "--timing=lossless") {
		t.Errorf("without times: code %d, %q", code, stderr)
	}
	code, stdout, stderr := run("report", file(t, "abi mpich\nnotiming\nrank 0 of 1 on n\nMPI_Init()\n"))
	if code != exitOK || !strings.Contains(stdout, "has no times of calls") {
		t.Errorf("report without times: code %d, %q %q", code, stdout, stderr)
	}
}
