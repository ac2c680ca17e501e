package collect

import (
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// lookAtCPUs is how often it is looked where ranks are bound: they make threads, and bind them.
	lookAtCPUs = 2 * time.Second
	// ranksPerCPU is how many ranks a processor of the collector's own can take in: with fewer processors it is better
	// off anywhere.
	ranksPerCPU = 32
)

// A retreat keeps this process on processors that no rank is bound to, where there are any.
type retreat struct {
	all    unix.CPUSet // where this process may run
	now    unix.CPUSet // where it does
	looked time.Time
}

func newRetreat() *retreat {
	r := &retreat{}
	if unix.SchedGetaffinity(0, &r.all) != nil {
		return nil
	}
	r.now = r.all
	return r
}

// keepAway looks where the threads of the processes are bound, now and then.
func (r *retreat) keepAway(order []*process) {
	if r == nil || time.Since(r.looked) < lookAtCPUs {
		return
	}
	r.looked = time.Now()
	var taken []unix.CPUSet
	ranks := 0
	for _, p := range order {
		if !p.finished {
			ranks++
			taken = append(taken, boundTo(p.id.PID)...)
		}
	}
	if to := r.choose(taken, ranks); to != r.now {
		r.now = to
		moveThreads(&to)
	}
}

// choose returns the processors that nobody is bound to, all if these are too few for so many ranks.
func (r *retreat) choose(taken []unix.CPUSet, ranks int) unix.CPUSet {
	free := r.all
	for i := range taken {
		for w := range free {
			free[w] &^= taken[i][w]
		}
	}
	if n := free.Count(); n == 0 || n*ranksPerCPU < ranks {
		return r.all
	}
	return free
}

// boundTo lists where the threads of a process may run.
func boundTo(pid int) (sets []unix.CPUSet) {
	for _, tid := range threadsOf(strconv.Itoa(pid)) {
		var s unix.CPUSet
		if unix.SchedGetaffinity(tid, &s) == nil {
			sets = append(sets, s)
		}
	}
	return sets
}

// moveThreads binds all threads of this process. Those that they make later inherit it, so that two looks see all.
func moveThreads(to *unix.CPUSet) {
	for range 2 {
		for _, tid := range threadsOf("self") {
			_ = unix.SchedSetaffinity(tid, to) // it may have ended
		}
	}
}

func threadsOf(process string) (tids []int) {
	entries, err := os.ReadDir(filepath.Join("/proc", process, "task"))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if tid, err := strconv.Atoi(e.Name()); err == nil {
			tids = append(tids, tid)
		}
	}
	return tids
}
