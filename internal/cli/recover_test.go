package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/record/ring"
)

// keep makes a state directory with a complete archive for output in it.
func keep(t *testing.T, output string) string {
	t.Helper()
	root := t.TempDir()
	t.Setenv("TABARD_STATE", root)
	dir := filepath.Join(collect.StateRoots(output)[0], collect.StateKey(output, "job"))
	job := &collect.Job{Output: output, Archive: collect.KeptArchive}
	if _, err := collect.CreateState(dir, job, ring.Config{}); err != nil {
		t.Fatal(err)
	}
	for name, from := range map[string]string{collect.KeptArchive: file(t, halo), "ended": os.DevNull} {
		b, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { // the link to a place that only this test knows
		links, _ := filepath.Glob(filepath.Join("/dev/shm/tabard-*",
			strings.SplitN(filepath.Base(dir), "-", 2)[0]+".at-*"))
		for _, l := range links {
			os.Remove(l)
		}
	})
	return dir
}

// recover says what it did, or why there was nothing to do.
func TestRecoverOutcomes(t *testing.T) {
	t.Setenv("TABARD_STATE", "")
	done := file(t, halo)
	missing := filepath.Join(t.TempDir(), "none.tabard")
	if code, out, _ := run("recover", done); code != exitOK ||
		!strings.Contains(out, done+": nothing to recover: no recording to it goes on") {
		t.Errorf("complete: code %d, %q", code, out)
	}
	if code, out, _ := run("recover", "--json", done); code != exitOK ||
		!strings.Contains(out, `"outcome": "nothing"`) {
		t.Errorf("complete, JSON: code %d, %q", code, out)
	}
	if code, _, errs := run("recover", missing); code != exitFailure ||
		!strings.Contains(errs, "does not exist, and on this machine nothing is left of a recording to it") {
		t.Errorf("missing: code %d, %q", code, errs)
	}
	parent, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	output := filepath.Join(parent, "later", "app.tabard")
	dir := keep(t, output)
	code, out, errs := run("recover", output)
	if code != exitOK || !strings.Contains(out, filepath.Join(dir,
		collect.KeptArchive)+": the archive is complete and stays here") ||
		!strings.Contains(errs, "could not be written") {
		t.Errorf("kept: code %d, %q, %q", code, out, errs)
	}
	if code, out, _ := run("recover", "--json", output); code != exitOK || !strings.Contains(out, `"outcome": "kept"`) {
		t.Errorf("kept, JSON: code %d, %q", code, out)
	}
	if err := os.Mkdir(filepath.Dir(output), 0o755); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := run("recover", output); code != exitOK ||
		!strings.Contains(out, output+": the archive was complete") || !strings.Contains(out, "moved from "+dir) {
		t.Errorf("moved: code %d, %q", code, out)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the state directory is still there")
	}
	if code, out, _ := run("recover", output); code != exitOK || !strings.Contains(out, "nothing to recover") {
		t.Errorf("again: code %d, %q", code, out)
	}
}
