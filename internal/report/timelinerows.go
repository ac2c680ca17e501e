package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/efficiency"
	"github.com/tabard-hpc/tabard/analysis/regions"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// WithoutInit is flags with the window from the first end of MPI_Init to the last begin of MPI_Finalize, unless they
// have a window, steps or a region, or that leaves nothing out.
func WithoutInit(arch *archive.Archive, flags selection.Flags) (selection.Flags, error) {
	if flags.Time != "" || flags.Steps != "" || flags.In != "" {
		return flags, nil
	}
	chosen, err := Resolve(arch, flags)
	if err != nil {
		return flags, err
	}
	parts, err := chosen.TimedParts()
	if err != nil {
		return flags, err
	}
	first, last := time.Duration(math.MaxInt64), time.Duration(0)
	some := false // calls that are left out
	for _, p := range parts {
		if p.Stream.Thread() != 0 || p.Stream.Calls() == 0 {
			continue
		}
		from, to, err := efficiency.Active(p.Stream)
		if err != nil {
			return flags, err
		}
		a, err := p.Stream.CallAt(0)
		if err != nil {
			return flags, err
		}
		b, err := p.Stream.CallAt(p.Stream.Calls() - 1)
		if err != nil {
			return flags, err
		}
		some = some || from > a.Start || to < b.End
		first, last = min(first, from), max(last, to)
	}
	if last <= first || !some {
		return flags, nil
	}
	cut := flags
	cut.Time = fmt.Sprintf("%dns..%dns", max(0, first), last)
	if _, err := Resolve(arch, cut); err != nil {
		return flags, nil // what is left is none of the run
	}
	return cut, nil
}

// RowOrder is in which order a timeline shows many threads.
type RowOrder struct {
	// Blocks are streams, as timeline.Options.Order: first Alone blocks of one each, which stand out, then classes, in
	// each of them those first that wait least.
	Blocks [][]int
	Alone  int
	// Names say what the blocks are.
	Names []string
}

// How many threads stand out at most: because others wait for them, and because of what they compute.
const (
	mostLate     = 6
	mostOutliers = 6
)

// OrderRows groups the threads of a timeline by class. w may be nil.
func OrderRows(chosen *selection.Resolved, o timeline.Options, w *StreamWaits) (*RowOrder, error) {
	o.Columns, o.MaxRows, o.MaxSpans, o.Order = 1, 0, 0, nil
	r, err := timeline.Of(chosen, o)
	if err != nil {
		return nil, err
	}
	arch := chosen.Archive
	numbers := map[*archive.Class]int{}
	for i, c := range arch.Classes() {
		numbers[c] = i
	}
	members := map[int][]member{}
	here := map[int]bool{} // streams that have rows
	n := 0
	for i := range r.Rows {
		if r.Rows[i].Threads > 1 {
			return nil, nil // too many for an order
		}
		m := memberOf(r, i)
		here[m.stream] = true
		c := numbers[arch.Stream(m.stream).Class()]
		members[c] = append(members[c], m)
		n++
	}
	alone := map[int]bool{}
	if w != nil {
		late := 0
		for i := 0; i < len(w.Late) && late < mostLate; i++ {
			if s := w.Late[i].Stream; here[s] {
				alone[s] = true
				late++
			}
		}
	}
	var rest []member // of small classes
	var odd []member
	for c, all := range members {
		odd = append(odd, standOut(all)...)
		if len(all)*40 < n || len(all) < 3 {
			rest = append(rest, all...)
			delete(members, c)
		}
	}
	slices.SortFunc(odd, func(a, b member) int {
		return cmp.Or(cmp.Compare(b.off, a.off),
			cmp.Compare(a.stream, b.stream))
	})
	for _, m := range odd[:min(len(odd), mostOutliers)] {
		alone[m.stream] = true
	}
	out := &RowOrder{}
	add := func(name string, all []member) {
		all = slices.DeleteFunc(all, func(m member) bool { return alone[m.stream] })
		if len(all) == 0 {
			return
		}
		slices.SortFunc(all, func(a, b member) int {
			return cmp.Or(cmp.Compare(a.waits, b.waits), cmp.Compare(a.stream, b.stream))
		})
		var b []int
		for _, m := range all {
			b = append(b, m.stream)
		}
		out.Blocks, out.Names = append(out.Blocks, b), append(out.Names, fmt.Sprintf("%s (%d)", name, len(b)))
	}
	for s := range arch.Streams() {
		if alone[s.Index()] {
			out.Blocks, out.Names = append(out.Blocks, []int{s.Index()}), append(out.Names, "")
		}
	}
	out.Alone = len(out.Blocks)
	for c := range arch.Classes() {
		add(fmt.Sprintf("class %d", c), members[c])
	}
	add("others", rest)
	return out, nil
}

// member is a thread of a class: its parts of time in computation and in waiting for others, and how far off the first
// is.
type member struct {
	stream          int
	computes, waits float64
	off             float64
}

func memberOf(r *timeline.Result, row int) member {
	m := member{stream: r.Rows[row].First}
	s, known := r.Shares(row, 0), 0.0
	for _, v := range s {
		known += v
	}
	known = max(known, math.SmallestNonzeroFloat64)
	m.computes = s[timeline.Computation] / known
	for _, v := range r.Waiting(row, 0) {
		m.waits += v / known
	}
	if r.Waiting(row, 0) == nil {
		m.waits = 1 - m.computes
	}
	return m
}

// standOut are the members that compute for much more or less of the time than the others of their class: by more than
// a twentieth of the time, and four times as far from the median as is usual (the median absolute deviation, as a
// standard deviation).
func standOut(all []member) (odd []member) {
	if len(all) < 8 {
		return nil
	}
	median := func(of func(*member) float64) float64 {
		var v []float64
		for i := range all {
			v = append(v, of(&all[i]))
		}
		slices.Sort(v)
		return v[len(v)/2]
	}
	mid := median(func(m *member) float64 { return m.computes })
	spread := 1.4826 * median(func(m *member) float64 { return math.Abs(m.computes - mid) })
	for _, m := range all {
		if m.off = math.Abs(m.computes - mid); m.off > max(0.05, 4*spread) {
			odd = append(odd, m)
		}
	}
	return odd
}

// StepsOf are the time steps of a selection, found if it has none.
func StepsOf(chosen *selection.Resolved) (*selection.StepIndex, error) {
	if steps := chosen.Steps(); steps != nil {
		return steps, nil
	}
	return selection.FindSteps(chosen.Archive, chosen.Selection.StepLoop)
}

// StepBands are the time steps of a stream in the window of a timeline, as bands of at most so many, named by the
// number of their first step. Nil if it has none, or if steps are regions, which have bands of their own.
func StepBands(steps *selection.StepIndex, s *archive.Stream, clock func(*archive.Stream, time.Duration) time.Duration,
	from, to time.Duration, most int) ([]regions.Band, error) {
	of, err := steps.Of(s)
	if err != nil || of == nil || steps.Region != "" || of.Len() == 0 {
		return nil, err
	}
	begin := func(k uint64) (t time.Duration, err error) { // of step k: computation before its first call belongs to it
		r, err := of.Range(min(k, of.Len()-1))
		if err != nil || r.Len() == 0 {
			return to, err
		}
		before := r.From
		if k >= of.Len() {
			before = r.To
		}
		c, err := s.CallAt(max(before, 1) - 1)
		if err != nil {
			return 0, err
		}
		if t = c.End; before == 0 {
			t = c.Start
		}
		if clock != nil {
			t = clock(s, t)
		}
		return t, nil
	}
	var failed error
	search := func(at time.Duration) uint64 { // the first step that begins at or after a time
		lo, hi := uint64(0), of.Len()
		for lo < hi {
			mid := lo + (hi-lo)/2
			t, err := begin(mid)
			if failed = cmp.Or(failed, err); t >= at {
				hi = mid
			} else {
				lo = mid + 1
			}
		}
		return lo
	}
	first, last := search(from), search(to)
	if first > 0 {
		first--
	}
	stride := strideFor(last-first, uint64(max(most, 1)))
	var bands []regions.Band
	for k := first; k < last; k = (k/stride + 1) * stride {
		next := min((k/stride+1)*stride, of.Len())
		a, err := begin(k)
		b, err2 := begin(next)
		if failed = cmp.Or(failed, err, err2); failed != nil {
			return nil, failed
		}
		if b <= from || a >= to {
			continue
		}
		bands = append(bands, regions.Band{Start: max(a, from), End: min(b, to), Name: fmt.Sprint(k), Times: next - k})
	}
	return bands, failed
}

// strideFor is the least of 1, 2, 5, 10, 20, ... by which n things are at most so many.
func strideFor(n, most uint64) uint64 {
	for s := uint64(1); ; s *= 10 {
		for _, k := range []uint64{1, 2, 5} {
			if n <= s*k*most {
				return s * k
			}
		}
	}
}

// MissingRanks are selected ranks of which nothing was recorded.
type MissingRanks struct {
	World, Rank int // the first of them
	Ranks       int // how many
	List, Why   string
}

// FindMissing lists what is missing of the selected ranks, each rank for itself if they are few.
func FindMissing(chosen *selection.Resolved, few int) (out []MissingRanks) {
	type missing struct {
		archive.Gap
		chosen *archive.RankSet // of a damaged file any number
	}
	var gaps []missing
	all := 0
	for _, g := range chosen.Archive.Gaps() {
		if g.Calls > 0 || g.Uncounted {
			continue
		}
		if ranks := chosen.Selection.Ranks.Of(g.Ranks); ranks.Len() > 0 {
			gaps = append(gaps, missing{g, ranks})
			all += ranks.Len()
		}
	}
	for _, g := range gaps {
		if all <= few {
			for r := range g.chosen.All() {
				out = append(out, MissingRanks{g.World, r, 1, fmt.Sprint(r), g.Why})
			}
			continue
		}
		list := g.List()
		if n := g.chosen.Len(); n < g.Ranks.Len() {
			list = fmt.Sprintf("%d of %s", n, list)
		}
		out = append(out, MissingRanks{g.World, g.chosen.Min(), g.chosen.Len(), list, g.Why})
	}
	return out
}
