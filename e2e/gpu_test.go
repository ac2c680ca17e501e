//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// TestGPU has a program whose buffers lie in the memory of a GPU, with a library that plays the
// driver: what the driver says must be in the recording, and the program undisturbed.
func TestGPU(t *testing.T) {
	t.Parallel()
	driver := filepath.Join(t.TempDir(), "libcuda.so.1")
	if err := mpirun.BuildLibrary(filepath.Join(mpirun.Root(), "capture", "testdata", "harness", "fakedriver.c"),
		driver); err != nil {
		t.Fatal(err)
	}
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		p, err := program(m, "gpu")
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		file, raw := filepath.Join(dir, "gpu.tabard"), filepath.Join(dir, "raw")
		want := "gpu on 2 ranks: 400\n"
		for _, recorder := range [][]string{nil, {tabardBin, "record", "--quiet", "--keep-raw", raw, "-o", file}} {
			j := &mpirun.Job{MPI: m, Ranks: 2, Dir: dir, Args: append(recorder, p[0], driver)}
			r, err := j.Start()
			if err != nil {
				t.Fatal(err)
			}
			if r.Code != 0 || r.Stdout != want {
				t.Fatalf("exit code %d, output %q %q, want %q", r.Code, r.Stdout, r.Stderr, want)
			}
		}
		if _, err := readInfo(file); err != nil {
			t.Fatal(err)
		}
		if out, err := tabard("verify", file, raw); err != nil {
			t.Errorf("%v%s", err, out)
		}
		dump, err := tabard("dump", "--own", file)
		if err != nil {
			t.Fatal(err)
		}
		// Numbers of segments begin anew with each process, smallest free first.
		for _, what := range []string{
			"tabard_segment(segment=0, kind=4, bytes=4000)",
			"tabard_segment(segment=1, kind=5, bytes=5000)",
			"tabard_segment(segment=2, kind=6, bytes=600)",
			"tabard_segment(segment=3, kind=4, bytes=524288)",
		} {
			if n := strings.Count(string(dump), what); n != 2 {
				t.Errorf("%q is there %d times, want once in each process\n%s", what, n, dump)
			}
		}
		for what, want := range map[string]int{
			"MPI_Sendrecv(sendbuf=heap#0+64, ": 40, "recvbuf=heap#1+8, recvcount=1, ": 40,
			"MPI_Allreduce(sendbuf=heap#1+8, recvbuf=heap#2, ": 40, "MPI_Bcast(buffer=heap#3+4000, ": 2,
		} {
			if n := strings.Count(string(dump), what); n != want {
				t.Errorf("%q is there %d times, want %d\n%s", what, n, want, dump)
			}
		}
	})
}
