package verify

import (
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// startsSend reports whether the request that a function returns is that of a
// send between two processes: it has a destination, and nothing comes back.
func startsSend(f *spec.Func) bool {
	dest, back, request := false, false, false
	for i := range f.Params {
		switch p := &f.Params[i]; p.Name {
		case "dest":
			dest = true
		case "source", "recvtag":
			back = true
		case "request":
			request = true
		}
	}
	return dest && !back && request
}

// defined gives a returned status, or several, as the archive must have them: of completed sends
// only the error and whether they were cancelled are defined; the rest is that of an empty status
// (MPI 4.0, 3.7.3). Of statuses that the program ignored, those of requests without wildcards are
// empty, and those of cancelled receives say no more than that.
func (p *process) defined(c *call, i int, raw ring.Raw, raws []ring.Raw, v *archive.Value) ring.Raw {
	s := &c.f.Slots[i]
	if s.Codec != spec.Status || !s.Out || !raw.Present {
		return raw
	}
	n, cloned := len(raw.Data)/3, false
	for k := range n {
		r := p.statusRequest(c, s, k, raws)
		dropped := c.ignored && p.ofOther(c, r, v, s.Array, k)
		cancelled := c.ignored && raw.Data[3*k+1]>>32 != 0
		if !dropped && !cancelled && (r == nil || !p.ofSend(r, v, s.Array, k)) {
			continue
		}
		if !cloned {
			raw.Data, cloned = slices.Clone(raw.Data), true
		}
		e := p.emptyStatus()
		raw.Data[3*k] = uint64(uint32(e.Source)) | uint64(uint32(e.Tag))<<32
		raw.Data[3*k+2] = 0
		if dropped {
			raw.Data[3*k+1] = 0
		}
	}
	return raw
}

func (p *process) emptyStatus() archive.Status {
	source, _ := p.reg.abi.Const(mpi.AnySource)
	tag, _ := p.reg.abi.Const(mpi.AnyTag)
	return archive.Status{Source: int32(source), Tag: int32(tag)}
}

// statusRequest gives the request that status k belongs to, nil if there is none.
func (p *process) statusRequest(c *call, s *spec.Slot, k int, raws []ring.Raw) *reference {
	for _, name := range []string{"index", "indx", "array_of_indices"} {
		at := slotNamed(c.f, name)
		if at < 0 {
			continue
		}
		if !raws[at].Present || s.Array && k >= raws[at].N {
			return nil
		}
		if s.Array {
			k = int(raws[at].At(k))
		} else {
			k = int(int64(raws[at].Word()))
		}
		break
	}
	for i := range c.entry {
		if sl := &c.f.Slots[i]; sl.Codec == spec.Handle && sl.Class == spec.Request && k >= 0 && k < len(c.refs[i]) {
			return &c.refs[i][k]
		}
	}
	return nil
}

// ofSend reports whether a request is that of a send. Where it is not known which of several
// requests a handle means, the archive may take it for either.
func (p *process) ofSend(r *reference, v *archive.Value, array bool, k int) bool {
	if r.is != nil {
		return r.is.send
	}
	sends := 0
	for _, o := range r.objs {
		if o.send {
			sends++
		}
	}
	if (sends == 0 || sends == len(r.objs)) && !p.unordered {
		return sends > 0
	}
	return p.isEmpty(v, array, k)
}

// ofOther reports whether an ignored status is that of a request without wildcards, or of none.
func (p *process) ofOther(c *call, r *reference, v *archive.Value, array bool, k int) bool {
	if c.f.Has(spec.Completion) && r == nil {
		return true
	}
	if r == nil {
		return false
	}
	is, maybe := r.wild()
	if is == maybe && !p.unordered {
		return !is
	}
	// The status of a cancelled request says so.
	return p.isEmpty(v, array, k) && !(array && element(v, k).Stat.Cancelled || v.Stat.Cancelled)
}

// isEmpty reports whether a status, or element k of an array, has source, tag and size of an empty status.
func (p *process) isEmpty(v *archive.Value, array bool, k int) bool {
	e := *v
	if array {
		if k >= elements(v) {
			return false
		}
		e = element(v, k)
	}
	empty := p.emptyStatus()
	return e.Kind == archive.Stat && e.Stat.Source == empty.Source && e.Stat.Tag == empty.Tag && e.Stat.Bytes == 0
}
