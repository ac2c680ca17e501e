package capture_test

import (
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// TestMergeGivesUp: other ranks never come to MPI_Finalize. The program waits as long as it may,
// puts the error handler back and goes on; of all that nothing is recorded but MPI_Finalize.
func TestMergeGivesUp(t *testing.T) {
	t.Parallel()
	finalize := spec.ByName("MPI_Finalize").ID
	const waited = "error handler\nIallreduce\nerror handler\nFinalize\n"
	for _, flavour := range flavours {
		plain := (&run{t: t, flavour: flavour, config: quiet}).start("many")
		for _, c := range []struct {
			name    string
			config  ring.Config
			arrived time.Duration
			stdout  string
		}{
			{"one collector", ring.Config{MergeWait: time.Millisecond}, 0, "Finalize\n"},
			{"several", ring.Config{Merge: true, MergeWait: 200 * time.Millisecond, LocalRanks: 1}, 0, waited},
			{"archives stay apart", ring.Config{Clocks: true, MergeWait: 200 * time.Millisecond, LocalRanks: 1},
				0, waited},
			{"a local rank is not traced", ring.Config{Merge: true, MergeWait: time.Hour, LocalRanks: 2}, 0,
				"Finalize\n"},
			{"another came long ago", ring.Config{Merge: true, MergeWait: 200 * time.Millisecond, LocalRanks: 1},
				-time.Second, "Finalize\n"},
			{"another looked at the clock later, and came first", ring.Config{Merge: true,
				MergeWait: 200 * time.Millisecond, LocalRanks: 1}, time.Hour, waited},
		} {
			start := time.Now()
			r := (&run{t: t, flavour: flavour, config: c.config, arrived: c.arrived,
				env: []string{"FAKEMPI_SHOW=1"}}).start("many")
			r.wantCode(0)
			stderr := ""
			if c.config.LocalRanks == 1 { // all ranks have ended, and the archive is not there yet
				stderr = follows
			}
			if r.stdout != c.stdout || r.stderr != stderr {
				t.Errorf("%s, %s: output %q, %q, want %q, %q", flavour, c.name, r.stdout, r.stderr, c.stdout, stderr)
			}
			if d := time.Since(start); d > 20*time.Second || c.stdout == waited && d < c.config.MergeWait {
				t.Errorf("%s, %s: took %v", flavour, c.name, d)
			}
			var got, want []spec.ID
			for _, rec := range r.threads[0] {
				if rec.ID() >= spec.FirstFunction {
					got = append(got, rec.ID())
				}
				if rec.ID() == finalize && (rec.Ret() != 0 || rec.End() < rec.Start()) {
					t.Errorf("%s, %s: MPI_Finalize %v", flavour, c.name, rec)
				}
			}
			for _, rec := range plain.threads[0] {
				if rec.ID() >= spec.FirstFunction {
					want = append(want, rec.ID())
				}
			}
			if len(got) != len(want) || len(r.pending) != 0 {
				t.Errorf("%s, %s: %d calls, want %d; pending %v", flavour, c.name, len(got), len(want), r.pending)
			}
		}
	}
}
