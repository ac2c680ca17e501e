package main

import (
	"github.com/tabard-hpc/tabard/internal/codec/timing"
)

// defaultMode is the default of `tabard record`.
const defaultMode = timing.Default

// ourModes are Tabard's own.
func ourModes() []mode {
	all := []mode{ourMode("lossless", "", 0), ourMode(defaultMode, "", 0), ourMode("aggregate", "", 0)}
	for _, bound := range relativeBounds {
		all = append(all, ourMode("lossy", percent(bound), bound))
	}
	all = append(all, ourMode("lossy", "100ns", 0))
	for _, bound := range absoluteBounds {
		all = append(all, ourMode("lossy", bound.name, 0))
	}
	return all
}

// ourMode is one that is written as name and bound.
func ourMode(name, bound string, relative float64) mode {
	return mode{name: name, bound: bound, relative: relative, ours: true, new: func(t *times) (coder, error) {
		text := name
		if bound != "" {
			text += ":" + noSpaces(bound)
		}
		m, err := timing.ParseMode(text)
		return &ourCoder{mode: m, times: t}, err
	}}
}

// ourCoder stores times by package timing.
type ourCoder struct {
	mode  timing.Mode
	times *times
	whole []byte
	errs  timing.Errors
}

func (c *ourCoder) encode() error {
	c.whole = c.encoded(c.times.starts, c.times.ends)
	return nil
}

func (c *ourCoder) encoded(starts, ends []uint64) []byte {
	t := c.times
	b := timing.New(c.mode, func() timing.Rate { return t.rate })
	for i, start := range starts {
		b.Append(start, ends[i], t.classes[i])
	}
	return b.Encode(nil, t.classOf)
}

// size measures each part alone by setting the other one to zero.
func (c *ourCoder) size() (durations, gaps, whole int, err error) {
	t := c.times
	zeros := make([]uint64, t.calls())
	starts, ends := t.rebuild(t.durations, zeros), make([]uint64, t.calls())
	for i := range ends {
		ends[i] = starts[i] + t.durations[i]
	}
	durations = len(c.encoded(starts, ends))
	starts = t.rebuild(zeros, t.gaps)
	return durations, len(c.encoded(starts, starts)), len(c.whole), nil
}

func (c *ourCoder) decode() (durations, gaps, starts []uint64, err error) {
	r, err := timing.OpenBytes(c.whole, c.times)
	if err != nil || !r.PerCall() {
		return nil, nil, nil, err
	}
	c.errs = r.Errors()
	n := c.times.calls()
	durations, gaps, starts = make([]uint64, n), make([]uint64, n), make([]uint64, n)
	var end uint64
	for i := 0; i < n; {
		s, e := r.Span(uint64(i))
		for k, start := range s {
			if i == 0 {
				end = start
			}
			gaps[i] = max(start, end) - end
			starts[i], durations[i], end = start, e[k]-start, e[k]
			i++
		}
		if len(s) == 0 {
			break
		}
	}
	return durations, gaps, starts, r.Err()
}

func (c *ourCoder) within(value, decoded uint64) bool {
	d := float64(max(value, decoded) - min(value, decoded))
	b := c.mode.Bound
	if c.mode.Kind == timing.Lossless {
		return d == 0
	}
	return d == 0 || (b.PPM == 0 || d <= float64(b.PPM)/1e6*float64(value)) &&
		(b.NS == 0 || d*c.times.nsPerTick <= float64(b.NS)*(1+1e-9))
}

func (c *ourCoder) stated() (duration, start uint64, ok bool) {
	return c.errs.Durations.Max, c.errs.Starts.Max, true
}
