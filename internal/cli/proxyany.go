package cli

import (
	"io"

	"tabard/internal/proxy"
	"tabard/internal/scale"
	"tabard/trace"
)

// anySize are the flags of proxy that are about programs for any number of ranks.
type anySize struct {
	set        bool
	with, dims []string
}

// check tells what does not go together.
func (f *anySize) check(ranks int, compute bool) error {
	switch {
	case !f.set && len(f.with)+len(f.dims) > 0:
		return usagef("--with and --dims go with --any-size")
	case f.set && ranks > 0:
		return usagef("--any-size is for all numbers of ranks, --ranks %d for one: give one of them", ranks)
	case f.set && compute:
		return usagef("--any-size goes without --compute: how long another number of ranks computes does not follow from the recording")
	}
	return nil
}

// proxyAnySize writes a program for any number of ranks.
func (a *app) proxyAnySize(archive *trace.Archive, w io.Writer, p proxy.Options, f *anySize) (*proxy.Result, error) {
	o := scale.Options{}
	for _, text := range f.dims {
		d, err := parseDims(text)
		if err != nil {
			return nil, err
		}
		o.Dims = append(o.Dims, d)
	}
	for _, name := range f.with {
		c, err := a.contentOf(name)
		if err != nil {
			return nil, err
		}
		o.With = append(o.With, c)
	}
	c, err := archive.Content()
	if err != nil {
		return nil, err
	}
	m, err := scale.Infer(c, o)
	if err != nil {
		return nil, err
	}
	return proxy.GenerateAny(archive, m, w, proxy.AnySize{Options: p, Dims: o.Dims})
}
