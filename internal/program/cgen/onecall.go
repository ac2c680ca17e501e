package cgen

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/internal/program/cc"
	"github.com/tabard-hpc/tabard/internal/program/memory"
	"github.com/tabard-hpc/tabard/spec"
)

// oneCall is a call in a program for one number of ranks. Its values are functions of the rank, or
// read from columns.
type oneCall struct {
	*call
	c *class
	t *terminal
	// remote is set if it may use an address in another process.
	remote bool
}

func (g *generator) newOneCall(c *class, t *terminal) *oneCall {
	k := &oneCall{c: c, t: t, remote: g.usesRemote(c, t)}
	k.call = &call{Func: t.Func, values: k, g: g, flags: t.tm.Flags, ret: t.tm.Ret}
	return k
}

func (k *oneCall) kind(slot int) archive.Kind {
	if v := k.t.slot(slot); v != nil && !v.ignored {
		return v.kind
	}
	return archive.Absent
}

// Kind is that of the value in a slot.
func (k *oneCall) Kind(_ *program.Param, slot int) archive.Kind { return k.kind(slot) }

func (k *oneCall) constant(slot int) (int64, bool) {
	if v := k.t.slot(slot); v != nil {
		return v.n.constant()
	}
	return 0, false
}

func (k *oneCall) first(slot int) (int64, bool) {
	if v := k.t.slot(slot); v != nil && v.kind == archive.Int {
		return v.n.at(k.c.Ranks().Min()), true
	}
	return 0, false
}

func (k *oneCall) literalOf(slot int) (int64, bool) {
	v := k.t.slot(slot)
	if v == nil || v.kind != archive.Addr || v.mem != archive.Literal {
		return 0, false
	}
	n, _ := v.n.constant()
	return n, true
}

func (k *oneCall) words(slot int) *archive.Value {
	if slot < 0 {
		return nil
	}
	return &k.t.tm.Slots[slot]
}

// read is the next value of a column of a slot; change, if it is not nil, is done to all of them
// before.
func (k *oneCall) read(slot, field int, hint string, change func(int64) int64) *cc.Expr {
	return cc.Call("next", k.g.column(k.c, k.t.id, slot, field, hint, change))
}

// fit is an expression for a function of the rank whose values are known.
func (k *oneCall) fit(hint string, value func(rank int) int64) *cc.Expr {
	return k.g.fit(k.c, k.c.Ranks(), value, nil, hint)
}

// inColumns calls f with what a slot has in columns at each rank, until it returns false.
func (k *oneCall) inColumns(slot, field int, f func(vals []int64) bool) {
	for r := range k.c.Ranks().All() {
		vals, err := k.c.Values(program.Column{Terminal: k.t.id, Slot: slot, Field: field, Rank: r})
		k.g.fail(err)
		if !f(vals) {
			return
		}
	}
}

// sameInColumns is the value that all in a column are; same is false if they differ, any if there
// are none.
func (k *oneCall) sameInColumns(slot, field int) (first int64, same, any bool) {
	same = true
	k.inColumns(slot, field, func(vals []int64) bool {
		for _, v := range vals {
			same = same && (!any || v == first)
			first, any = v, true
		}
		return true
	})
	return first, same, any
}

// varies tells whether a part of a status differs from call to call.
func (k *oneCall) varies(slot, field int) bool {
	if k.kind(slot) != archive.Hole {
		return false
	}
	_, same, _ := k.sameInColumns(slot, field)
	return !same
}

// statusPart is a part of a status, which is in columns.
func (k *oneCall) statusPart(slot, field int) *cc.Expr {
	return k.read(slot, field, statusParts[field], nil)
}

func (k *oneCall) Number(p *program.Param) *cc.Expr {
	v := k.t.slot(p.Before)
	if p.Role == program.Number {
		if e := k.directed(p); e != nil {
			return e
		}
		if k.remote && p.Name == "target_disp" {
			return k.remoteDisplacement(p, v)
		}
	}
	plain := v != nil && (v.kind == archive.Int || v.kind == archive.Addr)
	switch {
	case v == nil:
	case plain && p.Name != "stride" && k.typeAddress(p, v.n.at(k.c.Ranks().Min())):
	case plain:
		return k.g.number(k.c, &v.n, k.c.Ranks(), k.constantName(p), p.Name)
	case v.kind == archive.Hole && len(k.columnsOf(v.at)) > 0:
		return k.read(v.at, 0, p.Name, nil)
	case v.kind == archive.Float:
		return plainInt(v.n.n)
	}
	return cc.Int(0)
}

func (k *oneCall) columnsOf(slot int) (out []archive.ColumnSpec) {
	for _, s := range k.t.tm.Signature.Columns() {
		if s.Slot == slot {
			out = append(out, s)
		}
	}
	return out
}

// Sentinel is a constant in place of an array.
func (k *oneCall) Sentinel(p *program.Param, slot int) *cc.Expr {
	v := k.t.slot(slot)
	if n, ok := v.n.constant(); ok && n > 0 && int(n) < len(program.SentinelNames) {
		return cc.Name(program.SentinelNames[n])
	}
	return k.g.choose(k.c.Ranks(), p.Name, "int *", func(r int) *cc.Expr {
		return cc.Name(program.SentinelNames[max(1, min(2, v.n.at(r)))])
	})
}

// numbers is an array of integers.
func (k *oneCall) numbers(p *program.Param) *cc.Expr {
	v, t := k.t.slot(p.Before), element(p)
	switch v.kind {
	case archive.Hole:
		length, elements := k.g.arrayColumns(k.c, k.t, v.at, p.Name, nil)
		if length == nil {
			return cc.Null
		}
		return cc.Call(map[bool]string{true: "next_ints", false: "next_longs"}[t == "int"], length, elements)
	case archive.Ints:
		return k.array(p, v, t)
	}
	return cc.Null
}

func (k *oneCall) array(p *program.Param, v *value, t string) *cc.Expr {
	if v.vec == nil {
		return k.constantArray(p, v.ints, t)
	}
	ranks := k.c.Ranks()
	n, same := v.sameLength(ranks)
	if same && n <= shortArray && ranks.Len() > 1 {
		parts := make([]*cc.Expr, n)
		for i := range n {
			parts[i] = k.g.fit(k.c, ranks, func(r int) int64 { return v.vec.At(r)[i] }, k.constantName(p), p.Name)
		}
		return literalArray(t, parts, p)
	}
	if e := k.sloped(v, n, same, t); e != nil {
		return e
	}
	return k.g.choose(ranks, p.Name, "void *", func(r int) *cc.Expr { return k.storedArray(p, v.vec.At(r), t) })
}

// storedArray is an array that is there after the function that returns it.
func (k *oneCall) storedArray(p *program.Param, vals []int64, t string) *cc.Expr {
	if n := len(vals); n > 1 && affine(vals) == n {
		return cc.Call(rampOf(t), cc.Int(n), plainInt(vals[0]), plainInt(vals[1]-vals[0]))
	}
	if len(vals) == 0 { // not NULL, which some functions do not take
		return cc.Call("room", cc.Int(1))
	}
	return k.g.tableOf(t, p.Name, vals)
}

// sloped is an array that rises along its elements, from a value that is a function of the rank;
// nil for others.
func (k *oneCall) sloped(v *value, n int, same bool, t string) *cc.Expr {
	if !same || n < 2 {
		return nil
	}
	for r := range k.c.Ranks().All() {
		if affine(v.vec.At(r)) < n {
			return nil
		}
	}
	first := k.fit("number", func(r int) int64 { return v.vec.At(r)[0] })
	step := k.fit("number", func(r int) int64 { return v.vec.At(r)[1] - v.vec.At(r)[0] })
	return cc.Call(rampOf(t), cc.Int(n), first, step)
}

// length is that of an array that is passed; nil for one from columns.
func (k *oneCall) length(p *program.Param) *cc.Expr {
	v := k.t.slot(p.Before)
	switch {
	case v.kind == archive.List && !v.refs:
		return cc.Int(len(v.list))
	case v.kind != archive.Ints && v.kind != archive.List:
		return nil
	}
	if same, ok := v.sameLength(k.c.Ranks()); ok {
		return cc.Int(same)
	}
	return cc.Operand(k.fit("length", func(r int) int64 { return int64(v.vec.Len(r)) }))
}

// room is how many bytes a result takes; more than enough if that is not known.
func (k *oneCall) room(p *program.Param) *cc.Expr {
	if p.Role == program.TextOut && k.kind(p.After) == archive.Absent && k.flags&archive.Failed == 0 && !p.Conditional {
		return cc.Int(leastText)
	}
	n := k.roomFor(p)
	if n == 0 && p.After >= 0 && p.Len != spec.LenParam && p.Len != spec.LenOut {
		n = 8 * int64(max(k.g.size, 64))
	}
	return plainInt(max(n, leastRoom))
}

// Least room for results, in bytes.
const (
	leastRoom = 16
	leastText = 8192
)

// roomFor is the largest room that a result takes, see program.Func.Room.
func (k *oneCall) roomFor(p *program.Param) int64 {
	return k.Room(p, func(param int) (int64, bool) {
		in := k.t.slot(k.Params[param].Before)
		if in == nil {
			return 0, false
		}
		most, ok := int64(0), false
		switch in.kind {
		case archive.Int, archive.Addr:
			for r := range k.c.Ranks().All() {
				most, ok = max(most, in.n.at(r)), true
				if _, same := in.n.constant(); same {
					break
				}
			}
		case archive.Ints:
			for r := range k.c.Ranks().All() {
				for _, x := range in.codesAt(r) {
					most, ok = max(most, x), true
				}
				if in.vec == nil {
					break
				}
			}
		case archive.Hole:
			k.inColumns(in.at, 0, func(vals []int64) bool {
				_, hi := memory.Bounds(vals)
				most, ok = max(most, hi), true
				return true
			})
		}
		return most, ok
	})
}

// statuses is room for an array of statuses.
func (k *oneCall) statuses(p *program.Param) *cc.Expr {
	n := max(k.roomFor(p), 1)
	if n > 1<<12 {
		return cc.Call("room", cc.Infix(plainInt(n), "*", cc.Sizeof("MPI_Status")))
	}
	k.g.statuses = max(k.g.statuses, n)
	return cc.Name("status")
}

// Displacement is a number that may be an address.
func (k *oneCall) Displacement(p *program.Param) *cc.Expr {
	v := k.t.slot(p.Before)
	switch {
	case v != nil && v.kind == archive.Addr && v.mem != archive.Literal:
		return addressNumber(cc.Paren(k.g.address(k.c, v, p.Name)))
	case v != nil && v.kind == archive.Hole:
		return addressNumber(k.placeFromColumn(p, v))
	}
	return k.Number(p)
}

func (k *oneCall) displacements(p *program.Param) *cc.Expr {
	switch v := k.t.slot(p.Before); v.kind {
	case archive.List:
		if len(v.list) == 0 {
			break
		}
		parts := make([]*cc.Expr, len(v.list))
		for i := range v.list {
			parts[i] = k.displacementOf(p, &v.list[i])
		}
		return cc.List(element(p)+"[]", parts...)
	case archive.Hole:
		length, elements := k.g.arrayColumns(k.c, k.t, v.at, p.Name, k.g.placeCode)
		if length == nil {
			break
		}
		k.g.places = true
		return cc.Call("next_places", length, elements)
	case archive.Ints:
		return k.numbers(p)
	}
	return cc.Null
}

// displacementOf is one of several displacements.
func (k *oneCall) displacementOf(p *program.Param, v *value) *cc.Expr {
	if v.kind == archive.Addr && v.mem != archive.Literal {
		return addressNumber(cc.Paren(k.g.address(k.c, v, p.Name)))
	}
	if v.kind != archive.Int && v.kind != archive.Addr || k.typeAddress(p, v.n.at(k.c.Ranks().Min())) {
		return cc.Int(0)
	}
	return k.g.number(k.c, &v.n, k.c.Ranks(), k.constantName(p), p.Name)
}

// Buffer is an address.
func (k *oneCall) Buffer(p *program.Param) *cc.Expr {
	v := k.t.slot(p.Before)
	switch {
	case v.kind == archive.Hole:
		return k.placeFromColumn(p, v)
	case v.kind != archive.Addr:
		return cc.Null
	case v.mem != archive.Literal:
		return k.g.address(k.c, v, p.Name)
	}
	if n, ok := v.n.constant(); ok {
		return k.literalAddress(p, n)
	}
	return k.g.choose(k.c.Ranks(), p.Name, "void *", func(r int) *cc.Expr { return k.literalAddress(p, v.n.at(r)) })
}

// BufferNew points to where the address of new memory is kept.
func (k *oneCall) BufferNew(p *program.Param) *cc.Expr {
	out := k.t.slot(p.After)
	switch {
	case out.kind == archive.Hole:
		return k.newFromColumn(p, out)
	case out.kind != archive.Addr || out.mem != archive.Heap:
		return noPointer
	}
	seg, ok := out.seg.constant()
	if at, same := out.n.constant(); ok && same {
		return k.newBlock(seg, at)
	}
	numbers := map[int64]bool{}
	for _, n := range k.g.blocksIn(k.c, k.t, out) {
		numbers[n] = true
	}
	return cc.Addr(k.g.heapOf("heap", k.g.number(k.c, &out.seg, k.c.Ranks(), nil, "segment"), numbers))
}

// newBlock points to where the begin of a segment is kept, of which the call gives another address.
func (k *oneCall) newBlock(segment, offset int64) *cc.Expr {
	block := k.g.heapOf("heap", plainInt(segment), one(segment))
	if offset != 0 {
		k.post = append(k.post, cc.Do(cc.Infix(block, "-=", plainInt(offset))))
	}
	return cc.Addr(block)
}

// newFromColumn is bufferNew for addresses in a column, of which most often all are the same.
func (k *oneCall) newFromColumn(p *program.Param, out *value) *cc.Expr {
	first, same, seen := k.sameInColumns(out.at, 0)
	v := archive.AddressOf(first)
	if !seen || same && v.Mem != archive.Heap {
		return noPointer
	}
	if same {
		return k.newBlock(int64(v.Seg), v.N)
	}
	code, block := cc.Name("code"), cc.Name("block")
	segments := k.read(out.at, 0, p.Name, func(w int64) int64 {
		if v := archive.AddressOf(w); v.Mem == archive.Heap {
			return int64(v.Seg)<<40 + v.N
		}
		return -1
	})
	k.pre = append(k.pre, cc.Do(cc.Declare("char", cc.Deref(block))),
		cc.Do(cc.Declare("long", cc.Assign(code, segments))))
	begin := cc.Infix(block, "-", cc.Paren(cc.Infix(code, "&", cc.Name("0xffffffffffL"))))
	numbers := map[int64]bool{}
	for _, n := range k.g.blocksIn(k.c, k.t, out) {
		numbers[n] = true
	}
	at := k.g.heapOf("heap", compare(code, ">>", 40), numbers)
	k.post = append(k.post, cc.If(compare(code, ">=", 0), cc.Do(cc.Assign(at, begin))))
	return cc.Addr(block)
}

// placeFromColumn is an address that differs from call to call.
func (k *oneCall) placeFromColumn(p *program.Param, v *value) *cc.Expr {
	k.g.places = true
	return cc.Call("place", k.read(v.at, 0, p.Name, k.g.placeCode))
}

// placeCode is what an address in a column is for place(): the offset there times 2^20 plus the
// number of its segment; of a plain number n that is not negative it is -1 - 2n, else 2n.
func (g *generator) placeCode(word int64) int64 {
	v := archive.AddressOf(word)
	if v.Mem == archive.Literal {
		if v.N < 0 {
			return 2 * v.N
		}
		return -1 - 2*v.N
	}
	s := g.memory.Segment(&v)
	g.inPlaces[s.Index] = true
	if s.Index >= mostPlaces {
		g.fail(fmt.Errorf("there are more than %d blocks of memory", mostPlaces))
	}
	return (memory.Offset(&v)-s.Low)*mostPlaces + int64(s.Index)
}

// mostPlaces is how many segments addresses in columns may be in. Small codes, of where blocks
// begin, are short in the text of the program.
const mostPlaces = 1 << 20

// reopens is the condition for being the first process that opens a file that was removed since it
// was made.
func (k *oneCall) reopens() *cc.Expr {
	p := k.t.Param("comm")
	if !k.g.reopened[memory.Terminal{Class: k.c.Index, Terminal: k.t.id}] || p == nil ||
		k.kind(p.Before) != archive.Ref {
		return nil
	}
	code, ok := k.constant(p.Before)
	switch {
	case !ok:
	case k.g.objectName(p.Class, code).Is("MPI_COMM_WORLD"):
		return compare(rankVar, "==", 0)
	case k.g.objectName(p.Class, code).Is("MPI_COMM_SELF"):
		return cc.Int(1)
	}
	return nil
}
