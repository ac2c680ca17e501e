package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A log that nothing was written to yet belongs to a run that has just begun: it
// is named and left out, and what then has no log is a difference.
func TestVerifyEmptyLog(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "1-2.0.raw")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := run("verify", file(t, halo), dir)
	if code != exitFailure || !strings.Contains(stderr, "left out: "+path+" is empty") ||
		!strings.Contains(stdout, "2 differences") {
		t.Errorf("code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if err := os.WriteFile(path, make([]byte, 20), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr = run("verify", file(t, halo), dir); code != exitFailure ||
		!strings.Contains(stderr, "not a raw log") {
		t.Errorf("a log that is cut off: code %d, stderr %q", code, stderr)
	}
}
