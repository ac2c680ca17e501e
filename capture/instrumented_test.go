package capture_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// Functions that were compiled to tell of their calls are recorded on all processors, each call of them.
func TestInstrumented(t *testing.T) {
	home := filepath.Join(built.dir, "openmpi")
	for _, level := range []string{"-O0", "-O2"} {
		err := command("gcc", level, "-finstrument-functions", "-Itestdata/fakempi", "testdata/programs/instrumented.c",
			filepath.Join(home, "libmpi.so.40"), "-Wl,-rpath,"+home, "-o", filepath.Join(home, "instrumented"))
		if err != nil {
			t.Fatal(err)
		}
		r := (&run{t: t, flavour: "openmpi", program: "instrumented"}).start()
		r.wantCode(0)
		want, err := strconv.Atoi(strings.TrimSpace(r.stdout))
		if err != nil {
			t.Fatal(err)
		}
		if got := functionCalls(t, r); got != want {
			t.Errorf("%s: %d calls of functions are recorded, not %d", level, got, want)
		}
	}
}

// functionCalls counts the calls of functions that the first thread has recorded.
func functionCalls(t *testing.T, r *run) (sum int) {
	t.Helper()
	trees := map[uint64]int{} // how many calls are in each
	of := func(word uint64) int {
		if word>>60 == ring.WTree {
			return trees[word]
		}
		return 1
	}
	_, all := expand(t, r.threads[0])
	for _, rec := range all {
		if rec.ID() == ring.RTree {
			p := rec.Payload()
			n := 0
			if p[1] != 0 {
				n = 1
			}
			for p := p[2:]; len(p) > 0; p = p[2:] {
				n += of(p[0]) * int(p[1])
			}
			trees[p[0]] = n
		}
		f := spec.ByID(rec.ID())
		if f == nil {
			continue
		}
		switch f.Name {
		case "function_open":
			sum++
		case "function_calls", "function_inside":
			sum += of(rec.Site()) * int(values(t, rec)["times"].Data[0])
		}
	}
	return sum
}
