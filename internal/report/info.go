package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/spec"
)

// InfoSchema names the form of Info.
const InfoSchema = "tabard.info/1"

var _ = register[Info](InfoSchema, "info --json")

// Info is what a recording holds.
type Info struct {
	Schema  string   `json:"schema"`
	File    string   `json:"file"`
	Command []string `json:"command"`
	Created string   `json:"created,omitempty"`
	// Snapshot is when the job was looked at if it was running.
	Snapshot string `json:"snapshot,omitempty"`
	Tool     string `json:"tool,omitempty"`
	MPI      string `json:"mpi"`
	ABI      string `json:"abi"`
	// Ranks counts the processes with calls or a rank, Threads the streams of calls.
	Ranks   int      `json:"ranks"`
	Threads int      `json:"threads"`
	Hosts   []string `json:"hosts"`
	// Clocks are those of the hosts, if they were measured.
	Clocks []Clock `json:"clocks,omitempty"`
	Calls  uint64  `json:"calls"`
	// Functions are the calls by name, and what else the program did, such as begins and ends of regions, which are not
	// counted among the calls. Polls are the unsuccessful polls among the calls. Own are records of Tabard by name,
	// such as where memory begins; they are not counted either.
	Functions map[string]uint64 `json:"functions"`
	// Events are the events by kind, if there are others than calls of MPI.
	Events map[string]uint64 `json:"events,omitempty"`
	Own    map[string]uint64 `json:"own_records,omitempty"`
	Polls  uint64            `json:"polls"`
	Failed uint64            `json:"failed_calls"`
	Open   uint64            `json:"unfinished_calls"`

	Complete bool `json:"complete"`
	// Gaps are ranks and calls that should have been recorded and were not, and Incomplete says so in a sentence.
	Gaps       []Gap  `json:"not_recorded,omitempty"`
	Incomplete string `json:"incomplete,omitempty"`
	// Partial recordings leave out calls on purpose: filters, tracing switched off.
	Partial bool `json:"partial"`
	// In are the regions that recording was limited to, if it was; NeverEntered those of them that no process came to.
	In           []string `json:"in,omitempty"`
	NeverEntered []string `json:"never_entered,omitempty"`
	Missing      []string `json:"missing,omitempty"`
	LostCalls    uint64   `json:"lost_calls"`

	Bytes   Bytes   `json:"bytes"`
	Timing  *Timing `json:"timing,omitempty"`
	Grammar Grammar `json:"grammar"`
	// Memory is the largest resident size of a collector in bytes, 0 unknown.
	Memory  int64             `json:"collector_peak_bytes"`
	Options map[string]string `json:"options,omitempty"`
	Skipped []string          `json:"unknown_sections,omitempty"`

	kinds map[spec.EventKind]uint64 // events by kind
}

// Called is how many functions there are calls of.
func (info *Info) Called() (n int) {
	for name := range info.Functions {
		if f := spec.ByName(name); f != nil && f.Call() {
			n++
		}
	}
	return n
}

// Gap is ranks of which calls are missing that should be there: Calls of them, or all. If Uncounted is set, it is Calls
// at least, and not all.
type Gap struct {
	World     int    `json:"world"`
	Ranks     string `json:"ranks"`
	Calls     uint64 `json:"calls,omitempty"`
	Uncounted bool   `json:"uncounted,omitempty"`
	Why       string `json:"why"`

	first int
}

func gapsOf(a *archive.Archive) (list []Gap) {
	for _, g := range a.Gaps() {
		list = append(list, Gap{g.World, g.List(), g.Calls, g.Uncounted, g.Why, g.Ranks.Min()})
	}
	return list
}

// rankText names a set of ranks.
func rankText(ranks string) string {
	if strings.ContainsAny(ranks, ",-") {
		return "ranks " + ranks
	}
	return "rank " + ranks
}

// Bytes is the size of the parts of the file.
type Bytes struct {
	File      int64 `json:"file"`
	Structure int64 `json:"structure"`
	Columns   int64 `json:"columns"`
	Timing    int64 `json:"timing"`
	Meta      int64 `json:"meta"`
	Index     int64 `json:"index"`
	Other     int64 `json:"other"`
}

// Grammar is the size of the grammars, those of a class as one; equal ones count
// once. Signatures are those that differ in more than values.
type Grammar struct {
	Classes    int    `json:"classes"`
	Distinct   int    `json:"distinct"`
	Rules      int    `json:"rules"`
	Symbols    int    `json:"symbols"`
	Events     uint64 `json:"events"`
	Signatures int    `json:"signatures"`
}

// memoryOption is the option of an archive in which the collector leaves its
// peak memory in bytes.
const memoryOption = "collector_peak_bytes"

// NewInfo counts what an archive holds. It reads the compressed structure only.
func NewInfo(a *archive.Archive, meter Meter) (*Info, error) {
	m, st := a.Meta(), a.Stats()
	info := &Info{
		Schema: InfoSchema, File: a.File(), Command: m.Command, Tool: m.Tool, MPI: m.MPI, ABI: m.ABI.String(),
		Functions: map[string]uint64{}, kinds: map[spec.EventKind]uint64{}, Complete: true, Partial: a.Meta().Partial,
		Snapshot: m.Options[archive.OptionSnapshot], Options: m.Options, Skipped: a.Skipped(),
		Bytes: bytesOf(&st), Timing: NewTiming(a), Gaps: gapsOf(a), Incomplete: archive.Incomplete(a.Gaps()),
	}
	info.In, info.NeverEntered = m.RecordedIn()
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
	err := info.addClasses(a, meter)
	for kind, n := range info.kinds {
		if len(info.kinds) > 1 || kind > 0 {
			if info.Events == nil {
				info.Events = map[string]uint64{}
			}
			info.Events[kind.String()] = n
		}
	}
	return info, err
}

// addGroups adds what is known of the processes. It looks at single ones only
// where something is missing.
func (info *Info) addGroups(a *archive.Archive) {
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
	for _, g := range info.Gaps {
		info.Complete = false
		if present := slices.ContainsFunc(a.Groups(), func(h *archive.Group) bool {
			return !h.Unranked && h.World == g.World && h.Ranks.Contains(g.first)
		}); !present {
			info.Missing = append(info.Missing, "nothing was recorded of "+rankText(g.Ranks))
		}
	}
	info.Hosts = slices.Sorted(maps.Keys(hosts))
	info.Clocks = clocksOf(a)
	if info.Ranks == 0 {
		info.Complete = false
		info.Missing = append(info.Missing, "no process was recorded")
	}
}

// incomplete says why the recording of a process is incomplete, "" if it is not.
func incomplete(r *archive.RankData) string {
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
		whys = append(whys, render.Plural(r.LostCalls, "call")+" could not be recorded")
	}
	return who + ": " + strings.Join(whys, "; ")
}

// addClasses counts calls, class by class.
func (info *Info) addClasses(a *archive.Archive, meter Meter) error {
	p := meter.Start("counting calls", "classes")
	defer p.Done()
	grammars := map[string]bool{}
	templates := map[int]bool{}
	info.Threads, info.Grammar.Classes = a.NumStreams(), len(a.Classes())
	for i, c := range a.Classes() {
		p.Show(uint64(i), uint64(len(a.Classes())))
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
			info.addCalls(&tm.Signature, n)
		}
		info.Grammar.Events += events
		if text := archive.FormatGrammar(d.Grammar); !grammars[text] {
			grammars[text] = true
			info.Grammar.Distinct++
			info.Grammar.Rules += len(d.Grammar.Rules)
			info.Grammar.Symbols += d.Grammar.Symbols()
		}
	}
	return nil
}

func (info *Info) addCalls(sig *archive.Signature, n uint64) {
	if n == 0 {
		return
	}
	f := spec.ByID(sig.Func)
	if f.Own() {
		if info.Own == nil {
			info.Own = map[string]uint64{}
		}
		info.Own[f.Name] += n
		return
	}
	if f.Call() {
		info.Calls += n
	}
	info.Functions[f.Name] += n
	info.kinds[f.Kind] += n
	if sig.Flags&archive.Polls != 0 {
		info.Polls += n
	}
	if sig.Flags&archive.Failed != 0 {
		info.Failed += n
	}
	if sig.Flags&archive.Unfinished != 0 {
		info.Open += n
	}
}

// Clock says how far the clock of a host was off.
type Clock struct {
	Host      string `json:"host"`
	Processes int    `json:"processes"`
	// Reference is set for the clock that the others are compared with.
	Reference bool `json:"reference,omitempty"`
	// Measured is set if the others are known; times are corrected then. How far the clock was
	// ahead when it was measured last, with an error of at most Residual; Drift if it was measured
	// twice.
	Measured bool    `json:"measured"`
	Ahead    int64   `json:"ahead_ns"`
	Residual int64   `json:"residual_ns"`
	Drift    float64 `json:"drift_ppm,omitempty"`
}

// clocksOf lists the clocks of an archive that was recorded on several.
func clocksOf(a *archive.Archive) (list []Clock) {
	if !a.ClocksMeasured() {
		return nil
	}
	for _, h := range a.HostClocks() {
		list = append(list, Clock{Host: h.Host, Processes: h.Processes, Reference: h.Reference, Measured: h.Measured,
			Ahead: int64(h.Ahead), Residual: int64(h.Residual), Drift: h.Drift})
	}
	return list
}

func bytesOf(st *archive.Stats) Bytes {
	return Bytes{File: st.Total, Structure: st.Structure, Columns: st.Columns, Timing: st.Timing,
		Meta: st.Meta, Index: st.Index, Other: st.Other}
}
