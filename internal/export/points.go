package export

import (
	"math"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// moment is a mark that the program set, or a value that it gave.
type moment struct {
	name, category string
	terminal       uint32
	valued         bool
	value          float64
}

// points reads the marks and values of a stream. It wants each of them, in order.
type points struct {
	stream *archive.Stream
	terms  map[uint32]*pointTerm
}

// pointTerm is what the marks or values of a terminal have in common.
type pointTerm struct {
	moment
	column *archive.Column // of values; nil: all are the same
	at     uint64          // how many there were
	bits   [1]int64
	known  bool // it is one, and what it says was recorded
}

func newPoints(s *archive.Stream) *points { return &points{s, map[uint32]*pointTerm{}} }

// term looks at a terminal.
func (p *points) term(terminal uint32, f *spec.Func) (*pointTerm, error) {
	if x := p.terms[terminal]; x != nil {
		return x, nil
	}
	x := &pointTerm{moment: moment{category: f.Category, terminal: terminal}}
	p.terms[terminal] = x
	sig, err := p.stream.Signature(terminal)
	if err != nil {
		return nil, err
	}
	if f.API != "regions" { // such as what an import says of communicators
		return x, nil
	}
	x.name, x.known = selection.PointName(sig)
	i := f.In("value")
	if !x.known || i < 0 {
		return x, nil
	}
	x.valued = true
	switch v := &sig.Slots[i]; v.Kind {
	case archive.Float:
		x.value = math.Float64frombits(uint64(v.N))
	case archive.Hole:
		x.column, err = p.stream.Column(terminal, i, 0)
	default:
		x.known = false
	}
	return x, err
}

// next is what an event says, nil if that is nothing.
func (p *points) next(terminal uint32, f *spec.Func) (*moment, error) {
	x, err := p.term(terminal, f)
	if err != nil || !x.known {
		return nil, err
	}
	if x.column != nil {
		n := x.column.Read(x.at, x.bits[:])
		if err := x.column.Err(); err != nil || n == 0 {
			return nil, err
		}
		x.at++
		x.value = math.Float64frombits(uint64(x.bits[0]))
	}
	return &x.moment, nil
}

// pass goes past an event in front of the selection.
func (p *points) pass(terminal uint32, f *spec.Func) error {
	x, err := p.term(terminal, f)
	if err == nil {
		x.at++
	}
	return err
}
