// Command mpichsuite runs the C programs of MPICH's own test suite without and
// with recording and lists those that do not end in the same way:
//
//	go run ./bench/mpichsuite -source DIR [-mpi mpich] [-dirs attr,coll] [-run REGEXP]
//
// DIR is a checkout of MPICH, best of the release that is installed; it is read
// only, and no part of this project. Each program is compiled against the
// chosen MPI and each line of a testlist is run once without and once with
// `tabard record`. Lines that only set MPICH's own environment variables, or
// need more memory than -memory, are left out and counted. If the two outcomes
// differ, both are repeated, up to -controls times, since some programs are
// unsteady by themselves: a line is reported as unsteady if its outcomes can
// agree, as different if they never do.
//
// With -check, what was recorded is checked, too: no call is lost, and the
// recording agrees with the raw records.
//
// With -replay or -proxy, recordings are run again, and recorded again:
//
//	go run ./bench/mpichsuite -source DIR -replay -proxy [-results FILE [-retry]] [-for DURATION]
//
// Each line that passes without recording is recorded, then run again from that recording by tabard
// replay --order=recorded, or as a program that tabard proxy makes, while that is recorded, and the
// two recordings are compared by tabard diff --rerun. What comes out is a table by folder and a
// list of the lines that are not equal. FILE keeps results, so that a run can be continued: lines
// that are in it are not run again (with -retry those are that were not equal, or out of time
// without recording), and -for ends a run after a while.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/bench/internal/roundtrip"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// dirs are the folders of the suite that are run by default.
const dirs = "attr,coll,comm,datatype,group,info,init,pt2pt,rma,topo,errhan,part,mpi_t,io," +
	"threads/pt2pt,threads/comm,threads/init,threads/mpi_t,threads/rma,threads/part,threads/coll"

type options struct {
	source, build, tabard string
	dirs                  []string
	run                   *regexp.Regexp
	timeout               time.Duration
	memory                float64
	controls              int
	untraced, check       bool
	ways                  []roundtrip.Way
	results               string
	length                time.Duration
	retry                 bool
}

func main() {
	var o options
	name := flag.String("mpi", "mpich", "MPI to use: openmpi or mpich")
	list := flag.String("dirs", dirs, "folders of test/mpi")
	run := flag.String("run", "", "run only lines that match this regular expression")
	flag.StringVar(&o.source, "source", "", "checkout of MPICH")
	flag.StringVar(&o.build, "build", "", "keep compiled programs in this folder and use those that are there")
	flag.StringVar(&o.tabard, "tabard", filepath.Join(mpirun.Root(), "bin", "tabard"), "binary to test")
	flag.DurationVar(&o.timeout, "timeout", 40*time.Second, "limit of one run")
	flag.Float64Var(&o.memory, "memory", 4, "leave out lines that say that they need more, in GB")
	flag.IntVar(&o.controls, "controls", 3, "repetitions of runs that differ")
	flag.BoolVar(&o.untraced, "untraced", false, "only run without recording")
	flag.BoolVar(&o.check, "check", false, "also check what was recorded")
	replay := flag.Bool("replay", false, "replay recordings and compare")
	proxy := flag.Bool("proxy", false, "make proxies of recordings, run them and compare")
	flag.StringVar(&o.results, "results", "",
		"keep the results of -replay and -proxy in this file, and go on from there")
	flag.BoolVar(&o.retry, "retry", false,
		"with -results: run lines again that were not equal, or out of time without recording")
	flag.DurationVar(&o.length, "for", 0, "end -replay and -proxy after this time, 0 for never")
	flag.Parse()
	if *replay {
		o.ways = append(o.ways, roundtrip.Replay)
	}
	if *proxy {
		o.ways = append(o.ways, roundtrip.Proxy)
	}
	if o.ways != nil && *list == dirs {
		*list = tripDirs
	}
	o.dirs = strings.Split(*list, ",")
	code, err := start(&o, *name, *run)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mpichsuite:", err)
		os.Exit(2)
	}
	os.Exit(code)
}

func start(o *options, name, run string) (int, error) {
	var err error
	if o.run, err = regexp.Compile(run); err != nil {
		return 0, err
	}
	if _, err := os.Stat(filepath.Join(o.source, "test", "mpi", "util", "mtest.c")); err != nil {
		return 0, fmt.Errorf("-source is no checkout of MPICH: %w", err)
	}
	m, err := mpirun.Find(name)
	if err != nil {
		return 0, err
	}
	if o.build == "" {
		if o.build, err = os.MkdirTemp("", "tabard-mpichsuite-"); err != nil {
			return 0, err
		}
		defer os.RemoveAll(o.build)
	}
	if o.build, err = filepath.Abs(filepath.Join(o.build, name)); err != nil {
		return 0, err
	}
	if o.tabard, err = filepath.Abs(o.tabard); err != nil {
		return 0, err
	}
	s := &suite{options: o, mpi: m}
	if err := s.prepare(); err != nil {
		return 0, err
	}
	if o.ways != nil {
		return s.trips()
	}
	for _, dir := range o.dirs {
		if err := s.dir(dir); err != nil {
			return 0, err
		}
	}
	return s.report(), nil
}
