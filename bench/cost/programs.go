package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/bench/internal/programs"
	"github.com/tabard-hpc/tabard/bench/internal/recordings"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// programsOf are whole programs, which are measured as they are and with tools that record them.
type programsOf struct {
	pairs   int
	list    string // of programs; see programs.ReadList
	dir     string // that they run in; empty: one that is removed
	mpi     string
	pilgrim string // a library of Pilgrim; empty: none
	eztrace bool
}

// ours is what tabard's recording is called.
const ours = "out.tabard"

// A recorder is a way to run a program; the first one is the program as it is, the second one tabard.
type recorder struct {
	name string
	// words before the program; what is recorded goes to the folder.
	words func(folder string) []string
	// leaves is the folder that it writes where the program runs instead; empty: none.
	leaves string
}

func (o *programsOf) recorders(m *mpirun.MPI) []recorder {
	tabard := filepath.Join(mpirun.Root(), "bin", "tabard")
	list := []recorder{
		{name: "as it is", words: func(string) []string { return nil }},
		{name: "tabard", words: func(folder string) []string {
			return []string{tabard, "record", "-q", "-o", filepath.Join(folder, ours)}
		}},
	}
	if o.eztrace {
		list = append(list, recorder{name: "EZTrace", words: func(folder string) []string {
			return []string{"eztrace", "-t", m.Name, "-o", filepath.Join(folder, "otf2")}
		}})
	}
	if o.pilgrim != "" {
		preload := strings.TrimSpace(o.pilgrim + " " + m.YieldPreload)
		list = append(list, recorder{name: "Pilgrim", leaves: "pilgrim-logs", words: func(string) []string {
			return []string{"env", "LD_PRELOAD=" + preload}
		}})
	}
	return list
}

// A whole is what one run of a program takes, start and end included.
type whole struct {
	wall, cpu float64 // seconds; cpu is of all processes, with those that collect
	bytes     int64   // of the recording
	calls     uint64  // in it, if it is ours
	err       error
}

// measureProgram runs a program with one recorder.
func (o *programsOf) measureProgram(m *mpirun.MPI, p programs.Program, t recorder, scratch string) (w whole) {
	folder, err := os.MkdirTemp(scratch, "recording-")
	if err != nil {
		return whole{err: err}
	}
	defer os.RemoveAll(folder)
	dir := o.dir
	if dir == "" {
		dir = folder
	}
	written := folder
	if t.leaves != "" {
		written = filepath.Join(dir, t.leaves)
		if err := os.RemoveAll(written); err != nil {
			return whole{err: err}
		}
		defer os.RemoveAll(written)
	}
	j := &mpirun.Job{MPI: m, Ranks: p.Ranks, Dir: dir, Timeout: 10 * time.Minute,
		Args: append(t.words(folder), p.Args...), Env: []string{"OMPI_MCA_mpi_yield_when_idle=0"}}
	began := time.Now()
	r, err := j.Start()
	w.wall = time.Since(began).Seconds()
	switch {
	case err != nil:
		w.err = err
	case r.TimedOut:
		w.err = fmt.Errorf("did not end in %v", j.Timeout)
	case r.Code != 0:
		w.err = fmt.Errorf("exit code %d: %.80q", r.Code, r.Stderr)
	}
	detached, err := reap()
	if w.err = cmp.Or(w.err, err); w.err != nil {
		return w
	}
	w.cpu = (r.CPU + detached).Seconds()
	if w.bytes, err = recordings.Bytes(written); err == nil && t.name == "tabard" {
		w.calls, err = callsIn(filepath.Join(folder, ours))
	}
	w.err = err
	return w
}

// callsIn is how many calls a recording has.
func callsIn(file string) (calls uint64, err error) {
	a, err := archive.Open(file)
	if err != nil {
		return 0, err
	}
	defer a.Close()
	for s := range a.Streams() {
		calls += s.Calls()
	}
	return calls, nil
}

// wholePrograms prints the table of programs and what each takes with every recorder, over the run as it is of the
// same round.
func wholePrograms(o *programsOf) error {
	if err := becomeReaper(); err != nil {
		return err
	}
	m, err := mpirun.Find(o.mpi)
	if err != nil {
		return err
	}
	list, err := programs.ReadList(o.list)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "tabard-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	fmt.Printf("%s, %s. Medians of %d rounds; in brackets the least and the greatest. CPU is of all processes.\n\n"+
		"| program | ranks | calls | recorder | on the clock, s | over as it is | CPU over as it is | "+
		"ns of CPU added to a call | bytes |\n|---|---|---|---|---|---|---|---|---|\n", machine(), m.Name, o.pairs)
	tools := o.recorders(m)
	for _, p := range list {
		runs := make([][]whole, len(tools))
		for round := range o.pairs {
			// Each recorder is first in one round.
			for k := range tools {
				i := (k + round) % len(tools)
				runs[i] = append(runs[i], o.measureProgram(m, p, tools[i], scratch))
			}
		}
		if err := printProgram(p, tools, runs); err != nil {
			return err
		}
	}
	return nil
}

// printProgram prints the rows of a program.
func printProgram(p programs.Program, tools []recorder, runs [][]whole) error {
	for i, t := range tools {
		var wall, slower, more, added []float64
		var failed error
		for round, w := range runs[i] {
			plain, calls := runs[0][round], float64(runs[1][round].calls)
			if failed = cmp.Or(failed, w.err, plain.err); failed != nil {
				break
			}
			wall = append(wall, w.wall)
			slower = append(slower, w.wall/plain.wall)
			more = append(more, w.cpu/plain.cpu)
			added = append(added, (w.cpu-plain.cpu)/calls*1e9)
		}
		if failed != nil && i < 2 {
			return fmt.Errorf("%s, %s: %w", p.Name, t.name, failed)
		}
		if failed != nil {
			fmt.Printf("| %s | %d | | %s | %v | | | | |\n", p.Name, p.Ranks, t.name, failed)
			continue
		}
		if i == 0 {
			fmt.Printf("| %s | %d | | %s | %.2f | | | | |\n", p.Name, p.Ranks, t.name, center(wall))
			continue
		}
		calls, last := "", runs[i][len(runs[i])-1]
		if last.calls > 0 {
			calls = programs.Commas(int64(last.calls))
		}
		fmt.Printf("| %s | %d | %s | %s | %.2f | %s | %s | %.0f | %s |\n", p.Name, p.Ranks, calls, t.name,
			center(wall), ratios(slower), ratios(more), center(added), programs.Commas(last.bytes))
	}
	return nil
}

// center is the median of the numbers, which it sorts.
func center(v []float64) float64 {
	slices.Sort(v)
	return middle(v)
}

func ratios(v []float64) string {
	m := center(v)
	return fmt.Sprintf("%.3f (%.3f to %.3f)", m, v[0], v[len(v)-1])
}
