package collectives

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tabard-hpc/tabard/spec"
)

// Grade is how sure a finding is.
type Grade string

// Grades, the surest first.
const (
	Proven     Grade = "proven by contents"
	Consistent Grade = "consistent with structure"
	NearMiss   Grade = "near miss"
)

// A Finding is a place in the program that does by messages what a collective does.
type Finding struct {
	Operation string // "broadcast"
	Call      string // the function to call instead
	Op        string // of a reduction, if it is known
	Grade     Grade
	// Sets are the processes that take part, a set for each group that does it by itself.
	Sets [][]int32
	// Roots are the positions of roots in their sets, ascending.
	Roots []int
	// Rule is how roots change from one instance to the next, counted by k, as a formula; empty if there is none.
	Rule  string
	turns []turn
	// Topology is who the neighbours are, of neighbourhood exchanges, and Arguments what is for which of them.
	Topology      *Topology
	Arguments     *Arguments
	neighborhoods []neighborhood
	same          bool // each gives the same to all its neighbours
	Comm          int32
	// SendSites and RecvSites are where its messages are made.
	SendSites, RecvSites []int32
	// Instances is how often it happens, all sets together; Bytes what one moves from its root, or from each process.
	// Proven is in how many of them contents prove it.
	Instances, Proven uint64
	Bytes             int64
	// Block is how many bytes each process has of its own, or gets; all of it where all get the same, and of
	// reductions.
	Block     int64
	Segments  int // an instance is made of so many pieces
	Algorithm string
	// Steps is the critical path of an instance, in messages; Messages how many it has.
	Steps, Messages int
	// Missing says what is missing, of near misses; Unproven what the grade leaves open; Against what speaks against a
	// replacement.
	Missing, Unproven, Against []string
	// Parts are the operations that it is made of, if it is.
	Parts []string
	// One is an instance.
	One []*Message
	// All are the instances; none if they cannot be told from each other.
	All []Instance
}

// An Instance is a finding that happens once, or Count times in a loop: then its messages are those of the first one.
type Instance struct {
	Set      []int32
	Root     int // a place in the set, -1: it has none
	Messages []*Message
	Count    uint64
	// Block is as in Finding; Shares are the blocks of each place where they differ, 0 of a root.
	Block  int64
	Shares []int64
}

// InLine tells whether data is put together from process to process, as pipelines do, too.
func (f *Finding) InLine() bool {
	switch f.Operation {
	case "scan", "exscan":
		return true
	case "reduce", "allreduce", "reduce-scatter":
		return f.Algorithm == "ring"
	}
	return false
}

// enough is how many bytes contents need to tell anything: equal short messages are too common.
const enough = 16

// Find finds collectives in messages. sizes are those of communicators, by their number.
func Find(messages []Message, sizes map[int32]int) []Finding {
	found, _ := find(messages, sizes, func(site int32) int32 { return site }, func([]*item) error { return nil })
	return found
}

// find takes messages of sites with the same frame together. It has agree compare all instances of items whose
// contents differ in some.
func find(
	messages []Message,
	sizes map[int32]int,
	frame func(site int32) int32,
	agree func([]*item) error,
) ([]Finding, error) {
	f := &finder{sizes: sizes, groups: map[string]*group{}}
	found, reduced := reductions(pointers(messages), sizes, frame)
	for i := range messages { // what is combined on arrival is passed on by nobody
		if messages[i].Operator != 0 {
			reduced[&messages[i]] = true
		}
	}
	copied, taken := copies(pointers(messages, reduced), frame)
	found = append(found, copied...)
	empty, synchronized := barriers(pointers(messages, reduced), frame)
	found = append(found, empty...)
	items := follow(pointers(messages, reduced, taken, synchronized))
	var varying []*item
	for _, x := range items {
		if x.varies && !x.again && len(x.holders) > 1 {
			varying = append(varying, x)
		}
	}
	if len(varying) > 0 {
		if err := agree(varying); err != nil {
			return nil, err
		}
	}
	for _, x := range items {
		switch {
		case len(x.holders) < 2:
			f.direct = append(f.direct, x)
		// the same contents everywhere tell nothing
		case x.known && (x.shared || x.again && x.redundant+x.returned > 0):
		default:
			f.add(x)
		}
	}
	for _, key := range f.order {
		found = append(found, f.spread(f.groups[key])...)
	}
	found = append(found, f.exchanges()...)
	near, taken := search(pointers(messages, reduced, taken, synchronized, used(found)), true, levels(frame),
		(*region).neighbors)
	found = append(found, near...)
	for _, g := range f.overlapping {
		if !slices.ContainsFunc(g.items(), func(x *item) bool { return taken[x.messages[0]] }) {
			found = append(found, f.neighbors(g))
		}
	}
	found = compose(found)
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(rank(a.Grade), rank(b.Grade)), cmp.Compare(weight(&b), weight(&a)))
	})
	return found, nil
}

// pointers are messages without those that are taken.
func pointers(messages []Message, taken ...map[*Message]bool) []*Message {
	ms := make([]*Message, 0, len(messages))
	for i := range messages {
		if m := &messages[i]; !slices.ContainsFunc(taken, func(t map[*Message]bool) bool { return t[m] }) {
			ms = append(ms, m)
		}
	}
	return ms
}

func rank(g Grade) int { return slices.Index([]Grade{Proven, Consistent, NearMiss}, g) }

type finder struct {
	sizes       map[int32]int
	groups      map[string]*group
	order       []string
	direct      []*item
	overlapping []*group // each process with its own neighbours
}

// used are the messages of the instances of findings.
func used(found []Finding) map[*Message]bool {
	of := map[*Message]bool{}
	for i := range found {
		for _, x := range found[i].All {
			for _, m := range x.Messages {
				of[m] = true
			}
		}
	}
	return of
}

// A group is the items of one place in the program, by the set of processes that have them.
type group struct {
	comm       int32
	sets       map[string]*set
	order      []string
	send, recv []int32
}

func (g *group) items() (list []*item) {
	for _, k := range g.order {
		list = append(list, g.sets[k].items...)
	}
	return list
}

type set struct {
	members []int32
	items   []*item
}

func sites(ms []*Message, of func(*Message) int32) []int32 {
	var list []int32
	for _, m := range ms {
		list = append(list, of(m))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func sendSite(m *Message) int32 { return m.SendSite }
func recvSite(m *Message) int32 { return m.RecvSite }

func (f *finder) add(x *item) {
	m := x.messages[0]
	send, recv := sites(x.messages, sendSite), sites(x.messages, recvSite)
	key := fmt.Sprint(m.Comm, recv)
	g := f.groups[key]
	if g == nil {
		g = &group{comm: m.Comm, sets: map[string]*set{}, recv: recv}
		f.groups[key] = g
		f.order = append(f.order, key)
	}
	g.send = append(g.send, send...)
	members := x.members()
	k := fmt.Sprint(members)
	if g.sets[k] == nil {
		g.sets[k] = &set{members: members}
		g.order = append(g.order, k)
	}
	g.sets[k].items = append(g.sets[k].items, x)
}

// spread makes the findings of data that goes to several processes.
func (f *finder) spread(g *group) []Finding {
	slices.Sort(g.send)
	g.send = slices.Compact(g.send)
	all := make([]*set, 0, len(g.order))
	for _, k := range g.order {
		all = append(all, g.sets[k])
	}
	var out []Finding
	whole, parts := f.fullSets(g, all)
	if !disjoint(whole) {
		f.overlapping = append(f.overlapping, g)
		return nil
	}
	broadcasts := &Finding{Operation: "broadcast", Call: callOf(spec.FlowFromRoot, spec.DataWhole, false)}
	gathers := &Finding{Operation: "allgather", Call: callOf(spec.FlowToAll, spec.DataWhole, false)}
	for _, s := range whole {
		at := 0
		for at < len(s.items) {
			if n := together(s, at); n > 0 {
				f.count(gathers, g, s, s.items[at:at+n], n)
				at += n
				continue
			}
			n := segments(s.items[at:])
			f.count(broadcasts, g, s, s.items[at:at+n], 1)
			at += n
		}
	}
	for _, x := range []*Finding{broadcasts, gathers} {
		if x.Instances > 0 {
			out = append(out, *x)
		}
	}
	for _, p := range parts {
		if x := f.nearMiss(g, p.of, p.set); len(x.Unproven) == 0 {
			out = append(out, x)
		}
	}
	return slices.DeleteFunc(out, func(x Finding) bool { return len(x.Unproven) > 1 }) // they have little to do with it
}

// partial is a set of which few are missing, and the whole one.
type partial struct {
	set *set
	of  []int32
}

// fullSets sets those apart that lack at most two processes, and at most a quarter, of another set, or of the
// communicator.
func (f *finder) fullSets(g *group, all []*set) (whole []*set, parts []partial) {
	for _, s := range all {
		var of []int32
		for _, t := range all {
			if lacks(s.members, t.members) {
				of = t.members
			}
		}
		n := f.sizes[g.comm]
		if of == nil && len(all) == 1 && len(s.members) < n && len(s.members) >= n-max(1, min(2, n/4)) && n > 3 {
			of = make([]int32, n)
			for i := range of {
				of[i] = int32(i)
			}
			if !lacks(s.members, of) {
				of = nil
			}
		}
		if of != nil {
			parts = append(parts, partial{s, of})
		} else {
			whole = append(whole, s)
		}
	}
	return whole, parts
}

func lacks(s, of []int32) bool {
	missing := len(of) - len(s)
	if missing <= 0 || missing > max(1, min(2, len(of)/4)) {
		return false
	}
	return !slices.ContainsFunc(s, func(p int32) bool { return !slices.Contains(of, p) })
}

// disjoint tells whether no process is in two sets.
func disjoint(sets []*set) bool {
	seen := map[int32]bool{}
	for _, s := range sets {
		for _, p := range s.members {
			if seen[p] {
				return false
			}
			seen[p] = true
		}
	}
	return true
}

// together is how many items from at on come from each member of the set, none of whom has another's before it sends
// its own; 0 if they do not.
func together(s *set, at int) int {
	n := len(s.members)
	if at+n > len(s.items) {
		return 0
	}
	items := s.items[at : at+n]
	from := map[int32]bool{}
	for _, x := range items {
		from[x.origin] = true
	}
	if len(from) != n {
		return 0
	}
	for _, x := range items {
		for _, y := range items {
			if x != y && x.holders[y.origin] < y.first {
				return 0
			}
		}
	}
	return n
}

// segments is how many items are pieces of one buffer, one after the other.
func segments(items []*item) int {
	n := 1
	for n < len(items) {
		a, b := items[n-1], items[n]
		if a.origin != b.origin || a.source.Segment == 0 || a.source.Segment != b.source.Segment ||
			b.source.Offset != a.source.Offset+a.bytes {
			break
		}
		n++
	}
	return n
}

// count adds an instance to a finding.
func (f *finder) count(to *Finding, g *group, s *set, items []*item, origins int) {
	if to.Instances == 0 {
		to.Grade, to.Comm, to.SendSites, to.RecvSites = Proven, g.comm, g.send, g.recv
		to.Segments = len(items) / origins
		for _, x := range items {
			to.Bytes += x.bytes
			to.Steps = max(to.Steps, x.depth)
			to.One = append(to.One, x.messages...)
		}
		to.Bytes /= int64(origins)
		to.Block = to.Bytes
		to.Steps += to.Segments - 1
		to.Messages = len(to.One)
		to.Algorithm = algorithm(items[0], len(s.members))
		if to.Segments > 1 {
			to.Algorithm += fmt.Sprintf(" in %d segments", to.Segments)
		}
	}
	if !slices.ContainsFunc(to.Sets, func(o []int32) bool { return slices.Equal(o, s.members) }) {
		to.Sets = append(to.Sets, s.members)
	}
	if origins == 1 {
		to.addRoot(slices.Index(s.members, items[0].origin))
		to.turn(s.members, slices.Index(s.members, items[0].origin), items[0].messages)
	}
	n := items[0].messages[0].Count
	for _, x := range items {
		for _, m := range x.messages {
			n = min(n, m.Count)
		}
	}
	n = max(n, 1)
	proven := n
	for _, x := range items {
		if to.doubts(x) {
			proven = 0
		} else if x.varies {
			proven = min(proven, x.agree)
		}
	}
	to.Instances += n
	to.Proven += proven
	all := Instance{Set: s.members, Root: -1, Count: n}
	if origins == 1 {
		all.Root = slices.Index(s.members, items[0].origin)
	}
	for _, x := range items {
		all.Messages = append(all.Messages, x.messages...)
		all.Block += x.bytes
	}
	all.Block /= int64(origins)
	to.All = append(to.All, all)
	if proven < n {
		to.Grade = Consistent
	}
}

func (to *Finding) addRoot(root int) {
	if i, found := slices.BinarySearch(to.Roots, root); !found {
		to.Roots = slices.Insert(to.Roots, i, root)
	}
}

// doubts says what an item leaves open, and whether it leaves anything.
func (to *Finding) doubts(x *item) (any bool) {
	open := func(on bool, text string) {
		if on {
			any = true
			if !slices.Contains(to.Unproven, text) {
				to.Unproven = append(to.Unproven, text)
			}
		}
	}
	open(!x.known, "that all get the same data: the recording has no contents (record --payload)")
	open(x.known && x.bytes < enough, "that equal data is the same: messages are short")
	open(x.zero, "that equal data is the same: it is zero")
	open(x.again, "that equal data is the same: it is sent again and again")
	open(x.answers > 1 && x.answers >= len(x.messages)-1, "that it is one operation: who sends answers each that asks")
	open(x.chosen > 0, "that it is no reduction: who passes it on sends it from where its own data was, "+
		"and may have chosen it")
	open(x.returned > 0, "that it is no token: it comes back to where it began")
	if x.redundant > 0 {
		text := "a process receives the same data twice"
		if !slices.Contains(to.Against, text) {
			to.Against = append(to.Against, text)
		}
	}
	return any
}

// algorithm names the shape of how an item went.
func algorithm(x *item, n int) string {
	fan := map[int32]int{}
	most := 0
	for _, m := range x.messages {
		fan[m.From]++
		most = max(most, fan[m.From])
	}
	bits := 0
	for 1<<bits < n {
		bits++
	}
	switch {
	case len(fan) == 1:
		return "linear"
	case most == 1:
		return "ring"
	case x.depth <= bits:
		return "tree"
	}
	return fmt.Sprintf("forwarding by %d of %d", len(fan), n)
}

// neighbors is the finding of data that goes to several, another set from each.
func (f *finder) neighbors(g *group) Finding {
	to := Finding{Operation: exchangeOfNeighbors, Grade: Consistent, Comm: g.comm, same: true,
		SendSites: g.send, RecvSites: g.recv, Segments: 1, Algorithm: "linear", Sets: [][]int32{nil}}
	for _, x := range g.items() {
		to.Sets[0] = union(to.Sets[0], x.members())
		to.Instances += max(x.messages[0].Count, 1)
		to.Steps = max(to.Steps, x.depth)
		to.Bytes = max(to.Bytes, x.bytes)
		to.neighborhoods = append(to.neighborhoods, neighborhood{x.origin, x.members()})
		if to.One == nil {
			to.One, to.Messages = x.messages, len(x.messages)
		}
	}
	return to
}

// nearMiss is the finding of a set that lacks a few.
func (f *finder) nearMiss(g *group, of []int32, s *set) Finding {
	x := s.items[0]
	to := Finding{Operation: "broadcast", Call: callOf(spec.FlowFromRoot, spec.DataWhole, false), Comm: g.comm,
		SendSites: g.send, RecvSites: g.recv,
		Sets: [][]int32{of}, Segments: 1, Bytes: x.bytes, Steps: x.depth, Messages: len(x.messages), One: x.messages,
		Algorithm: algorithm(x, len(of)), Roots: []int{slices.Index(of, x.origin)}}
	for _, y := range s.items {
		to.Instances += max(y.messages[0].Count, 1)
		to.doubts(y)
	}
	to.Grade = NearMiss
	for _, p := range of {
		if !slices.Contains(s.members, p) {
			to.Missing = append(to.Missing, fmt.Sprintf("rank %d does not get what rank %d sends to the others", p,
				x.origin))
		}
	}
	return to
}

// callFor is the function for an operation.
func callFor(operation string) string {
	switch operation {
	case "broadcast":
		return callOf(spec.FlowFromRoot, spec.DataWhole, false)
	case "allgather":
		return callOf(spec.FlowToAll, spec.DataWhole, false)
	case "reduce":
		return callOf(spec.FlowToRoot, spec.DataReduced, false)
	case "allreduce":
		return callOf(spec.FlowToAll, spec.DataReduced, false)
	case "reduce-scatter":
		return callOf(spec.FlowToAll, spec.DataReducedParts, false)
	}
	all := callsOf(spec.FlowPrefix, spec.DataReduced, false) // that with the own contribution comes last
	if operation == "exscan" {
		return all[0]
	}
	return all[len(all)-1]
}

// callOf is the name of the blocking collective of MPI with this flow of data; vector: with counts for each process.
func callOf(flow spec.Flow, data spec.Data, vector bool) string {
	for _, name := range callsOf(flow, data, vector) {
		return name
	}
	return ""
}

func callsOf(flow spec.Flow, data spec.Data, vector bool) []string {
	if vector {
		return callsWith(flow, data, spec.VectorCounts)
	}
	return callsWith(flow, data, spec.VectorNone)
}

func callsWith(flow spec.Flow, data spec.Data, vector spec.Vector) (names []string) {
	for _, f := range spec.Functions() {
		if f.Op == spec.OpCollective && f.Flow == flow && f.Data == data && f.Vector == vector && f.Has(spec.Blocking|spec.Collective) && f.LargeOf == 0 && f.Kind == 0 {
			names = append(names, f.Name)
		}
	}
	return names
}
