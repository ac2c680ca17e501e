package faults

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Cause says why a process ended.
type Cause uint8

// Causes, those that tell most first.
const (
	Crashed Cause = iota // by a signal that a process brings upon itself
	Aborted              // it called MPI_Abort
	Exited               // it exited without MPI_Finalize
	Killed               // by a signal that comes from outside, as a rule because another process had ended
)

// Death is a process that did not end in order.
type Death struct {
	Process int32
	Cause   Cause
	// Signal is its number, 0 if there was none; End is how it ended in words.
	Signal int
	End    string
	// Open is the call that it was in, Last are the last calls that returned, the latest first; of the main thread or,
	// where that made none, of another.
	Open *archive.Call
	Last []*archive.Call
	// At is when it ended, since the start of the trace; only if Timed.
	At    time.Duration
	Timed bool
}

// mostLast is how many calls are kept of a process that died, mostOwn how many processes that ended by themselves are
// looked at that closely.
const (
	mostLast = 3
	mostOwn  = 16
)

// own are the signals that a process brings upon itself: SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGXCPU,
// SIGXFSZ and SIGSYS.
var own = []int{4, 5, 6, 7, 8, 11, 24, 25, 31}

func deaths(p *calls.Program) ([]Death, error) {
	var list []Death
	of := map[int]int{} // by process
	for i := range p.Processes() {
		r := p.Archive.Rank(i)
		if r.Complete || strings.HasPrefix(r.End, archive.Running) || r.Rank < 0 {
			continue
		}
		d := Death{Process: p.Number(i), End: r.End, Cause: Exited}
		if _, err := fmt.Sscanf(r.End, "killed by signal %d", &d.Signal); err == nil {
			d.Cause = Killed
			if slices.Contains(own, d.Signal) {
				d.Cause = Crashed
			}
		} else if !strings.HasPrefix(r.End, "exited with status") {
			continue
		}
		d.At, d.Timed = p.Archive.EndTime(r)
		of[i] = len(list)
		list = append(list, d)
	}
	if len(list) == 0 {
		return nil, nil
	}
	for s := range p.Archive.Streams() {
		k, ok := of[s.Process()]
		if !ok || list[k].Open != nil || len(list[k].Last) > 0 && list[k].Cause == Killed {
			continue
		}
		if err := list[k].read(s); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(
		list,
		func(a, b Death) int { return cmp.Or(cmp.Compare(a.Cause, b.Cause), cmp.Compare(a.At, b.At)) },
	)
	return list, nil
}

// read looks at the last calls of a thread.
func (d *Death) read(s *archive.Stream) error {
	var open *archive.Call
	var last []*archive.Call
	for c, err := range s.Ending() {
		if err != nil {
			return err
		}
		if len(last) == mostLast {
			break
		}
		switch {
		case c.Func.Own():
		case c.Flags&archive.Unfinished != 0:
			open = c
		default:
			last = append(last, c)
		}
	}
	if open == nil && len(d.Last) > 0 {
		return nil
	}
	d.Open, d.Last = open, last
	if open != nil && open.Func.Op == spec.OpAbort {
		d.Cause = Aborted
	}
	return nil
}
