//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strconv"
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
				var dir, out string
				var env []string
				for n, seconds := 0, 1; n == 0; seconds *= 4 { // on a busy machine it may have ended before
					root := stateRoot(t)
					dir, env = t.TempDir(), []string{"TABARD_STATE=" + root}
					out = filepath.Join(dir, "out.tabard")
					j := &mpirun.Job{MPI: m, Ranks: 2, Env: env, Args: []string{tabardBin, "record", "--quiet",
						"-o", out, p[0], dir, strconv.Itoa(seconds)}}
					ended, cut := make(chan bool), make(chan int)
					go func() { cut <- shorten(dir, filepath.Join(root, "tabard-*", "*", c.pattern), c.size, ended) }()
					r, err := j.Start()
					close(ended)
					if n = <-cut; err != nil || r.Code != 0 || r.Stdout != "logged: done\n" || n == 0 && seconds > 60 {
						t.Fatalf("%v: %d files cut: %+v", err, n, r)
					}
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

// shorten cuts the files of a running program off at a size, once that has made calls for a while. It gives how many
// there were.
func shorten(dir, pattern string, size int64, ended <-chan bool) (n int) {
	var begun time.Time
	for begun.IsZero() || time.Since(begun) < 400*time.Millisecond {
		select {
		case <-ended:
			return 0
		case <-time.After(10 * time.Millisecond):
		}
		if done, err := returned(dir, 2); begun.IsZero() && err == nil && done[0] >= 1000 {
			begun = time.Now()
		}
	}
	files, _ := filepath.Glob(pattern)
	for _, f := range files {
		if os.Truncate(f, size) == nil {
			n++
		}
	}
	return n
}
