package diff

import (
	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// objects is what objects mean in an archive, worked out at the first use.
func (s *side) objects() (*calls.Program, error) {
	if s.program == nil {
		p, err := calls.Open(s.a)
		if err != nil {
			return nil, err
		}
		s.program = p
	}
	return s.program, nil
}

// renumbered tells whether two references that differ mean the same for all that is known. Numbers
// of objects depend on what was freed when: communicators are compared by how they were made,
// datatypes by their size, and others (groups, windows, files) by what made them, which is compared
// itself.
func (g *group) renumbered(rank int, m *met, va, vb *archive.Value) (bool, error) {
	if va.Kind == archive.List && vb.Kind == archive.List && len(va.List) == len(vb.List) && len(va.List) > 0 {
		for i := range va.List {
			if va.List[i].Kind == vb.List[i].Kind && va.List[i].N == vb.List[i].N && va.List[i].Kind == archive.Ref {
				continue
			}
			if ok, err := g.renumbered(rank, m, &va.List[i], &vb.List[i]); !ok {
				return false, err
			}
		}
		return true, nil
	}
	if va.Kind != archive.Ref || vb.Kind != archive.Ref || va.Class != vb.Class {
		return false, nil
	}
	dynamic := func(v *archive.Value) bool { return v.N > 0 && v.N%2 == 0 }
	if !dynamic(va) && !dynamic(vb) {
		return false, nil
	}
	if va.Class != spec.Type && va.Class != spec.Comm {
		return dynamic(va) && dynamic(vb), nil
	}
	pa, err := g.c.sides[0].objects()
	if err != nil {
		return false, err
	}
	pb, err := g.c.sides[1].objects()
	if err != nil {
		return false, err
	}
	_, before := g.wa.at(m.pa)
	_, beforeB := g.wb.at(m.pb)
	sa, sb := g.ka.Stream(rank), g.kb.Stream(rank)
	if va.Class == spec.Type {
		x, _ := pa.TypeSize(sa, va.N, before.events)
		y, _ := pb.TypeSize(sb, vb.N, beforeB.events)
		return x == y || x == calls.UnknownBytes || y == calls.UnknownBytes, nil
	}
	x := pa.Comms.Lookup(sa.Process(), va.N, sa.Index(), before.events)
	y := pb.Comms.Lookup(sb.Process(), vb.N, sb.Index(), beforeB.events)
	if x == nil || y == nil || x.Comm == nil || y.Comm == nil {
		return dynamic(va) && dynamic(vb), nil
	}
	return x.Comm.Name == y.Comm.Name, nil
}
