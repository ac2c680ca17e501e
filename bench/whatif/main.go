// Command whatif compares what `tabard report` computes that a run would take without a planted fault with what the
// program takes once the fault is removed.
//
//	whatif [-mpi NAME] [-runs N] [-bar PERCENT]
//
// Ranks that wait sleep (testdata/mpi/idle.c), so that they take no time from others where ranks share cores.
// Both programs run N times, in turn. The least predicted and the least measured times are compared, because what else
// a machine does only makes runs slower. It prints a table in Markdown; a prediction that is off by more than the bar
// gives exit code 1.
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/answers"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
	"github.com/tabard-hpc/tabard/internal/testkit/planted"
)

// faults are programs of testdata/findings with a fault, with it removed, and the finding that is it.
var faults = []struct{ source, fault, mended, kind string }{
	{"faults.c", "slow", "none", "late rank|load imbalance"},
	{"faults.c", "spikes", "none", "late rank"},
	{"faults.c", "step", "none", "slow time step"},
	{"faults.c", "slower", "slower-mended", "growth"},
	{"faults.c", "root", "none", "late rank"},
	{"faults.c", "order", "order-mended", "wrong order"},
	{"faults.c", "serial", "serial-mended", "serialisation"},
	{"faults.c", "barrier", "barrier-mended", "needless barrier"},
	{"faults.c", "early-wait", "early-wait-mended", "no overlap"},
	{"faults.cc", "slow", "none", "late rank|load imbalance"},
	{"faults.f90", "slow", "none", "late rank|load imbalance"},
}

func main() {
	name := flag.String("mpi", "openmpi", "the MPI `NAME`")
	runs := flag.Int("runs", 5, "`N` runs of each program")
	bar := flag.Float64("bar", 10, "the greatest error, in `PERCENT` of the measured time")
	flag.Parse()
	ok, err := run(*name, *runs, *bar)
	if err != nil {
		fmt.Fprintln(os.Stderr, "whatif:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func run(name string, runs int, bar float64) (ok bool, err error) {
	dir, err := os.MkdirTemp("", "tabard-whatif-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	tabard := filepath.Join(mpirun.Root(), "bin", "tabard")
	m, err := mpirun.Find(name)
	if err != nil {
		return false, err
	}
	var libraries []string
	for _, l := range []string{"yield", "idle"} {
		so := filepath.Join(dir, l+".so")
		if err := mpirun.BuildLibrary(filepath.Join(mpirun.Programs(), l+".c"), so); err != nil {
			return false, err
		}
		libraries = append(libraries, so)
	}
	m.YieldPreload = strings.Join(libraries, ":")
	if err := os.Setenv("LD_PRELOAD", libraries[1]); err != nil {
		return false, err
	}
	ok = true
	fmt.Println("| program | fault | recorded, ms | computed without it, ms | measured without it, ms | error | " +
		"|\n|---|---|---|---|---|---|---|")
	for _, f := range faults {
		var recorded, predicted, measured []float64
		for range runs {
			r, err := record(m, tabard, dir, f.source, f.fault)
			if err != nil {
				return false, err
			}
			if t := r.without(f.kind); t > 0 {
				recorded, predicted = append(recorded, r.ms()), append(predicted, t)
			}
			if r, err = record(m, tabard, dir, f.source, f.mended); err != nil {
				return false, err
			}
			measured = append(measured, r.ms())
		}
		if 2*len(predicted) <= runs { // the fault is not found in most runs
			fmt.Printf("| %s | %s | | | %.0f | | **computed in %d of %d runs** |\n", f.source, f.fault,
				slices.Min(measured), len(predicted), runs)
			ok = false
			continue
		}
		off := 100 * (slices.Min(predicted)/slices.Min(measured) - 1)
		verdict := "within the bar"
		if math.Abs(off) > bar {
			verdict, ok = "**missed**", false
		}
		fmt.Printf("| %s | %s | %s | %s | %s | %+.1f %% | %s |\n", f.source, f.fault, shown(recorded),
			shown(predicted), shown(measured),
			off, verdict)
	}
	return ok, nil
}

// shown is the least and the greatest of some times.
func shown(v []float64) string { return fmt.Sprintf("%.0f to %.0f", slices.Min(v), slices.Max(v)) }

// summary is what matters of `tabard report --json`.
type summary struct {
	Elapsed  time.Duration `json:"elapsed_ns"`
	Findings []struct {
		Kind    string
		Without time.Duration `json:"without_ns"`
	}
}

func (s *summary) ms() float64 { return float64(s.Elapsed) / 1e6 }

// without is the time without the first finding of some kinds, 0 if it is not computed.
func (s *summary) without(kinds string) float64 {
	for _, n := range s.Findings {
		if slices.Contains(strings.Split(kinds, "|"), n.Kind) {
			return float64(n.Without) / 1e6
		}
	}
	return 0
}

func record(m *mpirun.MPI, tabard, dir, source, fault string) (*summary, error) {
	file, err := (&planted.Fault{Source: source, Name: fault}).Record(m, tabard, dir)
	if err != nil {
		return nil, err
	}
	s := &summary{}
	if err := answers.Read(s, tabard, "report", "--json", file); err != nil {
		return nil, err
	}
	return s, os.Remove(file) // a recording does not replace another one
}
