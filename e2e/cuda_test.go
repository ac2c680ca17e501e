//go:build e2e

package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// cudaProgram builds testdata/cuda/solve.c with the stand-ins for CUDA and CUPTI into a folder.
func cudaProgram(t *testing.T, m *mpirun.MPI) (dir string) {
	t.Helper()
	dir = t.TempDir()
	from := filepath.Join(mpirun.Root(), "testdata", "cuda")
	for library, source := range map[string]string{"libcupti.so.12": "fakecupti.c", "libcudart.so.12": "fakecudart.c"} {
		c := exec.Command("gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-Wl,-soname,"+library,
			"-o", filepath.Join(dir, library), filepath.Join(from, source))
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if err := m.Build(filepath.Join(from, "solve.c"), filepath.Join(dir, "solve"), "-g", "-I"+from,
		filepath.Join(dir, "libcudart.so.12"), "-Wl,-rpath,"+dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// cudaJob records the program on 2 ranks, and gives what was printed.
func cudaJob(t *testing.T, m *mpirun.MPI, dir string, env []string, args ...string) *mpirun.Result {
	t.Helper()
	file := filepath.Join(dir, "x.tabard")
	os.Remove(file)
	job := &mpirun.Job{MPI: m, Ranks: 2, Dir: dir, Timeout: 2 * time.Minute,
		Env: append([]string{"LD_LIBRARY_PATH=" + dir + ":" + os.Getenv("LD_LIBRARY_PATH")}, env...),
		Args: append([]string{tabardBin, "record", "--events=mpi,cuda", "-o", file,
			filepath.Join(dir, "solve")}, args...)}
	r, err := job.Start()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestCUDA: calls of the runtime, those of the driver unless the runtime makes them, and what the GPU does in its
// queues, in order and with times that fit; nothing else of the recording is different.
func TestCUDA(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		dir := cudaProgram(t, m)
		if r := cudaJob(t, m, dir, nil); r.Code != 0 || r.Stdout != "2 0\n" ||
			strings.Contains(r.Stderr, "was not recorded") {
			t.Fatalf("%+v", r)
		}
		for args, wants := range map[string][]string{
			"info": {"2 ranks, 6 threads", "26 mpi, 454 cuda", "complete   yes"},
			"dump --rank 0": {`cudaMalloc\(bytes=1099511627776\) ; error=2\n`, `cudaStreamCreate\(\) ; stream=queue#0`,
				`cudaLaunchKernel\(kernel="_Z4normPd", stream=queue#0\)`, `cudaLaunchKernel\(kernel="scale", stream=queue#1\)`,
				`cuda_queue\(device=0, context=1, stream=7\)`, `cuda_queue\(device=0, context=1, stream=13\)`,
				`cuda_kernel\(kernel="_Z5sweepPdi", grid_x=64, grid_y=1, grid_z=1, block_x=256, block_y=1, block_z=1, ` +
					`shared=80, registers=32\)`, `cuda_copy\(kind=2, bytes=2048\)`, `cuMemcpyHtoD\(bytes=32\)`},
			"loops":   {`(?s)loop 10x   <- time step.*cudaStreamSynchronize.*thread \d+ of ranks 0-1   80 calls each\n  loop 10x.*cuda_kernel\(sweep, grid_x=64.*cuda_kernel\(scale, grid_x=1`},
			"profile": {`cuda_kernel +60 `, `cuda_copy +120 `, `cudaLaunchKernel +60 `},
			"report": {`CUDA calls, kernels and copies`, `2 GPUs, each rank's for itself, which had work \d`,
				`sweep .* 20 `, `copies from the GPU .* 40\.0 KiB`, `copies to the GPU .* 105\.6 KiB`},
		} {
			out, err := tabard(append(strings.Fields(args), filepath.Join(dir, "x.tabard"))...)
			for _, want := range wants {
				if err != nil || !regexp.MustCompile(want).Match(out) {
					t.Errorf("%s: %v, %q is missing:\n%s", args, err, want, out)
				}
			}
			if strings.Contains(string(out), "cuLaunchKernel") {
				t.Errorf("%s has what the runtime called:\n%s", args, out)
			}
		}
		cudaTimes(t, filepath.Join(dir, "x.tabard"))
		for format, wants := range map[string][]string{
			"chrome": {`"name":"sweep(double*, int)"`, `"name":"rank 1, GPU 0, stream 13"`},
			"otf2":   {"sweep(double*, int)", "rank 0, GPU 0, stream 7"},
		} {
			to := filepath.Join(dir, "out."+format)
			if out, err := tabard("export", format, filepath.Join(dir, "x.tabard"), "-o", to); err != nil {
				t.Fatalf("%s: %v\n%s", format, err, out)
			}
			if format == "otf2" {
				to = filepath.Join(to, "traces.def")
			}
			content, err := os.ReadFile(to)
			for _, want := range wants {
				if err != nil || !strings.Contains(string(content), want) {
					t.Errorf("%s: %v, %s is missing", format, err, want)
				}
			}
		}
	})
}

// cudaTimes: what a program waits for ends before the wait does.
func cudaTimes(t *testing.T, file string) {
	t.Helper()
	const slack = 50 * time.Microsecond
	type call struct {
		Func string
		In   struct {
			Kernel string
			Bytes  int
		}
		Start time.Duration `json:"start_ns"`
		End   time.Duration `json:"end_ns"`
	}
	var kernels, waits []call
	out, err := tabard("dump", "--json", "--rank", "0", file)
	for line := range strings.Lines(string(out)) {
		var c call
		if err = errors.Join(err, json.Unmarshal([]byte(line), &c)); err != nil {
			t.Fatal(err)
		}
		switch {
		case c.Func == "cuda_kernel" && strings.Contains(c.In.Kernel, "norm"):
			kernels = append(kernels, c)
		case c.Func == "cudaStreamSynchronize":
			waits = append(waits, c)
		case c.Func == "cuda_copy" && c.In.Bytes >= 2048 && c.End-c.Start < time.Microsecond:
			t.Errorf("a copy of %d bytes takes %v: it was handed over after what followed it", c.In.Bytes, c.End-c.Start)
		}
	}
	if len(kernels) != 10 || len(waits) != 20 {
		t.Fatalf("%d kernels, %d waits", len(kernels), len(waits))
	}
	for i, k := range kernels {
		if w := waits[2*i]; k.End > w.End+slack || k.End-k.Start < 90*time.Microsecond {
			t.Errorf("step %d: kernel %v to %v, wait %v to %v", i, k.Start, k.End, w.Start, w.End)
		}
	}
}

// TestCUDAMissing: a tool that is there already, and a CUPTI that is not, are said at the end; the program runs on.
func TestCUDAMissing(t *testing.T) {
	t.Parallel()
	m := mpis[0]
	dir := cudaProgram(t, m)
	for env, want := range map[string]string{
		"FAKE_CUPTI=busy":             "tabard: CUDA was not recorded: another tool uses CUPTI",
		"TABARD_CUPTI=/no/such/thing": "tabard: CUDA was not recorded: CUPTI was not found",
	} {
		r := cudaJob(t, m, dir, []string{env})
		if r.Code != 0 || r.Stdout != "2 0\n" || strings.Count(r.Stderr, want) != 1 {
			t.Errorf("%s: %+v", env, r)
		}
	}
	if r := cudaJob(t, m, dir, []string{"FAKE_CUPTI=full"}); !strings.Contains(r.Stderr, "6 calls lost") {
		t.Errorf("what CUPTI had no room for is not said: %+v", r)
	}
	own := "CUDA_INJECTION64_PATH=" + filepath.Join(dir, "other.so") // the user's tool stays
	if r := cudaJob(t, m, dir, []string{own}); r.Code != 0 || r.Stdout != "2 0\n" {
		t.Errorf("%+v", r)
	}
}
