package collectives

import (
	"cmp"
	"slices"

	"github.com/tabard-hpc/tabard/spec"
)

// A bundle is what one process sends of its own in one instance.
type bundle struct {
	origin   int32
	leaves   []*block
	messages []*Message
	kind     kind
	root     int32 // of what goes to one
	call     uint64
}

// kind is where the leaves of a bundle end up; it may be more than one.
type kind uint8

const (
	whole  kind = 1 << iota // everybody has all of them
	apart                   // everybody else has some for itself
	single                  // one process has all of them for itself
)

// copies finds operations that split data and put it together on the way, and tells which messages it took.
func copies(ms []*Message, key func(site int32) int32) (found []Finding, taken map[*Message]bool) {
	return search(ms, true, levels(key), func(r *region) *Finding {
		if f := r.copying(); f != nil {
			return f
		}
		return r.packed()
	})
}

// copying looks at each instance by itself, or at all together if they have different roots.
func (r *region) copying() *Finding {
	members := r.members()
	if len(members) < 3 {
		return nil
	}
	for _, slot := range slots {
		var f *Finding
		for _, part := range r.instances(slot) {
			x := (&region{r.comm, part}).copied(members)
			if x == nil || f != nil && (f.Operation != x.Operation || !slices.Equal(f.Roots, x.Roots)) {
				f = nil
				break
			}
			if f == nil {
				f = x
			} else {
				f.add(x)
			}
		}
		if f != nil {
			if f.Proven < f.Instances {
				f.Grade = Consistent
			}
			return f
		}
	}
	return r.copied(members)
}

// copied is the finding of messages among members: by contents alone, as memory may hold derived datatypes, or else by
// where data lies, too. Where contents are known, they have to prove that all get the same.
func (r *region) copied(members []int32) *Finding {
	for _, places := range []bool{false, true} {
		t := newBlocks(places)
		if !places && !r.messages[0].Known || !t.follow(r.messages) {
			continue
		}
		c := &copier{region: r, blocks: t, members: members}
		c.finish()
		if !t.complex { // it is simple
			continue
		}
		f := c.finding()
		if f != nil && (f.Proven == f.Instances || places && (c.kind&whole == 0 || !r.messages[0].Known)) {
			return f
		}
	}
	return nil
}

type copier struct {
	*region
	*blocks
	members []int32
	bundles []*bundle
	kind    kind               // of all of them
	into    map[*block]*bundle // leaf to bundle
	mixed   bool               // a message has leaves of several
}

// finish splits blocks to their leaves, and puts leaves in bundles.
func (c *copier) finish() {
	c.into = map[*block]*bundle{}
	foreign := map[int32][]uint64{} // calls by which a process got what others had first
	for _, m := range c.messages {
		for _, b := range c.of[m].finish() {
			if b.top().origin != m.To {
				foreign[m.To] = append(foreign[m.To], m.Received)
			}
		}
	}
	for _, calls := range foreign {
		slices.Sort(calls)
	}
	open := map[int32]*bundle{}
	for _, b := range c.owned {
		if b.parent != nil {
			continue
		}
		x := open[b.origin]
		if x == nil || x.repeats(b) || between(foreign[b.origin], x.call, b.call) {
			x = &bundle{origin: b.origin, call: b.call}
			open[b.origin] = x
			c.bundles = append(c.bundles, x)
		}
		for _, leaf := range b.finish() {
			x.leaves = append(x.leaves, leaf)
			c.into[leaf] = x
		}
	}
	for _, x := range c.bundles {
		united := x.unite(c.into)
		c.complex = c.complex || united
	}
	for _, m := range c.messages {
		var last *bundle
		for _, leaf := range c.of[m].finish() {
			if x := c.into[leaf]; x != nil && x != last {
				c.mixed = c.mixed || last != nil && last.origin != x.origin
				x.messages = append(x.messages, m)
				last = x
			}
		}
	}
}

// unite finds a leaf that all others make up: who sent all of it to one, and parts to others.
func (x *bundle) unite(into map[*block]*bundle) bool {
	for i, all := range x.leaves {
		if 2*all.bytes != x.bytes() || all.parent != nil || len(x.leaves) < 3 {
			continue
		}
		rest := slices.Delete(slices.Clone(x.leaves), i, i+1)
		slices.SortStableFunc(rest, func(a, b *block) int {
			return cmp.Or(cmp.Compare(a.place.Segment, b.place.Segment), cmp.Compare(a.place.Offset, b.place.Offset))
		})
		for k := range rest { // the first part may be the one of another process than the first
			parts := slices.Concat(rest[k:], rest[:k])
			if sure, known := all.adds(parts); sure && known {
				all.joined, all.leaves = parts, nil
				all.finish()
				x.leaves = rest
				delete(into, all)
				return true
			}
		}
	}
	return false
}

func between(calls []uint64, from, to uint64) bool {
	i, _ := slices.BinarySearch(calls, from)
	return i < len(calls) && calls[i] < to
}

// repeats tells whether a block lies where one of the bundle does: the buffer was filled again.
func (x *bundle) repeats(b *block) bool {
	return b.place.Segment == 0 || slices.ContainsFunc(x.leaves, func(l *block) bool {
		t := l.top()
		return t.place == b.place && t.bytes == b.bytes
	})
}

// top is the block that it is a part of in the end.
func (b *block) top() *block {
	for b.parent != nil {
		b = b.parent
	}
	return b
}

// finish finds the leaves of a block, and whether their hashes make it up.
func (b *block) finish() []*block {
	if b.leaves != nil {
		return b.leaves
	}
	b.whole = true
	parts := b.joined
	if len(b.cuts) > 0 {
		parts = b.filled()
	}
	if len(parts) == 0 {
		b.leaves = []*block{b}
		return b.leaves
	}
	b.leaves = []*block{}
	for _, p := range parts {
		b.leaves = append(b.leaves, p.finish()...)
		b.whole = b.whole && p.whole
	}
	sure, known := b.adds(parts)
	b.whole = b.whole && sure && known
	return b.leaves
}

// filled are its parts, and what is between them.
func (b *block) filled() []*block {
	slices.SortFunc(b.cuts, func(x, y cut) int { return cmp.Compare(x.from, y.from) })
	var parts []*block
	at := int64(0)
	rest := func(to int64) {
		if at < to {
			parts = append(parts, &block{origin: b.origin, bytes: to - at, parent: b, implied: true})
		}
	}
	for _, c := range b.cuts {
		rest(c.from)
		parts = append(parts, c.of)
		at = c.from + c.of.bytes
	}
	rest(b.bytes)
	return parts
}

// classify says where the leaves of a bundle end up.
func (x *bundle) classify(c *copier) {
	got, sent := map[int32]map[*block]bool{}, map[int32]map[*block]bool{}
	note := func(to map[int32]map[*block]bool, p int32, leaf *block) {
		if to[p] == nil {
			to[p] = map[*block]bool{}
		}
		to[p][leaf] = true
	}
	for _, m := range x.messages {
		for _, leaf := range c.of[m].leaves {
			if c.into[leaf] == x {
				note(got, m.To, leaf)
				note(sent, m.From, leaf)
			}
		}
	}
	all, kept, keepers := true, 0, 0
	x.root = -1
	for _, p := range c.members {
		if p == x.origin {
			continue
		}
		all = all && len(got[p]) == len(x.leaves)
		n := 0
		for leaf := range got[p] {
			if !sent[p][leaf] {
				n++
			}
		}
		if kept += n; n > 0 {
			keepers++
		}
		if n == len(x.leaves) {
			x.root = p
		}
	}
	if all {
		x.kind |= whole
	}
	if x.root >= 0 && keepers == 1 {
		x.kind |= single
	}
	if kept == len(x.leaves) && keepers == len(c.members)-1 {
		x.kind |= apart
	}
}

// finding is what all bundles together are, nil if it is nothing.
func (c *copier) finding() *Finding {
	times := map[int32]int{}
	c.kind = whole | apart | single
	for _, x := range c.bundles {
		x.classify(c)
		times[x.origin]++
		if c.kind &= x.kind; c.kind == 0 || len(x.messages) == 0 {
			return nil
		}
	}
	if len(c.bundles) == 0 {
		return nil
	}
	n := times[c.bundles[0].origin]
	equal := true
	for _, k := range times {
		equal = equal && k == n
	}
	f := &Finding{Grade: Consistent, Comm: c.comm, Sets: [][]int32{c.members}, SendSites: sites(c.messages, sendSite),
		RecvSites: sites(c.messages, recvSite), Segments: 1}
	switch kind := c.kind; {
	case kind&whole != 0 && len(times) == len(c.members) && equal && (c.mixed || c.together(n)):
		f.Operation = "allgather"
	case kind&whole != 0:
		f.Operation = "broadcast"
	case kind&apart != 0 && len(times) == 1:
		f.Operation = "scatter"
	case kind&apart != 0 && len(times) == len(c.members) && equal:
		f.Operation = "all-to-all"
	case kind&single != 0 && len(times) == len(c.members)-1 && equal && times[c.bundles[0].root] == 0:
		f.Operation = "gather"
		for _, x := range c.bundles {
			if x.root != c.bundles[0].root {
				return nil
			}
		}
	default:
		return nil
	}
	c.describe(f, n)
	return f
}

// together tells whether no process has anything of another before it sends its own, in each of n instances.
func (c *copier) together(n int) bool {
	index := map[*bundle]int{}
	seen := map[int32]int{}
	firsts := map[int32][]uint64{}
	for _, x := range c.bundles {
		index[x] = seen[x.origin]
		seen[x.origin]++
		firsts[x.origin] = append(firsts[x.origin], x.call)
	}
	for _, x := range c.bundles {
		for _, m := range x.messages {
			if k := index[x]; m.To != x.origin && m.Received < firsts[m.To][k] {
				return false
			}
		}
	}
	return true
}

// describe counts instances, and says how and how surely it is done.
func (c *copier) describe(f *Finding, n int) {
	origins := len(c.bundles) / n
	if f.Operation == "broadcast" || f.Operation == "scatter" {
		n, origins = len(c.bundles), 1
	}
	instance := map[*Message]bool{}
	by := map[int32]int{}
	f.All = c.instances(f.Operation, n, origins)
	for _, x := range c.bundles {
		k := max(x.messages[0].Count, 1)
		if by[x.origin]++; origins == 1 || x.origin == c.bundles[0].origin {
			f.Instances += k
			if c.proven(f, x) {
				f.Proven += k
			}
		} else if !c.proven(f, x) {
			f.Proven = 0
		}
		if (origins == 1 && len(f.One) == 0) || origins > 1 && by[x.origin] == 1 {
			for _, m := range x.messages {
				if !instance[m] {
					instance[m] = true
					f.One = append(f.One, m)
				}
			}
			f.Bytes = max(f.Bytes, x.bytes())
		}
		if root := x.rootOf(f.Operation); root >= 0 {
			f.addRoot(slices.Index(c.members, root))
			f.turn(c.members, slices.Index(c.members, root), x.messages)
		}
	}
	f.Block = f.Bytes
	if f.Operation == "scatter" || f.Operation == "all-to-all" {
		f.Block /= int64(len(c.members) - 1)
	}
	f.Messages = len(f.One)
	f.Steps, f.Algorithm = path(f.One), shape(f.One)
	vector := slices.ContainsFunc(c.bundles, func(x *bundle) bool { return x.bytes() != c.bundles[0].bytes() })
	switch f.Operation {
	case "scatter":
		f.Call = callOf(spec.FlowFromRoot, spec.DataParts, c.uneven())
	case "gather":
		f.Call = callOf(spec.FlowToRoot, spec.DataWhole, vector)
	case "all-to-all":
		f.Call = callOf(spec.FlowToAll, spec.DataParts, c.uneven())
	case "allgather":
		f.Call = callOf(spec.FlowToAll, spec.DataWhole, vector)
	default:
		f.Call = callFor(f.Operation)
	}
	if f.Proven == f.Instances {
		f.Grade = Proven
	} else if len(f.Unproven) == 0 {
		f.Unproven = append(f.Unproven, "that parts are what they were put together from: one of them is in no "+
			"message by itself")
	}
}

// instances are the messages of each of n instances, to which each of so many origins has a bundle.
func (c *copier) instances(operation string, n, origins int) []Instance {
	all := make([]Instance, n)
	by, in := map[int32]int{}, make([]map[*Message]bool, n)
	for i, x := range c.bundles {
		k := i
		if origins > 1 {
			k = by[x.origin]
			by[x.origin]++
		}
		to := &all[k]
		if in[k] == nil {
			in[k] = map[*Message]bool{}
			*to = Instance{Set: c.members, Root: slices.Index(c.members, x.rootOf(operation)),
				Count: max(x.messages[0].Count, 1)}
		}
		for _, m := range x.messages {
			if !in[k][m] {
				in[k][m] = true
				to.Messages = append(to.Messages, m)
			}
		}
		to.share(slices.Index(c.members, x.origin), x.bytes(), origins)
	}
	for i := range all {
		if operation == "scatter" || operation == "all-to-all" {
			all[i].Block /= int64(len(c.members) - 1)
		}
	}
	return all
}

// share notes how much one of so many origins has of its own.
func (x *Instance) share(place int, bytes int64, origins int) {
	if x.Block == 0 {
		x.Block = bytes
	}
	if bytes == x.Block && x.Shares == nil || origins == 1 {
		return
	}
	if x.Shares == nil {
		x.Shares = make([]int64, len(x.Set))
		for i := range x.Shares {
			x.Shares[i] = x.Block
		}
	}
	x.Block = max(x.Block, bytes)
	x.Shares[place] = bytes
}

func (c *copier) uneven() bool {
	for _, x := range c.bundles {
		for _, l := range x.leaves {
			if l.bytes != c.bundles[0].leaves[0].bytes {
				return true
			}
		}
	}
	return false
}

func (x *bundle) rootOf(operation string) int32 {
	switch operation {
	case "broadcast", "scatter":
		return x.origin
	case "gather":
		return x.root
	}
	return -1
}

func (x *bundle) bytes() int64 {
	n := int64(0)
	for _, l := range x.leaves {
		n += l.bytes
	}
	return n
}

// proven tells whether hashes prove how all messages of a bundle are made of its leaves, and notes why not.
func (c *copier) proven(f *Finding, x *bundle) bool {
	if c.kind&whole == 0 {
		return false
	}
	doubt := ""
	for _, m := range x.messages {
		b := c.of[m]
		switch {
		case !m.Known:
			doubt = "that all get the same data: the recording has no contents (record --payload)"
		case m.Bytes < enough:
			doubt = "that equal data is the same: messages are short"
		case m.Hash == 0:
			doubt = "that equal data is the same: it is zero"
		case m.Again > m.Count/2:
			doubt = "that equal data is the same: it is sent again and again"
		case b.hash != m.Amount.Hash || !b.whole:
			doubt = "that parts are what they were put together from: one of them is in no message by itself"
		}
	}
	if doubt != "" && !slices.Contains(f.Unproven, doubt) {
		f.Unproven = append(f.Unproven, doubt)
	}
	return doubt == ""
}
