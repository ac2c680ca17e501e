package text

import (
	"fmt"
	"io"
	"time"

	"github.com/tabard-hpc/tabard/analysis/findings"
	"github.com/tabard-hpc/tabard/analysis/openmp"
	"github.com/tabard-hpc/tabard/internal/render"
)

// OpenMP shows what the threads of a program do, with at most limit lines of each table, 0 for all.
func OpenMP(w io.Writer, r *openmp.Result, limit int) {
	e := r.Efficiency()
	threads := uint64(0)
	for i := range r.Processes {
		threads += uint64(r.Processes[i].Threads)
	}
	render.Printf(w, "%s with %s, %s\n", plural(uint64(len(r.Processes)), "process"), plural(threads, "thread"),
		render.Duration(r.Elapsed()))
	render.Printf(w, "parallel efficiency %s = MPI efficiency %s x OpenMP efficiency %s; serial part %s\n",
		render.Percent(e.Parallel), render.Percent(e.MPI), render.Percent(e.OpenMP), render.Percent(e.Serial))
	if r.Unfinished > 0 {
		render.Printf(w, "%s not counted: the recording lacks their end, or threads\n", plural(r.Unfinished, "region"))
	}
	openMPRegions(w, r, limit)
	openMPProcesses(w, r, limit)
}

func openMPRegions(w io.Writer, r *openmp.Result, limit int) {
	fmt.Fprintln(w, "\nParallel regions, what waits longest first; shares are of the time of their threads")
	t := render.NewTable(">calls", ">threads", ">time", ">work", ">imbalance", ">start", ">end", ">barrier", ">lock",
		">tasks", ">mpi", "region")
	n := limited(len(r.Regions), limit)
	for i := range r.Regions[:n] {
		g := &r.Regions[i]
		all := g.Work + g.Waits() + g.MPI
		share := func(d time.Duration) string { return timeShare(d, all) }
		t.Row(count(g.Calls), fmt.Sprint(g.Threads), render.Duration(g.Elapsed), share(g.Work),
			fmt.Sprintf("%.2f", g.Imbalance()), share(g.Start), share(g.Implicit), share(g.Barrier), share(g.Lock),
			share(g.Taskwait), share(g.MPI), g.Site)
	}
	t.WriteText(w)
	restOf(w, n, len(r.Regions))
}

func openMPProcesses(w io.Writer, r *openmp.Result, limit int) {
	fmt.Fprintln(w, "\nProcesses")
	t := render.NewTable("process", ">threads", ">time", ">serial", ">in MPI", ">work of threads", ">waits of threads")
	n := limited(len(r.Processes), limit)
	for i := range r.Processes[:n] {
		p := &r.Processes[i]
		t.Row(findings.ProcessName(r.Worlds, p.Process), fmt.Sprint(p.Threads), render.Duration(p.End-p.Begin),
			render.Duration(p.Serial), render.Duration(p.InMPI), render.Duration(p.Work), render.Duration(p.Waits()))
	}
	t.WriteText(w)
	restOf(w, n, len(r.Processes))
}
