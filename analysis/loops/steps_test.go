package loops_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/loops"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// job is a program on some ranks, written call by call.
type job struct {
	strings.Builder
	rank, ranks int
	caller      string // of the functions that call
}

func (j *job) call(name string, line int, function string) {
	fmt.Fprintf(j, "%s() @ s.c:%d [%s] < s.c:%d [%s]\n", name, line, function, 200+line, j.caller)
}

func (j *job) swap(line int, function string, neighbors int) {
	for k := range neighbors {
		for i, f := range []string{"MPI_Irecv(source=%d)", "MPI_Send(dest=%d)", "MPI_Wait()"} {
			text := f
			if i < 2 {
				text = fmt.Sprintf(f, (j.rank+k+1)%j.ranks)
			}
			fmt.Fprintf(j, "%s @ s.c:%d [%s] < s.c:%d [%s]\n", text, line+i, function, 200+line, j.caller)
		}
	}
}

// molecules is steps of molecular dynamics: in each tenth new lists are made, with other calls than in those between.
// Lists are made and positions are swapped before, too, and each fiftieth step writes a line.
func (j *job) molecules(steps int) {
	rebuild := func() {
		j.call("MPI_Allreduce", 20, "check")
		j.swap(30, "exchange", 2)
		j.swap(40, "borders", 4)
	}
	output := func() {
		for line := 70; line < 75; line++ {
			j.call("MPI_Allreduce", line, "thermo")
		}
	}
	j.caller = "setup"
	rebuild()
	j.swap(50, "reverse", 4)
	output()
	j.caller = "run"
	for t := 1; t <= steps; t++ {
		j.call("MPI_Wtime", 10, "stamp")
		if t%10 == 0 {
			rebuild()
		} else {
			j.swap(15, "forward", 4)
			j.call("MPI_Wtime", 18, "stamp")
		}
		j.swap(50, "reverse", 4)
		j.call("MPI_Wtime", 60, "stamp")
		if t%50 == 0 {
			output()
		}
	}
}

// refined is steps of ten stages each, with as many messages as the mesh has just then; each fourth refines it.
func (j *job) refined(steps int) {
	rnd := rand.New(rand.NewPCG(3, uint64(j.rank)))
	neighbors := 2
	for t := 1; t <= steps; t++ {
		for range 10 {
			j.call("MPI_Wtime", 10, "driver")
			j.swap(20, "comm", neighbors)
			j.call("MPI_Wtime", 30, "driver")
		}
		if t%4 == 0 {
			neighbors = 1 + rnd.IntN(4)
			for level := range 3 {
				j.call("MPI_Allreduce", 40, "refine")
				j.swap(50, "move", level%2+1)
			}
			j.call("MPI_Allreduce", 60, "refine")
		}
		j.call("MPI_Wtime", 80, "driver")
	}
}

// switching is steps of which each is one of three kinds, as the data have it, at all ranks alike.
func (j *job) switching(steps int) {
	rnd := rand.New(rand.NewPCG(5, 5))
	for range steps {
		j.call("MPI_Allreduce", 10, "choose")
		switch kind := rnd.IntN(8); {
		case kind < 5:
			j.swap(20, "explicit", 2)
		case kind < 7:
			for range 2 + rnd.IntN(6) {
				j.swap(30, "matvec", 2)
				j.call("MPI_Allreduce", 34, "dot")
			}
			j.call("MPI_Bcast", 40, "implicit")
		default:
			j.call("MPI_Gather", 50, "write")
			j.call("MPI_Barrier", 51, "write")
		}
	}
}

// levels is steps that go through ten levels of a grid, with other messages on each, and sum up.
func (j *job) levels(steps int) {
	for range steps {
		for level := range 10 {
			fmt.Fprintf(j, "MPI_Send(dest=%d, tag=%d) @ s.c:20 [level]\n", (j.rank+1)%j.ranks, level)
			fmt.Fprintf(j, "MPI_Recv(source=%d, tag=%d) @ s.c:21 [level]\n", (j.rank+j.ranks-1)%j.ranks, level)
		}
		j.call("MPI_Allreduce", 30, "norm")
	}
}

// commands is a loop over the lines of an input, the last of which is the simulation.
func (j *job) commands(steps int) {
	for line := range 12 {
		j.call("MPI_Bcast", 10, "input")
		j.call("MPI_Bcast", 11, "input")
		if line%3 == 0 {
			j.call("MPI_Barrier", 12, "input")
		}
	}
	for t := range steps {
		j.swap(20, "halo", 2)
		if t%7 == 3 || t%5 == 1 {
			j.call("MPI_Allreduce", 30, "norm")
		}
		j.call("MPI_Wtime", 40, "stamp")
	}
	j.call("MPI_Bcast", 10, "input")
}

// TestStepsOfKinds finds the time steps of programs whose steps are not all alike.
func TestStepsOfKinds(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps int
		run   func(*job, int)
	}{
		{"molecules", 200, (*job).molecules}, {"molecules, longer", 500, (*job).molecules},
		{"molecules, not a full group", 475, (*job).molecules}, {"levels", 20, (*job).levels},
		{"refined", 14, (*job).refined}, {"refined, longer", 43, (*job).refined},
		{"switching", 90, (*job).switching}, {"commands", 60, (*job).commands},
	} {
		var text strings.Builder
		text.WriteString("abi mpich\nnotiming\n")
		for rank := range 4 {
			j := &job{rank: rank, ranks: 4, caller: "run"}
			fmt.Fprintf(j, "rank %d of 4 on n\n", rank)
			j.call("MPI_Init", 1, "main")
			c.run(j, c.steps)
			j.call("MPI_Finalize", 90, "main")
			text.WriteString(j.String())
		}
		classes, err := loops.Of(archivetest.Archive(t, text.String()), loops.Options{})
		if err != nil {
			t.Fatal(c.name, err)
		}
		for _, k := range classes {
			switch {
			case k.Step == nil:
				t.Errorf("%s: ranks %v have no steps", c.name, k.Ranks())
			case k.Step.Counts[0].Sum() != uint64(c.steps):
				t.Errorf("%s: ranks %v have %d steps, not %d", c.name, k.Ranks(), k.Step.Counts[0].Sum(), c.steps)
			case k.Step.Share < 0.8:
				t.Errorf("%s: steps have %.0f %% of the calls of ranks %v", c.name, 100*k.Step.Share, k.Ranks())
			}
		}
	}
}
