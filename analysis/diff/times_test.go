package diff_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/analysis/selection"
)

// timed is two ranks with n sends and n barriers that take as many microseconds, and gaps between
// them.
func timed(n int, send, barrier, gap [2]int) string {
	var b strings.Builder
	b.WriteString("abi mpich\n")
	for r := range 2 {
		fmt.Fprintf(&b, "rank %d of 2 on n\nclock 0 0 0\nclock 1000000000 1000000000 1000000000\n", r)
		at := 1000
		for range n {
			fmt.Fprintf(&b, "%d+%d MPI_Send(count=1, dest=%d, tag=1, comm=MPI_COMM_WORLD) @ t.c:1 [f]\n", at*1000,
				send[r]*1000,
				1-r)
			at += send[r] + gap[r]
			fmt.Fprintf(&b, "%d+%d MPI_Barrier(comm=MPI_COMM_WORLD) @ t.c:2 [f]\n", at*1000, barrier[r]*1000)
			at += barrier[r] + gap[r]
		}
	}
	return b.String()
}

// Call sites are named whose times differ by more than noise, and ranks that compute longer or
// shorter.
func TestTimes(t *testing.T) {
	was := timed(10, [2]int{100, 100}, [2]int{50, 50}, [2]int{30, 30})
	for _, c := range []struct {
		name, b        string
		sites          string
		slower, faster string
	}{
		{"the same", was, "", "", ""},
		{"noise", timed(10, [2]int{105, 103}, [2]int{50, 51}, [2]int{31, 30}), "", "", ""},
		{"slower sends", timed(10, [2]int{300, 100}, [2]int{50, 50}, [2]int{30, 30}),
			"MPI_Send t.c:1 [f] 2ms 4ms 20 20", "",
			""},
		{"both", timed(10, [2]int{300, 100}, [2]int{10, 10}, [2]int{30, 30}),
			"MPI_Send t.c:1 [f] 2ms 4ms 20 20, MPI_Barrier t.c:2 [f] 1ms 200µs 20 20", "", ""},
		{"more calls", timed(20, [2]int{50, 50}, [2]int{25, 25}, [2]int{15, 15}), "", "", ""},
		{"a slow rank", timed(10, [2]int{100, 100}, [2]int{50, 50}, [2]int{30, 90}), "", "1", ""},
		{"one of each", timed(10, [2]int{100, 100}, [2]int{50, 50}, [2]int{90, 10}), "", "0", "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := with(t, was, c.b, diff.Options{Time: true})
			if len(r.Differences)+len(r.Notes) != 0 || r.Times == nil {
				t.Fatalf("%+v", r)
			}
			var sites, slower, faster []string
			for _, s := range r.Times.Sites {
				round := time.Duration(100 * time.Microsecond)
				sites = append(sites, fmt.Sprint(s.Func, " ", s.Site, " ", s.A.Round(round), " ", s.B.Round(round),
					" ", s.CallsA,
					" ", s.CallsB))
			}
			for _, x := range r.Times.Slower {
				slower = append(slower, fmt.Sprint(x.Rank))
			}
			for _, x := range r.Times.Faster {
				faster = append(faster, fmt.Sprint(x.Rank))
			}
			if got := strings.Join(sites, ", "); got != c.sites {
				t.Errorf("sites %s, want %s", got, c.sites)
			}
			if strings.Join(slower, ",") != c.slower || strings.Join(faster, ",") != c.faster {
				t.Errorf("slower %q, faster %q", slower, faster)
			}
		})
	}
}

// A recording without times is compared in all else, and that is said.
func TestNoTimes(t *testing.T) {
	a := "abi mpich\nnotiming\nrank 0 of 1 on n\nMPI_Barrier(comm=MPI_COMM_WORLD)\n"
	r := with(t, a, a, everything)
	if r.Times != nil || len(r.Differences) != 0 || fmt.Sprint(r.Notes) != "[A has no times]" {
		t.Errorf("%+v", r)
	}
}

// Only what is selected is compared, in both recordings.
func TestSelected(t *testing.T) {
	change := func(at int, new string) func(int, []string) []string {
		return only(2, func(l []string) []string {
			l[at] = strings.Replace(l[at], "count=10", "count="+new, 1)
			return l
		})
	}
	a, b := program(4, 100, nil), program(4, 100, change(3, "20"))
	late := program(4, 100, only(2, func(l []string) []string {
		out := append([]string{l[0], "loop 60"}, l[2:6]...)
		out = append(out, "end", "loop 40", l[2], strings.Replace(l[3], "count=10", "count=20", 1), l[4], l[5])
		return append(out, "end", l[7])
	}))
	found := "parameter 2 MPI_Send h.c:41 [exchange] count 10 20 "
	for _, c := range []struct {
		name  string
		flags selection.Flags
		b     string
		want  string
	}{
		{"the rank", selection.Flags{Ranks: "2"}, b, found + "100/100 []"},
		{"other ranks", selection.Flags{Ranks: "0-1,3"}, b, ""},
		{"the function", selection.Flags{Functions: "MPI_Send"}, b, found + "100/100 []"},
		{"other functions", selection.Flags{Functions: "coll"}, b, ""},
		{"steps before", selection.Flags{Steps: "0-59"}, late, ""},
		{"steps after", selection.Flags{Steps: "70-79"}, late, found + "10/100 []"},
		{"a time before", selection.Flags{Time: "0%..40%"}, late, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			sel, err := selection.Parse(c.flags)
			if err != nil {
				t.Fatal(err)
			}
			o := diff.Options{Structure: true, Parameters: true, Ranks: sel.Ranks, Functions: sel.Functions,
				Comms:  sel.Comms,
				Window: sel.Window, Steps: sel.Steps}
			if got := texts(with(t, a, c.b, o)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
