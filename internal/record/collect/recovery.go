package collect

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// How much garbage there may be, in per cent of what lives. On long loop bodies a quarter of the work was the garbage
// collector marking what never dies; regular programs make little garbage, and all their ranks together may have 1 MiB
// each.
const (
	thrifty, generous = 50, 200
	// generousFrom is how large the state of a process is, as its checkpoint has it, that is worth generosity.
	generousFrom = 1 << 20
)

// Main is the body of the collector process of the state directory dir, whose
// lock it holds. What no process of the program lives to say is printed to the descriptor to, -1 for none.
func Main(dir string, to int) error {
	debug.SetGCPercent(thrifty)
	c, err := newCollector(dir, os.Stderr)
	if err != nil {
		return err
	}
	c.console = console(to)
	c.limit, c.retreat = newCPULimit(c.job.CPUs), newRetreat()
	return c.run()
}

var wasGenerous atomic.Bool

// beGenerous lets the garbage collector work less once a process has so large a state.
func beGenerous(state int) {
	if state >= generousFrom && !wasGenerous.Swap(true) {
		debug.SetGCPercent(generous)
	}
}

// Recover makes the archive of a recording to output whose collector is gone, waits for one that
// lives, or brings home an archive that could not be written. It returns the path of the archive,
// empty if nothing was recorded to output or left of it. With wait false it returns ErrRecording if
// the program still runs. What it waits for is told on progress.
func Recover(output string, wait bool, progress io.Writer) (path string, report Report, err error) {
	if output, err = CanonicalOutput(output); err != nil {
		return "", Report{}, err
	}
	if _, claimed := readClaim(output); !claimed && isThere(output) {
		path = output
	}
	seen := map[string]bool{}
	for again := true; again; {
		again = false
		for _, dir := range FindStates(output) {
			if seen[dir] {
				continue
			}
			seen[dir] = true
			p, r, e := recoverState(dir, wait, progress)
			switch {
			case errors.Is(e, errGone):
				again = true // it may have been set aside
			case e != nil:
				err = errors.Join(err, e)
				if p == "" {
					continue
				}
			}
			if p == "" {
				if _, claimed := readClaim(output); claimed || !isThere(output) {
					continue
				}
				p = output
			}
			path, report = p, r
		}
	}
	if path == "" && err == nil {
		if c, claimed := readClaim(output); claimed {
			err = &claimedError{output, c}
		} else if isThere(output) { // its collector wrote it, and was gone, since we looked
			path = output
		}
	}
	return path, report, err
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// recoverState deals with one state directory.
func recoverState(dir string, wait bool, progress io.Writer) (string, Report, error) {
	lock, err := electOrWait(dir, wait, progress)
	if err != nil {
		return "", Report{}, err
	}
	if lock == nil {
		return "", Report{}, errGone
	}
	defer lock.Close()
	job, err := ReadJob(dir)
	if err != nil {
		return "", Report{}, err
	}
	// A collector that was killed after it wrote the archive early left more than the archive.
	if _, e := os.Stat(filepath.Join(dir, endedFile)); e == nil && job.Archive != "" {
		return bringHome(dir, job)
	}
	// The log of the lost collector stays readable above ours.
	log, err := OpenLog(dir)
	if err != nil {
		return "", Report{}, err
	}
	defer log.Close()
	c, err := newCollector(dir, log)
	if err != nil {
		return "", Report{}, err
	}
	defer c.control.Close()
	c.began = time.Now().Add(-time.Hour) // whoever has not registered by now is not coming
	c.look()
	if n := c.alive(); n > 0 {
		if !wait {
			return "", Report{}, fmt.Errorf(
				"%s: %w: %d processes are running, their collector is gone",
				job.Output,
				ErrRecording,
				n,
			)
		}
		fmt.Fprintf(progress, "tabard: %s: collecting until the %d running processes end\n", job.Output, n)
	}
	err = c.run()
	path := c.job.target()
	if c.job.Taken && !c.written {
		path = c.job.Output
	}
	if c.job.Archive != "" {
		path = c.dir.Join(KeptArchive)
		c.report.Kept = true
	}
	if err != nil {
		path = ""
	}
	return path, c.report, err
}

func (c *collector) alive() int {
	n := 0
	for _, p := range c.order {
		if p.watch.alive() {
			n++
		}
	}
	return n
}

// StartGrace is how long a job has for its collector to come. Who takes its place before, to read the
// recording, may find a job without ranks, and would end it.
const StartGrace = 5 * time.Second

// starting tells whether a job has begun just now.
func starting(dir string) bool {
	job, err := ReadJob(dir)
	if err != nil || job.Launcher.PID == 0 {
		return false
	}
	w := newWatch(job.Launcher)
	defer w.close()
	age := time.Since(job.Created)
	return age >= 0 && age < StartGrace && w.alive()
}

// Claimed tells whether a recording to output has begun and has not been written.
func Claimed(output string) bool {
	output, err := CanonicalOutput(output)
	if err != nil {
		return false
	}
	_, claimed := readClaim(output)
	return claimed
}

// electOrWait takes the lock of the collector of dir. It returns nil if the
// directory went away meanwhile.
func electOrWait(dir string, wait bool, progress io.Writer) (*os.File, error) {
	told := false
	for {
		var lock *os.File
		if !starting(dir) {
			var err error
			if lock, err = Elect(dir); errors.Is(err, os.ErrNotExist) {
				return nil, nil
			} else if err != nil {
				return nil, err
			}
		}
		if lock != nil {
			// The directory may have been renamed before we had the lock.
			if !IsCollectLock(dir, int(lock.Fd())) {
				lock.Close()
				return nil, nil
			}
			return lock, nil
		}
		if !wait {
			return nil, ErrRecording
		}
		if !told {
			told = true
			fmt.Fprintln(progress, "tabard: waiting for the recording to end")
		}
		time.Sleep(20 * time.Millisecond)
	}
}
