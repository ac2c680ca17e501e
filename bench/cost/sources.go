package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// openMPCompilers are those of libgomp and of libomp.
var openMPCompilers = []string{"gcc", "clang"}

// sourceLoops compiles the loops of events that are no calls of MPI, and finds those of Python.
func (b *bench) sourceLoops() ([]loop, error) {
	n := strconv.Itoa(b.calls)
	loops := []loop{{name: "Reading of the clock", ranks: 1, args: []string{"clock", n}, program: "gcc"}}
	for _, cc := range openMPCompilers {
		b.programs[cc] = filepath.Join(b.dir, "sources."+cc)
		source := filepath.Join(mpirun.Root(), "bench", "programs", "sources.c")
		if out, err := exec.Command(cc, "-O2", "-fopenmp", "-o", b.programs[cc], source).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s %s: %w\n%s", cc, source, err, out)
		}
		loops = append(loops,
			loop{name: "OpenMP (" + cc + "), critical sections, 1 thread", ranks: 1, args: []string{"critical", n},
				program: cc},
			loop{name: "OpenMP (" + cc + "), regions, 2 threads", ranks: 1, program: cc,
				args: []string{"regions", strconv.Itoa(max(b.calls/20, 1000))}})
	}
	loops = append(loops, loop{name: "Named regions, begin and end", ranks: 1, program: "gcc",
		args: []string{"named", n}},
		loop{name: "pread of 64 bytes", ranks: 1, program: "gcc", args: []string{"pread", n}})
	if err := b.buildTorch(); err != nil {
		return nil, err
	}
	loops = append(loops, loop{name: "torch.distributed, a collective and its wait", ranks: 1, program: "torch",
		args: []string{n}})
	// Others are those of pyenv and the like, where they are: Python tells in three ways, by its version.
	seen := map[string]bool{}
	for _, python := range []string{"/usr/bin/python3", "python3.9", "python3.10", "python3.11", "python3.12",
		"python3.13"} {
		version, err := exec.Command(python, "--version").Output()
		if err != nil || seen[string(version)] {
			continue
		}
		seen[string(version)] = true
		b.programs[python] = python // found by its name
		source := filepath.Join(mpirun.Root(), "bench", "programs", "sources.py")
		loops = append(loops, loop{name: strings.TrimSpace(string(version)) + ", call and return", ranks: 1,
			program: python, args: []string{source, n}})
	}
	return loops, nil
}

// sourcesTable is what events cost that are no calls of MPI, on the path of the thread that makes them: one rank and no
// call of MPI. The empty hook is a tool that is told of the same, and does nothing.
func sourcesTable(b *bench) error {
	loops, err := b.sourceLoops()
	if err != nil {
		return err
	}
	hook, err := b.buildHook()
	if err != nil {
		return err
	}
	with := func(name, tabard, events string) variant {
		return variant{name: name, record: append(append([]string{tabard}, b.full.record[1:]...), "--events="+events)}
	}
	const all = "openmp,python,regions,io,torch"
	tabard := b.full.record[0]
	columns := []string{"events", "untraced", "not chosen", "empty hook", "recorded"}
	variants := []variant{with("not chosen", tabard, "mpi"),
		{name: "empty hook", record: []string{"env", "BENCH_HOOK=" + hook, "OMP_TOOL_LIBRARIES=" + hook}},
		with("chosen", tabard, all)}
	if b.old != "" {
		columns = append(columns, "recorded by the other build")
		variants = append(variants, with("other build", b.old, all))
	}
	mpis := b.mpis
	b.mpis = mpis[:1] // starts them, no more
	defer func() { b.mpis = mpis }()
	return b.print(table{
		title: "Added per event of other sources (of Python, per call and return, of named regions per pair, of " +
			"torch.distributed per call and wait), 1 process:",
		columns:  columns,
		loops:    loops,
		variants: variants,
		cells: func(_ *mpirun.MPI, _ loop, plain []cost, added [][]cost) ([]string, error) {
			cells := []string{median(plain, path)}
			for _, a := range added {
				cells = append(cells, spread(a, path))
			}
			return cells, nil
		},
	})
}

// buildHook compiles what runtimes of OpenMP and Python call for each event, to do nothing.
func (b *bench) buildHook() (string, error) {
	library := filepath.Join(b.dir, "emptyhook.so")
	source := filepath.Join(mpirun.Root(), "bench", "programs", "emptyhook.c")
	if out, err := exec.Command("gcc", "-O2", "-shared", "-fPIC", "-o", library, source).CombinedOutput(); err != nil {
		return "", fmt.Errorf("gcc %s: %w\n%s", source, err, out)
	}
	return library, nil
}

// buildTorch compiles the loop of collectives of torch.distributed, and the stand-in for PyTorch's library.
func (b *bench) buildTorch() error {
	library := filepath.Join(b.dir, "libtorch_cpu.so")
	b.programs["torch"] = filepath.Join(b.dir, "sources.torch")
	for _, args := range [][]string{
		{"-shared", "-fPIC", "-Wl,-soname,libtorch_cpu.so", "-o", library,
			filepath.Join(mpirun.Root(), "testdata", "torch", "faketorch.cpp")},
		{"-o", b.programs["torch"], filepath.Join(mpirun.Root(), "bench", "programs", "torch.cpp"), library,
			"-Wl,-rpath," + b.dir},
	} {
		if out, err := exec.Command("g++", append([]string{"-O2"}, args...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("g++: %w\n%s", err, out)
		}
	}
	return nil
}
