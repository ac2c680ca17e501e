package archive

import (
	"fmt"
	"maps"

	"github.com/tabard-hpc/tabard/internal/codec/timing"
	"github.com/tabard-hpc/tabard/spec"
)

// Retimed loads all that the archive holds, as Content does, with the times of all streams stored
// in another mode. They must be stored losslessly. The settings of the recording then name the new
// mode.
func (a *Archive) Retimed(m TimingMode) (*Content, error) {
	c, err := a.Content()
	if err != nil {
		return nil, err
	}
	d := *c
	d.Timings = append([][]byte(nil), c.Timings...)
	d.Meta.Options = maps.Clone(c.Meta.Options)
	if d.Meta.Options == nil {
		d.Meta.Options = map[string]string{}
	}
	d.Meta.Options["timing"] = m.String()
	d.Classes = nil
	for i, old := range c.Classes {
		cl := *old
		if cl.Timing, err = a.retime(a.classes[i], &d, m); err != nil {
			return nil, err
		}
		d.Classes = append(d.Classes, &cl)
	}
	return &d, nil
}

// retime appends the timings of a class to d.
func (a *Archive) retime(c *Class, d *Content, m TimingMode) (Cases[int], error) {
	var out Cases[int]
	any := false
	for rank := range c.Ranks().All() {
		b, err := c.Stream(rank).retime(m)
		if err != nil {
			return out, err
		}
		n := -1
		if b != nil {
			n, any = len(d.Timings), true
			d.Timings = append(d.Timings, b)
		}
		out.Values = append(out.Values, n)
	}
	if !any {
		return Cases[int]{Values: []int{-1}}, nil
	}
	for i, n := range out.Values {
		if n < 0 && len(out.Values) > 1 {
			return out, fmt.Errorf(
				"class %d: rank %d has no times, but others have: such a recording cannot be given another timing mode",
				c.index,
				c.Ranks().At(i),
			)
		}
	}
	return out, nil
}

// retime is the stream's timing in another mode, nil without any.
func (s *Stream) retime(m TimingMode) ([]byte, error) {
	if s.a.projection != nil {
		return s.encodeTimes()
	}
	t, err := s.openTiming()
	if t == nil || err != nil || m.Kind == timing.Off {
		return nil, err
	}
	l, err := s.open()
	if err != nil {
		return nil, err
	}
	in, err := s.a.blob(&s.a.timings, uint32(s.times(l)))
	if err != nil {
		return nil, err
	}
	functions := map[uint32]string{}
	for terminal, class := range t.Classes() {
		functions[class] = spec.ByID(l.tms[terminal].Func).Name
	}
	line := s.a.timeline(s.Rank())
	b, err := timing.Transcode(
		in,
		&timingWalk{s: s, l: l},
		m,
		timing.Rate{NS: line.num, Ticks: line.den},
		func(c uint32) string { return functions[c] },
	)
	if err != nil {
		return nil, fmt.Errorf("%s: stream %d: %w", s.a.file, s.index, err)
	}
	return b, nil
}
