package cli

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/report"
)

// phases is three ranks, one of them with a second thread: the third one computes longer, and the
// others wait for it.
const phases = `
abi mpich
mpi MPICH
tool tabard test
command ./phases
rank 0 of 3 on n
clock 0 0 0
clock 1000000 1000000 1000000
0+20000 MPI_Init()
30000+2000 MPI_Send(buf=heap#0, count=8, datatype=MPI_INT, dest=1, tag=0, comm=MPI_COMM_WORLD) @ app.c:10 [main]
40000+10000 MPI_Irecv(buf=heap#0, count=8, datatype=MPI_INT, source=2, tag=0, comm=MPI_COMM_WORLD) @ app.c:11 [main] ; request=request#0
51000+20000 MPI_Wait(request=request#0) @ app.c:12 [main]
80000+15000 MPI_Allreduce(count=1, datatype=MPI_DOUBLE, op=MPI_SUM, comm=MPI_COMM_WORLD) @ app.c:13 [main]
96000+4000 MPI_Finalize()
thread 1
45000+1000 MPI_Comm_size(comm=MPI_COMM_WORLD)
70000+5000 MPI_Put() @ app.c:30 [helper]
rank 1 of 3 on n
clock 0 0 0
clock 1000000 1000000 1000000
5000+15000 MPI_Init()
30000+2000 MPI_Recv(buf=heap#0, count=8, datatype=MPI_INT, source=0, tag=0, comm=MPI_COMM_WORLD) @ app.c:14 [main]
50000+20000 MPI_File_write() @ app.c:15 [main]
75000+20000 MPI_Allreduce(count=1, datatype=MPI_DOUBLE, op=MPI_SUM, comm=MPI_COMM_WORLD) @ app.c:13 [main]
96000+4000 MPI_Finalize()
rank 2 of 3 on n
clock 0 0 0
clock 1000000 1000000 1000000
10000+10000 MPI_Init()
60000+10000 MPI_Send(buf=heap#0, count=8, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD) @ app.c:16 [main]
94000+1000 MPI_Allreduce(count=1, datatype=MPI_DOUBLE, op=MPI_SUM, comm=MPI_COMM_WORLD) @ app.c:13 [main]
95500+0 MPI_Barrier(comm=MPI_COMM_WORLD) @ app.c:17 [main] ; unfinished
`

// A rank that makes no call in the window is shown computing: in text, JSON and pictures.
func TestTimelineComputing(t *testing.T) {
	path := file(t, phases)
	window := []string{"timeline", path, "--time", "35us..45us", "--rank", "0-2"}
	code, out, errs := run(append(slices.Clone(window), "--json")...)
	var d report.Timeline
	if err := json.Unmarshal([]byte(out), &d); err != nil || code != 0 {
		t.Fatalf("code %d, %v: %s", code, err, errs)
	}
	if n := len(d.Rows); n != 3 {
		t.Fatalf("%d rows", n)
	}
	for _, row := range d.Rows[1:] {
		for _, share := range row.Shares["computation"] {
			if share != 1 {
				t.Errorf("rank %d computes for %g of a cell", row.Rank, share)
			}
		}
	}
	svg := filepath.Join(t.TempDir(), "out.svg")
	for name, args := range map[string][]string{"text": window, "SVG": append(slices.Clone(window), "--svg", svg)} {
		code, out, errs := run(args...)
		if code != 0 {
			t.Fatalf("%s: code %d: %s", name, code, errs)
		}
		if name == "SVG" {
			b, err := os.ReadFile(svg)
			if err != nil {
				t.Fatal(err)
			}
			out = string(b)
		}
		if name == "text" && (!strings.Contains(out, "\n1 ") || !strings.Contains(out, "\n2 ")) ||
			name == "SVG" && (!strings.Contains(out, ">1</text>") || !strings.Contains(out, ">2</text>")) {
			t.Errorf("%s: a rank is missing:\n%s", name, out)
		}
	}
}

func TestTimeline(t *testing.T) {
	t.Setenv("COLUMNS", "")
	path := file(t, phases)
	for name, args := range map[string]string{
		"timeline.txt":          "timeline FILE",
		"timeline-zoom.txt":     "timeline FILE --time 40us..80us --rank 0,2 --width 60",
		"timeline-function.txt": "timeline FILE --function collective --rows 2",
		"timeline.json":         "timeline FILE --json --width 10",
		"timeline.svg":          "timeline FILE --svg -",
	} {
		code, stdout, stderr := run(strings.Fields(strings.ReplaceAll(args, "FILE", path))...)
		if code != exitOK || stderr != "" {
			t.Errorf("tabard %s: code %d, stderr %q", args, code, stderr)
		}
		golden(t, name, strings.ReplaceAll(stdout, path, "app.tabard"))
	}
	// Two hosts whose clocks were not measured, a call that did not return.
	if code, stdout, stderr := run("timeline", file(t, halo), "--width", "70"); code != exitOK || stderr != "" ||
		strings.Count(stdout, "P") < 50 {
		t.Errorf("code %d, stdout %s, stderr %q", code, stdout, stderr)
	}
}

func TestTimelinePictures(t *testing.T) {
	path, dir := file(t, phases), t.TempDir()
	svg, image := filepath.Join(dir, "a.svg"), filepath.Join(dir, "a.png")
	if code, stdout, stderr := run("timeline", path, "--svg", svg, "--png", image); code != exitOK ||
		stdout+stderr != "" {
		t.Fatalf("code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	doc, err := os.ReadFile(svg)
	if err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(doc))
	for err == nil {
		_, err = d.Token()
	}
	if err != io.EOF || !bytes.Contains(doc, []byte("Allreduce</text>")) {
		t.Errorf("error %v in\n%s", err, doc)
	}
	data, err := os.ReadFile(image)
	if err != nil {
		t.Fatal(err)
	}
	if img, err := png.Decode(bytes.NewReader(data)); err != nil || img.Bounds().Dx() < 1800 {
		t.Errorf("%v, error %v", img.Bounds(), err)
	}
}

// The members that other programs rely on.
func TestTimelineJSON(t *testing.T) {
	_, stdout, _ := run("timeline", file(t, phases), "--json", "--width", "10")
	var got struct {
		Schema  string             `json:"schema"`
		Columns int                `json:"columns"`
		To      int64              `json:"to_ns"`
		Total   map[string]float64 `json:"total"`
		Rows    []struct {
			Rank   int                  `json:"rank"`
			Thread int                  `json:"thread"`
			From   int64                `json:"from_ns"`
			Shares map[string][]float64 `json:"shares"`
			Calls  []struct {
				Func       string `json:"func"`
				Start      int64  `json:"start_ns"`
				Unfinished bool   `json:"unfinished"`
			} `json:"calls"`
		} `json:"rows"`
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != report.TimelineSchema || got.Columns != 10 || got.To != 100_000 || len(got.Rows) != 4 ||
		len(got.Total) != 8 {
		t.Fatalf("%+v", got)
	}
	sum := 0.0
	for _, v := range got.Total {
		sum += v
	}
	if sum < 0.999 || sum > 1.001 {
		t.Errorf("shares add up to %g", sum)
	}
	if r := got.Rows[1]; r.Rank != 0 || r.Thread != 1 || r.From != 45_000 || r.Shares["rma"][7] != 0.5 ||
		len(r.Calls) != 2 || r.Calls[1].Func != "MPI_Put" {
		t.Errorf("%+v", r)
	}
	if r := got.Rows[3]; !r.Calls[3].Unfinished || r.Shares["collective"][9] != 0.55 {
		t.Errorf("%+v", r)
	}
}

func TestTimelineErrors(t *testing.T) {
	path := file(t, phases)
	for args, want := range map[string]string{
		"--rank 7": "has no calls of rank 7", "--time 200us..": "is behind the end of the recording",
		"--svg " + path + "/a.svg": path + ": not a directory", // below a file
	} {
		if code, _, stderr := run(append([]string{"timeline", path},
			strings.Fields(args)...)...); code != exitFailure || !strings.Contains(stderr, want) {
			t.Errorf("timeline %s: code %d, stderr %q", args, code, stderr)
		}
	}
	for args, want := range map[string]string{
		"--width 3": "not in 10 to", "--rows 0": "less than 1", "--json --svg a": "do not go together",
		"--svg - --png -": "do not go together",
	} {
		if code, _, stderr := run(append([]string{"timeline", path},
			strings.Fields(args)...)...); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("timeline %s: code %d, stderr %q", args, code, stderr)
		}
	}
	untimed := file(t, "abi mpich\nnotiming\nrank 0 of 1 on n\nMPI_Init()")
	if code, _, stderr := run("timeline", untimed); code != exitFailure ||
		!strings.Contains(stderr, "no times of single calls") {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
}

// A damaged file may claim any number of ranks of which nothing was recorded: they are not listed one by one.
func TestTimelineOfHugeWorld(t *testing.T) {
	path := file(t, "abi mpich\nrank 0 of 2000000000 on n\nclock 0 0 0\nclock 1000 2000 1000\n"+
		"MPI_Init(argc=1) @ a.c:1 [main]\nMPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:2 [main]\n")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	code, _, stderr := run("timeline", path, "--rows", "4")
	runtime.ReadMemStats(&after)
	if used := (after.TotalAlloc - before.TotalAlloc) >> 20; code != exitOK || used > 500 {
		t.Errorf("code %d, %d MiB: %s", code, used, stderr)
	}
}
