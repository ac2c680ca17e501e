//go:build e2e

package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// info is what the tests read of `tabard info --json`.
type info struct {
	Ranks     int               `json:"ranks"`
	Threads   int               `json:"threads"`
	Calls     uint64            `json:"calls"`
	Functions map[string]uint64 `json:"functions"`
	Open      uint64            `json:"unfinished_calls"`
	Complete  bool              `json:"complete"`
	Missing   []string          `json:"missing"`
	LostCalls uint64            `json:"lost_calls"`
}

func readInfo(file string) (*info, error) {
	out, err := tabard("info", "--json", file)
	if err != nil {
		return nil, err
	}
	i := new(info)
	if err := json.Unmarshal(out, i); err != nil {
		return nil, fmt.Errorf("tabard info --json: %w in\n%s", err, out)
	}
	return i, nil
}

// tabard runs a command of the binary under test, at most for three minutes.
func tabard(args ...string) ([]byte, error) { return tabardIn(nil, args...) }

// tabardIn runs it with additions to the environment.
func tabardIn(env []string, args ...string) ([]byte, error) {
	c := exec.Command(tabardBin, args...)
	c.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	c.Stderr = &stderr
	stop := time.AfterFunc(3*time.Minute, func() { _ = c.Process.Kill() })
	defer stop.Stop()
	out, err := c.Output()
	if err != nil {
		return out, fmt.Errorf("tabard %s: %w\n%s%s", strings.Join(args, " "), err, out, &stderr)
	}
	return out, nil
}

// check is the script command
//
//	check [flags] RANKS PROGRAM [ARGS...]
//
// PROGRAM is a name in testdata/mpi, or with -exec one on the PATH. It runs the program without and
// with recording and fails unless output and exit code agree, the recording is complete, `tabard
// verify` finds no difference to the raw records, and the calls per function are those of the
// independent counter, and the analyses find what their references find. The archive is left as
// PROGRAM.tabard, the output as stdout.
type check struct {
	exec, fails, died bool
	record, keep      string
	counts            bool
	timeout           time.Duration

	ranks   int
	name    string
	args    []string
	command []string

	ts   *testscript.TestScript
	mpi  *mpirun.MPI
	work string
}

func checkCommand(m *mpirun.MPI) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg {
			ts.Fatalf("check cannot be negated")
		}
		c := parseCheck(ts, m, args)
		c.run()
	}
}

func parseCheck(ts *testscript.TestScript, m *mpirun.MPI, args []string) *check {
	c := &check{ts: ts, mpi: m}
	fs := flag.NewFlagSet("check", flag.ContinueOnError)
	fs.BoolVar(&c.exec, "exec", false, "the program is one on the PATH")
	fs.BoolVar(&c.fails, "fails", false, "the program ends with an exit code other than 0")
	fs.BoolVar(&c.died, "died", false, "the program dies: it fails and the recording is incomplete")
	fs.BoolVar(&c.counts, "counts", true, "compare with the independent counter")
	fs.StringVar(&c.record, "record", "", "more flags for tabard record")
	fs.StringVar(&c.keep, "keep", "", "compare only the lines of the output that match")
	fs.DurationVar(&c.timeout, "timeout", 3*time.Minute, "limit of one run")
	ts.Check(fs.Parse(args))
	c.fails = c.fails || c.died
	args = fs.Args()
	if len(args) < 2 {
		ts.Fatalf("usage: check [flags] RANKS PROGRAM [ARGS...]")
	}
	ranks, err := strconv.Atoi(args[0])
	ts.Check(err)
	c.ranks, c.name, c.args = ranks, filepath.Base(args[1]), args[2:]
	c.command = []string{args[1]}
	if !c.exec {
		c.command, err = program(m, args[1])
		ts.Check(err)
	}
	return c
}

func (c *check) run() {
	plain := c.start("plain", nil, nil)
	raw, counts := c.ts.MkAbs(c.name+".raw"), c.ts.MkAbs(c.name+".counts")
	archive := c.ts.MkAbs(c.name + ".tabard")
	for _, old := range []string{raw, counts, archive} {
		c.ts.Check(os.RemoveAll(old))
	}
	c.ts.Check(os.Mkdir(counts, 0o777))
	env := []string{"MPI_COUNTER_DIR=" + counts, "LD_AUDIT=" + counterLib}
	wrap := []string{tabardBin, "record", "--quiet", "--keep-raw", raw, "-o", archive}
	traced := c.start("traced", append(wrap, strings.Fields(c.record)...), env)
	c.compare(plain, traced)
	fmt.Fprint(c.ts.Stdout(), traced.Stdout)

	i, err := readInfo(archive)
	c.ts.Check(err)
	switch {
	case i.LostCalls != 0:
		c.ts.Fatalf("%d calls are lost", i.LostCalls)
	case i.Complete == c.died:
		c.ts.Fatalf("complete is %v: %q", i.Complete, i.Missing)
	}
	out, err := tabard("verify", archive, raw)
	c.ts.Check(err)
	c.ts.Logf("%s", out)
	c.ts.Check(analyses(archive))
	if c.counts {
		want, err := counted(counts)
		c.ts.Check(err)
		c.compareCounts(want, i)
	}
	c.ts.Check(os.RemoveAll(raw))
}

// start runs the program in a folder of its own, with a copy of the files that
// the script brought along.
func (c *check) start(kind string, wrap, env []string) *mpirun.Result {
	dir := c.ts.MkAbs(c.name + "." + kind)
	c.ts.Check(os.RemoveAll(dir))
	c.ts.Check(os.MkdirAll(dir, 0o777))
	if _, err := os.Stat(c.ts.MkAbs("input")); err == nil {
		c.ts.Check(os.CopyFS(dir, os.DirFS(c.ts.MkAbs("input"))))
	}
	j := &mpirun.Job{MPI: c.mpi, Ranks: c.ranks, Dir: dir, Timeout: c.timeout,
		Env: append(env, "TMPDIR="+dir), Args: slices.Concat(wrap, c.command, c.args)}
	r, err := j.Start()
	c.ts.Check(err)
	if r.TimedOut {
		c.ts.Fatalf("%s run of %s did not end in %v\n%s%s", kind, c.name, c.timeout, r.Stdout, r.Stderr)
	}
	return r
}

// compare demands that nothing differs that the user sees. How a launcher ends
// a dying program differs from run to run, in its exit code and in how much of
// the output it still passes on: it must be what it does without recording, too.
func (c *check) compare(plain, traced *mpirun.Result) {
	same := func() bool {
		return plain.Code == traced.Code && c.visible(plain.Stdout) == c.visible(traced.Stdout)
	}
	for try := 0; c.fails && !same() && try < 5; try++ {
		plain = c.start("plain", nil, nil)
	}
	if plain.Code != traced.Code {
		c.ts.Fatalf("%s: exit code %d, recorded %d\n%s%s", c.name, plain.Code, traced.Code, traced.Stdout,
			traced.Stderr)
	}
	if !c.fails && plain.Code != 0 {
		c.ts.Fatalf("%s fails without recording: exit code %d\n%s%s", c.name, plain.Code, plain.Stdout, plain.Stderr)
	}
	if a, b := c.visible(plain.Stdout), c.visible(traced.Stdout); a != b {
		c.ts.Fatalf("%s: output differs\n--- without recording\n%s--- with\n%s", c.name, a, b)
	}
	if a, b := c.visible(plain.Stderr), c.visible(traced.Stderr); a != b && !c.fails {
		c.ts.Fatalf("%s: error output differs\n--- without recording\n%s--- with\n%s", c.name, a, b)
	}
}

// visible is what of an output is compared: without process ids, and only the
// lines that do not hold times.
func (c *check) visible(s string) string {
	s = processID.ReplaceAllString(s, "$1 N")
	if c.keep == "" {
		return s
	}
	re, err := regexp.Compile("(?m:" + c.keep + ")")
	c.ts.Check(err)
	var kept strings.Builder
	for line := range strings.Lines(s) {
		if re.MatchString(line) {
			kept.WriteString(line)
		}
	}
	if kept.Len() == 0 && s != "" && !strings.HasPrefix(s, " ") {
		c.ts.Logf("no line matches %s", c.keep)
	}
	return kept.String()
}

var processID = regexp.MustCompile(`(PID|process) \d+`)

// compareCounts: a process that dies may do so between the counter and the
// recorder, once.
func (c *check) compareCounts(want map[string]uint64, i *info) {
	differ := compareCounts(want, i.Functions)
	if c.died && len(differ) > 0 {
		var a, b uint64
		for name, n := range want {
			a, b = a+n, b+i.Functions[name]
		}
		if b <= a && a-b <= uint64(c.ranks) {
			return
		}
	}
	if len(differ) > 0 {
		c.ts.Fatalf("%s: calls per function:\n%s", c.name, strings.Join(differ, "\n"))
	}
}
