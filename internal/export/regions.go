package export

import (
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// region is a part of the program: one that it names itself, a function of it, or a construct of OpenMP.
type region struct {
	name, category string
	terminal       uint32
	construct      string
}

func (r *region) of() string { return r.construct }

// slicesSink is a sink that shows regions as slices around the calls that are made in them.
type slicesSink interface {
	sink
	enter(r *region, at time.Duration) error
	leave(at time.Duration) error
	mark(m *moment, at time.Duration) error
}

// nest follows the regions of a stream for a sink. Those that are open where the selection begins or ends begin and end
// there.
type nest struct {
	slicesSink
	stream *archive.Stream
	known  map[uint32]*region // by terminal
	points *points
	open   []*region
	inside bool // the first selected event has come
	at     time.Duration
}

func newNest(s *archive.Stream, to slicesSink) *nest {
	return &nest{slicesSink: to, stream: s, known: map[uint32]*region{}, points: newPoints(s)}
}

// region is what an event begins.
func (n *nest) region(op *calls.Op) (*region, error) {
	if r := n.known[op.Terminal]; r != nil {
		return r, nil
	}
	if name, _ := construct(op.Func); name != "" {
		r := &region{name, "openmp", op.Terminal, name}
		n.known[op.Terminal] = r
		return r, nil
	}
	sig, err := n.stream.Signature(op.Terminal)
	if err != nil {
		return nil, err
	}
	name, _ := selection.OpenName(n.stream, sig)
	r := &region{name: name, category: op.Func.Category, terminal: op.Terminal}
	n.known[op.Terminal] = r
	return r, nil
}

func (n *nest) begin(c *call) error {
	n.at = c.begin
	if !n.inside {
		n.inside = true
		for _, r := range n.open {
			if err := n.enter(r, c.begin); err != nil {
				return err
			}
		}
	}
	name, begins := construct(c.Func)
	switch {
	case c.Func.Shape == spec.ShapeOpen || begins:
		r, err := n.region(c.Op)
		if err != nil {
			return err
		}
		n.open = append(n.open, r)
		return n.enter(r, c.begin)
	case c.Func.Shape == spec.ShapeClose || name != "":
		for i := closes(n.open, name); i >= 0 && len(n.open) > i; {
			n.open = n.open[:len(n.open)-1]
			if err := n.leave(c.begin); err != nil {
				return err
			}
		}
		return nil
	case c.Func.Shape == spec.ShapePoint:
		m, err := n.points.next(c.Op.Terminal, c.Op.Func)
		if m == nil || err != nil {
			return err
		}
		return n.mark(m, c.begin)
	}
	return n.slicesSink.begin(c)
}

func (n *nest) end(c *call) error {
	if c.Func.Shape != spec.ShapeCall {
		return nil
	}
	n.at = max(n.at, c.end)
	return n.slicesSink.end(c)
}

// passed follows the regions in front of the selection.
func (n *nest) passed(op *calls.Op) error {
	name, begins := construct(op.Func)
	switch {
	case n.inside:
	case op.Func.Shape == spec.ShapeOpen || begins:
		r, err := n.region(op)
		if err != nil {
			return err
		}
		n.open = append(n.open, r)
	case op.Func.Shape == spec.ShapeClose || name != "":
		if i := closes(n.open, name); i >= 0 {
			n.open = n.open[:i]
		}
	case op.Func.Shape == spec.ShapePoint:
		return n.points.pass(op.Terminal, op.Func)
	}
	return nil
}

// finish ends the regions that are open.
func (n *nest) finish() error {
	for ; n.inside && len(n.open) > 0; n.open = n.open[:len(n.open)-1] {
		if err := n.leave(n.at); err != nil {
			return err
		}
	}
	return nil
}
