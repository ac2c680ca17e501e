//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

var (
	tabardBin  string // the binary under test
	buildDir   string // compiled programs of this test run
	counterLib string // testdata/mpi/counter.c
	mpis       []*mpirun.MPI
)

func TestMain(m *testing.M) {
	os.Exit(func() int {
		if err := prepare(); err != nil {
			fmt.Fprintln(os.Stderr, "e2e:", err)
			return 1
		}
		defer os.RemoveAll(buildDir)
		return m.Run()
	}())
}

func prepare() (err error) {
	tabardBin = os.Getenv("TABARD_BIN")
	if tabardBin == "" {
		tabardBin = filepath.Join(mpirun.Root(), "bin", "tabard")
	}
	if _, err := os.Stat(tabardBin); err != nil {
		return fmt.Errorf("%w: run make first", err)
	}
	if buildDir, err = os.MkdirTemp("", "tabard-e2e-"); err != nil {
		return err
	}
	counterLib = filepath.Join(buildDir, "counter.so")
	if err := mpirun.BuildLibrary(filepath.Join(mpirun.Programs(), "counter.c"), counterLib); err != nil {
		return err
	}
	yield, err := mpirun.BuildYield(buildDir)
	if err != nil {
		return err
	}
	for _, name := range mpirun.Names {
		m, err := mpirun.Find(name)
		if err != nil {
			return err
		}
		m.YieldPreload = yield
		if err := os.Mkdir(filepath.Join(buildDir, name), 0o777); err != nil {
			return err
		}
		mpis = append(mpis, m)
	}
	return nil
}

// eachMPI runs a test under every MPI, one after the other.
func eachMPI(t *testing.T, f func(t *testing.T, m *mpirun.MPI)) {
	for _, m := range mpis {
		t.Run(m.Name, func(t *testing.T) { f(t, m) })
	}
}

var builds sync.Map // output path -> func() error

// program gives the command of a test program: compiled on first use, or
// behind its interpreter.
func program(m *mpirun.MPI, name string) ([]string, error) {
	sources, err := filepath.Glob(filepath.Join(mpirun.Programs(), name+".*"))
	if err != nil || len(sources) != 1 {
		return nil, fmt.Errorf("%d sources for test program %q (%v)", len(sources), name, err)
	}
	source, output := sources[0], filepath.Join(buildDir, m.Name, name)
	if filepath.Ext(source) == ".py" {
		// Debian's mpi4py belongs to Debian's interpreter.
		return []string{"/usr/bin/python3", source}, nil
	}
	once, _ := builds.LoadOrStore(output, sync.OnceValue(func() error { return m.Build(source, output) }))
	return []string{output}, once.(func() error)()
}

// openMPI is Open MPI.
func openMPI() *mpirun.MPI {
	return mpis[slices.IndexFunc(mpis, func(m *mpirun.MPI) bool { return m.Name == "openmpi" })]
}

// notTested skips a test, and says so where nobody asks for details.
func notTested(t *testing.T, format string, args ...any) {
	t.Helper()
	why := fmt.Sprintf(format, args...)
	fmt.Fprintf(os.Stderr, "\n=== NOT TESTED: %s: %s\n\n", t.Name(), why)
	t.Skip(why)
}
