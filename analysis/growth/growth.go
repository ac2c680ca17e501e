// Package growth finds what a program sends more and more of, or much more from a time step on.
//
// For each thread and call site the bytes that the calls of each time step send are summed up (of a collective, those
// of the process's own buffers). With the sums x_0 ... x_n-1 of the n steps after the first tenth, of which at most
// MaxSteps are told apart:
//
//	jump   a step k with mean(x_k ... x_n-1) of at least 4 times mean(x_0 ... x_k-1), where each of the later sums is
//	       more than 1.5 times that of nine tenths of the earlier ones; of all such k the one with the greatest quotient
//	trend  the means of the four quarters increase, and the last one is at least 1.5 times the first one
//
// # Cost
//
// One pass over the parameters of all calls, without their times, on one processor. Memory is 8 bytes for each step and
// call site of a thread.
package growth

import (
	"cmp"
	"slices"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/spec"
)

// MaxSteps is how many steps are told apart; of more, several are taken together. leastSteps is how many there must be.
const (
	MaxSteps   = 1 << 14
	leastSteps = 16
)

// What counts as growth: factors, and how many bytes a step must have in the end.
const (
	jumps     = 4.0
	edges     = 1.5 // at the jump itself, which tells it from steady growth
	trends    = 1.5
	leastSize = 4096
)

// Growth is a call site that sends more in later time steps, at one process.
type Growth struct {
	Process    int32
	Func, Site string
	// Jump tells a jump in step Step from a trend, of which Step is the last step.
	Jump bool
	Step uint64
	// Before and After are the bytes of a step: means before and from the jump on, or of the first and the last
	// quarter.
	Before, After float64
	// Of are all processes where the call site grows likewise, Process the one where it grows most; Others is the mean
	// of After of those that call it and where it does not grow, 0 if there are none.
	Of     *rankfunc.Set
	Others float64
}

type key struct{ fn, site string }

// place is a call site of a thread.
type place struct {
	key
	bytes []float64 // by step
}

// Of finds the call sites that grow, the greatest factor first.
func Of(p *calls.Program, steps *selection.StepIndex) ([]Growth, error) {
	grown := map[key][]Growth{}
	still := map[key][]float64{} // means of those that do not
	for s := range p.Archive.Streams() {
		of, err := steps.Of(s)
		if err != nil {
			return nil, err
		}
		if of == nil || of.Len() < leastSteps {
			continue
		}
		places, stride, err := read(p, s, of)
		if err != nil {
			return nil, err
		}
		for _, x := range places {
			if g, ok := x.grows(); ok {
				g.Process, g.Step = p.Number(s.Process()), g.Step*stride
				grown[x.key] = append(grown[x.key], g)
			} else {
				still[x.key] = append(still[x.key], mean(x.bytes))
			}
		}
	}
	var list []Growth
	for k, all := range grown {
		list = append(list, joined(all, still[k]))
	}
	slices.SortFunc(list, func(a, b Growth) int {
		return cmp.Or(cmp.Compare(b.factor(), a.factor()), cmp.Compare(a.Func+a.Site, b.Func+b.Site))
	})
	return list, nil
}

func (g *Growth) factor() float64 { return g.After / max(g.Before, 1) }

// joined is the growth of all processes at one call site: that of the one where it is greatest.
func joined(all []Growth, still []float64) Growth {
	most := all[0]
	ranks := make([]int, 0, len(all))
	for i := range all {
		if all[i].After > most.After {
			most = all[i]
		}
		ranks = append(ranks, int(all[i].Process))
	}
	slices.Sort(ranks)
	most.Of = rankfunc.NewSet(slices.Compact(ranks))
	if len(still) > 0 {
		most.Others = mean(still)
	}
	return most
}

// read sums up the bytes of a thread by call site and step.
func read(p *calls.Program, s *archive.Stream, of *selection.StreamSteps) ([]*place, uint64, error) {
	r, err := p.Reader(s)
	if err != nil {
		return nil, 0, err
	}
	sigs, err := s.Signatures()
	if err != nil {
		return nil, 0, err
	}
	stride := (of.Len() + MaxSteps - 1) / MaxSteps
	cursor := of.Cursor()
	found := map[key]*place{}
	terms := make([]*place, len(sigs))
	for {
		op, err := r.Next()
		if err == nil {
			err = r.Hopeless(s.Calls())
		}
		if err != nil {
			return nil, 0, err
		}
		if op == nil {
			break
		}
		if op.Kind != calls.Send && op.Kind != calls.SendRecv && op.Kind != calls.Collective || op.Send.Bytes <= 0 ||
			op.Func.Kind != 0 {
			continue
		}
		step, ok, err := cursor.Find(op.Call)
		if err != nil {
			return nil, 0, err
		}
		if !ok {
			continue
		}
		x := terms[op.Terminal]
		if x == nil {
			k := keyOf(s, sigs[op.Terminal])
			if x = found[k]; x == nil {
				x = &place{key: k, bytes: make([]float64, (of.Len()+stride-1)/stride)}
				found[k] = x
			}
			terms[op.Terminal] = x
		}
		x.bytes[step/stride] += float64(op.Send.Bytes)
	}
	list := make([]*place, 0, len(found))
	for _, x := range found {
		list = append(list, x)
	}
	return list, stride, nil
}

func keyOf(s *archive.Stream, sig *archive.Signature) key {
	k := key{fn: spec.ByID(sig.Func).Name}
	if site := s.Site(sig); site != nil {
		k.site = site.String()
	}
	return k
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(max(len(x), 1))
}

// grows looks for a jump, or else for a trend.
func (x *place) grows() (g Growth, ok bool) {
	g = Growth{Func: x.fn, Site: x.site}
	n := len(x.bytes)
	skip := n / 10 // what begins slowly is none
	if k, factor := jump(x.bytes[skip:]); factor >= jumps {
		g.Jump, g.Step = true, uint64(skip+k)
		g.Before, g.After = mean(x.bytes[skip:skip+k]), mean(x.bytes[skip+k:])
		return g, g.After >= leastSize
	}
	var q [4]float64
	rest := x.bytes[skip:]
	for i := range q {
		q[i] = mean(rest[i*len(rest)/4 : (i+1)*len(rest)/4])
	}
	g.Before, g.After, g.Step = q[0], q[3], uint64(n-1)
	return g, q[0] < q[1] && q[1] < q[2] && q[2] < q[3] && q[3] >= trends*q[0] && q[3] >= leastSize
}

// jump is from where on the sums are greatest, compared with those before; factor is 0 if it is less than jumps.
func jump(x []float64) (at int, factor float64) {
	n := len(x)
	least := make([]float64, n+1) // of the sums from i on
	least[n] = 1e300
	sums := make([]float64, n+1)
	for i := n - 1; i >= 0; i-- {
		least[i] = min(least[i+1], x[i])
	}
	for i, v := range x {
		sums[i+1] = sums[i] + v
	}
	edge := max(n/10, 2)
	for k := edge; k < n-edge; k++ {
		before, after := sums[k]/float64(k), (sums[n]-sums[k])/float64(n-k)
		f := after / max(before, 1)
		if f < jumps || f <= factor {
			continue
		}
		below := 0 // of the earlier sums
		for _, v := range x[:k] {
			if edges*v < least[k] {
				below++
			}
		}
		if below > k*9/10 {
			at, factor = k, f
		}
	}
	return at, factor
}
