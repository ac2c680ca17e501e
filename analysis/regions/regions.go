// Package regions sums up the parts of a program that it names itself: how often each was entered, how long that took,
// how much of it was spent in calls, and how evenly ranks share it.
//
// A region is known by its path: the names of the regions that it is in, and its own, such as "step/exchange". Regions
// are those of one thread. Begins and ends are matched by their order; an end without a begin is counted and ignored,
// a region that never ends lasts as long as what is looked at. Every event is looked at once.
package regions

import (
	"slices"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Region is what all threads did in the regions of one path.
type Region struct {
	Path []string
	// From is what the regions were made with, empty for the interface of tabard; that of the first one.
	From string
	// Count is how often it was entered, Calls how many calls were made in it, inner regions included. Recursion counts
	// a region in itself as another one.
	Count, Calls uint64
	// Time is the time from begin to end, of all ranks together, InCalls that of the calls in it.
	Time, InCalls time.Duration
	// InKind is InCalls by the kind of the calls.
	InKind []time.Duration
	// Ranks is how many processes have it; Most is the time of the one that took longest, Process its number
	// (-1: none).
	Ranks   int
	Most    time.Duration
	Process int

	of map[int]time.Duration // by process
}

// Name is the path as text.
func (r *Region) Name() string { return strings.Join(r.Path, "/") }

// Mean is the mean time of the ranks that have it.
func (r *Region) Mean() time.Duration { return r.Time / time.Duration(max(r.Ranks, 1)) }

// Imbalance is how much of the longest rank's time the mean lacks, from 0 to 1.
func (r *Region) Imbalance() float64 {
	if r.Most <= 0 {
		return 0
	}
	return 1 - float64(r.Mean())/float64(r.Most)
}

// Result is the regions of an archive.
type Result struct {
	// Regions are in the order of their first begins, inner ones behind those that they are in.
	Regions []*Region
	Timed   bool
	// Elapsed is the time of all processes from the first selected event to the last one.
	Elapsed time.Duration
	// Open is how many regions had not ended, Unmatched how many ends had no begin.
	Open, Unmatched uint64
}

// Of sums up the regions of what is selected. Functions choose the calls that count.
func Of(r *selection.Resolved) (*Result, error) {
	b := &builder{out: &Result{}, nodes: map[string]*Region{}, elapsed: map[int][2]time.Duration{}}
	for p, err := range r.Parts() {
		if err != nil {
			return nil, err
		}
		if err := b.stream(p, r.Selection); err != nil {
			return nil, err
		}
	}
	for _, span := range b.elapsed {
		b.out.Elapsed += span[1] - span[0]
	}
	if r.Selection.Within != nil {
		b.out.Elapsed = b.within
	}
	for _, g := range b.out.Regions {
		g.Ranks = len(g.of)
	}
	b.sort()
	return b.out, nil
}

type builder struct {
	out     *Result
	nodes   map[string]*Region
	elapsed map[int][2]time.Duration // first begin and last end, by process
	within  time.Duration            // in the selected region, of all streams
}

// terminal is what an event is.
type terminal struct {
	shape spec.Shape
	name  string
	from  string
	call  bool // it counts
	kind  spec.EventKind
}

func terminals(s *archive.Stream, of *selection.Selection) ([]terminal, error) {
	sigs, err := s.Signatures()
	if err != nil {
		return nil, err
	}
	out := make([]terminal, len(sigs))
	for t, sig := range sigs {
		f := spec.ByID(sig.Func)
		x := &out[t]
		x.shape, x.kind = f.Shape, f.Kind
		x.call = f.Call() && of.Function(f.ID)
		x.name, _ = selection.OpenName(s, sig)
		if i := f.In("from"); f.Shape == spec.ShapeOpen && i >= 0 && sig.Slots[i].Kind == archive.Str {
			x.from = sig.Slots[i].Str
		}
	}
	return out, nil
}

// open is a region that has begun.
type open struct {
	node  *Region
	begin time.Duration
	// outside says that it began outside of the selected region, as one that this one is in: it does not count.
	outside bool
}

// maxDepth bounds the nesting that is followed: what is deeper counts as the region at this depth.
const maxDepth = 256

// stream goes through the selected events of a stream.
func (b *builder) stream(p *selection.Part, of *selection.Selection) error {
	s := p.Stream
	terms, err := terminals(s, of)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(terms, func(t terminal) bool { return t.shape == spec.ShapeOpen }) {
		return nil
	}
	var stack []open
	deeper := uint64(0)
	last := time.Duration(0)
	first := true
	process := s.Process()
	for c, err := range archive.Events(s, 0) {
		if err != nil {
			return err
		}
		if c.Index >= p.Range.To {
			break
		}
		inside := c.Index >= p.Range.From
		if inside {
			inside, _ = p.Inside(c.Index)
		}
		if inside && c.Timed {
			b.out.Timed = true
			if first {
				first = false
				for i := range stack {
					stack[i].begin = c.Start
				}
				b.span(process, c.Start, c.End)
			}
			last = max(last, c.End)
		}
		t := &terms[c.Terminal]
		switch {
		case t.shape == spec.ShapeOpen && len(stack) == maxDepth:
			deeper++
		case t.shape == spec.ShapeOpen:
			g := b.node(stack, t)
			if inside {
				g.Count++
				g.of[process] += 0
			}
			stack = append(stack, open{g, c.Start, !inside && of.Within != nil})
		case t.shape == spec.ShapeClose && deeper > 0:
			deeper--
		case t.shape == spec.ShapeClose && len(stack) == 0:
			if inside {
				b.out.Unmatched++
			}
		case t.shape == spec.ShapeClose:
			if inside {
				b.close(&stack[len(stack)-1], process, c.End)
			}
			stack = stack[:len(stack)-1]
		case inside && t.call:
			for i := range stack {
				if stack[i].outside {
					continue
				}
				g := stack[i].node
				g.Calls++
				g.of[process] += 0
				if c.Flags&archive.Nested == 0 {
					g.InCalls += c.End - c.Start
					g.InKind[t.kind] += c.End - c.Start
				}
			}
		}
	}
	for i := range stack {
		if !stack[i].outside {
			b.close(&stack[i], process, last)
		}
	}
	if p.Range.To == s.Calls() {
		b.out.Open += uint64(len(stack)) + deeper
	}
	if !first {
		b.span(process, last, last)
	}
	if of.Within == nil {
		return nil
	}
	within, err := p.Elapsed()
	b.within += within
	return err
}

func (b *builder) close(o *open, process int, end time.Duration) {
	d := max(end-o.begin, 0)
	o.node.Time += d
	o.node.of[process] += d
	if o.node.of[process] > o.node.Most {
		o.node.Most, o.node.Process = o.node.of[process], process
	}
}

func (b *builder) span(process int, from, to time.Duration) {
	old, ok := b.elapsed[process]
	if !ok {
		old = [2]time.Duration{from, to}
	}
	b.elapsed[process] = [2]time.Duration{min(old[0], from), max(old[1], to)}
}

// node is the region that begins on a stack.
func (b *builder) node(stack []open, t *terminal) *Region {
	var path []string
	if n := len(stack); n > 0 {
		path = stack[n-1].node.Path
	}
	path = append(slices.Clone(path), t.name)
	key := strings.Join(path, "\x00")
	g := b.nodes[key]
	if g == nil {
		g = &Region{Path: path, From: t.from, Process: -1, of: map[int]time.Duration{},
			InKind: make([]time.Duration, len(spec.EventKinds))}
		b.nodes[key] = g
		b.out.Regions = append(b.out.Regions, g)
	}
	return g
}

// sort puts regions behind those that they are in; the order of first begins is that of the list.
func (b *builder) sort() {
	place := map[string]int{}
	for i, g := range b.out.Regions {
		place[strings.Join(g.Path, "\x00")] = i
	}
	keys := map[*Region][]int{}
	for _, g := range b.out.Regions {
		for n := range g.Path {
			keys[g] = append(keys[g], place[strings.Join(g.Path[:n+1], "\x00")])
		}
	}
	slices.SortStableFunc(b.out.Regions, func(x, y *Region) int {
		return slices.Compare(keys[x], keys[y])
	})
	b.out.Regions = slices.DeleteFunc(b.out.Regions, func(g *Region) bool { return len(g.of) == 0 && g.Time == 0 })
}
