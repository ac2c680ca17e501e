package program

import (
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

func TestRemote(t *testing.T) {
	call := func(name string, disp archive.Value) *archive.Signature {
		f := FuncOf(spec.ByName(name).ID)
		sig := &archive.Signature{Func: f.ID, Slots: make([]archive.Value, len(f.Slots))}
		for i := range f.Params {
			if f.Params[i].Name == "target_disp" {
				sig.Slots[f.Params[i].Before] = disp
			}
		}
		return sig
	}
	number := func(n int64) archive.Value { return archive.Value{Kind: archive.Int, N: n} }
	column := archive.Value{Kind: archive.Hole}
	for _, tt := range []struct {
		sig     *archive.Signature
		param   int
		dynamic bool
		left    bool // under Open MPI
	}{
		{call("MPI_Get", number(8)), -1, true, false}, {call("MPI_Get", number(0x7ffc00001000)), 4, false, true},
		{call("MPI_Fetch_and_op", number(1<<40)), 4, false, true},
		{call("MPI_Compare_and_swap", number(1<<41)), 5, true, true},
		{call("MPI_Rget_accumulate", column), 7, true, true}, {call("MPI_Put", column), 4, false, false},
		{call("MPI_Send", number(0)), -1, true, false},
	} {
		if got := Remote(tt.sig); got != tt.param {
			t.Errorf("%v: parameter %d instead of %d", tt.sig, got, tt.param)
		}
		open := Target{Translation: Translation{spec.MPICH, spec.OpenMPI}}.ReasonOf(tt.sig, tt.dynamic)
		mpich := Target{Translation: Translation{spec.OpenMPI, spec.MPICH}}.ReasonOf(tt.sig, tt.dynamic)
		if (open != "") != tt.left || mpich != "" {
			t.Errorf("%v: %q, %q", tt.sig, open, mpich)
		}
	}
}
