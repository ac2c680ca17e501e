package cli

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/render"
)

// run executes a command line without a terminal.
func run(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = Run(args, &out, &err)
	return code, out.String(), err.String()
}

func TestUsageErrors(t *testing.T) {
	for _, c := range []struct {
		args string
		want string // in the message
	}{
		{"recrod ./app", "did you mean 'record'"},
		{"rec", "did you mean 'record' or 'recover'"},
		{"nonsense", `unknown command "nonsense"`},
		{"app.tabard", "did you mean 'tabard info app.tabard'?"},
		{"./app", "did you mean 'tabard record ./app'?"},
		{"--vresion", "unknown flag --vresion"},
		{"record", "the program to run is missing"},
		{"record --outptu x ./app", "unknown flag --outptu; did you mean --output?"},
		{"record --output", "flag needs an argument: --output"},
		{"record --callsites=stak ./app", "did you mean stack?"},
		{"record --timing=lossles ./app", "did you mean lossless?"},
		{"record --timing=lossy:2 ./app", "1%"},
		{"record --timing=zfp:10% ./app", "is a time"},
		{"merge a b --timing=cfg", "the error is missing"},
		{"record --ranks=3-1 ./app", "3-1"},
		{"record --ranks= ./app", "the list is empty"},
		{"record --only MPI_Sned ./app", "did you mean MPI_Send"},
		{"record --except colective ./app", "did you mean collective"},
		{"record --only MPI_Z* ./app", `pattern "MPI_Z*" matches no function`},
		{"record --start=maybe ./app", "want one of on, off"},
		{"record --depth=3 ./app", "add --functions"},
		{"record --functions --depth=200000 ./app", "leave it out for all"},
		{"record mpirun -n 4 ./app", "mpirun -n 4 tabard record ./app"},
		{"record mpiexec.mpich ./app", "goes in front"},
		{"record -x ./app", "unknown flag -x"},
		{"info", "FILE is missing"},
		{"info a b", `unexpected argument "b"`},
		{"info --top=-1 a", "--top -1 is negative"},
		{"info --rank 1 a", "it belongs to 'tabard "},
		{"dump --limit x a", "--limit"},
		{"dump --limit=-3 a", "--limit -3 is negative"},
		{"dump --last 1 --from 2 a", "--last does not go with"},
		{"dump --raw --json a", "it does not go with --json"},
		{"dump --rank a b", "neither a rank nor a range"},
		{"verify app.tabard", "RAWDIR is missing"},
		{"completion", "SHELL is missing"},
		{"completion bsh", "did you mean bash?"},
		{"doctor x y", `unexpected argument "y"`},
		{"man recrod", "did you mean 'record'"},
		{"help recrod", "did you mean 'record'"},
	} {
		code, stdout, stderr := run(strings.Fields(c.args)...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, c.want) ||
			!strings.Contains(stderr, "--help' for usage") {
			t.Errorf("tabard %s: code %d, stdout %q, stderr %q, want code 2 and %q", c.args, code, stdout, stderr,
				c.want)
		}
	}
}

func TestFailures(t *testing.T) {
	missing := t.TempDir() + "/none.tabard"
	for _, args := range [][]string{{"info", missing}, {"dump", missing}, {"recover", missing},
		{"verify", missing, t.TempDir()}} {
		code, stdout, stderr := run(args...)
		if code != exitFailure || stdout != "" || !strings.Contains(stderr, missing) {
			t.Errorf("tabard %v: code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}

func TestBareCommandHelps(t *testing.T) {
	code, stdout, stderr := run()
	if code != exitOK || stderr != "" || !strings.Contains(stdout, "mpirun -n 4 tabard record ./app") {
		t.Errorf("code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if n := strings.Count(stdout, "\n"); n > 20 {
		t.Errorf("%d lines are not short", n)
	}
}

// Every command explains itself with examples, and every example is a command
// line that its own parser accepts.
func TestHelpHasWorkingExamples(t *testing.T) {
	for _, c := range visible(newRoot(&app{})) {
		name := c.Name()
		if name == "tabard" {
			continue
		}
		code, stdout, stderr := run(name, "--help")
		if code != exitOK || stderr != "" || !strings.Contains(stdout, "Examples:") || c.Short == "" {
			t.Errorf("tabard %s --help: code %d, stderr %q\n%s", name, code, stderr, stdout)
		}
		if _, page, _ := run("help", name); page != stdout {
			t.Errorf("tabard help %s differs from tabard %s --help", name, name)
		}
		checkExamples(t, c.Example)
	}
}

// quoted is a word of a shell that may have blanks.
var quoted = regexp.MustCompile(`'[^']*'`)

// checkExamples parses every `tabard ...` in a text of command lines.
func checkExamples(t *testing.T, text string) {
	t.Helper()
	for _, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, " #")
		i := strings.Index(line, "tabard ")
		if i < 0 {
			continue
		}
		line = line[i+len("tabard "):]
		for _, end := range []string{"|", ">", ")", "&&", ";"} {
			line, _, _ = strings.Cut(line, end)
		}
		if err := parse(strings.Fields(quoted.ReplaceAllString(line, "word"))); err != nil {
			t.Errorf("example 'tabard %s': %v", line, err)
		}
	}
}

// parse does all of a command but running it.
func parse(args []string) error {
	root := newRoot(&app{})
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return flagError(cmd, err)
	}
	if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
		return err
	}
	return nil
}

// Where nobody watches, a wait is announced only if it lasts.
func TestNotice(t *testing.T) {
	var out bytes.Buffer
	short := (&app{err: render.NewCleaner(&out)}).notice()
	fmt.Fprint(short, "waiting")
	short.stop()
	if out.Len() != 0 {
		t.Errorf("a short wait was announced: %q", out.String())
	}
	long := (&app{err: render.NewCleaner(&out)}).notice()
	fmt.Fprint(long, "waiting")
	long.release() // what its timer does
	fmt.Fprint(long, " still")
	long.stop()
	if out.String() != "waiting still" {
		t.Errorf("a long wait: %q", out.String())
	}
	out.Reset()
	terminal := (&app{err: render.NewCleaner(&out), tty: true}).notice()
	fmt.Fprint(terminal, "waiting")
	terminal.stop()
	if out.String() != "waiting" {
		t.Errorf("on a terminal: %q", out.String())
	}
}
