//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// otf2Read is what OTF2's own reader found in an archive.
type otf2Read struct {
	timelineRead
	Ranks          [][3]any
	Sent, Received [][4]int64
	Pending        map[string]int
}

// readOTF2 reads archives by testdata/export/read_otf2.py, with Debian's Python, which has python3-otf2.
func readOTF2(t *testing.T, dirs ...string) []otf2Read {
	t.Helper()
	args := []string{filepath.Join(mpirun.Root(), "testdata", "export", "read_otf2.py")}
	for _, dir := range dirs {
		args = append(args, filepath.Join(dir, "traces.otf2"))
	}
	c := exec.Command("/usr/bin/python3", args...)
	var errs bytes.Buffer
	c.Stderr = &errs
	text, err := c.Output()
	if err != nil || errs.Len() > 0 {
		t.Fatalf("python3-otf2 (make deps installs it): %v %s", err, &errs)
	}
	list := make([]otf2Read, len(dirs))
	d := json.NewDecoder(bytes.NewReader(text))
	for i := range list {
		if err := d.Decode(&list[i]); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// printed is what otf2-print says of all of an archive: nothing is wrong with it.
func printed(t *testing.T, dir string) {
	t.Helper()
	c := exec.Command("otf2-print", "-A", filepath.Join(dir, "traces.otf2"))
	var errs bytes.Buffer
	c.Stderr = &errs
	if err := c.Run(); err != nil || errs.Len() > 0 {
		t.Fatalf("otf2-print (make deps installs it): %v %s", err, &errs)
	}
}

// compareOTF2 compares an archive with what the commands say of the same calls.
func compareOTF2(t *testing.T, r *otf2Read, file string, flags ...string) {
	t.Helper()
	r.compare(t, file, flags...)
	ranks := jsonOf[struct {
		Rows []struct {
			Func  string
			World int
			Rank  int
			Calls float64
		}
	}](t, append([]string{"profile", file, "--by", "function,rank"}, flags...)...)
	want := map[[2]string]float64{}
	for _, row := range ranks.Rows {
		want[[2]string{nameOfRank(row.Rank, row.World), row.Func}] = row.Calls
	}
	for _, x := range r.Ranks {
		k := [2]string{x[0].(string), x[1].(string)}
		if want[k] != x[2].(float64) {
			t.Errorf("%v: %v calls, profile %v", k, x[2], want[k])
		}
		delete(want, k)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	cells := jsonOf[struct{ Cells [][4]int64 }](t, append([]string{"matrix", file, "--kind", "p2p"}, flags...)...).Cells
	if !slices.Equal(r.Sent, cells) {
		t.Errorf("sent %v, matrix %v", r.Sent, cells)
	}
}

// nameOfRank is the name that an export gives a process.
func nameOfRank(rank, world int) string {
	if world > 0 {
		return fmt.Sprintf("rank %d of world %d", rank, world)
	}
	return fmt.Sprintf("rank %d", rank)
}

// Archives are read by OTF2's own tools without a word. Calls by function and rank, their time, and messages as sends
// and as receives have them, are those of the commands; no request is left but for sends that are freed.
func TestExportOTF2(t *testing.T) {
	t.Parallel()
	eachExport(t, 1, func(t *testing.T, file string) {
		whole, part := exported(t, "otf2", file), exported(t, "otf2", file, "--time", "20%..60%")
		printed(t, whole)
		printed(t, part)
		r := readOTF2(t, whole, part)
		messages := jsonOf[struct{ Messages uint64 }](t, "messages", file).Messages
		r[0].Flows, r[0].FlowIDs = messages, messages
		compareOTF2(t, &r[0], file)
		compareOTF2(t, &r[1], file, "--time", "20%..60%")
		received := uint64(0)
		for _, c := range r[0].Received {
			received += uint64(c[2])
		}
		if received != messages {
			t.Errorf("%d receives, %d messages", received, messages)
		}
		if r[0].Pending["recv"] > 0 || r[0].Pending["coll"] > 0 {
			t.Errorf("pending: %v", r[0].Pending)
		}
	})
}

// Regions are those of tabard profile --by region, also where they are open at the edges of a window.
func TestExportOTF2Regions(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		file := record(t, m, 2, nil, "regions").File()
		for _, flags := range [][]string{nil, {"--time", "30%..70%"}} {
			dir := exported(t, "otf2", file, flags...)
			printed(t, dir)
			r := readOTF2(t, dir)[0]
			counts := regionCounts(t, file, flags...)
			for name, n := range counts {
				// What is open where a window begins is entered there.
				if r.Regions[name] < n || flags == nil && r.Regions[name] != n {
					t.Errorf("%s: %d, profile has %d", name, r.Regions[name], n)
				}
			}
			if len(counts) == 0 {
				t.Error("no regions")
			}
			// The script fails where slices do not nest, or have no end.
			c := readTimelines[timelineRead](t, "python3", "read_chrome.py", exported(t, "chrome", file, flags...))[0]
			if !maps.Equal(c.Regions, r.Regions) {
				t.Errorf("for Chrome %v, in OTF2 %v", c.Regions, r.Regions)
			}
		}
	})
}

// regionCounts is how often tabard profile --by region has each region, by its own name.
func regionCounts(t *testing.T, file string, flags ...string) map[string]uint64 {
	t.Helper()
	want := jsonOf[struct {
		Regions []struct {
			Path  []string
			Count uint64
		}
	}](t, append([]string{"profile", file, "--by", "region"}, flags...)...)
	counts := map[string]uint64{}
	for _, g := range want.Regions {
		counts[g.Path[len(g.Path)-1]] += g.Count
	}
	return counts
}

// ioOperation is an operation on a file that otf2-print shows complete.
var (
	ioBegin = regexp.MustCompile(`(?m)^IO_OPERATION_BEGIN +(\d+) .*file://(\S+)" <\d+>, Mode: (\w+),.* Matching Id: (\d+)`)
	ioEnd   = regexp.MustCompile(`(?m)^IO_OPERATION_COMPLETE +(\d+) .*Bytes Result: (\d+), Matching Id: (\d+)`)
)

// printedIO is the calls and bytes that otf2-print shows of each file, by what is done to it.
func printedIO(t *testing.T, dir string) map[string][2]int64 {
	t.Helper()
	text, err := exec.Command("otf2-print", filepath.Join(dir, "traces.otf2")).Output()
	if err != nil {
		t.Fatalf("otf2-print (make deps installs it): %v", err)
	}
	moved := map[string]int64{}
	for _, m := range ioEnd.FindAllSubmatch(text, -1) {
		moved[fmt.Sprintf("%s %s", m[1], m[3])], _ = strconv.ParseInt(string(m[2]), 10, 64)
	}
	sums := map[string][2]int64{}
	for _, m := range ioBegin.FindAllSubmatch(text, -1) {
		bytes, ok := moved[fmt.Sprintf("%s %s", m[1], m[4])]
		if !ok {
			t.Errorf("%s does not end", m[0])
		}
		key := fmt.Sprintf("%s %s", m[3], m[2])
		sums[key] = [2]int64{sums[key][0] + 1, sums[key][1] + bytes}
	}
	return sums
}

// What is read and written has records of its own, with the calls and bytes of tabard io, file by file. They come back
// from an import, and a window has them, too.
func TestExportOTF2Files(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		for _, source := range []string{"posix.c", "mpiio.c"} {
			prog, dir := filepath.Join(t.TempDir(), "program"), t.TempDir()
			if err := m.Build(filepath.Join(mpirun.Root(), "testdata", "io", source), prog); err != nil {
				t.Fatal(err)
			}
			mustRun(t, dir, tabardBin, "record", "--events=mpi,io", "--timing=lossless", "-o", "io.tabard", prog)
			file := filepath.Join(dir, "io.tabard")
			whole := exported(t, "otf2", file)
			printed(t, whole)
			readOTF2(t, whole)
			type access struct{ Calls, Bytes int64 }
			want := map[string][2]int64{}
			for _, f := range jsonOf[struct {
				Files []struct {
					Path          string
					Reads, Writes access
				}
			}](t, "io", file).Files {
				for mode, a := range map[string]access{"READ": f.Reads, "WRITE": f.Writes} {
					if a.Calls > 0 {
						want[mode+" "+f.Path] = [2]int64{a.Calls, a.Bytes}
					}
				}
			}
			got := printedIO(t, whole)
			maps.DeleteFunc(got, func(key string, _ [2]int64) bool { return strings.HasPrefix(key, "FLUSH") })
			if len(want) == 0 || !maps.Equal(got, want) {
				t.Errorf("%s: %v, tabard io %v", source, got, want)
			}
			again := exported(t, "otf2", importOTF2(t, whole, "--timing=lossless"))
			printed(t, again)
			if a, b := events(t, whole, nil), events(t, again, nil); !slices.Equal(a, b) {
				t.Errorf("%s: imported and exported again it is another archive", source)
			}
			part := exported(t, "otf2", file, "--time", "30%..100%")
			printed(t, part)
			if len(printedIO(t, part)) == 0 {
				t.Errorf("%s: nothing is done in the window", source)
			}
		}
	})
}
