package symbol

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// call is a call in progress.
type call struct {
	plan   *plan
	flags  uint16
	site   uint64
	absent uint32
	start  uint64
	body   []uint64 // the entry part of the record
	own    []uint64 // body's storage when the record does not last until the return

	thread  int32  // that makes it
	demoted uint64 // slots whose values have left the signature: see signatureFamily

	ent  *entry // the known call that this one repeats, nil if none
	hash uint64
	// key identifies the call in the cache: body, with the requests' codes in place of handles, and
	// without what is in columns.
	key   []uint64
	blank []uint64 // storage for the next key

	reqs     []requestUse
	entries  []archive.Value // values known on entry, valid if resolved
	raws     []ring.Raw      // the same as recorded
	resolved bool
	claimed  bool
	told     bool // the record holds statuses that the program ignored
	restored bool // from a checkpoint: the cache was not asked, and learns nothing from it
	freed    []release
}

// requestUse is a request that a call was given.
type requestUse struct {
	raw  uint64
	code int64 // trace reference code, 0 the null request
	node int32 // where it was found, -1 unknown; see requests.of
	kept bool  // it was known where the program keeps it
}

func (c *call) hidden() bool { return c.flags&ring.FHidden != 0 }

// begin takes in the entry part of a call; more says that what it returns comes in another record.
func (p *Process) begin(t *thread, c *call, pl *plan, rec ring.Record, more bool) error {
	// Field by field: this is the hot path, and most calls need few of them.
	c.plan, c.flags, c.site, c.absent, c.start = pl, rec.Flags()&^ring.FIgnored, rec.Site(), rec.Absent(), rec.Start()
	if c.site>>60 == ring.WTree {
		c.site = p.canonical(c.site)
	}
	c.thread = t.number
	c.ent, c.resolved, c.claimed, c.restored, c.told = nil, false, false, false, rec.Flags()&ring.FIgnored != 0
	c.reqs, c.entries, c.raws, c.freed = c.reqs[:0], c.entries[:0], c.raws[:0], c.freed[:0]
	n, err := entryLen(pl, c.absent, rec.Payload())
	if err != nil {
		return err
	}
	c.body = rec.Payload()[:n]
	if pl.f.ID == ring.RControl && n > 0 && c.body[0] == 0 {
		p.part = true
	}
	if pl.route == uses {
		if err := p.takeRequests(c); err != nil {
			return err
		}
	}
	later := (c.told || more) && c.absent&pl.statusMask != 0 && p.isWild(c)
	if later && c.told {
		c.flags |= ring.FIgnored
		later = false
	}
	c.demoted = p.demotedAt(pl.f.ID, c.site)
	if pl.route != general {
		c.ent = p.cache.find(p, t, c)
	}
	if c.ent == nil || later { // it may turn out to be another call than the cache took it for, see returned
		return p.resolve(c)
	}
	return nil
}

// keep copies what the call needs of its record, which may be overwritten
// before the call returns.
func (c *call) keep() {
	if len(c.body) == 0 || (len(c.own) > 0 && &c.body[0] == &c.own[0]) {
		return
	}
	c.own = append(c.own[:0], c.body...)
	c.body = c.own
	c.raws = c.raws[:0]
	if c.resolved {
		c.raws, _, _ = ring.DecodeEntry(c.raws, c.plan.f, c.absent, c.body)
	}
}

// entryLen is the length of the entry part of a record.
func entryLen(pl *plan, absent uint32, payload []uint64) (int, error) {
	if pl.fixed {
		n := pl.entryWords(absent)
		if n > len(payload) {
			return 0, fmt.Errorf("%s: record cut off", pl.f.Name)
		}
		return n, nil
	}
	rest := payload
	for i := range pl.f.Slots[:pl.f.NumIn] {
		s := &pl.f.Slots[i]
		if absent>>uint(s.Param)&1 != 0 {
			continue
		}
		var err error
		if _, rest, err = ring.Take(s, rest); err != nil {
			return 0, fmt.Errorf("%s: %w", pl.f.Name, err)
		}
	}
	return len(payload) - len(rest), nil
}

// takeRequests looks up the requests that a call was given and puts their codes into the key.
func (p *Process) takeRequests(c *call) error {
	c.key = append(c.key[:0], c.body...)
	rest := c.body
	for i := range c.plan.f.Slots[:c.plan.request+1] {
		s := &c.plan.f.Slots[i]
		if c.absent>>uint(s.Param)&1 != 0 {
			if i == c.plan.request {
				return nil
			}
			continue
		}
		r, next, err := ring.Take(s, rest)
		if err != nil {
			return err
		}
		if i == c.plan.request {
			at := len(c.body) - len(next) - len(r.Data)
			p.lookupRequests(c, r.Data)
			for k, u := range c.reqs {
				c.key[at+k] = uint64(u.code)
			}
			return nil
		}
		rest = next
	}
	return nil
}

// lookupRequests finds the requests of handles. Equal handles mean different requests: first those that are where the
// program keeps them, then the oldest of the rest.
func (p *Process) lookupRequests(c *call, raws []uint64) {
	for _, raw := range raws {
		node := int32(-1)
		if placed(raw) {
			if node = p.reqs.at(raw); node >= 0 {
				p.reqs.nodes[node].claims++ // it is none of the rest
			}
		}
		c.reqs = append(c.reqs, requestUse{raw: raw, node: node, kept: node >= 0})
	}
	var seen map[uint64]int32
	if len(raws) > 8 {
		seen = make(map[uint64]int32, len(raws))
	}
	for i := range c.reqs {
		u := &c.reqs[i]
		if !u.kept {
			u.node = p.moved(c, i, seen)
		}
		u.code = p.requestCode(u.raw, u.node)
	}
	for i := range c.reqs {
		if u := &c.reqs[i]; u.kept {
			p.reqs.nodes[u.node].claims--
		}
	}
}

// moved finds the request of handle i of a call, of which it is not known where the program keeps it; seen has what it
// gave for the handles before, if they are many.
func (p *Process) moved(c *call, i int, seen map[uint64]int32) int32 {
	h := handle(c.reqs[i].raw)
	if seen == nil {
		skip := 0
		for k := range i {
			if u := &c.reqs[k]; !u.kept && handle(u.raw) == h {
				skip++
			}
		}
		return p.reqs.find(h, skip, c.thread)
	}
	node := int32(-1)
	if last, ok := seen[h]; !ok {
		node = p.reqs.find(h, 0, c.thread)
	} else if last >= 0 {
		node = p.reqs.after(last, c.thread)
	}
	seen[h] = node
	return node
}

// foreign is the shape of requests whose creation was out of sight.
var foreign = []byte("foreign")

func (p *Process) requestCode(raw uint64, node int32) int64 {
	if node >= 0 {
		return archive.DynamicRef(p.reqs.nodes[node].Num)
	}
	if code, ok := p.predefined(spec.Request, raw); ok {
		return code
	}
	p.part = true // readers demand a creator of every request, unless calls are missing
	_, num := p.reqs.add(raw, p.reqs.pool(foreign), false, false)
	return archive.DynamicRef(num)
}

// resolve makes the entry values symbolic, and releases what the call frees.
func (p *Process) resolve(c *call) error {
	if c.resolved {
		return nil
	}
	f := c.plan.f
	var err error
	if c.raws, _, err = ring.DecodeEntry(c.raws[:0], f, c.absent, c.body); err != nil {
		return err
	}
	c.entries = c.entries[:0]
	for i := range c.raws {
		s := &f.Slots[i]
		var v archive.Value
		switch {
		case !c.raws[i].Present:
		case s.Codec == spec.Handle:
			v = p.entryHandle(c, i, s, c.raws[i])
		default:
			v = value(s, c.raws[i])
		}
		c.entries = append(c.entries, v)
	}
	c.resolved = true
	return nil
}

// entryHandle is the value of a slot with handles known on entry.
func (p *Process) entryHandle(c *call, i int, s *spec.Slot, r ring.Raw) archive.Value {
	if s.Class == spec.Request && len(c.reqs) == 0 && (i == c.plan.request || c.plan.request < 0) {
		p.lookupRequests(c, r.Data)
	}
	code := func(k int, raw uint64) int64 {
		switch {
		case s.Class == spec.Request && k < len(c.reqs):
			return c.reqs[k].code
		case s.Life == spec.Free:
			v := p.lookup(s.Class, raw)
			if u, ok := p.releasing(s.Class, raw); ok {
				c.freed = append(c.freed, u)
			}
			return v
		}
		return p.lookup(s.Class, raw)
	}
	if !s.Array {
		return archive.Value{Kind: archive.Ref, Class: s.Class, N: code(0, r.Word())}
	}
	return refs(s, r, code)
}

func refs(s *spec.Slot, r ring.Raw, code func(k int, raw uint64) int64) archive.Value {
	v := archive.Value{Kind: archive.List, List: make([]archive.Value, 0, r.N)}
	for k := range r.N {
		v.List = append(v.List, archive.Value{Kind: archive.Ref, Class: s.Class, N: code(k, uint64(r.At(k)))})
	}
	return v
}

// address is the value of a segment word.
func address(w uint64) archive.Value {
	a := ring.ParseAddress(w)
	return archive.Value{Kind: archive.Addr, Mem: archive.Mem(a.Class), Seg: a.ID, N: a.Off}
}

// value is the value of a slot that holds no handles.
func value(s *spec.Slot, r ring.Raw) archive.Value {
	if r.Kind == ring.ASentinel {
		return archive.Value{Kind: archive.Sentinel, N: int64(r.N)}
	}
	switch s.Codec {
	case spec.String:
		return archive.Value{Kind: archive.Str, Str: r.Text()}
	case spec.StringArray, spec.StringArray2:
		return stringList(r)
	case spec.Status:
		return statusValue(s, r)
	case spec.Address, spec.Displacement:
		if !s.Array {
			return address(r.Word())
		}
		return displacements(r)
	case spec.Float:
		return archive.Value{Kind: archive.Float, N: int64(r.Word())}
	}
	if !s.Array {
		return archive.Value{Kind: archive.Int, N: int64(r.Word())}
	}
	v := archive.Value{Kind: archive.Ints, Ints: make([]int64, r.N)}
	for i := range v.Ints {
		v.Ints[i] = r.At(i)
	}
	return v
}

func stringList(r ring.Raw) archive.Value {
	if r.Kind != ring.AList {
		return archive.Value{Kind: archive.Str, Str: r.Text()}
	}
	v := archive.Value{Kind: archive.List}
	for _, it := range r.Items() {
		v.List = append(v.List, stringList(it))
	}
	return v
}

func statusOf(r ring.Raw, i int) archive.Status {
	s := r.Status(i)
	return archive.Status{Source: s.Source, Tag: s.Tag, Bytes: s.Bytes, Error: s.Error, Cancelled: s.Cancelled}
}

func statusValue(s *spec.Slot, r ring.Raw) archive.Value {
	if !s.Array {
		return archive.Value{Kind: archive.Stat, Stat: statusOf(r, 0)}
	}
	v := archive.Value{Kind: archive.List}
	for i := range r.N {
		v.List = append(v.List, archive.Value{Kind: archive.Stat, Stat: statusOf(r, i)})
	}
	return v
}

// displacements are plain integers unless one of them is an address.
func displacements(r ring.Raw) archive.Value {
	v := archive.Value{Kind: archive.Ints, Ints: make([]int64, r.N)}
	for i := range v.Ints {
		a := ring.ParseAddress(uint64(r.At(i)))
		if a.Class != ring.WLiteral {
			v = archive.Value{Kind: archive.List}
			for k := range r.N {
				v.List = append(v.List, address(uint64(r.At(k))))
			}
			return v
		}
		v.Ints[i] = a.Off
	}
	return v
}

// appendStatus appends the four columns of a status (spec.Slot.Fields), given its three words.
func appendStatus(cols []int64, w []uint64) []int64 {
	return append(cols, int64(int32(w[0])), int64(w[0])>>32, int64(w[2]), int64(w[1]))
}

// appendCols appends the column values of a slot.
func (p *Process) appendCols(s *spec.Slot, r ring.Raw) {
	if s.Codec == spec.String {
		p.cols = append(p.cols, p.internString(r.Text()))
		return
	}
	n := 1
	if s.Array {
		n = r.N
		p.cols = append(p.cols, int64(n))
	}
	for i := range n {
		switch {
		case s.Codec == spec.Status:
			p.cols = appendStatus(p.cols, r.Data[3*i:])
		case s.Array:
			p.cols = append(p.cols, r.At(i))
		default:
			p.cols = append(p.cols, int64(r.Word()))
		}
	}
}
