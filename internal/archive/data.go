package archive

import (
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/codec/column"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
	"github.com/tabard-hpc/tabard/spec"
)

// Grammar, Symbol and Cursor are the types in which the call sequence of a
// stream is given: a context-free grammar with run lengths that has one word.
type (
	// Grammar generates the events of one stream. Rules[0] is the start rule.
	Grammar = grammar.Grammar
	// Symbol is a terminal or a rule (ID has RuleBit), Count times in a row.
	Symbol = grammar.Symbol
	// Column is a sequence of integers with random access.
	Column = column.Reader
)

// RuleBit in Symbol.ID marks a rule; the rest of the id is its number.
const RuleBit = grammar.RuleBit

// Meta is what is known of a run as a whole.
type Meta struct {
	// Command is the recorded command line.
	Command []string
	// MPI is the library's version string.
	MPI string
	// ABI says how to name the constants among the recorded values.
	ABI spec.ABI
	// Created is when recording began.
	Created time.Time
	// Tool is the version of the recorder.
	Tool string
	// Partial is set when calls were left out on purpose (filters, tracing
	// switched off): objects may appear that no recorded call created.
	Partial bool
	// Options are the recorder's settings, by name.
	Options map[string]string
}

// EndedAt is the name of the fact that says when a process ended that made calls and did not end in order, in
// EndedFormat.
const (
	EndedAt     = "ended"
	EndedFormat = "2006-01-02T15:04:05.000Z"
)

// OptionSnapshot is the option that a snapshot of a running job has: when it was made (RFC 3339).
const OptionSnapshot = "snapshot"

// Snapshot says when the job, which was still running, was looked at; ok is false for recordings of jobs that have
// ended.
func (m *Meta) Snapshot() (at time.Time, ok bool) {
	at, err := time.Parse(time.RFC3339Nano, m.Options[OptionSnapshot])
	return at, err == nil
}

// OptionIn is the option that says which regions recording was limited to: names, or paths of them, separated by
// commas.
const OptionIn = "in"

// enteredPrefix and such a region are the option that says that a process entered it.
const enteredPrefix = "entered "

// RecordedIn are the regions that recording was limited to, and those of them that no process entered; nil if it was
// not limited.
func (m *Meta) RecordedIn() (regions, missed []string) {
	if m.Options[OptionIn] == "" {
		return nil, nil
	}
	regions = strings.Split(m.Options[OptionIn], ",")
	for _, r := range regions {
		if m.Options[enteredPrefix+r] == "" {
			missed = append(missed, r)
		}
	}
	return regions, missed
}

// SetEntered says that a process entered a region that recording was limited to.
func (m *Meta) SetEntered(region string) { m.Options[enteredPrefix+region] = "yes" }

// OnlyIn says in words which regions recording was limited to, and which of them no process came to.
func OnlyIn(regions, missed []string) string {
	text := "in " + RegionList(regions) + " only"
	if len(missed) > 0 {
		text += "; " + NeverEntered(missed)
	}
	return text
}

// NeverEntered says that no process came to regions.
func NeverEntered(regions []string) string {
	if len(regions) == 1 {
		return RegionList(regions) + " was never entered"
	}
	return RegionList(regions) + " were never entered"
}

// RegionList is regions in words.
func RegionList(regions []string) string {
	if len(regions) == 1 {
		return "region " + regions[0]
	}
	return "regions " + strings.Join(regions, ", ")
}

// Running is how the End of processes begins that a snapshot found at work.
const Running = "still running"

// RankData is what is known of one process.
type RankData struct {
	// World tells MPI_COMM_WORLDs apart: 0 is that of the launched program,
	// spawned programs have others.
	World int
	// Rank and Size are the rank in MPI_COMM_WORLD and its size; Rank is -1 if
	// the process never initialised MPI.
	Rank, Size int
	Host       string
	PID        int
	// Complete is set when the process reached its end in order and every
	// call is in the archive.
	Complete bool
	// LostCalls is the number of calls that could not be recorded.
	LostCalls uint64
	// End says how the process ended, e.g. "exited" or "killed by signal 9".
	End string
	// Info holds further facts, e.g. "exe".
	Info map[string]string
	// Modules are the executable and its libraries, by number.
	Modules []Module
	// Sites are the call sites; Signature.Site 1 is Sites[0].
	Sites []Site
	// Clocks relate the ticks of time stamps to time, in order of Ticks.
	Clocks []Clock
}

// Module is a file that is mapped into a process.
type Module struct {
	Path, BuildID string
	// Base is the load address, 0 if not recorded. It differs from run to run
	// and nothing in an archive depends on it.
	Base uint64
	Size uint64
}

// Site is a place that calls: one frame, or several from the inside out; or a function, or a tree of calls.
type Site struct {
	Frames []Frame // of a tree those of its function
	Tree   *Tree   // nil if it is no tree
}

// Tree is a call of a function with all calls below it. A function that called nothing is the site of the function
// itself.
type Tree struct {
	Func  uint32 // the site of the function, as in Signature.Site; 0: none, Calls came after each other
	Calls []Called
}

// Called is what was called, a tree or a function, and how often in a row.
type Called struct {
	Site  uint32 // as in Signature.Site; that of a tree is less than those of the trees that it is in
	Count uint64
}

// Physical is the frames of the stack, innermost first: of functions that were put in line only the
// one that they were put into.
func (s *Site) Physical() []Frame {
	var out []Frame
	for i := range s.Frames {
		f := &s.Frames[i]
		if i+1 < len(s.Frames) && s.Frames[i+1].Module == f.Module && s.Frames[i+1].Offset == f.Offset {
			continue
		}
		out = append(out, *f)
	}
	return out
}

// Frame is a place in the code. What is not known is zero, Module -1.
type Frame struct {
	Module int    // index in RankData.Modules
	Offset uint64 // from the module's load address
	Func   string
	File   string
	Line   int
	// Image is the file name of the module, for people. It follows from Module; only what was read
	// from an archive has it.
	Image string
}

// Clock is one reading of all clocks of a process at the same time.
type Clock struct {
	Ticks          uint64 // the clock of the time stamps
	RealNS, MonoNS int64  // CLOCK_REALTIME and CLOCK_MONOTONIC in nanoseconds
}

// StreamData is the calls of one thread, in the encoded forms of an archive.
type StreamData struct {
	// Thread is the thread's number in its process.
	Thread int
	// Calls is the number of calls, every poll of a folded run counted.
	Calls uint64
	// Signatures holds that of each terminal. They may be shared: nobody changes them.
	Signatures []*Signature
	// Grammar generates the events.
	Grammar *Grammar
	// Columns holds, for each terminal, the encoded columns in the order of
	// Signature.Columns.
	Columns [][][]byte
	// Strings are what the values of string columns number.
	Strings []string
	// Timing is the encoded timing, one entry for each call; nil without timing.
	Timing []byte
}
