package collectives

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/tabard-hpc/tabard/spec"
)

// Processes exchange data with their neighbours if, in each instance, each sends to some others and gets something back
// from the same ones, always the same ones, and nothing that is sent depends on what was received. The latter is in no
// message; but who works along a line, as wavefronts do, waits longer, and who passes on or adds to what it received
// sends from the same memory.

const exchangeOfNeighbors = "neighbourhood exchange"

// neighbors is the exchange that the messages of a region are, nil if they are none, or if all are neighbours of all.
func (r *region) neighbors() *Finding {
	members, edges, n := r.members(), map[[2]int32]bool{}, 0
	counts := map[[2]int32]int{}
	for _, m := range r.messages {
		counts[[2]int32{m.From, m.To}]++
	}
	for pair, c := range counts {
		edges[pair], n = true, gcd(n, c)
	}
	of := neighborsOf(members, edges)
	if of == nil {
		return nil
	}
	for k := n; k > 0; k-- {
		if n%k != 0 || n/k > mostPieces {
			continue
		}
		if parts := r.cut(k); parts != nil && exchanged(parts, len(edges), of) {
			return r.exchange(members, of, parts)
		}
	}
	return nil
}

const mostPieces = 6 // messages for a neighbour in an instance

// neighborsOf are the neighbours of each process, nil if they are not mutual, or too few for a neighbourhood: two
// processes, or a star around one.
func neighborsOf(members []int32, edges map[[2]int32]bool) map[int32][]int32 {
	of := map[int32][]int32{}
	for e := range edges {
		if !edges[[2]int32{e[1], e[0]}] {
			return nil
		}
		of[e[0]] = append(of[e[0]], e[1])
	}
	most, n := 0, len(members)
	for _, list := range of {
		slices.Sort(list)
		most = max(most, len(list))
	}
	if most < 2 || most == n-1 && len(edges) == 2*(n-1) {
		return nil
	}
	return of
}

// exchanged tells whether each instance has as many messages on each edge, none of which depends on another as far as
// can be seen.
func exchanged(parts [][]*Message, edges int, of map[int32][]int32) bool {
	most := 0
	for _, list := range of {
		most = max(most, len(list))
	}
	longest := min(2*most, len(of)-1)
	if edges == 2*(len(of)-1) { // without a circle: up and down a tree takes longer
		longest = 2
	}
	for _, ms := range parts {
		seen := map[[2]int32]bool{}
		for _, m := range ms {
			seen[[2]int32{m.From, m.To}] = true
			if m.Count != ms[0].Count {
				return false
			}
		}
		if len(seen) != edges || depends(ms, longest) {
			return false
		}
	}
	return true
}

// depends tells whether what is sent in an instance may depend on what was received: more messages than longest wait
// for each other, or one is sent from where another one was received to, or from where other data was sent before a
// receive.
func depends(ms []*Message, longest int) bool {
	got, left := map[memorySegment][]*Message{}, map[memorySegment][]*Message{}
	depth, at, bad := map[int32]int{}, make([]int, len(ms)), false
	sentAt, gotAt, sends := map[*Message]int{}, map[*Message]int{}, map[int32]int{}
	overlap := func(a, b Place, n, k int64) bool { return a.Offset < b.Offset+k && b.Offset < a.Offset+n }
	fits := inOrder(ms, func(i int, recv bool) {
		m := ms[i]
		if recv {
			depth[m.To] = max(depth[m.To], at[i])
			k := memorySegment{m.To, m.Target.Segment}
			if gotAt[m] = sends[m.To]; m.Target.Segment == 0 {
				return
			}
			for _, o := range got[k] { // what was received has been used, and then something was sent
				bad = bad || gotAt[o] < gotAt[m] && overlap(m.Target, o.Target, m.length(), o.length())
			}
			got[k] = append(got[k], m)
			return
		}
		at[i] = depth[m.From] + 1
		sentAt[m] = at[i]
		sends[m.From]++
		bad = bad || at[i] > longest
		k := memorySegment{m.From, m.Source.Segment}
		if m.Source.Segment == 0 {
			return
		}
		for _, o := range got[k] {
			bad = bad || overlap(m.Source, o.Target, m.length(), o.length())
		}
		for _, o := range left[k] {
			again := !m.Known || m.sent() != o.sent() // it may have been filled again
			bad = bad || again && sentAt[o] < at[i] && overlap(m.Source, o.Source, m.length(), o.length())
		}
		left[k] = append(left[k], m)
	})
	return bad || !fits
}

// length is how many bytes of memory from its place on are sure to be its own: other datatypes may have gaps.
func (m *Message) length() int64 {
	if _, ok := m.Predefined(); ok {
		return m.Bytes
	}
	return min(m.Bytes, 1)
}

// exchange is the finding of an exchange.
func (r *region) exchange(members []int32, of map[int32][]int32, parts [][]*Message) *Finding {
	f := r.ofAll(members, parts[0])
	f.Operation, f.Algorithm = exchangeOfNeighbors, "linear"
	f.Unproven = []string{"that nothing that is sent depends on what is received in the same exchange"}
	f.same = true
	for _, ms := range parts {
		x := Instance{Set: members, Root: -1, Messages: ms, Count: max(ms[0].Count, 1), Block: ms[0].Bytes}
		first := map[int32]*Message{}
		for _, m := range ms {
			if o := first[m.From]; o == nil {
				first[m.From] = m
			} else if o.sent() != m.sent() || o.To == m.To {
				f.same = false
			}
		}
		if different(ms) {
			x.Shares = []int64{}
		}
		for _, m := range ms {
			f.Bytes = max(f.Bytes, m.Bytes)
		}
		f.Instances += x.Count
		f.All = append(f.All, x)
	}
	f.Block = f.Bytes
	if len(of[members[0]]) == len(members)-1 && len(parts[0]) == len(members)*(len(members)-1) {
		f.Operation, f.Call = "all-to-all", callOf(spec.FlowToAll, spec.DataParts, different(r.messages))
		return f
	}
	for _, p := range members {
		with := append([]int32{p}, of[p]...)
		slices.Sort(with)
		f.neighborhoods = append(f.neighborhoods, neighborhood{p, with})
	}
	return f
}

// Arguments are those of an exchange with neighbours that are the same for all processes, by neighbour in the order of
// the topology: in elements, or, if datatypes differ, in those that are sent and bytes. Nil are those that are not known.
type Arguments struct {
	SendCounts, SendAt, RecvCounts, RecvAt []int64
	Datatype                               int // in spec.Predefineds, -1: they differ or are the program's
}

// arguments finds the call for an exchange, and its arguments.
func (f *Finding) arguments() {
	data := spec.DataParts
	if f.same {
		data = spec.DataWhole
	}
	a := &Arguments{Datatype: f.datatype()}
	size := int64(1)
	if a.Datatype >= 0 {
		size = int64(spec.Predefineds[a.Datatype].Size)
	}
	slots := f.Topology.slots(f.Sets)
	var sent, got pattern
	for _, x := range f.All {
		sent.add(x.Messages, slots, func(m *Message) (p, q int32, at Place) { return m.From, m.To, m.Source })
		got.add(x.Messages, slots, func(m *Message) (p, q int32, at Place) { return m.To, m.From, m.Target })
	}
	a.SendCounts, a.SendAt = sent.counts(size), sent.places(size)
	a.RecvCounts, a.RecvAt = got.counts(size), got.places(size)
	vector := spec.VectorNone
	switch {
	case a.Datatype < 0 && f.same:
		vector = spec.VectorCounts
	case a.Datatype < 0:
		vector, a.SendCounts, a.RecvCounts = spec.VectorTypes, sent.elements(), nil
	case slices.ContainsFunc(f.All, func(x Instance) bool { return x.Shares != nil }),
		!f.same && !inLine(a.SendAt, a.SendCounts), !inLine(a.RecvAt, a.RecvCounts):
		vector = spec.VectorCounts
	}
	if sent.segments || got.segments {
		f.Against = union(f.Against, []string{"its parts are in several buffers of a process"})
	}
	if sent.again || got.again {
		f.Against = union(f.Against, []string{"a process uses a buffer for one neighbour after the other"})
	}
	f.Call, f.Arguments = callsWith(spec.FlowNeighbors, data, vector)[0], a
}

// datatype is the predefined one that all messages have, -1 if there is none.
func (f *Finding) datatype() int {
	of := -1
	for _, x := range f.All {
		for _, m := range x.Messages {
			k, ok := m.Predefined()
			if !ok || of >= 0 && k != of {
				return -1
			}
			of = k
		}
	}
	return of
}

// inLine tells whether parts lie one behind the other, as far as is known.
func inLine(at, counts []int64) bool {
	for i := range at {
		if counts != nil && at[i] != int64(i)*counts[0] {
			return false
		}
	}
	return true
}

// slots are the places of the neighbours of each process in the arguments: in a grid those below and above in each
// dimension, in other graphs those at each distance. Nil if there is no such order.
func (t *Topology) slots(sets [][]int32) map[[2]int32]int {
	of := map[[2]int32]int{}
	for _, set := range sets {
		for at, p := range set {
			for k, q := range t.around(at, len(set)) {
				if q >= 0 {
					of[[2]int32{p, set[q]}] = k
				}
			}
		}
	}
	return of
}

// around are the places of the neighbours of a process of n, -1 where a grid ends.
func (t *Topology) around(at, n int) (list []int) {
	for _, d := range t.Distances {
		list = append(list, (at+d)%n)
	}
	stride := n
	for i, size := range t.Dims {
		stride /= size
		x := at / stride % size
		for _, y := range []int{x - 1, x + 1} {
			if t.Periods[i] {
				y = (y + size) % size
			}
			if y < 0 || y >= size {
				list = append(list, -1)
			} else {
				list = append(list, at+(y-x)*stride)
			}
		}
	}
	return list
}

// A pattern is how much goes to, or comes from, each neighbour, and where it lies in a buffer; all processes have the
// same, some of them parts of it.
type pattern struct {
	bytes, number map[int]int64
	at            map[int]int64
	unequal       bool // sizes
	uneven        bool // places
	several       bool // numbers of elements
	segments      bool // it lies in several buffers of a process
	again         bool // parts of different neighbours overlap
	unknown       bool // neighbours have no order
}

func (s *pattern) add(ms []*Message, slots map[[2]int32]int, end func(*Message) (p, q int32, at Place)) {
	if s.bytes == nil {
		s.bytes, s.number, s.at = map[int]int64{}, map[int]int64{}, map[int]int64{}
	}
	of := map[int32]map[int]*Message{}
	for _, m := range ms {
		p, q, _ := end(m)
		k, known := slots[[2]int32{p, q}]
		if !known || of[p][k] != nil {
			s.unknown = true
			return
		}
		if of[p] == nil {
			of[p] = map[int]*Message{}
		}
		of[p][k] = m
		s.unequal = s.unequal || s.bytes[k] != m.Bytes && s.bytes[k] != 0
		s.several = s.several || s.number[k] != m.Elems && s.number[k] != 0
		s.bytes[k], s.number[k] = m.Bytes, m.Elems
	}
	place := func(m *Message) Place {
		_, _, at := end(m)
		return at
	}
	s.layAll(of, place)
}

// layAll begins with a process that has the most parts, and goes on with those of which one is known.
func (s *pattern) layAll(of map[int32]map[int]*Message, place func(*Message) Place) {
	left := slices.Sorted(maps.Keys(of))
	slices.SortStableFunc(left, func(p, q int32) int { return cmp.Compare(len(of[q]), len(of[p])) })
	for len(left) > 0 {
		n := len(left)
		left = slices.DeleteFunc(left, func(p int32) bool {
			known := len(s.at) == 0
			for k := range of[p] {
				_, has := s.at[k]
				known = known || has
			}
			if known {
				s.lay(of[p], place)
			}
			return known
		})
		if len(left) == n { // nothing is common to all
			s.uneven = true
			return
		}
	}
}

// lay compares where the parts of a process lie with those of others, but for where all of it begins.
func (s *pattern) lay(parts map[int]*Message, place func(*Message) Place) {
	var list []span
	segment, shift, found := int64(0), int64(math.MaxInt64), false
	for k, m := range parts {
		at := place(m)
		if s.uneven = s.uneven || at.Segment == 0; at.Segment == 0 {
			return
		}
		s.segments = s.segments || segment != 0 && at.Segment != segment
		segment = at.Segment
		list = append(list, span{from: at.Offset, to: at.Offset + m.length()})
		if ref, has := s.at[k]; has && !found {
			shift, found = at.Offset-ref, true
		} else if !found {
			shift = min(shift, at.Offset)
		}
	}
	slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for i := range list {
		s.again = s.again || !s.segments && i > 0 && list[i].from < list[i-1].to
	}
	for k, m := range parts {
		at := place(m).Offset - shift
		if ref, has := s.at[k]; has && ref != at {
			s.uneven = true
		}
		s.at[k] = at
	}
}

// counts are in elements of so many bytes.
func (s *pattern) counts(size int64) []int64 {
	if s.unequal || s.unknown {
		return nil
	}
	return listOf(s.bytes, 0, size)
}

// elements are as many as are sent, of whatever datatype.
func (s *pattern) elements() []int64 {
	if s.several || s.unknown {
		return nil
	}
	return listOf(s.number, 0, 1)
}

// places are displacements from the first part.
func (s *pattern) places(size int64) []int64 {
	if s.uneven || s.segments || s.unknown || s.again || len(s.at) == 0 {
		return nil
	}
	first := int64(math.MaxInt64)
	for _, at := range s.at {
		first = min(first, at)
	}
	return listOf(s.at, first, size)
}

// listOf is a list of what is known by place, less the first, in a unit; nil if it does not come out even, or if one is
// missing.
func listOf(of map[int]int64, first, unit int64) []int64 {
	list := make([]int64, len(of))
	for i := range list {
		v, ok := of[i]
		if !ok || (v-first)%unit != 0 {
			return nil
		}
		list[i] = (v - first) / unit
	}
	return list
}
