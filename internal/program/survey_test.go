package program

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/spec"
)

// surveyed are recordings, and what a survey finds in them.
var surveyed = []struct{ about, desc, want string }{
	{"all calls can be made again",
		`rank 0 of 2 on n
MPI_Init()
loop 10
  MPI_Barrier(comm=MPI_COMM_WORLD)
end
MPI_Finalize()
rank 1 of 2 on n
MPI_Init()
MPI_Finalize()`,
		"2 of 2 ranks, 14 calls"},
	{"some ranks were not recorded", "rank 3 of 8 on n\nMPI_Init()\nMPI_Finalize()", "1 of 8 ranks, 2 calls"},
	{"the reasons, most calls first within each",
		`rank 0 of 1 on n
MPI_Init()
MPI_Abort(comm=MPI_COMM_WORLD, errorcode=1)
MPI_Close_port(port_name="x")
loop 3
  MPI_Open_port(info=MPI_INFO_NULL) ; port_name="x"
  MPI_Comm_size(comm=MPI_COMM_WORLD) ; size=1 nested
end
MPI_Finalize()`,
		"1 of 1 ranks, 10 calls; 3 of MPI_Comm_size at 1: a callback of the program made it, and callbacks are " +
			"replaced; " +
			"1 of MPI_Abort at 1: it would end the run; 3 of MPI_Open_port at 1: names of ports are others in every " +
			"run; " +
			"1 of MPI_Close_port at 1: names of ports are others in every run"},
	{"ranks of all classes that skip a call",
		`rank 0 of 3 on n
MPI_Init()
MPI_Comm_join(fd=3) ; intercomm=comm#0
MPI_Finalize()
rank 1 of 3 on n
MPI_Init()
MPI_Barrier(comm=MPI_COMM_WORLD)
MPI_Comm_join(fd=3) ; intercomm=comm#0
MPI_Finalize()
rank 2 of 3 on n
MPI_Init()
MPI_Finalize()`,
		"3 of 3 ranks, 9 calls; 2 of MPI_Comm_join at 2: names of ports are others in every run"},
	{"a further thread", "rank 0 of 1 on n\nMPI_Init()\nMPI_Finalize()\nthread 1\nMPI_Barrier(comm=MPI_COMM_WORLD)",
		"1 of 1 ranks, 3 calls; 2 threads"},
	{"a process that was killed", "rank 0 of 2 on n\nMPI_Init()\nMPI_Finalize()\nrank 1 of 2 on n\nMPI_Init()\nkilled",
		"2 of 2 ranks, 3 calls; 1 unfinished"},
	{"processes that were spawned are no part of the program",
		"rank 0 of 1 on n\nMPI_Init()\nMPI_Finalize()\nrank 0 of 2 on n world 1\nMPI_Init()\n" +
			"rank 1 of 2 on n world 1\nMPI_Init()",
		"1 of 1 ranks, 2 calls; 2 spawned"},
	{"a process that did not initialise MPI", "rank -1 of 0 on n\nMPI_Initialized() ; flag=0",
		"0 of 0 ranks, 0 calls; 1 unranked"},
}

func TestSurvey(t *testing.T) {
	for _, x := range surveyed {
		r, err := Survey(archivetest.Archive(t, "abi mpich\n"+x.desc+"\n"), Target{})
		if err != nil {
			t.Errorf("%s: %v", x.about, err)
			continue
		}
		got := fmt.Sprintf("%d of %d ranks, %d calls", r.Ranks, r.Size, r.Calls)
		for _, s := range r.Skipped {
			got += fmt.Sprintf("; %d of %s at %d: %s", s.Calls, s.Func, s.Ranks, s.Reason)
		}
		for what, n := range map[string]int{"spawned": r.Spawned, "unranked": r.Unranked, "unfinished": r.Unfinished} {
			if n > 0 {
				got += fmt.Sprintf("; %d %s", n, what)
			}
		}
		if r.Threads > 1 {
			got += fmt.Sprintf("; %d threads", r.Threads)
		}
		if got != x.want {
			t.Errorf("%s: %s\nnot %s", x.about, got, x.want)
		}
	}
}

// A call is left out for the first reason that there is: what it does counts for more than where it
// would be made.
func TestReasons(t *testing.T) {
	lacks := func(string) bool { return false }
	same := Translation{spec.MPICH, spec.MPICH}
	for _, x := range []struct {
		function string
		flags    archive.Flags
		target   Target
		want     string
	}{
		{"MPI_Barrier", 0, Target{Translation: same}, ""},
		{"MPI_Barrier", archive.Failed, Target{Translation: same}, ""},
		{"MPI_Barrier", archive.Unfinished, Target{Translation: same}, reasonUnfinished},
		{"MPI_Barrier", archive.Nested | archive.Unfinished, Target{Translation: same}, reasonNested},
		{"MPI_Barrier", 0, Target{Translation: same, Has: lacks}, reasonMissing},
		{"MPI_Abort", archive.Unfinished, Target{Translation: same, Has: lacks}, reasonEnds},
		{"MPI_Comm_spawn_multiple", 0, Target{Translation: same}, reasonSpawn},
		{"MPI_Comm_accept", 0, Target{Translation: same}, reasonPorts},
		{"MPI_T_init_thread", 0, Target{Translation: Translation{spec.MPICH, spec.OpenMPI}}, reasonTool},
		{"MPI_T_init_thread", 0, Target{Translation: same}, ""},
	} {
		if got := x.target.Reason(spec.ByName(x.function), x.flags); got != x.want {
			t.Errorf("%s with flags %d: %q, not %q", x.function, x.flags, got, x.want)
		}
	}
}

// Room for results is as much as the parameters before the call say, and enough where they do not.
func TestRoom(t *testing.T) {
	for _, x := range []struct {
		about, function, param string
		values                 map[string]int64
		want                   int64
	}{
		{"a number", "MPI_Comm_size", "size", nil, 8},
		{"a string up to a length that is passed, with its end", "MPI_Info_get", "value",
			map[string]int64{"valuelen": 9000}, 9001},
		{"a shorter one has room for any message", "MPI_Info_get", "value",
			map[string]int64{"valuelen": 10}, leastText},
		{"a string without a length", "MPI_Get_processor_name", "name", nil, leastText},
		{"numbers, each of four bytes", "MPI_Cart_coords", "coords", map[string]int64{"maxdims": 3}, 12},
		{"addresses, each of eight", "MPI_Type_get_contents", "array_of_addresses",
			map[string]int64{"max_addresses": 3}, 24},
		{"handles and statuses are counted", "MPI_Waitall", "array_of_statuses",
			map[string]int64{"count": 5}, 5},
		{"a negative length is none", "MPI_Cart_coords", "coords", map[string]int64{"maxdims": -3}, 0},
		{"a damaged one has a bound", "MPI_Cart_coords", "coords", map[string]int64{"maxdims": 1 << 60}, maxRoom},
	} {
		f := FuncOf(spec.ByName(x.function).ID)
		p := &f.Params[slices.IndexFunc(f.Params, func(p Param) bool { return p.Name == x.param })]
		got := f.Room(p, func(i int) (int64, bool) {
			v, ok := x.values[f.Params[i].Name]
			return v, ok
		})
		if got != x.want {
			t.Errorf("%s: %d, not %d", x.about, got, x.want)
		}
	}
}

// An address that is a constant of the recorded MPI is that of the other one; others stay.
func TestAddresses(t *testing.T) {
	to := Translation{spec.MPICH, spec.OpenMPI}
	send := &spec.ByName("MPI_Allreduce").Params[0]
	inPlace, _ := spec.MPICH.Const("MPI_IN_PLACE")
	other, _ := spec.OpenMPI.Const("MPI_IN_PLACE")
	for from, want := range map[int64]int64{inPlace: other, 0: 0, 4096: 4096} {
		if got := to.Address(send, from); got != want {
			t.Errorf("%d is %d, not %d", from, got, want)
		}
		if got := (Translation{spec.MPICH, spec.MPICH}).Address(send, from); got != from {
			t.Errorf("with the same MPI %d is %d", from, got)
		}
	}
	// MPI_Send does not take MPI_IN_PLACE: there the number is an address.
	if s := to.Sentinel(&spec.ByName("MPI_Send").Params[0], inPlace); s != "" {
		t.Errorf("a buffer of MPI_Send is %s", s)
	}
	if s := to.Names("RANK", -1); s != "MPI_PROC_NULL" {
		t.Errorf("rank -1 of MPICH is %q", s)
	}
	if !Plain(FuncOf(spec.ByName("MPI_Group_range_incl").ID).Params[2].Param) || Plain(send) {
		t.Error("ranges of ranks are plain numbers")
	}
}
