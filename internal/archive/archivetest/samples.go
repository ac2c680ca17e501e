package archivetest

import (
	"fmt"
	"strings"
)

// Varied describes n ranks in two worlds whose values, trip counts and columns are functions of the
// rank of all kinds, in several classes, one with threads, and bodies of rules that classes share.
func Varied(n int) string {
	var d strings.Builder
	for r := range n {
		fmt.Fprintf(&d, "rank %d of %d on n%d world %d\nmodule /bin/app\nclock %d %d 7\n", r%6, 6, r/3, r/6, 10*r,
			100*r)
		fmt.Fprintf(&d, "MPI_Comm_set_name(comm=MPI_COMM_WORLD, comm_name=\"n%d\")\n"+
			"MPI_Comm_set_name(comm=comm#%d, comm_name=?\"x%d\")\n", r%2, r*r%5, r%3)
		fmt.Fprintf(&d, "loop %d\n", 2+r%3)
		if r%6 != 0 {
			fmt.Fprintf(&d, "MPI_Send(buf=heap#%d+%d, dest=%d, tag=%d, comm=MPI_COMM_WORLD) @ a.c:%d [f]\n", r, 8*r,
				r%6-1, r*r*7919%101, 5)
		}
		fmt.Fprintf(&d, "MPI_Recv(source=-1, comm=MPI_COMM_WORLD) ; status=?{source=%d tag=3 bytes=%d}\n", r%6, r*37%11)
		fmt.Fprintf(&d, "poll %d MPI_Iprobe(source=1, comm=MPI_COMM_WORLD) ; flag=0\n", 1+r)
		fmt.Fprintf(&d, "MPI_Alltoallv(sendcounts=[1, %d, 3], sdispls=?[%d, 2], recvcounts=[%s], "+
			"comm=MPI_COMM_WORLD)\n", r, r, strings.TrimSuffix(strings.Repeat("4, ", r%3), ", "))
		d.WriteString("MPI_Bcast(root=0, comm=MPI_COMM_WORLD)\nMPI_Barrier(comm=MPI_COMM_WORLD)\n" +
			"MPI_Barrier(comm=MPI_COMM_SELF)\nMPI_Scan(comm=MPI_COMM_WORLD)\nMPI_Gather(root=1)\nend\n")
		if r%2 == 1 {
			d.WriteString("thread 1\nMPI_Barrier(comm=MPI_COMM_SELF)\n")
		}
		if r%5 == 4 {
			d.WriteString("lost 3\nkilled 9\n")
		}
	}
	return d.String()
}
