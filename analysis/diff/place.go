package diff

import (
	"path/filepath"
	"slices"
	"strconv"

	"github.com/tabard-hpc/tabard/analysis/loops"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/workers"
)

// nest is the loops that one stream is in.
type nest struct {
	side    *side
	size    int // nodes
	locator *loops.Locator
	cut     bool // the thread was ended in the middle of something
}

// Limits of what places are found in: streams of a recording, symbols of their grammars, nodes of their loops,
// and nodes looked at. A difference beyond them has no place. Grammars with more symbols are those of streams
// without order, in which few calls are in a loop.
const (
	maxNests       = 256
	maxNestSymbols = 100_000
	maxNestNodes   = 1 << 17
	maxNestWork    = 20_000_000
)

// nest finds the loops of a stream, nil if there are none or they are not looked for.
func (s *side) nest(st *archive.Stream) *nest {
	if _, ok := s.nests[st.Index()]; !ok {
		findNests([]nestOf{{s: s, st: st}})
	}
	return s.nests[st.Index()]
}

// admits tells whether the loops of a stream, which were not looked for yet, may be.
func (s *side) admits(st *archive.Stream) bool {
	s.nests[st.Index()] = nil
	g, err := st.Grammar()
	if err != nil {
		return false
	}
	symbols := g.Symbols()
	if len(s.nests) > maxNests || s.nodes > maxNestNodes || s.symbols+symbols > maxNestSymbols {
		s.crowded = true
		return false
	}
	s.symbols += symbols
	return true
}

func (s *side) find(st *archive.Stream) *nest {
	timing := int64(0)
	if s.a.Stats().Timing <= selection.StepTiming {
		timing = selection.StepTiming
	}
	classes, err := loops.Of(s.a, loops.Options{Select: func(o *archive.Stream) bool { return o.Index() == st.Index() },
		Timing: timing})
	if err != nil || len(classes) != 1 {
		return nil
	}
	return &nest{side: s, size: classes[0].Size(), locator: classes[0].Locator(0), cut: !st.Rank().Complete}
}

func (s *side) keep(st *archive.Stream, n *nest) {
	if s.nests[st.Index()] = n; n != nil {
		s.nodes += n.size
	}
}

// nestOf is the loops of a stream that is on a side.
type nestOf struct {
	s  *side
	st *archive.Stream
	n  *nest
}

// nestsOf finds the loops of the streams that these differences are in.
func nestsOf(list []*Difference) {
	var all []nestOf
	for _, d := range list {
		if s, st := d.home(); s != nil {
			all = append(all, nestOf{s: s, st: st})
		}
	}
	findNests(all)
}

// findNests finds the loops of streams, unless they are known, of two streams at the same time.
func findNests(wanted []nestOf) {
	var all []nestOf
	for _, x := range wanted {
		_, known := x.s.nests[x.st.Index()]
		twice := func(w nestOf) bool { return w.s == x.s && w.st.Index() == x.st.Index() }
		if !known && !slices.ContainsFunc(all, twice) {
			all = append(all, x)
		}
	}
	for two := range slices.Chunk(all, 2) {
		var finding workers.Group
		for i := range two {
			if w := &two[i]; w.s.admits(w.st) {
				finding.Go(func() { w.n = w.s.find(w.st) })
			}
		}
		finding.Wait()
		for _, w := range two {
			w.s.keep(w.st, w.n)
		}
	}
}

// find is the loops around a call of the stream, the outermost first.
func (n *nest) find(call uint64) []loops.Around {
	if n.side.nestWork > maxNestWork {
		return nil
	}
	before := n.locator.Work()
	list := n.locator.Find(call)
	if n.cut && list == nil {
		list = n.locator.FindCut(call)
	}
	n.side.nestWork += n.locator.Work() - before
	return list
}

// around is the places of a call in loops.
func (n *nest) around(call uint64) (list []Place) {
	for _, a := range n.find(call) {
		list = append(list, Place{Loop: loopText(a.Loop), Step: a.Loop.Step, Iteration: a.Iteration,
			Iterations: a.Iterations})
	}
	return list
}

// loopText is where a loop is in the source.
func loopText(m *loops.Node) string {
	f, last, ok := m.Place()
	if !ok || f.File == "" {
		return ""
	}
	text := filepath.Base(f.File) + ":" + strconv.Itoa(f.Line)
	if last > f.Line {
		text += "-" + strconv.Itoa(last)
	}
	if f.Func != "" {
		text += " [" + f.Func + "]"
	}
	return text
}

// trips looks for the loop around a call whose iterations have length calls. It returns how often
// that loop is repeated, if that is the same each time, and where it is.
func (n *nest) trips(call, length uint64) (count uint64, place string, step, ok bool) {
	path := n.find(call)
	for i := len(path) - 1; i >= 0; i-- {
		a := &path[i]
		if a.To-a.From != length {
			continue
		}
		c := a.Loop.Counts[0]
		if c.Min() != c.Max() {
			return 0, loopText(a.Loop), a.Loop.Step, true
		}
		return c.Max(), loopText(a.Loop), a.Loop.Step, true
	}
	return 0, "", false, false
}
