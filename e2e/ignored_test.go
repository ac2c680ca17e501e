//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/testkit/plainmatch"
)

// Programs that receive from anybody and ignore all statuses say on the side what they got. The
// archive says the same, in C and in Fortran, and every message is matched without a guess.
func TestIgnoredTruth(t *testing.T) {
	t.Parallel()
	for _, m := range mpis {
		for _, program := range []string{"ignored", "ignoredfortran"} {
			for _, flags := range []string{"", "--timing off", "--callsites stack"} {
				t.Run(m.Name+"/"+program+strings.ReplaceAll(flags, " ", "="), func(t *testing.T) {
					t.Parallel()
					truth := filepath.Join(t.TempDir(), "truth")
					a := recordAnew(t, m, 4, strings.Fields(flags), program, truth)
					want, err := os.ReadFile(truth)
					if err != nil {
						t.Fatal(err)
					}
					lines := strings.Split(strings.TrimSpace(string(want)), "\n")
					got, ignored := statuses(t, a)
					if len(lines) < 100 || ignored < 40 { // the Fortran layer of Open MPI asks for most of them itself
						t.Errorf("%d messages, %d statuses that were ignored", len(lines), ignored)
					}
					for i := range max(len(lines), len(got)) {
						if i >= len(lines) || i >= len(got) || lines[i] != got[i] {
							t.Fatalf("%d messages, the archive has %d; number %d is the first that differs", len(lines),
								len(got), i)
						}
					}
					sum, err := plainmatch.Compare(a)
					if err != nil {
						t.Fatal(err)
					}
					if sum.Guessed > 0 || sum.UnmatchedSends+sum.UnmatchedRecvs > 0 {
						t.Errorf("%+v", *sum)
					}
				})
			}
		}
	}
}

// statuses lists what rank 0 received from anybody, as the programs write it, and how many of these
// statuses it ignored.
func statuses(t *testing.T, a *archive.Archive) (lines []string, ignored int) {
	t.Helper()
	for s := range a.Streams() {
		if s.WorldRank() != 0 {
			continue
		}
		for c, err := range s.Iter(0) {
			if err != nil {
				t.Fatal(err)
			}
			v, ok := c.Out("status")
			if all, array := c.Out("array_of_statuses"); array {
				v, ok = all, true
			}
			if !ok || c.Func.Name == "MPI_Probe" { // the receive after it may get another message
				continue
			}
			list := v.List
			if v.Kind == archive.Stat {
				list = []archive.Value{v}
			}
			for i := range list {
				st := &list[i].Stat
				if st.Source <= 0 || st.Cancelled { // that of a send, of none, or not kept
					continue
				}
				if v.Ignored {
					ignored++
				}
				lines = append(lines, fmt.Sprintf("%d %d %d", st.Source, st.Tag, st.Bytes))
			}
		}
	}
	return lines, ignored
}
