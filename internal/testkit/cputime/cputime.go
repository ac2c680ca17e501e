// Package cputime measures what a test computes, for bounds that hold on a busy machine too: there,
// time on the clock says what others do.
package cputime

import (
	"time"

	"golang.org/x/sys/unix"
)

// Used returns the CPU time of this process so far, of all its threads.
func Used() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic("cputime: " + err.Error()) // there is no such error
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Since returns the CPU time since Used was called.
func Since(used time.Duration) time.Duration { return Used() - used }
