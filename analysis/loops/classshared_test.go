package loops

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// describe writes down all that Of found but for the streams themselves.
func describe(cs []*Class) string {
	var b strings.Builder
	for _, c := range cs {
		fmt.Fprintf(&b, "world %d thread %d ranks %v calls %d %d..%d\n", c.World, c.Thread, c.Ranks(), c.Calls, c.Least,
			c.Most)
		for _, v := range c.Variants {
			fmt.Fprintf(&b, " variant %v:", v.Ranks)
			for _, s := range v.Streams {
				fmt.Fprintf(&b, " %d", s.Index())
			}
			b.WriteByte('\n')
		}
		c.All(func(n *Node) {
			fmt.Fprintf(&b, " %v %v %v %d %v %v %+v", n.Kind, n.Shape.Func, n.Shape.Frames, n.Calls, n.Share, n.Polls,
				n.Params)
			for _, k := range n.Counts {
				fmt.Fprintf(&b, " %+v", *k)
			}
			b.WriteByte('\n')
		})
	}
	return b.String()
}

// TestClassShared checks that looking at a class of the archive once finds what looking at each
// stream does.
func TestClassShared(t *testing.T) {
	ranks := func(n int, call func(r int) string) string {
		var d strings.Builder
		for r := range n {
			fmt.Fprintf(&d, "rank %d of %d on node%d\nMPI_Init()\n%sMPI_Finalize()\n", r, n, r/4, call(r))
		}
		return d.String()
	}
	for name, desc := range map[string]string{
		"ring": ranks(12, func(r int) string {
			return fmt.Sprintf("loop 30\nMPI_Send(dest=%d, tag=%d, comm=MPI_COMM_WORLD) @ a.c:3 [main]\nend\n",
				(r+1)%12, r%3)
		}),
		"line": ranks(9, func(r int) string {
			dest := r + 1
			if r == 8 {
				dest = -2
			}
			return fmt.Sprintf("loop 30\nMPI_Send(buf=heap#%d+8, dest=%d, comm=MPI_COMM_WORLD) @ a.c:3 [main]\nend\n",
				r%2, dest)
		}),
		"trips": ranks(10, func(r int) string {
			return fmt.Sprintf("loop %d\nMPI_Recv(source=%d, comm=MPI_COMM_WORLD) ; status=?{source=1 tag=2 bytes=%d}\n"+
				"MPI_Barrier(comm=MPI_COMM_WORLD)\nend\n", 3+r%3, r*r%10, r)
		}),
		"hub": ranks(10, func(r int) string {
			return "loop 5\nMPI_Send(dest=0, comm=MPI_COMM_WORLD)\nend\n"
		}),
		"communicators": ranks(10, func(r int) string {
			return fmt.Sprintf("loop 5\nMPI_Send(dest=%d, comm=comm#%d)\nMPI_Send(dest=%d, comm=MPI_COMM_WORLD)\nend\n",
				(r+1)%10, r%2, r)
		}),
		"arrays": ranks(10, func(r int) string {
			return fmt.Sprintf("loop 5\nMPI_Alltoallv(sendcounts=[1, %d], recvcounts=[%d], comm=MPI_COMM_WORLD)\n"+
				"MPI_Comm_set_name(comm=MPI_COMM_WORLD, comm_name=\"n%d\")\nend\n", r, r%2, r%3)
		}),
		"polls": ranks(6, func(r int) string {
			return fmt.Sprintf("loop 5\npoll %d MPI_Iprobe(source=%d, comm=MPI_COMM_WORLD) ; flag=0\n"+
				"MPI_Bcast(root=0, comm=MPI_COMM_WORLD)\nend\nthread 1\nMPI_Barrier(comm=MPI_COMM_SELF)\nthread 0\n",
				1+r, (r+5)%6)
		}),
	} {
		t.Run(name, func(t *testing.T) {
			desc := strings.ReplaceAll(desc, "thread 0\nMPI_Finalize()\n", "")
			b := archivetest.Bytes(t, desc)
			once, err := Of(archivetest.Open(t, b), Options{})
			if err != nil {
				t.Fatal(err)
			}
			each, err := Of(archivetest.Open(t, b), Options{plain: true})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := describe(once), describe(each); got != want || !strings.Contains(got, "MPI_Init") {
				t.Errorf("by class\n%s\nby stream\n%s", got, want)
			}
		})
	}
}
