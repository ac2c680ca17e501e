package cgen

import (
	"fmt"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/internal/program/cc"
	"github.com/tabard-hpc/tabard/internal/program/memory"
	"github.com/tabard-hpc/tabard/spec"
)

// statement makes a call; nil if it is not made again.
func (g *generator) statement(c *class, t *terminal) []*cc.Stmt {
	if t.Func.Func.Own() {
		return g.ownRecord(c, t)
	}
	if g.reason(t) != "" || g.lacks(c, t) {
		return nil
	}
	k := g.newOneCall(c, t)
	o := program.OutcomesOf(t.ID)
	polls := t.tm.Flags&archive.Polls != 0
	several := o != nil && (o.Kind == program.OneOf || o.Kind == program.SomeOf)
	if polls && (several || t.Name == "MPI_Improbe" || t.Name == "MPI_Win_test") {
		return nil // the successful call that follows polls as often as it takes
	}
	args := k.arguments()
	if o != nil && !polls {
		return k.outcome(o, args)
	}
	made := cc.Call(t.Name, args...)
	if k.remote {
		made = cc.Call("ACCESS", made)
	}
	return k.around(cc.Do(made))
}

// arguments are all that is passed.
func (k *call) arguments() []*cc.Expr {
	args := program.Pass(k.Func, program.Passer[*cc.Expr](k))
	k.failing()
	k.g.functions[k.Name] = k.Since
	return args
}

// completes tells whether a call completes requests of a list, which is passed.
func (k *call) completes(o *program.Outcomes, args []*cc.Expr) bool {
	return !strings.Contains(k.Name, "get_status") && o.Request >= 0 && !args[o.Request].Is("NULL")
}

// outcome makes calls whose results are not determined: until they are what they were in the
// recording.
func (k *oneCall) outcome(o *program.Outcomes, args []*cc.Expr) []*cc.Stmt {
	made := cc.Do(cc.Call(k.Name, args...))
	k.g.flag = k.g.flag || o.Flag >= 0 && o.Kind != program.SomeOf
	switch o.Kind {
	case program.OnePoll, program.ProbePoll:
		made = polled(made)
	case program.OneOf:
		if o.Flag >= 0 {
			made = polled(made)
		}
		k.g.which = true
		if k.completes(o, args) {
			if k.g.persistent() {
				k.pre = append(k.pre, cc.Do(cc.Declare("int", cc.Assign(cc.Name("want"), k.wanted(o.Index)))))
				k.onlyWanted(args, o, cc.Int(1), cc.Prefix("&", cc.Name("want")))
			} else {
				k.settle(args[o.Request], k.wanted(o.Index))
			}
		}
	case program.SomeOf:
		k.g.which = true
		if k.completes(o, args) {
			made = k.some(o, args)
		}
	}
	return k.around(made)
}

// wanted is the recorded value of a result.
func (k *oneCall) wanted(slot int) *cc.Expr {
	switch k.kind(slot) {
	case archive.Int:
		return k.g.number(k.c, &k.t.slot(slot).n, k.c.Ranks(), nil, "wanted")
	case archive.Hole:
		return cc.Cast("int", k.read(slot, 0, "wanted", nil))
	}
	return cc.Int(-1)
}

// some makes calls that complete some of several requests, until there are as many as in the
// recording.
func (k *oneCall) some(o *program.Outcomes, args []*cc.Expr) *cc.Stmt {
	indices, count := cc.List("int[]", cc.Int(0)), cc.Int(0)
	switch k.kind(o.Index) {
	case archive.Ints:
		v := k.t.slot(o.Index)
		indices = k.array(&k.Params[k.paramOf(o.Index)], v, "int")
		if n, same := v.sameLength(k.c.Ranks()); same {
			count = cc.Int(n)
		}
	case archive.Hole:
		if length, elements := k.g.arrayColumns(k.c, k.t, o.Index, "wanted", nil); length != nil {
			count, indices = cc.Cast("int", length), cc.Call("next_ints", cc.Name("wants"), elements)
		}
	}
	wants, want, done, got, which := cc.Name("wants"), cc.Name("want"), cc.Name("done"), cc.Name("got"),
		cc.Name("which")
	list := args[o.Request]
	for i := range k.Params {
		if k.Params[i].After == o.Index {
			args[i] = cc.Infix(got, "+", done)
		}
	}
	room := cc.Infix(cc.Paren(compare(cc.Operand(args[0]), "+", 1)), "*", cc.Prefix("sizeof ", cc.Deref(got)))
	k.pre = append(k.pre,
		cc.Do(cc.Declare("int", cc.Assign(wants, count), cc.Assign(cc.Deref(want), indices))),
		cc.Do(cc.Declare("int", cc.Assign(done, cc.Int(0)), cc.Assign(cc.Deref(got), cc.Call("room", room)))))
	if k.g.persistent() {
		k.onlyWanted(args, o, wants, want)
	} else {
		k.post = append([]*cc.Stmt{cc.Do(cc.Call("settle_some", list, wants, want, done, got))}, k.post...)
	}
	more := cc.Infix(cc.Infix(which, "!=", cc.Name("MPI_UNDEFINED")), "&&", cc.Infix(done, "<", wants))
	return &cc.Stmt{Form: cc.Braced, Head: cc.Head("do"), Tail: cc.Head("while", more), Body: []*cc.Stmt{
		cc.Do(cc.Call(k.Name, args...)),
		cc.If(compare(which, ">", 0), cc.Do(cc.Infix(done, "+=", which)))}}
}

// onlyWanted shows a call those of its requests that it completed in the recording.
func (k *oneCall) onlyWanted(args []*cc.Expr, o *program.Outcomes, n, want *cc.Expr) {
	list := args[o.Request]
	k.pre = append(k.pre, cc.Do(cc.Call("only_wanted", args[0], list, n, want)))
	k.post = append([]*cc.Stmt{cc.Do(cc.Call("all_again", args[0], list, n, want))}, k.post...)
}

func (k *call) paramOf(slot int) int {
	for i := range k.Params {
		if k.Params[i].After == slot {
			return i
		}
	}
	return 0
}

// removed are functions that MPI 3 removed, and what stands for them where they are not there any
// more.
var removed = map[string]string{
	"MPI_Address": "MPI_Get_address", "MPI_Type_hindexed": "MPI_Type_create_hindexed",
	"MPI_Type_hvector": "MPI_Type_create_hvector",
	"MPI_Type_struct":  "MPI_Type_create_struct", "MPI_Errhandler_create": "MPI_Comm_create_errhandler",
	"MPI_Errhandler_get": "MPI_Comm_get_errhandler", "MPI_Errhandler_set": "MPI_Comm_set_errhandler",
	"MPI_Type_extent(t, at)": "MPI_Type_get_extent(t, &(MPI_Aint){0}, at)",
	"MPI_Type_lb(t, at)":     "MPI_Type_get_extent(t, at, &(MPI_Aint){0})",
	"MPI_Type_ub(t, at)":     "MPI_Type_get_true_extent(t, &(MPI_Aint){0}, at)",
}

// lacks tells whether a call uses an object that no call of the recording that is made again
// creates.
func (g *generator) lacks(c *class, t *terminal) bool {
	for i := range t.Params {
		p := &t.Params[i]
		v := t.slot(p.Before)
		if v == nil || p.Codec != spec.Handle || p.Class == spec.Request || v.kind == archive.Hole {
			continue
		}
		rank := c.Ranks().Min()
		codes := v.codesAt(rank)
		if v.kind == archive.Ref {
			codes = []int64{v.n.at(rank)}
		}
		for _, code := range codes {
			if program.IsObject(code) && g.created[g.objectKey(c, p.Class, code)] <= 0 {
				g.skipLacking(t.Name, p.Class)
				return true
			}
		}
	}
	return false
}

// skipLacking notes that a call lacks an object of a class.
func (g *generator) skipLacking(name string, class spec.Class) {
	object := strings.TrimPrefix(handleClasses[class].ctype, "MPI_")
	g.skip(name, fmt.Sprintf("the %s that it uses was not created by a call that is made again", object))
}

// ownRecord makes memory and threads where the program did; of the recorder's other records nothing is left.
func (g *generator) ownRecord(c *class, t *terminal) []*cc.Stmt {
	number := func(slot int, hint string) *cc.Expr {
		v := t.slot(slot)
		if v == nil || v.kind == archive.Hole {
			return cc.Call("next", g.column(c, t.id, slot, 0, hint, nil))
		}
		return g.number(c, &v.n, c.Ranks(), nil, hint)
	}
	var numbers map[int64]bool
	if g.several && t.Name != beginRecord {
		numbers = g.numbersIn(c, t, 0)
	}
	own := func(n *cc.Expr) *cc.Expr { return g.heapOf("own", n, numbers) }
	heap := func(n *cc.Expr) *cc.Expr { return g.heapOf("heap", n, numbers) }
	// A number in a column has to be read once.
	once := func(n *cc.Expr, list ...*cc.Stmt) []*cc.Stmt {
		declared := cc.Do(cc.Declare("long", cc.Assign(cc.Name("n"), n)))
		return []*cc.Stmt{cc.Block(append([]*cc.Stmt{declared}, list...)...)}
	}
	n := cc.Name("n")
	switch t.Name {
	case memory.SegmentBegin:
		if !g.allocates(t) {
			return nil
		}
		at := number(0, "segment")
		if at.Calls("next") {
			block := g.allocation(c, t, n, number(2, "bytes"))
			return once(at, cc.Do(cc.Assign(heap(n), cc.Assign(own(n), block))))
		}
		bytes := number(2, "bytes")
		if n, ok := t.slot(0).n.constant(); ok {
			// What calls use may be more than what is recorded, if the number means other memory,
			// too.
			if s := g.memory.Find(archive.Heap, n); s != nil && s.Most > g.memory.Records[n].Largest &&
				s.Most < memory.Believable {
				bytes = literal(s.Most, nil)
			}
		}
		block := g.allocation(c, t, at, bytes)
		if g.mixed(t) {
			block = cc.Assign(own(at), block)
		}
		return []*cc.Stmt{cc.Do(cc.Assign(heap(at), block))}
	case createRecord, beginRecord, joinRecord:
		return g.life(t, number)
	case memory.SegmentEnd:
		at := number(0, "segment")
		forget := func(n *cc.Expr) *cc.Stmt { return cc.Do(cc.Assign(own(n), cc.Null)) }
		switch {
		case at.Calls("next"):
			return once(at, g.release(c, t, n, own(n)), forget(n))
		case g.mixed(t):
			return []*cc.Stmt{g.release(c, t, at, own(at)), forget(at)}
		}
		return []*cc.Stmt{g.release(c, t, at, heap(at))}
	}
	return nil
}

// mixed tells whether the number of a segment also stands for memory that MPI allocates, which the
// program must not free.
func (g *generator) mixed(t *terminal) bool {
	v := t.slot(0)
	n, ok := v.n.constant()
	return !ok || !g.memory.Records[n].Ours || g.memory.InColumns
}

// allocates tells whether a record of a segment is one of memory that the program allocated itself.
func (g *generator) allocates(t *terminal) bool {
	kind := t.slot(1)
	if kind == nil || kind.kind != archive.Int {
		return true
	}
	n, ok := kind.n.constant()
	return !ok || n != memory.MadeByMPI
}
