package gpus

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

func of(t *testing.T, a *archive.Archive, flags selection.Flags) []string {
	t.Helper()
	s, err := selection.Parse(flags)
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := s.Resolve(a)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Of(chosen)
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{fmt.Sprintf("%d to %d", r.Begin, r.End)}
	for _, d := range r.Devices {
		lines = append(lines, fmt.Sprintf("%d.%d: %d queues, busy %d", d.Process, d.Device, d.Queues, d.Busy))
	}
	for _, w := range r.Work {
		lines = append(lines, fmt.Sprintf("%s %q %d: %d times, %d bytes, %d, most %d", w.Func.Name, w.Kernel, w.Copy,
			w.Count, w.Bytes, w.Time, w.Most))
	}
	return lines
}

const kernel = "grid_x=1, grid_y=1, grid_z=1, block_x=1, block_y=1, block_z=1, shared=0, registers=8)\n"

// TestOf: work that lies side by side in the queues of a GPU counts once for the GPU, and each for itself in the work;
// queues of another GPU and of another process are apart; streams of threads are none.
func TestOf(t *testing.T) {
	var d strings.Builder
	for r := range 2 {
		fmt.Fprintf(&d, "rank %d of 2 on n\nclock 0 0 0\nclock 1000000 1000000 1000000\n50+900 "+
			"MPI_Barrier(comm=MPI_COMM_WORLD)\n",
			r)
		d.WriteString("thread 1\n100+0 cuda_queue(device=0, context=1, stream=7)\n100+100 cuda_kernel(kernel=\"a\", " +
			kernel +
			"300+100 cuda_copy(kind=1, bytes=64)\n600+50 cuda_kernel(kernel=\"b\", " + kernel)
		d.WriteString("thread 2\n150+0 cuda_queue(device=0, context=1, stream=13)\n150+100 cuda_kernel(kernel=\"a\", " +
			kernel +
			"310+20 cuda_copy(kind=2, bytes=8)\n")
		if r == 1 {
			d.WriteString("thread 3\n700+0 cuda_queue(device=1, context=2, stream=7)\n700+7 cuda_set(bytes=5)\n")
			d.WriteString("thread 4\n700+0 cuda_queue(device=2, context=3, stream=7)\n") // idle
		}
	}
	a := archivetest.InMemory(t, d.String())
	want := []string{"100 to 707", "0.0: 2 queues, busy 300", "1.0: 2 queues, busy 300", "1.1: 1 queues, busy 7",
		"1.2: 1 queues, busy 0",
		`cuda_kernel "a" 0: 4 times, 0 bytes, 400, most 100`, `cuda_copy "" 1: 2 times, 128 bytes, 200, most 100`,
		`cuda_kernel "b" 0: 2 times, 0 bytes, 100, most 50`, `cuda_copy "" 2: 2 times, 16 bytes, 40, most 20`,
		`cuda_set "" 0: 1 times, 5 bytes, 7, most 7`}
	if got := of(t, a, selection.Flags{}); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	want = []string{"600 to 650", "0.0: 1 queues, busy 50", `cuda_kernel "b" 0: 1 times, 0 bytes, 50, most 50`}
	if got := of(t, a, selection.Flags{Ranks: "0", Time: "500ns..650ns"}); !slices.Equal(got, want) {
		t.Errorf("a part: got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if q, ok, err := QueueOf(a.Stream(6)); err != nil || !ok || q.String() != "GPU 1, stream 7" {
		t.Errorf("%v, %t, %v", q, ok, err)
	}
	none := archivetest.InMemory(t, "rank 0 of 1 on n\nclock 0 0 0\n5+1 MPI_Barrier(comm=MPI_COMM_WORLD)\n")
	if got := of(t, none, selection.Flags{}); !slices.Equal(got, []string{"0 to 0"}) {
		t.Errorf("without GPUs: %q", got)
	}
}
