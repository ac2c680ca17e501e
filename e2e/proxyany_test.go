//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program/infer"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// anySizes are programs with the sizes that a proxy for any size is made from, the second one 0 for
// none, and those that it runs with.
var anySizes = []struct {
	program    string
	from, with int
	to         []int
}{
	{"halo1d", 4, 0, []int{7}}, {"halo2d", 4, 0, []int{16, 9}}, {"halo3d", 8, 27, []int{12}},
	{"growing", 4, 0, []int{9, 3}}, {"ring", 4, 0, []int{7}},
	{"pingpong", 4, 0, []int{4}}, {"groups", 4, 0, []int{4}}, {"topo", 4, 0, []int{4}}, {"intercomm", 6, 0, []int{8}},
	{"attrs", 4, 0, []int{4}},
}

// A proxy for any size makes the calls that the program makes with as many ranks, which are those
// that are inferred.
func TestProxyAnySize(t *testing.T) {
	t.Parallel()
	for _, m := range mpis {
		for _, p := range anySizes {
			t.Run(m.Name+"/"+p.program, func(t *testing.T) {
				t.Parallel()
				a := record(t, m, p.from, nil, p.program)
				args, options := []string{a.File()}, infer.Options{}
				if p.with > 0 {
					b := record(t, m, p.with, nil, p.program)
					c, err := b.Content()
					if err != nil {
						t.Fatal(err)
					}
					args, options.With = append(args, "--with", b.File()), []*archive.Content{c}
				}
				binary := anySizeProxy(t, m, args...)
				c, err := a.Content()
				if err != nil {
					t.Fatal(err)
				}
				model, err := infer.Infer(c, options)
				if err != nil {
					t.Fatal(err)
				}
				for _, ranks := range p.to {
					got := recordCommand(t, m, ranks, nil, []string{binary})
					sameCalls(t, "recorded", record(t, m, ranks, nil, p.program), got, ranks)
					sameCalls(t, "inferred", archiveOf(t, model, ranks), got, ranks)
				}
			})
		}
	}
}

// anySizeProxy writes a proxy with the command and compiles it, with every warning an error.
func anySizeProxy(t *testing.T, m *mpirun.MPI, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "proxy.c"), filepath.Join(dir, "proxy")
	if out, err := exec.Command(tabardBin, append([]string{"proxy", "--any-size", "-o", source},
		args...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := exec.Command(m.CC, "-std=c99", "-Wall", "-Wextra", "-Werror", "-O2", "-o", binary,
		source).CombinedOutput(); err != nil {
		text, _ := os.ReadFile(source)
		t.Fatalf("%v\n%s\n%s", err, out, text)
	}
	return binary
}

// archiveOf is the archive that a model gives for a number of ranks.
func archiveOf(t *testing.T, model *infer.Model, ranks int) *archive.Archive {
	t.Helper()
	c, err := model.At(ranks)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "inferred"+strconv.Itoa(ranks)+".tabard")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Write(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := archive.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

func sameCalls(t *testing.T, what string, want, got *archive.Archive, ranks int) {
	t.Helper()
	r, err := diff.Of(want, got, diff.Options{Structure: true, Parameters: true, Rerun: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Ranks != ranks || r.Calls == 0 {
		t.Errorf("%s: %d calls of %d ranks were compared, not of %d", what, r.Calls, r.Ranks, ranks)
	}
	for _, d := range r.Differences {
		t.Errorf("%s with %d ranks: %v at ranks %v: %v: %q, %q", what, ranks, d.Kind, d.Ranks, d.Call, d.A, d.B)
	}
}

// What forbids other numbers of ranks is said, and nothing is written.
func TestProxyAnySizeObstacles(t *testing.T) {
	t.Parallel()
	a := record(t, mpis[0], 4, nil, "masterworker")
	source := filepath.Join(t.TempDir(), "proxy.c")
	out, err := exec.Command(tabardBin, "proxy", a.File(), "--any-size", "-o", source).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "another number of ranks is not possible") ||
		!strings.Contains(string(out), "masterworker.c:") {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := os.Stat(source); err == nil {
		t.Error("a program was written all the same")
	}
}
