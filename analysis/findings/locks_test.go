package findings

import (
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/efficiency"
)

// TestLockFinding: contention is told from a hundredth of the time on, with the place that threads wait longest at.
func TestLockFinding(t *testing.T) {
	usage := &efficiency.Result{End: time.Second, Processes: []efficiency.Process{{End: time.Second}}}
	locks := []Lock{{"pthread_mutex_lock", "a.c:3 [work]", 40, 50 * time.Millisecond},
		{"pthread_rwlock_wrlock", "", 2, time.Millisecond}}
	found := Of(Input{Usage: usage, Locks: locks})
	const want = "Threads wait 42 times for locks that others hold (51ms in all threads together), most in " +
		"pthread_mutex_lock at " +
		"a.c:3 [work] (40 times, 50ms)"
	if len(found) != 1 || found[0].Text != want || found[0].Kind != LockContention || found[0].Severity != Warning {
		t.Errorf("%+v instead of %q", found, want)
	}
	if found := Of(Input{Usage: usage, Locks: locks[1:]}); len(found) != 0 {
		t.Errorf("a thousandth of the time: %+v", found)
	}
}
