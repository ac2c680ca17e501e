// Package trial measures what a collective that a program makes of messages takes, and what the library's collective
// takes in its place: both under the MPI at hand, with as many ranks, the same sets of ranks and sizes, in turn.
// Messages are sent and received in the order of the program's calls and in its modes, with as long to compute between
// them if the recording has times: those of the instance that is tried. The collective stands where a process has
// everything, or where it gives first if it receives nothing. Ranks begin together. Contents do not matter, but what is
// received by a reduction is added up.
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
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/safefile"
	"github.com/tabard-hpc/tabard/spec"
)

//go:embed parts/try.c
var source []byte

// A Result is how long instances took, in seconds: as they are made, and by the library. Both are of the slowest rank,
// a round each.
type Result struct {
	Made, Library []float64
	// Gaps tells whether what the program computes between the calls was kept; Computed is how long that is, of the
	// process with the most.
	Gaps     bool
	Computed time.Duration
	Why      string // it was not tried
}

// Request says what to measure, and how.
type Request struct {
	Archive  *archive.Archive // that they were found in; nil: what is computed between calls is left out
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

// tried are operations by their names in the plan.
var tried = map[string]string{
	"broadcast":              "broadcast",
	"scatter":                "scatter",
	"gather":                 "gather",
	"allgather":              "allgather",
	"all-to-all":             "all-to-all",
	"reduce":                 "reduce",
	"allreduce":              "allreduce",
	"reduce-scatter":         "reduce-scatter",
	"scan":                   "scan",
	"exscan":                 "exscan",
	"barrier":                "barrier",
	"neighbourhood exchange": "neighbors",
}

// Run measures findings. The results are in their order.
func Run(r *Request) ([]Result, error) {
	out := make([]Result, len(r.Findings))
	var plan bytes.Buffer
	var numbers []int
	var t *times
	if r.Archive != nil {
		var err error
		if t, err = newTimes(r.Archive); err != nil {
			return nil, err
		}
	}
	for i := range r.Findings {
		out[i].Gaps = t != nil
		out[i].Computed, out[i].Why = add(&plan, &r.Findings[i], r.Ranks, t)
		if out[i].Why == "" {
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

const never = 1<<64 - 1

// call is one of a place of a set.
type call struct {
	call  uint64
	order int
	line  string
}

// add writes the part of a plan for a finding. It returns how long its processes compute at most, or why there is none.
func add(plan io.Writer, f *collectives.Finding, ranks int, t *times) (computed time.Duration, why string) {
	if why := unfit(f); why != "" {
		return 0, why
	}
	set := slices.IndexFunc(f.Sets, func(s []int32) bool { return slices.Contains(s, f.One[0].From) })
	if set < 0 {
		return 0, "its messages are not between its ranks"
	}
	sent, received := int64(0), int64(0)
	places := make([][]call, len(f.Sets[set]))
	for tag, m := range f.One {
		from, to := slices.Index(f.Sets[set], m.From), slices.Index(f.Sets[set], m.To)
		if from < 0 || to < 0 {
			return 0, "its messages are not between its ranks"
		}
		sent, received = max(sent, m.Bytes), max(received, m.Bytes)
		places[from] = append(places[from], sends(m, f.One, tag, to)...)
		places[to] = append(places[to], call{m.Posted, 0, fmt.Sprintf("r %d %d %d", from, tag, m.Bytes)},
			call{m.Received, 3, fmt.Sprintf("v %d %d %d", from, tag, m.Bytes)})
	}
	block := blockOf(f)
	if max(sent, received, block*int64(len(places)), total(f.One)) > mostBytes {
		return 0, "it is too large"
	}
	for _, s := range f.Sets {
		if len(s) != len(places) || slices.Max(s) >= int32(ranks) {
			return 0, "its sets are of different sizes"
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
	fmt.Fprintln(plan, "operation", tried[f.Operation], root, block, reduces, sent, received)
	for _, s := range f.Sets {
		fmt.Fprintln(plan, "set", strings.Trim(fmt.Sprint(s), "[]"))
	}
	for place, calls := range places {
		slices.SortStableFunc(
			calls,
			func(a, b call) int { return cmp.Or(cmp.Compare(a.call, b.call), cmp.Compare(a.order, b.order)) },
		)
		all := time.Duration(0)
		for i, c := range calls {
			if i > 0 {
				if gap := t.between(f.Sets[set][place], calls[i-1].call, c.call); gap > 0 {
					fmt.Fprintln(plan, "at", place, "g", -1, 0, gap.Nanoseconds())
					all += gap
				}
			}
			fmt.Fprintln(plan, "at", place, c.line)
		}
		computed = max(computed, all)
	}
	fmt.Fprintln(plan, "end")
	return computed, ""
}

// unfit says why a finding cannot be tried, whatever its sets are.
func unfit(f *collectives.Finding) string {
	if f.Grade == collectives.NearMiss || tried[f.Operation] == "" {
		return "there is no one call to try in its place"
	}
	if len(f.One) == 0 || len(f.One) > mostMessages {
		return "it has too many messages"
	}
	if slices.ContainsFunc(f.One, func(m *collectives.Message) bool { return m.Sided != collectives.Both }) {
		return "its data is moved by one-sided calls, which are not tried"
	}
	if blockOf(f) < 0 && f.Algorithm != "linear" {
		return "its parts are of different sizes, which are in no message by themselves"
	}
	return ""
}

// blockOf is how many bytes each has, -1 if that differs.
func blockOf(f *collectives.Finding) int64 {
	if fn := spec.ByName(f.Call); fn != nil && (fn.Vector != spec.VectorNone || fn.Flow == spec.FlowNeighbors) {
		return -1
	}
	return f.Block
}

func total(ms []*collectives.Message) (bytes int64) {
	for _, m := range ms {
		bytes += m.Bytes
	}
	return bytes
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
		freed = never
	}
	return []call{{m.Sent, 1, fmt.Sprintf("s %d %d %d", to, tag, m.Bytes)},
		{freed, 2, fmt.Sprintf("w %d %d %d", to, tag, m.Bytes)}}
}
