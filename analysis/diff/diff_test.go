package diff_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/testkit/cputime"
)

var everything = diff.Options{Structure: true, Parameters: true, Time: true}

// program is 16 ranks that exchange with their neighbours; change may replace the lines of a rank.
func program(ranks, steps int, change func(rank int, lines []string) []string) string {
	var b strings.Builder
	b.WriteString("abi mpich\n")
	for r := range ranks {
		fmt.Fprintf(&b, "rank %d of %d on n\nclock 0 0 0\nclock 1000000 1000000 1000000\n", r, ranks)
		lines := []string{
			"MPI_Init() @ h.c:5 [main]",
			fmt.Sprintf("loop %d", steps),
			fmt.Sprintf("MPI_Irecv(count=10, datatype=MPI_INT, source=%d, tag=1, comm=MPI_COMM_WORLD) @ h.c:40 "+
				"[exchange] ; "+
				"request=request#0", (r+ranks-1)%ranks),
			fmt.Sprintf("MPI_Send(count=10, datatype=MPI_INT, dest=%d, tag=1, comm=MPI_COMM_WORLD) @ h.c:41 [exchange]",
				(r+1)%ranks),
			"MPI_Wait(request=request#0) @ h.c:42 [exchange] ; request=MPI_REQUEST_NULL",
			"MPI_Allreduce(count=1, datatype=MPI_DOUBLE, op=MPI_SUM, comm=MPI_COMM_WORLD) @ h.c:50 [norm]",
			"end",
			"MPI_Finalize() @ h.c:60 [main]",
		}
		if change != nil {
			lines = change(r, lines)
		}
		b.WriteString(strings.Join(lines, "\n") + "\n")
	}
	return b.String()
}

func compareTexts(t *testing.T, a, b string) *diff.Result {
	t.Helper()
	r, err := diff.Of(archivetest.Archive(t, a), archivetest.Archive(t, b), everything)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// only gives the change to one rank.
func only(rank int, change func(lines []string) []string) func(int, []string) []string {
	return func(r int, lines []string) []string {
		if r == rank {
			return change(lines)
		}
		return lines
	}
}

func replace(i int, old, new string) func([]string) []string {
	return func(lines []string) []string {
		lines[i] = strings.Replace(lines[i], old, new, 1)
		return lines
	}
}

func TestSame(t *testing.T) {
	r := compareTexts(t, program(16, 100, nil), program(16, 100, nil))
	if len(r.Differences)+len(r.Order)+len(r.Notes) != 0 || r.Ranks != 16 || r.Calls != 16*402 || r.Times == nil ||
		len(r.Times.Sites) != 0 {
		t.Errorf("%+v", r)
	}
}

// One difference on one of 16 ranks is named, and is the only one.
func TestPlanted(t *testing.T) {
	insert := func(at int, lines ...string) func([]string) []string {
		return func(l []string) []string { return append(l[:at:at], append(lines, l[at:]...)...) }
	}
	body := func(l []string) []string { return l[2:6] }
	for _, c := range []struct {
		name   string
		change func([]string) []string
		want   string
	}{
		{"count", replace(3, "count=10", "count=20"), "parameter 3 MPI_Send h.c:41 [exchange] count 10 20 100/100 []"},
		{"trips", replace(1, "100", "99"), "loop 3 MPI_Irecv h.c:40 [exchange]  100 99 1/0 step"},
		{"one more", replace(1, "100", "101"), "loop 3 MPI_Irecv h.c:40 [exchange]  100 101 1/0 step"},
		{"many more", replace(1, "100", "5000"), "loop 3 MPI_Irecv h.c:40 [exchange]  100 5000 1/0 step"},
		{"another receiver", replace(3, "dest=4", "dest=5"),
			"parameter 3 MPI_Send h.c:41 [exchange] dest 4 5 100/100 []"},
		{"order", func(l []string) []string { l[2], l[3] = l[3], l[2]; return l },
			"order 3 MPI_Irecv h.c:40 [exchange]    100/0 []"},
		{"order once", func(l []string) []string {
			b := body(l)
			out := append([]string{l[0], "loop 49"}, b...)
			out = append(out, "end", b[1], b[0], b[2], b[3], "loop 50")
			out = append(out, b...)
			return append(out, "end", l[7])
		}, "order 3 MPI_Irecv h.c:40 [exchange]    1/0 [49/100]"},
		{"count once", func(l []string) []string {
			b := body(l)
			out := append([]string{l[0], "loop 49"}, b...)
			out = append(out, "end", b[0], strings.Replace(b[1], "count=10", "count=20", 1), b[2], b[3], "loop 50")
			out = append(out, b...)
			return append(out, "end", l[7])
		}, "parameter 3 MPI_Send h.c:41 [exchange] count 10 20 1/100 [49/100]"},
		{"count from there on", func(l []string) []string {
			b := body(l)
			out := append([]string{l[0], "loop 7"}, b...)
			out = append(out, "end", "loop 93", b[0], strings.Replace(b[1], "count=10", "count=20", 1), b[2], b[3])
			return append(out, "end", l[7])
		}, "parameter 3 MPI_Send h.c:41 [exchange] count 10 20 93/100 [7/100] onwards"},
		{"one call more", insert(7, "MPI_Barrier(comm=MPI_COMM_WORLD) @ h.c:55 [main]"),
			"extra 3 MPI_Barrier h.c:55 [main]    1/0 []"},
		{"a call more in each step", insert(5, "MPI_Barrier(comm=MPI_COMM_WORLD) @ h.c:55 [main]"),
			"extra 3 MPI_Barrier h.c:55 [main]    100/0 []"},
		{"error", func(l []string) []string { l[3] += " ; ret 6"; return l },
			"result 3 MPI_Send h.c:41 [exchange] return MPI_SUCCESS MPI_ERR_RANK 100/100 []"},
		{"deadlock", func(l []string) []string {
			return append(append([]string{l[0], "loop 30"}, body(l)...), "end", l[2],
				"MPI_Recv(count=1, datatype=MPI_INT, source=9, tag=7, comm=MPI_COMM_WORLD) @ h.c:45 [exchange] ; "+
					"unfinished")
		}, "hang 3 MPI_Recv h.c:45 [exchange]  MPI_Send at h.c:41 [exchange]  1/0 [30/100]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			begin := cputime.Used()
			r := compareTexts(t, program(16, 100, nil), program(16, 100, only(3, c.change)))
			if d := cputime.Since(begin); d > 10*time.Second {
				t.Errorf("took %v", d)
			}
			if len(r.Differences) == 0 {
				t.Fatal("the same")
			}
			for _, d := range r.Differences {
				if got := text(d); got != c.want {
					t.Errorf("got  %s\nwant %s\n%+v", got, c.want, d)
				}
			}
		})
	}
}

func text(d *diff.Difference) string {
	s := fmt.Sprintf("%v %v %s %s %s %s %s %d/%d", d.Kind, d.Ranks, d.Call.Func, d.Call.Site, d.Param, d.A, d.B,
		d.Count,
		d.Of)
	if d.Kind == diff.Trips {
		s = strings.Replace(s, d.Param, "", 1)
		if d.Step {
			s += " step"
		}
		return s
	}
	var places []string
	for _, p := range d.Places {
		if d.Count == 1 || d.FromThereOn || d.Kind == diff.Hang {
			places = append(places, fmt.Sprintf("%d/%d", p.Iteration, p.Iterations))
		}
	}
	s += fmt.Sprintf(" [%s]", strings.Join(places, " "))
	if d.FromThereOn {
		s += " onwards"
	}
	return s
}
