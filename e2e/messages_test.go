//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/plainmatch"
)

// TestMessages matches the messages of all test programs that communicate, recorded under both
// MPIs, with package match and with its reference. loose programs end with messages that nobody
// receives.
func TestMessages(t *testing.T) {
	t.Parallel()
	var sizes atomic.Int64 // of datatypes, that were compared
	t.Cleanup(func() {
		if sizes.Load() == 0 {
			t.Error("no program asked for the size of a datatype")
		}
	})
	for _, p := range []struct {
		ranks   int
		program string
		record  string
		only    string // the one MPI that can run it
		loose   bool
	}{
		{ranks: 4, program: "halo1d"}, {ranks: 4, program: "halo2d"}, {ranks: 4, program: "halo3d"},
		{ranks: 4, program: "halo2d", record: "--timing off"},
		{ranks: 4, program: "collectives"}, {ranks: 4, program: "icollectives"},
		{ranks: 4, program: "pcollectives", only: "mpich"}, {ranks: 4, program: "neighbor"},
		{ranks: 4, program: "comms"}, {ranks: 4, program: "intercomm"}, {ranks: 4, program: "membership"},
		{ranks: 4, program: "groups"}, {ranks: 4, program: "topo"},
		{ranks: 4, program: "masterworker"}, {ranks: 4, program: "ignored"}, {ranks: 4, program: "ignoredfortran"},
		{ranks: 4, program: "probe"}, {ranks: 2, program: "polling"}, {ranks: 2, program: "persistent"},
		{ranks: 2, program: "modes"}, {ranks: 2, program: "partitioned", only: "mpich"}, {ranks: 2, program: "threads"},
		{ranks: 2, program: "threads", record: "--timing off"}, {ranks: 3, program: "shortthreads"},
		{ranks: 4, program: "buffers"}, {ranks: 4, program: "large", only: "mpich"}, {ranks: 4, program: "types"},
		{ranks: 4, program: "typeloop"}, {ranks: 2, program: "handles"},
		{ranks: 4, program: "ops"}, {ranks: 4, program: "attrs"}, {ranks: 2, program: "errors", loose: true},
		{ranks: 4, program: "rma"}, {ranks: 4, program: "io"}, {ranks: 2, program: "grequest"},
		{ranks: 4, program: "cxx"}, {ranks: 4, program: "fortran77"}, {ranks: 4, program: "fortran90"},
		{ranks: 4, program: "fortran08"}, {ranks: 3, program: "loops"}, {ranks: 3, program: "spawn", only: "openmpi"},
		{ranks: 4, program: "faulty late"},
	} {
		for _, m := range mpis {
			if p.only != "" && p.only != m.Name {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s%s", m.Name, strings.ReplaceAll(p.program, " ", "-"),
				strings.ReplaceAll(p.record, " ", "=")), func(t *testing.T) {
				t.Parallel()
				name, args, _ := strings.Cut(p.program, " ")
				a := record(t, m, p.ranks, strings.Fields(p.record), name, strings.Fields(args)...)
				sum, err := plainmatch.Compare(a)
				if err != nil {
					t.Fatal(err)
				}
				n, err := plainmatch.CheckSizes(a)
				if err != nil {
					t.Error(err)
				}
				sizes.Add(int64(n))
				if !p.loose && (sum.UnmatchedSends+sum.UnmatchedRecvs+sum.Incomplete+sum.Mixed > 0) {
					t.Errorf("%+v", *sum)
				}
			})
		}
	}
}
