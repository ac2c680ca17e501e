package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/codec/timing/published"
)

// A mode is a way to store the times of a stream.
type mode struct {
	name, bound string
	// relative is the relative bound, 0 if there is none: modes of equal bounds are compared.
	relative float64
	ours     bool
	new      func(t *times) (coder, error)
}

// A coder stores one stream's times. It may be used once.
type coder interface {
	// encode encodes all times. The parts, durations and gaps alone, need not add up to the whole.
	encode() error
	size() (durations, gaps, whole int, err error)
	// decode decodes them. It returns nil if calls are not stored one by one.
	decode() (durations, gaps, starts []uint64, err error)
	// within reports whether a duration or gap is decoded as exactly as the mode promises.
	within(value, decoded uint64) bool
	// stated is the greatest error of durations and of starts that the encoding states, in ticks;
	// ok is false if it states none.
	stated() (duration, start uint64, ok bool)
}

// The bounds that modes are compared at.
var (
	relativeBounds = []float64{0.01, 0.1}
	absoluteBounds = []struct {
		name string
		ns   float64
	}{{"1us", 1e3}, {"10us", 1e4}, {"1ms", 1e6}}
)

func percent(bound float64) string { return fmt.Sprintf("%g %%", bound*100) }

func noSpaces(s string) string { return strings.ReplaceAll(s, " ", "") }

// modes lists all modes, in the order of the tables.
func modes() []mode {
	all := ourModes()
	for _, bound := range relativeBounds {
		all = append(all, publishedMode("hist", "hist", percent(bound), bound, published.Params{Bound: bound}),
			publishedMode("hist, k=8", "hist", percent(bound), bound, published.Params{Bound: bound, K: 8}),
			publishedMode("hist, widest bins", "hist", percent(bound), bound,
				published.Params{Bound: bound, Widest: true}),
			publishedMode("cfg", "cfg", percent(bound), bound, published.Params{Bound: bound}),
			publishedMode("sz", "sz", percent(bound), bound, published.Params{Bound: bound}),
			publishedMode("sz-clustered", "sz-clustered", percent(bound), bound, published.Params{Bound: bound}))
	}
	for _, name := range []string{"zfp", "zfp-clustered"} {
		for _, bound := range absoluteBounds {
			all = append(all, mode{name: name, bound: bound.name, new: func(t *times) (coder, error) {
				c, err := published.New(name, published.Params{Bound: max(1, bound.ns/t.nsPerTick)})
				return &publishedCoder{codec: c, times: t}, err
			}})
		}
	}
	return all
}

func publishedMode(name, method, bound string, relative float64, p published.Params) mode {
	return mode{name: name, bound: bound, relative: relative, new: func(t *times) (coder, error) {
		c, err := published.New(method, p)
		return &publishedCoder{codec: c, times: t}, err
	}}
}

// publishedCoder stores durations and gaps separately. Its values are classed by signature.
type publishedCoder struct {
	codec           *published.Codec
	times           *times
	durations, gaps []byte
}

func (c *publishedCoder) encode() error {
	c.durations = c.codec.Append(c.durations[:0], c.times.durations, c.times.terminals)
	c.gaps = c.codec.Append(c.gaps[:0], c.times.gaps, c.times.terminals)
	return nil
}

func (c *publishedCoder) size() (durations, gaps, whole int, err error) {
	durations, gaps = len(c.durations), len(c.gaps)
	return durations, gaps, durations + gaps + c.times.apart(), nil
}

func (c *publishedCoder) decode() (durations, gaps, starts []uint64, err error) {
	durations, gaps = make([]uint64, c.times.calls()), make([]uint64, c.times.calls())
	if err := c.codec.Decode(c.durations, durations, c.times.terminals); err != nil {
		return nil, nil, nil, err
	}
	if err := c.codec.Decode(c.gaps, gaps, c.times.terminals); err != nil {
		return nil, nil, nil, err
	}
	return durations, gaps, c.times.rebuild(durations, gaps), nil
}

func (c *publishedCoder) within(value, decoded uint64) bool {
	return c.codec.Within(value, decoded, 0) // all classes have one bound here
}

func (c *publishedCoder) stated() (duration, start uint64, ok bool) { return 0, 0, false }

// likes returns the modes of a table that a bound of ours is compared with.
func likes(all []row, name string, bound float64) []row {
	return slices.DeleteFunc(slices.Clone(all), func(r row) bool {
		return r.mode.name != name || r.mode.relative != bound
	})
}
