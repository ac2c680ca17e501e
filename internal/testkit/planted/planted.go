// Package planted knows the programs of testdata/findings, in which faults are planted, and what the first finding of a
// recording of each has to say.
package planted

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/answers"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// Fault is a fault of a program.
type Fault struct {
	// Source is the program's file, Name the argument that plants the fault, Ranks how many ranks it needs; 4 for 0.
	Source, Name string
	Ranks        int
	// MPI is the only one that runs it, empty for all: Debian's mpi4py belongs to Open MPI, and MPICH aborts in
	// MPI_Finalize if windows are left.
	MPI string
	// Hangs says that the program ends by a signal after some seconds.
	Hangs bool
	// Kind is that of the first finding, Process the rank that it names, -1 if it is not about one, -2 if it may be
	// any.
	Kind    string
	Process int
	// Mark is in the comment that ends the line in the source that the finding names, empty for none. Step is the time
	// step, -1 for none, -2 if it may be any.
	Mark string
	Step int
	// Text is a pattern of what else the finding has to say.
	Text string
}

// Any stands for a rank or step that does not matter.
const Any = -2

// Faults are all of them.
var Faults = []Fault{
	{Source: "faults.c", Name: "tag", Hangs: true, Kind: "deadlock", Process: 2, Mark: "tag comm peer", Step: 12,
		Text: `rank 3 waits in MPI_Recv .* for a message from rank 2 with tag 112 on world, but rank 2 sent one with tag 113`},
	{Source: "faults.c", Name: "comm", Hangs: true, Kind: "deadlock", Process: Any, Step: 12,
		Text: `rank [23] waits in MPI_(Recv|Wait) .*tag 112`},
	{Source: "faults.c", Name: "peer", Hangs: true, Kind: "deadlock", Process: 2, Mark: "tag comm peer", Step: 12,
		Text: `rank 3 waits in MPI_Recv .* from rank 2 .*but rank 2 sent one to rank 1`},
	{Source: "faults.c", Name: "circle", Hangs: true, Kind: "deadlock", Process: Any, Mark: "circle", Step: 10,
		Text: `until rank \d receives its message with tag 5 on world; .*; .*; `},
	{Source: "faults.c", Name: "unsafe", Hangs: true, Kind: "deadlock", Process: Any, Mark: "unsafe", Step: Any,
		Text: `Each sends before it receives, .*: this one has [\d,]+ bytes, those before it at most [\d,]+`},
	{Source: "faults.c", Name: "probe", Hangs: true, Kind: "deadlock", Process: 0, Mark: "probe", Step: 10,
		Text: `rank 0 waits in MPI_Probe .* for a message from rank 3 with tag 77`},
	{Source: "faults.c", Name: "missing", Hangs: true, Kind: "hang|deadlock", Process: Any, Step: Any, Text: `rank 1`},
	{Source: "faults.c", Name: "other-root", Hangs: true, Kind: "hang|mismatch", Process: Any,
		Mark: "root other-root", Step: Any,
		Text: `root: rank 0 has 0, rank 2 has 1`},
	{Source: "faults.c", Name: "crash", Kind: "crash", Process: 2, Mark: "missing crash", Step: Any,
		Text: `crashed: killed by signal 11`},
	{Source: "faults.c", Name: "abort", Kind: "crash", Process: 1, Mark: "abort", Step: Any, Text: `MPI_Abort`},
	{Source: "faults.c", Name: "exit", Kind: "crash", Process: 3, Step: Any,
		Text: `exited with status 3 without MPI_Finalize`},
	{Source: "faults.c", Name: "error", Kind: "error", Process: 1, Mark: "error fatal", Step: Any,
		Text: `MPI_ERR_TRUNCATE once, on rank 1`},
	{Source: "faults.c", Name: "fatal", Kind: "mismatch", Process: 1, Mark: "error fatal", Step: Any,
		Text: `rank 1 has room for 32 bytes, and rank 0 sends 64`},
	{Source: "faults.c", Name: "worker", Hangs: true, Kind: "deadlock", Process: Any, Step: Any,
		Text: `rank 2 waits in MPI_Iprobe .* for a message from rank 0 with tag 7 on world, but rank 0 sent one with tag 8`},
	{Source: "faults.c", Name: "leak-step", Kind: "leak", Process: Any, Mark: "comm-leak", Step: 0,
		Text: `40 of 40 communicators`},
	{Source: "faults.c", Name: "comm-leak", Kind: "leak", Process: Any, Mark: "comm-leak", Step: 0,
		Text: `40 of 40 communicators`},
	{Source: "faults.c", Name: "type-leak", Kind: "leak", Process: Any, Mark: "type-leak", Step: 0,
		Text: `40 of 40 datatypes`},
	{Source: "faults.c", Name: "window-leak", MPI: "openmpi", Kind: "leak", Process: Any, Mark: "window-leak",
		Step: Any, Text: `20 of 20 windows`},
	{Source: "faults.c", Name: "request-leak", Kind: "leak", Process: 1, Mark: "request-leak", Step: 0,
		Text: `40 requests are neither completed .* from rank 1 to rank 0 with tag 42`},
	{Source: "faults.c", Name: "persistent-leak", Kind: "leak", Process: Any, Mark: "persistent-leak", Step: 0,
		Text: `40 of 40 persistent requests made in MPI_Send_init .*: call MPI_Request_free`},
	// It is complete at once and shares its handle with others that are waited for.
	{Source: "faults.c", Name: "lost-request", Kind: "leak", Process: 1, Mark: "lost-request", Step: 0,
		Text: `^40 requests are neither completed .* from rank 1 to rank 0 with tag 44`},
	{Source: "faults.c", Name: "unreceived", Kind: "unmatched", Process: 3, Mark: "unreceived", Step: 0,
		Text: `40 messages are never received .* from rank 3 to rank 0 with tag 43`},
	{Source: "faults.c", Name: "slow", Kind: "late rank|load imbalance", Process: 2, Step: Any,
		Text: `Rank 2 .*times the mean`},
	{Source: "faults.c", Name: "later", Kind: "late rank", Process: 2, Step: 15,
		Text: `between MPI_Allreduce at .* times the mean. It is so from time step 15 on .* and was not before`},
	{Source: "faults.c", Name: "spikes", Kind: "late rank", Process: 3, Step: Any,
		Text: `now and then, not always: [234] of 40`},
	{Source: "faults.c", Name: "step", Kind: "slow time step", Process: Any, Step: 25,
		Text: `all processes compute longer`},
	{Source: "faults.c", Name: "slower", Kind: "growth", Process: Any, Mark: "tag comm peer", Step: Any,
		Text: `longer and longer.*most before MPI_Isend at faults.c`},
	{Source: "faults.c", Name: "growth", Kind: "growth", Process: 2, Mark: "tag comm peer", Step: 24,
		Text: `rank 2 sends \S+ times`},
	{Source: "faults.c", Name: "order", Kind: "wrong order", Process: 0, Mark: "order", Step: Any,
		Text: `receive from any source`},
	{Source: "faults.c", Name: "serial", Kind: "serialisation", Process: Any, Step: Any,
		Text: `one after the other: of 4`},
	{Source: "faults.c", Name: "answer", Kind: "serialisation", Process: Any, Step: Any,
		Text: `one after the other: of 4.* in MPI_Recv at .* for what MPI_Send at .* and in MPI_Recv at .* for what`},
	{Source: "faults.c", Name: "receiver", Kind: "late receiver|late rank", Process: Any, Step: Any, Text: `MPI_Recv`},
	{Source: "faults.c", Name: "root", Kind: "late rank", Process: 0, Mark: "root other-root", Step: Any,
		Text: `Rank 0 comes late to MPI_Bcast`},
	{Source: "faults.c", Name: "barrier", Kind: "needless barrier", Process: -1, Mark: "barrier", Step: -1,
		Text: `^Nothing recorded needs MPI_Barrier .*\(1,280 calls\)`},
	{Source: "faults.c", Name: "elements", Kind: "small collectives", Process: -1, Mark: "elements", Step: -1,
		Text: `^MPI_Allreduce .* is called 1000 times in a row, with at most 8 B each .* 160 times in all`},
	{Source: "faults.c", Name: "early-wait", Kind: "no overlap", Process: -1, Mark: "early-wait", Step: -1,
		Text: `waits at once for what was begun right before`},
	{Source: "faults.c", Name: "flood", Kind: "unexpected messages", Process: 1, Mark: "flood", Step: -1,
		Text: `Rank 1 is far ahead of rank 0: .*fewer and larger ones`},
	{Source: "faults.cc", Name: "slow", Kind: "late rank|load imbalance", Process: 1, Step: Any, Text: `Rank 1 com`},
	{Source: "faults.cc", Name: "throw", Kind: "crash", Process: 2, Step: Any, Text: `crashed: killed by signal 6`},
	{Source: "faults.cc", Name: "type-leak", Kind: "leak", Process: Any, Mark: "type-leak", Step: 0,
		Text: `40 of 40 datatypes`},
	{Source: "faults.cc", Name: "missing", Hangs: true, Kind: "hang|mismatch", Process: 3, Step: Any,
		Text: `rank 3 is in MPI_Barrier`},
	{Source: "faults.cc", Name: "early-wait", Kind: "no overlap", Process: -1, Mark: "early-wait", Step: -1,
		Text: `waits at once for what was begun right before`},
	{Source: "faults.f90", Name: "slow", Kind: "late rank|load imbalance", Process: 3, Step: Any, Text: `Rank 3 com`},
	{Source: "faults.f90", Name: "tag", Hangs: true, Kind: "deadlock", Process: 1, Mark: "tag", Step: 10,
		Text: `with tag 8`},
	{Source: "faults.f90", Name: "comm-leak", Kind: "leak", Process: Any, Mark: "comm-leak", Step: 0,
		Text: `40 of 40 communicators`},
	{Source: "faults.f90", Name: "barrier", Kind: "needless barrier", Process: -1, Mark: "barrier", Step: -1,
		Text: `^Nothing recorded needs MPI_Barrier`},
	{Source: "faults.py", MPI: "openmpi", Name: "flood", Kind: "unexpected messages", Process: 1, Mark: "flood",
		Step: -1, Text: `Rank 1 is far ahead of rank 0`},
	{Source: "faults.py", MPI: "openmpi", Name: "slow", Kind: "late rank|load imbalance", Process: 0, Step: Any,
		Text: `Rank 0 com`},
	{Source: "faults.py", MPI: "openmpi", Name: "tag", Hangs: true, Kind: "deadlock", Process: 2, Mark: "tag",
		Step: 9, Text: `with tag 6`},
	{Source: "faults.py", MPI: "openmpi", Name: "comm-leak", Kind: "leak", Process: Any, Mark: "comm-leak", Step: 0,
		Text: `40 of 40 communicators`},
}

// Controls are the programs without a fault.
var Controls = []Fault{{Source: "faults.c", Name: "none"}, {Source: "faults.c", Name: "barrier-mended"},
	{Source: "faults.c", Name: "elements-mended"}, {Source: "faults.c", Name: "answer-mended"},
	{Source: "faults.c", Name: "early-wait-mended"}, {Source: "faults.c", Name: "flood-mended"},
	{Source: "faults.c", Name: "persistent-freed"},
	{Source: "faults.c", Name: "server"}, {Source: "faults.cc", Name: "early-wait-mended"},
	{Source: "faults.f90", Name: "barrier-mended"}, {Source: "faults.py", MPI: "openmpi", Name: "flood-mended"},
	{Source: "faults.cc", Name: "none"},
	{Source: "faults.f90", Name: "none"}, {Source: "faults.py", MPI: "openmpi", Name: "none"}}

// Finding is what matters of a finding of `tabard report --json`.
type Finding struct {
	Kind     string `json:"kind"`
	Severity string `json:"severity"`
	Share    float64
	Process  int    `json:"process"`
	Func     string `json:"func"`
	Site     string `json:"site"`
	Step     int    `json:"step"`
	Text     string `json:"text"`
	Command  []string
}

// Hint says in what the command that is to show more of the finding does not show it, empty for nothing: it has to
// work, and its answer to have the line of the source that the finding names, but for pictures and tables of ranks.
func (n *Finding) Hint(tabard, file string) string {
	out, err := exec.Command(tabard, append(slices.Clone(n.Command), file)...).CombinedOutput()
	line, _, _ := strings.Cut(n.Site, " ")
	switch {
	case err != nil:
		return fmt.Sprintf("tabard %s: %v: %s", strings.Join(n.Command, " "), err, out)
	case line != "" && !bytes.Contains(out, []byte(line)) && n.Command[0] != "timeline" &&
		!slices.Contains(n.Command, "rank"):
		return fmt.Sprintf("tabard %s does not show %s", strings.Join(n.Command, " "), line)
	}
	return ""
}

// Runs tells whether an MPI runs it.
func (f *Fault) Runs(m *mpirun.MPI) bool { return f.MPI == "" || f.MPI == m.Name }

// Folder is where the sources are.
func Folder() string { return filepath.Join(mpirun.Root(), "testdata", "findings") }

// Record runs a program under a tabard in a folder of its own and gives the recording. MPI libraries of programs that
// hang or crash may say what they like.
func (f *Fault) Record(m *mpirun.MPI, tabard, dir string) (string, error) {
	source := filepath.Join(Folder(), f.Source)
	program := []string{"/usr/bin/python3", source}
	if filepath.Ext(source) != ".py" {
		binary := filepath.Join(dir, m.Name+"-"+strings.ReplaceAll(f.Source, ".", "-"))
		if _, err := os.Stat(binary); err != nil {
			if err := m.Build(source, binary); err != nil {
				return "", err
			}
		}
		program = []string{binary}
	}
	file := filepath.Join(dir, fmt.Sprintf("%s-%s-%s.tabard", m.Name, strings.TrimPrefix(filepath.Ext(source), "."),
		f.Name))
	args := append([]string{tabard, "record", "--quiet", "-o", file}, append(program, f.Name)...)
	if f.Hangs {
		args = append(args, "3")
	}
	job := &mpirun.Job{MPI: m, Ranks: max(f.Ranks, 4), Args: args, Dir: dir, Timeout: 2 * time.Minute}
	if _, err := job.Start(); err != nil {
		return "", err
	}
	return file, nil
}

// Findings are those of a recording.
func Findings(tabard, file string) ([]Finding, error) {
	var got struct{ Findings []Finding }
	err := answers.Read(&got, tabard, "report", "--json", file)
	return got.Findings, err
}

// Line is the number of the line that a fault is marked at, 0 for none.
func (f *Fault) Line() (int, error) {
	if f.Mark == "" {
		return 0, nil
	}
	raw, err := os.ReadFile(filepath.Join(Folder(), f.Source))
	if err != nil {
		return 0, err
	}
	comment := regexp.MustCompile(`(/\* |// |! |# )` + regexp.QuoteMeta(f.Mark) + `( \*/)?$`)
	for i, line := range strings.Split(string(raw), "\n") {
		if comment.MatchString(line) {
			return i + 1, nil
		}
	}
	return 0, fmt.Errorf("%s has no line with %q", f.Source, f.Mark)
}

// Check says in what the findings are not what they should be, empty for nothing. The first finding counts.
func (f *Fault) Check(all []Finding) string {
	if len(all) == 0 {
		return "no finding"
	}
	n := all[0]
	line, err := f.Line()
	if err != nil {
		return err.Error()
	}
	var bad []string
	if !slices.Contains(strings.Split(f.Kind, "|"), n.Kind) {
		bad = append(bad, "kind "+n.Kind+" instead of "+f.Kind)
	}
	if n.Severity == "note" {
		bad = append(bad, "only a note")
	}
	if f.Process != Any && n.Process != f.Process {
		bad = append(bad, fmt.Sprintf("rank %d instead of %d", n.Process, f.Process))
	}
	if f.Step != Any && n.Step != f.Step {
		bad = append(bad, fmt.Sprintf("step %d instead of %d", n.Step, f.Step))
	}
	if line > 0 && !strings.HasPrefix(n.Site, f.Source+":"+strconv.Itoa(line)+" ") {
		bad = append(bad, fmt.Sprintf("at %s instead of line %d", n.Site, line))
	}
	if !regexp.MustCompile(f.Text).MatchString(n.Text) {
		bad = append(bad, fmt.Sprintf("it does not say %q", f.Text))
	}
	if len(bad) == 0 {
		return ""
	}
	return strings.Join(bad, ", ") + ": " + n.Text
}
