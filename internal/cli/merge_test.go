package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// A recording that is read in a moment gets no overview, and the command says why.
func TestMergeOverview(t *testing.T) {
	out := filepath.Join(t.TempDir(), "all.tabard")
	code, stdout, stderr := run("merge", out, file(t, halo), "--overview")
	if code != 0 || !strings.Contains(stdout, "it gets no overview: it has fewer than 4194304 calls") {
		t.Errorf("code %d: %s%s", code, stdout, stderr)
	}
	if code, stdout, stderr = run("merge", out, file(t, halo), "--overview", "--json"); code != 0 ||
		!strings.Contains(stdout, `"no_overview"`) {
		t.Errorf("code %d: %s%s", code, stdout, stderr)
	}
}
