//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// Three readers of other projects read all tables, in Parquet and Arrow, whole and in parts by rank, agree about
// them, and find in them what the commands say.
func TestExportParquet(t *testing.T) {
	t.Parallel()
	eachExport(t, 3, func(t *testing.T, file string) {
		got := readTables(t, file)
		want := jsonOf[profileRows](t, "profile", file, "--by", "function", "--quantiles")
		if got.Rows["calls"] != want.Calls || len(got.Functions) != len(want.Rows) {
			t.Errorf("%d calls of %d functions, profile %d of %d", got.Rows["calls"], len(got.Functions), want.Calls,
				len(want.Rows))
		}
		for _, r := range want.Rows {
			f := got.Functions[r.Func]
			off := f[2] - r.Times.Total
			if f[0] != int64(r.Calls) || f[1] != r.Bytes || max(off, -off) > int64(r.Calls)+r.Times.Total/1000 {
				t.Errorf("%s: %d calls, %d bytes, %d ns; profile %d, %d, %d", r.Func, f[0], f[1], f[2], r.Calls,
					r.Bytes,
					r.Times.Total)
			}
		}
		cells := jsonOf[struct{ Cells [][4]int64 }](t, "matrix", file, "--kind", "p2p").Cells
		if !slices.Equal(got.Pairs, cells) {
			t.Errorf("messages %v, matrix %v", got.Pairs, cells)
		}
	})
}

// readTables exports all tables, whole and in parts, and gives what three readers found in them.
func readTables(t *testing.T, file string) *tableRead {
	t.Helper()
	python := foreign(t, "duckdb", "polars", "pyarrow")
	dir := t.TempDir()
	for _, table := range []string{"calls", "messages", "steps", "ranks", "sites", "communicators", "marks"} {
		for _, format := range []string{"parquet", "arrow"} {
			path := exported(t, format, file, "--table", table)
			if err := os.Rename(path, filepath.Join(dir, table+"."+format)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, args := range [][]string{{"parquet", "calls"}, {"arrow", "calls"}, {"parquet", "messages"}} {
		if text, err := tabard("export", args[0], file, "--table", args[1], "--partition", "1", "-o",
			filepath.Join(dir, "part-"+args[1]+"."+args[0])); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	script := filepath.Join(mpirun.Root(), "testdata", "export", "read_parquet.py")
	c := exec.Command(python, script, dir)
	c.Stderr = os.Stderr
	text, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got tableRead
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	return &got
}
