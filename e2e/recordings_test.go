//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// recordings are those of the test programs: by MPI, ranks, flags, program and arguments a func()
// (string, error) that makes the file when it is called first.
var recordings sync.Map

// record opens the recording of a program. It is made for the first test that asks for it, and all
// tests that do look at the same file. Tests may run side by side.
func record(t *testing.T, m *mpirun.MPI, ranks int, flags []string, name string, args ...string) *archive.Archive {
	t.Helper()
	key := fmt.Sprintf("%s %d %q %s %q", m.Name, ranks, flags, name, args)
	once, _ := recordings.LoadOrStore(key, sync.OnceValues(func() (string, error) {
		return recordProgram(m, ranks, flags, name, args)
	}))
	return opened(t)(once.(func() (string, error))())
}

// recordAnew opens the recording of a run of its own.
func recordAnew(t *testing.T, m *mpirun.MPI, ranks int, flags []string, name string, args ...string) *archive.Archive {
	t.Helper()
	return opened(t)(recordProgram(m, ranks, flags, name, args))
}

// recordCommand is recordAnew for any command.
func recordCommand(t *testing.T, m *mpirun.MPI, ranks int, flags, command []string) *archive.Archive {
	t.Helper()
	return opened(t)(recorder(m, ranks, flags, command))
}

// opened opens the file that was made, until the end of the test.
func opened(t *testing.T) func(file string, err error) *archive.Archive {
	return func(file string, err error) *archive.Archive {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		a, err := archive.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = a.Close() })
		return a
	}
}

func recordProgram(m *mpirun.MPI, ranks int, flags []string, name string, args []string) (string, error) {
	p, err := program(m, name)
	if err != nil {
		return "", err
	}
	return recorder(m, ranks, flags, append(p, args...))
}

// recorder runs a command under a recorder, in a folder of its own, and gives the file, which is
// complete.
func recorder(m *mpirun.MPI, ranks int, flags, command []string) (string, error) {
	dir, err := os.MkdirTemp(buildDir, "recording-")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "app.tabard")
	args := append([]string{tabardBin, "record", "--quiet", "-o", file}, flags...)
	r, err := (&mpirun.Job{MPI: m, Ranks: ranks, Dir: dir, Args: append(args, command...)}).Start()
	if err != nil {
		return "", err
	}
	if r.TimedOut || r.Code != 0 {
		return "", fmt.Errorf("%s, %q: exit code %d, timeout %v\n%s%s", m.Name, command, r.Code, r.TimedOut, r.Stdout,
			r.Stderr)
	}
	_, err = readInfo(file) // it waits until the archive is complete
	return file, err
}
