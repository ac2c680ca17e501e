//go:build e2e

package e2e

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// TestMarkers records annotations whose libraries are linked with the program (a stand-in for them has their
// interfaces): each is recorded once, the library is called as without recording, and what it calls itself is no
// region.
func TestMarkers(t *testing.T) {
	t.Parallel()
	from, dir := filepath.Join(mpirun.Root(), "testdata", "markers"), t.TempDir()
	for _, args := range [][]string{
		{"-shared", "-fPIC", "-Wl,-soname,libmarkers.so", "-o", filepath.Join(dir, "libmarkers.so"),
			filepath.Join(from, "fakemarkers.cc")},
		{"-g", "-o", filepath.Join(dir, "markers"), filepath.Join(from, "markers.cc"),
			filepath.Join(dir, "libmarkers.so"),
			"-Wl,-rpath," + dir},
	} {
		if out, err := exec.Command("g++", append([]string{"-O1", "-Wall", "-Wextra", "-Werror"},
			args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	run := func(name string, args ...string) string {
		c := exec.Command(name, args...)
		c.Dir = dir
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s %v: %v", name, args, err)
		}
		return string(out)
	}
	plain := run("./markers")
	if got := run(tabardBin, "record", "-q", "--events=regions", "--state", filepath.Join(dir, "state"), "-o",
		"x.tabard",
		"./markers"); got != plain {
		t.Errorf("the program printed %q, and %q without recording", got, plain)
	}
	out := run(tabardBin, "profile", "x.tabard", "--by", "region", "--top", "0")
	for _, want := range []string{`(?m)^main phase \[caliper phase\] +1 `, `(?m)^  loop \[caliper\] +1 `,
		`(?m)^    body \[caliper\] +10 `, `(?m)^      work \[caliper\] +10 `, `(?m)^        even \[caliper\] +5 `,
		`(?m)^        odd \[caliper\] +5 `, `(?m)^  cg \[caliper\] +1 `, `(?m)^outer \[roctx\] +1 `,
		`(?m)^  inner \[roctx\] +1 `, `(?m)^measured \[likwid\] +1 `} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no match for %s in\n%s", want, out)
		}
	}
	if regexp.MustCompile("had not ended|without a begin").MatchString(out) {
		t.Errorf("begins and ends do not fit:\n%s", out)
	}
	if dump := run(tabardBin, "dump", "x.tabard"); !regexp.MustCompile(
		`region_mark\(name="moment", from="roctx"\)`,
	).MatchString(
		dump,
	) {
		t.Errorf("no mark in\n%s", dump)
	}
}
