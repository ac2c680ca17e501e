package profile

import (
	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/spec"
)

// on is the slot of the communicator, window or file among a function's parameters, -1 if there is
// none.
func on(f *spec.Func) (slot int, class spec.Class) {
	if sl := calls.SlotsOf(f.ID); sl != nil && sl.On >= 0 {
		return sl.On, sl.Class
	}
	for i := range f.Slots {
		if s := &f.Slots[i]; !s.Out && !s.Array && s.Codec == spec.Handle &&
			(s.Class == spec.Comm || s.Class == spec.Win || s.Class == spec.File) {
			return i, s.Class
		}
	}
	return -1, spec.NoClass
}

// stretch is a range of events in which a terminal's communicator is the same.
type stretch struct {
	to   uint64 // event
	comm *comms.Comm
}

const forever = ^uint64(0)

// stretches are the communicators of a terminal's calls in the course of a stream.
func (b *builder) stretches(s *archive.Stream, f *spec.Func, t uint32) ([]stretch, error) {
	slot, class := on(f)
	if slot < 0 {
		return []stretch{{to: forever}}, nil
	}
	sig, err := s.Signature(t)
	if err != nil {
		return nil, err
	}
	if sig.Slots[slot].Kind != archive.Ref {
		return []stretch{{to: forever}}, nil
	}
	var out []stretch
	for event := uint64(0); ; {
		id, _, to := b.program.Scope(s, class, sig.Slots[slot].N, event)
		var c *comms.Comm
		if id >= 0 && int(id) < len(b.program.Comms.Comms) {
			c = b.program.Comms.Comms[id]
		}
		if out = append(out, stretch{to, c}); to == forever {
			return out, nil
		}
		event = to
	}
}

// countComms adds n calls of a terminal at each rank of a unit by communicator.
func (b *builder) countComms(u *selection.Unit, k *class, t uint32, n uint64) error {
	for rank := range u.Ranks.All() {
		s := u.Part.Stream
		if rank != u.Ranks.Min() {
			s = u.Class.Stream(rank)
		}
		parts, err := b.stretches(s, k.funcs[t], t)
		if err != nil {
			return err
		}
		self := rankfunc.Range(rank, rank+1)
		if len(parts) == 1 {
			b.row(k, t, parts[0].comm, rank).add(k.world, self, n)
			continue
		}
		from := uint64(0)
		for _, p := range parts {
			m, err := within(s, u.Part, k.templates[t], t, from, p.to)
			if err != nil {
				return err
			}
			if b.r.Chosen(p.comm) {
				b.row(k, t, p.comm, rank).add(k.world, self, m)
			}
			from = p.to
		}
	}
	return nil
}

// within is how many calls of a terminal of a part are in events from up to to.
func within(s *archive.Stream, part *selection.Part, tm *archive.Template, t uint32, from, to uint64) (uint64, error) {
	a, err := s.CallsBefore(from)
	if err != nil {
		return 0, err
	}
	b, err := s.CallsBefore(to)
	if err != nil {
		return 0, err
	}
	if a, b = max(a, part.Range.From), min(b, part.Range.To); a >= b {
		return 0, nil
	}
	n := uint64(0)
	for r := range part.Stretches {
		if r = (selection.Range{From: max(a, r.From), To: min(b, r.To)}); r.From >= r.To {
			continue
		}
		counts, err := part.CountsIn(r)
		if err != nil {
			return 0, err
		}
		n += counts[t]
	}
	return n, nil
}
