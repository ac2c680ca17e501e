package cgen

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/internal/program/cc"
	"github.com/tabard-hpc/tabard/spec"
)

// Numbers of objects are given out as they are free, so that threads side by side get each other's, in another order
// in every run. Objects are therefore those of a thread: the whole class, if each thread uses only what it made
// itself, otherwise those numbers that several threads made.

// madeAndUsed are the classes of streams that make an object, and those that use it without making one of its number.
type madeAndUsed struct {
	makers, users []*class
	maker         string // a call that makes it
}

// findLocal finds the objects of which each thread has its own.
func (g *generator) findLocal() {
	objects := map[spec.Class]map[int64]*madeAndUsed{}
	for class := range handleClasses {
		g.ownObjects[class] = true
		objects[class] = map[int64]*madeAndUsed{}
	}
	for _, c := range g.classes {
		g.addObjects(c, objects)
	}
	for kind, list := range objects {
		for _, x := range list {
			if len(x.users) > 0 {
				g.ownObjects[kind] = false
			}
			isFirst := func(c *class) bool { return c.Thread() == 0 }
			if len(x.makers) > 1 && slices.ContainsFunc(x.makers, isFirst) {
				g.shared[kind] = true // MPI may have returned an object that the first thread has, and keeps
			}
		}
	}
	for class := spec.Comm; class < spec.NumClasses; class++ {
		if !g.ownObjects[class] {
			g.findOwnNumbers(class, objects[class])
		}
	}
}

// addObjects adds what the threads of a class make and use.
func (g *generator) addObjects(c *class, objects map[spec.Class]map[int64]*madeAndUsed) {
	at := func(class spec.Class, code int64) *madeAndUsed {
		if objects[class][code] == nil {
			objects[class][code] = &madeAndUsed{}
		}
		return objects[class][code]
	}
	made := map[objectKey]bool{}
	visit := func(f func(t *terminal, p *program.Param)) {
		for _, t := range c.terms {
			for i := range t.Params {
				if p := &t.Params[i]; p.Codec == spec.Handle && handleClasses[p.Class].ctype != "" {
					f(t, p)
				}
			}
		}
	}
	visit(func(t *terminal, p *program.Param) {
		if p.Before >= 0 {
			return
		}
		for _, code := range g.codesOf(c, t, p.After) {
			if k := (objectKey{0, p.Class, code}); program.IsObject(code) && !made[k] {
				made[k] = true
				x := at(p.Class, code)
				x.makers, x.maker = append(x.makers, c), t.Name
			}
		}
	})
	visit(func(t *terminal, p *program.Param) {
		for _, code := range g.codesOf(c, t, p.Before) {
			if program.IsObject(code) && !made[objectKey{0, p.Class, code}] {
				if x := at(p.Class, code); !slices.Contains(x.users, c) {
					x.users = append(x.users, c)
				}
			}
		}
	})
}

// findOwnNumbers finds the objects of a class of which each thread has its own, though threads use those of others.
func (g *generator) findOwnNumbers(kind spec.Class, objects map[int64]*madeAndUsed) {
	for _, code := range slices.Sorted(maps.Keys(objects)) {
		x := objects[code]
		beside := func(list []*class) bool {
			return slices.ContainsFunc(x.makers, func(c *class) bool { return slices.ContainsFunc(list, c.beside) })
		}
		foreign, several := beside(x.users), beside(x.makers)
		switch {
		case foreign && kind == spec.Request:
			g.fail(fmt.Errorf("%s: a thread completes requests that another one made, and when these are made is not "+
				"recorded: tabard replay --order=recorded makes the calls again", x.maker))
			return
		case foreign && several:
			g.fail(fmt.Errorf("%s: several threads make objects that get each other's numbers, and share others: "+
				"a program that runs them side by side cannot tell these apart; "+
				"tabard replay --order=recorded makes the calls again", x.maker))
			return
		case several:
			if g.ownNumbers[kind] == nil {
				g.ownNumbers[kind] = map[int64]bool{}
			}
			g.ownNumbers[kind][code] = true
		}
	}
}

// arrayOf is the name of the array that objects are kept in, false if some of them are each thread's own and others
// are not.
func (g *generator) arrayOf(class spec.Class, codes ...int64) (string, bool) {
	own := 0
	for _, code := range codes {
		if g.ownNumbers[class][code] {
			own++
		}
	}
	name := handleClasses[class].array
	if own == 0 {
		return name, true
	}
	return ownPrefix + name, own == len(codes)
}

// objectAt is the variable of one of some objects, nil if they are in several arrays.
func (g *generator) objectAt(class spec.Class, number *cc.Expr, codes ...int64) *cc.Expr {
	array, ok := g.arrayOf(class, codes...)
	if !ok {
		return nil
	}
	return cc.Index(cc.Name(array), number)
}

// codesOf are the codes of objects that a call has in a slot, at all ranks of its class.
func (g *generator) codesOf(c *class, t *terminal, slot int) (codes []int64) {
	v := t.slot(slot)
	if v == nil {
		return nil
	}
	if code, ok := v.n.constant(); ok && v.kind == archive.Ref {
		return []int64{code}
	}
	if v.refs && v.vec == nil {
		return v.ints
	}
	for rank := range c.Ranks().All() {
		switch {
		case v.kind == archive.Ref:
			codes = append(codes, v.n.at(rank))
		case v.refs:
			codes = append(codes, v.codesAt(rank)...)
		case v.kind == archive.Hole:
			list, err := c.Values(program.Column{Terminal: t.id, Slot: slot, Field: 0, Rank: rank})
			g.fail(err)
			codes = append(codes, list...)
		}
	}
	return codes
}

// beside tells whether other threads of the same processes are in another class.
func (c *class) beside(x *class) bool {
	all := c.Ranks().Union(x.Ranks())
	return x.Thread() != c.Thread() && all.Len() < c.Ranks().Len()+x.Ranks().Len()
}
