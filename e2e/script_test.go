//go:build e2e

package e2e

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// TestScripts runs every script of testdata/script under every MPI. A script
// says [openmpi] or [mpich] in front of a line that holds for one only.
func TestScripts(t *testing.T) {
	t.Parallel()
	for _, m := range mpis {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			testscript.Run(t, scripts(m))
		})
	}
}

// scales are how much longer computation takes in the attempts at a script of
// testdata/script/timed. What it finds was planted, and is larger than what a machine does to times
// that has nothing else to do; on a busy one it may be small.
var scales = []int{1, 5, 25}

// TestTimedScripts runs those of testdata/script/timed, which look at how long calls take, until
// all that they demand is so. Nothing runs beside them.
func TestTimedScripts(t *testing.T) {
	for _, m := range mpis {
		t.Run(m.Name, func(t *testing.T) {
			p := scripts(m, "timed")
			for _, scale := range scales {
				t.Setenv("FAULTY_SCALE", strconv.Itoa(scale))
				a := &attempt{}
				a.Run("", func(testscript.T) { testscript.RunT(a, p) })
				if !a.failed {
					return
				}
				t.Logf("computation %d times as long: failed\n%s", scale, &a.log)
			}
			t.Fail()
		})
	}
}

// attempt runs scripts one after the other and keeps what they say, and whether they fail.
type attempt struct {
	log    strings.Builder
	failed bool
}

func (a *attempt) Run(_ string, f func(testscript.T)) {
	done := make(chan struct{})
	go func() { // which FailNow ends
		defer close(done)
		f(a)
	}()
	<-done
}

func (a *attempt) Log(args ...any)   { fmt.Fprintln(&a.log, args...) }
func (a *attempt) Skip(args ...any)  { a.Log(args...); runtime.Goexit() }
func (a *attempt) Fatal(args ...any) { a.Log(args...); a.FailNow() }
func (a *attempt) FailNow()          { a.failed = true; runtime.Goexit() }
func (a *attempt) Parallel()         {}
func (a *attempt) Verbose() bool     { return testing.Verbose() }

// scripts are those of a folder in testdata/script under an MPI, with their commands.
func scripts(m *mpirun.MPI, folder ...string) testscript.Params {
	return testscript.Params{
		Dir:             filepath.Join(append([]string{mpirun.Root(), "testdata", "script"}, folder...)...),
		ContinueOnError: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"check":  checkCommand(m),
			"tabard": tabardCommand,
			"mpirun": mpirunCommand(m),
		},
		Condition: func(cond string) (bool, error) {
			if slices.Contains(mpirun.Names, cond) {
				return cond == m.Name, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
	}
}

// tabardCommand is the script command `tabard ARGS...`: the binary under test.
func tabardCommand(ts *testscript.TestScript, neg bool, args []string) {
	err := ts.Exec(tabardBin, args...)
	if neg && err == nil {
		ts.Fatalf("tabard succeeded unexpectedly")
	}
	if !neg {
		ts.Check(err)
	}
}

// mpirunCommand is the script command
//
//	mpirun RANKS [tabard ARGS...] PROGRAM [ARGS...]
//
// where PROGRAM is written @NAME for one of testdata/mpi.
func mpirunCommand(m *mpirun.MPI) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if len(args) < 2 {
			ts.Fatalf("usage: mpirun RANKS COMMAND...")
		}
		var ranks int
		if _, err := fmt.Sscan(args[0], &ranks); err != nil {
			ts.Fatalf("ranks: %v", err)
		}
		j := &mpirun.Job{MPI: m, Ranks: ranks, Dir: ts.MkAbs(".")}
		for _, arg := range args[1:] {
			switch {
			case arg == "tabard":
				j.Args = append(j.Args, tabardBin)
			case arg[0] == '@':
				p, err := program(m, arg[1:])
				ts.Check(err)
				j.Args = append(j.Args, p...)
			default:
				j.Args = append(j.Args, arg)
			}
		}
		r, err := j.Start()
		ts.Check(err)
		fmt.Fprint(ts.Stdout(), r.Stdout)
		fmt.Fprint(ts.Stderr(), r.Stderr)
		if r.TimedOut {
			ts.Fatalf("no end")
		}
		if (r.Code != 0) != neg {
			ts.Fatalf("exit code %d\n%s%s", r.Code, r.Stdout, r.Stderr)
		}
	}
}
