package collect

import (
	"math"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// burst is how much processor time a collector that has used less than its share may use at once.
const burst = 100 * time.Millisecond

// A cpuLimit keeps this process within a share of the processors. What is used between two calls of wait may be too
// much; it is made up for.
type cpuLimit struct {
	cpus float64 // 0: no limit
	mu   sync.Mutex
	then time.Time     // the last call
	used time.Duration // by this process until then
	debt time.Duration // processor time used beyond the share; below 0: not used yet
}

func newCPULimit(cpus float64) *cpuLimit {
	if cpus > 0 {
		runtime.GOMAXPROCS(min(runtime.GOMAXPROCS(0), int(math.Ceil(cpus))))
	}
	return &cpuLimit{cpus: cpus, then: time.Now(), used: processorTime()}
}

// wait sleeps for as long as this process has used more than its share, and the limit holds.
func (l *cpuLimit) wait(holds func() bool) {
	for l.cpus > 0 && holds() {
		pause := l.pause(time.Now(), processorTime())
		if pause == 0 {
			return
		}
		time.Sleep(min(pause, mostSleep))
	}
}

// pause is how long the process has to sleep at a time at which it has used so much.
func (l *cpuLimit) pause(now time.Time, used time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.debt += used - l.used - time.Duration(float64(now.Sub(l.then))*l.cpus)
	l.debt = max(l.debt, -burst)
	l.then, l.used = now, used
	return max(0, time.Duration(float64(l.debt)/l.cpus))
}

// drains is how many processes are taken in at a time: without a limit a processor is left to the program.
func (l *cpuLimit) drains() int {
	if l.cpus > 0 {
		return runtime.GOMAXPROCS(0)
	}
	return max(1, min(4, runtime.GOMAXPROCS(0)-1))
}

// processorTime is what this process has used, 0 if that is unknown.
func processorTime() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
