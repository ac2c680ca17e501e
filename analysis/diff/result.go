package diff

import (
	"time"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// Kind is what a Difference is about.
type Kind uint8

// Kinds of differences, in the order in which they matter.
const (
	// Parameter: calls were given something else.
	Parameter Kind = iota
	// Trips: a loop was repeated more or less often.
	Trips
	// Order: calls were made in another order.
	Order
	// Missing and Extra: calls of A that B did not make, and the reverse.
	Missing
	Extra
	// Hang: calls did not return in one recording where the other went on; Stop: calls ended.
	Hang
	Stop
	// Outcome: calls that were given the same returned something else.
	Outcome
	// Processes: one recording has processes or threads that the other has not.
	Processes
	// Inside: a function of the program called others than in the other recording, somewhere below; no API was called
	// there.
	Inside
)

// String is the kind's name in lower case.
func (k Kind) String() string {
	return [...]string{"parameter", "loop", "order", "missing", "extra", "hang", "stop", "result", "processes",
		"inside"}[k]
}

// Call is a call by function and place.
type Call struct {
	Func string
	// Site is the call site as people write it, "halo.c:41 [exchange]"; empty if unknown.
	Site string
	// Count is how often the call was made in a row.
	Count uint64
}

// Place is where something is in the loops of a recording: in iteration Iteration, from 0, of a
// loop.
type Place struct {
	// Loop is where the loop is in the source, empty if unknown; Step is set for the time-step
	// loop.
	Loop string
	Step bool
	// Iteration is the number of the iteration, and Iterations how many there are, in all
	// executions.
	Iteration, Iterations uint64
}

// Difference is one thing in which two recordings differ.
type Difference struct {
	Kind Kind
	// World and Thread are those of the ranks that differ, Ranks of all that do in the same way.
	World, Thread int
	Ranks         *archive.RankSet
	// Call is the call that differs; of several that are missing, extra or in another order, the
	// first.
	Call Call
	// Calls are all calls that are missing or extra, or two parts whose order is different; at most
	// maxCalls, More counts the others.
	Calls []Call
	More  uint64
	// Param is the parameter that differs, A and B its values: as functions of the rank if it is
	// not the same at all Ranks. Of trips they are numbers, of Stop and Hang the calls that came
	// next. Of Inside Param is the function in which they differ, "inner < outer", and A and B what it called.
	Param, A, B string
	// Varies is set if A and B are those of the first occurrence and others have other values.
	Varies bool
	// Count is how often the difference occurs at each rank, Of how often the call was made in A at
	// all.
	Count, Of uint64
	// OnlyA is set if the calls of a Hang or Stop are those of A.
	OnlyA bool
	// Open is set if the last of the calls that are missing did not return; only by Threads.
	Open bool
	// Step is set for the trips of the time-step loop.
	Step bool
	// Places are the loops around the first occurrence, the outermost first, of A unless it has
	// nothing there. FromThereOn is set if all calls from there on differ.
	Places      []Place
	FromThereOn bool
	// CallA and CallB are the numbers of the calls of the first occurrence at the least of the
	// ranks, as tabard dump numbers them.
	CallA, CallB uint64

	position     float64 // where the first occurrence is, as a part of the rank's calls
	group        *group
	callA, callB uint64 // calls, of which a run of polls is one, before it
	eventA       uint64
	earlier      uint64 // how often the call of a parameter was made before
	// events is before which events of both recordings the calls begin to differ.
	events [2]uint64
	// parts is the difference at each group of ranks that has it.
	parts      []*Difference
	onlyB      bool
	unexpected bool // of a Hang: the call was not made in the other recording
}

// OrderNote counts what differs because the standard leaves it open, or because
// it depends on the machine.
type OrderNote struct {
	Func, Site, Param string
	// Ranks is how many ranks it differs at.
	Ranks int
	Count uint64
}

// SiteTime is the time in calls from one place.
type SiteTime struct {
	Func, Site     string
	A, B           time.Duration
	CallsA, CallsB uint64
}

// Times compares times.
type Times struct {
	// ElapsedA and ElapsedB are how long the recordings are, CallsA and CallsB the time in calls of
	// all ranks together.
	ElapsedA, ElapsedB, CallsA, CallsB time.Duration
	// Sites are the call sites whose times differ by more than a tenth and a hundredth of the time
	// of all, the greatest difference first.
	Sites []SiteTime
	// Slower and Faster are the ranks whose time outside of calls is more than a fifth more, or
	// less, in B.
	Slower, Faster []RankTime
}

// RankTime is the time of a rank outside of calls.
type RankTime struct {
	World, Rank int
	A, B        time.Duration
}

// Result is how two recordings compare.
type Result struct {
	// Differences are sorted: what explains others comes first.
	Differences []*Difference
	// Order is what does not count as a difference.
	Order []OrderNote
	// Follows are differences that are explained by the order in which messages arrived and
	// requests completed, because all ranks together made the same calls. They do not count.
	// Arrivals is where that order first differs, in each world.
	Follows  []*Difference
	Arrivals []Arrival
	// Moved are call sites that are at another line in B, which is no difference.
	Moved []Moved
	// Ranks is how many processes both recordings have, Calls how many calls of A were compared.
	Ranks int
	Calls uint64
	// Notes say what could not be compared, and why.
	Notes []string
	// Times is nil if they were not asked for or are not there.
	Times *Times
}

// Options select what Of compares.
type Options struct {
	// Structure, Parameters and Time say what is compared; alignment needs the structure, which
	// is not reported unless Structure is set.
	Structure, Parameters, Time bool
	// Ranks and Functions choose calls; nil chooses all.
	Ranks     *selection.Ranks
	Functions *selection.Functions
	// Comms, Window and Steps choose calls, too. Then the order of arrival explains no difference.
	// A number of a communicator that was used for several stands for all of them.
	Comms  *selection.Comms
	Window *selection.Window
	Steps  *selection.Steps
	Within *selection.Within
	// IgnoreSites tells calls apart by function alone, wherever they were made.
	IgnoreSites bool
	// Rerun says that B repeats the calls of A from another program (a replay, a proxy). Then what
	// such a program cannot have is not compared: call sites, calls that callbacks made, callbacks
	// and their state, values of attributes, arguments of programs, and the directories of files.
	Rerun bool
	// Calls is how many calls are read one by one where parameters are in columns that differ, 0
	// for DefaultCalls.
	Calls uint64
	// Progress, if it is not nil, is called now and then with the number of threads of A that were compared and of
	// all.
	Progress func(done, total uint64)
}

// DefaultCalls is how many calls are read one by one.
const DefaultCalls = 20_000_000

// maxCalls is how many calls a Difference lists.
const maxCalls = 8

// maxDifferences is how many differences are kept.
const maxDifferences = 100_000
