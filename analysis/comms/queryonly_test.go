package comms

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// TestQueryOnlyClasses checks that going through one stream of a class finds what going through
// each does, right and wrong answers to questions included.
func TestQueryOnlyClasses(t *testing.T) {
	const n = 12
	wrong := func(r int) int {
		if r == 7 {
			return 3
		}
		return r
	}
	for name, call := range map[string]func(r int) string{
		"nothing": func(r int) string { return "MPI_Barrier(comm=MPI_COMM_WORLD)\n" },
		"rank":    func(r int) string { return fmt.Sprintf("MPI_Comm_rank(comm=MPI_COMM_WORLD) ; rank=?%d\n", r) },
		"rank in the signature": func(r int) string {
			return fmt.Sprintf("MPI_Comm_size(comm=MPI_COMM_WORLD) ; size=%d\nMPI_Comm_rank(comm=MPI_COMM_SELF) ; "+
				"rank=0\n"+
				"MPI_Comm_rank(comm=MPI_COMM_WORLD) ; rank=%d\n", n, r)
		},
		"wrong": func(r int) string {
			return fmt.Sprintf("loop 3\nMPI_Comm_rank(comm=MPI_COMM_WORLD) @ a.c:1 [f] ; rank=?%d\n"+
				"MPI_Comm_size(comm=MPI_COMM_WORLD) ; size=?%d\nMPI_Comm_rank(comm=MPI_COMM_WORLD) @ a.c:2 [f] ; "+
				"rank=?%d\nend\n",
				r, n, wrong(r))
		},
		"changing": func(r int) string {
			return fmt.Sprintf("MPI_Comm_rank(comm=MPI_COMM_WORLD) ; rank=?%d\nMPI_Comm_rank(comm=MPI_COMM_WORLD) ; "+
				"rank=?%d\n",
				r, wrong(r))
		},
		"made": func(r int) string {
			return fmt.Sprintf("MPI_Comm_split(comm=MPI_COMM_WORLD, color=%d, key=0) ; newcomm=comm#0\n"+
				"MPI_Comm_rank(comm=comm#0) ; rank=?%d\n", r%2, r/2)
		},
		"trips": func(r int) string {
			return fmt.Sprintf("loop %d\nMPI_Comm_rank(comm=MPI_COMM_WORLD) ; rank=?%d\nend\n", 1+r%4, r)
		},
		"from out of sight": func(r int) string { return fmt.Sprintf("MPI_Comm_rank(comm=comm#4) ; rank=?%d\n", r) },
	} {
		t.Run(name, func(t *testing.T) {
			var d strings.Builder
			for r := range n {
				fmt.Fprintf(&d, "rank %d of %d on n\nMPI_Init()\n%sMPI_Finalize()\n", r, n, call(r))
			}
			b := archivetest.Bytes(t, d.String())
			var got, want string
			for known, to := range map[bool]*string{true: &got, false: &want} {
				classes := queryOnlyClasses(nil)
				if known {
					classes = queryOnlyClasses{}
				}
				r, err := analyze(archivetest.Open(t, b), classes, nil)
				if err != nil {
					t.Fatal(err)
				}
				*to = resultText(r)
				if known && (name == "rank" || name == "nothing") &&
					!reflect.DeepEqual(queryOnlyOnes(classes), []bool{true}) {
					t.Errorf("no class is quiet: %v", queryOnlyOnes(classes))
				}
			}
			if got != want {
				t.Errorf("by class\n%s\nby stream\n%s", got, want)
			}
		})
	}
}

func queryOnlyOnes(classes queryOnlyClasses) (ok []bool) {
	for _, q := range classes {
		ok = append(ok, q != nil)
	}
	return ok
}

// resultText writes a result down.
func resultText(r *Result) string {
	var b strings.Builder
	for _, c := range r.Comms {
		fmt.Fprintf(&b, "%s %s %s %d %q %q\n", c.Name, c.How, r.Text(c.Members, 0), c.Times, c.Partial, c.Assumed)
	}
	for _, p := range r.Processes {
		fmt.Fprintf(&b, "process %d:", p.Member)
		for _, o := range p.Objects {
			name := "?"
			if o.Comm != nil {
				name = o.Comm.Name
			}
			fmt.Fprintf(&b, " (%d %s side %d rank %d stream %d %d-%d freed %v times %d)", o.Ref, name, o.Side, o.Rank,
				o.Stream, o.From, o.To, o.Freed, o.Times)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%+v\n", r.Notes)
	return b.String()
}
