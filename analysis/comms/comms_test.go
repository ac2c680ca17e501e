package comms

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// summary is what a test compares: a line for each communicator and note.
func summary(r *Result) string {
	var b strings.Builder
	for _, c := range r.Comms {
		fmt.Fprintf(&b, "%s: %s", c.Name, r.Text(c.Members, 0))
		if c.Inter && c.RemoteMembers != nil {
			fmt.Fprintf(&b, " | %s", r.Text(c.RemoteMembers, 0))
		} else if c.Inter {
			b.WriteString(" | ?")
		}
		if c.Times > 1 {
			fmt.Fprintf(&b, " x%d", c.Times)
		}
		if c.Freed > 0 {
			fmt.Fprintf(&b, " freed%d", c.Freed)
		}
		if c.Partial != "" {
			b.WriteString(" partial")
		}
		if c.Assumed != "" {
			b.WriteString(" assumed")
		}
		b.WriteByte('\n')
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "%s: %s (%d)\n", n.Kind, n.Text, n.Count)
	}
	return b.String()
}

// ranks describes n ranks that do the same; in lines, RANK and the words of
// vars stand for what differs.
func ranks(n int, vars map[string]func(r int) any, lines string) string {
	var b strings.Builder
	for r := range n {
		text := strings.ReplaceAll(lines, "RANK", fmt.Sprint(r))
		for name, f := range vars {
			text = strings.ReplaceAll(text, name, fmt.Sprint(f(r)))
		}
		fmt.Fprintf(&b, "rank %d of %d on n%d\n%s\n", r, n, r/2, strings.TrimSpace(text))
	}
	return b.String()
}

func TestAnalyze(t *testing.T) {
	type vars = map[string]func(r int) any
	nullUnless := func(member func(r int) bool, ref string) func(r int) any {
		return func(r int) any {
			if member(r) {
				return ref
			}
			return "MPI_COMM_NULL"
		}
	}
	for name, c := range map[string]struct{ desc, want string }{
		"a loop that makes and frees": {ranks(2, nil, `
			loop 1000
			  MPI_Comm_dup(comm=MPI_COMM_WORLD) @ a.c:1 [f] ; newcomm=comm#0
			  MPI_Comm_split(comm=comm#0, color=RANK, key=0) @ a.c:2 [f] ; newcomm=comm#1
			  MPI_Comm_free(comm=comm#0)
			  MPI_Comm_free(comm=comm#1)
			end`), `
			world: 0-1
			world/dup0: 0-1 x1000 freed1000
			world/dup0/split0:0: 0 x1000 freed1000
			world/dup0/split0:1: 1 x1000 freed1000`},
		"a loop that replaces a copy by its copy": {ranks(2, nil, `
			MPI_Comm_dup(comm=MPI_COMM_WORLD) @ a.c:1 [f] ; newcomm=comm#0
			loop 500
			  MPI_Comm_dup(comm=comm#0) @ a.c:2 [f] ; newcomm=comm#1
			  MPI_Comm_free(comm=comm#0)
			  MPI_Comm_dup(comm=comm#1) @ a.c:2 [f] ; newcomm=comm#0
			  MPI_Comm_free(comm=comm#1)
			end`), `
			world: 0-1
			world/dup0: 0-1 freed1
			world/dup0/dup0: 0-1 x500 freed500
			world/dup0/dup0/dup0: 0-1 x500 freed499`},
		"copies that are kept are not the same": {ranks(2, nil, `
			MPI_Comm_dup(comm=MPI_COMM_WORLD) @ a.c:1 [f] ; newcomm=comm#0
			MPI_Comm_dup(comm=MPI_COMM_WORLD) @ a.c:1 [f] ; newcomm=comm#1`), `
			world: 0-1
			world/dup0: 0-1
			world/dup1: 0-1`},
		"hosts": {ranks(4, nil, `
			MPI_Comm_split_type(comm=MPI_COMM_WORLD, split_type=MPI_COMM_TYPE_SHARED, key=-RANK) ; newcomm=comm#0`), `
			world: 0-3
			world/split_type0:n0: 1,0
			world/split_type0:n1: 3,2`},
		"other types of split": {ranks(4, nil, `
			MPI_Comm_split_type(comm=MPI_COMM_WORLD, split_type=MPI_COMM_TYPE_HW_UNGUIDED, key=RANK) ; newcomm=comm#0`), `
			world: 0-3
			world/split_type0:n0: 0-1 partial
			world/split_type0:n1: 2-3 partial`},
		"other types of split, settled by sizes": {ranks(4, nil, `
			MPI_Comm_split_type(comm=MPI_COMM_WORLD, split_type=MPI_COMM_TYPE_HW_UNGUIDED, key=RANK) ; newcomm=comm#0
			MPI_Comm_size(comm=comm#0) ; size=?2`), `
			world: 0-3
			world/split_type0:n0: 0-1
			world/split_type0:n1: 2-3`},
		"contradictions": {ranks(3, vars{"MINE": nullUnless(func(r int) bool { return r != 1 }, "comm#0")}, `
			MPI_Comm_split(comm=MPI_COMM_WORLD, color=0, key=0) ; newcomm=MINE
			MPI_Comm_group(comm=MPI_COMM_WORLD) ; group=group#0
			MPI_Group_incl(group=group#0, n=2, ranks=[2, 0]) ; newgroup=group#1
			MPI_Group_translate_ranks(group1=group#1, n=2, ranks1=[0, 1], group2=group#0) ; ranks2=?[2, 1]
			MPI_Comm_dup(comm=MPI_COMM_WORLD) ; newcomm=comm#1
			MPI_Comm_rank(comm=comm#1) ; rank=?2`), `
			world: 0-2
			world/split0:0: 0-2
			world/dup1: 0-2
			contradiction: MPI_Comm_split returned MPI_COMM_NULL at rank 1, which is a member of world/split0:0 (1)
			contradiction: world/dup1 has rank 0 at rank 0, where the program was told 2 (1)
			contradiction: MPI_Group_translate_ranks at rank 0 gave 1, but 0 follows from the calls that made the group (1)
			contradiction: world/dup1 has rank 1 at rank 1, where the program was told 2 (1)
			contradiction: MPI_Group_translate_ranks at rank 1 gave 1, but 0 follows from the calls that made the group (1)
			contradiction: MPI_Group_translate_ranks at rank 2 gave 1, but 0 follows from the calls that made the group (1)`},
		"different creations": {ranks(2, vars{"WHAT": func(r int) any {
			return []string{"MPI_Comm_dup(comm=MPI_COMM_WORLD)",
				"MPI_Comm_split(comm=MPI_COMM_WORLD, color=0, key=0)"}[r]
		}}, `
			WHAT ; newcomm=comm#0`), `
			world: 0-1
			world/dup0: 0-1
			contradiction: creation 0 on world is MPI_Comm_dup at rank 0 and MPI_Comm_split at rank 1 (1)
			unknown: what MPI_Comm_split made could not be put together with the calls of other members (1)`},
		"reordered grid": {ranks(4, vars{"NEW": func(r int) any { return (r + 2) % 4 }}, `
			MPI_Cart_create(comm_old=MPI_COMM_WORLD, ndims=1, dims=[4], periods=[0], reorder=1) ; comm_cart=comm#0
			MPI_Comm_rank(comm=comm#0) ; rank=?NEW
			MPI_Cart_create(comm_old=MPI_COMM_WORLD, ndims=1, dims=[4], periods=[0], reorder=1) ; comm_cart=comm#1
			MPI_Cart_sub(comm=comm#0, remain_dims=[0]) ; newcomm=comm#2`), `
			world: 0-3
			world/cart0: 2-3,0-1
			world/cart1: 0-3 assumed
			world/cart0/cart_sub0:0: 2
			world/cart0/cart_sub0:1: 3
			world/cart0/cart_sub0:2: 0
			world/cart0/cart_sub0:3: 1`},
		"merge without an order": {ranks(2, vars{"OTHER": func(r int) any { return 1 - r }}, `
			MPI_Intercomm_create(local_comm=MPI_COMM_SELF, local_leader=0, peer_comm=MPI_COMM_WORLD, remote_leader=OTHER, tag=1) ; newintercomm=comm#0
			MPI_Intercomm_merge(intercomm=comm#0, high=0) ; newintracomm=comm#1
			MPI_Intercomm_merge(intercomm=comm#0, high=1) ; newintracomm=comm#2
			MPI_Comm_rank(comm=comm#2) ; rank=?OTHER
			MPI_Intercomm_merge(intercomm=comm#0, high=RANK) ; newintracomm=comm#3`), `
			world: 0-1
			self:0: 0
			self:1: 1
			self:0/intercomm0~self:1/intercomm0: 0 | 1
			self:0/intercomm0~self:1/intercomm0/merge0: 0-1 assumed
			self:0/intercomm0~self:1/intercomm0/merge1: 1,0
			self:0/intercomm0~self:1/intercomm0/merge2: 0-1`},
		"ranks that were not recorded": {`
			rank 1 of 4 on n0
			MPI_Comm_dup(comm=MPI_COMM_WORLD) ; newcomm=comm#0
			MPI_Comm_split(comm=MPI_COMM_WORLD, color=0, key=0) ; newcomm=comm#1
			MPI_Comm_size(comm=comm#1) ; size=3
			MPI_Comm_split(comm=MPI_COMM_WORLD, color=0, key=0) ; newcomm=comm#2
			MPI_Comm_size(comm=comm#2) ; size=1
			MPI_Intercomm_create(local_comm=comm#2, local_leader=0, peer_comm=MPI_COMM_WORLD, remote_leader=3, tag=1) ; newintercomm=comm#3
			MPI_Comm_group(comm=MPI_COMM_WORLD) ; group=group#0
			MPI_Group_excl(group=group#0, n=1, ranks=[0]) ; newgroup=group#1
			MPI_Comm_create_group(comm=MPI_COMM_WORLD, group=group#1, tag=0) ; newcomm=comm#4`, `
			world: 0-3
			world/dup0: 0-3
			world/split1:0: 1 partial
			world/split2:0: 1
			world/create_group:0(1-3): 1-3
			world/split2:0/intercomm0: 1 | ? partial`},
		"a rank that died": {`
			rank 0 of 2 on n0
			MPI_Comm_dup(comm=MPI_COMM_WORLD) ; newcomm=comm#0
			MPI_Comm_split(comm=comm#0, color=0, key=0) ; unfinished
			rank 1 of 2 on n0
			killed 9
			MPI_Comm_dup(comm=MPI_COMM_WORLD) ; newcomm=comm#0`, `
			world: 0-1
			world/dup0: 0-1
			world/dup0/split0:0: 0 partial`},
		"sessions": {ranks(2, vars{"LOCAL": func(r int) any { return r }, "REMOTE": func(r int) any { return 1 - r }}, `
			MPI_Session_init() ; session=session#0
			MPI_Group_from_session_pset(session=session#0, pset_name="mpi://WORLD") ; newgroup=group#0
			MPI_Comm_create_from_group(group=group#0, stringtag="a") ; newcomm=comm#0
			MPI_Comm_create_from_group(group=group#0, stringtag="a") ; newcomm=comm#1
			MPI_Group_from_session_pset(session=session#0, pset_name="app://half") ; newgroup=group#1
			MPI_Comm_create_from_group(group=group#1, stringtag="a") ; newcomm=comm#2
			MPI_Group_incl(group=group#0, n=1, ranks=[LOCAL]) ; newgroup=group#2
			MPI_Group_incl(group=group#0, n=1, ranks=[REMOTE]) ; newgroup=group#3
			MPI_Intercomm_create_from_groups(local_group=group#2, local_leader=0, remote_group=group#3, remote_leader=0, stringtag="b") ; newintercomm=comm#3`), `
			world: 0-1
			from_group:a(0-1): 0-1
			from_group:a(0-1)#1: 0-1
			intercomm_from_groups:b(0|1): 0 | 1
			unknown: the group given to MPI_Comm_create_from_group at rank 0 is not known (1)
			unknown: the group given to MPI_Comm_create_from_group at rank 1 is not known (1)
			unknown: what MPI_Comm_create_from_group made could not be put together with the calls of other members (2)`},
		"ports": {ranks(3, vars{
			"CALL":   func(r int) any { return []string{"MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_connect"}[r] },
			"PORT":   func(r int) any { return []string{`"p"`, `"p"`, `"elsewhere"`}[r] },
			"RESULT": func(int) any { return "newcomm" }}, `
			CALL(port_name=PORT, root=0, comm=MPI_COMM_SELF) ; RESULT=comm#0`), `
			world: 0-2
			self:0: 0
			self:1: 1
			self:2: 2
			self:0/accept0~self:1/connect0: 0 | 1
			self:2/connect0: 2 | ? partial`},
		"joins": {ranks(2, nil, `
			MPI_Comm_join(fd=5) ; intercomm=comm#0
			MPI_Intercomm_merge(intercomm=comm#0, high=RANK) ; newintracomm=comm#1`), `
			world: 0-1
			self:0/join0~self:1/join0: 0 | 1 assumed
			self:0/join0~self:1/join0/merge0: 0-1`},
		"worlds": {`
			rank 0 of 2 on n0
			1000+500 MPI_Comm_spawn(command="b", maxprocs=1, root=0, comm=MPI_COMM_WORLD) ; intercomm=comm#0
			2000+500 MPI_Comm_spawn(command="a", maxprocs=2, root=0, comm=MPI_COMM_WORLD) ; intercomm=comm#1
			MPI_Intercomm_merge(intercomm=comm#1, high=0) ; newintracomm=comm#2
			rank 1 of 2 on n0
			1000+500 MPI_Comm_spawn(maxprocs=1, root=0, comm=MPI_COMM_WORLD) ; intercomm=comm#0
			2000+500 MPI_Comm_spawn(maxprocs=2, root=0, comm=MPI_COMM_WORLD) ; intercomm=comm#1
			MPI_Intercomm_merge(intercomm=comm#1, high=0) ; newintracomm=comm#2
			rank 0 of 2 on n0 world 1
			2100+10 MPI_Comm_get_parent() ; parent=comm#0
			MPI_Comm_get_parent() ; parent=comm#0
			MPI_Intercomm_merge(intercomm=comm#0, high=1) ; newintracomm=comm#1
			rank 1 of 2 on n0 world 1
			2100+10 MPI_Comm_get_parent() ; parent=comm#0
			MPI_Intercomm_merge(intercomm=comm#0, high=1) ; newintracomm=comm#1
			rank 0 of 1 on n0 world 2
			1100+10 MPI_Comm_get_parent() ; parent=comm#0`, `
			world: 0-1
			world1: w1:0-1
			world2: w2:0
			world/spawn0: 0-1 | w2:0
			world/spawn1: 0-1 | w1:0-1
			world/spawn1/merge0: 0-1,w1:0-1`},
		"a world whose parent was not recorded": {`
			rank 0 of 1 on n0
			MPI_Comm_get_parent() ; parent=comm#0
			MPI_Comm_dup(comm=comm#0) ; newcomm=comm#1`, `
			world: 0
			world0/parent: 0 | ? partial
			world0/parent/dup0: 0 | ? partial`},
		"threads in time": {ranks(2, nil, `
			100+10 MPI_Comm_dup(comm=MPI_COMM_WORLD) @ a.c:1 [f] ; newcomm=comm#0
			500+10 MPI_Comm_free(comm=comm#0)
			700+10 MPI_Comm_split(comm=MPI_COMM_WORLD, color=RANK, key=0) ; newcomm=comm#0
			thread 1
			300+10 MPI_Comm_split(comm=comm#0, color=0, key=-RANK) ; newcomm=comm#1
			900+10 MPI_Comm_dup(comm=comm#0) ; newcomm=comm#2`), `
			world: 0-1
			world/dup0: 0-1 freed1
			world/split1:0: 0
			world/split1:1: 1
			world/dup0/split0:0: 1,0
			world/split1:0/dup0: 0
			world/split1:1/dup0: 1`},
		"threads without time": {"notiming\n" + ranks(2, nil, `
			MPI_Comm_split(comm=comm#0, color=0, key=-RANK) ; newcomm=comm#1
			thread 1
			MPI_Comm_dup(comm=MPI_COMM_WORLD) ; newcomm=comm#0`), `
			world: 0-1
			world/dup0: 0-1
			world/dup0/split0:0: 1,0
			unknown: several threads make communicators, and without time stamps their order is a guess (2)`},
		"an object from out of sight": {ranks(1, nil, `
			MPI_Comm_dup(comm=comm#7) ; newcomm=comm#1`), `
			world: 0
			unknown: objects that no recorded call made are used as communicators (1)
			unknown: what MPI_Comm_dup made could not be put together with the calls of other members (1)`},
		"failed calls make nothing": {ranks(1, nil, `
			MPI_Comm_dup(comm=MPI_COMM_WORLD) ; ret 5
			MPI_Comm_dup(comm=MPI_COMM_WORLD) ; newcomm=comm#0`), `
			world: 0
			world/dup0: 0`},
		"the group of a window": {ranks(2, vars{"MINE": nullUnless(func(r int) bool { return r == 1 }, "comm#1")}, `
			MPI_Comm_split(comm=MPI_COMM_WORLD, color=0, key=-RANK) ; newcomm=comm#0
			MPI_Win_create(size=8, disp_unit=1, comm=comm#0) ; win=win#0
			MPI_Win_get_group(win=win#0) ; group=group#0
			MPI_Group_incl(group=group#0, n=1, ranks=[0]) ; newgroup=group#1
			MPI_Comm_create(comm=MPI_COMM_WORLD, group=group#1) ; newcomm=MINE`), `
			world: 0-1
			world/split0:0: 1,0
			world/create1: 1`},
	} {
		t.Run(name, func(t *testing.T) {
			abi := "abi mpi5\n"
			res, err := Analyze(archivetest.Archive(t, abi+c.desc), nil)
			if err != nil {
				t.Fatal(err)
			}
			want := strings.ReplaceAll(strings.TrimSpace(c.want), "\t", "") + "\n"
			if got := summary(res); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// A number means different communicators at different times.
func TestLookup(t *testing.T) {
	res, err := Analyze(archivetest.Archive(t, "abi mpich\n"+ranks(2, nil, `
		MPI_Comm_dup(comm=MPI_COMM_WORLD) ; newcomm=comm#0
		MPI_Comm_free(comm=comm#0)
		MPI_Comm_split(comm=MPI_COMM_WORLD, color=0, key=-RANK) ; newcomm=comm#0`)), nil)
	if err != nil {
		t.Fatal(err)
	}
	for event, want := range map[uint64]string{0: "world/dup0", 1: "world/dup0", 2: "world/split1:0",
		5: "world/split1:0"} {
		o := res.Lookup(1, 2, 1, event)
		if o == nil || o.Comm.Name != want {
			t.Errorf("event %d: %+v, want %s", event, o, want)
		}
	}
	if o := res.Lookup(1, 2, 1, 9); o.Rank != 0 || res.Lookup(1, 4, 1, 9) != nil || res.Lookup(7, 2, 1, 0) != nil {
		t.Errorf("%+v", o)
	}
	if o := res.Lookup(0, worldRef, 0, 0); o == nil || o.Comm.How != "world" || o.Rank != 0 {
		t.Errorf("world: %+v", o)
	}
}

// Questions in a loop cost nothing, and one that is answered differently is noticed.
func TestQuestionsInLoops(t *testing.T) {
	res, err := Analyze(archivetest.Archive(t, "abi mpich\n"+ranks(2, nil, `
		MPI_Comm_dup(comm=MPI_COMM_WORLD) ; newcomm=comm#0
		loop 100000
		  MPI_Comm_rank(comm=comm#0) ; rank=?RANK
		end
		MPI_Comm_size(comm=comm#0) ; size=?2
		MPI_Comm_size(comm=comm#0) ; size=?3`)), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := "world: 0-1\nworld/dup0: 0-1\n" +
		"contradiction: MPI_Comm_size was answered in several ways on one object of world/dup0 at rank 0 (1)\n" +
		"contradiction: MPI_Comm_size was answered in several ways on one object of world/dup0 at rank 1 (1)\n"
	if got := summary(res); got != want {
		t.Errorf("got\n%s", got)
	}
}

// A file may claim any number of ranks, and objects may be nested to any depth.
func TestHugeAndDeep(t *testing.T) {
	const chain = 20000
	var b strings.Builder
	b.WriteString(`abi mpich
rank 1 of 2000000000 on n
MPI_Comm_dup(comm=MPI_COMM_WORLD) ; newcomm=comm#0
MPI_Comm_split(comm=MPI_COMM_WORLD, color=0, key=0) ; newcomm=comm#1
MPI_Cart_create(comm_old=MPI_COMM_WORLD, ndims=2, dims=[1000000000, 2], periods=[0, 0], reorder=1) ; comm_cart=comm#2
MPI_Cart_sub(comm=comm#2, remain_dims=[1, 0]) ; newcomm=comm#3
MPI_Cart_create(comm_old=MPI_COMM_WORLD, ndims=3, dims=[4611686018427387904, 4611686018427387904, 4], periods=[0, 0, 0], reorder=0) ; comm_cart=comm#4
MPI_Comm_group(comm=MPI_COMM_WORLD) ; group=group#0
MPI_Group_range_incl(group=group#0, n=1, ranges=[1999999999, 0, -2]) ; newgroup=group#1
MPI_Group_union(group1=group#0, group2=group#1) ; newgroup=group#2
MPI_Group_excl(group=group#0, n=1, ranks=[7]) ; newgroup=group#3
MPI_Comm_create(comm=MPI_COMM_WORLD, group=group#1) ; newcomm=comm#5
MPI_Comm_create(comm=MPI_COMM_WORLD, group=group#2) ; newcomm=comm#6
MPI_Intercomm_create(local_comm=comm#0, local_leader=1, peer_comm=comm#0, remote_leader=1, tag=0) ; newintercomm=comm#7
MPI_Graph_create(comm_old=MPI_COMM_WORLD, nnodes=2000000000, index=[1], edges=[1], reorder=1) ; comm_graph=comm#8
`)
	for i := range chain {
		fmt.Fprintf(&b, "MPI_Comm_dup(comm=comm#%d) ; newcomm=comm#%d\n", 8+i, 9+i)
		fmt.Fprintf(&b, "MPI_Group_incl(group=group#%d, n=1, ranks=[0]) ; newgroup=group#%d\n", 3+i, 4+i)
	}
	fmt.Fprintf(&b, "MPI_Comm_create(comm=MPI_COMM_SELF, group=group#%d) ; newcomm=comm#%d\n", 3+chain, 9+chain)
	res, err := Analyze(archivetest.Archive(t, b.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(res.Comms); n < chain {
		t.Errorf("%d communicators", n)
	}
	for _, c := range res.Comms {
		if len(c.Name) > 2*maxName {
			t.Fatalf("a name of %d bytes", len(c.Name))
		}
	}
}
