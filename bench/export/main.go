// Command export measures exports and the import of synthetic recordings:
//
//	go run ./bench/export [-only FORMAT]
//
// Rates are for a second of processors, the best of three runs, sizes those of all files. If a bar is missed, the exit
// code is 1.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/tabard-hpc/tabard/bench/internal/recordings"
	"github.com/tabard-hpc/tabard/internal/otf2"
)

// question is what is measured. Bars are 0 where there are none.
type question struct {
	format       string
	ranks, calls int
	unit         string  // what is counted
	rate         float64 // units a second at least
	each         float64 // bytes a unit at most
	seconds      float64 // on the clock at most
	bytes        float64 // at most
}

var questions = []question{
	{format: "otf2", ranks: 8, calls: 250_000, unit: "event", rate: 2e6},
	{format: "perfetto", ranks: 8, calls: 250_000, unit: "slice", rate: 1e6, each: 7},
	{format: "chrome", ranks: 8, calls: 25_000, unit: "slice"},
	{format: "parquet", ranks: 8, calls: 250_000, unit: "row", each: 3},
	{format: "arrow", ranks: 8, calls: 250_000, unit: "row"},
	{format: "prv", ranks: 8, calls: 250_000, unit: "call"},
	{format: "pprof", ranks: 1000, calls: 1_000_000, unit: "call", seconds: 1, bytes: 1e6},
	{format: "folded", ranks: 1000, calls: 1_000_000, unit: "call"},
}

// leastRatio is how much larger an archive of OTF2 of a regular program is at least than the recording of it.
const leastRatio = 20

// result is what a run took.
type result struct {
	cpu, wall    time.Duration
	bytes, units float64
}

func main() {
	only := flag.String("only", "", "measure this format only")
	flag.Parse()
	ok, err := run(*only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "export:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func run(only string) (ok bool, err error) {
	dir, err := os.MkdirTemp("", "tabard-export-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	fmt.Println("| format | ranks x calls | CPU s | s | millions a second | bytes each | bytes | bars |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	ok = true
	for _, q := range questions {
		if only != "" && q.format != only {
			continue
		}
		met, err := q.measure(dir)
		if err != nil {
			return false, fmt.Errorf("%s: %w", q.format, err)
		}
		ok = ok && met
	}
	return ok, nil
}

// measure exports a recording, and imports it again if that can be done.
func (q *question) measure(dir string) (met bool, err error) {
	file := filepath.Join(dir, fmt.Sprintf("%d-%d.tabard", q.ranks, q.calls))
	if _, err := os.Stat(file); err != nil {
		if err := recordings.Write(file, q.ranks, q.calls); err != nil {
			return false, err
		}
	}
	out := filepath.Join(dir, "out-"+q.format)
	best, err := fastest(func() (result, error) {
		return tabard(out, "export", q.format, file, "-o", out, "--force")
	})
	if err != nil {
		return false, err
	}
	best.units = float64(q.ranks) * float64(q.calls)
	if q.format == "otf2" {
		if best.units, err = eventsOf(out); err != nil {
			return false, err
		}
	}
	met = q.row(&best)
	if q.format == "otf2" {
		more, err := imported(dir, out, best.bytes, q)
		met = met && more
		if err != nil {
			return false, err
		}
	}
	return met, os.RemoveAll(out)
}

// imported measures the way back.
func imported(dir, archive string, bytes float64, q *question) (met bool, err error) {
	out := filepath.Join(dir, "imported.tabard")
	best, err := fastest(func() (result, error) { return tabard(out, "import", archive, "-o", out) })
	if err != nil {
		return false, err
	}
	best.units = float64(q.ranks) * float64(q.calls)
	back := question{format: "import of otf2", ranks: q.ranks, calls: q.calls, unit: "call", bytes: bytes / leastRatio}
	return back.row(&best), nil
}

// row prints a row of the table.
func (q *question) row(r *result) (met bool) {
	rate := r.units / r.cpu.Seconds()
	each := r.bytes / r.units
	met = (q.rate == 0 || rate >= q.rate) && (q.each == 0 || each <= q.each) && (q.bytes == 0 || r.bytes <= q.bytes) &&
		(q.seconds == 0 || r.wall.Seconds() <= q.seconds)
	bars := ""
	add := func(bar float64, format string, args ...any) {
		if bar > 0 {
			bars += fmt.Sprintf(format, args...) + ", "
		}
	}
	add(q.rate, "%.0f million %ss a second", q.rate/1e6, q.unit)
	add(q.each, "%.0f bytes a %s", q.each, q.unit)
	add(q.seconds, "%.0f s", q.seconds)
	add(q.bytes, "%.2f MB", q.bytes/1e6)
	if bars != "" {
		bars += map[bool]string{true: "met", false: "**missed**"}[met]
	}
	fmt.Printf("| %s | %d x %d | %.2f | %.2f | %.2f %ss | %.2f | %.0f | %s |\n", q.format, q.ranks, q.calls,
		r.cpu.Seconds(), r.wall.Seconds(), rate/1e6, q.unit, each, r.bytes, bars)
	return met
}

// fastest is the run of three that took the least time of processors.
func fastest(run func() (result, error)) (best result, err error) {
	for i := range 3 {
		r, err := run()
		if err != nil {
			return best, err
		}
		if i == 0 || r.cpu < best.cpu {
			best = r
		}
	}
	return best, nil
}

// tabard runs the command, which writes out.
func tabard(out string, args ...string) (r result, err error) {
	if err := os.RemoveAll(out); err != nil {
		return r, err
	}
	cmd := exec.Command(filepath.Join("bin", "tabard"), args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1") // a core
	begin := time.Now()
	if text, err := cmd.CombinedOutput(); err != nil {
		return r, fmt.Errorf("%w: %s", err, text)
	}
	r.wall = time.Since(begin)
	r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	bytes, err := recordings.Bytes(out)
	r.bytes = float64(bytes)
	return r, err
}

// eventsOf is how many events an archive of OTF2 has.
func eventsOf(path string) (n float64, err error) {
	a, err := otf2.Open(path)
	if err != nil {
		return 0, err
	}
	for i := range a.Locations {
		r, err := a.Events(&a.Locations[i])
		if err != nil {
			return 0, err
		}
		for {
			e, err := r.Next()
			if err != nil {
				return 0, err
			}
			if e == nil {
				break
			}
			n++
		}
		if err := r.Close(); err != nil {
			return 0, err
		}
	}
	return n, nil
}
