package cli

import (
	"strings"
	"testing"
)

// threads is a process with two regions of two threads: the second thread has twice the work in the first one, and
// waits for a lock in the second one.
const threads = `abi openmpi
rank 0 of 1 on n
0+100 MPI_Init()
1000+0 omp_parallel_begin() @ a.c:1 [main]
1000+0 omp_body_begin(thread_num=0, num_threads=2, parent=0, skipped=0) @ a.c:1 [main]
2000+0 omp_body_end() @ a.c:1 [main]
3000+0 omp_parallel_end() @ a.c:1 [main]
3000+1000 MPI_Barrier(comm=MPI_COMM_WORLD)
4000+0 omp_parallel_begin() @ a.c:9 [main]
4000+0 omp_body_begin(thread_num=0, num_threads=2, parent=0, skipped=0) @ a.c:9 [main]
4000+0 omp_lock_begin(kind=5) @ a.c:10 [main]
4000+0 omp_lock_acquired(kind=5) @ a.c:10 [main]
5000+0 omp_lock_released(kind=5) @ a.c:12 [main]
5000+0 omp_body_end() @ a.c:9 [main]
6000+0 omp_parallel_end() @ a.c:9 [main]
6100+100 MPI_Finalize()
thread 1
1000+0 omp_body_begin(thread_num=1, num_threads=2, parent=0, skipped=0) @ a.c:1 [main]
3000+0 omp_body_end() @ a.c:1 [main]
4000+0 omp_body_begin(thread_num=1, num_threads=2, parent=0, skipped=0) @ a.c:9 [main]
4000+0 omp_lock_begin(kind=5) @ a.c:10 [main]
5000+0 omp_lock_acquired(kind=5) @ a.c:10 [main]
6000+0 omp_lock_released(kind=5) @ a.c:12 [main]
6000+0 omp_body_end() @ a.c:9 [main]
`

func TestOpenMP(t *testing.T) {
	path := file(t, threads)
	for name, args := range map[string]string{"openmp.txt": "openmp FILE", "openmp.json": "openmp FILE --json"} {
		code, stdout, stderr := run(strings.Fields(strings.ReplaceAll(args, "FILE", path))...)
		if code != exitOK || stderr != "" {
			t.Errorf("tabard %s: code %d, stderr %q", args, code, stderr)
		}
		golden(t, name, strings.ReplaceAll(stdout, path, "app.tabard"))
	}
	for desc, want := range map[string]string{
		"abi mpich\nrank 0 of 1 on n\nMPI_Init()\n":           "no OpenMP events: record with --events=mpi,openmp",
		"abi mpich\nnotiming\nrank 0 of 1 on n\nMPI_Init()\n": "no times",
	} {
		if code, _, stderr := run("openmp", file(t, desc)); code == exitOK || !strings.Contains(stderr, want) {
			t.Errorf("code %d, %q, not %q", code, stderr, want)
		}
	}
}

// A recording of events without calls names the command that shows them.
func TestReportWithoutCalls(t *testing.T) {
	path := file(t, "abi mpich\nrank 0 of 1 on n\n1000+0 omp_parallel_begin() @ a.c:1 [main]\n"+
		"3000+0 omp_parallel_end() @ a.c:1 [main]\n")
	code, stdout, stderr := run("report", path)
	if want := "No calls, but 2 events of openmp: tabard openmp " + path + " shows them"; code != exitOK ||
		!strings.Contains(stdout, want) || strings.Contains(stdout, "no times") {
		t.Errorf("code %d, %q, %q: no %q", code, stdout, stderr, want)
	}
}
