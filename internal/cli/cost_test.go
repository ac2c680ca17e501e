package cli

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/report"
)

// The rows of --cost add up to the sections that they are of.
func TestInfoCost(t *testing.T) {
	path := file(t, halo)
	code, stdout, stderr := run("info", "--cost", "--json", path)
	if code != exitOK || stderr != "" {
		t.Fatalf("code %d, stderr %q", code, stderr)
	}
	var info report.Cost
	if err := json.Unmarshal([]byte(stdout), &info); err != nil {
		t.Fatal(err)
	}
	sums := map[string]float64{}
	kinds := map[string]bool{}
	for _, c := range info.Costs {
		sums[c.Section] += c.Stored
		kinds[c.Kind] = true
	}
	for section, want := range map[string]int64{"structure": info.Bytes.Structure, "meta": info.Bytes.Meta,
		"columns": info.Bytes.Columns} {
		if math.Abs(sums[section]-float64(want)) > 1 {
			t.Errorf("%s: rows of %.1f bytes, the section has %d", section, sums[section], want)
		}
	}
	for _, kind := range []string{"templates", "grammars", "terminals", "rank sets", "columns", "groups", "strings"} {
		if !kinds[kind] {
			t.Errorf("no row says what %s cost", kind)
		}
	}
	_, stdout, _ = run("info", "--cost", "--top", "3", path)
	if n := strings.Count(stdout, "\n"); n != 7 || !strings.Contains(stdout, "more row") {
		t.Errorf("%d lines:\n%s", n, stdout)
	}
	if code, _, stderr := run("info", "--cost", "--comms", path); code != exitUsage ||
		!strings.Contains(stderr, "do not go together") {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
}
