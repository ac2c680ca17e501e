// Command steps compares the time steps that Tabard finds in programs with those of their sources:
//
//	steps -list FILE [-mpi openmpi|mpich] [-dir DIR] [-only TEXT]
//
// FILE lists programs that are already built, one a line: a name, the number of ranks, what the source has, and the
// command with absolute paths; # begins a comment. What the source has is the number of time steps and the functions
// in which the calls of one step are, or which call those functions, with commas between them: 30 main,exchange. The
// programs run in DIR, where their input may be, each once under tabard record. A program is right if `report` has as
// many steps and `loops` marks, in all classes of ranks, only loops whose place is in one of the functions. The result
// is a table in Markdown; a program that is not right gives exit code 1.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/bench/internal/programs"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/testkit/answers"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// patience is how long a program may take.
const patience = 5 * time.Minute

func main() {
	list := flag.String("list", "", "`FILE` with programs")
	mpi := flag.String("mpi", "openmpi", "the MPI `NAME`")
	dir := flag.String("dir", "", "`DIR` that programs run in (default: one that is made)")
	only := flag.String("only", "", "only programs whose name contains `TEXT`")
	flag.Parse()
	wrong, err := run(*list, *mpi, *dir, *only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "steps:", err)
	}
	if err != nil || wrong > 0 {
		os.Exit(1)
	}
}

func run(file, mpi, dir, only string) (wrong int, err error) {
	list, err := programs.ReadList(file)
	if err != nil {
		return 0, err
	}
	m, err := mpirun.Find(mpi)
	if err != nil {
		return 0, err
	}
	own, err := os.MkdirTemp("", "tabard-steps-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(own)
	if m.YieldPreload, err = mpirun.BuildYield(own); err != nil {
		return 0, err
	}
	if dir == "" {
		dir = own
	}
	fmt.Print("| program | ranks | steps of the source | found | where the source has them | found in | |\n" +
		"|---|---|---|---|---|---|---|\n")
	for i := range list {
		p := &list[i]
		if !strings.Contains(p.Name, only) {
			continue
		}
		right, err := compare(p, m, dir, filepath.Join(own, p.Name+".tabard"))
		if err != nil {
			return wrong, fmt.Errorf("%s: %w", p.Name, err)
		}
		if !right {
			wrong++
		}
	}
	return wrong, nil
}

// compare records a program and writes its row.
func compare(p *programs.Program, m *mpirun.MPI, dir, recording string) (bool, error) {
	if len(p.Args) < 3 {
		return false, fmt.Errorf("not a number of steps, functions and a command")
	}
	want, err := strconv.Atoi(p.Args[0])
	if err != nil {
		return false, fmt.Errorf("%q is no number of steps", p.Args[0])
	}
	tabard := filepath.Join(mpirun.Root(), "bin", "tabard")
	record := []string{tabard, "record", "--quiet", "-o", recording}
	j := &mpirun.Job{MPI: m, Ranks: p.Ranks, Dir: dir, Timeout: patience, Args: slices.Concat(record, p.Args[2:])}
	r, err := j.Start()
	if err != nil {
		return false, err
	}
	if r.TimedOut || r.Code != 0 {
		return false, fmt.Errorf("exit code %d after %v\n%s", r.Code, r.Wall.Round(time.Second), r.Stderr)
	}
	steps, places, err := found(tabard, recording)
	if err != nil {
		return false, err
	}
	allowed := strings.Split(p.Args[1], ",")
	right := steps == want && len(places) > 0
	for _, at := range places {
		right = right && slices.Contains(allowed, at)
	}
	verdict := "right"
	if !right {
		verdict = "**wrong**"
	}
	fmt.Printf("| %s | %d | %d | %d | %s | %s | %s |\n", p.Name, p.Ranks, want, steps, strings.Join(allowed, ", "),
		strings.Join(places, ", "), verdict)
	return right, nil
}

// found is how many time steps a recording has, and the functions that its time-step loops are in.
func found(tabard, recording string) (steps int, places []string, err error) {
	var summary report.Summary
	if err := answers.Read(&summary, tabard, "report", "--json", recording); err != nil {
		return 0, nil, err
	}
	if s := summary.Steps; s != nil {
		steps = len(s.Steps) * int(s.Stride)
	}
	var loops report.Loops
	if err := answers.Read(&loops, tabard, "loops", "--json", "--all", recording); err != nil {
		return 0, nil, err
	}
	for i := range loops.Classes {
		c := &loops.Classes[i]
		for _, body := range append(c.Blocks, c.Body) {
			places = marked(places, body)
		}
	}
	return steps, places, nil
}

// marked adds the functions of the loops that are marked as the time step. A loop whose calls have no place in common
// is where the calls in it come from.
func marked(places []string, body []report.LoopNode) []string {
	for i := range body {
		n := &body[i]
		switch {
		case !n.Step:
			places = marked(places, n.Body)
		case len(n.Site) > 0:
			places = add(places, n.Site[0].Func)
		default:
			places = outermost(places, n.Body)
		}
	}
	return places
}

// outermost adds the outermost function that is known of each call.
func outermost(places []string, body []report.LoopNode) []string {
	for i := range body {
		n := &body[i]
		if n.Kind == "call" && len(n.Site) > 0 {
			places = add(places, n.Site[len(n.Site)-1].Func)
		}
		places = outermost(places, n.Body)
	}
	return places
}

// add adds a function, without its parameters.
func add(places []string, function string) []string {
	function, _, _ = strings.Cut(function, "(")
	if slices.Contains(places, function) {
		return places
	}
	return append(places, function)
}
