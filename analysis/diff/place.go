package diff

import (
	"path/filepath"
	"sort"
	"strconv"

	"github.com/tabard-hpc/tabard/analysis/loops"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// nest is the loops that one stream is in.
type nest struct {
	class   *loops.Class
	variant int
	loops   []*loops.Iterations
	nodes   []*loops.Node
	parents []int // the loop that a loop is in, -1 for none
}

// Limits of the loops that places are found in.
const (
	maxNests = 256
	maxLoops = 4096
)

// nest finds the loops of a stream, nil if there are none or they are not looked for.
func (s *side) nest(st *archive.Stream) *nest {
	if n, ok := s.nests[st.Index()]; ok {
		return n
	}
	if len(s.nests) >= maxNests {
		return nil
	}
	s.nests[st.Index()] = nil
	timing := int64(0)
	if s.a.Stats().Timing <= selection.StepTiming {
		timing = selection.StepTiming
	}
	classes, err := loops.Of(s.a, loops.Options{Select: func(o *archive.Stream) bool { return o.Index() == st.Index() },
		Timing: timing})
	if err != nil || len(classes) != 1 {
		return nil
	}
	n := &nest{class: classes[0]}
	n.add(n.class.Body, -1)
	s.nests[st.Index()] = n
	return n
}

func (n *nest) add(seq []*loops.Node, parent int) {
	for _, m := range seq {
		if m.Kind != loops.Loop || len(n.loops) >= maxLoops {
			continue
		}
		it := n.class.Iterations(n.variant, m)
		if it == nil {
			continue
		}
		n.loops, n.nodes, n.parents = append(n.loops, it), append(n.nodes, m), append(n.parents, parent)
		n.add(m.Body, len(n.loops)-1)
	}
}

// around is the loops around a call of the stream, the outermost first.
func (n *nest) around(call uint64) (list []Place) {
	_, list = n.inside(call, -1)
	return list
}

// inside is the numbers of the loops around a call inside of a loop.
func (n *nest) inside(call uint64, parent int) (path []int, list []Place) {
	for i, it := range n.loops {
		if n.parents[i] != parent {
			continue
		}
		k := uint64(sort.Search(int(min(it.Len(), 1<<62)),
			func(k int) bool { _, to := it.Range(uint64(k)); return to > call }))
		if k >= it.Len() {
			continue
		}
		if from, _ := it.Range(k); from > call {
			continue
		}
		path, list = n.inside(call, i)
		return append([]int{i}, path...), append([]Place{{Loop: loopText(n.nodes[i]), Step: n.nodes[i].Step, Iteration: k,
			Iterations: it.Len()}}, list...)
	}
	return nil, nil
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
	path, _ := n.inside(call, -1)
	for i := len(path) - 1; i >= 0; i-- {
		m, it := n.nodes[path[i]], n.loops[path[i]]
		k := uint64(sort.Search(int(min(it.Len(), 1<<62)),
			func(k int) bool { _, to := it.Range(uint64(k)); return to > call }))
		from, to := it.Range(k)
		if to-from != length {
			continue
		}
		c := m.Counts[n.variant]
		if c.Min() != c.Max() {
			return 0, loopText(m), m.Step, true
		}
		return c.Max(), loopText(m), m.Step, true
	}
	return 0, "", false, false
}
