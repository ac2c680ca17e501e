package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// corpus are the programs to record: source, numbers of ranks, arguments.
var corpus = []struct {
	source string
	ranks  []int
	args   string
}{
	{"attrs.c", []int{2}, ""}, {"buffers.c", []int{2}, ""}, {"callsites.c", []int{2}, ""},
	{"collectives.c", []int{4}, ""},
	{"comms.c", []int{4}, ""}, {"cxx.cc", []int{2}, ""}, {"errors.c", []int{2}, ""}, {"files.c", []int{2}, ""},
	{"fortran08.f90", []int{2}, ""}, {"fortran77.f", []int{2}, ""}, {"fortran90.f90", []int{2}, ""},
	{"groups.c", []int{4}, ""}, {"growing.c", []int{4}, ""}, {"halo1d.c", []int{3}, ""}, {"halo2d.c", []int{4, 9}, ""},
	{"halo3d.c", []int{8}, ""}, {"icollectives.c", []int{4}, ""}, {"ignored.c", []int{3}, ""}, {"info.c", []int{2}, ""},
	{"intercomm.c", []int{4}, ""}, {"io.c", []int{2}, ""}, {"keyvals.c", []int{2}, ""}, {"large.c", []int{2}, ""},
	{"loops.c", []int{4}, ""}, {"masterworker.c", []int{4}, ""}, {"membership.c", []int{4}, ""},
	{"neighbor.c", []int{4}, ""},
	{"ops.c", []int{2}, ""}, {"partitioned.c", []int{2}, ""}, {"pcollectives.c", []int{2}, ""},
	{"persistent.c", []int{2}, ""},
	{"pingpong.c", []int{2}, ""}, {"polling.c", []int{2}, ""}, {"probe.c", []int{4}, ""}, {"ring.c", []int{4, 6}, ""},
	{"rma.c", []int{2}, ""}, {"rmashared.c", []int{2}, ""}, {"sessions.c", []int{2}, ""}, {"threads.c", []int{2}, ""},
	{"topo.c", []int{4}, ""}, {"typeloop.c", []int{2}, ""}, {"types.c", []int{2}, ""},
}

// record makes the recordings that dir lacks.
func record(tabard, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if done, err := os.ReadFile(filepath.Join(dir, "complete")); err == nil && len(done) > 0 {
		return nil
	}
	build, err := os.MkdirTemp("", "same-build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(build)
	var failed []string
	for _, name := range []string{"openmpi", "mpich"} {
		mpi, err := mpirun.Find(name)
		if err != nil {
			return err
		}
		for _, p := range corpus {
			program := filepath.Join(build, strings.TrimSuffix(p.source, filepath.Ext(p.source)))
			if err := mpi.Build(filepath.Join(mpirun.Programs(), p.source), program); err != nil {
				failed = append(failed, name+" "+p.source)
				continue
			}
			for _, ranks := range p.ranks {
				out := filepath.Join(dir, fmt.Sprintf("%s-%s-%d.tabard", filepath.Base(program), name, ranks))
				args := append([]string{tabard, "record", "-o", out, program}, strings.Fields(p.args)...)
				job := mpirun.Job{MPI: mpi, Ranks: ranks, Args: args, Dir: build, Timeout: time.Minute}
				if r, err := job.Start(); err != nil || r.TimedOut {
					failed = append(failed, name+" "+p.source)
				}
			}
		}
	}
	if len(failed) > 0 {
		fmt.Printf("not recorded: %s\n", strings.Join(failed, ", "))
	}
	return os.WriteFile(filepath.Join(dir, "complete"), []byte("all programs have been tried\n"), 0o644)
}
