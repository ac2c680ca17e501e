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

// sourcesTable is what events cost that are no calls of MPI, on the path of the thread that makes them: one rank and no
// call of MPI.
func sourcesTable(b *bench) error {
	n := strconv.Itoa(b.calls)
	var loops []loop
	for _, cc := range openMPCompilers {
		b.programs[cc] = filepath.Join(b.dir, "sources."+cc)
		source := filepath.Join(mpirun.Root(), "bench", "programs", "sources.c")
		if out, err := exec.Command(cc, "-O2", "-fopenmp", "-o", b.programs[cc], source).CombinedOutput(); err != nil {
			return fmt.Errorf("%s %s: %w\n%s", cc, source, err, out)
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
	// Others are those of pyenv and the like, where they are: from 3.12 on Python tells in another way.
	for _, python := range []string{"/usr/bin/python3", "python3.12", "python3.13"} {
		version, err := exec.Command(python, "--version").Output()
		if err != nil {
			continue
		}
		b.programs[python] = python // found by its name
		source := filepath.Join(mpirun.Root(), "bench", "programs", "sources.py")
		loops = append(loops, loop{name: strings.TrimSpace(string(version)) + ", call and return", ranks: 1,
			program: python,
			args:    []string{source, n}})
	}
	with := func(name, events string) variant {
		return variant{name: name, record: append(b.full.record[:len(b.full.record):len(b.full.record)],
			"--events="+events)}
	}
	off, on := with("not chosen", "mpi"), with("chosen", "openmp,python,regions,io")
	mpis := b.mpis
	b.mpis = mpis[:1] // starts them, no more
	defer func() { b.mpis = mpis }()
	return b.print(table{
		title: "Added per event of other sources (of Python, per call and return, of named regions per pair), 1 " +
			"process:",
		columns:  []string{"events", "untraced", "not chosen", "recorded"},
		loops:    loops,
		variants: []variant{off, on},
		cells: func(_ *mpirun.MPI, _ loop, plain []cost, added [][]cost) ([]string, error) {
			return []string{median(plain, path), spread(added[0], path), spread(added[1], path)}, nil
		},
	})
}
