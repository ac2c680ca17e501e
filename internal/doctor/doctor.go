// Package doctor finds out whether recording works on a machine, and says
// what to do where it does not.
package doctor

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/record/collect"
)

// Status of a check.
type Status string

// Statuses: Warn works with a restriction, Fail does not work, None is not there, which need not be bad.
const (
	OK   Status = "ok"
	Warn Status = "warn"
	Fail Status = "fail"
	None Status = "none"
)

// Check is one finding.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Detail string `json:"detail"`
	// Fix says what to do; empty if nothing needs doing.
	Fix string `json:"fix,omitempty"`
}

// Config is what the checks depend on.
type Config struct {
	// Self is the path of the tabard program, for the trial.
	Self string
	// Runtime is the runtime library that is preloaded into programs.
	Runtime []byte
	// StateRoots are the places for the state of a recording, best first.
	StateRoots []string
	// Dir is where archives go by default.
	Dir string
	// Leftovers are the state directories that exist.
	Leftovers []collect.Leftover
	// Inspect opens the archive of a trial and gives the number of its ranks
	// and calls; it fails if the archive is not complete.
	Inspect func(path string) (ranks int, calls uint64, err error)
	// Trial switches on the check that compiles and runs a program.
	Trial bool
	// Progress is called with what the checks are doing.
	Progress func(what string)
}

// Run makes all checks. It ends early when ctx does.
func Run(ctx context.Context, c Config) []Check {
	if c.Progress == nil {
		c.Progress = func(string) {}
	}
	var checks []Check
	c.Progress("looking for MPI")
	launchers := findLaunchers(ctx, os.Getenv("PATH"))
	checks = append(checks, checkLaunchers(launchers), checkLibraries(ctx))
	c.Progress("preloading the runtime")
	checks = append(checks, checkPreload(ctx, c)...)
	checks = append(checks, checkLeftovers(c.Leftovers, time.Now())...)
	checks = append(checks, checkRemoveIPC(systemIPC(), c.StateRoots)...)
	checks = append(checks, checkClock(clockFiles), checkOutput(c.Dir))
	checks = append(checks, checkLimits()...)
	if c.Trial {
		checks = append(checks, trials(ctx, c, launchers)...)
	}
	return checks
}

// Failed reports whether an essential check failed.
func Failed(checks []Check) bool {
	for _, c := range checks {
		if c.Status == Fail {
			return true
		}
	}
	return false
}

func ok(name, format string, args ...any) Check {
	return Check{Name: name, Status: OK, Detail: fmt.Sprintf(format, args...)}
}

func warn(name, fix, format string, args ...any) Check {
	return Check{Name: name, Status: Warn, Detail: fmt.Sprintf(format, args...), Fix: fix}
}

func fail(name, fix, format string, args ...any) Check {
	return Check{Name: name, Status: Fail, Detail: fmt.Sprintf(format, args...), Fix: fix}
}

// firstLine gives the first line of a text that is not empty.
func firstLine(s string) string {
	for _, l := range strings.Split(s, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			return l
		}
	}
	return ""
}

// lastLines gives at most n lines from the end of a text.
func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], " / ")
}

const shortWait = 10 * time.Second
