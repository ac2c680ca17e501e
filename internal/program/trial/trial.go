// Package trial measures what a collective that a program makes of messages takes, and what the library's collective
// takes in its place: both under the MPI at hand, with as many ranks, the same sets of ranks and sizes, in turn.
// Messages are sent and received in the order of the program's calls and in its modes, one instance after the other,
// without what the program computes between them; contents do not matter, but what is received by a reduction is
// added up.
package trial

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tabard-hpc/tabard/analysis/collectives"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

//go:embed parts/try.c
var source []byte

// A Result is how long instances took, in seconds: as they are made, and by the library. Both are of the slowest rank,
// a round each.
type Result struct {
	Made, Library []float64
	Why           string // it was not tried
}

// Request says what to measure, and how.
type Request struct {
	Findings []collectives.Finding
	Ranks    int
	Rounds   int
	// Compiler and Launcher are commands, with arguments: "mpicc", "mpirun --oversubscribe".
	Compiler, Launcher []string
	Stderr             io.Writer
}

const (
	mostBytes    = 1 << 28 // of the buffers of a rank
	mostMessages = 100000
	patience     = 10 * time.Minute
)

var tried = []string{
	"broadcast",
	"scatter",
	"gather",
	"allgather",
	"all-to-all",
	"reduce",
	"allreduce",
	"reduce-scatter",
	"scan",
	"exscan",
	"barrier",
}

// Run measures findings. The results are in their order.
func Run(r *Request) ([]Result, error) {
	out := make([]Result, len(r.Findings))
	var plan bytes.Buffer
	var numbers []int
	for i := range r.Findings {
		if out[i].Why = add(&plan, &r.Findings[i], r.Ranks); out[i].Why == "" {
			numbers = append(numbers, i)
		}
	}
	if len(numbers) == 0 {
		return out, nil
	}
	text, err := run(r, plan.Bytes())
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(text) {
		var n int
		var made, library float64
		if _, err := fmt.Sscanf(line, "%d %f %f", &n, &made, &library); err == nil && n >= 0 && n < len(numbers) {
			x := &out[numbers[n]]
			x.Made, x.Library = append(x.Made, made), append(x.Library, library)
		}
	}
	for _, i := range numbers {
		if len(out[i].Made) != r.Rounds {
			return nil, fmt.Errorf("the trial of the %s ended early: %d of %d rounds", r.Findings[i].Operation,
				len(out[i].Made), r.Rounds)
		}
	}
	return out, nil
}

// run compiles the program, and starts it with the plan.
func run(r *Request, plan []byte) (string, error) {
	dir, remove, err := safefile.Scratch("tabard-try-")
	if err != nil {
		return "", err
	}
	defer remove()
	if err := cmp.Or(dir.WriteFile("try.c", source, false), dir.WriteFile("plan", plan, false)); err != nil {
		return "", err
	}
	c, exe, file := dir.Join("try.c"), dir.Join("try"), dir.Join("plan")
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	if _, err := command(ctx, r.Stderr, r.Compiler, "-O2", "-o", exe, c); err != nil {
		return "", fmt.Errorf("%w; --mpicc says which compiler to use", err)
	}
	text, err := command(ctx, r.Stderr, r.Launcher, "-n", fmt.Sprint(r.Ranks), exe, file, fmt.Sprint(r.Rounds))
	if err != nil {
		return "", fmt.Errorf("%w; --mpirun says how ranks are started, e.g. --mpirun 'mpirun --oversubscribe'", err)
	}
	return text, nil
}

// command runs a command in a group of its own, which ends with it.
func command(ctx context.Context, stderr io.Writer, words []string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, words[0], append(slices.Clone(words[1:]), args...)...)
	c.Stderr = stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = 5 * time.Second
	text, err := c.Output()
	if ctx.Err() != nil {
		return "", fmt.Errorf("%s did not end within %v", words[0], patience)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", words[0], err)
	}
	return string(text), nil
}

// call is one of a place of a set.
type call struct {
	call  uint64
	order int
	line  string
}

// add writes the part of a plan for a finding. It returns why there is none.
func add(plan io.Writer, f *collectives.Finding, ranks int) string {
	if f.Grade == collectives.NearMiss || !slices.Contains(tried, f.Operation) {
		return "there is no one call to try in its place"
	}
	if len(f.One) == 0 || len(f.One) > mostMessages {
		return "it has too many messages"
	}
	if slices.ContainsFunc(f.One, func(m *collectives.Message) bool { return m.Sided != collectives.Both }) {
		return "its data is moved by one-sided calls, which are not tried"
	}
	set := slices.IndexFunc(f.Sets, func(s []int32) bool { return slices.Contains(s, f.One[0].From) })
	if set < 0 {
		return "its messages are not between its ranks"
	}
	sent, received := int64(0), int64(0)
	places := make([][]call, len(f.Sets[set]))
	for tag, m := range f.One {
		from, to := slices.Index(f.Sets[set], m.From), slices.Index(f.Sets[set], m.To)
		if from < 0 || to < 0 {
			return "its messages are not between its ranks"
		}
		sent, received = max(sent, m.Bytes), max(received, m.Bytes)
		places[from] = append(places[from], sends(m, f.One, tag, to)...)
		places[to] = append(places[to], call{m.Posted, 0, fmt.Sprintf("r %d %d %d", from, tag, m.Bytes)},
			call{m.Received, 3, fmt.Sprintf("v %d %d %d", from, tag, m.Bytes)})
	}
	if max(sent, received, f.Block*int64(len(places))) > mostBytes {
		return "it is too large"
	}
	for _, s := range f.Sets {
		if len(s) != len(places) || slices.Max(s) >= int32(ranks) {
			return "its sets are of different sizes"
		}
	}
	root := 0
	if len(f.Roots) > 0 {
		root = f.Roots[0]
		if at := rootOf(f, set); at >= 0 {
			root = at
		}
	}
	reduces := 0
	if strings.Contains(f.Operation, "reduce") || strings.HasSuffix(f.Operation, "scan") {
		reduces = 1
	}
	fmt.Fprintln(plan, "operation", f.Operation, root, f.Block, reduces, sent, received)
	for _, s := range f.Sets {
		fmt.Fprintln(plan, "set", strings.Trim(fmt.Sprint(s), "[]"))
	}
	for place, calls := range places {
		slices.SortStableFunc(
			calls,
			func(a, b call) int { return cmp.Or(cmp.Compare(a.call, b.call), cmp.Compare(a.order, b.order)) },
		)
		for _, c := range calls {
			fmt.Fprintln(plan, "at", place, c.line)
		}
	}
	fmt.Fprintln(plan, "end")
	return ""
}

// rootOf is the place of the root of the instance: who sends first, of what goes from a root.
func rootOf(f *collectives.Finding, set int) int {
	if f.Operation != "broadcast" && f.Operation != "scatter" {
		return -1
	}
	got := map[int32]uint64{}
	for _, m := range f.One {
		if at, has := got[m.To]; !has || m.Received < at {
			got[m.To] = m.Received
		}
	}
	for _, m := range f.One {
		if at, has := got[m.From]; !has || m.Sent < at {
			return slices.Index(f.Sets[set], m.From)
		}
	}
	return -1
}

// sends are the calls of a message at its sender.
func sends(m *collectives.Message, all []*collectives.Message, tag, to int) []call {
	both := slices.ContainsFunc(all, func(o *collectives.Message) bool { return o.To == m.From && o.Posted == m.Sent })
	if m.Freed == m.Sent && !both {
		what := "b"
		if m.Synchronous {
			what = "y"
		}
		return []call{{m.Sent, 1, fmt.Sprintf("%s %d %d %d", what, to, tag, m.Bytes)}}
	}
	freed := m.Freed
	if freed == 0 {
		freed = 1<<64 - 1
	}
	return []call{{m.Sent, 1, fmt.Sprintf("s %d %d %d", to, tag, m.Bytes)},
		{freed, 2, fmt.Sprintf("w %d %d %d", to, tag, m.Bytes)}}
}
