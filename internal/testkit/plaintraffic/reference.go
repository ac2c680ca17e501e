// Package plaintraffic counts the data that calls move in the simplest way, and compares the result with that of
// package traffic.
//
// It looks at every call of every stream, one by one, by the names of parameters, and shares nothing
// with package traffic but who is in which communicator and how large datatypes are.
package plaintraffic

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/traffic"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// noOp is the code of MPI_NO_OP.
var noOp = func() int64 {
	k, _ := spec.PredefinedByName("MPI_NO_OP")
	return archive.PredefinedRef(k)
}()

// naive is the plain reference: it looks at every call of every stream, one by one.
type naive struct {
	problems
	a     *archive.Archive
	p     *calls.Program
	cells [traffic.NumKinds]map[[2]int32]traffic.Volume
	// nowhere and unsized as in traffic.Matrix; sizes count messages by their size.
	nowhere [traffic.NumKinds]traffic.Volume
	unsized [traffic.NumKinds]uint64
	sizes   [traffic.NumKinds]map[int64]uint64
	inits   map[[2]int64]func() // by process and request
}

// problems collects the differences that were found.
type problems struct{ list []string }

func (p *problems) errorf(format string, args ...any) {
	p.list = append(p.list, fmt.Sprintf(format, args...))
}

func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	return errors.New(strings.Join(p.list, "\n"))
}

func newNaive(a *archive.Archive) (*naive, error) {
	p, err := calls.Open(a)
	if err != nil {
		return nil, err
	}
	n := &naive{a: a, p: p, inits: map[[2]int64]func(){}}
	for k := range n.cells {
		n.cells[k], n.sizes[k] = map[[2]int32]traffic.Volume{}, map[int64]uint64{}
	}
	return n, nil
}

// callSite is what the reference knows of a call.
type callSite struct {
	n     *naive
	c     *archive.Call
	s     *archive.Stream
	event uint64
	name  string
	comm  *comms.Comm
	peers *calls.Peers
}

func (x *callSite) int(name string) (int64, bool) {
	v, ok := x.c.In(name)
	switch {
	case ok && (v.Kind == archive.Int || v.Kind == archive.Ref):
		return v.N, true
	case ok && v.Kind == archive.Addr && v.Mem == archive.Literal:
		return v.N, true
	}
	return 0, false
}

func (x *callSite) list(name string) []int64 {
	v, _ := x.c.In(name)
	if v.Kind == archive.List {
		var ns []int64
		for _, e := range v.List {
			ns = append(ns, e.N)
		}
		return ns
	}
	return v.Ints
}

func (x *callSite) is(name, constant string) bool {
	v, ok := x.int(name)
	want, _ := x.n.a.Meta().ABI.Const(constant)
	return ok && v == want
}

func (x *callSite) size(ref int64) int64 {
	size, _ := x.n.p.TypeSize(x.s, ref, x.event)
	return size
}

func times(a, b int64) int64 {
	if a < 0 || b < 0 {
		return -1
	}
	return a * b
}

// bytes returns the count times the size of the datatype.
func (x *callSite) bytes(count, datatype string) int64 {
	n, ok := x.int(count)
	d, ok2 := x.int(datatype)
	if !ok || !ok2 {
		return -1
	}
	return times(n, x.size(d))
}

func (x *callSite) me() int32 { return x.n.p.Number(x.s.Process()) }

// to counts a message to a rank of the communicator.
func (x *callSite) to(k traffic.Kind, rank, bytes int64, get bool) {
	target := int32(-1)
	if x.peers != nil {
		target = x.peers.At(int32(rank))
	}
	v := traffic.Volume{Messages: 1, Bytes: max(bytes, 0)}
	if bytes < 0 {
		x.n.unsized[k]++
	}
	if target < 0 {
		x.n.nowhere[k].Messages++
		x.n.nowhere[k].Bytes += v.Bytes
		return
	}
	cell := [2]int32{x.me(), target}
	if get {
		cell = [2]int32{target, x.me()}
	}
	c := x.n.cells[k][cell]
	x.n.cells[k][cell] = traffic.Volume{Messages: c.Messages + 1, Bytes: c.Bytes + v.Bytes}
}

// message counts one of a size.
func (x *callSite) message(k traffic.Kind, bytes int64) {
	if bytes >= 0 {
		x.n.sizes[k][bytes]++
	}
}

// others counts the part of a collective for each other process that keep accepts. If the group is
// not known, all are one message of total bytes.
func (x *callSite) others(total int64, bytes func(rank int) int64, keep func(rank int) bool) {
	if x.peers == nil || x.peers.Group() == nil {
		x.n.nowhere[traffic.Collective].Messages++
		x.n.nowhere[traffic.Collective].Bytes += total
		return
	}
	own := x.peers.Rank()
	for r := range x.peers.Group().Len() {
		if b := bytes(r); (x.comm.Inter || r != own) && b != 0 && keep(r) {
			x.to(traffic.Collective, int64(r), b, false)
		}
	}
}

func all(int) bool { return true }

// run goes through the selected calls.
func (n *naive) run(r *selection.Resolved) error {
	for st := range n.a.Streams() {
		part, err := r.Part(st)
		if err != nil {
			return err
		}
		event, last := uint64(0), archive.Flags(0)
		var lastTerminal uint32
		for c, err := range st.Iter(0) {
			if err != nil {
				return err
			}
			if c.Index > 0 && !(c.Flags&last&archive.Polls != 0 && c.Terminal == lastTerminal) {
				event++
			}
			last, lastTerminal = c.Flags, c.Terminal
			in := part != nil && c.Index >= part.Range.From && c.Index < part.Range.To &&
				r.Selection.Function(c.Func.ID)
			if in {
				in, _ = part.Inside(c.Index)
			}
			n.call(&callSite{n: n, c: c, s: st, event: event}, in, r)
		}
	}
	return nil
}

// call counts one call if it is selected.
func (n *naive) call(x *callSite, in bool, r *selection.Resolved) {
	c := x.c
	if c.Flags&(archive.Failed|archive.Unfinished|archive.Polls) != 0 {
		return
	}
	x.name = strings.TrimSuffix(strings.TrimPrefix(c.Func.Name, "MPI_"), "_c")
	for _, name := range []string{"comm", "comm_old", "win", "fh"} {
		ref, ok := x.int(name)
		if !ok {
			continue
		}
		class := c.Func.Slots[0].Class
		for i, s := range c.Func.Slots {
			if s.Param >= 0 && c.Func.Params[s.Param].Name == name && !s.Out {
				class = c.Func.Slots[i].Class
			}
		}
		id, peers, _ := n.p.Scope(x.s, class, ref, x.event)
		if x.peers = peers; id >= 0 {
			x.comm = n.p.Comms.Comms[id]
		}
	}
	if x.name == "Start" || x.name == "Startall" {
		refs := x.list("array_of_requests")
		if v, ok := x.int("request"); ok {
			refs = []int64{v}
		}
		for _, ref := range refs {
			if f := n.inits[[2]int64{int64(x.s.Process()), ref}]; f != nil && in {
				f()
			}
		}
		return
	}
	if stem, ok := strings.CutSuffix(x.name, "_init"); ok {
		y := *x
		y.c, y.name = c.Clone(), stem
		if v, ok := c.Out("request"); ok {
			n.inits[[2]int64{int64(x.s.Process()), v.N}] = func() {
				if r.Chosen(y.comm) {
					y.count()
				}
			}
		}
		return
	}
	if in && r.Chosen(x.comm) {
		x.count()
	}
}

func (x *callSite) count() {
	switch name := strings.ToLower(x.name); name {
	case "send", "bsend", "ssend", "rsend", "isend", "ibsend", "issend", "irsend", "psend", "sendrecv", "isendrecv",
		"sendrecv_replace", "isendrecv_replace":
		if x.is("dest", "MPI_PROC_NULL") {
			return
		}
		bytes := x.bytes("count", "datatype")
		if strings.Contains(name, "sendrecv") && !strings.Contains(name, "replace") {
			bytes = x.bytes("sendcount", "sendtype")
		}
		if name == "psend" {
			parts, _ := x.int("partitions")
			bytes = times(bytes, parts)
		}
		dest, ok := x.int("dest")
		if !ok {
			dest = -1
		}
		x.to(traffic.PointToPoint, dest, bytes, false)
		x.message(traffic.PointToPoint, bytes)
	case "put", "rput", "get", "rget", "accumulate", "raccumulate", "get_accumulate", "rget_accumulate", "fetch_and_op",
		"compare_and_swap":
		x.oneSided(name)
	default:
		if strings.HasPrefix(x.c.Func.Category, "io_data") {
			x.file()
			return
		}
		x.collective(strings.TrimPrefix(name, "i"))
	}
}

func (x *callSite) file() {
	if bytes := x.bytes("count", "datatype"); bytes >= 0 {
		x.message(traffic.File, bytes)
	}
}

func (x *callSite) oneSided(name string) {
	if x.is("target_rank", "MPI_PROC_NULL") {
		return
	}
	target, _ := x.int("target_rank")
	count := func(bytes int64, get bool) {
		x.to(traffic.OneSided, target, bytes, get)
		x.message(traffic.OneSided, bytes)
	}
	bytes := x.bytes("origin_count", "origin_datatype")
	if _, ok := x.int("origin_count"); !ok {
		d, _ := x.int("datatype")
		bytes = x.size(d)
	}
	switch {
	case name == "get" || name == "rget":
		count(bytes, true)
		return
	case strings.Contains(name, "fetch") || strings.Contains(name, "get_") || strings.Contains(name, "compare"):
		back := bytes
		if _, ok := x.int("result_count"); ok {
			back = x.bytes("result_count", "result_datatype")
		}
		if v, _ := x.c.In("op"); v.Kind == archive.Ref && v.N == noOp {
			bytes = -2
		}
		if bytes > -2 {
			count(bytes, false)
		}
		count(back, true)
		return
	}
	count(bytes, false)
}

func (x *callSite) collective(name string) {
	give := func(bytes int64) { x.message(traffic.Collective, bytes) }
	same := func(bytes int64) func(int) int64 { return func(int) int64 { return bytes } }
	inPlace := x.is("sendbuf", "MPI_IN_PLACE")
	root, _ := x.int("root")
	own := -1
	if x.peers != nil {
		own = x.peers.Rank()
	}
	inter := x.comm != nil && x.comm.Inter
	atRoot := !inter && int64(own) == root || inter && x.is("root", "MPI_ROOT")
	vector := func(counts, types, datatype string) {
		ns, refs := x.list(counts), x.list(types)
		d, _ := x.int(datatype)
		sum := int64(0)
		sizes := make([]int64, len(ns))
		for i := range ns {
			if sizes[i] = times(ns[i], x.size(d)); types != "" {
				sizes[i] = times(ns[i], x.size(refs[i]))
			}
			sum += sizes[i]
		}
		give(sum)
		x.others(sum, func(r int) int64 { return sizes[r] }, all)
	}
	each := func(bytes int64) {
		give(bytes)
		x.others(bytes, same(bytes), all)
	}
	switch name {
	case "bcast", "scatter":
		if atRoot {
			if name == "bcast" {
				each(x.bytes("count", "datatype"))
			} else {
				each(x.bytes("sendcount", "sendtype"))
			}
		}
	case "scatterv":
		if atRoot {
			vector("sendcounts", "", "sendtype")
		}
	case "gather", "gatherv", "reduce":
		bytes := x.bytes("sendcount", "sendtype")
		if name == "reduce" {
			bytes = x.bytes("count", "datatype")
		}
		if atRoot || inter && x.is("root", "MPI_PROC_NULL") {
			return
		}
		if give(bytes); bytes != 0 {
			x.to(traffic.Collective, root, bytes, false)
		}
	case "allgather", "alltoall":
		if inPlace {
			each(x.bytes("recvcount", "recvtype"))
		} else {
			each(x.bytes("sendcount", "sendtype"))
		}
	case "allgatherv":
		if bytes := x.bytes("sendcount", "sendtype"); !inPlace {
			each(bytes)
		} else {
			d, _ := x.int("recvtype")
			each(times(x.list("recvcounts")[own], x.size(d)))
		}
	case "alltoallv":
		if inPlace {
			vector("recvcounts", "", "recvtype")
		} else {
			vector("sendcounts", "", "sendtype")
		}
	case "alltoallw":
		if inPlace {
			vector("recvcounts", "recvtypes", "")
		} else {
			vector("sendcounts", "sendtypes", "")
		}
	case "allreduce":
		each(x.bytes("count", "datatype"))
	case "reduce_scatter_block":
		each(x.bytes("recvcount", "datatype"))
	case "reduce_scatter":
		vector("recvcounts", "", "datatype")
	case "scan", "exscan":
		bytes := x.bytes("count", "datatype")
		give(bytes)
		x.others(bytes, same(bytes), func(r int) bool { return r > own })
	case "neighbor_allgather", "neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw":
		x.neighbors(name)
	}
}

// neighbors counts messages to the neighbours that a creation call of the same process names.
func (x *callSite) neighbors(name string) {
	to, ok := x.neighborRanks()
	ns, refs := x.list("sendcounts"), x.list("sendtypes")
	for i, rank := range to {
		bytes := x.bytes("sendcount", "sendtype")
		switch {
		case len(ns) > 0 && i >= len(ns),
			len(ns) == 0 && (strings.Contains(name, "alltoallv") || strings.Contains(name, "alltoallw")):
			bytes = 0
		case name == "neighbor_alltoallv":
			d, _ := x.int("sendtype")
			bytes = times(ns[i], x.size(d))
		case name == "neighbor_alltoallw":
			bytes = times(ns[i], x.size(refs[i]))
		}
		if !ok {
			rank = 1 << 30
		}
		if rank >= 0 {
			if x.message(traffic.Collective, bytes); bytes != 0 {
				x.to(traffic.Collective, rank, bytes, false)
			}
		}
	}
}

func (x *callSite) neighborRanks() ([]int64, bool) {
	ref, _ := x.int("comm")
	o := x.n.p.Comms.Lookup(x.s.Process(), ref, x.s.Index(), x.event)
	if t := x.comm.Topology; t != nil && t.Kind == "cart" {
		var to []int64
		coords := make([]int64, len(t.Dims))
		rank := int64(o.Rank)
		for d := len(t.Dims) - 1; d >= 0; d-- {
			coords[d], rank = rank%t.Dims[d], rank/t.Dims[d]
		}
		for d := range t.Dims {
			for _, by := range []int64{-1, 1} {
				next := slices.Clone(coords)
				next[d] += by
				if t.Periods[d] {
					next[d] = (next[d] + t.Dims[d]) % t.Dims[d]
				}
				r := int64(0)
				for e := range next {
					if next[e] < 0 || next[e] >= t.Dims[e] {
						r = -1 << 40
					}
					r = r*t.Dims[e] + next[e]
				}
				to = append(to, max(r, -1))
			}
		}
		return to, true
	}
	var made *archive.Call // the last one before x that made a communicator of this number
	for c, err := range x.n.a.Stream(o.Stream).Iter(0) {
		if err != nil {
			x.n.errorf("%v", err)
			return nil, false
		}
		if c.Index >= x.c.Index && o.Stream == x.s.Index() {
			break
		}
		for _, out := range []string{"comm_dist_graph", "comm_graph", "newcomm", "comm_cart"} {
			if v, ok := c.Out(out); ok && v.Kind == archive.Ref && v.N == ref {
				made = c.Clone()
			}
		}
	}
	if made != nil {
		if d, ok := made.In("destinations"); ok && made.Func.Name == "MPI_Dist_graph_create_adjacent" {
			return d.Ints, true
		}
		index, ok := made.In("index")
		edges, _ := made.In("edges")
		if ok && len(index.Ints) > o.Rank {
			from := int64(0)
			if o.Rank > 0 {
				from = index.Ints[o.Rank-1]
			}
			return edges.Ints[from:index.Ints[o.Rank]], true
		}
	}
	return make([]int64, max(1, len(x.list("sendcounts")))), false
}

// Compare checks matrix and histograms of the selected calls of an archive against the reference,
// and returns the number of messages in the matrix.
func Compare(a *archive.Archive, f selection.Flags) (messages uint64, err error) {
	s, err := selection.Parse(f)
	if err != nil {
		return 0, err
	}
	r, err := s.Resolve(a)
	if err != nil {
		return 0, err
	}
	n, err := newNaive(a)
	if err != nil {
		return 0, err
	}
	if err := n.run(r); err != nil {
		return 0, err
	}
	m, err := traffic.MatrixOf(r)
	if err != nil {
		return 0, err
	}
	for k := range traffic.NumKinds {
		got := map[[2]int32]traffic.Volume{}
		for c := range m.Cells(k) {
			got[[2]int32{c.From, c.To}] = c.Volume
			messages += c.Messages
		}
		if !maps.Equal(got, n.cells[k]) {
			n.errorf("%s: %s", k, difference(got, n.cells[k]))
		}
		if m.Nowhere[k] != n.nowhere[k] || m.Unsized[k] != n.unsized[k] {
			n.errorf("%s: nowhere %v, want %v; unsized %d, want %d", k, m.Nowhere[k], n.nowhere[k], m.Unsized[k],
				n.unsized[k])
		}
	}
	if err := n.compareSizes(r); err != nil {
		return 0, err
	}
	n.checkViews(m)
	return messages, n.err()
}

func (n *naive) compareSizes(r *selection.Resolved) error {
	hs, err := traffic.Histograms(r, traffic.GroupBy{})
	if err != nil {
		return err
	}
	byKind := map[traffic.Kind]*traffic.Histogram{}
	for _, h := range hs {
		byKind[h.Kind] = h
	}
	for k := range traffic.NumKinds {
		h := byKind[k]
		if h == nil {
			h = &traffic.Histogram{}
		}
		if h.More == 0 && !maps.Equal(h.Sizes, n.sizes[k]) && len(h.Sizes)+len(n.sizes[k]) > 0 {
			n.errorf("%s: sizes %v, want %v", k, h.Sizes, n.sizes[k])
		}
		var bins [traffic.NumBins]uint64
		for b, c := range n.sizes[k] {
			bins[traffic.BinOf(b)] += c
		}
		if bins != h.Bins {
			n.errorf("%s: bins %v, want %v", k, h.Bins, bins)
		}
	}
	return nil
}

// difference names a few cells that differ.
func difference(got, want map[[2]int32]traffic.Volume) string {
	var b strings.Builder
	shown := 0
	keys := slices.Collect(maps.Keys(got))
	for k := range want {
		if _, ok := got[k]; !ok {
			keys = append(keys, k)
		}
	}
	for _, k := range keys {
		if got[k] != want[k] && shown < 8 {
			fmt.Fprintf(&b, "%d to %d: %v, want %v; ", k[0], k[1], got[k], want[k])
			shown++
		}
	}
	return b.String()
}

// checkViews compares the sums of the matrix with its cells.
func (n *naive) checkViews(m *traffic.Matrix) {
	if m.Processes == 0 {
		return
	}
	kinds := []traffic.Kind{traffic.PointToPoint, traffic.Collective, traffic.OneSided}
	sent, received := m.Totals(kinds...)
	for _, bins := range []int{1, 3, m.Processes} {
		binned := m.Binned(bins, kinds...)
		for c := range m.Cells(kinds...) {
			v := &binned[int(c.From)*bins/m.Processes*bins+int(c.To)*bins/m.Processes]
			v.Messages -= c.Messages
			v.Bytes -= c.Bytes
			if bins == 1 {
				sent[c.From].Messages -= c.Messages
				sent[c.From].Bytes -= c.Bytes
				received[c.To].Messages -= c.Messages
				received[c.To].Bytes -= c.Bytes
			}
		}
		for i, v := range binned {
			if v != (traffic.Volume{}) {
				n.errorf("%d bins: element %d is off by %v", bins, i, v)
			}
		}
	}
	for i := range sent {
		if sent[i] != (traffic.Volume{}) || received[i] != (traffic.Volume{}) {
			n.errorf("totals of %d are off by %v and %v", i, sent[i], received[i])
		}
	}
}
