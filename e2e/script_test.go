//go:build e2e

package e2e

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tabard/e2e/mpirun"
)

// TestScripts runs every script of testdata/script under every MPI. A script
// says [openmpi] or [mpich] in front of a line that holds for one only.
func TestScripts(t *testing.T) {
	for _, m := range mpis {
		t.Run(m.Name, func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Dir:             filepath.Join(mpirun.Root(), "testdata", "script"),
				ContinueOnError: true,
				Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"check":  checkCommand(m),
					"tabard": tabardCommand,
					"mpirun": mpirunCommand(m),
				},
				Condition: func(cond string) (bool, error) {
					for _, name := range mpirun.Names {
						if cond == name {
							return name == m.Name, nil
						}
					}
					return false, fmt.Errorf("unknown condition %q", cond)
				},
			})
		})
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
