package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/report"
)

// around is four ranks that send around in time steps, to a hub, and by collectives.
func around() string {
	var b strings.Builder
	b.WriteString("abi mpich\nmpi MPICH\ntool tabard test\ncommand ./ring\n")
	for r := range 4 {
		fmt.Fprintf(&b, `rank %d of 4 on n
clock 0 0 0
clock 1000000 2000000 2000000
MPI_Init(argc=1) @ ring.c:10 [main]
MPI_Comm_split(comm=MPI_COMM_WORLD, color=%d, key=0) @ ring.c:11 [main] ; newcomm=comm#0
loop 50
  MPI_Sendrecv(sendcount=%d, sendtype=MPI_DOUBLE, dest=%d, sendtag=1, recvcount=1000, recvtype=MPI_DOUBLE, source=%d, recvtag=1, comm=MPI_COMM_WORLD) @ ring.c:20 [step]
  MPI_Allreduce(count=2, datatype=MPI_DOUBLE, op=MPI_SUM, comm=comm#0) @ ring.c:21 [step]
end
`, r, r/2, 100+r, (r+1)%4, (r+3)%4)
		if r > 0 {
			fmt.Fprintf(&b, "loop 7\n  MPI_Send(count=3, datatype=MPI_INT, dest=0, tag=2, comm=MPI_COMM_WORLD) @ "+
				"ring.c:30 [collect]\nend\n")
		} else {
			b.WriteString("loop 21\n  MPI_Recv(count=3, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=2, " +
				"comm=MPI_COMM_WORLD) @ ring.c:32 [collect]\nend\n")
		}
		b.WriteString("MPI_Finalize() @ ring.c:40 [main]\n")
	}
	return b.String()
}

func TestAnalyses(t *testing.T) {
	path := file(t, around())
	for name, args := range map[string]string{
		"profile.txt":           "profile FILE",
		"profile-rank.txt":      "profile FILE --by rank --quantiles --function p2p",
		"profile-comm.txt":      "profile FILE --by function,comm --no-times --top 4",
		"profile.json":          "profile FILE --by function --function coll --json",
		"matrix.txt":            "matrix FILE",
		"matrix-time.txt":       "matrix FILE --value time --top 2 --steps 10-19",
		"matrix-collective.txt": "matrix FILE --kind collective --value messages --rank 0-1 --top 0",
		"matrix.csv":            "matrix FILE --csv",
		"matrix.json":           "matrix FILE --json --kind all --bins 2",
		"histogram.txt":         "histogram FILE",
		"histogram-site.txt":    "histogram FILE --by site --kind p2p",
		"histogram.json":        "histogram FILE --json --comm 0",
		"durations.txt":         "histogram FILE --durations --by site --function p2p",
		"durations.json":        "histogram FILE --durations --json --rank 1 --steps 10-19",
	} {
		code, stdout, stderr := run(strings.Fields(strings.ReplaceAll(args, "FILE", path))...)
		if code != exitOK || stderr != "" {
			t.Errorf("tabard %s: code %d, stderr %q", args, code, stderr)
		}
		for _, line := range strings.Split(stdout, "\n") {
			if len(line) > 120 && strings.HasSuffix(name, ".txt") {
				t.Errorf("tabard %s: line of %d columns: %s", args, len(line), line)
			}
		}
		golden(t, name, strings.ReplaceAll(stdout, path, "app.tabard"))
	}
}

// The members that other programs rely on.
func TestMatrixJSON(t *testing.T) {
	path := file(t, around())
	_, stdout, _ := run("matrix", path, "--json")
	var got struct {
		Schema    string    `json:"schema"`
		Processes int       `json:"processes"`
		Columns   []string  `json:"columns"`
		Cells     [][]int64 `json:"cells"`
		Totals    map[string]struct {
			Messages uint64 `json:"messages"`
		} `json:"totals"`
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	cells := map[[2]int64][2]int64{}
	for _, c := range got.Cells {
		cells[[2]int64{c[0], c[1]}] = [2]int64{c[2], c[3]}
	}
	if got.Schema != report.MatrixSchema || got.Processes != 4 ||
		strings.Join(got.Columns, " ") != "from to messages bytes" || len(cells) != 6 ||
		got.Totals["p2p"].Messages != 221 {
		t.Fatalf("%+v", got)
	}
	if cells[[2]int64{1, 2}] != [2]int64{50, 50 * 101 * 8} || cells[[2]int64{3, 0}] != [2]int64{57, 50*103*8 + 7*12} {
		t.Errorf("%v", cells)
	}
	_, text, _ := run("matrix", path, "--csv")
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(lines) != 7 || strings.Join(lines[2], " ") != "1 0 7 84" {
		t.Errorf("%v, %v", lines, err)
	}
}

func TestMatrixPictures(t *testing.T) {
	path, dir := file(t, around()), t.TempDir()
	svg, png := filepath.Join(dir, "m.svg"), filepath.Join(dir, "m.png")
	if code, stdout, stderr := run("matrix", path, "--svg", svg, "--png", png); code != exitOK || stdout+stderr != "" {
		t.Fatalf("code %d, %q, %q", code, stdout, stderr)
	}
	for file, begin := range map[string]string{svg: "<svg", png: "\x89PNG"} {
		if b, err := os.ReadFile(file); err != nil || !strings.Contains(string(b[:200]), begin) {
			t.Errorf("%s: %v", file, err)
		}
	}
	if code, stdout, _ := run("histogram", path, "--svg", "-"); code != exitOK ||
		!strings.Contains(stdout, "Messages point to point") {
		t.Errorf("code %d", code)
	}
}

func TestAnalysesErrors(t *testing.T) {
	path := file(t, around())
	untimed := file(t, strings.Replace(around(), "command", "notiming\ncommand", 1))
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"profile FILE --by functon", exitUsage, "did you mean function?"},
		{"profile FILE --top -1", exitUsage, "--top -1 is negative"},
		{"profile FILE --quantiles --no-times", exitUsage, "do not go together"},
		{"profile FILE --function MPI_Sned", exitUsage, "did you mean MPI_Send"},
		{"profile FILE --rank 3-1", exitUsage, "neither a rank nor a range"},
		{"profile FILE --time 5", exitUsage, "no window"},
		{"profile FILE --steps x", exitUsage, "neither a step nor a range"},
		{"profile FILE --comm 9", exitFailure, "there is no communicator 9"},
		{"profile FILE --steps 50", exitFailure, "the time-step loop has 50 (0 to 49)"},
		{"matrix FILE --kind pp", exitUsage, "did you mean p2p?"},
		{"matrix FILE --csv --json", exitUsage, "--csv does not go with"},
		{"matrix FILE --json --svg x", exitUsage, "do not go together"},
		{"matrix FILE --kind all --value time", exitUsage, "--value time goes with"},
		{"matrix FILE --bins 100000", exitUsage, "--bins 100000 is not in"},
		{"matrix UNTIMED --value time", exitFailure, "has no times"},
		{"histogram FILE --kind rma --svg x", exitFailure, "has no such messages"},
		{"histogram FILE --durations --kind p2p", exitUsage, "choose by --function"},
		{"histogram UNTIMED --durations", exitFailure, "has no times"},
	} {
		code, stdout, stderr := run(strings.Fields(strings.NewReplacer("FILE", path, "UNTIMED",
			untimed).Replace(c.args))...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("tabard %s: code %d, stdout %q, stderr %q, want %d and %q", c.args, code, stdout, stderr, c.code,
				c.want)
		}
	}
	for args, want := range map[string]string{
		"profile FILE --function rma": "nothing is selected",
		"matrix FILE --kind rma":      "One-sided operations: no such messages",
		"histogram FILE --kind io":    "no such messages",
	} {
		if code, stdout, stderr := run(strings.Fields(strings.ReplaceAll(args, "FILE", path))...); code != exitOK ||
			!strings.Contains(stdout, want) || stderr != "" {
			t.Errorf("tabard %s: code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}

// Lists of ranks mean the same everywhere.
func TestRankLists(t *testing.T) {
	for _, text := range []string{"0", "0,4-7", "8-63:8,100-", "3-", "1-3,2-9:2", "", "a", "3-1", "0-3:0", "-2",
		"1,,2"} {
		a, errA := collect.ParseRanks(text)
		b, errB := selection.ParseRanks(text)
		if (errA == nil && a != nil) != (errB == nil) {
			t.Errorf("%q: %v and %v", text, errA, errB)
			continue
		}
		for rank := range 130 {
			if errB == nil && a(rank) != b.Contains(rank) {
				t.Errorf("%q: rank %d", text, rank)
			}
		}
	}
}
