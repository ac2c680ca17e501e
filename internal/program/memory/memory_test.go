package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/program"
)

// sendOf sends n elements of the datatype that is made.
func sendOf(made string, n int) string {
	return fmt.Sprintf(`%s ; newtype=type#0
MPI_Send(buf=heap#0, count=%d, datatype=type#0, dest=0, tag=1, comm=MPI_COMM_WORLD)`, made, n)
}

// A collective call with parts for four ranks; the other side of it has other memory.
const parted = "sendcount=5, sendtype=MPI_INT, recvcount=5, recvtype=MPI_INT, comm=MPI_COMM_WORLD"

// blockSizes are calls of four ranks that use block 0 of the heap, of which nothing else is known,
// and how many bytes of it that takes.
var blockSizes = []struct{ about, calls, size string }{
	{"elements of a predefined datatype",
		"MPI_Send(buf=heap#0, count=100, datatype=MPI_SHORT, dest=0, tag=1, comm=MPI_COMM_WORLD)", "200"},
	{"from a place in the midst on, datatypes of Fortran end with their size",
		"MPI_Send(buf=heap#0+8, count=3, datatype=MPI_COMPLEX16, dest=0, tag=1, comm=MPI_COMM_WORLD)", "56"},
	{"the largest count of a column",
		`MPI_Send(buf=heap#0, count=?3, datatype=MPI_INT, dest=0, tag=1, comm=MPI_COMM_WORLD) @ a.c:1 [f]
MPI_Send(buf=heap#0, count=?53, datatype=MPI_INT, dest=0, tag=1, comm=MPI_COMM_WORLD) @ a.c:1 [f]
MPI_Send(buf=heap#0, count=?50, datatype=MPI_INT, dest=0, tag=1, comm=MPI_COMM_WORLD) @ a.c:1 [f]`, "212"},

	{"contiguous", sendOf("MPI_Type_contiguous(count=10, oldtype=MPI_INT)", 2), "80"},
	{"vector: the stride counts elements, and the last block is not a whole stride",
		sendOf("MPI_Type_vector(count=3, blocklength=2, stride=10, oldtype=MPI_INT)", 1), "88"},
	{"hvector: the stride counts bytes",
		sendOf("MPI_Type_create_hvector(count=3, blocklength=2, stride=100, oldtype=MPI_INT)", 1), "208"},
	{"resized: elements are as far apart as the extent says",
		sendOf("MPI_Type_create_resized(oldtype=MPI_INT, lb=0, extent=64)", 3), "132"},
	{"subarray: all of the array",
		sendOf("MPI_Type_create_subarray(ndims=2, array_of_sizes=[10, 20], array_of_subsizes=[5, 5], "+
			"array_of_starts=[1, 1], order=MPI_ORDER_C, oldtype=MPI_INT)", 1), "800"},
	{"darray: all of the array",
		sendOf("MPI_Type_create_darray(size=4, rank=0, ndims=1, array_of_gsizes=[100], "+
			"array_of_distribs=[MPI_DISTRIBUTE_BLOCK], array_of_dargs=[MPI_DISTRIBUTE_DFLT_DARG], "+
			"array_of_psizes=[4], order=MPI_ORDER_C, oldtype=MPI_INT)", 1), "400"},
	{"indexed: displacements count elements",
		sendOf("MPI_Type_indexed(count=2, array_of_blocklengths=[1, 3], array_of_displacements=[0, 10], "+
			"oldtype=MPI_INT)", 1), "52"},
	{"indexed_block: all blocks have one length",
		sendOf("MPI_Type_create_indexed_block(count=2, blocklength=4, array_of_displacements=[0, 10], "+
			"oldtype=MPI_INT)", 1), "56"},
	{"hindexed_block: displacements count bytes",
		sendOf("MPI_Type_create_hindexed_block(count=2, blocklength=4, array_of_displacements=[0, 100], "+
			"oldtype=MPI_INT)", 1), "116"},
	{"struct: each block has its datatype",
		sendOf("MPI_Type_create_struct(count=2, array_of_blocklengths=[1, 2], array_of_displacements=[0, 8], "+
			"array_of_types=[MPI_INT, MPI_DOUBLE])", 1), "24"},
	{"dup: as the other one", sendOf("MPI_Type_dup(oldtype=MPI_DOUBLE)", 5), "40"},
	{"a number of a datatype that is used again: enough for all that had it",
		"MPI_Type_contiguous(count=10, oldtype=MPI_INT) ; newtype=type#0\nMPI_Type_free(datatype=type#0)\n" +
			sendOf("MPI_Type_contiguous(count=3, oldtype=MPI_BYTE)", 1), "40"},

	{"a root receives a part of each", "MPI_Gather(sendbuf=stack#0, recvbuf=heap#0, root=0, " + parted + ")", "80"},
	{"and the others send one", "MPI_Gather(sendbuf=heap#0, recvbuf=stack#0, root=0, " + parted + ")", "20"},
	{"a root sends a part to each", "MPI_Scatter(sendbuf=heap#0, recvbuf=stack#0, root=0, " + parted + ")", "80"},
	{"and the others receive one", "MPI_Scatter(sendbuf=stack#0, recvbuf=heap#0, root=0, " + parted + ")", "20"},
	{"everybody to everybody", "MPI_Alltoall(sendbuf=heap#0, recvbuf=stack#0, " + parted + ")", "80"},
	{"as many neighbours as are thinkable", "MPI_Neighbor_alltoall(sendbuf=heap#0, recvbuf=stack#0, " + parted + ")",
		"1280"},
	{"all parts that are reduced are sent", "MPI_Reduce_scatter(sendbuf=heap#0, recvbuf=stack#0, recvcounts=[1, 2, " +
		"3, 4], " +
		"datatype=MPI_INT, op=MPI_SUM, comm=MPI_COMM_WORLD)", "40"},
	{"the same if they are equal", "MPI_Reduce_scatter_block(sendbuf=heap#0, recvbuf=stack#0, recvcount=5, " +
		"datatype=MPI_INT, op=MPI_SUM, comm=MPI_COMM_WORLD)", "80"},
	{"the part that ends last, displacements count elements",
		"MPI_Alltoallv(sendbuf=heap#0, sendcounts=[9, 2, 3, 4], sdispls=[30, 0, 10, 20], sendtype=MPI_INT, " +
			"recvbuf=stack#0, recvcounts=[1, 1, 1, 1], rdispls=[0, 1, 2, 3], recvtype=MPI_INT, comm=MPI_COMM_WORLD)",
		"156"},
	{"displacements count bytes where each part has a datatype of its own",
		"MPI_Alltoallw(sendbuf=heap#0, sendcounts=[1, 2, 3, 4], sdispls=[0, 100, 200, 300], " +
			"sendtypes=[MPI_INT, MPI_INT, MPI_INT, MPI_DOUBLE], recvbuf=stack#0, recvcounts=[0, 0, 0, 0], " +
			"rdispls=[0, 0, 0, 0], recvtypes=[MPI_INT, MPI_INT, MPI_INT, MPI_INT], comm=MPI_COMM_WORLD)", "332"},

	{"a packed message: its size is in bytes, whatever is packed",
		"MPI_Pack(inbuf=stack#0, incount=2, datatype=MPI_INT, outbuf=heap#0, outsize=100, position=0, " +
			"comm=MPI_COMM_WORLD) ; position=8", "100"},
	{"what is unpacked from has bytes, too",
		"MPI_Unpack(inbuf=heap#0, insize=100, position=0, outbuf=stack#0, outcount=2, datatype=MPI_INT, " +
			"comm=MPI_COMM_WORLD) ; position=8", "100"},
	{"a window", "MPI_Win_create(base=heap#0, size=777, disp_unit=1, info=MPI_INFO_NULL, comm=MPI_COMM_WORLD) ; " +
		"win=win#0",
		"777"},
	{"an address that is only asked for", "MPI_Get_address(location=heap#0+100) ; address=5", "108"},
}

// memoryOf is what the calls of so many ranks use; %r stands for the rank.
func memoryOf(t *testing.T, ranks int, lines string) *Memory {
	t.Helper()
	text := "abi openmpi\n"
	for r := range ranks {
		text += fmt.Sprintf("rank %d of %d on node\nMPI_Init(argc=0)\n%s\nMPI_Finalize()\n", r, ranks,
			strings.ReplaceAll(lines, "%r", fmt.Sprint(r)))
	}
	var list []*program.Class
	for i, c := range archivetest.Archive(t, text).Classes() {
		list = append(list, &program.Class{Class: c, Index: i})
	}
	m, err := Of(list, ranks)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Memory of which the recording does not say where it was allocated is as large as calls use it.
func TestBlockSizes(t *testing.T) {
	for _, x := range blockSizes {
		m := memoryOf(t, 4, x.calls)
		if size := fmt.Sprint(m.Find(archive.Heap, 0).Most); size != x.size || len(m.Notes) > 0 || len(m.Records) > 0 {
			t.Errorf("%s: %s bytes, not %s; %q", x.about, size, x.size, m.Notes)
		}
	}
}

// Blocks of all kinds are there, in order; only those of the heap begin where they were allocated.
func TestSegments(t *testing.T) {
	m := memoryOf(t, 2, `MPI_Bcast(buffer=stack#1+1000, count=4, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD)
MPI_Bcast(buffer=module#0+0x1000, count=%r, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD)
MPI_Bcast(buffer=heap#2+8, count=4, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD)
MPI_Bcast(buffer=stack#0-64, count=4, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD)
MPI_Get_address(location=NULL) ; address=0`)
	var got []string
	for i, s := range m.Segments {
		got = append(got, fmt.Sprintf("%d#%d %d to %d", s.Mem, s.Number, s.Low, s.Most))
		if s.Index != i || m.Find(s.Mem, int64(s.Number)) != s {
			t.Errorf("segment %d has number %d", i, s.Index)
		}
	}
	want := []string{"1#2 0 to 24", "2#0 4096 to 4100", "3#0 -64 to -48", "3#1 960 to 1016"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	if high := m.Find(archive.Static, 0).High; high[0] != 4097 || high[1] != 4100 { // an address is there at least
		t.Errorf("by rank: %v", high)
	}
}

// What records say of a block is known: how large it was, and who allocated it.
func TestRecords(t *testing.T) {
	m := memoryOf(t, 2, `tabard_segment(segment=0, kind=1, bytes=100)
tabard_segment_end(segment=0)
tabard_segment(segment=0, kind=1, bytes=30)
tabard_segment(segment=3, kind=3, bytes=64)
tabard_segment(segment=2, kind=1, bytes=?8)
MPI_Alloc_mem(size=10, info=MPI_INFO_NULL) ; baseptr=heap#1`)
	for n, want := range map[int64]Record{0: {true, 100, 30}, 3: {false, 64, 64}, 2: {true, 1 << 62, 8}} {
		if r := m.Records[n]; r == nil || *r != want {
			t.Errorf("segment %d: %+v, not %+v", n, r, want)
		}
	}
	if m.Heaps != 4 || m.InColumns || m.Records[1] != nil || !m.Find(archive.Heap, 1).Made {
		t.Errorf("%d segments, in columns %v, the one of MPI %+v", m.Heaps, m.InColumns, m.Find(archive.Heap, 1))
	}
	if m := memoryOf(t, 1, "tabard_segment(segment=?5, kind=1, bytes=64)"); !m.InColumns || m.Heaps != 6 {
		t.Errorf("numbers in columns: %v, %d", m.InColumns, m.Heaps)
	}
}

// Datatypes that lead out of a block are followed call by call: numbers are used again.
func TestReaches(t *testing.T) {
	pair := func(displacements string) string {
		return `MPI_Type_create_struct(count=2, array_of_blocklengths=[4, 10], array_of_displacements=` +
			displacements +
			`, array_of_types=[MPI_DOUBLE, MPI_INT]) @ a.c:5 [f] ; newtype=type#0
MPI_Send(buf=heap#0+8, count=1, datatype=type#0, dest=0, tag=1, comm=MPI_COMM_WORLD) @ a.c:7 [f]
MPI_Type_free(datatype=type#0) @ a.c:8 [f]
tabard_segment_end(segment=0)
`
	}
	const block = "tabard_segment(segment=0, kind=1, bytes=4096)\n"
	m := memoryOf(t, 2, block+pair("[0, 8]")+block+pair("[0, 9000]")+block+pair("[0, -500]")+block+
		pair("[0, 46179488366592]")+block+pair("[0, 16]"))
	if len(m.Reaches) != 1 || len(m.Notes) > 0 {
		t.Fatalf("%d terminals, %q", len(m.Reaches), m.Notes)
	}
	for _, x := range m.Reaches {
		for rank := range 2 {
			var got []string
			for k := range x.Calls[rank] {
				if r := x.At(rank, k); r != nil {
					got = append(got, fmt.Sprintf("%d: %d %d %v", k, r.Before, r.Behind, r.Far))
				}
			}
			want := []string{"1: 0 4952 []", "2: 492 0 []", "3: 0 0 [{46179488366600 46179488366640}]"}
			if !slices.Equal(got, want) || x.Calls[rank] != 5 {
				t.Errorf("rank %d: %q, not %q; %d blocks", rank, got, want, x.Calls[rank])
			}
		}
		if !x.Around() {
			t.Error("nothing is around the blocks")
		}
	}
}
