package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tabard/internal/timing"
	"tabard/spec"
	"tabard/trace"
)

// runInfo is the schema of `tabard info --json`.
type runInfo struct {
	Schema  string   `json:"schema"`
	File    string   `json:"file"`
	Command []string `json:"command"`
	Created string   `json:"created,omitempty"`
	Tool    string   `json:"tool,omitempty"`
	MPI     string   `json:"mpi"`
	ABI     string   `json:"abi"`
	// Ranks counts the processes with calls or a rank, Threads the streams of calls.
	Ranks   int      `json:"ranks"`
	Threads int      `json:"threads"`
	Hosts   []string `json:"hosts"`
	// Clocks are those of the hosts, if they were measured.
	Clocks []clockInfo `json:"clocks,omitempty"`
	Calls  uint64      `json:"calls"`
	// Functions are the calls by name, Polls the unsuccessful polls among them.
	Functions map[string]uint64 `json:"functions"`
	Polls     uint64            `json:"polls"`
	Failed    uint64            `json:"failed_calls"`
	Open      uint64            `json:"unfinished_calls"`

	Complete bool `json:"complete"`
	// Partial recordings leave out calls on purpose: filters, tracing switched off.
	Partial   bool     `json:"partial"`
	Missing   []string `json:"missing,omitempty"`
	LostCalls uint64   `json:"lost_calls"`

	Bytes   byteCounts    `json:"bytes"`
	Timing  *timingInfo   `json:"timing,omitempty"`
	Grammar grammarCounts `json:"grammar"`
	// Memory is the largest resident size of a collector in bytes, 0 unknown.
	Memory  int64             `json:"collector_peak_bytes"`
	Options map[string]string `json:"options,omitempty"`
	Skipped []string          `json:"unknown_sections,omitempty"`
}

// byteCounts is the size of the parts of the file.
type byteCounts struct {
	File      int64 `json:"file"`
	Structure int64 `json:"structure"`
	Columns   int64 `json:"columns"`
	Timing    int64 `json:"timing"`
	Meta      int64 `json:"meta"`
	Index     int64 `json:"index"`
	Other     int64 `json:"other"`
}

// grammarCounts is the size of the grammars, those of a class as one; equal ones count
// once. Signatures are those that differ in more than values.
type grammarCounts struct {
	Classes    int    `json:"classes"`
	Distinct   int    `json:"distinct"`
	Rules      int    `json:"rules"`
	Symbols    int    `json:"symbols"`
	Events     uint64 `json:"events"`
	Signatures int    `json:"signatures"`
}

func infoCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "info FILE",
		Short: "Show what a recording holds",
		Long: `Show what ran, how many calls of which functions it made, whether the recording
is complete and if not why, and what the bytes of the file hold. It reads the
compressed structure only: the time it takes does not depend on the number of
calls.

Of a job on several hosts it says how far their clocks were apart. That is
measured inside MPI_Finalize; times are corrected by it, at that time to within
the error stated. The drift before that shows in the messages.

With --comms it shows the communicators instead: which ranks are in which, in
their order, what each was made from and where, topologies and names. That is
worked out from the recorded calls; what they do not settle is said.

With --cost it shows what the bytes of the file are for: signatures by
function, values and columns by parameter, grammars, rank sets and tables. Sections
are compressed as a whole, so that the stored size of a row is its share of the
section, an estimate.`,
		Example: `  tabard info app.tabard
  tabard info app.tabard --top 50
  tabard info app.tabard --comms
  tabard info app.tabard --cost --top 20
  tabard info app.tabard --json`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	showComms := cmd.Flags().Bool("comms", false, "show the communicators: members, origins, topologies, names")
	showCost := cmd.Flags().Bool("cost", false, "show what the bytes of the file are for")
	top := cmd.Flags().Int("top", 10, "list the `N` functions with most calls, or the N dearest things")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if *top < 0 {
			return usagef("--top %d is negative", *top)
		}
		archive, err := a.open(args[0])
		if err != nil {
			return err
		}
		defer archive.Close()
		if *showComms && *showCost {
			return usagef("--comms and --cost do not go together")
		}
		if *showCost {
			return a.cost(archive, *top, *asJSON)
		}
		if *showComms {
			return a.showComms(archive, *asJSON)
		}
		info, err := collectInfo(archive)
		if err != nil {
			return err
		}
		if *asJSON {
			return a.printJSON(info)
		}
		return info.print(a.out, *top)
	}
	return cmd
}

// memoryOption is the option of an archive in which the collector leaves its
// peak memory in bytes.
const memoryOption = "collector_peak_bytes"

func collectInfo(a *trace.Archive) (*runInfo, error) {
	m, st := a.Meta(), a.Stats()
	info := &runInfo{
		Schema: "tabard.info/1", File: a.File(), Command: m.Command, Tool: m.Tool, MPI: m.MPI, ABI: m.ABI.String(),
		Functions: map[string]uint64{}, Complete: true, Partial: a.Meta().Partial,
		Options: m.Options, Skipped: a.Skipped(),
		Bytes: bytesOf(&st), Timing: timingOf(a),
	}
	if n, err := strconv.ParseInt(m.Options[memoryOption], 10, 64); err == nil {
		info.Memory = n
	}
	if info.Command == nil {
		info.Command = []string{}
	}
	if !m.Created.IsZero() {
		info.Created = m.Created.UTC().Format("2006-01-02T15:04:05Z")
	}
	info.addGroups(a)
	return info, info.addClasses(a)
}

// addGroups adds what is known of the processes. It looks at single ones only
// where something is missing.
func (info *runInfo) addGroups(a *trace.Archive) {
	hosts := map[string]bool{}
	info.Ranks = a.NumRanks()
	for _, g := range a.Groups() {
		if g.Unranked {
			hosts[g.Host] = true
		}
		for _, h := range g.Hosts.Values {
			hosts[h] = true
		}
		complete, ok1 := g.Complete.Constant()
		lost, ok2 := g.Lost.Constant()
		if ok1 && ok2 && complete == 1 && lost == 0 {
			continue
		}
		for rank := range g.Ranks.All() {
			if lost := uint64(g.Lost.At(rank)); lost != 0 || g.Complete.At(rank) == 0 {
				info.LostCalls += lost
				info.Complete = false
				info.Missing = append(info.Missing, incomplete(a.RankIn(g, rank)))
			}
		}
	}
	info.addAbsent(a)
	info.Hosts = slices.Sorted(maps.Keys(hosts))
	info.Clocks = hostClocks(a)
	if info.Ranks == 0 {
		info.Complete = false
		info.Missing = append(info.Missing, "no process was recorded")
	}
}

// addAbsent names the ranks that are in no recording, unless they were left
// out on purpose.
func (info *runInfo) addAbsent(a *trace.Archive) {
	if info.Options["ranks"] != "" {
		return
	}
	present, sizes := map[int]*trace.RankSet{}, map[int]int{}
	for _, g := range a.Groups() {
		if g.Unranked {
			continue
		}
		sizes[g.World] = max(sizes[g.World], g.Size)
		present[g.World] = g.Ranks.Union(present[g.World])
	}
	for _, w := range slices.Sorted(maps.Keys(present)) {
		var absent [][2]int
		next := 0
		for lo, hi := range present[w].Intervals() {
			if lo > next {
				absent = append(absent, [2]int{next, lo})
			}
			next = hi
		}
		if next < sizes[w] {
			absent = append(absent, [2]int{next, sizes[w]})
		}
		if len(absent) > 0 {
			info.Complete = false
			info.Missing = append(info.Missing, fmt.Sprintf("nothing was recorded of %s", rankText(absent)))
		}
	}
}

// incomplete says why the recording of a process is incomplete, "" if it is not.
func incomplete(r *trace.RankData) string {
	if r.Complete && r.LostCalls == 0 {
		return ""
	}
	who := fmt.Sprintf("rank %d", r.Rank)
	if r.Rank < 0 {
		who = fmt.Sprintf("process %d (no rank)", r.PID)
	}
	if r.World > 0 {
		who += fmt.Sprintf(" of spawned world %d", r.World)
	}
	var whys []string
	if !r.Complete {
		end := r.End
		if end == "" {
			end = "did not reach its end in order"
		}
		whys = append(whys, end)
	}
	if r.LostCalls > 0 {
		whys = append(whys, plural(r.LostCalls, "call")+" could not be recorded")
	}
	return who + ": " + strings.Join(whys, "; ")
}

// addClasses counts calls, class by class.
func (info *runInfo) addClasses(a *trace.Archive) error {
	grammars := map[string]bool{}
	templates := map[int]bool{}
	info.Threads, info.Grammar.Classes = a.NumStreams(), len(a.Classes())
	for _, c := range a.Classes() {
		d, err := c.Data()
		if err != nil {
			return err
		}
		counts, events, err := c.Counts()
		if err != nil {
			return err
		}
		for t, n := range counts {
			tm, err := c.Template(uint32(t))
			if err != nil {
				return err
			}
			if !templates[d.Terminals[t]] {
				templates[d.Terminals[t]] = true
				info.Grammar.Signatures++
			}
			info.Calls += n
			info.addCalls(&tm.Signature, n)
		}
		info.Grammar.Events += events
		if text := trace.FormatGrammar(d.Grammar); !grammars[text] {
			grammars[text] = true
			info.Grammar.Distinct++
			info.Grammar.Rules += len(d.Grammar.Rules)
			for _, r := range d.Grammar.Rules {
				info.Grammar.Symbols += len(r)
			}
		}
	}
	return nil
}

func (info *runInfo) addCalls(sig *trace.Signature, n uint64) {
	if n == 0 {
		return
	}
	info.Functions[spec.ByID(sig.Func).Name] += n
	if sig.Flags&trace.Polls != 0 {
		info.Polls += n
	}
	if sig.Flags&trace.Failed != 0 {
		info.Failed += n
	}
	if sig.Flags&trace.Unfinished != 0 {
		info.Open += n
	}
}

// rankText names ranks given as intervals [lo, hi).
func rankText(ranks [][2]int) string {
	var parts []string
	for _, r := range ranks {
		if r[1] == r[0]+1 {
			parts = append(parts, fmt.Sprint(r[0]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", r[0], r[1]-1))
		}
	}
	if len(ranks) == 1 && ranks[0][1] == ranks[0][0]+1 {
		return "rank " + parts[0]
	}
	return "ranks " + strings.Join(parts, ",")
}

// classCount says how many classes there are.
func classCount(n int) string {
	if n == 1 {
		return "1 class of threads"
	}
	return count(uint64(n)) + " classes of threads"
}

// maxMissing is how many reasons for incompleteness the text form lists.
const maxMissing = 8

func (info *runInfo) print(out io.Writer, top int) error {
	w := &errWriter{w: out}
	t := table(w)
	row := func(name, format string, args ...any) { fmt.Fprintf(t, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	row("command", "%s", shellJoin(info.Command))
	mpi := info.MPI
	if mpi == "" {
		mpi = info.ABI
	}
	row("MPI", "%s", mpi)
	if info.Created != "" {
		row("recorded", "%s by %s", info.Created, info.Tool)
	}
	if s := info.Options["scaled"]; s != "" {
		row("scaled", "%s", s)
	}
	if o := optionText(info.Options); o != "" {
		row("options", "%s", o)
	}
	row("processes", "%s, %s, on %s", plural(uint64(info.Ranks), "rank"), plural(uint64(info.Threads), "thread"), hostText(info.Hosts))
	if text := clockText(info.Clocks, len(info.Hosts)); text != "" && info.Options["timing"] != "off" {
		row("clocks", "%s", text)
	}
	if info.Timing != nil {
		row("times", "%s", info.Timing)
	}
	row("calls", "%s of %s%s", count(info.Calls), plural(uint64(len(info.Functions)), "function"), info.special())
	row("complete", "%s", yesNo(info.Complete))
	for i, m := range info.Missing {
		if i == maxMissing && len(info.Missing) > maxMissing+1 {
			row("", "and %d more (--json lists all)", len(info.Missing)-i)
			break
		}
		row("", "%s", m)
	}
	if info.Partial {
		row("partial", "calls were left out on purpose: filters, or recording was off for a while")
	}
	b := &info.Bytes
	row("file", "%s: structure %s, columns %s, timing %s, run and index %s",
		byteSize(b.File), byteSize(b.Structure), byteSize(b.Columns), byteSize(b.Timing), byteSize(b.Meta+b.Index+b.Other))
	g := &info.Grammar
	row("structure", "%s, %s, %s, %s for %s; %s", classCount(g.Classes), plural(uint64(g.Distinct), "grammar"), plural(uint64(g.Rules), "rule"),
		plural(uint64(g.Symbols), "symbol"), plural(g.Events, "event"), plural(uint64(g.Signatures), "signature"))
	if info.Memory > 0 {
		row("collector", "%s peak memory", byteSize(info.Memory))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	info.printFunctions(w, top)
	if !info.Complete {
		fmt.Fprintf(w, "\nWhere the ranks were at the end: tabard dump %s --last 3\n", info.File)
	}
	return w.err
}

// special mentions calls that are not plain successes.
func (info *runInfo) special() string {
	var parts []string
	if info.Polls > 0 {
		parts = append(parts, plural(info.Polls, "unsuccessful poll"))
	}
	if info.Failed > 0 {
		parts = append(parts, count(info.Failed)+" returned an error")
	}
	if info.Open > 0 {
		parts = append(parts, count(info.Open)+" did not return")
	}
	if info.LostCalls > 0 {
		parts = append(parts, count(info.LostCalls)+" lost")
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// printFunctions lists the functions with most calls.
func (info *runInfo) printFunctions(w io.Writer, top int) {
	names := slices.SortedFunc(maps.Keys(info.Functions), func(a, b string) int {
		return cmp.Or(cmp.Compare(info.Functions[b], info.Functions[a]), cmp.Compare(a, b))
	})
	if len(names) == 0 || top == 0 {
		return
	}
	fmt.Fprintln(w)
	width := len(count(info.Functions[names[0]]))
	for i, name := range names {
		if i == top {
			fmt.Fprintf(w, "%*s  and %s (--top N lists more)\n", width, "", plural(uint64(len(names)-i), "more function"))
			break
		}
		n := info.Functions[name]
		fmt.Fprintf(w, "%*s  %4.1f%%  %s\n", width, count(n), 100*float64(n)/float64(max(info.Calls, 1)), name)
	}
}

// optionText lists the settings of the recorder that are not the usual ones.
func optionText(options map[string]string) string {
	usual := map[string]string{"callsites": "caller", "timing": timing.Default, "start": "on"}
	var parts []string
	for _, name := range []string{"ranks", "only", "except", "callsites", "timing", "start"} {
		if v := options[name]; v != usual[name] && v != "" {
			parts = append(parts, fmt.Sprintf("--%s=%s", name, v))
		}
	}
	return strings.Join(parts, " ")
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func hostText(hosts []string) string {
	switch {
	case len(hosts) == 1 && hosts[0] != "":
		return hosts[0]
	case len(hosts) > 4:
		return plural(uint64(len(hosts)), "host")
	}
	return strings.Join(hosts, ", ")
}

// shellJoin renders a command line so that a shell would split it again.
func shellJoin(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		if arg == "" || strings.ContainsAny(arg, " \t\n\"'\\$`*?[]{}()<>|&;~#!") {
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		quoted[i] = arg
	}
	return strings.Join(quoted, " ")
}

// errWriter remembers the first error.
type errWriter struct {
	w   io.Writer
	err error
}

func (e *errWriter) Write(b []byte) (int, error) {
	if e.err != nil {
		return len(b), nil
	}
	_, e.err = e.w.Write(b)
	return len(b), nil
}
