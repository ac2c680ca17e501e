package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/analysis/functions"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/capture"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/launch"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/spec"
)

// recordFlags are the flags of `tabard record`.
type recordFlags struct {
	output       string
	callsites    *choice
	timing       *timingFlag
	ranks        rankList
	only, except functionList
	in           regionList
	events       eventList
	payload      *choice
	python       string
	functions    string
	depth        uint32 // of functions
	keepRaw      string
	start        *choice
	times        *choice // of function calls
	quiet        bool
	force        bool
	private      bool
	state        string
	collectors   int
	cpus         float64 // of a collector
	merge        *choice
	mergeWait    time.Duration
}

const recordLong = `Run PROGRAM, record every MPI call that it makes, and write one file when the
last rank has ended. Put it between the launcher and the program:

  mpirun -n 4 tabard record ./app args

The program is not changed, and behaves as without tabard: same output, same
exit code, same signals. If it is killed, all completed calls are kept, and the
call that each rank was in.

A recording never replaces another one: where there is app.tabard, the next one
is app-2.tabard, and the line at the end says so. --force replaces it. Files that
are not recordings are never replaced. If the recording cannot be written, the
program is not started.

The flags of tabard end at PROGRAM: everything after it is passed to the program. Every
flag can also be given as an environment variable: TABARD_OUTPUT for --output,
TABARD_KEEP_RAW for --keep-raw, and so on; the flag wins.

Tracing can be switched within the program: MPI_Pcontrol(0) switches it off,
MPI_Pcontrol(1) on; so does MPI_Info_set with the key TABARD_TRACING and the
value "off" or "on". --start=off begins with tracing off. --in REGION,... records
only as long as a thread of the process is in one of these regions, which the program
names itself (docs/regions.md): step/exchange is exchange inside step, and * in a name
stands for anything. Objects that are made outside are known all the same.

--timing=MODE says how the begin and end of every call are kept:

  lossy:ERROR  durations and the times between calls are at most ERROR off: 1%%
               (relative), 100ns, or 1%%,1us (both hold). So are begins of calls, if
               ERROR has a time. Some functions may have others:
               lossy:1%%,1us;MPI_Wait*=100ns
  lossless     exactly, in ticks of the clock
  aggregate    no single calls: count, sum, minimum, maximum and a distribution for
               each function and call site, and of the times between calls
  off          nothing; the clock is not even read

For comparison, there are the methods of other tools: cfg:10%%, hist:10%%,k=3,m=100,
sz:10%%, sz-clustered:10%%, zfp:10us, zfp-clustered:10us. "tabard merge
--timing=MODE" makes any mode of a lossless recording.

--events takes kinds of events, separated by commas. Kinds that are not listed are not recorded:

%s

--payload records hashes of what messages carry, with which "tabard collectives"
proves that sends and receives form a collective.

--functions=LIST records every call of functions of the program as it is: nothing is
compiled again. LIST has, separated by commas, main (all functions of the program), all
(those of all libraries, too), mpi-callers (what may lead to an MPI call, also in libraries
that use MPI), libraries (libfftw3.so*), functions (solve_*), and what is left out, with a
minus: main,-std::*. Inlined functions cannot be recorded. "tabard plan" shows what can.
--depth=N leaves out functions that are in N others that are recorded; calls of MPI in them
are recorded all the same.

--only and --except take names of functions (MPI_Send or send), patterns
(MPI_I*, *_c) and groups:

%s`

var _ = command(10, recordCommand)

func recordCommand(a *app) *cobra.Command { return new(recordFlags).command(a) }

func (f *recordFlags) command(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "record [flags] PROGRAM [ARGS...]",
		Short: "Run a program and record its MPI calls",
		Long:  fmt.Sprintf(recordLong, eventHelp(), groupHelp()),
		Example: `  mpirun -n 4 tabard record ./app input.dat
  mpirun -n 64 tabard record -o run1.tabard --ranks 0-7 ./app
  mpirun -n 4 tabard record --only pt2pt,completion --callsites=stack ./app
  mpirun -n 4 tabard record --start=off ./app     # until MPI_Pcontrol(1)
  mpirun -n 4 tabard record --in solve ./app      # regions: docs/regions.md
  mpirun -n 4 tabard record --timing=lossless ./app
  TABARD_TIMING=off mpirun -n 4 tabard record ./app`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("the program to run is missing; use: mpirun -n 4 tabard record ./app")
			}
			return nil
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(
		&f.output,
		"output",
		"o",
		"",
		"write the archive to `FILE`, or to FILE-2 and so on where there is a\nrecording (default: the program's name with .tabard)",
	)
	f.callsites = addChoice(cmd, "callsites",
		"what to record of where a call is made:\nthe place and its caller (further out through wrappers\n"+
			"and what is called from several places), nothing, or\nthe whole call stack", "caller", "off",
		"stack")
	f.timing = addTiming(cmd)
	fl.Var(&f.ranks, "ranks", "record these ranks only, e.g. 0,4-7,8-63:8 (default: all)")
	fl.Var(&f.in, "in", "record calls in these regions only, and in what is called there")
	fl.Var(&f.only, "only", "record these functions only")
	fl.Var(&f.except, "except", "do not record these functions")
	f.events.kinds = defaultEvents()
	fl.Var(&f.events, "events", "record these kinds of events")
	must(cmd.RegisterFlagCompletionFunc("events", fixed(eventNames()...)))
	f.times = addChoice(cmd, "function-times", "which times calls of functions get", "off", "entry", "all")
	f.payload = addChoice(cmd, "payload",
		"record a hash of what each message carries, or some of its elements, too:\nfor tabard collectives", "off",
		"hashes",
		"samples")
	fl.Lookup("payload").NoOptDefVal = "hashes"
	fl.StringVar(
		&f.python,
		"python",
		"",
		"record functions of these Python `MODULES` and of those inside them, * for all\n(default with --events=python: all that are not installed)",
	)
	fl.StringVar(&f.functions, "functions", "",
		"also record the calls of these functions: main (all of the program), mpi-callers, all,\nor a `LIST` (see above)")
	fl.Lookup("functions").NoOptDefVal = "main"
	must(cmd.RegisterFlagCompletionFunc("functions", fixed("main", "mpi-callers", "all")))
	fl.Uint32Var(&f.depth, "depth", 0, "of functions, record `N` levels only (default: all)")
	f.start = addChoice(cmd, "start", "begin with tracing on or off", "on", "off")
	fl.BoolVar(&f.force, "force", false, "replace a recording that is there")
	fl.BoolVar(&f.private, "private", false, "no other user can read the recording (mode 0600)")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "print no summary at the end")
	fl.StringVar(&f.keepRaw, "keep-raw", "",
		"also keep the uncompressed records in `DIR`, for tabard verify;\nthey take some 100 bytes a call")
	fl.StringVar(&f.state, "state", "", "keep the state of the recording in `DIR` (default: /dev/shm, else TMPDIR)")
	fl.IntVar(&f.collectors, "collectors", 1, "split the ranks of a node over `N` collectors")
	fl.Float64Var(&f.cpus, "collector-cpus", 0,
		"a collector uses at most `N` processors while ranks compute, e.g. 0.5; what it\ncannot take in goes to files until then (default: no limit)")
	f.merge = addChoice(cmd, "merge",
		"how the archives of several nodes become one file: inside MPI_Finalize,\n"+
			"or when the file is read: files for each node lie beside it until then", "finalize", "read")
	fl.DurationVar(&f.mergeWait, "merge-wait", 0,
		"wait in MPI_Finalize for the last rank, at most `TIME` (e.g. 30s), before the\n"+
			"files of nodes are left apart (default: 1m, or 20s if some ranks may run without tabard)")
	fl.SetInterspersed(false)
	for _, name := range []string{"keep-raw", "state"} {
		must(cmd.MarkFlagDirname(name))
	}
	for _, name := range []string{"only", "except"} {
		must(cmd.RegisterFlagCompletionFunc(name, completeFunctions))
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := applyEnv(cmd.Flags(), getenv); err != nil {
			return err
		}
		if err := rejectLauncher(args); err != nil {
			return err
		}
		return f.run(a, args)
	}
	return cmd
}

// rejectLauncher catches a command in the wrong order: a recording of the launcher would have no
// rank in it.
func rejectLauncher(args []string) error {
	switch name := filepath.Base(args[0]); strings.TrimSuffix(strings.TrimSuffix(name, ".openmpi"), ".mpich") {
	case "mpirun", "mpiexec", "mpiexec.hydra", "orterun", "prterun", "srun", "aprun", "jsrun":
		return usagef("%s starts the ranks, so it goes in front: %s -n 4 tabard record ./app", name, name)
	}
	return nil
}

// defaultOutput names the archive after the program, or after the script that
// an interpreter runs.
func defaultOutput(args []string) string {
	name := filepath.Base(args[0])
	if isInterpreter(name) {
		if script := scriptOf(args[1:]); script != "" {
			name = strings.TrimSuffix(filepath.Base(script), filepath.Ext(script))
		}
	}
	return name + ".tabard"
}

func isInterpreter(name string) bool {
	name = strings.TrimRight(name, "0123456789.")
	return slices.Contains([]string{"python", "julia", "perl", "ruby", "Rscript", "sh", "bash"}, name)
}

// scriptOf finds the script among an interpreter's arguments; "" for code
// that is given on the command line.
func scriptOf(args []string) string {
	for i, arg := range args {
		switch {
		case arg == "-m" && i+1 < len(args):
			// The module that is run, or, as in `python -m mpi4py prog.py`, runs another.
			if s := scriptOf(args[i+2:]); s != "" {
				return s
			}
			return args[i+1]
		case arg == "-c" || arg == "-e" || arg == "-":
			return ""
		case !strings.HasPrefix(arg, "-"):
			return arg
		}
	}
	return ""
}

func completeFunctions(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	done := ""
	if i := strings.LastIndexByte(typed, ','); i >= 0 {
		done = typed[:i+1]
	}
	var names []string
	for _, g := range selection.Groups() {
		names = append(names, done+g.Name)
	}
	for _, f := range selection.Recordable() {
		names = append(names, done+f.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// run becomes the program. It returns only if that is impossible.
func (f *recordFlags) run(a *app, args []string) error {
	output := f.output
	if output == "" {
		output = defaultOutput(args)
	}
	f.events.kinds |= payloadKinds(f.payload.value)
	if err := f.choosePython(); err != nil {
		return err
	}
	if k, ok := spec.EventsNamed("functions"); ok && f.functions != "" {
		f.events.kinds |= 1 << k
	}
	if err := f.checkDepth(); err != nil {
		return err
	}
	var filter []uint16
	for _, id := range filteredOut(&f.only, &f.except, &f.events) {
		filter = append(filter, uint16(id))
	}
	code, err := launch.Record(launch.Options{
		Command: args, Output: output, Explicit: f.output != "", Force: f.force, Private: f.private,
		Callsites: callsiteModes[f.callsites.value], NoTiming: f.timing.value == "off",
		Ranks: f.ranks.text, Filter: filter, EventsOff: f.events.off(), In: f.in.text,
		FunctionTimes: functionTimes[f.times.value], FunctionDepth: f.depth, Functions: f.functions, Python: f.python,
		KeepRaw: f.keepRaw, Quiet: f.quiet,
		StartOff: f.start.value == "off",
		State:    f.state, Collectors: f.collectors, CPUs: f.cpus, NoMerge: f.merge.value == "read",
		MergeWait: f.mergeWait,
		Settings:  f.settings(), Tool: report.NewVersion().String(), Runtime: capture.Runtime(), Stderr: a.err,
	})
	var option *launch.OptionError
	if errors.As(err, &option) {
		return usagef("%s", option.Msg)
	}
	if err != nil {
		return err
	}
	return exitCode(code)
}

// payloadKinds are the kinds of events that --payload asks for.
func payloadKinds(mode string) (kinds uint32) {
	for _, name := range map[string][]string{"hashes": {"payload"}, "samples": {"payload", "samples"}}[mode] {
		k, _ := spec.EventsNamed(name)
		kinds |= 1 << k
	}
	return kinds
}

var callsiteModes = map[string]uint32{"caller": ring.SitesCaller, "off": ring.SitesOff, "stack": ring.SitesStack}

var functionTimes = map[string]uint32{"off": ring.TimesOff, "entry": ring.TimesEntry, "all": ring.TimesAll}

// modulePattern is a list of modules of Python.
var modulePattern = regexp.MustCompile(`^(\*|[\pL_][\pL\pN_.]*)(,(\*|[\pL_][\pL\pN_.]*))*$`)

// maxModules is what the runtime has room for.
const maxModules = 4000

// choosePython has functions of Python recorded if modules are named.
func (f *recordFlags) choosePython() error {
	if f.python == "" {
		return nil
	}
	f.python = strings.ReplaceAll(f.python, " ", "")
	if len(f.python) > maxModules || !modulePattern.MatchString(f.python) {
		return usagef("--python takes names of modules, separated by commas, or *, not %q", f.python)
	}
	python, _ := spec.EventsNamed("python")
	f.events.kinds |= 1 << python
	return nil
}

// maxDepth is what --depth may be; the runtime has room for twice as many open calls.
const maxDepth = 1 << 17

func (f *recordFlags) checkDepth() error {
	if f.depth == 0 {
		return nil
	}
	if f.depth > maxDepth {
		return usagef("--depth %d: at most %d levels can be told apart; leave it out for all", f.depth, maxDepth)
	}
	if k, ok := spec.EventsNamed("functions"); ok && f.events.kinds>>k&1 == 0 {
		return usagef("--depth says how many levels of functions are recorded: add --functions")
	}
	return nil
}

// settings are the options that the archive notes.
func (f *recordFlags) settings() map[string]string {
	s := map[string]string{"callsites": f.callsites.value, "timing": f.timing.value, "start": f.start.value}
	for name, v := range map[string]string{"ranks": f.ranks.text, "only": f.only.text, "except": f.except.text,
		archive.OptionIn: f.in.text, "python": f.python, "functions": f.functions} {
		if v != "" {
			s[name] = v
		}
	}
	if f.times.value != "off" {
		s[functions.OptionTimes] = f.times.value
	}
	if f.depth > 0 {
		s[functions.OptionDepth] = strconv.FormatUint(uint64(f.depth), 10)
	}
	if f.events.kinds != defaultEvents() {
		s["events"] = f.events.String()
	}
	return s
}
