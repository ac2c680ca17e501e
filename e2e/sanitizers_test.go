//go:build e2e

package e2e

import (
	"path/filepath"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// TestSanitizers: programs built with sanitizers, whose libraries insist on places of their own,
// run as they do without recording. Under MPICH all programs with the thread sanitizer crash untraced.
func TestSanitizers(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		sanitizers := []string{"address", "undefined", "thread"}
		// What MPI libraries leak is not the question.
		env := []string{"ASAN_OPTIONS=detect_leaks=0"}
		if m.Name == "mpich" {
			sanitizers = sanitizers[:2]
			env[0] += ":verify_asan_link_order=0" // for the preload that makes idle ranks yield
		}
		for _, s := range sanitizers {
			t.Run(s, func(t *testing.T) {
				dir := t.TempDir()
				binary := filepath.Join(dir, "program")
				source := filepath.Join(mpirun.Programs(), "collectives.c")
				if err := m.Build(source, binary, "-fsanitize="+s); err != nil {
					t.Fatal(err)
				}
				run := func(wrap ...string) *mpirun.Result {
					j := &mpirun.Job{MPI: m, Ranks: 2, Dir: dir, Env: env, Args: append(wrap, binary)}
					r, err := j.Start()
					if err != nil {
						t.Fatal(err)
					}
					return r
				}
				plain := run()
				if plain.Code != 0 {
					t.Fatalf("%s does not run with this sanitizer untraced: exit code %d\n%s", m.Run, plain.Code,
						plain.Stderr)
				}
				out := filepath.Join(dir, "out.tabard")
				traced := run(tabardBin, "record", "--quiet", "-o", out)
				if traced.Code != 0 || traced.Stdout != plain.Stdout {
					t.Fatalf("exit code %d, %q instead of %q:\n%s", traced.Code, traced.Stdout, plain.Stdout,
						traced.Stderr)
				}
				if i, err := readInfo(out); err != nil || !i.Complete || i.LostCalls > 0 {
					t.Errorf("%+v, %v", i, err)
				}
			})
		}
	})
}
