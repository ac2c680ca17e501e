package verify

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/merge"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/record/ring/ringtest"
)

// of gives the logs of a scenario as those of some process of some run. The
// reading of the clocks tells processes apart.
func of(s *scenario, name string, run int64, pid int, start, clock uint64) []Log {
	s.meta[len(s.meta)-1] = ringtest.Meta(ring.RClock, 0, clock, 2, 3, 1)
	logs := s.logs()
	for i := range logs {
		l := &logs[i]
		l.Name, l.Run, l.PID, l.Start = fmt.Sprint(name, i), run, pid, start
	}
	return logs
}

// brief is a process with few calls. n tells processes apart.
func brief(n int) *scenario {
	s := &scenario{now: 100, meta: slices.Clone(full().meta)}
	for range n {
		s.barrier(world, pre("MPI_COMM_WORLD"))
	}
	return s
}

// Several runs may write to one folder. Logs of other runs are named and left out, also if their
// processes had the same ids.
func TestLogsOfOtherRuns(t *testing.T) {
	a := pack(t, rankData(), brief(3).archive())
	own := of(brief(3), "own", thisRun, 7, 50, 1)
	later := of(brief(5), "later", thisRun+1, 7, 40, 9)
	other := of(brief(2), "other", thisRun+1, 8, 40, 8)
	old := of(brief(3), "old", 0, 7, 50, 1) // of a version that did not note the run
	unread := of(brief(1), "unread", thisRun-1, 9, 40, 7)
	unread[0].Records = func() iter.Seq2[Record, error] {
		return func(yield func(Record, error) bool) { yield(Record{}, fmt.Errorf("cut off")) }
	}
	for _, c := range []struct {
		logs    [][]Log
		ignored string
		equal   bool
	}{
		{[][]Log{own}, "", true},
		{[][]Log{old}, "", true},
		{[][]Log{later, other, unread, own}, "later0 other0 unread0", true},
		{[][]Log{later, other}, "later0 other0", false}, // nothing of this run
		{[][]Log{own, of(brief(1), "more", thisRun, 8, 60, 4)}, "", false},
		{[][]Log{of(brief(4), "wrong", thisRun, 7, 50, 1)}, "", false},
		{[][]Log{of(brief(3), "node", thisRun+5, 7, 50, 1)}, "", true}, // another node's part of the run, by its clock
	} {
		r := compare(t, a, slices.Concat(c.logs...))
		if r.Equal() != c.equal || strings.Join(r.Ignored, " ") != c.ignored {
			t.Errorf("%s: differences %v, left out %q", c.logs[0][0].Name, r.First, r.Ignored)
		}
	}
}

// A process id may be used twice in a run. The clocks decide, whatever the order.
func TestProcessIDsUsedTwice(t *testing.T) {
	b := merge.New()
	b.SetMeta(archive.Meta{ABI: 2})
	first, second := rankData(), rankData()
	second.World = 1 // the rank is the same in both
	second.Clocks = []archive.Clock{{Ticks: 9, RealNS: 2, MonoNS: 3}}
	for _, c := range []struct {
		r archive.RankData
		s *scenario
	}{{second, brief(5)}, {first, brief(3)}} {
		addProcess(t, b, c.r, c.s.archive())
	}
	logs := slices.Concat(of(brief(3), "first", thisRun, 7, 40, 1), of(brief(5), "second", thisRun, 7, 50, 9))
	if r := compare(t, open(t, b), logs); !r.Equal() || r.Processes != 2 {
		t.Errorf("%d processes, differences %v", r.Processes, r.First)
	}
}
