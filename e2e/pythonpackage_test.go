//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
	"github.com/tabard-hpc/tabard/internal/testkit/planted"
)

// debianPython has pandas and matplotlib (make deps installs them).
const debianPython = "/usr/bin/python3"

// packagePython runs a Python with the package, in a directory where its questions are about app.tabard, and gives what
// it prints.
func packagePython(t *testing.T, python, dir string, env []string, args ...string) []byte {
	t.Helper()
	root := mpirun.Root()
	binary, err := filepath.Abs(tabardBin)
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	c := exec.Command(python, args...)
	c.Dir, c.Stdout, c.Stderr = dir, &out, &errs
	c.Env = append(append(os.Environ(), "PYTHONPATH="+filepath.Join(root, "python"), "TABARD="+binary,
		"TABARD_RECORDING=app.tabard", "PYTHONDONTWRITEBYTECODE=1", "MPLBACKEND=Agg"), env...)
	if err := c.Run(); err != nil {
		t.Errorf("%v: %v\n%s%s", args, err, &out, &errs)
	}
	return out.Bytes()
}

// packageDir is a directory with recordings under other names.
func packageDir(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, file := range files {
		if err := os.Symlink(file, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func packageTest(name string) string { return filepath.Join(mpirun.Root(), "python", "tests", name) }

// The Python package gives what the commands answer, and its documentation shows what it does. Debian's Python is used,
// which has pandas (make deps installs it); a second run shows that the package does without.
func TestPythonPackage(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		dir := packageDir(t, map[string]string{"app.tabard": record(t, m, 4, nil, "halo2d").File()})
		packagePython(t, debianPython, dir, nil, packageTest("test_tabard.py"))
		packagePython(t, debianPython, dir, []string{"TABARD_WITHOUT_PANDAS=1"}, packageTest("test_tabard.py"))
		packagePython(t, debianPython, dir, nil, "-m", "doctest", "-o", "ELLIPSIS",
			filepath.Join(mpirun.Root(), "docs", "python-package.md"))
	})
}

// Matplotlib draws what the package gives it; Hatchet's functions take its call paths and find the profile in them.
func TestPythonOthers(t *testing.T) {
	t.Parallel()
	file := record(t, mpis[0], 4, nil, "halo2d").File()
	dir := packageDir(t, map[string]string{"app.tabard": file})
	packagePython(t, debianPython, dir, []string{"TABARD_OTHERS=matplotlib"}, packageTest("test_others.py"))
	t.Run("hatchet", func(t *testing.T) {
		packagePython(t, foreign(t, "llnl-hatchet"), dir, []string{"TABARD_OTHERS=hatchet"},
			packageTest("test_others.py"))
	})
}

// Pipit's functions find in its traces what the commands say. Pipit is in no index of packages, so TABARD_PIPIT has to
// name the folder that its package lies in.
func TestPythonPipit(t *testing.T) {
	t.Parallel()
	pipit := os.Getenv("TABARD_PIPIT")
	if pipit == "" {
		notTested(t, "TABARD_PIPIT names no folder with Pipit")
	}
	eachExport(t, 2, func(t *testing.T, file string) {
		path := "PYTHONPATH=" + filepath.Join(mpirun.Root(), "python") + ":" + pipit
		packagePython(t, debianPython, packageDir(t, map[string]string{"app.tabard": file}),
			[]string{"TABARD_OTHERS=pipit", path}, packageTest("test_others.py"))
	})
}

// The notebooks run, and come to the right answers about recordings that are made here.
func TestNotebooks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := map[string]string{}
	for name, fault := range map[string]string{"bad": "slow", "good": "none"} {
		f := planted.Fault{Source: "faults.c", Name: fault}
		file, err := f.Record(mpis[0], tabardBin, dir)
		if err != nil {
			t.Fatal(err)
		}
		files[name+".tabard"] = file
	}
	files["slow.tabard"] = files["bad.tabard"]
	for _, n := range []int{1, 2, 4} {
		files[fmt.Sprintf("scale-%d.tabard", n)] = record(t, mpis[0], n, nil, "halo2d").File()
	}
	dir = packageDir(t, files)
	for name, want := range map[string]string{
		"slow-rank": `{"slow": 2, "found": true}`,
		"compare":   `{"slower": 2, "same calls": true}`,
		"scaling":   `{"ranks": [1, 2, 4], "messages": [0, 200, 800]}`,
	} {
		got := packagePython(t, debianPython, dir, nil, packageTest("run_notebook.py"),
			filepath.Join(mpirun.Root(), "python", "notebooks", name+".ipynb"))
		if strings.TrimSpace(string(got)) != want || !json.Valid(got) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
