// Package launch is what `tabard record` does between the MPI launcher and
// the program: it sets up the recording of the job on this node, starts the
// collector if nobody did, and becomes the program by exec: same process,
// same descriptors, same exit code, no wrapper in between.
//
// Whatever goes wrong with the recording, the program is started all the same.
package launch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tabard-hpc/tabard/internal/functions/plan"
	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/render"
)

// stderr is where messages go if no other place is given: names of programs may hold what a terminal obeys.
var stderr io.Writer = render.NewCleaner(os.Stderr)

// Options is what the user asked for.
type Options struct {
	// Command is the program with its arguments.
	Command []string `json:"-"`
	// Output is the archive to write; Explicit says that the user chose its name. With Force it replaces a recording
	// that is there; otherwise the next free name is taken. With Private no other user can read it.
	Output                   string
	Explicit, Force, Private bool
	// Callsites is ring.SitesCaller, ring.SitesOff or ring.SitesStack.
	Callsites uint32
	NoTiming  bool
	// Ranks selects ranks of MPI_COMM_WORLD (collect.ParseRanks), empty all.
	Ranks string
	// Filter holds the ids of functions that are not to be shown.
	Filter []uint16
	// EventsOff are the kinds of events that are not recorded: a bit for each spec.EventKind.
	EventsOff uint32
	// FunctionTimes is ring.TimesOff, ring.TimesEntry or ring.TimesAll.
	FunctionTimes uint32
	// FunctionDepth is how many levels of functions are recorded, 0 for all.
	FunctionDepth uint32
	// In are the regions that recording is limited to, separated by commas; empty: it is not.
	In string
	// Python are the modules whose functions are recorded, separated by commas; empty: all that are not installed.
	Python string
	// Functions says whose calls are recorded, as plan.ParseList reads it; empty none.
	Functions string
	// KeepRaw is a directory for the raw log, empty for none.
	KeepRaw  string
	Quiet    bool
	StartOff bool
	// State is where the state directory goes, empty for the best place.
	State string
	// Collectors is how many collectors record the ranks of a node, 0 one.
	Collectors int
	// CPUs is how many processors a collector uses at most while ranks compute, 0 no limit.
	CPUs float64
	// NoMerge leaves the archives of several collectors apart, as files beside Output.
	NoMerge bool
	// MergeWait is how long ranks wait in MPI_Finalize for the last one, at most, before they go
	// on without uniting archives; 0 for what suits the job.
	MergeWait time.Duration
	// SegmentBytes, SegmentsMax and SpillBytes size the buffers, 0 for the defaults
	// (ring.Config).
	SegmentBytes int64
	SegmentsMax  int
	SpillBytes   int64
	// Settings are noted in the archive.
	Settings map[string]string

	// Tool is the version that the archive names.
	Tool string
	// Runtime is the library to preload.
	Runtime []byte `json:"-"`
	// Stderr takes messages; nil is standard error.
	Stderr io.Writer `json:"-"`
}

// defaultSegments is ring.Config's default for SegmentsMax.
const defaultSegments = 32

// leastCPUs is the least share of a processor that a collector can live on: it has to say that it lives.
const leastCPUs = 0.01

// An OptionError says that the command line cannot be obeyed; nothing was run.
type OptionError struct{ Msg string }

// Error returns the message.
func (e *OptionError) Error() string { return e.Msg }

// launcher is one call of Record, Join or Spawned.
type launcher struct {
	o       *Options
	env     rankEnv
	path    string // of the program
	lib     string // the runtime to preload, empty for none
	dir     string // the state directory, empty for none
	environ []string
	err     io.Writer
	joins   bool   // see Join
	forJobs string // options for jobs that the program starts
	id      ring.ProcessID
}

// Record sets up the recording and becomes the program. It only returns if
// that is impossible: with an *OptionError before anything was done, or
// with the exit code of a shell that cannot run a command (126, 127), after a message.
func Record(o Options) (code int, err error) {
	l := &launcher{o: &o, env: readRankEnv(os.Getenv), environ: os.Environ(), err: o.Stderr}
	if l.err == nil {
		l.err = stderr
	}
	if err := l.checkOptions(); err != nil {
		return 2, err
	}
	if l.path, code, err = findProgram(o.Command[0]); err != nil {
		if Speaks() {
			fmt.Fprintf(l.err, "tabard: %v\n", err)
		}
		return code, nil
	}
	if err := l.setUp(); err != nil {
		l.tell("recording is off, %s runs without it: %v", o.Command[0], err)
	}
	return l.exec(), nil
}

func (l *launcher) checkOptions() error {
	o := l.o
	if len(o.Command) == 0 {
		return &OptionError{"the program to run is missing"}
	}
	if o.Output == "" {
		return &OptionError{"the output is missing"}
	}
	if o.Collectors < 0 || o.Collectors > maxCollectors {
		return &OptionError{fmt.Sprintf("%d collectors: at least 1 and at most %d", o.Collectors, maxCollectors)}
	}
	if o.CPUs < 0 || o.CPUs > 0 && o.CPUs < leastCPUs || !(o.CPUs <= maxCollectors) {
		return &OptionError{fmt.Sprintf("%v processors for the collector: at least %v, as in --collector-cpus=0.5",
			o.CPUs, leastCPUs)}
	}
	if err := l.checkOutput(); err != nil {
		return &OptionError{err.Error()}
	}
	if _, err := plan.ParseList(o.Functions); err != nil {
		return &OptionError{err.Error()}
	}
	selected, err := collect.ParseRanks(o.Ranks)
	if err != nil {
		return &OptionError{err.Error()}
	}
	if selected != nil && l.env.size > 0 && !anySelected(selected, l.env.size) {
		return &OptionError{fmt.Sprintf("ranks %s: the program has ranks 0 to %d", o.Ranks, l.env.size-1)}
	}
	return nil
}

func anySelected(selected func(int) bool, size int) bool {
	for r := range size {
		if selected(r) {
			return true
		}
	}
	return false
}

// tell prints a message, once for a job.
func (l *launcher) tell(format string, args ...any) {
	if l.env.rank <= 0 {
		fmt.Fprintf(l.err, "tabard: "+format+"\n", args...)
	}
}

// setUp prepares the recording of this process and sets its environment. An error means
// that the program has to run untraced.
func (l *launcher) setUp() error {
	o := l.o
	output, err := collect.CanonicalOutput(o.Output)
	if err != nil {
		return fmt.Errorf("%s: %w (give an absolute path with -o)", o.Output, err)
	}
	if err := CheckObject("runtime library", o.Runtime); err != nil {
		return err
	}
	l.forJobs = o.forJobs(output)
	reason := l.untraceable()
	if reason != "" && reason != collect.ReasonNotSelected {
		l.tell("%s %s: it runs, but its MPI calls cannot be recorded", o.Command[0], reason)
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	for try := 0; ; try++ {
		dir, err := l.state(output, try)
		if err != nil {
			return err
		}
		if reason == "" {
			if l.lib, err = extract(dir, o.Runtime); err != nil {
				collect.Abandon(output, dir)
				return err
			}
		}
		err = collect.Register(dir, l.registration(reason, false))
		if errors.Is(err, collect.ErrEnded) && try < 5 {
			// The job before us with the same name is being wound up.
			time.Sleep(20 * time.Millisecond)
			continue
		}
		if err != nil {
			return err
		}
		l.attach(output, dir, exe)
		return nil
	}
}

// attach makes sure that dir has a collector and prepares the environment.
func (l *launcher) attach(output, dir, exe string) {
	if l.lib != "" {
		planned := l.planFunctions(dir)
		l.dir = dir
		l.environ = preloadEnv(l.environ, l.lib, dir, collect.SpillOf(output, dir), exe)
		l.environ = regionEnv(l.environ, l.lib, l.o)
		l.environ = cudaEnv(l.environ, l.lib, l.o.EventsOff)
		l.environ = pythonEnv(l.environ, l.o.Python, l.o.EventsOff)
		if planned != "" {
			l.environ = append(l.environ, planVariable+"="+planned)
		}
		l.environ = append(slicesWithout(l.environ, signatureVariable+"="), signatureVariable+"="+signature(os.Getenv))
		l.environ = slicesWithout(l.environ, launchedVariable+"=")
		if l.env.rank >= 0 {
			l.environ = append(l.environ, launchedVariable+"="+l.id.String())
		}
		if l.forJobs != "" {
			l.environ = append(slicesWithout(l.environ, optionsVariable+"="), optionsVariable+"="+l.forJobs)
		}
	}
	if err := startCollector(exe, dir); err != nil {
		// What the runtime writes will be there for `tabard recover`.
		l.tell("the collector could not be started: %v; run `tabard recover %s` afterwards", err,
			render.ShellWord(l.o.Output))
	}
}

// untraceable says why this process is not traced, empty if it is.
func (l *launcher) untraceable() string {
	selected, _ := collect.ParseRanks(l.o.Ranks)
	if selected != nil && l.env.rank >= 0 && !selected(l.env.rank) {
		return collect.ReasonNotSelected
	}
	if becomesAnother(l.path, l.o.Command) {
		return ""
	}
	return obstacle(l.path)
}

func (l *launcher) registration(reason string, spawned bool) *collect.Registration {
	r := &collect.Registration{
		ProcessID: ring.ProcessID{PID: os.Getpid()}, Rank: l.env.rank, Size: l.env.size, LocalSize: l.env.localSize,
		World:   l.env.world,
		Spawned: spawned, Traced: reason == "", Reason: reason, Command: l.o.Command, Time: time.Now(),
	}
	if st, err := collect.ReadProcStat(r.PID); err == nil {
		r.Start = st.Start
	}
	l.id = r.ProcessID
	return r
}

func (l *launcher) job(output string) *collect.Job {
	o := l.o
	j := &collect.Job{
		Output: output, Shown: o.Output, Command: o.Command, Options: o.Settings, Created: time.Now(), Tool: o.Tool,
		SegmentsMax: o.SegmentsMax, LocalRanks: l.share().ranks, Ranks: o.Ranks, Quiet: o.Quiet, Private: o.Private,
		OfScript: l.joins, CPUs: o.CPUs,
	}
	if j.SegmentsMax == 0 {
		j.SegmentsMax = defaultSegments
	}
	j.Host, _ = os.Hostname()
	j.Launcher.PID, j.Launcher.Start = l.env.launcher()
	l.shareJob(j)
	l.takePlace(j)
	if o.KeepRaw != "" {
		j.KeepRaw, _ = filepath.Abs(o.KeepRaw)
	}
	return j
}

// preloadEnv adds lib to LD_PRELOAD, keeps the user's own entries, and tells the runtime where its
// state is. lib comes first, but behind tools of the profiling interface. Calls that went to lib
// first would pass these tools by. What they pass on to MPI comes to lib.
func preloadEnv(env []string, lib, dir, spill, exe string) []string {
	var tools, others, kept []string
	asan := linkOrder
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		switch name {
		case asanOptions:
			if asan = value; !strings.Contains(value, "verify_asan_link_order") {
				asan = strings.TrimPrefix(value+":"+linkOrder, ":")
			}
		case "LD_PRELOAD":
			for _, e := range strings.FieldsFunc(value, func(r rune) bool { return r == ':' || r == ' ' }) {
				// A tabard around us would record everything twice.
				switch base := filepath.Base(e); {
				case base == collect.LibraryFile || strings.HasPrefix(base, "libtabard-"):
				case isTool(e):
					tools = append(tools, e)
				default:
					others = append(others, e)
				}
			}
		case "TABARD_DIR", "TABARD_SPILL", "TABARD_EXE", planVariable:
		default:
			kept = append(kept, kv)
		}
	}
	preload := strings.Join(slices.Concat(tools, []string{lib}, others), ":")
	if spill != "" {
		kept = append(kept, "TABARD_SPILL="+spill)
	}
	return append(kept, "LD_PRELOAD="+preload, asanOptions+"="+asan, "TABARD_DIR="+dir, "TABARD_EXE="+exe)
}

// Programs built with the address sanitizer of GCC refuse to run if anything is loaded before its
// library. Whether the program, or one that it starts, is such a program cannot be told before.
const (
	asanOptions = "ASAN_OPTIONS"
	linkOrder   = "verify_asan_link_order=0"
)

// exec becomes the program; it returns a shell's exit code if that fails.
func (l *launcher) exec() int {
	argv := l.o.Command
	ignoreInherited()
	err := syscall.Exec(l.path, argv, l.environ)
	if errors.Is(err, syscall.ENOEXEC) {
		// A script without a first line that names its interpreter.
		err = syscall.Exec("/bin/sh", append([]string{"sh", l.path}, argv[1:]...), l.environ)
	}
	fmt.Fprintf(l.err, "tabard: %s: %s\n", argv[0], sentence(err))
	if l.dir != "" && l.env.size <= 1 {
		collect.Hush(l.dir)
	}
	if errors.Is(err, syscall.ENOENT) {
		return 127
	}
	return 126
}

// Spawned becomes the program of a child of MPI_Comm_spawn: args are the state
// directory, "--", the program and its arguments; runtime is the library to preload. It only returns if that is
// impossible.
func Spawned(args []string, runtime []byte) int {
	if len(args) < 3 || args[1] != "--" {
		fmt.Fprintln(stderr, "tabard: __spawned is for internal use: DIR -- PROGRAM [ARGS...]")
		return 2
	}
	o := Options{Command: args[2:], Output: "the output", Runtime: runtime}
	l := &launcher{o: &o, env: readRankEnv(os.Getenv), environ: os.Environ(), err: stderr}
	var code int
	var err error
	if l.path, code, err = findProgram(o.Command[0]); err != nil {
		fmt.Fprintf(l.err, "tabard: %v\n", err)
		return code
	}
	if err := l.join(args[0]); err != nil {
		l.tell("spawned %s runs without being recorded: %v", o.Command[0], err)
	}
	return l.exec()
}

// join adds a spawned process to the job in dir.
func (l *launcher) join(dir string) error {
	job, err := collect.ReadJob(dir)
	if err != nil {
		return err
	}
	l.o.Output = job.Output
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	reason := obstacle(l.path)
	if reason == "" {
		if l.lib, err = extract(dir, l.o.Runtime); err != nil {
			return err
		}
	}
	if err := collect.Register(dir, l.registration(reason, true)); err != nil {
		return err
	}
	l.attach(job.Output, dir, exe)
	return nil
}
