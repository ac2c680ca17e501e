package cgen

import (
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/internal/program/cc"
	"github.com/tabard-hpc/tabard/internal/program/formula"
	"github.com/tabard-hpc/tabard/internal/program/infer"
	"github.com/tabard-hpc/tabard/spec"
)

// handle is the expression for a handle; with pointer set, for its address.
func (k *anyCall) handle(class spec.Class, e *formula.Expr, pointer bool) *cc.Expr {
	h := handleClasses[class]
	found := func(function string, args ...*cc.Expr) *cc.Expr {
		e := cc.Call(h.array+function, args...)
		if pointer {
			return e
		}
		return cc.Deref(e)
	}
	if n := number0(e); n != nil {
		if _, same := n.Known(); !same {
			return found("_at", k.g.expr(n))
		}
	}
	return k.chosen(e, func(e *formula.Expr) *cc.Expr {
		code, ok := e.Known()
		if !ok {
			k.x.sought[class] = true
			return found("_of", k.g.expr(e))
		}
		switch {
		case program.IsObject(code) && k.x.computed[class]:
			return found("_at", plainInt(code/2-1))
		case !pointer:
			return k.g.objectName(class, code)
		case program.IsObject(code):
			return cc.Addr(k.g.objectName(class, code))
		}
		return cc.Temporary(h.ctype, k.g.objectName(class, code))
	})
}

// number0 is the number, from 0, of an object with a code that is surely one of the program's; nil
// if it may be another.
func number0(e *formula.Expr) *formula.Expr {
	switch e.Op {
	case formula.Pick:
		out := *e
		out.Args = append([]*formula.Expr{}, e.Args...)
		for i, a := range e.Args[1:] {
			if out.Args[i+1] = number0(a); out.Args[i+1] == nil {
				return nil
			}
		}
		return &out
	case formula.If:
		return nil
	}
	if h := e.Halved(); h != nil {
		if n := h.Plus(-1); n.Natural() {
			return n
		}
	}
	return nil
}

// Object is a handle.
func (k *anyCall) Object(p *program.Param) *cc.Expr {
	if k.kind(p.Before) != archive.Ref {
		return cc.Name(handleClasses[p.Class].null)
	}
	return k.handle(p.Class, k.slot(p.Before).Parts[0], false)
}

// ObjectIO points to a handle that the call reads and may change.
func (k *anyCall) ObjectIO(p *program.Param) *cc.Expr {
	if k.kind(p.Before) != archive.Ref {
		return nothing(p.Class)
	}
	e := k.slot(p.Before).Parts[0]
	if p.Life == spec.Free && k.x.copied[p.Class] {
		// A copy: the object may have other references, and its name stays in use.
		return cc.Temporary(handleClasses[p.Class].ctype, k.handle(p.Class, e, false))
	}
	return k.handle(p.Class, e, true)
}

// ObjectNew points to where a new handle is kept.
func (k *anyCall) ObjectNew(p *program.Param) *cc.Expr {
	if k.kind(p.After) != archive.Ref {
		return nothing(p.Class)
	}
	return k.handle(p.Class, k.slot(p.After).Parts[0], true)
}

// objects is an array of handles that the call reads and may change.
func (k *anyCall) objects(p *program.Param) *cc.Expr {
	s := k.slot(p.Before)
	if k.kind(p.Before) != archive.List || s.Const != nil && len(s.Const.List) > 0 {
		return cc.Null
	}
	h := handleClasses[p.Class]
	if len(s.Parts) == 0 { // empty
		return cc.List(h.ctype+"[]", cc.Name(h.null))
	}
	if run := k.run(s, h); run != nil && p.Class == spec.Request {
		return run
	}
	handle := func(e *formula.Expr) *cc.Expr { return k.handle(p.Class, e, false) }
	if p.Class != spec.Request {
		return k.array(p, s, h.ctype, handle)
	}
	list := k.filled(p, s, h.ctype, func() *cc.Expr { return handle(s.Parts[0]) })
	k.g.printer.Elem = nil
	k.x.gathers = true
	put := cc.Call("put_request", k.g.expr(s.Parts[0]), cc.Index(list, cc.Name("e")))
	k.post = append(k.post, cc.Under(cc.For("long", "e", cc.Name(list.Text+"_n")), cc.Do(put)))
	k.g.printer.Elem = nil
	return list
}

// run is an array of consecutive objects, nil if they are not.
func (k *anyCall) run(s *infer.Slot, h handleClass) *cc.Expr {
	if codes, ok := elements(s); ok {
		first, ok := contiguous(codes)
		switch {
		case ok && k.x.computed[s.Class]:
			return cc.Call(h.array+"_run", plainInt(first), cc.Int(len(codes)))
		case ok:
			return cc.Addr(h.at(plainInt(first)))
		}
		return nil
	}
	if e := s.Parts[0].Halved(); e != nil {
		if first, ok := e.Rising(); ok {
			return cc.Call(h.array+"_run", k.g.expr(first.Plus(-1)), k.g.expr(s.Len))
		}
	}
	return nil
}

// ObjectsNew is room for an array of new handles.
func (k *anyCall) ObjectsNew(p *program.Param) *cc.Expr {
	h, s := handleClasses[p.Class], k.slot(p.After)
	room := k.roomAtLeast(p, s, 1)
	if k.kind(p.After) != archive.List || len(s.Parts) == 0 {
		return cc.Call("room", cc.Op(room, "*", cc.Sizeof(h.ctype)))
	}
	made := cc.Name("made")
	k.pre = append(k.pre, k.roomOf(h.ctype, made, room))
	n, ok := s.Len.Known()
	if !ok || n > shortArray {
		k.x.obstacle(p.Name, "as many objects as that depends on the number of ranks")
		return made
	}
	for i := range n {
		e := s.Parts[0].Element(i)
		if code, same := e.Known(); !same || program.IsObject(code) {
			k.g.printer.Elem = cc.Int(i)
			k.post = append(k.post, cc.Do(cc.Assign(cc.Operand(k.handle(p.Class, e, false)),
				cc.Index(made, cc.Int(i)))))
			k.g.printer.Elem = nil
		}
	}
	return made
}

// madeObjects are the objects that calls create: by code, and with code 0 those of a class of which
// some codes are not known.
type madeObjects map[objectKey]bool

// findLacking finds the calls that use objects that nobody creates, or only such calls. Objects of
// calls that cannot be made again are an obstacle, see missing.
func (x *anysize) findLacking(nodes []*infer.Node) {
	var list []*infer.Call
	var calls func([]*infer.Node)
	calls = func(nodes []*infer.Node) {
		for _, n := range nodes {
			if calls(n.Body); n.Call != nil {
				list = append(list, n.Call)
			}
		}
	}
	calls(nodes)
	for before := -1; before < len(x.lacking); {
		before = len(x.lacking)
		made := madeObjects{}
		for _, n := range list {
			if !x.lacking[n] {
				made.add(n)
			}
		}
		for _, n := range list {
			if class := made.lack(n); class != spec.NoClass && !x.lacking[n] {
				x.lacking[n] = true
				x.g.skipLacking(n.Func.Name, class)
			}
		}
	}
}

// add adds what a call creates.
func (m madeObjects) add(n *infer.Call) {
	f := program.FuncOf(n.Func.ID)
	for i := range f.Params {
		p := &f.Params[i]
		if p.Codec != spec.Handle || p.After < 0 || p.Before >= 0 {
			continue
		}
		s := &n.Slots[p.After]
		codes, known := []int64(nil), s.Const != nil
		if len(s.Parts) == 1 {
			codes, known = elements(s)
		}
		if !known {
			codes = []int64{0}
		}
		for _, code := range codes {
			m[objectKey{kind: p.Class, object: code}] = true
		}
	}
}

// lack is the class of an object that a call uses and nobody creates.
func (m madeObjects) lack(n *infer.Call) spec.Class {
	f := program.FuncOf(n.Func.ID)
	for i := range f.Params {
		p := &f.Params[i]
		if p.Codec != spec.Handle || p.Class == spec.Request || p.Before < 0 || m[objectKey{kind: p.Class}] ||
			len(n.Slots[p.Before].Parts) != 1 {
			continue
		}
		codes, _ := elements(&n.Slots[p.Before])
		for _, code := range codes {
			if program.IsObject(code) && !m[objectKey{kind: p.Class, object: code}] {
				return p.Class
			}
		}
	}
	return spec.NoClass
}

// mostElements is how many elements of an array are written one by one.
const mostElements = 64

// elements are the values of a slot if they are the same everywhere.
func elements(s *infer.Slot) ([]int64, bool) {
	n := int64(1)
	if s.Len != nil {
		v, ok := s.Len.Known()
		if !ok || v > mostElements {
			return nil, false
		}
		n = v
	}
	var out []int64
	for i := range n {
		v, ok := s.Parts[0].Element(i).Known()
		if !ok {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}
