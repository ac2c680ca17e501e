package collectives

import (
	"fmt"
	"slices"

	"github.com/tabard-hpc/tabard/spec/mpi"
)

// Reductions: a process sends what it has of its own, put together element by element with all that it received so
// far. So it is known of every piece of a message whose contributions are in it. An instance is a reduction if no
// contribution gets anywhere twice, nothing is passed on as it is, and all of them get to one process, to all, to
// each for its own part, or to each from those before it.
//
// Own data that is in no message by itself cannot be compared. A message proves something if all contributions to it
// have been sent by themselves: its sum (or exclusive or) is then that of theirs.

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
		return f
	})
}

// slots are ways to tell the messages of an instance from each other.
var slots = []func(m *Message) any{
	func(m *Message) any { return [3]int64{int64(m.From), int64(m.To), m.Source.Offset} },
	func(m *Message) any { return [2]int32{m.From, m.To} },
}

// layouts are ways to place what a message carries in a vector that is the same for all.
var layouts = []func(r *region) func(m *Message) int64{
	func(*region) func(*Message) int64 { return func(m *Message) int64 { return m.Source.Offset } },
	func(r *region) func(*Message) int64 {
		type memory struct {
			process int32
			segment int64
		}
		first := map[memory]int64{}
		for _, m := range r.messages {
			k := memory{m.From, m.Source.Segment}
			if at, seen := first[k]; !seen || m.Source.Offset < at {
				first[k] = m.Source.Offset
			}
		}
		return func(m *Message) int64 { return m.Source.Offset - first[memory{m.From, m.Source.Segment}] }
	},
	func(*region) func(*Message) int64 { return func(*Message) int64 { return 0 } },
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
			if f := r.reductionOf(members, parts, layout(r)); f != nil {
				return f
			}
		}
	}
	return nil
}

// reductionOf is the finding if all instances are the same reduction.
func (r *region) reductionOf(members []int32, parts [][]*Message, at func(*Message) int64) *Finding {
	var f *Finding
	for _, ms := range parts {
		x := newReducing(members, ms, at)
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
		}
		if root >= 0 {
			f.addRoot(root)
		}
		f.Instances += n
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
	if f.Proven == 0 {
		f.Unproven = append(f.Unproven,
			"that what is received is put together with what is sent: own data is in no message by itself")
	}
	if f.Operation == "scan" {
		f.Unproven = append(f.Unproven, "that it is one operation: it may be a pipeline")
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
	amounts  map[source]Amount
	depth    []int
	bytes    int64
	steps    int
	combined int                // messages with more than one contribution
	checked  int                // of these, whose sum is that of its contributions
	xored    int                // or whose hash is their exclusive or
	got      []map[content]bool // what a process received: who sends it passes it on
	wrong    bool
}

// source is a process's own data in a range of the vector.
type source struct {
	process  int
	from, to int64
}

func newReducing(members []int32, ms []*Message, at func(*Message) int64) *reducing {
	x := &reducing{members: members, messages: ms, at: at, index: map[int32]int{}, amounts: map[source]Amount{},
		words: (len(members) + 63) / 64, depth: make([]int, len(members))}
	for i, p := range members {
		x.index[p] = i
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
		p := i / cells
		x.has[i][p/64] |= 1 << (p % 64)
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
			for c := from; c < to; c++ {
				x.carries[i] = append(x.carries[i], x.has[p*x.cells()+c]...)
			}
			x.check(m, x.carries[i])
			x.wrong = x.wrong || x.got[p][m.sent()]
			return
		}
		q := x.index[m.To]
		if x.got[q] == nil {
			x.got[q] = map[content]bool{}
		}
		x.got[q][m.received()] = true
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
	return ok && !x.wrong
}

// check compares what a message carries with its contributions, as far as they are known.
func (x *reducing) check(m *Message, carried []uint64) {
	from := x.at(m)
	first := carried[:x.words]
	n, sum, known := 0, Amount{}, true
	for p := range x.members {
		if first[p/64]>>(p%64)&1 == 0 {
			continue
		}
		n++
		a, ok := x.amounts[source{p, from, from + m.Bytes}]
		known = known && ok
		sum = Amount{sum.Sum + a.Sum, sum.Wave.Add(a.Wave), sum.Hash ^ a.Hash}
	}
	for at := x.words; at < len(carried); at += x.words {
		known = known && slices.Equal(first, carried[at:at+x.words])
	}
	if n == 1 {
		if m.Known && m.Bytes >= enough && m.Hash != 0 {
			x.amounts[source{x.index[m.From], from, from + m.Bytes}] = m.Amount
		}
		return
	}
	x.combined++
	if !known || !m.Known {
		return
	}
	switch elements := uint64(m.Bytes / max(m.Width, 1)); {
	case m.Elements == Integers && m.Amount.Sum == sum.Sum,
		m.Elements == Reals && m.Amount.Wave.Size > 0 && m.Amount.Wave.Near(sum.Wave, elements, m.Width, n):
		x.checked++
	case m.Amount.Hash == sum.Hash:
		x.xored++
	}
}

func (x *reducing) proven() bool { return x.combined > 0 && max(x.checked, x.xored) == x.combined }

// op is the operation, as far as it is known.
func (x *reducing) op() string {
	switch {
	case !x.proven():
		return ""
	case x.checked == x.combined:
		return mpi.Sum
	}
	return mpi.Bxor
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
	case x.combined == 0 && (!one || !same || !x.onePlace()):
		return "", -1
	case x.cells() == 1 && x.prefixes():
		return "scan", -1
	case all:
		return "allreduce", -1
	case one && same:
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

// prefixes tells whether each process has the contributions of those before it, and its own.
func (x *reducing) prefixes() bool {
	for p := range x.members {
		for q := range x.members {
			if x.has[p][q/64]>>(q%64)&1 == 1 != (q <= p) {
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
		return "chain"
	case len(x.messages) == n-1 && x.steps <= bits:
		return "tree"
	case x.steps <= bits+2 && len(x.messages) >= n:
		return "recursive halving or doubling"
	}
	return fmt.Sprintf("forwarding by %d of %d", len(into), n)
}
