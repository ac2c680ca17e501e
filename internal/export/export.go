// Package export writes recordings in the formats of other tools: profiles (pprof, folded stacks), timelines
// (Perfetto, Chrome, OTF2, Paraver) and tables (Parquet).
//
// # How
//
// Profiles come from the profile of the recording, without reading calls. Timelines take one stream after
// the other and read each once, forwards: memory does not grow with the calls. What belongs to calls of two
// streams, the arrow from a send to its receive, is found before by matching all streams (package match), and kept by
// stream and call in a file until the stream is written (see notes).
//
// # Cuts
//
// A call is written if it is selected, with its whole duration, also where it begins before a window of time. A request
// that is under way where the selection begins is there with the time at which it was posted; one that is under way
// where the selection ends, ends there.
package export

import (
	"fmt"
	"io"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/profile"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/safefile"
	"github.com/tabard-hpc/tabard/spec"
)

// Format is a format of another tool.
type Format struct {
	// Name is the word for it on the command line, Ext how names of its files end.
	Name, Ext, About string
	// Is tells whether a file that begins with head may be one of this format.
	Is func(head []byte) bool

	// perCall is about how many bytes a call takes, 0 if the size does not depend on them.
	perCall int
	// most is how many calls viewer can load; 0 if nobody knows of a bound.
	most   uint64
	viewer string
	write  func(*Job, io.Writer) error
	tables bool // see Options.Table
	// regions is set if the format has events that are no calls, such as begins and ends of regions and marks.
	regions bool

	// Of formats that are directories:
	// Dir is the name of the directory in them, empty for none; Owns tells their files by name.
	Dir      string
	Owns     func(name string) bool
	writeDir func(*Job, *safefile.OutputDir) error
	check    func(*Job) error
}

// Formats are all formats, in the order of the help.
var Formats = []*Format{
	{Name: "pprof", Ext: ".pb.gz", About: "profile for go tool pprof: calls, bytes and time by call site", Is: isGzip,
		write: writePprof},
	{Name: "folded", Ext: ".folded", About: "folded stacks for flame graphs (--value says of what)", Is: isFolded,
		write: writeFolded},
	{Name: "perfetto", Ext: ".perfetto-trace", About: "timeline for ui.perfetto.dev and trace_processor",
		Is:      isPerfetto,
		perCall: 10, most: 20e6, viewer: "ui.perfetto.dev", write: writePerfetto, regions: true},
	{Name: "chrome", Ext: ".json", About: "the same for chrome://tracing, for short windows", Is: isChrome,
		perCall: 500, most: 1e6, viewer: "chrome://tracing", write: writeChrome, regions: true},
	{Name: "parquet", Ext: ".parquet", About: "table for DuckDB, polars, pandas and Spark (--table says which)",
		Is: isParquet, perCall: 4, write: writeTable, tables: true, check: checkTable},
	{Name: arrowName, Ext: ".arrow",
		About: "the same tables in Arrow's format (Feather 2), to be mapped instead of read",
		Is:    isArrow, perCall: 75, write: writeTable, tables: true, check: checkTable},
	{Name: "otf2", Ext: "-otf2", About: "archive (a directory) for Vampir, Scalasca, Pipit and otf2-print", Is: isOTF2,
		perCall: 45, Dir: otf2Locations, Owns: otf2Name.MatchString, writeDir: writeOTF2, check: checkOTF2,
		regions: true},
	{Name: "prv", Ext: "-prv", About: "trace (a directory) for Paraver", Is: isPrv, perCall: 180, most: 10e6,
		viewer: "Paraver", Owns: prvName.MatchString, writeDir: writePrv, regions: true},
}

// ByName is the format with a name, nil if there is none.
func ByName(name string) *Format {
	i := slices.IndexFunc(Formats, func(f *Format) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return Formats[i]
}

// Options are what is exported, and how.
type Options struct {
	Selection selection.Flags
	// Classes leaves one process of each class of processes that make the same calls.
	Classes bool
	// By is what samples of profiles are told apart by besides the call site: rank, comm.
	By []string
	// Value is what folded stacks count, one of FoldedValues.
	Value string
	// Table is the table of Parquet files, one of Tables.
	Table string
	// Partition says how many processes there are in a file, if tables are to be written as files of parts; 0: one
	// file.
	Partition int
	// Meter shows progress.
	Meter report.Meter
	// Force writes what readers may not be able to load.
	Force bool
	// Note says something that the user should know.
	Note func(text string)
}

// Job is a recording that is to be exported.
type Job struct {
	Options
	Archive *archive.Archive
	// Calls is how many calls are selected, with the begins and ends of regions if the format writes them.
	Calls uint64

	format *Format
	sel    *selection.Resolved
}

// New looks at what is selected.
func New(arch *archive.Archive, f *Format, o Options) (j *Job, err error) {
	// calls of tables have the numbers that tabard dump gives them
	if !f.regions && !f.tables && o.Value != valueFunctions {
		if arch, err = arch.Calls(); err != nil {
			return nil, err
		}
	}
	j = &Job{Options: o, Archive: arch, format: f}
	if j.sel, err = report.Resolve(arch, o.Selection); err != nil {
		return nil, err
	}
	if o.Classes {
		o.Selection.Ranks = representatives(j.sel)
		if j.sel, err = report.Resolve(arch, o.Selection); err != nil {
			return nil, err
		}
	}
	if f.perCall > 0 {
		j.Calls, err = countCalls(j.sel, f.regions)
	}
	return j, err
}

// representatives lists ranks such that each class of streams has one of them, mostly few.
func representatives(sel *selection.Resolved) string {
	var ranks []int
	for _, c := range sel.Classes() {
		if !slices.ContainsFunc(ranks, c.Ranks.Contains) && !c.Class.Group().Unranked {
			ranks = append(ranks, c.Ranks.Min())
		}
	}
	slices.Sort(ranks)
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(ranks), " ", ","), "[]")
}

// IsDir tells whether the format is a directory.
func (f *Format) IsDir() bool { return f.writeDir != nil }

// Tables tells whether the format has tables (Options.Table), which can be written in parts.
func (f *Format) Tables() bool { return f.tables }

// Parts are the selected ranks in lists of at most Partition, in the form of selections.
func (j *Job) Parts() []string {
	seen := map[int]bool{}
	for _, c := range j.sel.Classes() {
		for r := range c.Ranks.All() {
			if !c.Class.Group().Unranked {
				seen[r] = true
			}
		}
	}
	ranks := slices.Sorted(maps.Keys(seen))
	var parts []string
	for list := range slices.Chunk(ranks, max(j.Partition, 1)) {
		if first, last := list[0], list[len(list)-1]; last-first == len(list)-1 {
			parts = append(parts, fmt.Sprintf("%d-%d", first, last))
		} else {
			parts = append(parts, strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ","), "[]"))
		}
	}
	return parts
}

func countCalls(sel *selection.Resolved, regions bool) (n uint64, err error) {
	for u, err := range sel.Units() {
		if err != nil {
			return 0, err
		}
		sigs, err := u.Part.Stream.Signatures()
		if err != nil {
			return 0, err
		}
		counts, err := u.Part.Counts()
		if err != nil {
			return 0, err
		}
		for t, k := range counts {
			f := spec.ByID(sigs[t].Func)
			_, begins := construct(f)
			if f.Call() || regions && (begins || f.Shape == spec.ShapeOpen && !f.Own() ||
				f.Shape == spec.ShapePoint && f.In("name") >= 0) {
				high, more := bits.Mul64(k, uint64(u.Ranks.Len()))
				sum, carry := bits.Add64(n, more, 0)
				if n = sum; high != 0 || carry != 0 {
					return math.MaxUint64, nil // a damaged file can claim as many
				}
			}
		}
	}
	return n, nil
}

// Bytes is about how large the export will be, 0 if that does not depend on the number of calls.
func (j *Job) Bytes() int64 {
	high, n := bits.Mul64(j.Calls, uint64(j.format.perCall))
	if high != 0 || n > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(n)
}

// Check is the error for what the viewer of the format cannot load.
func (j *Job) Check() error {
	if j.Force {
		return nil
	}
	if j.format.check != nil {
		return j.format.check(j)
	}
	if f := j.format; f.most > 0 && j.Calls > f.most {
		return fmt.Errorf("%s calls would be some %s, and %s can load some %s calls: choose a part with --time, "+
			"--steps, "+
			"--rank or --classes, or write all with --force", render.Count(j.Calls), render.ByteSize(j.Bytes()),
			f.viewer,
			render.Count(f.most))
	}
	return nil
}

// Write writes the export.
func (j *Job) Write(w io.Writer) error { return j.format.write(j, w) }

// WriteDir writes the export of a format that is a directory.
func (j *Job) WriteDir(out *safefile.OutputDir) error { return j.format.writeDir(j, out) }

func (j *Job) note(format string, args ...any) {
	if j.Note != nil {
		j.Note(fmt.Sprintf(format, args...))
	}
}

// profile is the profile of what is selected.
func (j *Job) profile() (*profile.Profile, error) {
	o := profile.Options{By: profile.GroupBy{Func: true, Site: true}, Timing: profile.Summary}
	for _, by := range j.By {
		switch by {
		case "rank":
			o.By.Rank = true
		case "comm":
			o.By.Comm = true
		}
	}
	done := j.Meter.Reading(j.sel)
	defer done()
	return profile.Of(j.sel, o)
}

// meter shows how far something is.
func (j *Job) meter(what, noun string) *render.Progress {
	if j.Meter == nil {
		return nil
	}
	return j.Meter(what, noun, 0)
}

// errNoTimes is the error for a recording without times of calls, or without calls that are selected.
func errNoTimes(arch *archive.Archive, instead string) error {
	for s := range arch.Streams() {
		if s.Timed() {
			return fmt.Errorf("%s has no calls in what is selected: choose another part, if it has any", arch.File())
		}
	}
	return fmt.Errorf("%s has no times of calls: record with --timing=lossy or --timing=lossless, or %s", arch.File(),
		instead)
}
