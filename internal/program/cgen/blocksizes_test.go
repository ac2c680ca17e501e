package cgen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
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
	{"all parts that are reduced are sent", "MPI_Reduce_scatter(sendbuf=heap#0, recvbuf=stack#0, recvcounts=[1, 2, 3, 4], " +
		"datatype=MPI_INT, op=MPI_SUM, comm=MPI_COMM_WORLD)", "40"},
	{"the same if they are equal", "MPI_Reduce_scatter_block(sendbuf=heap#0, recvbuf=stack#0, recvcount=5, " +
		"datatype=MPI_INT, op=MPI_SUM, comm=MPI_COMM_WORLD)", "80"},
	{"the part that ends last, displacements count elements",
		"MPI_Alltoallv(sendbuf=heap#0, sendcounts=[9, 2, 3, 4], sdispls=[30, 0, 10, 20], sendtype=MPI_INT, " +
			"recvbuf=stack#0, recvcounts=[1, 1, 1, 1], rdispls=[0, 1, 2, 3], recvtype=MPI_INT, comm=MPI_COMM_WORLD)", "156"},
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
	{"a window", "MPI_Win_create(base=heap#0, size=777, disp_unit=1, info=MPI_INFO_NULL, comm=MPI_COMM_WORLD) ; win=win#0",
		"777"},
	{"an address that is only asked for", "MPI_Get_address(location=heap#0+100) ; address=5", "108"},
}

// Memory of which the recording does not say where it was allocated is there from the start, as
// large as calls use it.
func TestBlockSizes(t *testing.T) {
	for _, x := range blockSizes {
		text, r := generate(t, archivetest.Archive(t, perRank(4, x.calls)), Options{})
		_, size, _ := strings.Cut(text, "    heap[0] = memory(")
		size, _, _ = strings.Cut(size, ");\n")
		if size != x.size || len(r.Notes) > 0 {
			t.Errorf("%s: %q bytes, not %s; %q", x.about, size, x.size, r.Notes)
		}
	}
}
