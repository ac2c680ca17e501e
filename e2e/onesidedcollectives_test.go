//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// oneSided are the cases of testdata/collectives/onesided.c: three instances of an operation each, by puts, gets and
// accumulates that all ways to synchronise a window end; and what is no collective, and must not be proven.
var oneSided = []struct{ args, operation, grade, roots string }{
	{"broadcast put fence", "broadcast", proven, "[1]"},
	{"broadcast put lock", "broadcast", proven, "[1]"},
	{"broadcast put flush", "broadcast", proven, "[1]"},
	{"broadcast put pscw", "broadcast", proven, "[1]"},
	{"broadcast put request", "broadcast", proven, "[1]"},
	{"broadcast get fence", "broadcast", proven, "[1]"},
	{"broadcast get lock", "broadcast", proven, "[1]"},
	{"broadcast get pscw", "broadcast", proven, "[1]"},
	{"broadcast get request", "broadcast", proven, "[1]"},
	{"broadcast get flush", "broadcast", proven, "[1]"},
	{"broadcast typed fence", "broadcast", proven, "[1]"},
	{"broadcast fetch flush", "broadcast", proven, "[1]"},
	{"broadcast fetch request", "broadcast", proven, "[1]"},
	{"scatter put pscw", "scatter", consistent, "[1]"},
	{"scatter get lock", "scatter", consistent, "[1]"},
	{"gather put flush", "gather", consistent, "[1]"},
	{"gather get pscw", "gather", consistent, "[1]"},
	{"allgather put pscw", "allgather", proven, "[]"},
	{"allgather put lock", "allgather", proven, "[]"},
	{"allgather get flush", "allgather", proven, "[]"},
	{"alltoall put lock", "all-to-all", consistent, "[]"},
	{"alltoall get fence", "all-to-all", consistent, "[]"},
	{"reduce accumulate lock", "reduce", consistent, "[1]"},
	{"reduce accumulate fence", "reduce", consistent, "[1]"},
	{"halo put fence", "", "", ""},
	{"halo get lock", "", "", ""},
	{"spoiled put lock", "", "", ""},
	{"spoiled put fence", "", "", ""},
	{"changed get lock", "", "", ""},
	{"changed fetch fence", "", "", ""},
	{"counter", "", "", ""},
}

func TestOneSidedCollectives(t *testing.T) {
	t.Parallel()
	for i, m := range mpis {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			dir, ranks := t.TempDir(), []int{4, 5}[i%2]
			exe := collectiveProgram(t, m, dir, "onesided")
			for _, c := range oneSided {
				for payload, grade := range map[string]string{"hashes": c.grade, "off": consistent} {
					d := manualCase(t, m, dir, ranks, payload, append([]string{exe}, strings.Fields(c.args)...))
					if c.operation == "" {
						checkManual(t, c.args, d, ranks, "", "", "")
						continue
					}
					if len(d.Findings) != 1 {
						t.Errorf("%s %s: %d findings: %+v", c.args, payload, len(d.Findings), d.Findings)
						continue
					}
					f := d.Findings[0]
					if f.Operation != c.operation || f.Grade != grade || fmt.Sprint(f.Roots) != c.roots ||
						fmt.Sprint(f.Sets) != fmt.Sprintf("[0-%d]", ranks-1) || f.Instances != 3 ||
						!strings.Contains(f.Sends[0], "[move]") || c.operation == "reduce" && f.Op != "MPI_SUM" {
						t.Errorf("%s %s: %+v", c.args, payload, f)
					}
				}
			}
		})
	}
}
