package export

import (
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// region is a part of the program: one that it names itself, or a function of it.
type region struct {
	name, category string
	terminal       uint32
}

// slicesSink is a sink that shows regions as slices around the calls that are made in them.
type slicesSink interface {
	sink
	enter(r *region, at time.Duration) error
	leave(at time.Duration) error
}

// nest follows the regions of a stream for a sink. Those that are open where the selection begins or ends begin and end
// there.
type nest struct {
	slicesSink
	stream *archive.Stream
	known  map[uint32]*region // by terminal
	open   []*region
	inside bool // the first selected event has come
	at     time.Duration
}

func newNest(s *archive.Stream, to slicesSink) *nest {
	return &nest{slicesSink: to, stream: s, known: map[uint32]*region{}}
}

// region is what an event begins.
func (n *nest) region(op *calls.Op) (*region, error) {
	if r := n.known[op.Terminal]; r != nil {
		return r, nil
	}
	sig, err := n.stream.Signature(op.Terminal)
	if err != nil {
		return nil, err
	}
	name, _ := selection.OpenName(n.stream, sig)
	r := &region{name, op.Func.Category, op.Terminal}
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
	switch c.Func.Shape {
	case spec.ShapeOpen:
		r, err := n.region(c.Op)
		if err != nil {
			return err
		}
		n.open = append(n.open, r)
		return n.enter(r, c.begin)
	case spec.ShapeClose:
		if len(n.open) == 0 {
			return nil
		}
		n.open = n.open[:len(n.open)-1]
		return n.leave(c.begin)
	case spec.ShapePoint:
		return nil
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
	switch {
	case n.inside:
	case op.Func.Shape == spec.ShapeOpen:
		r, err := n.region(op)
		if err != nil {
			return err
		}
		n.open = append(n.open, r)
	case op.Func.Shape == spec.ShapeClose && len(n.open) > 0:
		n.open = n.open[:len(n.open)-1]
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
