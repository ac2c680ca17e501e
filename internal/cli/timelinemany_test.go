package cli

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// crowd is a job in which each rank exchanges messages with its neighbours in 10 time steps and takes part in a sum.
// Rank slow computes for 80 us a step, the others for about 30 us; ranks of missing are not there. Ranks at the ends
// have one neighbour.
func crowd(ranks, slow int, missing ...int) string {
	var b strings.Builder
	rng := rand.New(rand.NewPCG(7, 7))
	b.WriteString("abi mpich\nmpi MPICH\ntool tabard test\ncommand ./crowd\n")
	absent := map[int]bool{}
	for _, r := range missing {
		absent[r] = true
	}
	const steps, step = 10, 120_000
	for r := range ranks {
		if absent[r] {
			continue
		}
		fmt.Fprintf(&b, "rank %d of %d on n\nclock 0 0 0\nclock 10000000 10000000 10000000\n", r, ranks)
		fmt.Fprintf(&b, "%d+%d MPI_Init()\n", 10*r, 2_000_000-10*r)
		for s := range steps {
			begin := 2_000_000 + s*step
			at := begin + 20_000 + rng.IntN(20_000)
			if r == slow {
				at = begin + 80_000
			}
			for _, d := range []int{-1, 1} {
				if p := r + d; p >= 0 && p < ranks && !absent[p] {
					fmt.Fprintf(&b, "%d+1000 MPI_Send(buf=heap#0, count=8, datatype=MPI_INT, dest=%d, tag=0, "+
						"comm=MPI_COMM_WORLD) @ app.c:10 [main]\n",
						at, p)
					at += 1500
				}
			}
			for _, d := range []int{-1, 1} {
				if p := r + d; p >= 0 && p < ranks && !absent[p] {
					end := max(at+1000, begin+46_000)
					if p == slow {
						end = begin + 84_000
					}
					fmt.Fprintf(&b, "%d+%d MPI_Recv(buf=heap#0, count=8, datatype=MPI_INT, source=%d, tag=0, "+
						"comm=MPI_COMM_WORLD) @ app.c:14 [main]\n",
						at, end-at, p)
					at = end + 500
				}
			}
			fmt.Fprintf(&b, "%d+%d MPI_Allreduce(count=1, datatype=MPI_DOUBLE, op=MPI_SUM, comm=MPI_COMM_WORLD) @ "+
				"app.c:20 [main]\n",
				at, begin+100_000-at)
		}
		fmt.Fprintf(&b, "%d+10000 MPI_Finalize()\n", 2_000_000+steps*step)
	}
	return b.String()
}

// In a picture of many ranks those that stand out come first, then classes; missing ranks are marked, and arrows go
// from who is late. It explains itself on hovering.
func TestTimelineManyRanks(t *testing.T) {
	path := file(t, crowd(100, 53, 70, 71))
	code, svg, _ := run("timeline", path, "--svg", "-")
	if code != exitOK {
		t.Fatalf("exit code %d", code)
	}
	for _, want := range []string{"Timeline of 98 ranks, 2 not recorded", "waiting for others", "time steps of rank 53",
		">53</text>", ">70</text>", ">71</text>", ">class 1 (93)</text>", ">class 0 (4)</text>",
		"<title>MPI_Allreduce, call ", "not recorded: no process with this rank was seen here",
		"<title>2.086 ms: rank 53 is late, 96 others wait 3.", "MPI_Allreduce @ app.c:20 [main]</text>"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q", want)
		}
	}
	if n := strings.Count(svg, "rank 53 is late, "); n != 12 { // six arrows, and their list
		t.Errorf("arrows are explained %d times", n)
	}
	_, byRank, _ := run("timeline", path, "--svg", "-", "--order", "rank")
	if strings.Contains(byRank, "class 1") || !strings.Contains(byRank, ">50</text>") {
		t.Error("--order rank shows classes")
	}
	_, plain, _ := run("timeline", path, "--width", "100")
	lines := strings.Split(plain, "\n")
	for i, want := range []string{"Timeline of 98 ranks, 2 not recorded", "without initialisation",
		"time steps of rank 53",
		"[2---", "rank", "53 |", "70 | (not recorded: ", "71 |", "class 0 (4) |"} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d: no %q in %q", i, want, lines[i])
		}
	}
	if !strings.Contains(plain, "W waiting for others") || !strings.Contains(plain,
		"2.086 ms: rank 53 is late, 96 others") {
		t.Errorf("no waits in\n%s", plain)
	}
}

// Rows of an order find their place whatever is selected, and where there are fewer rows than the order has blocks.
func TestTimelineFewRows(t *testing.T) {
	many, two := file(t, crowd(100, 53, 70, 71)), file(t, crowd(2, 1))
	for _, args := range [][]string{
		{many, "--rows", "1"}, {many, "--rows", "2"}, {many, "--rows", "4"}, {many, "--order", "class", "--rank", "0"},
		{many, "--order", "class", "--rank", "53"}, {many, "--order", "class", "--rank", "0-10,70"},
		{many, "--rank", "60-71"},
		{two, "--order", "class"}, {two, "--rows", "1", "--order", "class"},
	} {
		for _, more := range [][]string{nil, {"--svg", "-"}, {"--json"}} {
			words := append(append([]string{"timeline"}, args...), more...)
			code, out, errs := run(words...)
			if code != exitOK {
				t.Errorf("%s: exit code %d, %s", words[2:], code, errs)
			}
			if strings.Contains(strings.ReplaceAll(out, many, ""), "71") && args[0] == many &&
				slices.Contains(args, "0-10,70") && more == nil {
				t.Errorf("%s: rank 71 is not selected:\n%s", words[2:], out)
			}
		}
	}
}
