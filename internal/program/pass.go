package program

import "github.com/tabard-hpc/tabard/internal/archive"

// Passer passes the parameters of a call in one way of making it again: as expressions of a C
// program, or as words for an executor. T is what one parameter becomes.
type Passer[T any] interface {
	// Kind is that of the value of a parameter in a slot, archive.Absent if there is none. It is
	// asked first, once for each parameter.
	Kind(p *Param, slot int) archive.Kind

	// Absent is a parameter for which the program passed nothing, Sentinel one of SentinelNames in
	// place of an array.
	Absent(p *Param) T
	Sentinel(p *Param, slot int) T

	Number(p *Param) T
	NumberIO(p *Param) T
	Numbers(p *Param) T
	Displacement(p *Param) T
	Displacements(p *Param) T
	Object(p *Param) T
	ObjectIO(p *Param) T
	ObjectNew(p *Param) T
	Objects(p *Param) T
	ObjectsNew(p *Param) T
	Buffer(p *Param) T
	BufferNew(p *Param) T
	Text(p *Param) T
	// Texts is for strings in lists, Arguments for those of main.
	Texts(p *Param) T
	Arguments(p *Param) T
	// Status is for one status that the call sets, or several; StatusIn for one that it reads.
	Status(p *Param) T
	StatusIn(p *Param) T
	Callback(p *Param) T
	// Result is for all else that the call writes.
	Result(p *Param) T
}

// Pass returns what the parameters of a call become, in their order. It is the one place that says
// what is done with each role.
func Pass[T any](f *Func, by Passer[T]) []T {
	out := make([]T, 0, len(f.Params))
	for i := range f.Params {
		if p := &f.Params[i]; p.Role != Variadic {
			out = append(out, pass(p, by))
		}
	}
	return out
}

func pass[T any](p *Param, by Passer[T]) T {
	slot := p.Before
	if slot < 0 {
		slot = p.After
	}
	switch kind := by.Kind(p, slot); {
	case kind == archive.Absent && p.Before >= 0:
		return by.Absent(p)
	case kind == archive.Sentinel && p.Array:
		return by.Sentinel(p, slot)
	}
	switch p.Role {
	case Number:
		return by.Number(p)
	case NumberIO:
		return by.NumberIO(p)
	case Numbers:
		return by.Numbers(p)
	case Displacement:
		return by.Displacement(p)
	case Displacements:
		return by.Displacements(p)
	case Object:
		return by.Object(p)
	case ObjectIO:
		return by.ObjectIO(p)
	case ObjectNew:
		return by.ObjectNew(p)
	case Objects:
		return by.Objects(p)
	case ObjectsNew:
		return by.ObjectsNew(p)
	case Buffer:
		return by.Buffer(p)
	case BufferNew:
		return by.BufferNew(p)
	}
	return passOther(p, by)
}

// passOther is pass for strings, statuses and callbacks.
func passOther[T any](p *Param, by Passer[T]) T {
	switch p.Role {
	case Text:
		return by.Text(p)
	case Texts, TextLists:
		return by.Texts(p)
	case Arguments:
		return by.Arguments(p)
	case StatusOut, StatusesOut:
		return by.Status(p)
	case StatusIn:
		return by.StatusIn(p)
	case Function:
		return by.Callback(p)
	}
	return by.Result(p)
}
