// Package roundtrip records programs, runs the recordings again, by tabard replay or as proxies,
// records that, and compares the recordings.
package roundtrip

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// A Way is how a recording is run again.
type Way string

// The ways.
const (
	Replay Way = "replay"
	Proxy  Way = "proxy"
)

// Runner runs programs under an MPI.
type Runner struct {
	MPI     *mpirun.MPI
	Tabard  string        // the binary
	Timeout time.Duration // of each run
	// Work is the working folder of the programs that are recorded, a folder of their own if it is empty.
	Work string
	// Sanitize runs proxies once more, compiled with AddressSanitizer.
	Sanitize bool
}

// An Outcome is how a round trip ended.
type Outcome struct {
	// Equal is set if the recordings are the same in structure and parameters. Outcomes is set if
	// they are also the same in what the standard leaves open: who sent to wildcards, what was
	// complete, how often polls failed.
	Equal, Outcomes bool
	// Reordered is set if they are equal but for the order in which messages arrived and what follows from it.
	Reordered bool `json:",omitempty"`
	// Stage is what went wrong, and Reason how: "record", "replay", "proxy", "compile", "run", "diff".
	Stage, Reason string
	// Calls is how many calls of all ranks were compared.
	Calls uint64
	// Lines and Bytes are the size of a proxy.
	Lines, Bytes int
}

// String is "equal", or what went wrong.
func (o *Outcome) String() string {
	switch {
	case o.Reordered:
		return "equal but for the order of arrival"
	case o.Equal:
		return "equal"
	}
	return o.Stage + ": " + o.Reason
}

// Files of a round trip in its folder.
const (
	archive = "original.tabard"
	source  = "proxy.c"
	program = "proxy"
)

// Record records a program in dir, which keeps everything that a round trip makes. An error is
// about the machine. A program or recording that fails is an outcome, which is nil if all went
// well.
func (r *Runner) Record(dir string, ranks int, command []string) (*mpirun.Result, *Outcome, error) {
	record := []string{r.Tabard, "record", "--quiet", "-o", filepath.Join(dir, archive)}
	done, err := r.run(dir, r.Work, ranks, append(record, command...))
	if err != nil {
		return nil, nil, err
	}
	if o := failed("record", done); o != nil {
		return done, o, nil
	}
	// The collector may still be writing: info waits for it.
	why, err := r.command(dir, r.Tabard, "info", Archive(dir))
	return done, outcome("record", why), err
}

// Archive is the file that Record made.
func Archive(dir string) string { return filepath.Join(dir, archive) }

// Program is the proxy that Compile made.
func Program(dir string) string { return filepath.Join(dir, program) }

// Again runs what Record recorded in one of the ways and compares.
func (r *Runner) Again(dir string, ranks int, way Way) (*Outcome, error) {
	again := filepath.Join(dir, string(way)+".tabard")
	record := []string{r.Tabard, "record", "--quiet", "-o", again}
	out := &Outcome{}
	if way == Proxy {
		if o, err := r.Compile(dir, out); o != nil || err != nil {
			return o, err
		}
		if r.Sanitize {
			if o, err := r.sanitized(dir, ranks); o != nil || err != nil {
				return o, err
			}
		}
		record = append(record, Program(dir))
	} else {
		record = append(record, r.Tabard, "replay", Archive(dir), "--order=recorded")
	}
	done, err := r.run(dir, "", ranks, record)
	if err != nil {
		return nil, err
	}
	stage := string(way)
	if way == Proxy {
		stage = "run"
	}
	if o := failed(stage, done); o != nil {
		o.Lines, o.Bytes = out.Lines, out.Bytes
		return o, nil
	}
	return out, r.diff(Archive(dir), again, out)
}

// Compile makes a proxy, with options of tabard proxy, and compiles it with all warnings as errors.
// The outcome is nil if that went well; the size is in size.
func (r *Runner) Compile(dir string, size *Outcome, options ...string) (*Outcome, error) {
	text := filepath.Join(dir, source)
	proxy := append([]string{"proxy", Archive(dir), "-o", text}, options...)
	if why, err := r.command(dir, r.Tabard, proxy...); err != nil || why != "" {
		return outcome("proxy", why), err
	}
	c, err := os.ReadFile(text)
	if err != nil {
		return &Outcome{Stage: "proxy", Reason: "wrote nothing"}, nil
	}
	size.Lines, size.Bytes = strings.Count(string(c), "\n"), len(c)
	compile := []string{"-O1", "-g", "-Wall", "-Wextra", "-Werror", text, "-o", Program(dir), "-pthread"}
	if why, err := r.command(dir, r.MPI.CC, compile...); err != nil || why != "" {
		o := outcome("compile", why)
		if o != nil {
			o.Lines, o.Bytes = size.Lines, size.Bytes
		}
		return o, err
	}
	return nil, nil
}

func outcome(stage, why string) *Outcome {
	if why == "" {
		return nil
	}
	return &Outcome{Stage: stage, Reason: why}
}

// run runs a program in the folder work, or if that is empty in one below dir, because programs
// leave files.
func (r *Runner) run(dir, work string, ranks int, args []string) (*mpirun.Result, error) {
	if work == "" {
		work = filepath.Join(dir, "work")
		if err := os.MkdirAll(work, 0o777); err != nil {
			return nil, err
		}
	}
	j := &mpirun.Job{MPI: r.MPI, Ranks: ranks, Args: args, Dir: work, Timeout: r.Timeout}
	return j.Start()
}

// failed is the outcome of a run that failed, else nil.
func failed(stage string, done *mpirun.Result) *Outcome {
	switch {
	case done.TimedOut:
		return &Outcome{Stage: stage, Reason: "out of time; " + said(done.Stderr)}
	case done.Code != 0:
		return &Outcome{Stage: stage, Reason: fmt.Sprintf("exit code %d; %s", done.Code, said(done.Stderr))}
	}
	return nil
}

// command runs a command without MPI. why is what it said if it failed.
func (r *Runner) command(dir, name string, args ...string) (why string, err error) {
	why, _, err = r.timed(dir, name, args...)
	return why, err
}

// timed is command, and the processor time that the command and what it waited for took.
func (r *Runner) timed(dir, name string, args ...string) (why string, took time.Duration, err error) {
	c := exec.Command(name, args...)
	c.Dir, c.WaitDelay = dir, time.Second
	stop := time.AfterFunc(r.Timeout, func() { _ = c.Process.Kill() }) // an error only if it has ended
	defer stop.Stop()
	out, err := c.CombinedOutput()
	if s := c.ProcessState; s != nil {
		took = s.UserTime() + s.SystemTime()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.String() + "; " + said(string(out)), took, nil
	}
	if errors.Is(err, exec.ErrWaitDelay) { // a process that it started lives on
		return "out of time; " + said(string(out)), took, nil
	}
	return "", took, err
}

// said returns the first line of an output that is from Tabard or the compiler, else the first
// line. A line that announces another one comes with it.
func said(text string) string {
	first, open := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if open != "" {
			return short(open + " " + line)
		}
		if strings.HasPrefix(line, "tabard: assumed") {
			continue
		}
		if strings.HasPrefix(line, "tabard") || strings.Contains(line, "error:") || strings.Contains(line, "warning:") {
			if strings.HasSuffix(line, "possible:") {
				open = line
				continue
			}
			return short(line)
		}
		if first == "" && line != "" && strings.Trim(line, "-=") != "" {
			first = line
		}
	}
	return short(first)
}

func short(s string) string {
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "") + "..."
	}
	return s
}

// diff compares a recording with that of its rerun.
func (r *Runner) diff(a, b string, o *Outcome) error {
	c := exec.Command(r.Tabard, "diff", a, b, "--rerun", "--json", "--limit", "3")
	c.WaitDelay = time.Second
	var stderr strings.Builder
	c.Stderr = &stderr
	stop := time.AfterFunc(r.Timeout, func() { _ = c.Process.Kill() }) // an error only if it has ended
	defer stop.Stop()
	out, err := c.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return err
	}
	var d struct {
		Same  bool
		Calls uint64
		Total int `json:"total_differences"`
		Notes []string
		Order []struct{ Func, Site, Param string }

		Arrivals    []struct{}
		Follows     []struct{} `json:"follows_from_arrivals"`
		Differences []struct{ Text string }
	}
	if len(out) == 0 || json.Unmarshal(out, &d) != nil {
		o.Stage, o.Reason = "diff", fmt.Sprintf("%v; %s", err, said(stderr.String()))
		return nil
	}
	var notes []string
	for _, n := range d.Notes {
		if !strings.HasSuffix(n, "has no times") && !strings.HasSuffix(n, "on purpose") {
			notes = append(notes, n)
		}
	}
	o.Calls = d.Calls
	o.Equal = d.Same && len(notes) == 0
	o.Outcomes = o.Equal && len(d.Arrivals) == 0
	o.Reordered = o.Equal && len(d.Follows) > 0
	for _, x := range d.Order {
		o.Outcomes = o.Outcomes && !(x.Param == "status" || x.Param == "array_of_statuses" || x.Param == "index" ||
			x.Param == "flag" || x.Param == "number of calls")
	}
	if !o.Equal {
		o.Stage = "diff"
		switch {
		case len(d.Differences) > 0:
			o.Reason = fmt.Sprintf("%d differ; %s", d.Total, short(d.Differences[0].Text))
		case len(notes) > 0:
			o.Reason = short(notes[0])
		}
	}
	return nil
}
