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
	Calls   uint64   `json:"calls"`
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

// grammarCounts is the size of the grammars; equal ones count once.
type grammarCounts struct {
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
calls.`,
		Example: `  tabard info app.tabard
  tabard info app.tabard --top 50
  tabard info app.tabard --json`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	top := cmd.Flags().Int("top", 10, "list the `N` functions with most calls")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if *top < 0 {
			return usagef("--top %d is negative", *top)
		}
		archive, err := a.open(args[0])
		if err != nil {
			return err
		}
		defer archive.Close()
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
		Functions: map[string]uint64{}, Threads: len(a.Streams()), Complete: true, Partial: a.Meta().Partial,
		Options: m.Options, Skipped: a.Skipped(),
		Bytes: byteCounts{File: st.Total, Structure: st.Structure, Columns: st.Columns, Timing: st.Timing,
			Meta: st.Meta, Index: st.Index, Other: st.Other},
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
	info.addRanks(a.Ranks())
	return info, info.addStreams(a.Streams())
}

func (info *runInfo) addRanks(ranks []*trace.RankData) {
	hosts := map[string]bool{}
	info.Ranks = len(ranks)
	worlds := map[int][]bool{}
	for _, r := range ranks {
		hosts[r.Host] = true
		info.LostCalls += r.LostCalls
		if why := incomplete(r); why != "" {
			info.Complete = false
			info.Missing = append(info.Missing, why)
		}
		if r.Rank >= 0 && r.Size > 0 {
			seen := worlds[r.World]
			for len(seen) < min(r.Size, 1<<24) {
				seen = append(seen, false)
			}
			if r.Rank < len(seen) {
				seen[r.Rank] = true
			}
			worlds[r.World] = seen
		}
	}
	info.addAbsent(worlds)
	info.Hosts = slices.Sorted(maps.Keys(hosts))
	if len(ranks) == 0 {
		info.Complete = false
		info.Missing = append(info.Missing, "no process was recorded")
	}
}

// addAbsent names the ranks that are in no recording, unless they were left
// out on purpose.
func (info *runInfo) addAbsent(worlds map[int][]bool) {
	if info.Options["ranks"] != "" {
		return
	}
	for _, w := range slices.Sorted(maps.Keys(worlds)) {
		var absent []int
		for rank, seen := range worlds[w] {
			if !seen {
				absent = append(absent, rank)
			}
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

// addStreams counts calls. Streams with equal structure share signatures and
// grammars, which are counted once.
func (info *runInfo) addStreams(streams []*trace.Stream) error {
	sigs := map[*trace.Signature]bool{}
	grammars := map[*trace.Grammar]bool{}
	for _, s := range streams {
		info.Calls += s.Calls()
		counts, err := s.Counts()
		if err != nil {
			return err
		}
		for t, n := range counts {
			sig, err := s.Signature(uint32(t))
			if err != nil {
				return err
			}
			if !sigs[sig] {
				sigs[sig] = true
				info.Grammar.Signatures++
			}
			info.addCalls(sig, n)
		}
		events, err := s.Events()
		if err != nil {
			return err
		}
		info.Grammar.Events += events
		g, err := s.Grammar()
		if err != nil {
			return err
		}
		if !grammars[g] {
			grammars[g] = true
			info.Grammar.Distinct++
			info.Grammar.Rules += len(g.Rules)
			for _, r := range g.Rules {
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

// rankText names ranks as ranges.
func rankText(ranks []int) string {
	var parts []string
	for i := 0; i < len(ranks); {
		j := i
		for j+1 < len(ranks) && ranks[j+1] == ranks[j]+1 {
			j++
		}
		switch {
		case j == i:
			parts = append(parts, fmt.Sprint(ranks[i]))
		default:
			parts = append(parts, fmt.Sprintf("%d-%d", ranks[i], ranks[j]))
		}
		i = j + 1
	}
	if len(ranks) == 1 {
		return "rank " + parts[0]
	}
	return "ranks " + strings.Join(parts, ",")
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
	if o := optionText(info.Options); o != "" {
		row("options", "%s", o)
	}
	row("processes", "%s, %s, on %s", plural(uint64(info.Ranks), "rank"), plural(uint64(info.Threads), "thread"), hostText(info.Hosts))
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
	row("grammar", "%s, %s, %s for %s; %s", plural(uint64(g.Distinct), "grammar"), plural(uint64(g.Rules), "rule"),
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
	usual := map[string]string{"callsites": "caller", "timing": "lossless", "start": "on"}
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
