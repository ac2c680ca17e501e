package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/bench/internal/programs"
	"github.com/tabard-hpc/tabard/bench/internal/recordings"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// A tool runs a program and records its function calls in a folder.
type tool struct {
	name    string
	needs   string // the command that has to be installed
	command func(b *bench, dir string, args []string) []string
	calls   func(b *bench, dir string) (uint64, error) // nil: it does not tell
}

var tools = []tool{
	{"as it is", "", func(_ *bench, _ string, args []string) []string { return args }, nil},
	{"tabard, main, silent", "", tabardTool("main", "--start=off"), nil},
	{"tabard, main", "", tabardTool("main"), tabardCalls},
	{"uftrace", "uftrace", func(_ *bench, dir string, args []string) []string {
		// A folder for each process.
		record := `exec uftrace record --no-event --no-sched --no-libcall -P . -d "$0/uftrace.$$" "$@"`
		return append([]string{"sh", "-c", record, dir}, args...)
	}, uftraceCalls},
	{"tabard, all, silent", "", tabardTool("all", "--start=off"), nil},
	{"tabard, all", "", tabardTool("all"), tabardCalls},
	{"callgrind", "valgrind", func(_ *bench, dir string, args []string) []string {
		return append([]string{"valgrind", "-q", "--tool=callgrind",
			"--callgrind-out-file=" + filepath.Join(dir, "callgrind.%p")}, args...)
	}, nil},
}

func tabardTool(which string, more ...string) func(*bench, string, []string) []string {
	return func(b *bench, dir string, args []string) []string {
		return slices.Concat([]string{b.o.tabard, "record", "-q", "--force", "--functions=" + which, "-o",
			filepath.Join(dir, "f.tabard")}, more, args)
	}
}

func tabardCalls(_ *bench, dir string) (uint64, error) {
	var r result
	err := r.size(filepath.Join(dir, "f.tabard"))
	return r.calls, err
}

// uftraceCall is a line of its report: total and self time with units, calls, function.
var uftraceCall = regexp.MustCompile(`(?m)^\s+[\d.]+\s+[a-z]+\s+[\d.]+\s+[a-z]+\s+(\d+)\s`)

func uftraceCalls(_ *bench, dir string) (uint64, error) {
	sum := uint64(0)
	folders, err := filepath.Glob(filepath.Join(dir, "uftrace.*"))
	for _, folder := range folders {
		out, err := exec.Command("uftrace", "report", "-d", folder).Output()
		if err != nil {
			return 0, fmt.Errorf("uftrace report: %w", err)
		}
		for _, m := range uftraceCall.FindAllSubmatch(out, -1) {
			n, err := strconv.ParseUint(string(m[1]), 10, 64)
			if err != nil {
				return 0, err
			}
			sum += n
		}
	}
	return sum, err
}

// toolResult is what a program takes with a tool: the least of all runs.
type toolResult struct {
	cpu, wall float64 // seconds, with what collects or writes for the tool
	calls     uint64
	bytes     int64
	err       error // the last one: the tool is not there, or could not run the program
}

// compare prints the table of tools beside each other.
func (b *bench) compare(list []programs.Program) error {
	fmt.Print("\n| program | ranks | tool | CPU, s | over as it is | wall, s | calls seen | bytes |\n" +
		"|---|---|---|---|---|---|---|---|\n")
	for _, p := range list {
		best := make([]toolResult, len(tools))
		for i := range best {
			best[i].cpu, best[i].wall = math.Inf(1), math.Inf(1)
		}
		for range b.o.runs {
			for i := range tools {
				best[i].err = b.withTool(&tools[i], p, &best[i])
			}
		}
		for i, r := range best {
			fmt.Println(toolLine(&p, &tools[i], &r, best[0].cpu))
		}
		if best[0].err != nil {
			return best[0].err
		}
	}
	return nil
}

func toolLine(p *programs.Program, t *tool, r *toolResult, as float64) string {
	if r.err != nil {
		return fmt.Sprintf("| %s | %d | %s | %s | | | | |", p.Name, p.Ranks, t.name,
			strings.Join(strings.Fields(r.err.Error()), " "))
	}
	calls, bytes := "", ""
	if t.calls != nil {
		calls = programs.Commas(int64(r.calls))
	}
	if r.bytes > 0 {
		bytes = programs.Commas(r.bytes)
	}
	return fmt.Sprintf("| %s | %d | %s | %.2f | %.2f | %.2f | %s | %s |", p.Name, p.Ranks, t.name, r.cpu, r.cpu/as,
		r.wall, calls, bytes)
}

const toolTimeout = 10 * time.Minute

func (b *bench) withTool(t *tool, p programs.Program, best *toolResult) error {
	if _, err := exec.LookPath(t.needs); t.needs != "" && err != nil {
		return errors.New("not installed")
	}
	dir, err := os.MkdirTemp(b.dir, "tool-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	began := time.Now()
	cpu, err := b.start(p, t.command(b, dir, p.Args))
	wall := time.Since(began)
	if err != nil {
		return fmt.Errorf("failed: %w", err)
	}
	cpu += reap() // and what collects or writes
	best.cpu, best.wall = min(best.cpu, cpu.Seconds()), min(best.wall, wall.Seconds())
	if best.bytes, err = recordings.Bytes(dir); err != nil || t.calls == nil {
		return err
	}
	best.calls, err = t.calls(b, dir)
	return err
}

// start runs a program, a single process without a launcher, and returns its CPU time.
func (b *bench) start(p programs.Program, args []string) (time.Duration, error) {
	if p.Ranks > 1 {
		r, err := (&mpirun.Job{MPI: b.m, Ranks: p.Ranks, Dir: b.o.dir, Args: args, Timeout: toolTimeout}).Start()
		if err != nil {
			return 0, err
		}
		if r.Code != 0 {
			return 0, fmt.Errorf("exit code %d: %.100s", r.Code, r.Stderr)
		}
		return r.CPU, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), toolTimeout)
	defer cancel()
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Dir = b.o.dir
	c.WaitDelay = 10 * time.Second
	out, err := c.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%w: %.100s", err, out)
	}
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime(), nil
}
