package substitute

import (
	"fmt"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/timing"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// edits are what is done to the calls of a process.
type edits struct {
	taken  map[uint64]int // how many messages of a call go
	made   map[uint64][]*archive.Signature
	splits []*archive.Signature // after the initialisation

	gone       map[int64]bool  // requests whose operations went
	persistent map[int64]bool  // requests that are
	nobody     map[int64]bool  // of these, those that send to or receive from nobody
	probes     map[uint64]bool // that found messages which went
	lost       uint64          // ticks of calls that went
}

func newEdits() *edits {
	return &edits{taken: map[uint64]int{}, made: map[uint64][]*archive.Signature{}}
}

// stream is a stream with the edits made. why says why they cannot be.
func (e *edits) stream(s *archive.Stream) (d archive.StreamData, why string, err error) {
	e.gone, e.persistent, e.nobody, e.lost = map[int64]bool{}, map[int64]bool{}, map[int64]bool{}, 0
	if err := e.findProbes(s); err != nil {
		return d, "", err
	}
	w := &writer{stream: s, b: archive.NewStreamBuilder(), terminals: map[uint32]uint32{}}
	if s.Timed() {
		w.timing = timing.NewLossless()
	}
	for c, err := range s.IterAll() {
		if err != nil {
			return d, "", err
		}
		if c.Func.Category == "payload" {
			continue
		}
		sig, err := s.Signature(c.Terminal)
		if err != nil {
			return d, "", err
		}
		for _, m := range e.made[c.Index] {
			if err := w.insert(m, sig.Site, c, e.lost); err != nil {
				return d, "", err
			}
		}
		slots, why := e.slots(c)
		if why != "" {
			return d, fmt.Sprintf("%s: %s", c.Func.Name, why), nil
		}
		if len(slots) < len(c.Slots) {
			e.lost += c.EndTicks - c.StartTicks
			continue
		}
		if err := w.keep(c, sig, slots, e.lost); err != nil {
			return d, "", err
		}
		if c.Func.Op == spec.OpInit {
			for _, m := range e.splits {
				if err := w.insert(m, sig.Site, c, e.lost); err != nil {
					return d, "", err
				}
			}
		}
	}
	d, err = w.data(s.Thread())
	return d, "", err
}

// slots are the values of a call that stays; one that goes, and has some, has none. why says that it can do neither.
func (e *edits) slots(c *archive.Call) (slots []archive.Value, why string) {
	n := e.taken[c.Index]
	if i := c.Func.Slot(spec.RoleRequest); i >= 0 && c.Slots[i].Kind == archive.Ref { // its code may be that of another
		request := c.Slots[i].N
		e.gone[request], e.persistent[request] = n > 0, c.Func.Has(spec.PersistentInit)
		e.nobody[request] = e.persistent[request] && toNobody(c)
	}
	switch c.Func.Op {
	case spec.OpSend, spec.OpRecv, spec.OpSendrecv, spec.OpPut, spec.OpGet, spec.OpAccumulate:
		return e.message(c, n)
	case spec.OpMatchedRecv:
		if n > 0 {
			return nil, "a message that is replaced was found by a matched probe"
		}
	case spec.OpStart:
		list := requests(c)
		for _, r := range list {
			if e.gone[r] = n > 0; e.nobody[r] && n > 0 {
				n++
			}
		}
		if n > 0 && n < len(list) {
			return nil, "it starts other messages, too"
		}
		if n > 0 {
			return nil, ""
		}
	case spec.OpComplete, spec.OpQuery:
		return e.completion(c)
	case spec.OpRequestFree:
		if r := requests(c); len(r) == 1 && e.gone[r[0]] && !e.persistent[r[0]] {
			return nil, ""
		}
	case spec.OpCancel, spec.OpPartReady, spec.OpPartArrived:
		if slices.ContainsFunc(requests(c), func(r int64) bool { return e.gone[r] }) {
			return nil, "the request of a message that is replaced is cancelled, or has partitions"
		}
	case spec.OpProbe:
		if e.probes[c.Index] {
			return nil, ""
		}
	}
	return c.Slots, ""
}

// message is a call that sends or receives, of whose messages n go.
func (e *edits) message(c *archive.Call, n int) (slots []archive.Value, why string) {
	switch {
	case n == 0:
		return c.Slots, ""
	case c.Func.Op == spec.OpSendrecv && n == 1 && !toNobody(c):
		return nil, "it makes another message, too"
	}
	return nil, ""
}

// toNobody tells whether a call sends to or receives from nobody.
func toNobody(c *archive.Call) bool {
	none, _ := c.Stream().Archive().Meta().ABI.Const(mpi.ProcNull)
	return slices.ContainsFunc([]spec.Role{spec.RoleSendPeer, spec.RoleRecvPeer}, func(r spec.Role) bool {
		i := c.Func.Slot(r)
		return i >= 0 && c.Slots[i].N == none
	})
}

// completion is a call that completes requests, without those that went.
func (e *edits) completion(c *archive.Call) (slots []archive.Value, why string) {
	list := requests(c)
	left, went := 0, 0
	for _, r := range list {
		if e.gone[r] {
			went++
		} else if r != null {
			left++
		}
	}
	if went == 0 {
		return c.Slots, ""
	}
	if left == 0 {
		return nil, ""
	}
	done, other := e.completed(c, list)
	switch {
	case done && other:
		return nil, "it completes other messages, too"
	case done:
		return nil, ""
	}
	slots = slices.Clone(c.Slots)
	v := &slots[c.Func.Slot(spec.RoleRequests)]
	v.List = slices.Clone(v.List)
	for i := range v.List {
		if e.gone[v.List[i].N] {
			v.List[i].N = null
		}
	}
	return slots, ""
}

// completed tells whether a call that completes one or some of several requests completed those that went, and others.
func (e *edits) completed(c *archive.Call, list []int64) (gone, other bool) {
	if c.Func.Which != spec.WhichAny && c.Func.Which != spec.WhichSome {
		return false, false
	}
	i := c.Func.Slot(spec.RoleIndex)
	if i < 0 {
		return false, false
	}
	indices := c.Slots[i].Ints
	if c.Slots[i].Kind == archive.Int {
		indices = []int64{c.Slots[i].N}
	}
	for _, k := range indices {
		if k < 0 || k >= int64(len(list)) {
			continue
		}
		if e.gone[list[k]] {
			gone = true
		} else {
			other = true
		}
	}
	return gone, other
}

// requests are the codes of those that a call is given.
func requests(c *archive.Call) (list []int64) {
	i := c.Func.Slot(spec.RoleRequests)
	switch {
	case i < 0:
	case c.Slots[i].Kind == archive.Ref:
		list = append(list, c.Slots[i].N)
	case c.Slots[i].Kind == archive.List:
		for _, v := range c.Slots[i].List {
			list = append(list, v.N)
		}
	}
	return list
}

// findProbes finds the probes, unsuccessful ones, too, that came before the receives of messages which go.
func (e *edits) findProbes(s *archive.Stream) error {
	e.probes = map[uint64]bool{}
	if len(e.taken) == 0 {
		return nil
	}
	sigs, err := s.Signatures()
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(sigs, func(g *archive.Signature) bool { return spec.ByID(g.Func).Op == spec.OpProbe }) {
		return nil
	}
	abi := s.Archive().Meta().ABI
	open := map[uint64]envelope{}
	for c, err := range s.IterAll() {
		if err != nil {
			return err
		}
		switch c.Func.Op {
		case spec.OpProbe:
			open[c.Index] = envelopeOf(c)
		case spec.OpRecv, spec.OpSendrecv:
			of := envelopeOf(c)
			for i, p := range open {
				if p.fits(of, abi) {
					e.probes[i] = e.taken[c.Index] > 0
					delete(open, i)
				}
			}
		}
	}
	return nil
}

// envelope is what a call says of the message that it looks for.
type envelope struct{ comm, source, tag int64 }

func envelopeOf(c *archive.Call) (e envelope) {
	for to, role := range map[*int64]spec.Role{
		&e.comm: spec.RoleOn, &e.source: spec.RoleRecvPeer, &e.tag: spec.RoleRecvTag} {
		if i := c.Func.Slot(role); i >= 0 {
			*to = c.Slots[i].N
		}
	}
	return e
}

// fits tells whether a probe may have found the message of a receive.
func (e envelope) fits(r envelope, abi spec.ABI) bool {
	source, _ := abi.Const(mpi.AnySource)
	tag, _ := abi.Const(mpi.AnyTag)
	same := func(a, b, any int64) bool { return a == b || a == any || b == any }
	return e.comm == r.comm && same(e.source, r.source, source) && same(e.tag, r.tag, tag)
}

// writer makes the data of a stream.
type writer struct {
	stream    *archive.Stream
	b         *archive.StreamBuilder
	terminals map[uint32]uint32 // by that of the stream, of signatures as they were
	timing    *timing.Builder
	run       uint64 // polls that were not written yet
	polls     *archive.Call
	of        uint32
}

// insert writes a call that takes no time, made at the site of another.
func (w *writer) insert(sig *archive.Signature, site uint32, at *archive.Call, lost uint64) error {
	if err := w.flush(); err != nil {
		return err
	}
	sig = sig.Clone()
	sig.Site = site
	t, err := w.b.Terminal(sig)
	if err != nil {
		return err
	}
	w.time(at.StartTicks-lost, at.StartTicks-lost)
	return w.b.Add(t, sig.Slots, 1)
}

func (w *writer) time(start, end uint64) {
	if w.timing != nil {
		w.timing.Append(start, end, 0)
	}
}

// keep writes a call with values, which may not be its own.
func (w *writer) keep(c *archive.Call, sig *archive.Signature, slots []archive.Value, lost uint64) error {
	t, err := w.terminal(c, sig, slots)
	if err != nil {
		return err
	}
	w.time(c.StartTicks-lost, c.EndTicks-lost)
	if c.Flags&archive.Polls == 0 {
		if err := w.flush(); err != nil {
			return err
		}
		return w.b.Add(t, slots, 1)
	}
	if w.run > 0 && (w.of != t || !slices.EqualFunc(w.polls.Slots, slots, equal)) {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if w.run++; w.run == 1 {
		w.polls, w.of = c.Clone(), t
		w.polls.Slots = slices.Clone(slots)
	}
	return nil
}

// terminal is that of a call. Where its values are others than those of its signature it gets another one.
func (w *writer) terminal(c *archive.Call, sig *archive.Signature, slots []archive.Value) (uint32, error) {
	t, known := w.terminals[c.Terminal]
	changed := false
	for i := range slots {
		if sig.Slots[i].Kind == archive.List && !equal(sig.Slots[i], slots[i]) {
			changed = true
		}
	}
	switch {
	case changed:
		sig = sig.Clone()
		for i := range slots {
			if sig.Slots[i].Kind == archive.List {
				sig.Slots[i] = slots[i]
			}
		}
	case known:
		return t, nil
	}
	t, err := w.b.Terminal(sig)
	if err == nil && !changed {
		w.terminals[c.Terminal] = t
	}
	return t, err
}

func equal(a, b archive.Value) bool {
	return a.Kind == b.Kind && a.N == b.N && a.Mem == b.Mem && a.Seg == b.Seg && a.Str == b.Str && a.Stat == b.Stat &&
		slices.Equal(a.Ints, b.Ints) && slices.EqualFunc(a.List, b.List, equal)
}

// flush writes the run of polls that is open.
func (w *writer) flush() error {
	if w.run == 0 {
		return nil
	}
	n := w.run
	w.run = 0
	return w.b.Add(w.of, w.polls.Slots, n)
}

func (w *writer) data(thread int) (archive.StreamData, error) {
	if err := w.flush(); err != nil {
		return archive.StreamData{}, err
	}
	d := w.b.Data(thread)
	if w.timing != nil {
		d.Timing = w.timing.Encode(nil, nil)
	}
	return d, nil
}
