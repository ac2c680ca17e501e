//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// readers is a Python that has packages of other projects which read exports, made once and kept in the user's cache.
var readers sync.Map // package -> func() (python string, err error)

// foreign is a Python with packages. The test is skipped where they cannot be installed.
func foreign(t *testing.T, pkgs ...string) string {
	t.Helper()
	pkg := strings.Join(pkgs, ",")
	once, _ := readers.LoadOrStore(pkg, sync.OnceValues(func() (string, error) {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		dir := filepath.Join(cache, "tabard-e2e", pkg)
		python := filepath.Join(dir, "bin", "python")
		if exec.Command(python, "-c", "import "+modules(pkg)).Run() == nil {
			return python, nil
		}
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
		defer cancel()
		if out, err := exec.CommandContext(ctx, "python3", "-m", "venv", dir).CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w: %s", err, out)
		}
		if out, err := exec.CommandContext(ctx, python, append([]string{"-m", "pip", "install", "-q"},
			pkgs...)...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w: %s", err, out)
		}
		return python, exec.Command(python, "-c", "import "+modules(pkg)).Run()
	}))
	python, err := once.(func() (string, error))()
	if err != nil {
		notTested(t, "pip cannot install %s here, so no reader of another project has looked at these exports: %v",
			pkg, err)
	}
	return python
}

// modules are the names that packages are imported by.
func modules(pkgs string) string { return strings.ReplaceAll(pkgs, "llnl-hatchet", "hatchet") }

// exported writes a recording in a format and returns where.
func exported(t *testing.T, format, file string, flags ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	if text, err := tabard(append([]string{"export", format, file, "-o", out}, flags...)...); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// profileRows is what tabard profile says by function.
type profileRows struct {
	Calls uint64
	Bytes int64
	Rows  []struct {
		Func  string
		Calls uint64
		Bytes int64
		Times struct {
			Total int64 `json:"total_ns"`
		}
	}
}

func jsonOf[T any](t *testing.T, args ...string) (x T) {
	t.Helper()
	text, err := tabard(append(args, "--json")...)
	if err == nil {
		err = json.Unmarshal(text, &x)
	}
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return x
}

// exportPrograms are programs with calls of all kinds.
var exportPrograms = []struct {
	name  string
	ranks int
	only  string // the one MPI that can run it
}{
	{name: "halo2d", ranks: 4}, {name: "masterworker", ranks: 4}, {name: "icollectives", ranks: 4},
	{name: "attrs", ranks: 4}, {name: "comms", ranks: 4}, {name: "rma", ranks: 4}, {name: "io", ranks: 4},
	{name: "persistent", ranks: 2}, {name: "polling", ranks: 2}, {name: "threads", ranks: 2}, {name: "modes", ranks: 2},
	{name: "grequest", ranks: 2}, {name: "partitioned", ranks: 2, only: "mpich"}, {name: "intercomm", ranks: 4},
}

// eachExport hands recordings of exportPrograms to a test: of all that n divides, each at one MPI if n is not 1.
func eachExport(t *testing.T, n int, f func(t *testing.T, file string)) {
	for i, p := range exportPrograms {
		for k, m := range mpis {
			if n > 1 && (i%n != 0 || i/n%len(mpis) != k) {
				continue
			}
			if p.only == "" || p.only == m.Name {
				t.Run(m.Name+"/"+p.name, func(t *testing.T) {
					t.Parallel()
					f(t, record(t, m, p.ranks, nil, p.name).File())
				})
			}
		}
	}
}

// pprofLine is a function in what go tool pprof -top prints: flat value, shares, and name.
var pprofLine = regexp.MustCompile(`(?m)^ *(\d+)(?:ns|B)? +[0-9.e-]+% +[0-9.e-]+% +\d+(?:ns|B)? +\S+%  (MPI_\w+)$`)

// What go tool pprof shows is what tabard profile says.
func TestExportPprof(t *testing.T) {
	t.Parallel()
	eachExport(t, 5, func(t *testing.T, file string) {
		want := jsonOf[profileRows](t, "profile", file, "--by", "function")
		out := exported(t, "pprof", file)
		for _, sample := range []string{"calls", "time", "bytes"} {
			got := pprofNumbers(t, out, sample)
			for _, r := range want.Rows {
				n := map[string]int64{"calls": int64(r.Calls), "time": r.Times.Total, "bytes": r.Bytes}[sample]
				if got[r.Func] != n {
					t.Errorf("%s of %s: pprof %d, profile %d", sample, r.Func, got[r.Func], n)
				}
			}
		}
	})
}

// timelineRead is what a reader of another project found in a timeline.
type timelineRead struct {
	Slices, Requests, Flows uint64
	FlowIDs                 uint64 `json:"flow_ids"`
	Functions               map[string][2]int64
	Regions                 map[string]uint64
	Marks                   map[string]uint64
	Values                  map[string][2]float64 // how many, and their sum
	Threads                 []string
}

// compare compares it with what the commands say of the same calls.
func (r *timelineRead) compare(t *testing.T, file string, flags ...string) {
	t.Helper()
	want := jsonOf[profileRows](t, append([]string{"profile", file, "--by", "function", "--quantiles"}, flags...)...)
	if r.Slices != want.Calls || len(r.Functions) != len(want.Rows) {
		t.Errorf("%d slices of %d functions, %d calls of %d", r.Slices, len(r.Functions), want.Calls, len(want.Rows))
	}
	for _, row := range want.Rows {
		got := r.Functions[row.Func]
		off := got[1] - row.Times.Total
		if got[0] != int64(row.Calls) || max(off, -off) > int64(row.Calls)+row.Times.Total/1000 {
			t.Errorf("%s: %d slices of %d ns, profile %d calls of %d ns", row.Func, got[0], got[1], row.Calls,
				row.Times.Total)
		}
	}
	if len(flags) > 0 {
		return
	}
	m := jsonOf[struct{ Messages uint64 }](t, "messages", file)
	if r.Flows != m.Messages || r.FlowIDs != m.Messages {
		t.Errorf("%d flows of %d numbers, %d messages", r.Flows, r.FlowIDs, m.Messages)
	}
}

// readTimelines reads timelines by a script of testdata/export, which prints a line for each.
func readTimelines[T any](t *testing.T, python, script string, files ...string) []T {
	t.Helper()
	c := exec.Command(python, append([]string{filepath.Join(mpirun.Root(), "testdata", "export", script)}, files...)...)
	c.Stderr = os.Stderr
	text, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	list := make([]T, len(files))
	d := json.NewDecoder(bytes.NewReader(text))
	for i := range list {
		if err := d.Decode(&list[i]); err != nil {
			t.Fatalf("%s of %s: %v", script, files[i], err)
		}
	}
	return list
}

// Slices are calls, the sums of their durations those of the profile, and flows are messages: by Perfetto's own
// message types, and the rules of trace_processor.
func TestExportPerfetto(t *testing.T) {
	t.Parallel()
	python := foreign(t, "perfetto")
	eachExport(t, 1, func(t *testing.T, file string) {
		r := readTimelines[timelineRead](t, python, "read_perfetto.py", exported(t, "perfetto", file),
			exported(t, "perfetto", file, "--time", "20%..60%"))
		r[0].compare(t, file)
		r[1].compare(t, file, "--time", "20%..60%")
	})
	t.Run("classes", func(t *testing.T) {
		file := record(t, mpis[0], 4, nil, "halo1d").File()
		r := readTimelines[timelineRead](t, python, "read_perfetto.py", exported(t, "perfetto", file, "--classes"))[0]
		if len(r.Threads) == 0 || len(r.Threads) > 3 || !slices.Contains(r.Threads, "rank 0") {
			t.Errorf("representatives are %v", r.Threads)
		}
	})
}

// The same for Chrome's JSON, which Python's standard library reads.
func TestExportChrome(t *testing.T) {
	t.Parallel()
	eachExport(t, 2, func(t *testing.T, file string) {
		readTimelines[timelineRead](t, "python3", "read_chrome.py", exported(t, "chrome", file))[0].compare(t, file)
	})
}
