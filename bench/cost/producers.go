package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/testkit/answers"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// A producerRun is what recording some producers took, in ns per call if nothing else is said.
type producerRun struct {
	program   float64 // processor, of the producers' loops
	kernel    float64 // of it, in the kernel
	collector float64 // processor, start and end of all processes included
	elapsed   time.Duration
	calls     float64 // of all producers
	memory    int64   // greatest resident size of the collector, segments included, in bytes
	file      int64   // size of the recording, in bytes
}

// producerModes are those of bench/programs/producer.c.
var producerModes = []string{"simple", "sendrecv", "irregular", "seldom", "steady"}

// A build is a tabard, empty for none, and the priority of its collector: see yield.
type build struct{ tabard, yields string }

// producersOf says what producers measures.
type producersOf struct {
	pairs, calls int // runs of each, and calls of a producer
	counts       []int
	modes        []string
	cpus         []string // limits of the collector, "" for none
	old          string   // another build of tabard, which is measured in turn; empty: none
	yields       string   // a priority of collectors that is measured in turn, see yield; empty: none
}

// producers measures recordings of synthetic processes that make calls as fast as they can, through the segments that
// programs and collector share; there is no MPI.
func producers(o producersOf) error {
	if err := becomeReaper(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "tabard-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := buildProducer(dir); err != nil {
		return err
	}
	if o.yields != "" && !slices.Contains([]string{"nice", "idle"}, o.yields) {
		return fmt.Errorf("-yield %s: nice and idle are known", o.yields)
	}
	builds := []build{{tabard: filepath.Join(mpirun.Root(), "bin", "tabard")}}
	columns := ""
	if o.old != "" {
		builds = append(builds, build{tabard: o.old})
		columns = " of the other build |"
	}
	if o.yields != "" {
		builds = append(builds, build{builds[0].tabard, o.yields})
		columns += " " + o.yields + " |"
	}
	fmt.Printf("%s. Least of %d runs of %d calls a producer. ns of processor per call.\n\n", machine(), o.pairs,
		o.calls)
	fmt.Printf("| calls | producers | limit | program (of it kernel) |%[1]s collector |%[1]s together |%[1]s "+
		"calls a second and core of the collector | calls a second, all |%[1]s cores of the collector | "+
		"collector peak, MiB |%[1]s file, KiB |%[1]s\n",
		columns)
	fmt.Println(strings.Repeat("|---", 11+6*(len(builds)-1)) + "|")
	for _, mode := range o.modes {
		for _, n := range o.counts {
			for _, cpus := range o.cpus {
				if err := o.row(dir, builds, mode, cpus, n); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// row measures n producers of a mode, with a limit for the collector.
func (o *producersOf) row(dir string, builds []build, mode, cpus string, n int) error {
	best := make([]producerRun, len(builds))
	plain := producerRun{}
	for round := range o.pairs {
		p, err := o.produce(dir, build{}, mode, cpus, n)
		if err != nil {
			return err
		}
		plain = least(plain, p)
		for i := range builds {
			k := (i + round) % len(builds)
			r, err := o.produce(dir, builds[k], mode, cpus, n)
			if err != nil {
				return err
			}
			best[k] = least(best[k], r)
		}
	}
	printProducers(mode, cmp.Or(cpus, "none"), n, plain, best)
	return nil
}

// least takes the smaller one of each number, and the shorter time.
func least(a, b producerRun) producerRun {
	if a.calls == 0 {
		return b
	}
	return producerRun{
		program: min(a.program, b.program), kernel: min(a.kernel, b.kernel), collector: min(a.collector, b.collector),
		elapsed: min(a.elapsed, b.elapsed), calls: b.calls, memory: max(a.memory, b.memory), file: max(a.file, b.file),
	}
}

func printProducers(mode, cpus string, n int, plain producerRun, runs []producerRun) {
	cells := []string{mode, strconv.Itoa(n), cpus}
	each := func(format string, of func(r producerRun) []any) {
		for _, r := range runs {
			cells = append(cells, fmt.Sprintf(format, of(r)...))
		}
	}
	each("+%.1f (%.1f)", func(r producerRun) []any { return []any{r.program - plain.program, r.kernel - plain.kernel} })
	each("%.1f", func(r producerRun) []any { return []any{r.collector} })
	each("%.1f", func(r producerRun) []any { return []any{r.program - plain.program + r.collector} })
	cells = append(cells, fmt.Sprintf("%.1f million", 1000/runs[0].collector))
	each("%.1f million", func(r producerRun) []any { return []any{r.calls / r.elapsed.Seconds() / 1e6} })
	cells = append(cells, fmt.Sprintf("%.2f", runs[0].collector*runs[0].calls/float64(runs[0].elapsed)))
	each("%.0f", func(r producerRun) []any { return []any{float64(r.memory) / (1 << 20)} })
	each("%.1f", func(r producerRun) []any { return []any{float64(r.file) / 1024} })
	fmt.Printf("| %s |\n", strings.Join(cells, " | "))
}

// buildProducer compiles the fake MPI and the producer into dir.
func buildProducer(dir string) error {
	root := mpirun.Root()
	fake := filepath.Join(root, "capture", "testdata", "fakempi")
	lib := filepath.Join(dir, "libmpi.so.40")
	for _, args := range [][]string{
		{"-fPIC", "-shared", "-Wl,-soname,libmpi.so.40", "-o", lib, filepath.Join(fake, "fakempi.c")},
		{"-o", filepath.Join(dir, "producer"), filepath.Join(root, "bench", "programs", "producer.c"), lib,
			"-Wl,-rpath," + dir},
	} {
		if out, err := exec.Command("gcc", append([]string{"-O2", "-I" + fake},
			args...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("gcc %s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	return nil
}

// produce runs n producers at once, recorded by a build of tabard, its collector limited if cpus is not empty, or, if
// there is no build, as they are.
func (o *producersOf) produce(dir string, b build, mode, cpus string, n int) (r producerRun, err error) {
	archive := filepath.Join(dir, "out.tabard")
	if err := os.RemoveAll(archive); err != nil {
		return r, err
	}
	args := []string{filepath.Join(dir, "producer"), mode, strconv.Itoa(o.calls)}
	if b.tabard != "" {
		args = append([]string{b.tabard, "record", "--quiet", "-o", archive}, args...)
	}
	outs := make([]strings.Builder, n)
	begin := time.Now()
	var started []*exec.Cmd
	for i := range n {
		c := exec.Command(args[0], args[1:]...)
		rank, size := strconv.Itoa(i), strconv.Itoa(n)
		c.Env = append(os.Environ(), "RANK="+rank, "WORLD_SIZE="+size, "LOCAL_RANK="+rank, "LOCAL_WORLD_SIZE="+size,
			"FAKEMPI_RANK="+rank, "FAKEMPI_SIZE="+size)
		if cpus != "" {
			c.Env = append(c.Env, "TABARD_COLLECTOR_CPUS="+cpus)
		}
		c.Stdout, c.Stderr = &outs[i], os.Stderr
		if err := c.Start(); err != nil {
			return r, errors.Join(err, waitAll(started))
		}
		started = append(started, c)
	}
	if b.yields != "" {
		if err := yield(b.yields); err != nil {
			return r, errors.Join(err, waitAll(started))
		}
	}
	if err := waitAll(started); err != nil {
		return r, err
	}
	detached, err := reap()
	if err != nil {
		return r, err
	}
	r.elapsed = time.Since(begin)
	for i := range outs {
		var made, cpu, kernel, ns float64
		if _, err := fmt.Sscan(outs[i].String(), &made, &cpu, &kernel, &ns); err != nil {
			return r, fmt.Errorf("producer %d: output %q: %w", i, outs[i].String(), err)
		}
		r.calls += made
		r.program += cpu
		r.kernel += kernel
	}
	r.program, r.kernel, r.collector = r.program/r.calls, r.kernel/r.calls, float64(detached)/r.calls
	if b.tabard == "" {
		return r, nil
	}
	return r, r.look(b.tabard, archive)
}

// yield gives the collector that has just been started the least priority, as soon as it is there.
func yield(how string) error {
	for until := time.Now().Add(5 * time.Second); time.Now().Before(until); time.Sleep(time.Millisecond) {
		pid, err := collector()
		switch {
		case err != nil:
			return err
		case pid == 0:
			continue
		}
		threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		if err != nil {
			return err
		}
		for _, t := range threads {
			tid, _ := strconv.Atoi(t.Name())
			if how == "nice" {
				err = errors.Join(err, unix.Setpriority(unix.PRIO_PROCESS, tid, 19))
			} else {
				err = errors.Join(err, unix.SchedSetAttr(tid, &unix.SchedAttr{Size: unix.SizeofSchedAttr,
					Policy: unix.SCHED_IDLE}, 0))
			}
		}
		return err // threads that it makes later inherit that
	}
	return errors.New("no collector was seen")
}

// collector is the number of the collector among the children of this process, 0 if there is none yet.
func collector() (int, error) {
	all, err := filepath.Glob("/proc/self/task/*/children")
	for _, path := range all {
		children, _ := os.ReadFile(path)
		for _, pid := range strings.Fields(string(children)) {
			args, _ := os.ReadFile(filepath.Join("/proc", pid, "cmdline"))
			if words := strings.Split(string(args), "\x00"); len(words) > 1 && words[1] == "collector" {
				return strconv.Atoi(pid)
			}
		}
	}
	return 0, err
}

func waitAll(cmds []*exec.Cmd) error {
	var errs []error
	for _, c := range cmds {
		errs = append(errs, c.Wait())
	}
	return errors.Join(errs...)
}

// look reads what the recording says of itself; calls that are missing are an error.
func (r *producerRun) look(tabard, archive string) error {
	var info struct {
		recording
		Calls uint64 `json:"calls"`
	}
	if err := answers.Read(&info, tabard, "info", "--json", archive); err != nil {
		return err
	}
	if info.Lost > 0 || float64(info.Calls) < r.calls {
		return fmt.Errorf("%d of %.0f calls are in the recording, which says that %d are missing", info.Calls, r.calls,
			info.Lost)
	}
	r.memory, r.file = info.Memory, info.Bytes.File
	return nil
}

// becomeReaper makes this process the parent of collectors, which outlive their launcher: it learns their CPU time.
func becomeReaper() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("becoming the reaper of detached processes: %w", err)
	}
	return nil
}

// numbers reads a list such as "1,16,64".
func numbers(list string) (n []int, err error) {
	for _, word := range strings.Split(list, ",") {
		v, err := strconv.Atoi(word)
		if err != nil || v < 1 {
			return nil, fmt.Errorf("%q: a list of numbers above 0 is needed", list)
		}
		n = append(n, v)
	}
	slices.Sort(n)
	return n, nil
}

// modesOf reads a list of modes, all if it is empty.
func modesOf(list string) ([]string, error) {
	modes := strings.Split(cmp.Or(list, strings.Join(producerModes, ",")), ",")
	for _, m := range modes {
		if !slices.Contains(producerModes, m) {
			return nil, fmt.Errorf("%q is none of %s", m, strings.Join(producerModes, ", "))
		}
	}
	return modes, nil
}
