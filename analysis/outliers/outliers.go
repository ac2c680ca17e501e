// Package outliers groups ranks and threads by what they did, and explains those that did something else by the
// smallest difference from the ones that they are most like.
//
// Threads that made the same calls in the same order are one variant. How much two variants have in common is a matter
// of attributes, as in DiffTrace (Taheri et al., "DiffTrace: Efficient Whole-Program Trace Analysis and Diffing for
// Debugging", IEEE Cluster 2019): which calls were made, roughly how often, and which came after which. Variants become
// groups by hierarchical clustering. A variant of few threads is compared with the one that is most like it, of those
// that more threads did (see package diff), call by call.
//
// Ranks have roles: one at the border of a grid sends less, the first one collects results. That is why differences are
// told apart by how often they occur. What happens in a few iterations of a loop that others pass, too, or is the same
// calls in another order, stands out; what happens in each iteration, or once in the program, may be a role.
//
// Nothing is expanded: attributes and differences come from grammars.
package outliers

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Thread is a thread of a process.
type Thread struct{ World, Rank, Thread int }

// Variant is threads that made the same calls in the same order.
type Variant struct {
	Threads []Thread
	Calls   uint64 // of each
	Group   int    // index in Result.Groups

	streams []*archive.Stream
	attr    map[string]float64
	weight  int // threads that did the same as far as they came
}

// Outlier is a variant that differs from what it is like.
type Outlier struct {
	Variant *Variant
	// Of is what it is compared with, and Similarity how much both have in common, from 0 to 1.
	Of         *Variant
	Similarity float64
	// Kind says how much it stands out.
	Kind Kind
	// First is what tells most, the first of its kind; Differences how many there are.
	First       *diff.Difference
	Differences int
	// Instead is what the others did where First is, nil if that is nothing else.
	Instead *diff.Difference
}

// Kind is how much an outlier stands out.
type Kind int

// Kinds of outliers, what stands out first.
const (
	Sporadic   Kind = iota // in some iterations of a loop, or the same calls in another order
	Once                   // once in the program
	Systematic             // in each iteration of a loop
	Behind                 // nothing else: it only came less far, or further, before the job ended
)

// String is the kind in lower case.
func (k Kind) String() string { return [...]string{"sporadic", "once", "systematic", "behind"}[k] }

// Result is who did what.
type Result struct {
	Variants []*Variant // the greatest first
	// Groups are variants that are alike, as indices in Variants, the greatest group first.
	Groups [][]int
	// Similarity is how much each two variants have in common.
	Similarity [][]float64
	// Outliers are sorted, what stands out most first.
	Outliers []*Outlier
	// More is how many variants are in no group, as there are too many.
	More int

	progress    func(done, total uint64)
	done, steps uint64
}

// pass says that a step is done.
func (r *Result) pass() {
	if r.done++; r.progress != nil {
		r.progress(r.done, max(r.done, r.steps))
	}
}

// Limits of what is looked at.
const (
	maxVariants = 128
	maxOutliers = 32
	// together is how much variants of one group have in common.
	together = 0.8
)

// Of groups the threads of a recording whose ranks are wanted (nil: all). Progress is called now and then with the
// number of steps that are done and of all: each thread is one, and so is each comparison. It may be nil.
func Of(a *archive.Archive, wanted func(rank int) bool, progress func(done, total uint64)) (*Result, error) {
	r := &Result{progress: progress, steps: uint64(a.NumStreams())}
	if err := r.variants(a, wanted); err != nil {
		return nil, err
	}
	if len(r.Variants) > maxVariants {
		r.More = len(r.Variants) - maxVariants
		r.Variants = r.Variants[:maxVariants]
	}
	r.steps += uint64(len(r.Variants))
	for _, v := range r.Variants {
		r.pass()
		var err error
		if v.attr, err = attributes(v.streams[0]); err != nil {
			return nil, err
		}
	}
	r.compare()
	r.cluster()
	return r, r.find(a)
}

// variants divides the streams.
func (r *Result) variants(a *archive.Archive, wanted func(rank int) bool) error {
	for _, c := range a.Classes() {
		d, err := c.Data()
		if err != nil {
			return err
		}
		common, err := agreements(c, d)
		if err != nil {
			return err
		}
		at := map[string]*Variant{}
		for rank := range c.Ranks().All() {
			r.pass()
			if wanted != nil && !wanted(rank) {
				continue
			}
			key := ""
			for _, f := range d.Trips {
				key += fmt.Sprint(f.At(rank), " ")
			}
			more, err := values(c.Stream(rank), common)
			if err != nil {
				return err
			}
			key += more
			v := at[key]
			if v == nil {
				calls, err := c.Stream(rank).ProgramCalls()
				if err != nil {
					return err
				}
				v = &Variant{Calls: calls}
				at[key] = v
				r.Variants = append(r.Variants, v)
			}
			v.Threads = append(v.Threads, Thread{c.Group().World, rank, c.Thread()})
			v.streams = append(v.streams, c.Stream(rank))
		}
	}
	slices.SortStableFunc(r.Variants, func(x, y *Variant) int { return cmp.Compare(len(y.Threads), len(x.Threads)) })
	return nil
}

// agreement is the slots of a terminal that all ranks should agree on although members of the class differ: roots of
// collectives, and how much they are about where that is the same for all.
type agreement struct {
	t     uint32
	slots []int
}

func agreements(c *archive.Class, d *archive.ClassData) (list []agreement, err error) {
	for t := range d.Terminals {
		tm, err := c.Template(uint32(t))
		if err != nil {
			return nil, err
		}
		if f := spec.ByID(tm.Func); f.Has(spec.Collective) && slices.Contains(tm.Open, true) {
			list = append(list, agreement{uint32(t), agreed(f)})
		}
	}
	return list, nil
}

// values are what a member of a class has there.
func values(s *archive.Stream, list []agreement) (text string, err error) {
	for _, x := range list {
		sig, err := s.Signature(x.t)
		if err != nil {
			return "", err
		}
		for _, slot := range x.slots {
			if v := &sig.Slots[slot]; v.Kind == archive.Int {
				text += fmt.Sprint(x.t, "=", v.N, " ")
			}
		}
	}
	return text, nil
}

// agreed are the slots of a collective that all ranks give the same value.
func agreed(f *spec.Func) (list []int) {
	counts := true
	for _, s := range f.Slots[:f.NumIn] {
		counts = counts && !s.Array // with an array each rank may have its own
	}
	for _, r := range []spec.Role{spec.RoleRoot, spec.RoleSendCount, spec.RoleRecvCount} {
		if slot := f.Slot(r); slot >= 0 && slot < f.NumIn && (counts || r == spec.RoleRoot) {
			list = append(list, slot)
		}
	}
	return list
}

// compare fills the matrix: the Jaccard index of attributes.
func (r *Result) compare() {
	r.Similarity = make([][]float64, len(r.Variants))
	for i := range r.Variants {
		r.Similarity[i] = make([]float64, len(r.Variants))
		r.Similarity[i][i] = 1
		for j := range i {
			x, y := r.Variants[i].attr, r.Variants[j].attr
			both := 0
			for k := range x {
				if _, ok := y[k]; ok {
					both++
				}
			}
			s := 1.0
			if n := len(x) + len(y) - both; n > 0 {
				s = float64(both) / float64(n)
			}
			r.Similarity[i][j], r.Similarity[j][i] = s, s
		}
	}
}

// cluster joins the two groups that have most in common on average, until no two have enough.
func (r *Result) cluster() {
	for i := range r.Variants {
		r.Groups = append(r.Groups, []int{i})
	}
	for {
		best, x, y := together, -1, -1
		for i := range r.Groups {
			for j := range i {
				if s := r.mean(r.Groups[i], r.Groups[j]); s >= best {
					best, x, y = s, j, i
				}
			}
		}
		if x < 0 {
			break
		}
		r.Groups[x] = append(r.Groups[x], r.Groups[y]...)
		r.Groups = slices.Delete(r.Groups, y, y+1)
	}
	size := func(g []int) (n int) {
		for _, i := range g {
			n += len(r.Variants[i].Threads)
		}
		return n
	}
	slices.SortStableFunc(r.Groups, func(x, y []int) int { return cmp.Compare(size(y), size(x)) })
	for k, g := range r.Groups {
		slices.Sort(g)
		for _, i := range g {
			r.Variants[i].Group = k
		}
	}
}

func (r *Result) mean(x, y []int) float64 {
	sum := 0.0
	for _, i := range x {
		for _, j := range y {
			sum += r.Similarity[i][j]
		}
	}
	return sum / float64(len(x)*len(y))
}

// find compares each variant of few threads with the one of more threads that it is most like.
func (r *Result) find(a *archive.Archive) error {
	if err := r.weigh(a); err != nil {
		return err
	}
	for i, v := range r.Variants {
		best := -1
		for j, u := range r.Variants {
			if comparable(v, u) && (best < 0 || r.Similarity[i][j] > r.Similarity[i][best] ||
				r.Similarity[i][j] == r.Similarity[i][best] && sameThread(v, u) && !sameThread(v, r.Variants[best])) {
				best = j
			}
		}
		if best < 0 || len(r.Outliers) == maxOutliers {
			continue
		}
		u := r.Variants[best]
		r.pass()
		d, err := diff.Threads(a, v.streams[0], u.streams[0])
		if err != nil {
			return err
		}
		if len(d.Differences) == 0 {
			continue
		}
		o := &Outlier{Variant: v, Of: u, Similarity: r.Similarity[i][best], Kind: Systematic,
			Differences: len(d.Differences)}
		for _, x := range d.Differences {
			switch k := kindOf(x); {
			case o.First == nil || k < o.Kind:
				o.First, o.Kind = x, k
			case k == o.Kind && o.Instead == nil && opposite(x, o.First):
				o.Instead = x
				if x.Kind == diff.Missing {
					o.First, o.Instead = x, o.First
				}
			case o.Instead == nil && shifted(o.First, x):
				o.First, o.Instead = without(o.First, x), without(x, o.First)
			}
		}
		r.Outliers = append(r.Outliers, o)
	}
	slices.SortStableFunc(r.Outliers, func(x, y *Outlier) int {
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(len(x.Variant.Threads), len(y.Variant.Threads)),
			cmp.Compare(x.Differences, y.Differences), -cmp.Compare(x.Similarity, y.Similarity))
	})
	return nil
}

// comparable tells whether a variant may be an outlier of another: more threads did that, and both are of the threads
// that processes begin with, or of others.
func comparable(v, u *Variant) bool {
	more := len(u.Threads) >= 2*len(v.Threads) || u.weight >= 2*v.weight
	return more && (v.Threads[0].Thread == 0) == (u.Threads[0].Thread == 0)
}

// maxWeighed is of how many variants weigh compares each two.
const maxWeighed = 16

// weigh finds which variants of a job that was ended are the same as far as they came.
func (r *Result) weigh(a *archive.Archive) error {
	for _, v := range r.Variants {
		v.weight = len(v.Threads)
	}
	for i, v := range r.Variants[:min(len(r.Variants), maxWeighed)] {
		for _, u := range r.Variants[:i] {
			x, y := v.streams[0], u.streams[0]
			if !sameThread(v, u) || x.Rank().Complete && y.Rank().Complete {
				continue
			}
			r.pass()
			d, err := diff.Threads(a, x, y)
			if err != nil {
				return err
			}
			if !slices.ContainsFunc(d.Differences, func(x *diff.Difference) bool { return kindOf(x) != Behind }) {
				v.weight += len(u.Threads)
				u.weight += len(v.Threads)
			}
		}
	}
	return nil
}

func sameThread(v, u *Variant) bool { return v.Threads[0].Thread == u.Threads[0].Thread }

// opposite tells whether one is what was done where the other was not.
func opposite(x, y *diff.Difference) bool {
	if x.Kind+y.Kind != diff.Missing+diff.Extra || x.Kind == y.Kind || x.Count != y.Count ||
		len(x.Places) != len(y.Places) {
		return false
	}
	for i := range x.Places {
		if x.Places[i].Iteration != y.Places[i].Iteration {
			return false
		}
	}
	return true
}

// shifted tells whether calls that only one made, and an iteration less of the loop that they are in, are one iteration
// in which it did something else.
func shifted(x, trips *diff.Difference) bool {
	if x.Kind != diff.Missing || trips.Kind != diff.Trips || len(x.Places) == 0 || x.More+trips.More > 0 {
		return false
	}
	return len(without(x, trips).Calls) > 0 && len(without(x, trips).Calls) < len(x.Calls) &&
		len(without(trips, x).Calls) > 0
}

// without is a difference without the calls that another one has, too.
func without(x, y *diff.Difference) *diff.Difference {
	d := *x
	d.Calls = nil
	for _, c := range x.Calls {
		if !slices.Contains(y.Calls, c) {
			d.Calls = append(d.Calls, c)
		}
	}
	if len(d.Calls) > 0 {
		d.Call = d.Calls[0]
	}
	return &d
}

// kindOf tells how much a difference stands out.
func kindOf(d *diff.Difference) Kind {
	switch d.Kind {
	case diff.Order:
		return Sporadic
	case diff.Hang, diff.Stop:
		return Behind
	}
	around := uint64(0)
	for _, p := range d.Places {
		around = max(around, p.Iterations)
	}
	if d.Kind == diff.Parameter {
		around = max(around, d.Of)
	}
	switch {
	case around > 1 && d.Count <= uint64(math.Ceil(float64(around)/4)):
		return Sporadic
	case around > 1:
		return Systematic
	}
	return Once
}
