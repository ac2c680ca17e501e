// Package foreign makes recordings of archives that other tools wrote.
//
// # OTF2
//
// A region that has the name of a function of MPI (or, unless it is the user's or the compiler's, of another API that
// is traced) becomes a call. What the records between its begin and its end say are its parameters: partner, tag,
// communicator, root, request, and bytes, which become a count of MPI_BYTE. All others are absent. Regions that
// compilers instrument become calls of functions, and all others regions. What has no place in a recording is
// counted.
//
// Calls are handed to the collector's own encoder as the runtime would hand them, so that structure, numbers of
// requests and columns are those that recording the same calls gives.
//
// A receive is told of where it is complete, and a call is encoded where it ends, so the records of a location are
// read twice: once for what its nonblocking operations will get.
//
// # Communicators
//
// What made a communicator is not told. Those of the archive are told of before the first call of their members, by
// events of Tabard's own (tabard_comm); MPI_COMM_WORLD is the first one that has all processes in order.
package foreign

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/timing"
	"github.com/tabard-hpc/tabard/internal/render"
)

// Options are how something is imported.
type Options struct {
	// Timing is how times are stored; it must not be one of the published methods.
	Timing timing.Mode
	// Tool is what the recording says made it.
	Tool string
	// Progress is told how many events were read since it was told last. It may be nil.
	Progress func(n uint64)
}

// Result is what was imported.
type Result struct {
	Content *archive.Content
	// Events is how many records of events were read; Calls, Regions and Functions how many of each there are.
	Events, Calls, Regions, Functions uint64
	// Left says what is not in the recording, most frequent first; Count is how often.
	Left []Left
}

// Left is something that was left out.
type Left struct {
	What  string
	Count uint64
}

// Names of options of imported recordings.
const (
	// OptionFrom says which tool wrote the archive.
	OptionFrom = "imported"
	// OptionLeft says what is not in the recording.
	OptionLeft = "left_out"
)

// counts counts what is left out.
type counts map[string]uint64

func (c counts) list() []Left {
	list := make([]Left, 0, len(c))
	for what, n := range c {
		list = append(list, Left{what, n})
	}
	slices.SortFunc(list, func(a, b Left) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.What, b.What))
	})
	return list
}

// LeftText is a list in words, empty if nothing was left out.
func LeftText(list []Left) string {
	var parts []string
	for _, l := range list {
		parts = append(parts, render.Count(l.Count)+" "+l.What)
	}
	return strings.Join(parts, ", ")
}

func (c counts) add(format string, args ...any) { c[fmt.Sprintf(format, args...)]++ }

func (c counts) take(d counts) {
	for what, n := range maps.All(d) {
		c[what] += n
	}
}
