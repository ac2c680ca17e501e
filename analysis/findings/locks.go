package findings

import (
	"fmt"
	"time"
)

// Lock is a place where threads find locks taken.
type Lock struct {
	Func, Site string
	Waits      uint64
	Time       time.Duration // of all threads
}

// locked reports that threads wait for locks that others hold. Semaphores, conditions and barriers are no matter of
// contention: a thread that has nothing to do waits there, too.
func (f *finder) locked() {
	var sum time.Duration
	var waits uint64
	for _, l := range f.Locks {
		sum += l.Time
		waits += l.Waits
	}
	if len(f.Locks) == 0 || f.share(sum) < least {
		return
	}
	first := f.Locks[0]
	n := Finding{Kind: LockContention, Cost: sum, Process: -1, Func: first.Func, Site: first.Site, Step: -1,
		Command: []string{"profile", "--by", "site", "--function", first.Func}}
	n.Text = fmt.Sprintf("threads wait %d times for locks that others hold (%s in all threads together), most in %s "+
		"(%d times, %s)",
		waits, f.Duration(sum), call(first.Func, first.Site), first.Waits, f.Duration(first.Time))
	f.add(n)
}
