package otf2

import (
	"testing"

	"github.com/tabard-hpc/tabard/spec"
)

// How a file is opened comes back in the words of each interface.
func TestOpenings(t *testing.T) {
	for _, flags := range []int64{0, 1, 2, 0o101, 0o1101, 0o2102, 0o4010001, 0o10002, 0o2000000} {
		if got := LinuxOpening(flags).Linux(); got != flags {
			t.Errorf("flags %#o come back as %#o", flags, got)
		}
	}
	for _, mode := range []string{"r", "r+", "w", "w+", "a", "a+", "wx", "re"} {
		if got := StreamOpening(mode).Stream(); got != mode {
			t.Errorf("mode %s comes back as %s", mode, got)
		}
	}
	for _, abi := range []spec.ABI{spec.OpenMPI, spec.MPICH} {
		for mode := range mpiModes {
			for _, o := range []Opening{{Mode: mode}, {mode, Create | Exclusive, StatusAppend},
				{mode, Unique, StatusDelete}} {
				if got := MPIOpening(o.MPI(abi), abi); got != o {
					t.Errorf("%v of %v comes back as %v", o, abi, got)
				}
			}
		}
	}
}
