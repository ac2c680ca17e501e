package timeline

import "github.com/tabard-hpc/tabard/spec"

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

var categoryNames = [NumCategories]string{"computation", "point_to_point", "wait", "collective", "rma", "io",
	"other_mpi", "lifecycle", "unselected"}

// String is the name of the category in machine-readable output.
func (c Category) String() string { return categoryNames[c] }

// CategoryOf is the category of the calls of a function: Wait for what
// completes requests, Collective also for collectives of neighbours, Other
// for the making of communicators, datatypes and the like.
func CategoryOf(f *spec.Func) Category { return categories[f.Activity] }

var categories = map[spec.Activity]Category{
	spec.ActivityOther: Other, spec.ActivityPointToPoint: PointToPoint, spec.ActivityWait: Wait,
	spec.ActivityCollective: Collective, spec.ActivityRma: RMA, spec.ActivityIo: IO, spec.ActivityLifecycle: Lifecycle,
}
