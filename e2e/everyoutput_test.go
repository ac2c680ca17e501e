//go:build e2e

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// numbers are what an output says of the calls of each function, and of messages by sender and receiver. What it does
// not say is nil.
type numbers struct {
	calls, bytes, ns map[string]int64
	cells            [][4]int64
	messages         int64 // 0: not said
	regions          map[string]uint64
}

// compare compares an output with tabard profile and tabard matrix, as JSON. Times of single calls are rounded, those
// of the profile are sums.
func (n numbers) compare(t *testing.T, want numbers) {
	t.Helper()
	same := func(what string, got, want map[string]int64, off func(f string) int64) {
		if got == nil {
			return
		}
		for f, w := range want {
			if d := got[f] - w; max(d, -d) > off(f) {
				t.Errorf("%s of %s: %d, want %d", what, f, got[f], w)
			}
		}
		for f, g := range got {
			if _, ok := want[f]; !ok && g != 0 {
				t.Errorf("%s of %s: %d, of a function that is not there", what, f, g)
			}
		}
	}
	exact := func(string) int64 { return 0 }
	same("calls", n.calls, want.calls, exact)
	same("bytes", n.bytes, want.bytes, exact)
	same("time", n.ns, want.ns, func(f string) int64 { return want.calls[f] + want.ns[f]/1000 })
	if n.cells != nil && !slices.Equal(n.cells, want.cells) {
		t.Errorf("messages %v, want %v", n.cells, want.cells)
	}
	if n.messages != 0 && n.messages != want.messages {
		t.Errorf("%d messages, want %d", n.messages, want.messages)
	}
	for r, k := range want.regions {
		if n.regions != nil && n.regions[r] != k {
			t.Errorf("region %s: %d, want %d", r, n.regions[r], k)
		}
	}
}

// commandNumbers is what all outputs have to say.
func commandNumbers(t *testing.T, file string) numbers {
	p := jsonOf[profileRows](t, "profile", file, "--by", "function")
	n := numbers{calls: map[string]int64{}, bytes: map[string]int64{}, ns: map[string]int64{}}
	for _, r := range p.Rows {
		n.calls[r.Func], n.bytes[r.Func], n.ns[r.Func] = int64(r.Calls), r.Bytes, r.Times.Total
	}
	n.cells = jsonOf[struct{ Cells [][4]int64 }](t, "matrix", file, "--kind", "p2p").Cells
	for _, c := range n.cells {
		n.messages += c[2]
	}
	n.regions = regionCounts(t, file)
	return n
}

// numbers are those of a timeline.
func (r *timelineRead) numbers() numbers {
	n := numbers{calls: map[string]int64{}, ns: map[string]int64{}, messages: int64(r.Flows), regions: r.Regions}
	for f, x := range r.Functions {
		n.calls[f], n.ns[f] = x[0], x[1]
	}
	return n
}

var (
	profileLine = regexp.MustCompile(`(?m)^(MPI_\w+) +([\d,]+) `)
	matrixLine  = regexp.MustCompile(`(?m): ([\d,]+) messages, `)
	enterLine   = regexp.MustCompile(`(?m)^ENTER .* Region: "(MPI_\w+)"`)
)

// atoi reads a number for people.
func atoi(s string) int64 {
	n, _ := strconv.ParseInt(strings.ReplaceAll(s, ",", ""), 10, 64)
	return n
}

// textNumbers is what commands print for people.
func textNumbers(t *testing.T, file string) numbers {
	profile, err := tabard("profile", file, "--by", "function", "--top", "0")
	matrix, err2 := tabard("matrix", file)
	m := matrixLine.FindSubmatch(matrix)
	if err != nil || err2 != nil || m == nil {
		t.Fatalf("%v %v %s", err, err2, matrix)
	}
	n := numbers{calls: map[string]int64{}, messages: atoi(string(m[1]))}
	for _, m := range profileLine.FindAllStringSubmatch(string(profile), -1) {
		n.calls[m[1]] = atoi(m[2])
	}
	return n
}

// dumpNumbers adds up all calls, one by one.
func dumpNumbers(t *testing.T, file string) numbers {
	text, err := tabard("dump", file, "--json")
	if err != nil {
		t.Fatal(err)
	}
	n := numbers{calls: map[string]int64{}, ns: map[string]int64{}}
	for line := range bytes.Lines(text) {
		var c struct {
			Func  string
			Flags []string
			Begin int64 `json:"start_ns"`
			End   int64 `json:"end_ns"`
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(c.Func, "MPI_") {
			n.calls[c.Func]++
			n.ns[c.Func] += c.End - c.Begin
		}
	}
	return n
}

// pythonNumbers is what the Python package says: by its answers, and by its rows.
const pythonNumbers = `
import json, tabard
run = tabard.open("app.tabard")
rows, events, by = run.profile(by="function"), run.events().numpy(), {}
for f in sorted(set(events["function"])):
    of = events["function"] == f
    by[f] = [int(of.sum()), int(events["bytes"][of].filled(0).sum()), int(events["duration_ns"][of].sum())]
table = {r["func"]: [r["calls"], r["bytes"], r["times.total_ns"]] for r in rows}
cells = [list(r.values()) for r in run.traffic()]
assert run.matrix().sum() == sum(c[3] for c in cells) and len(run.messages()) == sum(c[2] for c in cells)
print(json.dumps({"functions": table, "pairs": cells}), json.dumps({"functions": by, "pairs": cells}))
`

// tableRead is what was read from tables.
type tableRead struct {
	Functions map[string][3]int64
	Pairs     [][4]int64
	Rows      map[string]uint64
	Marks     map[string][2]float64
}

func (r *tableRead) numbers() numbers {
	n := numbers{calls: map[string]int64{}, bytes: map[string]int64{}, ns: map[string]int64{}, cells: r.Pairs}
	for f, x := range r.Functions {
		n.calls[f], n.bytes[f], n.ns[f] = x[0], x[1], x[2]
	}
	return n
}

// printedNumbers counts what otf2-print prints.
func printedNumbers(t *testing.T, dir string) numbers {
	text, err := exec.Command("otf2-print", filepath.Join(dir, "traces.otf2")).Output()
	if err != nil {
		t.Fatal(err)
	}
	n := numbers{calls: map[string]int64{}}
	for _, m := range enterLine.FindAllSubmatch(text, -1) {
		n.calls[string(m[1])]++
	}
	return n
}

// foldedNumbers adds up folded stacks by the function that is called.
func foldedNumbers(t *testing.T, file, value string) map[string]int64 {
	t.Helper()
	f, err := os.Open(exported(t, "folded", file, "--value", value))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got := map[string]int64{}
	for s := bufio.NewScanner(f); s.Scan(); {
		stack, n, _ := strings.Cut(s.Text(), " ")
		frames := strings.Split(stack, ";")
		k, err := strconv.ParseInt(n, 10, 64)
		if err != nil || frames[0] != "main" {
			t.Fatalf("%q: %v", s.Text(), err)
		}
		got[frames[len(frames)-1]] += k
	}
	return got
}

// pprofNumbers is what go tool pprof -top shows of a sample: calls, time or bytes.
func pprofNumbers(t *testing.T, out, sample string) map[string]int64 {
	t.Helper()
	text, err := exec.Command("go", "tool", "pprof", "-top", "-nodecount=10000", "-nodefraction=0",
		"-sample_index="+sample, "-unit="+map[string]string{"time": "ns", "bytes": "B"}[sample], out).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for _, m := range pprofLine.FindAllStringSubmatch(string(text), -1) {
		got[m[2]], _ = strconv.ParseInt(m[1], 10, 64)
	}
	return got
}

// Every number in every output is that of the command line, whoever reads it.
func TestEveryOutput(t *testing.T) {
	t.Parallel()
	file := record(t, mpis[0], 4, nil, "outputs").File()
	want := commandNumbers(t, file)
	if len(want.calls) < 12 || len(want.cells) < 8 || want.messages != 4*3*30 || len(want.regions) != 2 {
		t.Fatalf("the recording lacks something: %+v", want)
	}
	check := func(name string, read func(t *testing.T) numbers) {
		t.Run(name, func(t *testing.T) { read(t).compare(t, want) })
	}
	check("text", func(t *testing.T) numbers { return textNumbers(t, file) })
	check("dump", func(t *testing.T) numbers { return dumpNumbers(t, file) })
	check("info", func(t *testing.T) numbers {
		m := jsonOf[struct{ Messages int64 }](t, "messages", file).Messages
		info := jsonOf[struct {
			Calls     int64
			Functions map[string]int64
		}](t, "info", file)
		all := int64(0)
		for name, n := range info.Functions {
			if !strings.HasPrefix(name, "MPI_") { // regions
				delete(info.Functions, name)
				continue
			}
			all += n
		}
		if info.Calls != all {
			t.Errorf("%d calls, of functions %d", info.Calls, all)
		}
		return numbers{calls: info.Functions, messages: m}
	})
	t.Run("python", func(t *testing.T) {
		dir := packageDir(t, map[string]string{"app.tabard": file})
		d := json.NewDecoder(bytes.NewReader(packagePython(t, debianPython, dir, nil, "-c", pythonNumbers)))
		for range 2 {
			var r tableRead
			if err := d.Decode(&r); err != nil {
				t.Fatal(err)
			}
			r.numbers().compare(t, want)
		}
	})
	check("perfetto", func(t *testing.T) numbers {
		python, out := foreign(t, "perfetto"), exported(t, "perfetto", file)
		return readTimelines[timelineRead](t, python, "read_perfetto.py", out)[0].numbers()
	})
	check("chrome", func(t *testing.T) numbers {
		return readTimelines[timelineRead](t, "python3", "read_chrome.py", exported(t, "chrome", file))[0].numbers()
	})
	check("prv", func(t *testing.T) numbers {
		r := readTimelines[prvRead](t, "python3", "read_prv.py", exported(t, "prv", file))[0]
		n := r.numbers()
		n.cells, n.regions = r.Pairs, r.Regions
		return n
	})
	check("otf2", func(t *testing.T) numbers {
		dir := exported(t, "otf2", file)
		printedNumbers(t, dir).compare(t, want)
		r := readOTF2(t, dir)[0]
		n := r.numbers()
		n.cells, n.regions = r.Sent, r.Regions
		return n
	})
	check("tables", func(t *testing.T) numbers { return readTables(t, file).numbers() })
	check("pprof", func(t *testing.T) numbers {
		out := exported(t, "pprof", file)
		return numbers{calls: pprofNumbers(t, out, "calls"), bytes: pprofNumbers(t, out, "bytes"),
			ns: pprofNumbers(t, out, "time")}
	})
	check("folded", func(t *testing.T) numbers {
		return numbers{calls: foldedNumbers(t, file, "calls"), bytes: foldedNumbers(t, file, "bytes"),
			ns: foldedNumbers(t, file, "time")}
	})
}
