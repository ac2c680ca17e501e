package text

import (
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/report"
)

func TestRecovery(t *testing.T) {
	for want, r := range map[string]collect.Report{
		"7 calls of 2 ranks recovered":   {Ranks: 2, Calls: 7, Bytes: 100},
		"has been moved from /dev/shm/x": {Moved: "/dev/shm/x"},
		"stays here until":               {Kept: true},
		"nothing to recover":             {},
	} {
		var out strings.Builder
		if err := Recovery(&out, report.NewRecovery("a.tabard", r), r); err != nil ||
			!strings.HasPrefix(out.String(), "a.tabard: ") || !strings.Contains(out.String(), want) {
			t.Errorf("%q, error %v, want %q", out.String(), err, want)
		}
	}
}
