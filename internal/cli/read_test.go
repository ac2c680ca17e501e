package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/report"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// halo is a small run of two ranks: a loop with polls, an error that the
// program survived, a second thread, and a rank that died in a call.
const halo = `
abi mpich
mpi MPICH Version: 4.0.2
tool tabard test
command ./halo -n 10
option callsites caller
option collector_peak_bytes 1048576
rank 0 of 2 on node1
clock 0 1000000 0
clock 100000 1100000 100000
MPI_Init(argc=1, argv=["./halo"]) ; argc=1 ; argv=["./halo"]
loop 3
  MPI_Irecv(buf=heap#0+64, count=8, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=0, comm=MPI_COMM_WORLD) @ halo.c:41 [exchange] ; request=request#0
  poll 3 MPI_Test(request=request#0) @ halo.c:42 [exchange] ; flag=0
  MPI_Wait(request=request#0) @ halo.c:43 [exchange] ; status=?{source=1 tag=0 bytes=32}
end
MPI_Send(buf=heap#0, count=1, datatype=MPI_INT, dest=9, tag=0, comm=MPI_COMM_WORLD) ; ret 6
50000+20 MPI_Finalize()
thread 1
7000+1234567 MPI_Comm_rank(comm=MPI_COMM_WORLD) ; rank=0
rank 1 of 2 on node2
killed 15 SIGTERM
clock 0 1000000 0
clock 100000 1100000 100000
MPI_Init(argc=1, argv=["./halo"]) ; argc=1 ; argv=["./halo"]
9000+0 MPI_Recv(buf=heap#0, count=1, datatype=MPI_INT, source=0, tag=MPI_ANY_TAG, comm=MPI_COMM_WORLD) @ halo.c:50 [main] ; unfinished
`

// file writes the archive that a text describes.
func file(t *testing.T, desc string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "app.tabard")
	if err := os.WriteFile(path, archivetest.Bytes(t, desc), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// sizes are what the goldens leave open: how well the codecs of the archive
// compress is tested elsewhere.
var sizes = regexp.MustCompile(`\d+ B\b|("(?:file|structure|columns|timing|meta|index)": )\d+`)

// golden compares an output with testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test ./internal/cli -update rewrites it); got:\n%s", path, got)
	}
}

func TestOutput(t *testing.T) {
	path := file(t, halo)
	for name, args := range map[string]string{
		"info.txt":      "info FILE",
		"info-top.txt":  "info FILE --top 2",
		"info.json":     "info FILE --json",
		"dump.txt":      "dump FILE",
		"dump-part.txt": "dump FILE --rank 0 --thread 0 --from 2 --limit 4",
		"dump-last.txt": "dump FILE --last 1",
		"dump.json":     "dump FILE --json --limit 3",
	} {
		code, stdout, stderr := run(strings.Fields(strings.ReplaceAll(args, "FILE", path))...)
		if code != exitOK || stderr != "" {
			t.Errorf("tabard %s: code %d, stderr %q", args, code, stderr)
		}
		stdout = sizes.ReplaceAllString(strings.ReplaceAll(stdout, path, "app.tabard"), "${1}N")
		golden(t, name, stdout)
	}
}

// The members that other programs rely on.
func TestInfoJSON(t *testing.T) {
	_, stdout, _ := run("info", "--json", file(t, halo))
	var info struct {
		Schema    string            `json:"schema"`
		Ranks     int               `json:"ranks"`
		Threads   int               `json:"threads"`
		Calls     uint64            `json:"calls"`
		Functions map[string]uint64 `json:"functions"`
		Complete  *bool             `json:"complete"`
		Lost      *uint64           `json:"lost_calls"`
		MPI       string            `json:"mpi"`
		Bytes     map[string]int64  `json:"bytes"`
	}
	if err := json.Unmarshal([]byte(stdout), &info); err != nil {
		t.Fatal(err)
	}
	if info.Schema != "tabard.info/1" || info.Ranks != 2 || info.Threads != 3 || info.Calls != 21 ||
		info.MPI != "MPICH Version: 4.0.2" ||
		info.Complete == nil || info.Lost == nil || info.Functions["MPI_Test"] != 9 || info.Functions["MPI_Wait"] != 3 {
		t.Errorf("%+v", info)
	}
	sum := uint64(0)
	for _, n := range info.Functions {
		sum += n
	}
	if sum != info.Calls {
		t.Errorf("functions add up to %d of %d calls", sum, info.Calls)
	}
	size := int64(0)
	for name, n := range info.Bytes {
		if name != "file" {
			size += n
		}
	}
	if size != info.Bytes["file"] || info.Bytes["structure"] == 0 || info.Bytes["timing"] == 0 {
		t.Errorf("bytes %v", info.Bytes)
	}
}

// Every line of dump --json is an object with its schema.
func TestDumpJSON(t *testing.T) {
	_, stdout, _ := run("dump", "--json", file(t, halo))
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if len(lines) != 21 {
		t.Errorf("%d lines for 21 calls", len(lines))
	}
	for _, l := range lines {
		var c struct {
			Schema string `json:"schema"`
			Func   string `json:"func"`
			Rank   *int   `json:"rank"`
		}
		if err := json.Unmarshal([]byte(l), &c); err != nil || c.Schema != report.CallSchema || c.Func == "" ||
			c.Rank == nil {
			t.Fatalf("%s: %v", l, err)
		}
	}
}

// The text twin says everything: the archive can be made of it again.
func TestDumpRaw(t *testing.T) {
	path := file(t, halo)
	code, stdout, stderr := run("dump", "--raw", path)
	if code != exitOK || stderr != "" {
		t.Fatalf("code %d, stderr %q", code, stderr)
	}
	if !strings.Contains(stdout, "MPI_Irecv") || !strings.Contains(stdout, "./halo") {
		t.Errorf("the text twin lacks calls:\n%s", stdout)
	}
}

func TestNothingSelected(t *testing.T) {
	path := file(t, halo)
	for args, want := range map[string]string{"--rank 7": "has no calls of rank 7",
		"--rank 1 --thread 1": "has no calls of rank 1, thread 1"} {
		code, _, stderr := run(append([]string{"dump", path}, strings.Fields(args)...)...)
		if code != exitFailure || !strings.Contains(stderr, want) {
			t.Errorf("dump %s: code %d, stderr %q", args, code, stderr)
		}
	}
}

// A thread may have made no calls yet when a running job is looked at.
func TestLastOfNone(t *testing.T) {
	path := file(t, "rank 0 of 2 on a\nMPI_Barrier(comm=MPI_COMM_WORLD)\nrank 1 of 2 on a\n")
	code, stdout, stderr := run("dump", "--last", "1", path)
	if code != exitOK || strings.Count(stdout, "\n") != 1 {
		t.Errorf("code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

func TestIncomplete(t *testing.T) {
	for desc, want := range map[string]string{
		"rank 1 of 4 on n\nMPI_Init()": "nothing was recorded of ranks 0,2-3",
		"rank 0 of 2 on n\nMPI_Init()": "nothing was recorded of rank 1",
		"":                             "no process was recorded",
	} {
		code, stdout, stderr := run("info", file(t, "abi mpich\n"+desc))
		if code != exitOK || !strings.Contains(stdout, want) {
			t.Errorf("%q: code %d, stderr %q, want %q in\n%s", desc, code, stderr, want, stdout)
		}
	}
	_, stdout, _ := run("info", file(t, "abi mpich\noption ranks 1\nrank 1 of 4 on n\nMPI_Init()"))
	if !strings.Contains(stdout, "complete   yes") {
		t.Errorf("ranks that were left out on purpose are missed:\n%s", stdout)
	}
}

// A broken file gives an error that says so, in every command, and never a panic.
func TestBrokenFiles(t *testing.T) {
	whole := archivetest.Bytes(t, halo)
	flip := func(i int) []byte {
		b := append([]byte(nil), whole...)
		b[i] ^= 0x55
		return b
	}
	broken := map[string][]byte{
		"empty": {}, "text": []byte("this is no archive at all, but long enough to hold a header\n"),
		"half":   whole[:len(whole)/2],
		"header": flip(0), "middle": flip(len(whole) / 2), "end": flip(len(whole) - 3), "version": flip(7),
	}
	for name, b := range broken {
		path := filepath.Join(t.TempDir(), "bad.tabard")
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"info", path}, {"dump", path}, {"dump", "--raw", path},
			{"dump", "--json", path}} {
			code, _, stderr := run(args...)
			if code != exitFailure || !strings.Contains(stderr, path) || !strings.Contains(stderr, "broken archive") {
				t.Errorf("%s: tabard %s: code %d, stderr %q", name, args[0], code, stderr)
			}
		}
	}
	code, _, stderr := run("info", t.TempDir())
	if code != exitFailure || !strings.Contains(stderr, "is a directory") {
		t.Errorf("a directory: code %d, stderr %q", code, stderr)
	}
}

func TestVerifyNeedsLogs(t *testing.T) {
	code, _, stderr := run("verify", file(t, halo), t.TempDir())
	if code != exitFailure || !strings.Contains(stderr, "holds no raw log") {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
}

func TestMessageNamesTheLikelyFile(t *testing.T) {
	_, _, stderr := run("info", filepath.Join(t.TempDir(), "app"))
	if !strings.Contains(stderr, "app.tabard?") {
		t.Errorf("stderr %q", stderr)
	}
}

// What is left of a recording and cannot be recovered does not keep the archive from being read.
func TestBrokenLeftover(t *testing.T) {
	path := file(t, halo)
	out, err := collect.CanonicalOutput(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TABARD_STATE", filepath.Dir(path)) // a place where everybody looks
	dir := filepath.Join(collect.StateRoots(out)[0], collect.StateKey(out, "job"))
	if _, err := collect.CreateState(dir, &collect.Job{Output: out}, ring.Config{}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ring.ControlFile), bytes.Repeat([]byte("x"), 1<<14), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := run("info", path)
	if code != exitOK || !strings.Contains(stdout, "halo") || !strings.Contains(stderr, "could not be recovered") ||
		!strings.Contains(stderr, dir) {
		t.Errorf("code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if code, _, stderr = run("recover", path); code != exitFailure || !strings.Contains(stderr, dir) {
		t.Errorf("recover: code %d, stderr %q", code, stderr)
	}
}

// Exports that need times tell a recording without calls from one without times.
func TestExportOfNoCalls(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	for desc, want := range map[string]string{
		"abi mpich\nrank 0 of 1 on n\n":                       "has no calls in what is selected",
		"abi mpich\nnotiming\nrank 0 of 1 on n\nMPI_Init()\n": "has no times of calls",
	} {
		for _, format := range []string{"folded", "chrome"} {
			code, _, stderr := run("export", format, file(t, desc), "-o", out)
			if code != exitFailure || !strings.Contains(stderr, want) {
				t.Errorf("%s of %q: code %d, %s", format, desc, code, stderr)
			}
		}
	}
}
