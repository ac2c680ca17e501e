// Command gpu measures what recording a program on an NVIDIA GPU costs, and whether what is recorded is what there was:
//
//	go run ./bench/gpu [-cuda DIR] [-python python3] [-mpi DIR] [-pairs N] [-steps N] [-only truth,clock,...]
//
// It needs a GPU, CUDA with nvcc and CUPTI, and for steps of training a Python with PyTorch. What GPUs did is compared
// with what bench/programs/gpucounts.c sees, which uses CUPTI by NVIDIA's own headers; calls with what the program says
// of itself. With -mpi, the folder of an MPI, buffers in the memory of the GPU are looked at, too. It exits with 1 if
// something is not as it has to be, and goes on after that.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// bench holds what all parts share.
type bench struct {
	dir, cuda, cupti string
	python, mpi      string
	tabard, keep     string
	pairs, steps     int
	failed           int
}

// A part is one of the measurements.
type part struct {
	name string
	run  func(*bench) error
}

var parts = []part{{"truth", truth}, {"unharmed", unharmed}, {"clock", clock}, {"launch", launch}, {"mpi", buffers},
	{"libraries", libraries}, {"steptruth", stepTruth}, {"step", step}}

func main() {
	b := &bench{}
	flag.StringVar(&b.cuda, "cuda", "/usr/local/cuda", "folder of CUDA")
	flag.StringVar(&b.cupti, "cupti", "", "folder of CUPTI (default: the one in that of CUDA)")
	flag.StringVar(&b.python, "python", "python3", "a Python with PyTorch")
	flag.StringVar(&b.mpi, "mpi", "", "folder of an MPI: bin/mpiexec, include/mpi.h, lib/libmpi.so")
	flag.StringVar(&b.tabard, "tabard", "bin/tabard", "the tabard to measure")
	flag.StringVar(&b.keep, "keep", "", "folder for recordings of training and of libraries")
	flag.IntVar(&b.pairs, "pairs", 5, "pairs of runs per number")
	flag.IntVar(&b.steps, "steps", 40, "steps of training per run")
	only := flag.String("only", "", "parts, separated by commas; empty: all")
	flag.Parse()
	if err := b.all(*only); err != nil {
		fmt.Fprintln(os.Stderr, "gpu:", err)
		os.Exit(1)
	}
}

func (b *bench) all(only string) (err error) {
	if b.tabard, err = filepath.Abs(b.tabard); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "tabard-gpu-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	if err := b.build(); err != nil {
		return err
	}
	name, _ := exec.Command("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").Output()
	fmt.Printf("%s\n", strings.TrimSpace(string(name)))
	for _, p := range parts {
		if only != "" && !slices.Contains(strings.Split(only, ","), p.name) {
			continue
		}
		fmt.Printf("\n%s:\n", p.name)
		if err := p.run(b); err != nil {
			b.fail("%v", err)
		}
	}
	if b.failed > 0 {
		return fmt.Errorf("%d of what has to hold does not", b.failed)
	}
	return nil
}

// keepAs keeps the last recording under a name, if that is asked for.
func (b *bench) keepAs(name string) error {
	if b.keep == "" {
		return nil
	}
	content, err := os.ReadFile(b.path("x.tabard"))
	if err == nil {
		err = os.WriteFile(filepath.Join(b.keep, name), content, 0o644)
	}
	return err
}

// fail says that something is not as it has to be.
func (b *bench) fail(format string, args ...any) {
	b.failed++
	fmt.Printf("  FAILED: "+format+"\n", args...)
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

func (b *bench) build() error {
	nvcc := []string{filepath.Join(b.cuda, "bin", "nvcc"), "-std=c++17", "-O2", "-arch=native"}
	source := func(name string) string { return filepath.Join("bench", "programs", name) }
	var found []string
	for _, dir := range []string{filepath.Join(b.cuda, "extras", "CUPTI"), b.cuda} {
		if b.cupti != "" {
			dir = b.cupti
		}
		if found, _ = filepath.Glob(filepath.Join(dir, "lib*", "libcupti.so*")); len(found) > 0 {
			b.cupti = dir
			break
		}
	}
	if len(found) == 0 {
		return fmt.Errorf("no libcupti.so here: -cupti=DIR says where it is")
	}
	commands := [][]string{
		append(slices.Clone(nvcc), "-o", b.path("gpu"), source("gpu.cu")),
		append(slices.Clone(nvcc), "-cudart", "shared", "-o", b.path("gpushared"), source("gpu.cu")),
		{"gcc", "-O1", "-shared", "-fPIC", "-I" + filepath.Join(b.cuda, "include"),
			"-I" + filepath.Join(b.cupti, "include"), "-o", b.path("counts.so"), source("gpucounts.c"), found[0],
			"-Wl,-rpath," + filepath.Dir(found[0])},
	}
	if b.mpi != "" {
		for _, runtime := range []string{"static", "shared"} {
			commands = append(commands, append(slices.Clone(nvcc), "-cudart", runtime, "-o", b.path("buffers."+runtime),
				source("gpubuffers.cu"), "-I"+filepath.Join(b.mpi, "include"), "-L"+filepath.Join(b.mpi, "lib"), "-lmpi",
				"-Xlinker", "-rpath,"+filepath.Join(b.mpi, "lib")))
		}
	}
	for _, c := range commands {
		if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(c, " "), err, out)
		}
	}
	return nil
}

// outcome is how a program ended.
type outcome struct {
	out, err string
	code     int // -1: by a signal
}

// record is the start of a command that records to file.
func (b *bench) record(file, events string) []string {
	os.Remove(file)
	return []string{b.tabard, "record", "-o", file, "--events=" + events}
}

func (b *bench) run(env []string, args ...string) outcome {
	var out, diag strings.Builder
	c := exec.Command("timeout", append([]string{"-k", "5", "180"}, args...)...)
	c.Env = append(os.Environ(), env...)
	c.Dir, c.Stdout, c.Stderr = b.dir, &out, &diag
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return outcome{err: err.Error(), code: 255}
	}
	return outcome{out.String(), diag.String(), c.ProcessState.ExitCode()}
}
