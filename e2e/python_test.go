//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// pythons are the interpreters that are there, by version: Debian's, and others that can be had.
func pythons(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	names := []string{"/usr/bin/python3", "python3", "python3.9", "python3.10", "python3.12", "python3.13"}
	// pyenv's names start the interpreters that are chosen only; the others lie beside those.
	if root, err := exec.Command("pyenv", "root").Output(); err == nil {
		for _, minor := range []string{"9", "10", "11", "12", "13", "14"} {
			more, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "versions", "3."+minor+".*",
				"bin", "python3"))
			names = append(names, more...)
		}
	}
	for _, name := range names {
		out, err := exec.Command(name, "-c",
			"import sys; print('%d.%d.%d' % sys.version_info[:3], sys.executable)").Output()
		if version, path, ok := strings.Cut(strings.TrimSpace(string(out)), " "); err == nil && ok &&
			found[version] == "" {
			found[version] = path
		}
	}
	if len(found) == 0 {
		t.Fatal("no Python")
	}
	return found
}

// recordedFunctions counts the functions of Python that were begun, by name, and the ends.
func recordedFunctions(t *testing.T, file string) (begun map[string]int, ends int) {
	t.Helper()
	begun = map[string]int{}
	for _, line := range strings.Split(runCommand(t, nil, tabardBin, "dump", file).out, "\n") {
		if _, rest, ok := strings.Cut(line, "python_begin(name=\""); ok {
			name, _, _ := strings.Cut(rest, "\"")
			begun[name]++
		}
		if strings.Contains(line, "python_end") {
			ends++
		}
	}
	return begun, ends
}

// TestPythonFunctions compares the calls of functions of all kinds with those that sys.setprofile tells of.
func TestPythonFunctions(t *testing.T) {
	t.Parallel()
	prog := filepath.Join(mpirun.Root(), "testdata", "python", "functions.py")
	for version, python := range pythons(t) {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file, counts := filepath.Join(dir, "p.tabard"), filepath.Join(dir, "counts")
			plain := runCommand(t, []string{"COUNT=" + counts}, python, prog)
			if got := runCommand(t, nil, tabardBin, "record", "-q", "--events=python", "-o", file, python,
				prog); got != plain {
				t.Errorf("%+v, but recorded %+v", plain, got)
			}
			begun, ends := recordedFunctions(t, file)
			b, err := os.ReadFile(counts)
			if err != nil {
				t.Fatal(err)
			}
			sum := 3 // the module and its classes, before anybody counted
			for _, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
				name, number, _ := strings.Cut(line, " ")
				n, _ := strconv.Atoi(number)
				if begun[name] != n {
					t.Errorf("%s was called %d times, recorded %d", name, n, begun[name])
				}
				sum += n
			}
			all := 0
			for _, n := range begun {
				all += n
			}
			if sum < 1500 || all != sum || ends != sum {
				t.Errorf("%d calls, recorded %d with %d ends", sum, all, ends)
			}
		})
	}
}

// TestPythonDeep records calls as deep as they can be without a recorder: the program is as before, and what could not
// be seen is said.
func TestPythonDeep(t *testing.T) {
	t.Parallel()
	prog := filepath.Join(mpirun.Root(), "testdata", "python", "deep.py")
	for version, python := range pythons(t) {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "p.tabard")
			plain := runCommand(t, nil, python, prog)
			if got := runCommand(t, nil, tabardBin, "record", "-q", "--events=python", "-o", file, python,
				prog); got != plain {
				t.Errorf("%+v, but recorded %+v", plain, got)
			}
			lost := strings.Contains(runCommand(t, nil, tabardBin, "info", file).out, "could not be recorded")
			begun, ends := recordedFunctions(t, file)
			all := 0
			for _, n := range begun {
				all += n
			}
			depth, _ := strconv.Atoi(strings.Fields(plain.out)[0])
			if all != ends || begun["__main__.step"] != 10 || (!lost && begun["__main__.down"] <= depth) {
				t.Errorf("recorded %v, %d ends; some are lost: %v", begun, ends, lost)
			}
		})
	}
}

// TestPythonMPI records a program of mpi4py: its own functions, or those of modules that are named.
func TestPythonMPI(t *testing.T) {
	t.Parallel()
	m, dir := mpis[0], t.TempDir()
	record := func(file string, flags ...string) {
		t.Helper()
		args := append([]string{tabardBin, "record", "-q", "-o", filepath.Join(dir, file)}, flags...)
		j := mpirun.Job{MPI: m, Ranks: 2, Dir: dir,
			Args: append(args, "/usr/bin/python3", filepath.Join(mpirun.Root(), "testdata", "python", "ring.py"))}
		r, err := j.Start()
		if err != nil || r.Code != 0 || r.Stdout != "value 10 [10]\n" {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	record("a.tabard", "--events=mpi,python")
	record("json.tabard", "--python=json")
	a := filepath.Join(dir, "a.tabard")
	begun, ends := recordedFunctions(t, a)
	if len(begun) != 3 || begun["__main__.step"] != 20 || begun["__main__.main"] != 2 ||
		begun["__main__.<module>"] != 2 ||
		ends != 24 {
		t.Errorf("functions %v, %d ends", begun, ends)
	}
	if begun, _ := recordedFunctions(t, filepath.Join(dir, "json.tabard")); begun["json.dumps"] != 1 ||
		begun["json.encoder.JSONEncoder.encode"] != 1 || begun["__main__.step"] != 0 {
		t.Errorf("of json: %v", begun)
	}
	p := runCommand(t, nil, tabardBin, "profile", a, "--by", "region")
	if !strings.Contains(p.out, "    __main__.step [") {
		t.Errorf("profile:\n%s", p.out)
	}
	in := runCommand(t, nil, tabardBin, "profile", a, "--in", "__main__.step", "--by", "function")
	if !strings.Contains(in.out, "MPI_Mprobe") || strings.Contains(in.out, "MPI_Barrier") {
		t.Errorf("in a function:\n%s", in.out)
	}
}
