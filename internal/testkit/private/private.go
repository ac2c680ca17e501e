// Package private gives tests directories that nobody else may look into, as those of state have to be.
package private

import (
	"os"
	"testing"

	"github.com/tabard-hpc/tabard/internal/safefile"
)

// Temp makes a private directory that goes away with the test.
func Temp(t testing.TB) *safefile.Dir {
	t.Helper()
	return Open(t, t.TempDir())
}

// Path is Temp's path.
func Path(t testing.TB) string {
	t.Helper()
	return Temp(t).Path()
}

// Open makes a directory of the test private and opens it.
func Open(t testing.TB, path string) *safefile.Dir {
	t.Helper()
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
	d, err := safefile.OpenPrivate(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}
