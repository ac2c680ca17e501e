package timeline

import (
	"strings"

	"tabard/spec"
)

// Category is what time is spent in.
type Category uint8

// Categories. Computation is all time outside of MPI, Lifecycle the time in
// MPI_Init and MPI_Finalize, Unselected that in calls which the selection leaves out.
const (
	Computation Category = iota
	PointToPoint
	Wait
	Collective
	RMA
	IO
	Other
	Lifecycle
	Unselected
	NumCategories
)

var categoryNames = [NumCategories]string{"computation", "point_to_point", "wait", "collective", "rma", "io", "other_mpi", "lifecycle", "unselected"}

// String is the name of the category in machine-readable output.
func (c Category) String() string { return categoryNames[c] }

// CategoryOf is the category of the calls of a function: Wait for what
// completes requests, Collective also for collectives of neighbours, Other
// for the making of communicators, datatypes and the like.
func CategoryOf(f *spec.Func) Category {
	switch f.Category {
	case "pt2pt", "partitioned", "start":
		return PointToPoint
	case "completion", "completion_query":
		return Wait
	case "collective", "neighbor_collective":
		return Collective
	case "lifecycle":
		return Lifecycle
	}
	switch {
	case f.Chapter == "one-sided" || strings.HasPrefix(f.Name, "MPI_Win_"):
		return RMA
	case f.Chapter == "io" || strings.HasPrefix(f.Name, "MPI_File_"):
		return IO
	}
	return Other
}
