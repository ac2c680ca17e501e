//go:build e2e

package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// importOTF2 makes a recording of an archive.
func importOTF2(t *testing.T, path string, flags ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "imported.tabard")
	if text, err := tabard(append([]string{"import", path, "-o", file}, flags...)...); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return file
}

var printedLine = regexp.MustCompile(`(?m)^([A-Z_]+) +(\d+) +(\d+) *(.*)$`)
var numbered = regexp.MustCompile(` *<\d+>`)

// events is what otf2-print says of the events of an archive, but for its numbers of definitions; times are those since
// the first event. What the records that skip matches say is left out.
func events(t *testing.T, dir string, skip *regexp.Regexp) (list []string) {
	t.Helper()
	text, err := exec.Command("otf2-print", filepath.Join(dir, "traces.otf2")).Output()
	if err != nil {
		t.Fatalf("otf2-print (make deps installs it): %v", err)
	}
	first := int64(-1)
	for _, m := range printedLine.FindAllSubmatch(text, -1) {
		at, _ := strconv.ParseInt(string(m[3]), 10, 64)
		if first < 0 {
			first = at
		}
		line := fmt.Sprintf("%s %s %s %s", m[2], fmt.Sprint(at-first), m[1],
			numbered.ReplaceAllString(string(m[4]), ""))
		if skip != nil && skip.MatchString(line) {
			continue
		}
		list = append(list, line)
	}
	slices.Sort(list)
	return list
}

// What is exported, imported and exported again is the same event for event, but for what a recording cannot have:
// sizes of collectives whose counts differ by rank.
func TestImportRoundTrip(t *testing.T) {
	t.Parallel()
	vectors := regexp.MustCompile(`Operation: (\w+V|ALLTOALLW|REDUCE_SCATTER)\b`)
	for i, p := range []struct {
		name  string
		ranks int
	}{{"halo2d", 4}, {"masterworker", 4}, {"icollectives", 4}, {"comms", 4}, {"intercomm", 4}, {"threads", 2},
		{"io", 4}, {"marks", 2}} {
		m := mpis[i%len(mpis)]
		t.Run(m.Name+"/"+p.name, func(t *testing.T) {
			first := exported(t, "otf2", record(t, m, p.ranks, []string{"--timing=lossless"}, p.name).File())
			file := importOTF2(t, first, "--timing=lossless")
			again := exported(t, "otf2", file)
			printed(t, again)
			a, b := events(t, first, vectors), events(t, again, vectors)
			if len(a) == 0 || !slices.Equal(a, b) {
				for k := range min(len(a), len(b)) {
					if a[k] != b[k] {
						t.Fatalf("of %d events, %d:\n%s\nis now\n%s", len(a), len(b), a[k], b[k])
					}
				}
				t.Fatalf("%d events are %d now", len(a), len(b))
			}
		})
	}
}

// What EZTrace recorded has the same calls and messages as Tabard's own recording of the program, as far as EZTrace
// records them, and the commands read it.
func TestImportEZTrace(t *testing.T) {
	t.Parallel()
	m := mpis[0]
	own := record(t, m, 2, nil, "pingpong").File()
	dir := t.TempDir()
	command, err := program(m, "pingpong")
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"eztrace", "-t", "openmpi", "-o", dir}, command...)
	if r, err := (&mpirun.Job{MPI: m, Ranks: 2, Dir: dir, Args: args}).Start(); err != nil || r.Code != 0 ||
		r.TimedOut {
		t.Fatalf("eztrace (make deps installs it): %v %+v", err, r)
	}
	found, _ := filepath.Glob(filepath.Join(dir, "*", "*.otf2"))
	if len(found) != 1 {
		t.Fatalf("eztrace left %v", found)
	}
	file := importOTF2(t, found[0])
	type matrix struct{ Cells [][4]int64 }
	if a, b := jsonOf[matrix](t, "matrix", own, "--kind", "p2p"),
		jsonOf[matrix](t, "matrix", file, "--kind", "p2p"); len(
		a.Cells) == 0 || !reflect.DeepEqual(a, b) {
		t.Errorf("matrix %v, of EZTrace %v", a, b)
	}
	counts := func(file string) map[string][2]uint64 {
		of := map[string][2]uint64{}
		for _, r := range jsonOf[profileRows](t, "profile", file, "--by", "function", "--function", "pt2pt").Rows {
			of[r.Func] = [2]uint64{r.Calls, uint64(r.Bytes)}
		}
		return of
	}
	if a, b := counts(own), counts(file); len(a) == 0 || !reflect.DeepEqual(a, b) {
		t.Errorf("calls and bytes %v, of EZTrace %v", a, b)
	}
	type matched struct{ Messages, Bytes uint64 }
	if a, b := jsonOf[matched](t, "messages", own), jsonOf[matched](t, "messages", file); a != b {
		t.Errorf("messages %+v, of EZTrace %+v", a, b)
	}
	for _, command := range []string{"report", "waits", "timeline", "loops", "outliers", "collectives", "histogram",
		"info",
		"io", "functions", "proxy"} {
		if text, err := tabard(command, file); err != nil {
			t.Errorf("%s: %v\n%s", command, err, text)
		}
	}
}
