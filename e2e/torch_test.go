//go:build e2e

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// torchJob is the program of testdata/torch with the stand-in for PyTorch's library, and its launcher.
type torchJob struct {
	t   *testing.T
	dir string
}

func newTorchJob(t *testing.T) *torchJob {
	t.Helper()
	j := &torchJob{t, t.TempDir()}
	from := filepath.Join(mpirun.Root(), "testdata", "torch")
	for _, args := range [][]string{
		{"-shared", "-fPIC", "-Wl,-soname,libtorch_cpu.so", "-o", j.path("libtorch_cpu.so"),
			filepath.Join(from, "faketorch.cpp")},
		{"-g", "-o", j.path("train"), filepath.Join(from, "train.cpp"), j.path("libtorch_cpu.so"),
			"-Wl,-rpath," + j.dir},
	} {
		if out, err := exec.Command("g++", append([]string{"-O1", "-Wall", "-Wextra", "-Werror"},
			args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	put(t, j.path("ranks.sh"), ranksScript)
	if err := os.Chmod(j.path("ranks.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	return j
}

func (j *torchJob) path(name string) string { return filepath.Join(j.dir, name) }

// start runs 4 ranks into x.tabard, with record's further options; what is what goes wrong.
func (j *torchJob) start(out *bytes.Buffer, options []string, what ...string) *exec.Cmd {
	j.t.Helper()
	old, _ := filepath.Glob(j.path("meet*"))
	for _, f := range append(old, j.path("x.tabard")) {
		os.Remove(f)
	}
	args := slices.Concat([]string{"4", tabardBin, "record", "-q", "--state", j.path("state"), "-o", "x.tabard"}, options,
		[]string{"./train"}, what)
	c := exec.Command("./ranks.sh", args...)
	c.Dir, c.Env = j.dir, append(os.Environ(), "FAKE_TORCH="+j.path("meet"))
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Stdout, c.Stderr = out, out
	if err := c.Start(); err != nil {
		j.t.Fatal(err)
	}
	j.t.Cleanup(func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
	return c
}

// TestTorch records ranks that call process groups of PyTorch: all arguments, the members of groups, what works stand for.
func TestTorch(t *testing.T) {
	t.Parallel()
	j := newTorchJob(t)
	var out bytes.Buffer
	if err := j.start(&out, []string{"--events=torch"}).Wait(); err != nil || strings.Count(out.String(), ": done\n") != 4 {
		t.Fatalf("%v\n%s", err, &out)
	}
	for args, wants := range map[string][]string{
		"info":         {"4 ranks, 4 threads", "events +224 torch", "complete   yes"},
		"info --comms": {`torch0 +4 +0-3 +torch_init_group`, `torch1 +2 +0,2 `, `torch2 +2 +1,3 `},
		"messages":     {"4 messages of 1.0 KiB, every send and receive has its partner", "every member took part"},
		"matrix":       {`3 +0 +1  +256 B`},
		"report":       {"torch_wait @ train.cpp:24", "wait at NxN"},
		"dump --rank 2": {
			`torch_init_group\(nranks=2, commId=\d+, rank=1, backend="gloo"\) @ train.cpp:\d+ \[main\] ; group=comm#1`,
			`torch_all_reduce\(group=comm#0, count=64, datatype=torch.float32, op=torch.MAX, tensors=1, dims=2, ` +
				`shape=\[8, 8\]\) @ train.cpp:24 .*work=request#0`,
			`torch_wait\(work=request#0\)`,
			`torch_wait_all\(count=2, works=\[request#1, request#2\]\)`,
			`torch_broadcast\(.*count=64, datatype=torch.float32, root=1,`,
			`torch_reduce\(.*count=64, datatype=torch.float32, op=torch.SUM, root=1,`,
			`torch_all_gather\(group=comm#0, count=4, .*shape=\[4\]\) @ train.cpp`,
			`torch_reduce_scatter\(group=comm#0, count=4, datatype=torch.float32, op=torch.SUM,`,
			`torch_all_to_all\(group=comm#0, count=4, .*tensors=4, dims=1, shape=\[4\]`,
			`torch_all_to_all\(group=comm#0, count=4, .*tensors=1, dims=1, shape=\[16\]`,
			`torch_all_to_all_v\(group=comm#0, sendcounts=\[2, 2, 4, 2\], recvcounts=\[2, 2, 4, 2\],`,
			`torch_send\(.*dst=3, tag=3,`, `torch_recv\(.*src=1, tag=3,`, `torch_monitored_barrier\(group=comm#0\)`,
			`torch_destroy_group\(group=comm#1\)`,
		},
	} {
		out, err := tabard(append(strings.Fields(args), j.path("x.tabard"))...)
		for _, want := range wants {
			if err != nil || !regexp.MustCompile(want).Match(out) {
				t.Errorf("%s: %v, %q is missing:\n%s", args, err, want, out)
			}
		}
		if strings.Contains(string(out), "contradiction") {
			t.Errorf("%s:\n%s", args, out)
		}
	}
	// Without them nothing is recorded, and the program is as it was.
	out.Reset()
	if err := j.start(&out, nil).Wait(); err != nil || strings.Count(out.String(), ": done\n") != 4 {
		t.Errorf("%v\n%s", err, &out)
	}
}

// torchFaults is what the report of a running job says first, by what rank 2 does.
func torchFaults(file string) map[string]string {
	waits := `Ranks 0-1(,3)? wait in torch_all_reduce at ` + file + `:\d+ \[step\].*, number \d+ on torch0.*: rank 2 is `
	return map[string]string{
		"sleep": waits + `not there: its last call was torch_wait at ` + file + `:\d+ \[step\].*, which ended`,
		"skip":  waits + `in torch_\w+ at ` + file + `:\d+ .*in its place`,
		"other": waits + `in torch_broadcast at ` + file + `:\d+ \[step\].* in its place`,
	}
}

// seen waits until the report says something of a job that hangs, and ends it.
func seen(t *testing.T, c *exec.Cmd, file, what, want string) {
	t.Helper()
	first, shown := regexp.MustCompile(`  1\. .*`+want), ""
	for end := time.Now().Add(3 * time.Minute); !first.MatchString(shown); time.Sleep(200 * time.Millisecond) {
		out, _ := tabard("report", "--live", file)
		if shown = string(out); time.Now().After(end) {
			t.Fatalf("%s: want %s\n%s", what, want, shown)
		}
	}
	_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
	_ = c.Wait()
}

// TestTorchHangs: as TestNCCLHangs.
func TestTorchHangs(t *testing.T) {
	t.Parallel()
	j := newTorchJob(t)
	faults := torchFaults(`train\.cpp`)
	// Steps after the one that was skipped stand in for it. Others that do not fit together do not hang here.
	faults["skip"] = `Ranks 0-1,3 wait in torch_all_reduce at train\.cpp:24 .*: rank 2 is not there but in torch_wait_all`
	faults["other"] = `as number 6 on torch0, rank 2 calls torch_broadcast at train\.cpp:\d+ .* instead`
	faults["count"] = `rank 0 takes part with 256 bytes, rank 2 with 128`
	for what, want := range faults {
		var out bytes.Buffer
		seen(t, j.start(&out, []string{"--events=torch"}, what), j.path("x.tabard"), what, want)
	}
}

// torchPython is a Python that has PyTorch: what TABARD_TORCH_PYTHON names, or python3.
func torchPython(t *testing.T) string {
	t.Helper()
	python := os.Getenv("TABARD_TORCH_PYTHON")
	if python == "" {
		python = "python3"
	}
	if out, err := exec.Command(python, "-c", "import torch.distributed.run").CombinedOutput(); err != nil {
		notTested(t, "PyTorch itself: %s cannot import it (%s); TABARD_TORCH_PYTHON names one that can", python,
			lastLine(string(out)))
	}
	return python
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}

// torchrun runs a script of testdata/torch as torchrun does, with what stands before the interpreter.
func torchrun(python, dir, ranks string, before []string, script ...string) *exec.Cmd {
	args := slices.Concat([]string{"-m", "torch.distributed.run", "--no-python", "--nproc-per-node=" + ranks}, before,
		[]string{python, filepath.Join(mpirun.Root(), "testdata", "torch", script[0])}, script[1:])
	c := exec.Command(python, args...)
	c.Dir, c.Env = dir, append(os.Environ(), "OMP_NUM_THREADS=1")
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return c
}

// TestRealTorch records scripts with PyTorch itself and Gloo: their output stays, and sites are lines of the scripts.
func TestRealTorch(t *testing.T) {
	python := torchPython(t)
	for _, x := range []struct {
		script, ranks string
		wants         []string
	}{
		{"calls.py", "4", []string{
			`torch_all_reduce\(group=comm#0, count=1000, datatype=torch.float32, op=torch.MAX, .*\) @ calls.py:\d+ \[reductions\]`,
			`torch_init_group\(nranks=2, .*\) @ calls.py:\d+ \[reductions\]`,
			`torch_reduce\(.*op=torch.SUM, root=0,`,
			`torch_all_to_all_v\(.*sendcounts=\[2, 1, 1, 1\]`,
			`torch_send\(.*count=7, datatype=torch.int64, dst=1, tag=3,`,
			`torch_all_gather\(.*datatype=torch.uint8, .*\) @ calls.py:\d+ \[objects\]`,
			`torch_monitored_barrier`, `torch_destroy_group`,
		}},
		{"ddp.py", "2", []string{
			`torch_all_reduce\(.*count=2372, datatype=torch.float32, op=torch.SUM, .*\) @ ddp.py:\d+ \[train\]`,
			`torch_wait_all\(count=1, works=.*\) @ ddp.py:\d+ \[train\]`,
		}},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "x.tabard")
		plain, err := torchrun(python, dir, x.ranks, nil, x.script).Output()
		if err != nil {
			t.Fatal(err)
		}
		record := []string{tabardBin, "record", "-q", "--events=torch", "--state", filepath.Join(dir, "state"), "-o", file}
		out, err := torchrun(python, dir, x.ranks, record, x.script).Output()
		if err != nil || !slices.Equal(sortedLines(plain), sortedLines(out)) {
			t.Errorf("%s: %v, %q instead of %q", x.script, err, out, plain)
		}
		shown, err := tabard("dump", file)
		for _, want := range x.wants {
			if err != nil || !regexp.MustCompile(want).Match(shown) {
				t.Errorf("%s: %v, %q is missing:\n%s", x.script, err, want, shown)
			}
		}
		if out, err := tabard("messages", file); err != nil || !strings.Contains(string(out), "every member took part") {
			t.Errorf("%s: %v\n%s", x.script, err, out)
		}
	}
}

func sortedLines(b []byte) []string {
	lines := strings.Split(string(b), "\n")
	slices.Sort(lines)
	return lines
}

// TestRealTorchHangs: as TestTorchHangs, with PyTorch itself.
func TestRealTorchHangs(t *testing.T) {
	python := torchPython(t)
	for what, want := range torchFaults(`fault\.py`) {
		dir := t.TempDir()
		file := filepath.Join(dir, "x.tabard")
		c := torchrun(python, dir, "3", []string{tabardBin, "record", "-q", "--events=torch", "--state",
			filepath.Join(dir, "state"), "-o", file}, "fault.py", what)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
		seen(t, c, file, what, want)
	}
}
