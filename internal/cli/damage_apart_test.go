package cli

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
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

// commandToRun has the words of a command line for a process that is there for nothing else.
const commandToRun = "TABARD_TEST_COMMAND"

// exitProblem is the exit code of such a process if the command did what none may do.
const exitProblem = 99

func TestMain(m *testing.M) {
	if text := os.Getenv(commandToRun); text != "" {
		a := here(strings.Split(text, "\n"))
		os.Stdout.Write(a.out)
		os.Stderr.WriteString(a.errs)
		if a.problem != "" {
			os.Stderr.WriteString(a.problem)
			os.Exit(exitProblem)
		}
		os.Exit(a.code)
	}
	os.Exit(m.Run())
}

// Files that claim as many calls as somebody may wait for, or somewhat more, can take hours in earnest. Such commands
// are to end at Ctrl-C instead.
const (
	longCalls, hopelessCalls = 1 << 24, 1 << 33
	interruptAfter           = 5 * time.Second
)

// long tells whether an archive claims so many calls.
func long(b []byte) bool {
	a, err := archive.OpenReader(bytes.NewReader(b), int64(len(b)), archive.MaxSection(1<<24))
	if err != nil {
		return false
	}
	sum, streams := uint64(0), 0
	for s := range a.Streams() {
		var over uint64
		if sum, over = bits.Add64(sum, s.Calls(), 0); over != 0 || streams > 1<<12 {
			return false
		}
		streams++
	}
	return sum > longCalls && sum < hopelessCalls
}

// apart runs a command in a process of its own, which is interrupted after a while. Resident memory is to stay below
// most bytes.
func apart(args []string, most uint64) (a reply) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), commandToRun+"="+strings.Join(args, "\n"))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		return reply{problem: err.Error()}
	}
	defer time.AfterFunc(interruptAfter, func() { cmd.Process.Signal(os.Interrupt) }).Stop()
	defer time.AfterFunc(hostileWall/2, func() { cmd.Process.Kill() }).Stop()
	err := cmd.Wait()
	a = reply{code: cmd.ProcessState.ExitCode(), out: out.Bytes(), errs: errs.String()}
	a.interrupted = a.code == exitInterrupted
	var exit *exec.ExitError
	switch peak := uint64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) << 10; {
	case err != nil && !errors.As(err, &exit), a.code < 0, a.code == exitProblem:
		a.problem = fmt.Sprintf("%v\n%s", err, a.errs)
	case peak > most:
		a.problem = fmt.Sprintf("%d MiB", peak>>20)
	}
	return a
}
