package whatif

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/efficiency"
)

// Two ranks compute 100 and 300 in turn before each of 20 barriers: without them each computes 400 for two of them.
// Something that may need the order keeps the barriers.
func TestNeedlessBarriers(t *testing.T) {
	const barrier = "MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:3 [f]"
	for _, c := range []struct {
		more   string
		needed bool
	}{
		{"MPI_Comm_rank(comm=MPI_COMM_WORLD) @ a.c:4 [f]", false},
		{"MPI_File_sync(fh=file#0) @ a.c:4 [f]", true},
		{"MPI_Wtime() @ a.c:4 [f]", true},
		{"MPI_Iprobe(source=0, tag=1, comm=MPI_COMM_WORLD) @ a.c:4 [f] ; flag=0", true},
	} {
		w := &writer{}
		w.WriteString("abi mpich\n")
		for r := range 2 {
			w.rank(r, 2)
			for i := range 20 {
				w.call([]int{100, 300}[(i+r)%2], 10+(i+1)*310+i*10, barrier)
				w.call(0, 0, c.more)
			}
			w.end()
		}
		g := graph(t, w.String())
		got := g.NeedlessBarriers(.01)
		switch {
		case c.needed && len(got) > 0:
			t.Errorf("%s: %+v", c.more, got)
		case c.needed:
		case len(got) != 1 || got[0].Calls != 40 || got[0].Without != 10*400+20*10 || g.Elapsed != 20*320:
			t.Errorf("%s: %+v of %d", c.more, got, g.Elapsed)
		}
	}
}

// Rank 0 computes 300 before it sends and 100 after that, rank 1, which receives, the other way round. If it waits after
// it has computed, it finds the message there. It is no matter of the wait if it is there already, or if it is made late.
func TestEarlyWaits(t *testing.T) {
	for _, late := range []bool{false, true} {
		w := &writer{}
		w.WriteString("abi mpich\n")
		for r := range 2 {
			w.rank(r, 2)
			for i := range 20 {
				end := 10 + (i+1)*1000
				if r == 0 {
					w.call(300, 0, strings.ReplaceAll(fmt.Sprintf(send, 1), "MPI_Send", "MPI_Bsend"))
					w.call(100, end, "MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:3 [f]")
					continue
				}
				w.call(10, 0, "MPI_Irecv(count=1, datatype=MPI_INT, source=0, tag=1, comm=MPI_COMM_WORLD) @ a.c:8 [f] ; request=request#0")
				wait := "MPI_Wait(request=request#0) @ a.c:9 [f] ; status={source=0 tag=1 bytes=4}"
				if late {
					w.call(290, 0, wait)
					w.call(0, end, "MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:3 [f]")
				} else {
					w.call(0, 20+i*1000+300, wait)
					w.call(290, end, "MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:3 [f]")
				}
			}
			w.end()
		}
		g := graph(t, w.String())
		got := g.EarlyWaits(.01)
		if late && len(got) > 0 {
			t.Errorf("%+v", got)
		}
		// The barrier ends as long after both have come as it did: 390 later. Now the wait ends when rank 1 has computed.
		if !late && (len(got) != 1 || got[0].Site != "a.c:9 [f]" || got[0].Meanwhile != 20*290 ||
			g.Elapsed-got[0].Without < 20*150) {
			t.Errorf("%+v of %d", got, g.Elapsed)
		}
	}
}

// Two ranks make 20 rows of 10 reductions of a number, each 100 long. Without the later ones each row takes 100. It is no
// row if something is computed between, if another rank is heard of, if more is moved, or if there are few.
func TestSmallCollectives(t *testing.T) {
	for _, c := range []struct {
		calls, count, compute int
		more                  string
		found                 bool
	}{
		{10, 1, 1, "", true},
		{10, 1, 1, "MPI_Comm_rank(comm=MPI_COMM_WORLD) @ a.c:4 [f]", true},
		{10, 1, 40, "", false},
		{10, 1, 1, "MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:4 [f]", false},
		{10, 1000, 1, "", false},
		{5, 1, 1, "", false},
	} {
		w := &writer{}
		w.WriteString("abi mpich\n")
		for r := range 2 {
			w.rank(r, 2)
			for range 20 {
				for k := range c.calls {
					compute := c.compute
					if k == 0 {
						compute = 100
					}
					w.call(compute, w.now+compute+100, fmt.Sprintf("MPI_Allreduce(count=%d, datatype=MPI_DOUBLE, op=MPI_SUM, "+
						"comm=MPI_COMM_WORLD) @ a.c:3 [f]", c.count))
					if c.more != "" {
						w.call(0, 0, c.more)
					}
				}
				w.call(0, 0, "MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:5 [f]")
			}
			w.end()
		}
		g := graph(t, w.String())
		got := g.SmallCollectives(.01)
		if !c.found && len(got) > 0 || c.found && (len(got) != 1 || got[0].Calls != 2*20*9 || got[0].Rows != 2*20 ||
			got[0].Bytes != 8 || g.Elapsed-got[0].Without != 20*9*100) {
			t.Errorf("%+v: %+v of %d", c, got, g.Elapsed)
		}
	}
}

// What is computed before a call follows another one, or the call itself, or now one and now another.
func TestPreceding(t *testing.T) {
	w := &writer{}
	w.WriteString("abi mpich\n")
	w.rank(0, 1)
	for i := range 9 {
		for k, gap := range []int{100, 10, 200} {
			w.call(gap, 0, fmt.Sprintf("MPI_Comm_rank(comm=MPI_COMM_WORLD) @ a.c:%d [f]", k+1))
		}
		w.call(100, 0, "MPI_Comm_size(comm=MPI_COMM_WORLD) @ a.c:9 [f]")
		w.call(100, 0, "MPI_Comm_size(comm=MPI_COMM_WORLD) @ a.c:9 [f]")
		w.call(5*i, 0, "MPI_Comm_size(comm=MPI_COMM_WORLD) @ a.c:9 [f]")
	}
	w.end()
	g := graph(t, w.String())
	for site, want := range map[string]string{"a.c:2 [f]": "a.c:1 [f]", "a.c:3 [f]": "a.c:2 [f]", "a.c:9 [f]": ""} {
		fn := map[bool]string{true: "MPI_Comm_size", false: "MPI_Comm_rank"}[want == ""]
		if at, ok := g.Preceding(0, efficiency.Key{Func: fn, Site: site}); ok != (want != "") || at.Site != want {
			t.Errorf("%s: %+v, %t", site, at, ok)
		}
	}
}

// Computation before the second call grows, and the time in the first one.
func TestGrown(t *testing.T) {
	w := &writer{}
	w.WriteString("abi mpich\n")
	w.rank(0, 1)
	for i := range 40 {
		w.call(50, w.now+50+10+i, "MPI_Comm_rank(comm=MPI_COMM_WORLD) @ a.c:1 [f]")
		w.call(10+2*i, 0, "MPI_Comm_size(comm=MPI_COMM_WORLD) @ a.c:2 [f]")
	}
	w.end()
	g := graph(t, w.String())
	quarter := func(_ int, call uint64) int { return int(call-1) / 20 }
	for computes, want := range map[bool]string{true: "a.c:2 [f]", false: "a.c:1 [f]"} {
		if at, ok := g.Grown(computes, quarter); !ok || at.Site != want {
			t.Errorf("%t: %+v", computes, at)
		}
	}
}
