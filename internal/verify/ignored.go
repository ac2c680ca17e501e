package verify

import (
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// takesAny tells whether a call receives or probes from any source or with any tag.
func (p *process) takesAny(c *call) bool {
	for i := range c.entry {
		s := &c.f.Slots[i]
		if s.Param < 0 || s.Array || s.Codec != spec.Int || !c.entry[i].Present {
			continue
		}
		for _, name := range []string{mpi.AnySource, mpi.AnyTag} {
			n, ok := p.reg.abi.Const(name)
			if ok && slices.Contains(c.f.Params[s.Param].Sentinels, name) && int64(c.entry[i].Word()) == n {
				return true
			}
		}
	}
	return false
}

// wild tells whether a request is that of a receive from any source or with any tag, and whether it may be: several
// requests may have one handle.
func (r *reference) wild() (is, maybe bool) {
	if r.is != nil {
		return r.is.wild, r.is.wild
	}
	is = len(r.objs) > 0
	for _, o := range r.objs {
		is, maybe = is && o.wild, maybe || o.wild
	}
	return is, maybe
}

// keepIgnored says whether the archive has to have the statuses in raws, which the program ignored:
// those of receives and probes with wildcards, and of calls that were given requests of such
// receives. Others are taken out of raws.
func (p *process) keepIgnored(c *call, raws []ring.Raw, a *archive.Call) {
	status, requests := -1, -1
	for i := range c.f.Slots {
		switch s := &c.f.Slots[i]; {
		case i >= c.f.NumIn && s.Codec == spec.Status:
			status = i
		case i < c.f.NumIn && s.Codec == spec.Handle && s.Class == spec.Request:
			requests = i
		}
	}
	if status < 0 {
		return
	}
	if requests < 0 {
		c.ignored = p.takesAny(c)
	} else {
		possible := false
		for k := range c.refs[requests] {
			is, maybe := c.refs[requests][k].wild()
			c.ignored, possible = c.ignored || is, possible || maybe || p.unordered
		}
		if !c.ignored && possible { // the archive may take it for either
			c.ignored = a.Slots[status].Ignored
		}
	}
	if !c.ignored {
		raws[status] = ring.Raw{}
	}
}
