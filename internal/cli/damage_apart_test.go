package cli

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// reply is what a command said.
type reply struct {
	code int
	out  []byte
	errs string
	// problem is what the command did that none may do, empty if nothing.
	problem string
	// interrupted tells that it was ended by Ctrl-C.
	interrupted bool
}

// here runs a command in this process. A page that it shows is visited.
func here(args []string) (a reply) {
	var out visited
	var errs bytes.Buffer
	if args[0] == "replay" {
		defer rankOfReplay()()
	}
	func() {
		defer func() {
			if p := recover(); p != nil {
				a.problem = fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		a.code = Run(args, &out, &errs)
	}()
	if a.problem == "" {
		a.problem = out.problem()
	}
	a.out, a.errs = out.Bytes(), errs.String()
	return a
}

// exitProblem is the exit code of a watched process if the command did what none may do.
const exitProblem = 99

// watched runs a command that may take so many bytes of memory, and returns the exit code of the process that is there
// for nothing else.
func watched(args []string, memory string) int {
	most, err := strconv.ParseUint(memory, 10, 64)
	if err != nil {
		panic(err)
	}
	var w watch
	w.begin(strings.Join(args, " "), most)
	go w.run(nil)
	a := here(args)
	os.Stdout.Write(a.out)
	os.Stderr.WriteString(a.errs)
	if a.problem != "" {
		os.Stderr.WriteString(a.problem)
		return exitProblem
	}
	return a.code
}

// Files that claim as many calls as somebody may wait for, or streams of somewhat more, can take hours in earnest. Such
// commands are to end at Ctrl-C instead.
const (
	longCalls, hopelessCalls = 1 << 24, 1 << 37
	interruptAfter           = 5 * time.Second
)

// claim is how many calls an archive says it has in all, and in one stream, at most 2^64-1; 0 if it cannot be opened.
type claim struct{ all, one uint64 }

func claimed(b []byte) (c claim) {
	a, err := archive.OpenReader(bytes.NewReader(b), int64(len(b)), archive.MaxSection(1<<24))
	if err != nil {
		return c
	}
	streams := 0
	for s := range a.Streams() {
		var over uint64
		c.one = max(c.one, s.Calls())
		if c.all, over = bits.Add64(c.all, s.Calls(), 0); over != 0 || streams > 1<<12 {
			return claim{math.MaxUint64, math.MaxUint64}
		}
		streams++
	}
	return c
}

// long tells whether a command may take hours with a file that claims so many calls: those that take more for
// granted are refused, unless they are to be written by all means.
func long(line string, calls claim) bool {
	return calls.all > longCalls && (calls.one < hopelessCalls ||
		strings.HasPrefix(line, "export ") && strings.Contains(line, "--force"))
}

// apart runs a command in a process of its own, which is interrupted after a while.
func apart(args []string, most uint64) (a reply) {
	cmd := ownProcess(args)
	cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%d", memoryVar, most))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		return reply{problem: err.Error()}
	}
	var sent atomic.Bool
	defer time.AfterFunc(interruptAfter, func() { sent.Store(true); cmd.Process.Signal(os.Interrupt) }).Stop()
	defer time.AfterFunc(hostileWall/2, func() { cmd.Process.Kill() }).Stop()
	err := cmd.Wait()
	a = reply{code: cmd.ProcessState.ExitCode(), out: out.Bytes(), errs: errs.String()}
	// Whoever visits a page when its server ends is not answered, and asks a server to end that has ended. A replay is
	// an MPI program, which a signal ends.
	died := ""
	if err != nil && sent.Load() {
		died = err.Error()
	}
	a.interrupted = a.code == exitInterrupted || args[0] == "replay" && died == "signal: interrupt" ||
		args[0] == "view" && sent.Load() && (a.code == exitProblem || died == "signal: terminated")
	if a.interrupted {
		return a
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || a.code < 0 || a.code == exitProblem ||
		a.code == exitUsage && strings.HasPrefix(a.errs, "panic: ") {
		a.problem = fmt.Sprintf("%v\n%s", err, a.errs)
	}
	return a
}
