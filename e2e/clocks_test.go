//go:build e2e

package e2e

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/analysis/clocks"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// TestClocks skews the clock of one of two hosts and finds out how it was skewed: in truth both
// have the same clock and the same ticks.
func TestClocks(t *testing.T) {
	h := newHosts(t, 2)
	const skew, ppm = 5 * time.Millisecond, 300.0
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		j := newNodeJob(t, m, 4)
		for how, timing := range map[string]string{"finalize": "lossless", "read": "lossy:1%,1us"} {
			var now unix.Timespec
			if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
				t.Fatal(err)
			}
			job := j.job(how, []string{"--merge", how, "--timing", timing, "--keep-raw", j.path(how + ".raw")},
				"pingpong")
			var env []string
			job.Launch, env = h.launch(m)
			job.Env = append(append(job.Env, env...), fmt.Sprintf("TABARD_CLOCK_SKEW=%s:%d:%d:%d", h.names[1], skew,
				int64(ppm*1000), now.Nano()))
			began := time.Now()
			r, err := job.Start()
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("merge %s: the job took %v\n%s", how, time.Since(began), r.Stderr)
			if r.Code != 0 || r.TimedOut {
				t.Fatalf("merge %s: exit code %d, timed out %v\n%s%s", how, r.Code, r.TimedOut, r.Stdout, r.Stderr)
			}
			j.settled(how)
			if _, err := tabard("info", j.path(how+".tabard")); err != nil { // puts the parts together
				t.Fatal(err)
			}
			j.verify(how)
			report, err := tabard("report", j.path(how+".tabard"))
			if err != nil {
				t.Fatal(err)
			}
			if want := "The clock of host " + h.names[1] + " differs from that of " +
				h.names[0]; !strings.Contains(string(report), want) {
				t.Errorf("merge %s: the report has no %q:\n%s", how, want, report)
			}
			a, err := archive.Open(j.path(how + ".tabard"))
			if err != nil {
				t.Fatal(err)
			}
			checkClocks(t, a, float64(skew), ppm)
			a.Close()
		}
	})
}

func checkClocks(t *testing.T, a *archive.Archive, skew, ppm float64) {
	t.Helper()
	list := a.HostClocks()
	if len(list) != 2 || !list[0].Reference || !list[1].Measured || list[1].Residual <= 0 || len(list[1].Syncs) != 1 {
		t.Fatalf("clocks %+v", list)
	}
	c, err := clocks.Of(a)
	if err != nil {
		t.Fatal(err)
	}
	k := c.Clocks[1]
	t.Logf("measured %+v", list[1])
	t.Logf("ends %d: before %+v, fitted %+v, after %+v, moved %d, %d passes; clock %+v", c.Ends, c.Before, c.Fitted,
		c.After, c.Moved, c.Passes, k)
	if c.Ends < 800 || c.Before.Count == 0 || c.After.Count != 0 {
		t.Errorf("ends %d, before %+v, after %+v", c.Ends, c.Before, c.After)
	}
	// Ticks are true. Each process has its own relation of ticks and time, which is good to some
	// 100 ns, and times may be stored with an error.
	const relation = 4000
	truth := ticksToTime(t, a, c)
	worst, atEnd := 0.0, 0.0
	for s := range a.Streams() {
		if a.HostClock(s.Rank()) != 1 {
			continue
		}
		for call, err := range s.Iter(0) {
			if err != nil {
				t.Fatal(err)
			}
			want := truth(call.StartTicks)
			worst = max(worst, math.Abs(float64(c.At(s.Process(), call.Start))-want))
			atEnd = math.Abs(float64(call.Start) - want)
		}
	}
	t.Logf("worst error %v ns, measured times at the end %v ns", worst, atEnd)
	if !k.Known() || worst > float64(k.Residual)+relation || k.Residual > 5*time.Millisecond {
		t.Errorf("errors up to %v ns, residual %v", worst, k.Residual)
	}
	span := float64(list[1].Syncs[0].At)
	if want := ppm; math.Abs(k.Drift-want) > 2e6*float64(k.Residual+relation)/span {
		t.Errorf("drift %v ppm, want %v; residual %v", k.Drift, want, k.Residual)
	}
	// The measurement comes right after the last call begins, but the ranks of a host wait for each
	// other first.
	if want := skew + span*ppm/1e6; math.Abs(float64(list[1].Ahead)-want) > float64(list[1].Residual)+0.1*want {
		t.Errorf("clock is %v ahead, want %v; residual %v", list[1].Ahead, want, list[1].Residual)
	}
}

// ticksToTime is the true relation: that of the first process of the reference.
func ticksToTime(t *testing.T, a *archive.Archive, c *clocks.Correction) func(ticks uint64) float64 {
	t.Helper()
	var first, last archive.Call
	n := 0
	s := a.Stream(0)
	for call, err := range s.Iter(0) {
		if err != nil {
			t.Fatal(err)
		}
		if last = *call; n == 0 {
			first = last
		}
		n++
	}
	from, to := float64(c.At(s.Process(), first.Start)), float64(c.At(s.Process(), last.Start))
	rate := (to - from) / float64(last.StartTicks-first.StartTicks)
	return func(ticks uint64) float64 { return from + rate*float64(int64(ticks-first.StartTicks)) }
}
