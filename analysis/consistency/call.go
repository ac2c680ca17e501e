package consistency

import (
	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// callKey names what all occurrences of a call of a stream have in common.
type callKey struct {
	stream   int32
	terminal uint32
}

// call is what matters of a call.
type call struct {
	f    *spec.Func
	site string
	// size and room are the bytes that are sent and that there is room for; -1 if unknown.
	size, room int64
	// sent and received are the datatypes of messages, 0 if they are not predefined or not known.
	sent, received int64
	// root and op are those of collectives; has tells whether they are known.
	root, op       int64
	hasRoot, hasOp bool
	most           int64 // the largest message that such calls sent and that was received
}

// maxCalls bounds the calls that are remembered.
const maxCalls = 1 << 21

// call looks at a call.
func (c *checker) call(r *match.Ref) (*call, error) {
	if !r.Known() {
		return &call{f: &spec.Func{}, size: -1, room: -1}, nil
	}
	k := callKey{r.Stream, r.Terminal}
	if x := c.calls[k]; x != nil {
		return x, nil
	}
	s := c.p.Archive.Stream(int(r.Stream))
	sig, err := s.Signature(r.Terminal)
	if err != nil {
		return nil, err
	}
	f := spec.ByID(sig.Func)
	x := &call{f: f, size: -1, room: -1}
	if site := s.Site(sig); site != nil {
		x.site = site.String()
	}
	o := calls.SlotsOf(sig.Func)
	if o != nil {
		event, _, err := s.EventAt(r.Call)
		if err != nil {
			return nil, err
		}
		x.size = c.bytes(s, sig, event, o.SendCount, o.SendType, o.Parts)
		x.room = c.bytes(s, sig, event, o.RecvCount, o.RecvType, o.Parts)
		x.sent, x.received = predefined(sig, o.SendType), predefined(sig, o.RecvType)
		x.root, x.hasRoot = number(sig, o.Root)
		x.op, x.hasOp = number(sig, f.Slot(spec.RoleOperator))
	}
	if len(c.calls) < maxCalls {
		c.calls[k] = x
	}
	return x, nil
}

// number is the number in a slot of a signature, if it has one that is the same in all calls.
func number(sig *archive.Signature, slot int) (int64, bool) {
	if slot < 0 {
		return 0, false
	}
	v := &sig.Slots[slot]
	return v.N, v.Kind == archive.Int || v.Kind == archive.Ref
}

// predefined is the predefined datatype in a slot, 0 if it is another one or not the same in all calls.
func predefined(sig *archive.Signature, slot int) int64 {
	if t, ok := number(sig, slot); ok && t > 0 && t&1 == 1 {
		return t
	}
	return 0
}

// bytes is the size of count elements of a type, -1 if unknown.
func (c *checker) bytes(s *archive.Stream, sig *archive.Signature, event uint64, count, of, parts int) int64 {
	n, ok := number(sig, count)
	t, known := number(sig, of)
	if !ok || !known || parts >= 0 {
		return -1
	}
	size, _ := c.p.TypeSize(s, t, event)
	if size == calls.UnknownBytes {
		return -1
	}
	return n * size
}
