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
	"strconv"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/bench/internal/programs"
	"github.com/tabard-hpc/tabard/bench/internal/recordings"
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
	{"tabard, main", "", tabardTool("main"), tabardCalls},
	{"uftrace", "uftrace", func(_ *bench, dir string, args []string) []string {
		return append([]string{"uftrace", "record", "--no-event", "--no-sched", "--no-libcall", "-P", ".", "-d",
			filepath.Join(dir, "uftrace")}, args...)
	}, uftraceCalls},
	{"tabard, all", "", tabardTool("all"), tabardCalls},
	{"callgrind", "valgrind", func(_ *bench, dir string, args []string) []string {
		return append([]string{"valgrind", "-q", "--tool=callgrind",
			"--callgrind-out-file=" + filepath.Join(dir, "callgrind.%p")}, args...)
	}, nil},
}

func tabardTool(which string) func(*bench, string, []string) []string {
	return func(b *bench, dir string, args []string) []string {
		return append([]string{b.o.tabard, "record", "-q", "--force", "--functions=" + which, "-o",
			filepath.Join(dir, "f.tabard")}, args...)
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
	out, err := exec.Command("uftrace", "report", "-d", filepath.Join(dir, "uftrace")).Output()
	if err != nil {
		return 0, fmt.Errorf("uftrace report: %w", err)
	}
	sum := uint64(0)
	for _, m := range uftraceCall.FindAllSubmatch(out, -1) {
		n, err := strconv.ParseUint(string(m[1]), 10, 64)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// toolResult is what a program takes with a tool: the least of all runs.
type toolResult struct {
	cpu, wall float64 // seconds, with what collects or writes for the tool
	calls     uint64
	bytes     int64
	err       error // the last one: the tool is not there, or could not run the program
}

// compare prints the table of tools beside each other. Programs are started as one process, without a launcher.
func (b *bench) compare(list []programs.Program) error {
	fmt.Print("\n| program | tool | CPU, s | over as it is | wall, s | calls seen | bytes |\n|---|---|---|---|---|---|---|\n")
	for _, p := range list {
		if p.Ranks > 1 {
			continue
		}
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
			fmt.Println(toolLine(p.Name, &tools[i], &r, best[0].cpu))
		}
		if best[0].err != nil {
			return best[0].err
		}
	}
	return nil
}

func toolLine(program string, t *tool, r *toolResult, as float64) string {
	if r.err != nil {
		return fmt.Sprintf("| %s | %s | %s | | | | |", program, t.name,
			strings.Join(strings.Fields(r.err.Error()), " "))
	}
	calls, bytes := "", ""
	if t.calls != nil {
		calls = programs.Commas(int64(r.calls))
	}
	if r.bytes > 0 {
		bytes = programs.Commas(r.bytes)
	}
	return fmt.Sprintf("| %s | %s | %.2f | %.2f | %.2f | %s | %s |", program, t.name, r.cpu, r.cpu/as, r.wall, calls,
		bytes)
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
	ctx, cancel := context.WithTimeout(context.Background(), toolTimeout)
	defer cancel()
	args := t.command(b, dir, p.Args)
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Dir = b.dir
	c.WaitDelay = 10 * time.Second
	began := time.Now()
	out, err := c.CombinedOutput()
	wall := time.Since(began)
	if err != nil {
		return fmt.Errorf("failed: %w: %.100s", err, out)
	}
	cpu := c.ProcessState.UserTime() + c.ProcessState.SystemTime() + reap() // and what collects or writes
	best.cpu, best.wall = min(best.cpu, cpu.Seconds()), min(best.wall, wall.Seconds())
	if best.bytes, err = recordings.Bytes(dir); err != nil || t.calls == nil {
		return err
	}
	best.calls, err = t.calls(b, dir)
	return err
}
