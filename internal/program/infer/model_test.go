package infer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/program/infer"
)

// recording describes a job of n ranks in the language of archivetest: body is what a rank does
// between MPI_Init and MPI_Finalize.
func recording(n int, body func(rank int) string) string {
	var b strings.Builder
	b.WriteString("abi mpich\nmpi MPICH\ntool tabard test\ncommand ./app\n")
	for r := range n {
		fmt.Fprintf(&b, "rank %d of %d on node\nMPI_Init(argc=0) @ a.c:1 [main]\n", r, n)
		b.WriteString(body(r))
		b.WriteString("MPI_Finalize() @ a.c:99 [main]\n")
	}
	return b.String()
}

func send(to, line int) string {
	return fmt.Sprintf("MPI_Send(count=40, datatype=MPI_INT, dest=%d, tag=1, comm=MPI_COMM_WORLD) @ a.c:%d [main]\n",
		to, line)
}

func receive(from, line int) string {
	return fmt.Sprintf("MPI_Recv(count=40, datatype=MPI_INT, source=%d, tag=1, comm=MPI_COMM_WORLD) @ a.c:%d [main]\n",
		from, line)
}

func bcast(root, count, line int) string {
	return fmt.Sprintf("MPI_Bcast(count=%d, datatype=MPI_INT, root=%d, comm=MPI_COMM_WORLD) @ a.c:%d [main]\n", count,
		root, line)
}

// A model is a small program, and what is made of its recording: the program for any number of
// ranks, and after it what that rests on; or why there is none. Datatype and communicator are
// numbers of objects.
type model struct {
	about string
	ranks int
	to    int // a job of this size does what is inferred; 0 if not
	body  func(rank, n int) string
	want  string
}

// models are programs with the patterns that most have.
var models = []model{
	{"a loop is a loop", 4, 9, func(r, n int) string { return "loop 5\n" + bcast(0, 30, 5) + "end\n" }, `
5 times for i0
  MPI_Bcast(-, 30, 27, 0, 3)
`},
	{"a ring", 5, 11, func(r, n int) string { return send((r+1)%n, 5) + receive((r+n-1)%n, 6) }, `
MPI_Send(-, 40, 27, ((r + 1) mod P), 1, 3)
MPI_Recv(-, 40, 27, ((r - 1) mod P), 1, 3, -)
assumed: no process grid shows with a prime number of ranks: what depends on the rank is taken to depend on the rank in jobs of other sizes, and not on a row or a column
`},
	{"a pipeline has conditions at its ends", 5, 11, func(r, n int) string {
		text := ""
		if r > 0 {
			text += receive(r-1, 5)
		}
		if r < n-1 {
			text += send(r+1, 6)
		}
		return text
	}, `
(not(((r - 1) < 0)) and ((r - 1) < P)) times MPI_Recv(-, 40, 27, (r - 1), 1, 3, -)
(not(((r + 1) < 0)) and ((r + 1) < P)) times MPI_Send(-, 40, 27, (r + 1), 1, 3)
assumed: no process grid shows with a prime number of ranks: what depends on the rank is taken to depend on the rank in jobs of other sizes, and not on a row or a column
`},
	{"the first rank gathers: calls in a row from one line are a loop", 5, 11, func(r, n int) string {
		if r > 0 {
			return send(0, 5)
		}
		text := ""
		for i := 1; i < n; i++ {
			text += receive(i, 6)
		}
		return text
	}, `
((P - 1) if (r = 0) else 0) times for i0
  MPI_Recv(-, 40, 27, ((r + (i0 + 1)) mod P), 1, 3, -)
not((r = 0)) times MPI_Send(-, 40, 27, 0, 1, 3)
assumed: no process grid shows with a prime number of ranks: what depends on the rank is taken to depend on the rank in jobs of other sizes, and not on a row or a column
assumed: the loop over MPI_Recv at a.c:6 [main]: 4 partners are (P - 1)
`},
	{"loops in loops", 4, 9, func(r, n int) string {
		return "loop 3\nloop 2\n" + bcast(0, 30, 5) + "end\n" + bcast(0, 70, 6) + "end\n"
	}, `
3 times for i0
  2 times for i1
    MPI_Bcast(-, 30, 27, 0, 3)
  MPI_Bcast(-, 70, 27, 0, 3)
assumed: the loop over MPI_Bcast at a.c:5 [main]: 2 times in jobs of any size, although an axis of the process grid has 4 ranks
assumed: the loop over MPI_Bcast at a.c:5 [main]: 3 times in jobs of any size, although there are 4 ranks
`},
	{"as many calls as the rank says", 6, 13, func(r, n int) string { return strings.Repeat(bcast(0, 30, 5), r+1) }, `
(r + 1) times for i0
  MPI_Bcast(-, 30, 27, 0, 3)
`},
	{"even and odd ranks do other things", 6, 10, func(r, n int) string {
		if r%2 == 0 {
			return send(r+1, 5) + receive(r+1, 6)
		}
		return receive(r-1, 7) + send(r-1, 8)
	}, `
((r mod 2) = 0) times MPI_Send(-, 40, 27, (r + 1), 1, 3)
((r mod 2) = 0) times MPI_Recv(-, 40, 27, (r + 1), 1, 3, -)
not(((r mod 2) = 0)) times MPI_Recv(-, 40, 27, (r - 1), 1, 3, -)
not(((r mod 2) = 0)) times MPI_Send(-, 40, 27, (r - 1), 1, 3)
assumed: it is not for any number of ranks: with 7 of them calls do not fit together
`},
	{"another size of messages in each step", 4, 9, func(r, n int) string {
		return bcast(0, 40, 5) + bcast(0, 80, 5) + bcast(0, 12, 5)
	}, `
3 times for i0
  MPI_Bcast(-, [40, 80, 12][i0], 27, 0, 3)
assumed: the loop over MPI_Bcast at a.c:5 [main]: 3 times in jobs of any size, although there are 4 ranks
`},
	{"another root in each step", 4, 9, func(r, n int) string {
		text := ""
		for i := range 6 {
			text += bcast(i%n, 40, 5)
		}
		return text
	}, `
6 times for i0
  MPI_Bcast(-, 40, 27, (i0 mod P), 3)
`},
	{"arrays with an element for each rank", 4, 0, func(r, n int) string {
		return "MPI_Gatherv(sendcount=2, sendtype=MPI_INT, recvcounts=[2, 2, 2, 2], displs=[0, 2, 4, 6], " +
			"recvtype=MPI_INT, " +
			"root=0, comm=MPI_COMM_WORLD) @ a.c:5 [main]\n"
	}, `
MPI_Gatherv(-, 2, 27, -, P x [2], P x [(2 * e)], 27, 0, 3)
`},
	{"neighbours on a line", 6, 0, func(r, n int) string {
		text := ""
		for _, p := range []int{r - 1, r + 1} {
			if p >= 0 && p < n {
				text += send(p, 5)
			}
		}
		return text
	}, `
neighbours[[-1] [1]] times for i0
  MPI_Send(-, 40, 27, neighbour[[-1] [1]][i0], 1, 3)
`},
	{"messages that nobody receives stay so, as they were recorded so", 4, 9, func(r, n int) string {
		return send((r+1)%n, 5)
	}, `
MPI_Send(-, 40, 27, ((r + 1) mod P), 1, 3)
`},
	{"a partner that follows no rule", 16, 0, func(r, n int) string {
		return send(r*2654435761>>7%n, 5)
	}, `
another number of ranks is not possible: MPI_Send at a.c:5 [main], dest (ranks 0-15): its values do not follow from rank, size and iteration
`},
	{"strings that differ", 4, 0, func(r, n int) string {
		return fmt.Sprintf("MPI_Comm_set_name(comm=MPI_COMM_WORLD, comm_name=\"rank %d\") @ a.c:5 [main]\n", r)
	}, `
another number of ranks is not possible: MPI_Comm_set_name at a.c:5 [main], comm_name (ranks 0-3): it differs between ranks and is no number
`},
}

func TestModels(t *testing.T) { checkModels(t, models) }

// checkModels infers the programs.
func checkModels(t *testing.T, list []model) {
	for _, c := range list {
		a := archivetest.Archive(t, recording(c.ranks, func(r int) string { return c.body(r, c.ranks) }))
		m, err := infer.Infer(content(t, a), infer.Options{})
		got := "\n"
		if err != nil {
			got += err.Error() + "\n"
		} else {
			for _, line := range strings.Split(strings.TrimSpace(m.String()), "\n") {
				if line = strings.TrimPrefix(line, "  "); !strings.HasPrefix(line, "thread 0") &&
					!strings.HasPrefix(line, "MPI_Init") && !strings.HasPrefix(line, "MPI_Finalize") {
					got += line + "\n"
				}
			}
			for _, s := range m.Assumptions {
				if !strings.HasPrefix(s.What, "what is the same at all ranks") { // of all recordings of one size
					got += "assumed: " + s.String() + "\n"
				}
			}
		}
		if got != c.want {
			t.Errorf("%s:%s, not%s", c.about, got, c.want)
		}
		if c.to == 0 {
			continue
		}
		job, _, err := infer.Of(content(t, a), c.to, infer.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.about, err)
			continue
		}
		check(t, opened(t, job), archivetest.Archive(t, recording(c.to, func(r int) string { return c.body(r, c.to) })))
	}
}

// What keeps a job from being of another size as a whole.
func TestRefused(t *testing.T) {
	ring := recording(4, func(r int) string { return send((r+1)%4, 5) + receive((r+3)%4, 6) })
	for _, c := range []struct {
		about, desc string
		ranks       int
		want        string
	}{
		{"no rank at all", ring, 0, "0 ranks are not possible"},
		{"some ranks are missing", strings.ReplaceAll(ring, " of 4 on node", " of 5 on node"), 8,
			"only 4 of 5 ranks were recorded"},
		{"it did not end", strings.TrimSuffix(ring, "MPI_Finalize() @ a.c:99 [main]\n") + "killed\n", 8,
			"the program did not reach its end"},
	} {
		b, err := archivetest.Build(c.desc)
		if err != nil {
			t.Errorf("%s: %v", c.about, err)
			continue
		}
		_, _, err = infer.Of(content(t, archivetest.Open(t, b)), c.ranks, infer.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, not %q", c.about, err, c.want)
		}
	}
}
