//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// The Python package gives what the commands answer, and its documentation shows what it does. Debian's Python is used,
// which has pandas (make deps installs it); a second run shows that the package does without.
func TestPythonPackage(t *testing.T) {
	root := mpirun.Root()
	forEachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		dir := t.TempDir()
		if err := os.Symlink(record(t, m, 4, nil, "halo2d").File(), filepath.Join(dir, "app.tabard")); err != nil {
			t.Fatal(err)
		}
		binary, err := filepath.Abs(tabardBin)
		if err != nil {
			t.Fatal(err)
		}
		python := func(env string, args ...string) {
			t.Helper()
			c := exec.Command("/usr/bin/python3", args...)
			c.Dir = dir
			c.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join(root, "python"), "TABARD="+binary,
				"TABARD_RECORDING=app.tabard", "PYTHONDONTWRITEBYTECODE=1", env)
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v: %v\n%s", args, err, out)
			}
		}
		tests := filepath.Join(root, "python", "tests", "test_tabard.py")
		python("PYTHONHASHSEED=1", tests)
		python("TABARD_WITHOUT_PANDAS=1", tests)
		python("PYTHONHASHSEED=1", "-m", "doctest", "-o", "ELLIPSIS", filepath.Join(root, "docs", "python-package.md"))
	})
}
