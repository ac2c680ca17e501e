package verify

import (
	"github.com/tabard-hpc/tabard/spec"
)

// object is one object of the program, over its life.
type object struct {
	class spec.Class
	raw   uint64
	code  int64 // the archive's code; codeUnset until a call shows it
	refs  int   // references handed out and not yet freed
	// ending counts calls in progress that may end the object: the archive may
	// give its code away before they return.
	ending     int
	dead       bool
	persistent bool // a request that completion does not end
	send       bool // a request of a send: see defined
	wild       bool // a request of a receive from any source or with any tag
}

const codeUnset = -1

// group is the live objects of one class that share a handle value. Several live requests may do
// so; the program cannot tell them apart.
type group struct {
	objs []*object
	// debt is the number of objs that have ended although it is not known which.
	debt int
}

// codeKey names a code within a process: codes count per class.
type codeKey struct {
	class spec.Class
	code  int64
}

type rawKey struct {
	class spec.Class
	raw   uint64
}

// registry is the verifier's own view of the objects of one process. It is independent of
// internal/record/symbol and follows from the life cycle in the API table alone. It demands only
// that handles and codes match one to one over the life of each object.
type registry struct {
	groups map[rawKey]*group
	owners map[codeKey]*object // live object that has a code
	// predefined lists the codes that a predefined handle may have (several
	// names can have one value).
	predefined map[rawKey][]int64
	abi        spec.ABI // for the MPIs in which predefined handles are constants
}

func newRegistry() *registry {
	return &registry{
		groups:     map[rawKey]*group{},
		owners:     map[codeKey]*object{},
		predefined: map[rawKey][]int64{},
	}
}

// predef gives the codes that a handle may have as a predefined one, none if
// it is not predefined.
func (r *registry) predef(class spec.Class, raw uint64) []int64 {
	key := rawKey{class, raw}
	if codes, ok := r.predefined[key]; ok {
		return codes
	}
	if k, ok := r.abi.PredefinedByHandle(class, raw); ok {
		r.predefine(k, raw)
	}
	return r.predefined[key]
}

// live gives the live objects with a handle value.
func (r *registry) live(class spec.Class, raw uint64) []*object {
	if g := r.groups[rawKey{class, raw}]; g != nil {
		return g.objs
	}
	return nil
}

// add makes a live object. Except for requests, a handle value that the library hands out again
// means that its former object has ended without being seen.
func (r *registry) add(class spec.Class, raw uint64) *object {
	key := rawKey{class, raw}
	g := r.groups[key]
	if g == nil {
		g = &group{}
		r.groups[key] = g
	}
	if class != spec.Request {
		for len(g.objs) > 0 {
			r.remove(g.objs[0])
		}
		if r.groups[key] == nil {
			r.groups[key] = g
		}
	}
	o := &object{class: class, raw: raw, code: codeUnset, refs: 1}
	g.objs = append(g.objs, o)
	return o
}

// remove ends an object.
func (r *registry) remove(o *object) {
	if o.dead {
		return
	}
	o.dead = true
	if k := (codeKey{o.class, o.code}); r.owners[k] == o {
		delete(r.owners, k)
	}
	key := rawKey{o.class, o.raw}
	g := r.groups[key]
	for i, x := range g.objs {
		if x == o {
			g.objs = append(g.objs[:i:i], g.objs[i+1:]...)
			break
		}
	}
	r.settle(key, g)
}

// endOne ends one object of a group when it cannot be known which.
func (r *registry) endOne(class spec.Class, raw uint64) {
	key := rawKey{class, raw}
	g := r.groups[key]
	if g == nil {
		return
	}
	g.debt++
	r.settle(key, g)
}

// settle drops a group whose objects have all ended.
func (r *registry) settle(key rawKey, g *group) {
	if g.debt < len(g.objs) {
		return
	}
	for _, o := range g.objs {
		o.dead = true
		if k := (codeKey{o.class, o.code}); r.owners[k] == o {
			delete(r.owners, k)
		}
	}
	g.objs, g.debt = nil, 0
	if r.groups[key] == g {
		delete(r.groups, key)
	}
}

// claim gives a code to an object that has none. It reports false if the code
// belongs to another live object.
func (r *registry) claim(o *object, code int64) bool {
	k := codeKey{o.class, code}
	if other := r.owners[k]; other != nil && other != o {
		if !r.yield(other) {
			return false
		}
	}
	o.code = code
	if !o.dead {
		r.owners[k] = o
	}
	return true
}

// yield takes the code from an object that may have ended already, because a call that ends it is
// in progress or because some object of its group has ended. It reports false if the object is
// certainly alive.
func (r *registry) yield(o *object) bool {
	if o.ending > 0 {
		delete(r.owners, codeKey{o.class, o.code})
		return true
	}
	g := r.groups[rawKey{o.class, o.raw}]
	if g == nil || g.debt == 0 {
		return false
	}
	g.debt--
	r.remove(o)
	return true
}

// move gives an object another handle value.
func (r *registry) move(o *object, raw uint64) {
	if o.raw == raw || o.dead {
		return
	}
	code, refs := o.code, o.refs
	r.remove(o)
	n := r.add(o.class, raw)
	n.refs, n.persistent, n.send = refs, o.persistent, o.send
	if code != codeUnset {
		r.claim(n, code)
	}
}
