package program

import (
	"cmp"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Reasons why calls cannot be made again.
const (
	reasonEnds       = "it would end the run"
	reasonSpawn      = "the program that it starts is not there"
	reasonPorts      = "names of ports are others in every run"
	reasonNested     = "a callback of the program made it, and callbacks are replaced"
	reasonUnfinished = "the process ended before it returned"
	reasonTool       = "variables and events are those of another MPI library"
	reasonRemote     = "it uses an address in another process's memory, and Open MPI finds no other memory than " +
		"what the program attached"
	reasonMissing = "the MPI library has no such function"
	reasonForeign = "it is no function of MPI"
)

// madeAgain is the API whose calls are made again. What a recording has of others is left out.
const madeAgain = "mpi"

// never are operations that are never done again.
var never = map[spec.Operation]string{
	spec.OpAbort: reasonEnds, spec.OpSpawn: reasonSpawn,
	spec.OpPort: reasonPorts, spec.OpAccept: reasonPorts, spec.OpConnect: reasonPorts, spec.OpJoin: reasonPorts,
}

// Target is the MPI that calls are made with again.
type Target struct {
	Translation
	// Has tells whether the library has a function; nil if that is not known.
	Has func(name string) bool
}

// Reason says why calls of a function with these flags cannot be made again; it is empty if they
// can. Objects that such a call would have created do not exist then: calls that use them cannot be
// made, either.
func (t Target) Reason(f *spec.Func, flags archive.Flags) string {
	switch {
	case f.API != madeAgain && !f.Own():
		return reasonForeign
	case flags&archive.Nested != 0:
		return reasonNested
	case never[f.Op] != "":
		return never[f.Op]
	case flags&archive.Unfinished != 0:
		return reasonUnfinished
	case t.From != t.To && f.Op == spec.OpTool:
		return reasonTool
	case t.Has != nil && !t.Has(f.Name):
		return reasonMissing
	}
	return ""
}

// leastAddress is more than any displacement in a window of known size.
const leastAddress = 1 << 40

// ReasonOf says why the calls with a signature cannot be made again; it is empty if they can.
// dynamic says that the stream creates windows that memory is attached to. A column that may hold
// addresses, as Remote says, is then taken to hold them.
func (t Target) ReasonOf(sig *archive.Signature, dynamic bool) string {
	if reason := t.Reason(FuncOf(sig.Func).Func, sig.Flags); reason != "" {
		return reason
	}
	if i := Remote(sig); i >= 0 && t.To == spec.OpenMPI && (dynamic ||
		sig.Slots[FuncOf(sig.Func).Params[i].Before].Kind != archive.Hole) {
		return reasonRemote
	}
	return ""
}

// Dynamic tells whether windows that memory is attached to are created by calls with these
// signatures.
func Dynamic(sigs []*archive.Signature) bool {
	for _, sig := range sigs {
		if spec.ByID(sig.Func).Op == spec.OpWindowCreateDynamic {
			return true
		}
	}
	return false
}

// Remote is the parameter of a one-sided call that is an address in another process, or may be one
// if it is in a column. That is the displacement in a window that memory is attached to
// (MPI_Win_create_dynamic). It means nothing in another run. Remote is -1 for other calls.
func Remote(sig *archive.Signature) int {
	f := FuncOf(sig.Func)
	for i := range f.Params {
		if p := &f.Params[i]; p.Name == "target_disp" && p.Before >= 0 {
			if v := &sig.Slots[p.Before]; v.Kind == archive.Hole || v.Kind == archive.Int && v.N >= leastAddress {
				return i
			}
		}
	}
	return -1
}

// Skipped is calls of a function that cannot be made again.
type Skipped struct {
	Func, Reason string
	// Calls is how many they are, at Ranks processes.
	Calls uint64
	Ranks int
}

// Result is what a survey of a recording found.
type Result struct {
	// Size is that of MPI_COMM_WORLD of the launched program, 0 if no process got to know it. Ranks
	// is how many of these processes were recorded.
	Size, Ranks int
	// Skipped are the calls that cannot be made again, most calls first within a reason.
	Skipped []Skipped
	// Spawned and Unranked are processes that have no place in the launched program's
	// MPI_COMM_WORLD.
	Spawned, Unranked int
	// Threads is the largest number of threads of a process.
	Threads int
	// Unfinished is the number of processes that did not reach their end in order.
	Unfinished int
	// Calls is the number of calls of the launched program.
	Calls uint64
}

// Survey looks at all of a recording at once: its cost depends on the number of classes, not of
// ranks or calls.
func Survey(a *archive.Archive, t Target) (*Result, error) {
	r := &Result{}
	for _, g := range a.Groups() {
		switch {
		case g.Unranked:
			r.Unranked += g.Ranks.Len()
		case g.World != 0:
			r.Spawned += g.Ranks.Len()
		default:
			r.Size, r.Ranks = max(r.Size, g.Size), r.Ranks+g.Ranks.Len()
			if v, ok := g.Complete.Constant(); !ok || v == 0 {
				for i := range g.Ranks.Len() {
					if g.Complete.At(g.Ranks.At(i)) == 0 {
						r.Unfinished++
					}
				}
			}
		}
	}
	type key struct{ name, reason string }
	found := map[key]*Skipped{}
	for _, c := range a.Classes() {
		if g := c.Group(); g.Unranked || g.World != 0 {
			continue
		}
		r.Threads = max(r.Threads, c.Thread()+1)
		counts, _, err := c.Counts()
		if err != nil {
			return nil, err
		}
		here := map[key]bool{}
		sigs, err := c.Stream(c.Ranks().At(0)).Signatures()
		if err != nil {
			return nil, err
		}
		dynamic := Dynamic(sigs)
		for i, n := range counts {
			f := spec.ByID(sigs[i].Func)
			if f.Own() {
				continue
			}
			r.Calls += n
			reason := t.ReasonOf(sigs[i], dynamic)
			if reason == "" {
				continue
			}
			k := key{f.Name, reason}
			if found[k] == nil {
				found[k] = &Skipped{Func: f.Name, Reason: reason}
			}
			found[k].Calls += n
			if !here[k] {
				here[k] = true
				found[k].Ranks += c.Ranks().Len()
			}
		}
	}
	for _, s := range found {
		r.Skipped = append(r.Skipped, *s)
	}
	slices.SortFunc(r.Skipped, func(a, b Skipped) int {
		return cmp.Or(cmp.Compare(a.Reason, b.Reason), cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Func, b.Func))
	})
	return r, nil
}
