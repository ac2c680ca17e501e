// Command regression measures whether `tabard check` tells noise from regressions: pairs of the same program must raise
// nothing, and each planted regression of testdata/findings/regress.c must be found.
//
//	regression [-mpi NAME] [-pairs N] [-runs N] [-ranks N] [-busy]
//
// Each side of a pair has several recordings, which are made in turn. It prints tables in Markdown; what is raised
// without a change, or not found, gives exit code 1.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
	"github.com/tabard-hpc/tabard/internal/testkit/planted"
)

// regressions are what is planted, and the checks of which one has to fail.
var regressions = []struct{ name, what, checks string }{
	{"compute5", "all ranks compute 5 % longer", "time"},
	{"compute10", "all ranks compute 10 % longer", "time"},
	{"one-rank", "rank 1 computes 6 % longer", "time waiting load-balance"},
	{"some-steps", "each third step computes 20 % longer", "time"},
	{"late", "rank 0 sleeps 0.8 ms a step", "time waiting"},
	{"serial", "6 % of a step one rank after the other", "structure"},
	{"loop", "one exchange more in each step", "structure"},
	{"barrier", "a barrier in each step", "structure"},
	{"bytes", "messages 5 % longer", "bytes"},
	{"messages", "a message more in each tenth step", "messages structure"},
	{"steps", "5 % more time steps", "structure"},
}

type bench struct {
	m             *mpirun.MPI
	tabard, dir   string
	program       string
	ranks, number int
	busy          bool
}

func main() {
	name := flag.String("mpi", "openmpi", "the MPI `NAME`")
	pairs := flag.Int("pairs", 20, "`N` pairs without a change")
	runs := flag.Int("runs", 5, "`N` recordings of each side of a pair")
	ranks := flag.Int("ranks", 2, "`N` ranks")
	busy := flag.Bool("busy", false, "compute in place of sleeping: for a machine that does nothing else")
	flag.Parse()
	ok, err := run(*name, *pairs, *runs, *ranks, *busy)
	if err != nil {
		fmt.Fprintln(os.Stderr, "regression:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func run(name string, pairs, runs, ranks int, busy bool) (ok bool, err error) {
	dir, err := os.MkdirTemp("", "tabard-regression-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	b := &bench{tabard: filepath.Join(mpirun.Root(), "bin", "tabard"), dir: dir,
		program: filepath.Join(dir, "regress"), ranks: ranks, busy: busy}
	if b.m, err = mpirun.Find(name); err != nil {
		return false, err
	}
	if err := b.m.Build(filepath.Join(planted.Folder(), "regress.c"), b.program); err != nil {
		return false, err
	}
	ok = true
	fmt.Printf("%s, %d ranks, %d recordings of each side.\n\n| pair | load | time per step | waiting | raised "+
		"|\n|---|---|---|---|---|\n",
		b.m.Name, ranks, runs)
	raised := 0
	for i := range pairs {
		c, err := b.pair("none", runs)
		if err != nil {
			return false, err
		}
		if !c.Passed {
			raised++
			ok = false
		}
		fmt.Printf("| %d | %s | %s | %s | %s |\n", i+1, load(), c.change("time"), c.change("waiting"), c.failed())
	}
	fmt.Printf("\n%d of %d pairs without a change are raised.\n\n", raised, pairs)
	fmt.Println("| planted | load | time per step | waiting | raised | |\n|---|---|---|---|---|---|")
	found := 0
	for _, r := range regressions {
		c, err := b.pair(r.name, runs)
		if err != nil {
			return false, err
		}
		verdict := "**missed**"
		for _, f := range strings.Fields(c.failed()) {
			if strings.Contains(" "+r.checks+" ", " "+strings.Trim(f, ",")+" ") {
				verdict = "found"
			}
		}
		if verdict == "found" {
			found++
		} else {
			ok = false
		}
		fmt.Printf("| %s | %s | %s | %s | %s | %s |\n", r.what, load(), c.change("time"), c.change("waiting"),
			c.failed(), verdict)
	}
	fmt.Printf("\n%d of %d planted regressions are found.\n", found, len(regressions))
	return ok, nil
}

// pair records the program without a change and with one, in turn, and checks.
func (b *bench) pair(kind string, runs int) (*check, error) {
	b.number++
	var sides [2][]string
	for i := range runs {
		for s, what := range []string{"none", kind} {
			file := filepath.Join(b.dir, fmt.Sprintf("%d-%d-%d.tabard", b.number, i, s))
			job := &mpirun.Job{MPI: b.m, Ranks: b.ranks, Dir: b.dir, Timeout: time.Minute,
				Args: []string{b.tabard, "record", "--quiet", "-o", file, b.program, what}}
			if b.busy {
				job.Args = append(job.Args, "busy")
			}
			r, err := job.Start()
			if err == nil && r.Code != 0 {
				err = fmt.Errorf("%s: exit code %d: %s", what, r.Code, r.Stderr)
			}
			if err != nil {
				return nil, err
			}
			sides[s] = append(sides[s], file)
		}
	}
	args := append([]string{"check", "--json", "--against", strings.Join(sides[0], ",")}, sides[1]...)
	out, err := exec.Command(b.tabard, args...).Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		return nil, fmt.Errorf("check: %w: %s", err, out)
	}
	c := &check{}
	if err := json.Unmarshal(out, c); err != nil {
		return nil, err
	}
	if c.Passed != (err == nil) {
		return nil, fmt.Errorf("the exit code and %t do not fit", c.Passed)
	}
	for _, side := range sides {
		for _, file := range side {
			if err := os.Remove(file); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

// check is what matters of `tabard check --json`.
type check struct {
	Passed bool
	Checks []struct {
		Name, Verdict     string
		Change, Low, High *float64
	}
}

func (c *check) failed() string {
	var list []string
	for _, x := range c.Checks {
		if x.Verdict == "worse" || x.Verdict == "differs" {
			list = append(list, x.Name)
		}
	}
	if len(list) == 0 {
		return "nothing"
	}
	return strings.Join(list, ", ")
}

// change is a change with its interval, in per cent or in points.
func (c *check) change(name string) string {
	for _, x := range c.Checks {
		if x.Name == name && x.Change != nil && x.Low != nil && x.High != nil {
			return fmt.Sprintf("%+.1f (%+.1f to %+.1f)", 100**x.Change, 100**x.Low, 100**x.High)
		}
	}
	return "-"
}

// load is the load average of the last minute.
func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "-"
	}
	one, _, _ := strings.Cut(string(b), " ")
	return one
}
