package collectives

import (
	"fmt"
	"slices"

	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// Reductions: a process sends what it has of its own, put together element by element with all that it received so
// far. So it is known of every piece of a message whose contributions are in it. An instance is a reduction if no
// contribution gets anywhere twice, nothing is passed on as it is, and all of them get to one process, to all, to
// each for its own part, or to each from those before it.
//
// Own data that is in no message by itself cannot be compared. A message proves something if all contributions to it
// have been sent by themselves: its sum (or exclusive or) is then that of theirs, or its samples are what another
// operation makes of theirs.
//
// In an exscan a process does not send its own data together with what it received, but by itself, before it received
// anything: exclusive.

const (
	mostCells = 64      // pieces of a vector
	mostWords = 1 << 22 // of sets of contributions
)

// reductions finds them among messages, and tells which it took. Once, and among some processes of a communicator only,
// may be chance.
func reductions(
	ms []*Message,
	sizes map[int32]int,
	key func(site int32) int32,
) (found []Finding, taken map[*Message]bool) {
	return search(ms, true, levels(key), func(r *region) *Finding {
		f := r.reduction()
		if f == nil || f.Grade != Proven && f.Instances == 1 && len(f.Sets[0]) != sizes[r.comm] {
			return nil
		}
		if f.Grade == Proven {
			return f
		}
		if x := r.packed(); x != nil { // the same messages
			if r.messages[0].Known { // an allreduce is proven mostly
				x.Unproven = append(x.Unproven, "that it is no allreduce, by an operation that contents do not tell")
				return x
			}
			f.Unproven = append(f.Unproven, "that it is no all-to-all of packed blocks, which has the same messages")
		}
		return f
	})
}

func (r *region) reduction() *Finding {
	members := r.members()
	if len(members) < 3 {
		return nil
	}
	for _, slot := range slots {
		parts := r.instances(slot)
		for _, layout := range layouts {
			if parts == nil {
				break
			}
			for _, exclusive := range []bool{false, true} {
				if f := r.reductionOf(members, parts, layout(r), exclusive); f != nil {
					return f
				}
			}
		}
	}
	return nil
}

// reductionOf is the finding if all instances are the same reduction.
func (r *region) reductionOf(members []int32, parts [][]*Message, at func(*Message) int64, exclusive bool) *Finding {
	var f *Finding
	for _, ms := range parts {
		x := newReducing(members, ms, at, exclusive)
		if x == nil || !x.run() {
			return nil
		}
		operation, root := x.operation()
		if operation == "" || f != nil && f.Operation != operation {
			return nil
		}
		n := max(ms[0].Count, 1)
		if f == nil {
			f = &Finding{
				Operation: operation,
				Call:      callFor(operation),
				Grade:     Proven,
				Comm:      r.comm,
				Sets:      [][]int32{members},
				Segments:  1,
				SendSites: sites(r.messages, sendSite),
				RecvSites: sites(r.messages, recvSite),
				Bytes:     x.bytes,
				Block:     x.bytes,
				Steps:     x.steps,
				Messages:  len(ms),
				One:       ms,
				Algorithm: x.algorithm(),
				Op:        x.op(),
			}
			f.reductionNotes(x)
		}
		if root >= 0 {
			f.addRoot(root)
		}
		f.Instances += n
		f.All = append(f.All, Instance{Set: members, Root: root, Messages: ms, Count: n, Block: x.bytes})
		if x.proven() && x.op() == f.Op {
			f.Proven += n // amounts are those of all that a loop repeats
		}
	}
	f.reductionDoubts()
	return f
}

// reductionDoubts says what is left open of a reduction.
func (f *Finding) reductionDoubts() {
	if f.Proven == f.Instances {
		return
	}
	f.Grade = Consistent
	switch short := func(m *Message) bool { return m.Known && m.Bytes < enough }; {
	case accumulated(f.One) != "":
		f.Unproven = append(f.Unproven, "that what a process has of its own is in the window: it is in no message")
	case f.Proven == 0 && slices.ContainsFunc(f.One, short):
		f.Unproven = append(f.Unproven, "that what is received is put together with what is sent: messages are short")
	case f.Proven == 0:
		f.Unproven = append(f.Unproven,
			"that what is received is put together with what is sent: own data is in no message by itself")
	}
	if f.InLine() {
		f.Unproven = append(f.Unproven, "that it is one operation: it may be a pipeline")
	}
}

// reductionNotes says what an instance leaves open however sure it is.
func (f *Finding) reductionNotes(x *reducing) {
	switch {
	case f.Operation == "scan":
		f.Against = append(f.Against,
			"MPI_Exscan has the same messages: it is the call if a process's own data is not in its result")
	case x.combined == 0 && f.Operation == "reduce-scatter":
		f.Unproven = append(f.Unproven, "that it is no all-to-all: what is received to one place may be unpacked "+
			"from there")
	}
	if f.Operation == "allreduce" && x.scattered() {
		f.Unproven = append(f.Unproven, "that all get all of one vector: what a process sends lies in several "+
			"places, which may be "+
			"parts that are summed for some of them only")
	}
	if x.proven() && f.Op == "" {
		f.Against = append(f.Against, "its operation is no sum, nor another one that contents tell: it has to be "+
			"associative")
	}
}

// A reducing is an instance: whose contributions are where.
type reducing struct {
	members  []int32
	index    map[int32]int
	messages []*Message
	at       func(*Message) int64
	bounds   []int64 // of cells
	words    int
	has      [][]uint64 // by process and cell: a set of contributions
	carries  [][]uint64 // by message, for each of its cells
	own      map[source]*Message
	depth    []int
	bytes    int64
	steps    int
	combined int // messages with more than one contribution
	checked  int // of these, whose sum is that of its contributions
	xored    int // or whose hash is their exclusive or
	complete []combination
	told     *string            // by their samples
	ownOp    *bool              // complete are made by one operation
	got      []map[content]bool // what a process received: who sends it passes it on
	wrong    bool
	passes   bool // something is passed on as it is

	exclusive bool
	places    []map[Place]int // to which a process received, how often
}

// source is a process's own data in a range of the vector.
type source struct {
	process  int
	from, to int64
}

func newReducing(members []int32, ms []*Message, at func(*Message) int64, exclusive bool) *reducing {
	x := &reducing{members: members, messages: ms, at: at, index: map[int32]int{}, own: map[source]*Message{},
		words: (len(members) + 63) / 64, depth: make([]int, len(members)), exclusive: exclusive}
	for i, p := range members {
		x.index[p] = i
		x.places = append(x.places, map[Place]int{})
	}
	for _, m := range ms {
		x.bounds = append(x.bounds, at(m), at(m)+m.Bytes)
		if len(x.bounds) > 4*mostCells {
			slices.Sort(x.bounds)
			x.bounds = slices.Compact(x.bounds)
		}
		if len(x.bounds) > 4*mostCells {
			return nil
		}
	}
	slices.Sort(x.bounds)
	x.bounds = slices.Compact(x.bounds)
	cells := len(x.bounds) - 1
	if cells > mostCells || cells*x.words*(len(members)+len(ms)) > mostWords {
		return nil
	}
	x.has = make([][]uint64, len(members)*cells)
	for i := range x.has {
		x.has[i] = make([]uint64, x.words)
		if p := i / cells; !exclusive {
			x.has[i][p/64] |= 1 << (p % 64)
		}
	}
	x.carries, x.got = make([][]uint64, len(ms)), make([]map[content]bool, len(members))
	x.bytes = x.bounds[cells] - x.bounds[0]
	return x
}

func (x *reducing) cells() int { return len(x.bounds) - 1 }

func (x *reducing) range_(m *Message) (from, to int) {
	from, _ = slices.BinarySearch(x.bounds, x.at(m))
	to, _ = slices.BinarySearch(x.bounds, x.at(m)+m.Bytes)
	return from, to
}

// run follows contributions. It is false if one gets somewhere twice.
func (x *reducing) run() bool {
	ready := make([]int, len(x.messages))
	ok := inOrder(x.messages, func(i int, recv bool) {
		m := x.messages[i]
		from, to := x.range_(m)
		if !recv {
			p := x.index[m.From]
			x.depth[p]++
			ready[i] = x.depth[p]
			x.carries[i] = make([]uint64, 0, (to-from)*x.words)
			x.carries[i] = x.carried(p, m, from, to)
			x.check(m, x.carries[i])
			x.passes = x.passes || !x.exclusive && x.got[p][m.sent()]
			return
		}
		q := x.index[m.To]
		if x.got[q] == nil {
			x.got[q] = map[content]bool{}
		}
		x.got[q][m.received()] = true
		x.places[q][m.Target]++
		x.depth[q] = max(x.depth[q], ready[i])
		x.steps = max(x.steps, ready[i])
		for c := from; c < to; c++ {
			has := x.has[q*x.cells()+c]
			for w := range has {
				if k := x.carries[i][(c-from)*x.words+w]; has[w]&k != 0 {
					x.wrong = true
				} else {
					has[w] |= k
				}
			}
		}
	})
	// A minimum may be what was received; then samples have to tell so.
	return ok && !x.wrong && (!x.passes || x.sampled() != "")
}

// carried are the contributions to a message, for each of its cells.
func (x *reducing) carried(p int, m *Message, from, to int) (sets []uint64) {
	sets = make([]uint64, 0, (to-from)*x.words)
	for c := from; c < to; c++ {
		if has := x.has[p*x.cells()+c]; !x.exclusive || len(x.got[p]) > 0 {
			sets = append(sets, has...)
			continue
		}
		sets = append(sets, make([]uint64, x.words)...)
		sets[len(sets)-x.words+p/64] |= 1 << (p % 64)
	}
	// Without contents, who sends without its own data does so from where it receives to.
	x.wrong = x.wrong || x.exclusive && !m.Known && len(x.got[p]) > 0 && x.places[p][m.Source] == 0
	return sets
}

// check compares what a message carries with its contributions, as far as they are known.
func (x *reducing) check(m *Message, carried []uint64) {
	from := x.at(m)
	first := carried[:x.words]
	sum, known := Amount{}, true
	var parts []*Message
	for p := range x.members {
		if first[p/64]>>(p%64)&1 == 0 {
			continue
		}
		o := x.own[source{p, from, from + m.Bytes}]
		parts = append(parts, o)
		if o == nil {
			known = false
			continue
		}
		sum = Amount{sum.Sum + o.Amount.Sum, sum.Wave.Add(o.Amount.Wave), sum.Hash ^ o.Amount.Hash}
	}
	for at := x.words; at < len(carried); at += x.words {
		known = known && slices.Equal(first, carried[at:at+x.words])
	}
	n := len(parts)
	if n == 1 {
		if s := (source{x.index[m.From], from, from + m.Bytes}); m.Known && m.Bytes >= enough &&
			first[s.process/64]>>(s.process%64)&1 == 1 {
			x.own[s] = m
		} else if x.exclusive && known && m.Known && m.Amount != parts[0].Amount {
			x.wrong = true // it is not what was received
		}
		return
	}
	x.combined++
	if !known || !m.Known {
		return
	}
	x.complete = append(x.complete, combination{m, parts, fmt.Sprint(from, first)})
	switch elements := uint64(m.Bytes / max(m.Width, 1)); {
	case m.Hash == 0 || slices.ContainsFunc(parts, func(p *Message) bool { return p.Hash == 0 }): // a sum tells nothing
	case m.Elements == Integers && m.Amount.Sum == sum.Sum,
		m.Elements == Reals && m.Amount.Wave.Size > 0 && m.Amount.Wave.Near(sum.Wave, elements, m.Width, n):
		x.checked++
	case m.Amount.Hash == sum.Hash:
		x.xored++
	}
}

// scattered tells whether places in memory were left out of account, and some process sends from several.
func (x *reducing) scattered() bool {
	from := map[int32]Place{}
	for _, m := range x.messages {
		at, seen := from[m.From]
		if seen && at != m.Source && x.at(m) == 0 && m.Source.Offset != 0 && x.cells() == 1 && !x.proven() {
			return true
		}
		from[m.From] = m.Source
	}
	return false
}

// proven tells whether contents prove an operation of all messages with several contributions.
func (x *reducing) proven() bool {
	return x.combined > 0 && (max(x.checked, x.xored) == x.combined || x.sampled() != "" || x.ownOperation())
}

// sampled is the operation that samples tell; empty if they tell none.
func (x *reducing) sampled() string {
	if x.told == nil {
		x.told = new(string)
		if len(x.complete) == x.combined {
			*x.told = bySamples(x.complete)
		}
	}
	return *x.told
}

func (x *reducing) ownOperation() bool {
	if x.ownOp == nil {
		x.ownOp = new(bool)
		*x.ownOp = len(x.complete) == x.combined && ownOperation(x.complete)
	}
	return *x.ownOp
}

// op is the operation, as far as it is known.
func (x *reducing) op() string {
	switch {
	case x.combined == 0:
		return accumulated(x.messages)
	case x.checked == x.combined:
		return mpi.Sum
	case x.xored == x.combined:
		return mpi.Bxor
	}
	return x.sampled()
}

// accumulated is the operation if all messages are accumulated by the same, else empty.
func accumulated(ms []*Message) string {
	k := ms[0].Operator
	if k <= 0 || k > len(spec.Predefineds) ||
		slices.ContainsFunc(ms, func(m *Message) bool { return m.Operator != k }) {
		return ""
	}
	return spec.Predefineds[k-1].Name
}

func (x *reducing) full(p, cell int) bool {
	n := 0
	for q := range x.members {
		n += int(x.has[p*x.cells()+cell][q/64] >> (q % 64) & 1)
	}
	return n == len(x.members)
}

// operation is what the instance is, and the place of its root among the members; -1 if it has none.
func (x *reducing) operation() (string, int) {
	owners := make([][]int, x.cells())
	share := make([]int64, len(x.members))
	for c := range owners {
		for p := range x.members {
			if x.full(p, c) {
				owners[c] = append(owners[c], p)
				share[p] += x.bounds[c+1] - x.bounds[c]
			}
		}
	}
	one := !slices.ContainsFunc(owners, func(o []int) bool { return len(o) != 1 })
	all := !slices.ContainsFunc(owners, func(o []int) bool { return len(o) != len(x.members) })
	same := !slices.ContainsFunc(owners, func(o []int) bool { return !slices.Equal(o, owners[0]) })
	even := !slices.ContainsFunc(share, func(s int64) bool { return s == 0 })
	switch {
	case x.exclusive:
		if x.cells() == 1 && x.prefixes() && (x.combined > 0 || x.reused()) {
			return "exscan", -1
		}
		return "", -1
	case x.combined == 0 && !x.reused():
		return "", -1
	case x.cells() == 1 && x.prefixes():
		return "scan", -1
	case x.combined == 0 && all:
		return "", -1
	case all:
		return "allreduce", -1
	case one && same && (x.combined > 0 || x.onePlace()):
		return "reduce", owners[0][0]
	case one && even:
		return "reduce-scatter", -1
	}
	return "", -1
}

// onePlace tells whether all is received to the same place: nothing is gathered.
func (x *reducing) onePlace() bool {
	for _, m := range x.messages {
		if m.Target != x.messages[0].Target || m.Target.Segment == 0 {
			return false
		}
	}
	return true
}

// reused tells whether each process that receives several messages receives some of them to the same place: it does
// something with one before the next. At least one does.
func (x *reducing) reused() bool {
	any := false
	for _, places := range x.places {
		n := 0
		for at, k := range places {
			if n += k; at.Segment == 0 {
				return false
			}
		}
		any = any || len(places) < n
		if n > 2 && len(places) == n {
			return false
		}
	}
	return any
}

// prefixes tells whether each process has the contributions of those before it, and its own unless exclusive.
func (x *reducing) prefixes() bool {
	for p := range x.members {
		for q := range x.members {
			if x.has[p][q/64]>>(q%64)&1 == 1 != (q < p || q == p && !x.exclusive) {
				return false
			}
		}
	}
	return true
}

// algorithm names the shape.
func (x *reducing) algorithm() string {
	n, bits := len(x.members), 0
	for 1<<bits < n {
		bits++
	}
	into := map[int32]map[int32]bool{}
	most := 0
	for _, m := range x.messages {
		if into[m.To] == nil {
			into[m.To] = map[int32]bool{}
		}
		into[m.To][m.From] = true
		most = max(most, len(into[m.To]))
	}
	switch {
	case x.combined == 0:
		return "linear"
	case most == 1 && x.cells() > 1:
		return fmt.Sprintf("ring in %d pieces", x.cells())
	case most == 1:
		return "ring"
	case len(x.messages) == n-1 && x.steps <= bits:
		return "tree"
	case x.steps <= bits+2 && len(x.messages) >= n:
		return "recursive halving or doubling"
	}
	return fmt.Sprintf("forwarding by %d of %d", len(into), n)
}
