package infer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// TestHowOften: where values follow no rule, how often a call is made is no reason if all make it equally often.
func TestHowOften(t *testing.T) {
	var text strings.Builder
	text.WriteString("abi mpich\nnotiming\n")
	for r := range 3 {
		fmt.Fprintf(&text, "rank %d of 3 on n\n", r)
		for i := range 6 { // the same with other parameters at each rank
			fmt.Fprintf(&text, "MPI_Bcast(count=%d, datatype=MPI_INT, root=0) @ a.c:5 [main]\n", 1+i*(r+1)%4)
		}
		fmt.Fprintf(&text, "loop %d\nMPI_Barrier() @ a.c:6 [main]\nend\n", 2+r)
	}
	c, err := archivetest.Archive(t, text.String()).Content()
	if err != nil {
		t.Fatal(err)
	}
	var classes []*class
	for _, d := range c.Classes {
		classes = append(classes, newClass(&recording{c: c}, d))
	}
	bcast := Obstacle{Func: "MPI_Bcast", Site: "a.c:5 [main]", Reason: howOften}
	barrier := Obstacle{Func: "MPI_Barrier", Site: "a.c:6 [main]", Reason: howOften}
	value := Obstacle{Func: "MPI_Bcast", Site: "a.c:5 [main]", Param: "count", Reason: "no rule"}
	for _, x := range []struct{ list, want []Obstacle }{
		{[]Obstacle{bcast, value, barrier}, []Obstacle{value, barrier}},
		{[]Obstacle{bcast, barrier}, []Obstacle{bcast, barrier}}, // nothing else says why
	} {
		m := &inference{obstacles: &Obstacles{List: slices.Clone(x.list)}}
		m.causes(classes)
		if got, want := m.obstacles.Error(), (&Obstacles{List: x.want}).Error(); got != want {
			t.Errorf("%s\nnot %s", got, want)
		}
	}
}
