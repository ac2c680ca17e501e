//go:build e2e

package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program/cgen"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// proxyPrograms are those whose proxies make the same calls, besides the deterministic ones.
var proxyPrograms = []struct {
	ranks   int
	program string
	mpi     string // "" for each
}{
	{4, "masterworker", ""}, {2, "distances", ""}, {4, "differ", ""}, {4, "errors", ""}, {3, "files", ""},
	{2, "keyvals", ""},
	{2, "large", "mpich"}, {2, "partitioned", "mpich"}, {4, "pcollectives", "mpich"}, {2, "sessions", "mpich"},
	{4, "rmashared", "mpich"}, {3, "shortthreads", ""},
}

// proxyDiffers are programs whose proxies cannot be the same, and why.
var proxyDiffers = map[string]string{
	"typeloop": "it passes addresses as bounds of datatypes, which are recorded as numbers that mean nothing in " +
		"another run",
	"rmashared": "it uses addresses of other processes, which are replaced, and under Open MPI the calls are left out",
}

// The proxy of a program makes the same calls, and compiles without a warning. That of neighbor may
// hang under MPICH, which loses messages of persistent neighbourhood collectives in a star.
func TestProxySame(t *testing.T) {
	t.Parallel()
	for _, m := range mpis {
		t.Run(m.Name, func(t *testing.T) {
			for _, p := range deterministic {
				if proxyDiffers[p.program] == "" && (p.program != "neighbor" || m.Name != "mpich") {
					t.Run(p.program, func(t *testing.T) { proxySame(t, m, p.ranks, p.program) })
				}
			}
			for _, p := range proxyPrograms {
				if p.mpi == "" || p.mpi == m.Name {
					t.Run(p.program, func(t *testing.T) { proxySame(t, m, p.ranks, p.program) })
				}
			}
		})
	}
}

func proxySame(t *testing.T, m *mpirun.MPI, ranks int, name string) {
	t.Parallel()
	a := record(t, m, ranks, nil, name)
	binary, _ := buildProxy(t, m, a, cgen.Options{})
	b := recordCommand(t, m, ranks, nil, []string{binary})
	r, err := diff.Of(a, b, diff.Options{Structure: true, Parameters: true, Rerun: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Calls == 0 || r.Ranks != ranks {
		t.Errorf("%d calls of %d ranks were compared", r.Calls, r.Ranks)
	}
	for _, d := range r.Differences {
		t.Errorf("%v at ranks %v: %+v %v: %q, %q, %d of %d", d.Kind, d.Ranks, d.Calls, d.Call, d.A, d.B, d.Count, d.Of)
	}
}

// buildProxy writes the proxy of a recording and compiles it, with every warning an error.
func buildProxy(t *testing.T, m *mpirun.MPI, a *archive.Archive, o cgen.Options) (binary string, r *cgen.Result) {
	t.Helper()
	dir := t.TempDir()
	source := filepath.Join(dir, "proxy.c")
	f, err := os.Create(source)
	if err != nil {
		t.Fatal(err)
	}
	o.File, o.Name = a.File(), "proxy.c"
	if r, err = cgen.Generate(a, f, o); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	binary = filepath.Join(dir, "proxy")
	out, err := exec.Command(m.CC, "-std=c99", "-Wall", "-Wextra", "-Werror", "-O2", "-o", binary,
		source).CombinedOutput()
	if err != nil {
		text, _ := os.ReadFile(source)
		t.Fatalf("%v\n%s\n%s", err, out, text)
	}
	return binary, r
}

// A recording of one MPI runs under the other.
func TestProxyAcrossMPIs(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"halo2d", "collectives", "topo", "icollectives", "rma", "persistent"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, m := range mpis {
				ranks := deterministic[slices.IndexFunc(deterministic, func(p struct {
					ranks   int
					program string
					apart   bool
				}) bool {
					return p.program == name
				})].ranks
				a := record(t, m, ranks, nil, name)
				other := mpis[1-i]
				binary, _ := buildProxy(t, other, a, cgen.Options{})
				b := recordCommand(t, other, ranks, nil, []string{binary})
				r, err := diff.Of(a, b, diff.Options{Structure: true, Parameters: true, Rerun: true})
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range r.Differences {
					t.Errorf("%s's recording under %s: %v at ranks %v: %v: %q, %q", m.Name, other.Name, d.Kind, d.Ranks,
						d.Call, d.A, d.B)
				}
			}
		})
	}
}

// What the proxies of the exceptions leave out or change is said, and they run to their ends.
func TestProxyDiffers(t *testing.T) {
	t.Parallel()
	for _, m := range mpis {
		for name, reason := range proxyDiffers {
			t.Run(m.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				a := record(t, m, 4, nil, name)
				binary, r := buildProxy(t, m, a, cgen.Options{})
				if len(r.Notes)+len(r.Skipped) == 0 {
					t.Errorf("nothing is said, although %s", reason)
				}
				recordCommand(t, m, 4, nil, []string{binary})
			})
		}
	}
}

// The command writes a program, says what it leaves out, and overwrites nothing but proxies.
func TestProxyCommand(t *testing.T) {
	t.Parallel()
	m := mpis[0]
	a := record(t, m, 2, nil, "pingpong")
	source := filepath.Join(t.TempDir(), "ping.c")
	run := func(args ...string) (string, error) {
		out, err := exec.Command(tabardBin, append([]string{"proxy", a.File(), "-o", source},
			args...)...).CombinedOutput()
		return string(out), err
	}
	for range 2 {
		if out, err := run(); err != nil || !strings.Contains(out, "mpicc") {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if err := os.WriteFile(source, []byte("int precious;\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := run(); err == nil || !strings.Contains(out, "--force") {
		t.Errorf("another file: %v: %s", err, out)
	}
	if out, err := run("--force", "--compute"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// The proxy for more ranks makes the calls that the program makes with so many.
func TestProxyRanks(t *testing.T) {
	t.Parallel()
	m := mpis[0]
	a, want := record(t, m, 4, nil, "halo1d"), record(t, m, 8, nil, "halo1d")
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "proxy.c"), filepath.Join(dir, "proxy")
	if out, err := exec.Command(tabardBin, "proxy", a.File(), "--ranks", "8",
		"-o", source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := exec.Command(m.CC, "-std=c99", "-Wall", "-Wextra", "-Werror", "-o", binary,
		source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r, err := diff.Of(want, recordCommand(t, m, 8, nil, []string{binary}),
		diff.Options{Structure: true, Parameters: true, Rerun: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Ranks != 8 {
		t.Errorf("%d ranks were compared", r.Ranks)
	}
	for _, d := range r.Differences {
		t.Errorf("%v at ranks %v: %v: %q, %q", d.Kind, d.Ranks, d.Call, d.A, d.B)
	}
}

// A proxy does not use a folder for its files in which somebody else may have put links to other files.
func TestProxyFolder(t *testing.T) {
	t.Parallel()
	m := mpis[0]
	binary, _ := buildProxy(t, m, record(t, m, 2, nil, "io"), cgen.Options{})
	for plant, make := range map[string]func(folder, other string) error{
		"link": func(folder, other string) error { return os.Symlink(other, folder) },
		"open to all": func(folder, _ string) error {
			return errors.Join(os.Mkdir(folder, 0o777), os.Chmod(folder, 0o777))
		},
		"of an earlier run": func(folder, _ string) error { return os.Mkdir(folder, 0o755) },
	} {
		dir, other := t.TempDir(), t.TempDir()
		if err := make(filepath.Join(dir, "proxy.files"), other); err != nil {
			t.Fatal(err)
		}
		r, err := (&mpirun.Job{MPI: m, Ranks: 2, Dir: dir, Args: []string{binary}}).Start()
		if err != nil {
			t.Fatal(err)
		}
		refused := r.Code != 0 && strings.Contains(r.Stderr, "proxy.files is no directory that only you can write to")
		if refused == (plant == "of an earlier run") {
			t.Errorf("%s: exit code %d: %s", plant, r.Code, r.Stderr)
		}
		if left, _ := os.ReadDir(other); len(left) > 0 {
			t.Errorf("%s: files were made elsewhere: %v", plant, left)
		}
	}
}
