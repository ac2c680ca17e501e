//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// packageVersion is what the package of the test says that it is: nothing else does.
const packageVersion = "9.8.7+6.gabcdef0"

// TestPackage installs the package of Debian into an empty root, and goes with nothing but what is in it from there to
// the cause of a planted fault. Manual pages, completions and the module file are where their readers look.
// The same files give the same package.
func TestPackage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	binary, err := filepath.Abs(tabardBin)
	if err != nil {
		t.Fatal(err)
	}
	deb := "tabard_" + packageVersion + "-1_amd64.deb"
	for _, out := range []string{"one", "two"} {
		c := exec.Command("packaging/package.sh", "amd64", binary, filepath.Join(dir, "work"),
			filepath.Join(dir, out), "deb",
			"rpm")
		c.Dir = mpirun.Root()
		c.Env = append(os.Environ(), "VERSION="+packageVersion, "SOURCE_DATE_EPOCH=1700000000")
		succeed(t, c)
	}
	for _, name := range []string{deb, "tabard-" + packageVersion + "-1.x86_64.rpm"} {
		sameFile(t, filepath.Join(dir, "one", name), filepath.Join(dir, "two", name))
	}

	root := filepath.Join(dir, "root")
	succeed(t, exec.Command("dpkg-deb", "--extract", filepath.Join(dir, "one", deb), root))
	said := succeed(t, exec.Command("dpkg-deb", "--field", filepath.Join(dir, "one", deb), "Version", "Depends"))
	if !strings.Contains(said, "Version: "+packageVersion+"-1\n") || !strings.Contains(said, "libc6 (>= 2.34)") {
		t.Errorf("the package says\n%s", said)
	}
	for _, path := range []string{"bin/tabard", "include/tabard.h", "share/man/man1/tabard-record.1.gz",
		"share/bash-completion/completions/tabard", "share/zsh/vendor-completions/_tabard",
		"share/fish/vendor_completions.d/tabard.fish", "share/modulefiles/tabard/" + packageVersion,
		"share/doc/tabard/copyright", "share/doc/tabard/changelog.Debian.gz"} {
		if _, err := os.Stat(filepath.Join(root, "usr", path)); err != nil {
			t.Error(err)
		}
	}

	installed := filepath.Join(root, "usr", "bin", "tabard")
	sameFile(t, binary, installed)
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		program, err := program(m, "faulty")
		if err != nil {
			t.Fatal(err)
		}
		j := &mpirun.Job{MPI: m, Ranks: 4, Dir: t.TempDir(),
			Env:  []string{"FAULTY_SCALE=5"}, // larger than what a busy machine does to times
			Args: append(append([]string{installed, "record", "-o", "app.tabard"}, program...), "slow")}
		if r, err := j.Start(); err != nil || r.Code != 0 {
			t.Fatalf("%v: %+v", err, r)
		}
		report := exec.Command(installed, "report", filepath.Join(j.Dir, "app.tabard"))
		report.Env = []string{"PATH=" + filepath.Dir(installed)} // nothing else of this machine
		if out := succeed(t, report); !strings.Contains(out, "1. warning: Rank 2 comes late to") {
			t.Errorf("the report does not begin with rank 2, which computes six times as long\n%s", out)
		}
	})
}

// succeed gives the output of a command that has to succeed.
func succeed(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", c.Args, err, out)
	}
	return string(out)
}

// sameFile demands equal files.
func sameFile(t *testing.T, a, b string) {
	t.Helper()
	one, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	two, err := os.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	if string(one) != string(two) {
		t.Errorf("%s differs in a second run", filepath.Base(a))
	}
}
