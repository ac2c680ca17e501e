package collect

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// nodeRanks is the archive of a node with some of 6 ranks; partOf is empty for that of rank 0.
func nodeRanks(t *testing.T, run, partOf string, ranks ...int) []byte {
	t.Helper()
	d := fmt.Sprintf("abi mpich\ncommand prog\noption run %s\n", run)
	if partOf != "" {
		d += "option part_of " + partOf + "\n"
	}
	for _, r := range ranks {
		d += fmt.Sprintf("rank %d of 6 on node%d\nclock %d 5000000000 7\nloop 3\n"+
			"MPI_Send(dest=%d, comm=MPI_COMM_WORLD)\nend\n", r, r/2, 100+r, (r+1)%6)
	}
	return archivetest.Bytes(t, d)
}

// outputDir holds an output of which there are parts.
type outputDir struct {
	t     *testing.T
	dir   string
	notes []string
	mu    sync.Mutex
}

func newOutputDir(t *testing.T, files map[string][]byte) *outputDir {
	t.Helper()
	o := &outputDir{t: t, dir: t.TempDir()}
	for name, b := range files {
		o.put(name, b)
	}
	return o
}

func (o *outputDir) put(name string, b []byte) {
	o.t.Helper()
	if err := os.WriteFile(filepath.Join(o.dir, name), b, 0o600); err != nil {
		o.t.Fatal(err)
	}
}

func (o *outputDir) names() string {
	entries, err := os.ReadDir(o.dir)
	if err != nil {
		o.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// read opens the output and lists its ranks.
func (o *outputDir) read() string {
	o.t.Helper()
	a, err := OpenOutput(filepath.Join(o.dir, "app.tabard"), "", func(s string) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.notes = append(o.notes, s)
	})
	if err != nil {
		o.t.Error(err)
		return ""
	}
	defer a.Close()
	var ranks []int
	for _, r := range a.Ranks() {
		ranks = append(ranks, r.Rank)
	}
	calls := uint64(0)
	for s := range a.Streams() {
		calls += s.Calls()
	}
	if calls != 3*uint64(len(ranks)) {
		o.t.Errorf("%d calls of %d ranks", calls, len(ranks))
	}
	return fmt.Sprint(ranks)
}

func (o *outputDir) check(ranks, names string, notes ...string) {
	o.t.Helper()
	if got := o.read(); got != ranks {
		o.t.Errorf("ranks %s, want %s", got, ranks)
	}
	if got := o.names(); got != names {
		o.t.Errorf("files %s, want %s", got, names)
	}
	if len(o.notes) != len(notes) || slices.ContainsFunc(notes,
		func(n string) bool { return !strings.Contains(strings.Join(o.notes, "\n"), n) }) {
		o.t.Errorf("notes %q, want %q", o.notes, notes)
	}
}

func TestPartsBecomeOne(t *testing.T) {
	o := newOutputDir(t, map[string][]byte{
		"app.tabard":       nodeRanks(t, "r", "", 0, 1),
		"app.node1.tabard": nodeRanks(t, "r", "app.tabard", 2, 3),
		"app.node2.tabard": nodeRanks(t, "r", "app.tabard", 4, 5),
		"app.v2.tabard":    nodeRanks(t, "s", "", 0), // somebody's own
	})
	o.check("[0 1 2 3 4 5]", "app.tabard app.v2.tabard")
	whole, err := os.ReadFile(filepath.Join(o.dir, "app.tabard"))
	if err != nil {
		t.Fatal(err)
	}
	if want := nodeRanks(t, "r", "", 0, 1, 2, 3, 4, 5); !bytes.Equal(whole, want) {
		t.Errorf("the whole is not what one collector writes: %d bytes, want %d", len(whole), len(want))
	}
	// A merge that was killed before it removed the parts, and one while it wrote.
	o.put("app.node2.tabard", nodeRanks(t, "r", "app.tabard", 4, 5))
	o.put(".app.tabard.1.tmp", whole[:10])
	o.check("[0 1 2 3 4 5]", ".app.tabard.1.tmp app.tabard app.v2.tabard")
	if again, err := os.ReadFile(filepath.Join(o.dir, "app.tabard")); err != nil || !bytes.Equal(again, whole) {
		t.Errorf("another file after merging again: %v", err)
	}
}

func TestPartsMissing(t *testing.T) {
	o := newOutputDir(t, map[string][]byte{
		"app.tabard":       nodeRanks(t, "r", "", 0, 1),
		"app.node2.tabard": nodeRanks(t, "r", "app.tabard", 4, 5),
	})
	o.check("[0 1 4 5]", "app.tabard")
	// It turns up later.
	o.put("app.node1.tabard", nodeRanks(t, "r", "app.tabard", 2, 3))
	o.check("[0 1 2 3 4 5]", "app.tabard")

	// That of rank 0 may be missing, too.
	o = newOutputDir(t, map[string][]byte{
		"app.node1.tabard": nodeRanks(t, "r", "app.tabard", 2, 3),
		"app.node2.tabard": nodeRanks(t, "r", "app.tabard", 4, 5),
	})
	o.check("[2 3 4 5]", "app.tabard")
}

func TestPartsLeftOut(t *testing.T) {
	damaged := nodeRanks(t, "r", "app.tabard", 4, 5)
	damaged[len(damaged)/2] ^= 1
	o := newOutputDir(t, map[string][]byte{
		"app.tabard":       nodeRanks(t, "r", "", 0, 1),
		"app.node1.tabard": nodeRanks(t, "other", "app.tabard", 2, 3),
		"app.node2.tabard": damaged,
		"app.node3.tabard": nil,
	})
	o.check("[0 1]", "app.node1.tabard app.node2.tabard app.node3.tabard app.tabard",
		"app.node1.tabard is left out: it is of another run", "app.node2.tabard: broken archive",
		"app.node3.tabard: broken archive")
	o = newOutputDir(t, nil)
	if _, err := OpenOutput(filepath.Join(o.dir, "app.tabard"), "", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing there: %v", err)
	}
}

// TestPartsUnwritable: where nothing can be written, and no lock be had, reading works all the
// same.
func TestPartsUnwritable(t *testing.T) {
	o := newOutputDir(t, map[string][]byte{
		"app.tabard":       nodeRanks(t, "r", "", 0, 1),
		"app.node1.tabard": nodeRanks(t, "r", "app.tabard", 2, 3),
	})
	if err := os.Mkdir(filepath.Join(o.dir, ".app.tabard.lock"), 0o700); err != nil { // the tests may run as root
		t.Fatal(err)
	}
	o.check("[0 1 2 3]", ".app.tabard.lock app.node1.tabard app.tabard")
	if tmp := os.Getenv("TMPDIR"); tmp == "" {
		t.Setenv("TMPDIR", filepath.Join(o.dir, "nowhere"))
	}
	o.check("[0 1 2 3]", ".app.tabard.lock app.node1.tabard app.tabard")
}

// TestPartsAtOnce: many readers, while parts come in.
func TestPartsAtOnce(t *testing.T) {
	o := newOutputDir(t, map[string][]byte{
		"app.tabard":       nodeRanks(t, "r", "", 0, 1),
		"app.node1.tabard": nodeRanks(t, "r", "app.tabard", 2, 3),
	})
	second := nodeRanks(t, "r", "app.tabard", 4, 5)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if i == 4 {
				lock, _ := lockOutput(filepath.Join(o.dir, "app.tabard"), 1<<40)
				o.put("app.node2.tabard", second)
				lock.release()
			}
			if got := o.read(); !strings.HasPrefix(got, "[0 1 2 3") {
				t.Errorf("reader %d: %s", i, got)
			}
		})
	}
	wg.Wait()
	o.check("[0 1 2 3 4 5]", "app.tabard")
}

func TestMergeFiles(t *testing.T) {
	o := newOutputDir(t, map[string][]byte{
		"a": nodeRanks(t, "r", "", 0, 1), "b": nodeRanks(t, "r", "x.tabard", 2, 3, 4),
		"c": nodeRanks(t, "other", "", 5),
	})
	path := func(name string) string { return filepath.Join(o.dir, name) }
	if err := os.Chmod(path("a"), PrivateMode); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time OUT is there already
		r, err := Merge(path("out.tabard"), []string{path("b"), path("a"), path("b")})
		if err != nil {
			t.Fatal(err)
		}
		if st, err := os.Stat(path("out.tabard")); err != nil || st.Mode() != PrivateMode {
			t.Errorf("of a private recording and another one: %v, mode %v", err, st.Mode())
		}
		if r.Ranks != 5 || o.names() != "a b c out.tabard" {
			t.Errorf("%+v, files %s", r, o.names())
		}
	}
	before, err := os.ReadFile(path("out.tabard"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Merge(path("out.tabard"), []string{path("c")}); err == nil ||
		!strings.Contains(err.Error(), "another run") {
		t.Errorf("of another run: %v", err)
	}
	if after, err := os.ReadFile(path("out.tabard")); err != nil || !bytes.Equal(after, before) {
		t.Errorf("a failed merge left something else: %v", err)
	}
	var broken *archive.FormatError
	o.put("d", before[:100])
	if _, err := Merge(path("out.tabard"), []string{path("d")}); !errors.As(err, &broken) {
		t.Errorf("broken file: %v", err)
	}
}
