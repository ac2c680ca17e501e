//go:build e2e

package e2e

import (
	"regexp"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// TestHangReport looks at jobs that hang, and again when they were killed: the first finding says which ranks wait in
// which collective, and what the other one does.
func TestHangReport(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		for what, other := range map[string]string{
			"skip":  `rank 2 is in MPI_Bcast at hangs\.c:\d+ \[main\] in its place`,
			"other": `rank 2 is in MPI_Alltoall at hangs\.c:\d+ \[main\] in its place`,
			"sleep": `rank 2 is not there: its last call was MPI_Bcast at hangs\.c:\d+ \[main\], number 11 on world, which ended`,
		} {
			want := regexp.MustCompile(`  1\. error: Ranks 0-1,3 wait in MPI_Allreduce at hangs\.c:\d+ \[main\], number 12 on world, ` +
				`(for|from) \S+ \S+( on)?(, for \S+ \S+)?: ` + other)
			r := newNodeJob(t, m, 4).begin("hang", nil, "hangs", what)
			r.look(want.MatchString, "report")
			r.end(true)
			out, err := tabard("report", r.path("hang.tabard"))
			if err != nil || !want.Match(out) {
				t.Errorf("%s: %v\n%s\nwant %s", what, err, out, want)
			}
		}
	})
}

// TestDeadlockReport: a circle of a message and a collective, and of messages whose tags do not fit.
func TestDeadlockReport(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		want := regexp.MustCompile(
			`  1\. error: Deadlock (for|from) \S+ \S+( on)?, .*: rank 2 waits in MPI_Recv at hangs\.c:\d+ \[main\] ` +
				`for a message from rank 1 with tag 7 on world; rank 1 waits in MPI_Allreduce at hangs\.c:\d+ \[main\], number 12 ` +
				`on world, for rank 2\. Ranks 0,3 wait for them`,
		)
		r := newNodeJob(t, m, 4).begin("deadlock", nil, "hangs", "recv")
		r.look(want.MatchString, "report")
		r.end(true)
		out, err := tabard("report", r.path("deadlock.tabard"))
		if err != nil || !want.Match(out) {
			t.Errorf("%v\n%s\nwant %s", err, out, want)
		}
	})
}

// TestMismatchReport: what one rank gives otherwise than the others is the first finding, whether the MPI library
// hangs, ends the job or goes on.
func TestMismatchReport(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		for what, text := range map[string]string{
			"count": `MPI_Allreduce at hangs\.c.* rank 0 takes part with 8000 bytes, rank 2 with 160000`,
			"root":  `MPI_Bcast at hangs\.c.* root: rank 0 has 0, rank 2 has 1`,
		} {
			want := regexp.MustCompile(`  1\. .*` + text)
			r := newNodeJob(t, m, 4).begin("mismatch", nil, "hangs", what)
			r.look(want.MatchString, "report") // of the recording, if the job has ended
			r.end(true)
			out, err := tabard("report", r.path("mismatch.tabard"))
			if err != nil || !want.Match(out) {
				t.Errorf("%s: %v\n%s\nwant %s", what, err, out, want)
			}
		}
	})
}
