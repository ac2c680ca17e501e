package export

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/functions"
	"github.com/tabard-hpc/tabard/analysis/selection"
)

// eachStack calls f for each place in the nest of the program's functions, from the outside in, and for the calls of
// APIs that were made there, with how many calls were made and the time of them without what is in them.
func eachStack(j *Job, f func(stack []string, files []functions.Function, calls uint64, time int64)) (timed bool,
	err error) {
	if f := j.Options.Selection; f != (selection.Flags{Ranks: f.Ranks}) {
		return false, errors.New("calls of functions are counted for whole processes: of the selection use --rank only")
	}
	r, err := functions.Of(j.Archive, j.sel)
	if err != nil {
		return false, err
	}
	if len(r.Functions) == 0 {
		return false, fmt.Errorf("%s has no calls of functions: record them by tabard record --functions",
			j.Archive.File())
	}
	if !r.Grow(0) {
		j.note("the nest of functions is too large: what is deepest is left out")
	}
	var walk func(c *functions.Context, stack []string, of []functions.Function)
	walk = func(c *functions.Context, stack []string, of []functions.Function) {
		for _, x := range c.APIs() {
			f(append(stack, x.Func.Name), append(of, functions.Function{}), x.Calls, 0)
		}
		for _, x := range c.Children() {
			fn := functions.Function{}
			if x.Func != nil {
				fn = functions.Function{Frame: x.Func.Frame}
			}
			s, o := append(slices.Clip(stack), x.Name()), append(slices.Clip(of), fn)
			f(s, o, x.Calls, x.Time)
			walk(x, s, o)
		}
	}
	walk(r.Root, nil, nil)
	return r.Timed, nil
}

// foldedFunctions writes how often each function was called in which stack.
func foldedFunctions(j *Job, w io.Writer) error {
	sums := map[string]uint64{}
	_, err := eachStack(j, func(stack []string, _ []functions.Function, calls uint64, _ int64) {
		names := make([]string, len(stack))
		for i, s := range stack {
			names[i] = foldedName(s)
		}
		sums[strings.Join(names, ";")] += calls
	})
	if err != nil {
		return err
	}
	return writeLines(w, sums)
}

// calls makes a profile of calls of functions, and of their time if there is any.
func (x *pprof) calls(j *Job) error {
	x.pair(pprofSampleType, "calls", "count")
	x.pair(pprofSampleType, "time", "nanoseconds")
	timed, err := eachStack(j, func(stack []string, of []functions.Function, calls uint64, time int64) {
		var at []uint64
		for i := len(stack) - 1; i >= 0; i-- {
			at = append(at, x.location(stack[i], of[i].Frame.File, of[i].Frame.Line))
		}
		sample := x.open(pprofSample)
		x.packed(sampleLocations, at...)
		x.packed(sampleValues, calls, uint64(time))
		x.close(sample)
	})
	main := "calls"
	if timed {
		main = "time"
	}
	x.about(j, main)
	return err
}
