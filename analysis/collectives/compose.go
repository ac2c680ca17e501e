package collectives

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// composed are operations that two others make, one after the other among the same processes. Where both have roots
// they are the same.
var composed = map[[2]string]string{
	{"reduce", "broadcast"}:         "allreduce",
	{"reduce-scatter", "allgather"}: "allreduce",
	{"reduce", "scatter"}:           "reduce-scatter",
	{"gather", "broadcast"}:         "allgather",
	{"scatter", "allgather"}:        "broadcast",
	{"reduce-scatter", "gather"}:    "reduce",
}

// compose makes one finding of two that are parts of an operation: as often, among the same processes, one after the
// other.
func compose(found []Finding) []Finding {
	for i := range found {
		for k := range found {
			if i == k || !after(&found[i], &found[k]) {
				continue
			}
			if operation, ok := composed[[2]string{found[i].Operation, found[k].Operation}]; ok {
				f := join(operation, &found[i], &found[k])
				out := []Finding{f}
				for j := range found {
					if j != i && j != k {
						out = append(out, found[j])
					}
				}
				return compose(out)
			}
		}
	}
	return found
}

// after tells whether b belongs behind a.
func after(a, b *Finding) bool {
	if a.Grade == NearMiss || b.Grade == NearMiss || a.Instances != b.Instances || a.Comm != b.Comm ||
		!slices.EqualFunc(a.Sets, b.Sets, slices.Equal) {
		return false
	}
	if len(a.Roots) > 0 && len(b.Roots) > 0 && !slices.Equal(a.Roots, b.Roots) {
		return false
	}
	first, last := extent(a)
	begin, end := extent(b)
	for p := range last { // and in the next instance before
		if from, both := begin[p]; both && (from < last[p] || first[p] > end[p]) {
			return false
		}
	}
	return len(last) > 0
}

// extent is the first and last call of an instance, by process.
func extent(f *Finding) (first, last map[int32]uint64) {
	first, last = map[int32]uint64{}, map[int32]uint64{}
	see := func(p int32, call uint64) {
		if at, known := first[p]; !known || call < at {
			first[p] = call
		}
		last[p] = max(last[p], call)
	}
	for _, m := range f.One {
		see(m.From, m.Sent)
		see(m.To, m.Received)
	}
	return first, last
}

func join(operation string, a, b *Finding) Finding {
	f := Finding{Operation: operation, Call: callFor(operation), Op: cmp.Or(a.Op, b.Op), Grade: Consistent,
		Sets: a.Sets,
		Comm: a.Comm, SendSites: union(a.SendSites, b.SendSites), RecvSites: union(a.RecvSites, b.RecvSites),
		Instances: a.Instances, Proven: min(a.Proven, b.Proven), Bytes: max(a.Bytes, b.Bytes),
		Block: blockOf(operation, len(a.Sets[0]), a.Block, b.Block), Segments: 1,
		Algorithm: a.Operation + " and " + b.Operation, Steps: a.Steps + b.Steps, Messages: a.Messages + b.Messages,
		Unproven: union(a.Unproven, b.Unproven), Against: union(a.Against, b.Against),
		One: slices.Concat(a.One, b.One), Parts: append(parts(a), parts(b)...)}
	f.All = joined(operation, a.All, b.All)
	if operation == "broadcast" || operation == "reduce" {
		f.Roots = union(a.Roots, b.Roots)
	}
	if f.Proven == f.Instances {
		f.Grade = Proven
	}
	return f
}

// joined puts the instances of two operations together, one of each; none if they do not belong together.
func joined(operation string, a, b []Instance) []Instance {
	if len(a) != len(b) {
		return nil
	}
	a, b = inTurn(a), inTurn(b)
	all := make([]Instance, len(a))
	for i := range a {
		if !slices.Equal(a[i].Set, b[i].Set) || a[i].Count != b[i].Count {
			return nil
		}
		all[i] = Instance{Set: a[i].Set, Root: max(a[i].Root, b[i].Root), Count: a[i].Count,
			Messages: slices.Concat(a[i].Messages, b[i].Messages),
			Block:    blockOf(operation, len(a[i].Set), a[i].Block, b[i].Block)}
		if operation != "broadcast" && operation != "reduce" {
			all[i].Root = -1
		}
	}
	return all
}

// inTurn sorts instances by their sets, and those of a set in the order of the first call of one of its processes.
func inTurn(all []Instance) []Instance {
	first := func(x *Instance) uint64 {
		least := uint64(math.MaxUint64)
		for _, m := range x.Messages {
			if m.From == x.Set[0] {
				least = min(least, m.Sent)
			} else if m.To == x.Set[0] {
				least = min(least, m.Received)
			}
		}
		return least
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Instance) int {
		return cmp.Or(slices.Compare(a.Set, b.Set), cmp.Compare(first(&a), first(&b)))
	})
	return all
}

// parts describe what an operation is made of.
func parts(f *Finding) []string {
	if len(f.Parts) > 0 {
		return f.Parts
	}
	return []string{fmt.Sprintf("%s, %s: %s, %d messages, %d one after the other", f.Operation, f.Grade, f.Algorithm,
		f.Messages, f.Steps)}
}

// blockOf is Finding.Block of an operation among n processes that is made of two with such blocks.
func blockOf(operation string, n int, a, b int64) int64 {
	switch operation {
	case "allgather": // each has what is gathered
		return a
	case "broadcast":
		return a * int64(n)
	}
	return max(a, b)
}
