package cgen

import (
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/internal/program/cc"
	"github.com/tabard-hpc/tabard/spec"
)

// nothing is the address of a null handle.
func nothing(class spec.Class) *cc.Expr {
	h := handleClasses[class]
	return cc.Temporary(h.ctype, cc.Name(h.null))
}

// Object is a handle.
func (k *oneCall) Object(p *program.Param) *cc.Expr {
	switch in := k.t.slot(p.Before); in.kind {
	case archive.Hole:
		return k.g.fromColumn(k.c, k.t, in.at, p.Class, p.Name)
	case archive.Absent:
		return cc.Name(handleClasses[p.Class].null)
	default:
		e, _ := k.g.handle(k.c, &in.n, p.Class, p.Name)
		return e
	}
}

// ObjectIO points to a handle that the call reads and may change.
func (k *oneCall) ObjectIO(p *program.Param) *cc.Expr {
	switch in := k.t.slot(p.Before); in.kind {
	case archive.Hole:
		return cc.Addr(k.g.fromColumn(k.c, k.t, in.at, p.Class, p.Name))
	case archive.Ref:
		e, object := k.g.handle(k.c, &in.n, p.Class, p.Name)
		if object && !(p.Life == spec.Free && k.g.shared[p.Class]) {
			return cc.Addr(e)
		}
		// A copy: the object may have other references, and its name stays in use.
		return cc.Temporary(handleClasses[p.Class].ctype, e)
	}
	return nothing(p.Class)
}

// ObjectNew points to where a new handle is kept.
func (k *oneCall) ObjectNew(p *program.Param) *cc.Expr {
	out := k.t.slot(p.After)
	switch {
	case out.kind == archive.Hole:
		return cc.Addr(k.g.fromColumn(k.c, k.t, out.at, p.Class, p.Name))
	case out.kind != archive.Ref:
		return nothing(p.Class)
	}
	if e, object := k.g.handle(k.c, &out.n, p.Class, p.Name); object {
		return cc.Addr(e)
	}
	if _, same := out.n.constant(); same {
		return nothing(p.Class)
	}
	// Some ranks get an object and others none.
	h := handleClasses[p.Class]
	nowhere := "no_" + h.array
	seen := false
	e := k.g.choose(k.c.Ranks(), p.Name, h.ctype+" *", func(r int) *cc.Expr {
		if code := out.n.at(r); program.IsObject(code) {
			return cc.Addr(k.g.objectName(p.Class, code))
		}
		seen = true
		return cc.Addr(cc.Name(nowhere))
	})
	if seen && !k.g.nowhere[p.Class] {
		k.g.nowhere[p.Class] = true
		k.g.variables.WriteString("static " + h.ctype + " " + nowhere + ";\n")
	}
	return e
}

// objects is an array of handles that the call reads and may change.
func (k *oneCall) objects(p *program.Param) *cc.Expr {
	h, in := handleClasses[p.Class], k.t.slot(p.Before)
	switch {
	case in.kind == archive.Hole:
		return k.objectsFromColumn(p, in)
	case in.kind != archive.List:
		return cc.Null
	}
	saw := func(codes []int64) {
		for _, code := range codes {
			if program.IsObject(code) {
				k.g.sawObject(p.Class, code)
			}
		}
	}
	if in.vec == nil {
		saw(in.ints)
		if first, ok := contiguous(in.ints); ok && (p.Class == spec.Request || len(in.ints) > 1) {
			if e := k.g.objectAt(p.Class, plainInt(first), in.ints...); e != nil {
				return cc.Addr(e)
			}
		}
	} else if e := k.contiguousByRank(in, p.Class, saw); e != nil {
		return e
	}
	if p.Class == spec.Request {
		return k.gather(in)
	}
	var parts []*cc.Expr
	if in.vec == nil {
		saw(in.ints)
		for _, code := range in.ints {
			parts = append(parts, k.g.objectName(p.Class, code))
		}
		if len(parts) == 0 {
			parts = append(parts, cc.Name(h.null))
		}
		return cc.List(h.ctype+"[]", parts...)
	}
	ranks, most := k.c.Ranks(), 0
	for r := range ranks.All() {
		most = max(most, in.vec.Len(r))
	}
	for i := range most {
		parts = append(parts, k.g.choose(ranks, p.Name, h.ctype+" ", func(r int) *cc.Expr {
			if codes := in.vec.At(r); i < len(codes) {
				return k.g.objectName(p.Class, codes[i])
			}
			return cc.Name(h.null)
		}))
	}
	return cc.List(h.ctype+"[]", append(parts, cc.Name(h.null))...)
}

// contiguousByRank is an array of consecutive objects whose first one depends on the rank, nil for
// others.
func (k *oneCall) contiguousByRank(in *value, class spec.Class, saw func([]int64)) *cc.Expr {
	firsts, all := map[int]int64{}, []int64(nil)
	for r := range k.c.Ranks().All() {
		codes := in.vec.At(r)
		saw(codes)
		first, ok := contiguous(codes)
		if !ok && len(codes) > 0 {
			return nil
		}
		firsts[r], all = first, append(all, codes...)
	}
	if _, together := k.g.arrayOf(class, all...); !together {
		return nil
	}
	return cc.Addr(k.g.objectAt(class, k.fit("first", func(r int) int64 { return firsts[r] }), all...))
}

// objectNumber is the number of the object with a code, -1 for none of the program.
func objectNumber(code int64) int64 {
	if program.IsObject(code) {
		return code/2 - 1
	}
	return -1
}

// gather is an array of requests that are not consecutive.
func (k *oneCall) gather(in *value) *cc.Expr {
	numbers := func(codes []int64) (out []int64) {
		for _, code := range codes {
			out = append(out, objectNumber(code))
		}
		return out
	}
	k.g.objects[spec.Request] = max(k.g.objects[spec.Request], 1)
	ranks := k.c.Ranks()
	p := &program.Param{Param: &spec.Param{Name: "requests", CType: "const int[]"}}
	if in.vec == nil {
		return k.gathered(cc.Int(len(in.ints)), k.constantArray(p, numbers(in.ints), "int"))
	}
	arrays := make([][]int64, 0, ranks.Len())
	for r := range ranks.All() {
		arrays = append(arrays, numbers(in.vec.At(r)))
	}
	n := k.fit("requests_count", func(r int) int64 { return int64(in.vec.Len(r)) })
	v := &value{kind: archive.Ints, vec: rankfunc.FitVec(k.c.ctx, ranks, arrays)}
	return k.gathered(n, k.array(p, v, "int"))
}

// gathered makes an array of requests with these numbers, and brings them back after the call.
func (k *oneCall) gathered(n, numbers *cc.Expr) *cc.Expr {
	k.g.need("gather")
	length, number, list := cc.Name("n"), cc.Name("number"), cc.Name("list")
	k.pre = append(k.pre,
		cc.Do(cc.Declare("int", cc.Assign(length, n), cc.Assign(cc.Deref(number), numbers))),
		cc.Do(cc.Declare("MPI_Request", cc.Assign(cc.Deref(list), cc.Call("gather", length, number)))))
	k.post = append(k.post, cc.Do(cc.Call("scatter", length, number, list)))
	return list
}

// objectsFromColumn is an array of objects that differ from call to call.
func (k *oneCall) objectsFromColumn(p *program.Param, in *value) *cc.Expr {
	h := handleClasses[p.Class]
	k.g.sawColumn(k.c, k.t, in.at, p.Class)
	change := objectNumber
	if p.Class != spec.Request {
		change = nil
	}
	length, elements := k.g.arrayColumns(k.c, k.t, in.at, p.Name, change)
	if length == nil {
		return cc.Null
	}
	length = cc.Cast("int", length)
	if p.Class == spec.Request {
		return k.gathered(length, cc.Call("next_ints", cc.Name("n"), elements))
	}
	k.g.byCode(p.Class)
	n, list := cc.Name("n_"+h.array), cc.Name(h.array+"s")
	element := cc.Deref(cc.Call(h.array+"_of", cc.Call("next", elements)))
	k.pre = append(k.pre, cc.Do(cc.Declare("int", cc.Assign(n, length))),
		k.roomOf(h.ctype, list, compare(n, "+", 1)),
		cc.Under(cc.For("int", "i", n), cc.Do(cc.Assign(cc.Index(list, cc.Name("i")), element))))
	return list
}

// roomOf declares an array of n elements.
func (k *call) roomOf(ctype string, list, n *cc.Expr) *cc.Stmt {
	bytes := cc.Op(n, "*", cc.Prefix("sizeof ", cc.Deref(list)))
	return cc.Do(cc.Declare(ctype, cc.Assign(cc.Deref(list), cc.Call("room", bytes))))
}

// ObjectsNew is room for an array of new handles.
func (k *oneCall) ObjectsNew(p *program.Param) *cc.Expr {
	h, out := handleClasses[p.Class], k.t.slot(p.After)
	n := k.roomFor(p)
	if out.kind != archive.List || out.vec != nil {
		return cc.Call("room", cc.Infix(plainInt(max(n, 1)), "*", cc.Sizeof(h.ctype)))
	}
	if first, ok := contiguous(out.ints); ok && int64(len(out.ints)) >= n {
		k.g.sawObject(p.Class, out.ints[len(out.ints)-1])
		if e := k.g.objectAt(p.Class, plainInt(first), out.ints...); e != nil {
			return cc.Addr(e)
		}
	}
	made := cc.Name("made")
	k.pre = append(k.pre, k.roomOf(h.ctype, made, plainInt(max(n, int64(len(out.ints)), 1))))
	for i, code := range out.ints {
		if program.IsObject(code) {
			k.post = append(k.post, cc.Do(cc.Assign(k.g.objectName(p.Class, code), cc.Index(made, cc.Int(i)))))
		}
	}
	return made
}
