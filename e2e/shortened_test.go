//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// TestShortenedState: while the program runs somebody makes files of the state directory shorter. Program and collector
// go on; what was recorded before is there, and that something is missing is said.
func TestShortenedState(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern string
		size    int64
		whole   bool
	}{{"s.*", 0, false}, {"s.*", 8192, false}, {"s.*", 2 << 20, false}, {"control", 0, true}} {
		t.Run(c.pattern, func(t *testing.T) {
			eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
				p, err := program(m, "logged")
				if err != nil {
					t.Fatal(err)
				}
				dir, root := t.TempDir(), stateRoot(t)
				env := []string{"TABARD_STATE=" + root}
				out := filepath.Join(dir, "out.tabard")
				j := &mpirun.Job{MPI: m, Ranks: 2, Env: env,
					Args: []string{tabardBin, "record", "--quiet", "-o", out, p[0], dir, "1.5"}}
				cut := make(chan int)
				go func() { // as long as the program may take to begin
					n := 0
					for end := time.Now().Add(30 * time.Second); n == 0 &&
						time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
						if begun, err := returned(dir, 2); err != nil || begun[0] < 1000 {
							continue
						}
						time.Sleep(500 * time.Millisecond)
						files, _ := filepath.Glob(filepath.Join(root, "tabard-*", "*", c.pattern))
						for _, f := range files {
							if os.Truncate(f, c.size) == nil {
								n++
							}
						}
					}
					cut <- n
				}()
				r, err := j.Start()
				if err != nil {
					t.Fatal(err)
				}
				if n := <-cut; n == 0 || r.Code != 0 || r.Stdout != "logged: done\n" {
					t.Fatalf("%d files cut; exit code %d, output %q, %q", n, r.Code, r.Stdout, r.Stderr)
				}
				file := readable(t, out, env)
				want, err := returned(dir, 2)
				if err != nil {
					t.Fatal(err)
				}
				done, _, err := recorded(file, 2, -1)
				if err != nil {
					t.Fatal(err)
				}
				a, err := archive.Open(file)
				if err != nil {
					t.Fatal(err)
				}
				defer a.Close()
				said := archive.Incomplete(a.Gaps())
				for rank := range want {
					if done[rank] == 0 || done[rank] != want[rank] && (c.whole || said == "") {
						t.Errorf("rank %d: %d calls returned, %d recorded; said: %q", rank, want[rank], done[rank],
							said)
					}
				}
			})
		})
	}
}
