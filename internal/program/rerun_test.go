package program

import (
	"slices"
	"testing"

	"github.com/tabard-hpc/tabard/spec"
)

// Every parameter of every function of MPI has a role that its slots suffice for.
func TestRoles(t *testing.T) {
	for _, f := range spec.Functions() {
		if f.API != "mpi" {
			continue
		}
		for i := range FuncOf(f.ID).Params {
			p := &FuncOf(f.ID).Params[i]
			name := f.Name + "." + p.Name
			needsIn := slices.Contains([]Role{Number, NumberIO, Numbers, Displacement, Displacements, Object, ObjectIO,
				Objects, Buffer, Text, Texts, TextLists, StatusIn, Function, Arguments}, p.Role)
			if needsIn != (p.Before >= 0) {
				t.Errorf("%s: role %d, slot %d", name, p.Role, p.Before)
			}
			if !needsIn && p.Role != Variadic && p.After < 0 {
				t.Errorf("%s: role %d has no result", name, p.Role)
			}
			if (p.Role == Function) != (p.Callback != NoCallback) {
				t.Errorf("%s: callback %d of role %d", name, p.Callback, p.Role)
			}
			if p.Role == Variadic && name != "MPI_Pcontrol.varargs" {
				t.Errorf("%s has no role", name)
			}
			if p.Role == TextOut && p.LenCap < 0 && FuncOf(f.ID).TextLimit(p) == "" {
				t.Errorf("%s: no limit", name)
			}
			if p.Array && !p.In && FuncOf(f.ID).Room(p, func(int) (int64, bool) { return 5, true }) == 0 &&
				p.Len != spec.LenSum {
				t.Errorf("%s: no room", name)
			}
		}
	}
}

// What an API beside MPI was asked to do is not done again, whatever the library has.
func TestForeign(t *testing.T) {
	all := Target{Has: func(string) bool { return true }}
	if r := all.Reason(&spec.Func{ID: spec.FirstFunction + 4000, Name: "toy_open", API: "toy"}, 0); r != reasonForeign {
		t.Errorf("a function of another API: %q", r)
	}
	if r := all.Reason(spec.ByName("MPI_Send"), 0); r != "" {
		t.Errorf("MPI_Send: %q", r)
	}
}

func TestOutcomes(t *testing.T) {
	count := map[Outcome]int{}
	for _, f := range spec.Functions() {
		o := OutcomesOf(f.ID)
		if o == nil {
			continue
		}
		count[o.Kind]++
		if o.Kind != FromAny && o.Kind != OneOf && f.Name != "MPI_Waitsome" && o.Flag < 0 {
			t.Errorf("%s: no flag", f.Name)
		}
		if (o.Kind == OneOf || o.Kind == SomeOf) && (o.Index < 0 || o.Request < 0) {
			t.Errorf("%s: %+v", f.Name, o)
		}
		if o.Kind == FromAny && (o.Status < 0) == (o.Request < 0) && f.Name != "MPI_Mrecv" {
			t.Errorf("%s: %+v", f.Name, o)
		}
	}
	if count[FromAny] != 16 || count[ProbePoll] != 2 || count[OnePoll] != 6 || count[OneOf] != 3 || count[SomeOf] != 3 {
		t.Error(count)
	}
}

func TestTranslation(t *testing.T) {
	mpich, open := Translation{spec.MPICH, spec.OpenMPI}, Translation{spec.OpenMPI, spec.MPICH}
	for _, c := range []struct {
		t    Translation
		kind string
		v    int64
		want int64
		ok   bool
	}{
		{mpich, "RANK", -2, -1, true}, {open, "RANK", -1, -2, true}, {open, "RANK", 7, 7, true},
		{mpich, "RANK", -1, -2, true},
		{mpich, "ASSERT", 1024 | 16384, 1 | 16, true}, {open, "ASSERT", 0, 0, true},
		{open, "ACCESS_MODE", 1 | 4, 1 | 4, true},
		{mpich, "SPLIT_TYPE", 2, 2, false}, {mpich, "ERROR_CODE", 0x1234<<8 | 14, 15, true},
		{mpich, "POLYXFER_NUM_ELEM_NNI", -2, -2, true},
		{Translation{spec.MPICH, spec.MPICH}, "RANK", -2, -2, true}, {open, "ERROR_CODE", 15, 14, true},
		{mpich, "COLOR", -32766, -32766, true},
	} {
		if got, ok := c.t.Number(c.kind, c.v); got != c.want || ok != c.ok {
			t.Errorf("%v %s %d: %d %v", c.t, c.kind, c.v, got, ok)
		}
	}
	send := &spec.ByName("MPI_Allreduce").Params[0]
	if got := open.Address(send, 1); got != -1 || open.Sentinel(send, 1) != "MPI_IN_PLACE" ||
		open.Sentinel(send, 0) != "MPI_BOTTOM" {
		t.Errorf("MPI_IN_PLACE: %d", got)
	}
}
