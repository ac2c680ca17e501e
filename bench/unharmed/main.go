// Command unharmed measures whether recording changes what programs do, and whether what is recorded of their files is
// what the kernel saw.
//
//	unharmed -list FILE [-mpi openmpi|mpich|none] [-record OPTIONS] [-times N] [-strace] [-only TEXT]
//
// FILE lists programs that are already built, one a line: a name, the number of ranks, and the command with absolute
// paths; # begins a comment. With -mpi none the command is started as it is. Each program runs twice as it is and N
// times under tabard record, each time in an empty folder. What both runs without recording have in common is to be the
// same in each recorded one: the exit code, the lines of standard output and standard error (their order may differ if
// there are several ranks), how the other lines look when numbers are left out, and the contents of the files written.
// With -strace one more run under strace -f says how many bytes were read and written, for each regular file in the
// folder, and the recording has to say the same. One more run records nothing but MPI's calls: the bytes of its
// structure stand behind those of what is left of the whole recording without other events. The result is a table in
// Markdown; whatever differs is named below it, and gives exit code 1.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabard-hpc/tabard/bench/internal/programs"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// options of the measurement.
type options struct {
	list, mpi, record, only string
	times                   int
	strace                  bool
}

func main() {
	var o options
	flag.StringVar(&o.list, "list", "", "`FILE` with programs")
	flag.StringVar(&o.mpi, "mpi", "openmpi", "the MPI `NAME`, or none")
	flag.StringVar(&o.record, "record", "--events=mpi,regions,openmp,io,threads,python,torch",
		"`OPTIONS` of tabard record")
	flag.StringVar(&o.only, "only", "", "only programs whose name contains `TEXT`")
	flag.IntVar(&o.times, "times", 2, "record each program `N` times")
	flag.BoolVar(&o.strace, "strace", false, "compare bytes of files with what strace sees")
	flag.Parse()
	different, err := run(&o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "unharmed:", err)
	}
	if err != nil || different {
		os.Exit(1)
	}
}

func run(o *options) (different bool, err error) {
	list, err := programs.ReadList(o.list)
	if err != nil {
		return false, err
	}
	b := &bench{o: o, tabard: filepath.Join(mpirun.Root(), "bin", "tabard")}
	if o.mpi != "none" {
		if b.mpi, err = mpirun.Find(o.mpi); err != nil {
			return false, err
		}
	}
	if b.dir, err = os.MkdirTemp("", "tabard-unharmed-"); err != nil {
		return false, err
	}
	defer os.RemoveAll(b.dir)
	if b.mpi != nil {
		if b.mpi.YieldPreload, err = mpirun.BuildYield(b.dir); err != nil {
			return false, err
		}
	}
	fmt.Printf("`tabard record %s`\n\n", o.record)
	fmt.Println("| program | ranks | exit code | lines | equal in all | files | equal in all | events recorded | " +
		"bytes | structure | of MPI, of MPI only | read and written |\n" + strings.Repeat("|---", 12) + "|")
	var notes []string
	for i := range list {
		if p := &list[i]; strings.Contains(p.Name, o.only) {
			r, err := b.measure(p)
			if err != nil {
				return false, fmt.Errorf("%s: %w", p.Name, err)
			}
			fmt.Println(r.row(p))
			notes = append(notes, r.differences...)
		}
	}
	fmt.Println()
	for _, n := range notes {
		fmt.Println("- " + n)
	}
	return len(notes) > 0, nil
}
