package loops

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tabard-hpc/tabard/internal/codec/nest"
)

// What makes a loop the time-step loop.
const (
	minStep = 0.25 // the share that it has at least
	few     = 5    // a loop of fewer iterations is one around the time steps, if there is an inner one
	inside  = 0.6  // that has this part of it, and
	more    = 2    // this many times its iterations
	nearAll = 0.9  // of the share of a loop around groups of time steps, see groups
)

// A StepLoop names the time-step loop: by how often it is repeated, by where it is, or by the region that each
// iteration is. The zero value names none.
type StepLoop struct {
	iterations uint64
	file       string
	line       int
	region     string
}

// Region is the name of a region that is a time step, "" if a loop is meant. Package selection knows regions.
func (s StepLoop) Region() string { return s.region }

// ParseStepLoop understands a number of iterations (100), a line of the source in a loop (solve.c:41), and else the
// name of a region.
func ParseStepLoop(text string) (StepLoop, error) {
	if n, err := strconv.ParseUint(strings.TrimSuffix(text, "x"), 10, 64); err == nil && n > 0 {
		return StepLoop{iterations: n}, nil
	}
	if i := strings.LastIndexByte(text, ':'); i > 0 {
		first, _, _ := strings.Cut(text[i+1:], "-")
		if line, err := strconv.Atoi(first); err == nil && line > 0 {
			return StepLoop{file: text[:i], line: line}, nil
		}
	}
	if strings.TrimSpace(text) == "" {
		return StepLoop{}, errors.New("want a number of iterations, FILE:LINE or the name of a region")
	}
	return StepLoop{region: text}, nil
}

func (s StepLoop) isZero() bool { return s == StepLoop{} }

// names tells whether a loop is meant: any that has the line in it.
func (s StepLoop) names(x *candidate) bool {
	if s.iterations > 0 {
		return x.iterations == s.iterations
	}
	f, last, ok := x.loop.Place()
	path := "/" + f.File
	return ok && f.Line <= s.line && s.line <= last && strings.HasSuffix(path, "/"+strings.TrimPrefix(s.file, "/"))
}

// A candidate is a loop that may be the time-step loop.
type candidate struct {
	loop       *Node
	iterations uint64  // in all its executions
	weight     float64 // share of the calls or, where the time is known, the mean of both shares
	inner      []*candidate
}

// mostMeasured is how many iterations of a loop are looked at.
const mostMeasured = 1 << 10

// even is how many iterations of equal length would be spread as those of a loop are, by calls: the square of their sum
// by the sum of their squares. A loop over the commands of an input, one of which is the simulation, has one or two.
func (c *Class) even(loop *Node) float64 {
	it := c.Iterations(0, loop)
	if it == nil {
		return 0
	}
	n, all := it.Len(), 0.0
	stride := (n + mostMeasured - 1) / mostMeasured
	sum, squares := 0.0, 0.0
	for k := uint64(0); k < n; k += stride {
		from, to := it.Range(k)
		length := float64(to - from)
		sum += length * float64(min(stride, n-k))
		squares += length * length * float64(min(stride, n-k))
	}
	for _, m := range loop.Body {
		all += float64(it.events(m, n))
	}
	if missed := all - sum; missed > 0 { // in iterations that were not looked at, one perhaps
		squares += missed * missed
	}
	return all * all / max(squares, 1)
}

// candidates are the loops of a sequence with those in them, the greatest first.
func candidates(seq []*Node, time float64) []*candidate {
	var list []*candidate
	for _, n := range seq {
		if n.Kind != Loop {
			continue
		}
		x := &candidate{loop: n, iterations: n.Counts[0].Sum(), weight: n.Share}
		of := time // the part of the time that a unit of calls takes
		if n.Time >= 0 && n.Share > 0 {
			of = n.Time / n.Share
		}
		if of >= 0 {
			x.weight = (n.Share + of*n.Share) / 2
		}
		x.inner = candidates(n.Body, of)
		list = append(list, x)
	}
	slices.SortStableFunc(list, func(a, b *candidate) int { return cmp.Compare(b.weight, a.weight) })
	return list
}

// preferred is the time-step loop as one class sees it: the outermost one, unless that is repeated a few
// times only and has one in it that is repeated often.
func (c *Class) preferred(list []*candidate) *candidate {
	if len(list) == 0 || list[0].weight < minStep {
		return nil
	}
	x := list[0]
	even := c.even(x.loop)
	for y := x; even < few && len(y.inner) > 0 && !y.loop.whole; {
		if y = y.inner[0]; y.weight < inside*x.weight {
			break
		}
		if of := c.even(y.loop); of >= max(few, more*even) {
			x, even = y, of
		}
	}
	for len(x.inner) > 0 && c.groups(x, x.inner[0]) {
		x = x.inner[0]
	}
	return x
}

// groups tells whether the iterations of x are groups of time steps, which are those of y: nearly all is in y, which
// has equally many iterations each time, and what is besides only sums up, collects or writes, as each k-th step of
// many programs does. If that is not clear, Or says what it may be as well. A loop over levels has other parameters in
// each iteration.
func (c *Class) groups(x, y *candidate) bool {
	k, clear := groupSize(y.loop.Counts[0])
	if k < leastKth || y.weight < nearAll*x.weight || x.loop.whole {
		return false
	}
	for _, m := range x.loop.Body {
		if m != y.loop && (m.Kind != Call || m.talks()) {
			return false
		}
	}
	if !clear && (!slices.ContainsFunc(y.loop.Body, (*Node).talks) || differs(y.loop.Body, 1)) {
		return false
	}
	if !clear && y.loop.Or == 0 {
		y.loop.Or = x.iterations
	}
	return true
}

// groupSize is the count that all of c are, but for one at each end, which may be less; what is done besides groups may
// be done before the first and after the last, too, where 0 stand. 0 if c is not like that. Either makes it clear that
// these are groups of one sequence: no loop around another one leaves that out, or ends it early, just then.
func groupSize(c *nest.Counts) (k uint64, clear bool) {
	at, zeros, end := uint64(0), uint64(0), false // zeros at the begin; after end only others may follow
	for v, n := range c.All() {
		first := at == zeros
		switch at += n; {
		case v == c.Max() && !end:
			continue
		case v == 0 && first:
			zeros += n
		case v == 0:
			end = true
		case n == 1 && !end:
			end = !first
		default:
			return 0, false
		}
		clear = true
	}
	return c.Max(), clear
}

// talks tells whether calls of a node exchange data with single others.
func (n *Node) talks() bool {
	if n.Kind != Call {
		return slices.ContainsFunc(n.Body, (*Node).talks)
	}
	c := n.Shape.Func.Category
	return c == "pt2pt" || c == "neighbor"
}

// differs tells whether a call has more different parameters than it is made in one iteration of a sequence, which
// makes each node at most a number of times as often as its counts say.
func differs(seq []*Node, times uint64) bool {
	for _, n := range seq {
		most := times * n.Counts[0].Max()
		if n.Kind == Call && uint64(len(n.terminals(0))) > most || n.Kind == Loop && differs(n.Body, most) {
			return true
		}
	}
	return false
}

// find is the outermost candidate that fulfils a condition, the greatest of several.
func find(list []*candidate, wanted func(*candidate) bool) *candidate {
	for level := list; len(level) > 0; {
		var next []*candidate
		for _, x := range level {
			if wanted(x) {
				return x
			}
			next = append(next, x.inner...)
		}
		level = next
	}
	return nil
}

// findSteps points out the time-step loops. All ranks of a program do the same time steps: a class whose
// choice differs from that of most ranks takes a loop with as many iterations, if it has one.
func findSteps(classes []*Class, named StepLoop) error {
	lists := make([][]*candidate, len(classes))
	choice := make([]*candidate, len(classes))
	votes, all := map[uint64]int{}, 0
	for i, c := range classes {
		if c.Thread == 0 {
			c.callLoop()
		}
		lists[i] = candidates(c.Body, -1)
	}
	if !named.isZero() {
		return nameSteps(classes, lists, named)
	}
	for i, c := range classes {
		choice[i] = c.preferred(lists[i])
		if choice[i] != nil && c.Thread == 0 {
			votes[choice[i].iterations] += len(c.Streams())
			all += len(c.Streams())
		}
	}
	most := uint64(0)
	for n, v := range votes {
		if v > votes[most] || v == votes[most] && n < most {
			most = n
		}
	}
	for i, c := range classes {
		x := choice[i]
		if 2*votes[most] > all && (x == nil || x.iterations != most) {
			y := find(lists[i], func(y *candidate) bool { return y.iterations == most && y.weight >= minStep })
			if y != nil {
				x = y
			}
		}
		if x != nil {
			c.Step, x.loop.Step = x.loop, true
		}
	}
	return nil
}

func nameSteps(classes []*Class, lists [][]*candidate, named StepLoop) error {
	found := false
	for i, c := range classes {
		if x := find(lists[i], named.names); x != nil {
			c.Step, x.loop.Step, found = x.loop, true, true
		}
	}
	if !found {
		return errors.New("no loop is " + named.String() + "; tabard loops shows what loops there are")
	}
	return nil
}

// String is what ParseStepLoop understands.
func (s StepLoop) String() string {
	switch {
	case s.region != "":
		return s.region
	case s.iterations > 0:
		return fmt.Sprintf("%dx", s.iterations)
	}
	return fmt.Sprintf("%s:%d", s.file, s.line)
}

// callLoop makes a loop of a call that is most of what a class does, again and again: it has no loop
// that could be the time-step loop otherwise.
func (c *Class) callLoop() {
	var best *Node
	for _, n := range c.Body {
		if n.Kind == Loop && n.Share >= minStep {
			return
		}
		if n.Kind == Call && !n.Polls && n.Share >= minStep && n.Counts[0].Min() >= few && n.communicates() &&
			(best == nil || n.Share > best.Share) {
			best = n
		}
	}
	if best == nil {
		return
	}
	one := *best
	one.Counts = nil
	for _, k := range best.Counts {
		one.Counts = append(one.Counts, nest.Constant(1, k.Sum()))
	}
	*best = Node{Kind: Loop, Counts: best.Counts, Shape: best.Shape, Body: []*Node{&one}, Calls: best.Calls,
		Share: best.Share, Time: best.Time}
	best.place, best.last, best.placed = placeOf(best.Body)
	c.size++
}

// communicates tells whether a call exchanges data, and is neither one that waits for others to nor one in
// a recursion.
func (n *Node) communicates() bool {
	if n.Shape.Recursive != "" {
		return false
	}
	switch n.Shape.Func.Category {
	case "pt2pt", "collective", "neighbor":
		return true
	}
	return false
}
