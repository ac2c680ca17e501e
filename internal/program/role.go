package program

import (
	"strings"

	"github.com/tabard-hpc/tabard/spec"
)

// Role says how a parameter is passed when a call is made again.
type Role uint8

// Roles. "In" values are those of the slot Param.Before, "out" values those of Param.After.
const (
	// Number is an integer passed by value: int, MPI_Aint, MPI_Count, MPI_Offset, an enumeration.
	Number Role = iota
	// NumberIO points to an integer that the call reads and writes (position of MPI_Pack).
	NumberIO
	// NumberOut points to room for an integer.
	NumberOut
	// Numbers is an array of integers that the call reads, and may write (MPI_Dims_create).
	Numbers
	// NumbersOut is room for an array of integers.
	NumbersOut
	// Displacement is an integer passed by value that may be an absolute address.
	Displacement
	// DisplacementOut points to room for one (MPI_Get_address).
	DisplacementOut
	// Displacements is an array of integers that may be absolute addresses.
	Displacements
	// DisplacementsOut is room for one.
	DisplacementsOut
	// Object is a handle passed by value.
	Object
	// ObjectIO points to a handle that the call reads, and may change: completes, frees, starts.
	ObjectIO
	// ObjectNew points to room for a handle.
	ObjectNew
	// Objects is an array of handles that the call reads, and may change.
	Objects
	// ObjectsNew is room for an array of handles.
	ObjectsNew
	// Buffer is an address passed by value: a choice buffer, memory of a window, an extra state, an
	// attribute value.
	Buffer
	// BufferNew points to a pointer that the call sets to memory that it made (MPI_Alloc_mem), or
	// that was not known before (MPI_Win_shared_query).
	BufferNew
	// BufferOut points to room for a pointer that is of no further use (an attribute, a detached
	// buffer).
	BufferOut
	// Text is a string.
	Text
	// Texts is a NULL-terminated array of strings.
	Texts
	// TextLists is a NULL-terminated array of such.
	TextLists
	// TextOut is room for a string.
	TextOut
	// StatusOut points to room for a status.
	StatusOut
	// StatusesOut is room for an array of statuses.
	StatusesOut
	// StatusIn points to a status that the call reads (MPI_Get_count).
	StatusIn
	// Function is a callback, see Param.Callback.
	Function
	// Arguments is argv of MPI_Init: a pointer to an array of strings.
	Arguments
	// Variadic stands for variable arguments: nothing is passed.
	Variadic
)

// Callback is the kind of a callback.
type Callback uint8

// Kinds of callbacks.
const (
	NoCallback Callback = iota
	OpFunction
	OpFunctionLarge // with MPI_Count
	CopyAttribute
	DeleteAttribute
	ErrhandlerFunction
	GrequestQuery
	GrequestFree
	GrequestCancel
	GrequestPoll // of MPIX
	GrequestWait // of MPIX
	DatarepExtent
	DatarepConversion
	EventCallback
	EventDropped
	EventFree
)

// Param is what has to be known of a parameter to pass it again.
type Param struct {
	*spec.Param
	// Index is the number of the parameter.
	Index int
	Role  Role
	// Before and After are the slots that hold its value before and after the call, -1 for none. A
	// second slot for requests after a failed call (Slot.OnError) is not counted.
	Before, After int
	// Callback is the kind of a Function.
	Callback Callback
	// Conditional is set if the call writes the value only when its flag is set: an absent one may
	// have had room all the same.
	Conditional bool
}

// Func is a function that calls can be made of.
type Func struct {
	*spec.Func
	Params []Param
	// Flag is the slot of the result that Conditional parameters depend on, -1 for none.
	Flag int
	// Return is the slot of the return value, -1 if the function returns an error code.
	Return int
}

var funcs = make(map[spec.ID]*Func)

func init() {
	for _, f := range spec.Functions() {
		funcs[f.ID] = newFunc(f)
		if o := newOutcomes(funcs[f.ID]); o.Kind != Determined {
			outcomes[f.ID] = o
		}
	}
}

// FuncOf returns what is known of a function, nil for ids that there are none of.
func FuncOf(id spec.ID) *Func { return funcs[id] }

// Param finds a parameter by its name, nil if there is none.
func (f *Func) Param(name string) *Param {
	for i := range f.Params {
		if f.Params[i].Name == name {
			return &f.Params[i]
		}
	}
	return nil
}

func newFunc(f *spec.Func) *Func {
	out := &Func{Func: f, Params: make([]Param, len(f.Params)), Flag: -1, Return: -1}
	for i := range f.Params {
		p := &out.Params[i]
		*p = Param{Param: &f.Params[i], Index: i, Before: -1, After: -1}
		p.Role = roleOf(p.Param)
		if p.Role == Function {
			p.Callback = callbackOf(p.Param)
		}
	}
	for i := range f.Slots {
		s := &f.Slots[i]
		switch {
		case s.Param < 0:
			out.Return = i
		case s.OnError:
		case s.Out:
			out.Params[s.Param].After = i
		default:
			out.Params[s.Param].Before = i
		}
	}
	for i := range out.Params {
		if p := &out.Params[i]; p.Name == "flag" && p.Role == NumberOut {
			out.Flag = p.After
		}
	}
	for i := range out.Params {
		p := &out.Params[i]
		p.Conditional = out.Flag >= 0 && p.After >= 0 && p.After != out.Flag && p.Before < 0
	}
	return out
}

func roleOf(p *spec.Param) Role {
	pick := func(in bool, a, b Role) Role {
		if in {
			return a
		}
		return b
	}
	switch p.Codec {
	case spec.Int:
		switch {
		case p.Array:
			return pick(p.In, Numbers, NumbersOut)
		case !p.Pointer:
			return Number
		}
		return pick(p.In, NumberIO, NumberOut)
	case spec.Displacement:
		switch {
		case p.Array:
			return pick(p.In, Displacements, DisplacementsOut)
		case p.Out:
			return DisplacementOut
		}
		return Displacement
	case spec.Handle:
		switch {
		case p.Array:
			return pick(p.In, Objects, ObjectsNew)
		case !p.Pointer:
			return Object
		}
		return pick(p.In, ObjectIO, ObjectNew)
	case spec.Address:
		switch {
		case p.Out && p.Kind == "C_BUFFER":
			return BufferNew
		case p.Out:
			return BufferOut
		case callbackOf(p) != NoCallback:
			return Function
		}
		return Buffer
	case spec.String:
		return pick(p.In, Text, TextOut)
	case spec.StringArray:
		return pick(p.Out, Arguments, Texts)
	case spec.StringArray2:
		return TextLists
	case spec.Status:
		switch {
		case p.Array:
			return StatusesOut
		case p.In:
			return StatusIn
		}
		return StatusOut
	}
	return Variadic
}

// callbackOf tells from its C type which kind of a callback a parameter is.
func callbackOf(p *spec.Param) Callback {
	if !strings.Contains(p.Kind, "FUNCTION") {
		return NoCallback
	}
	t := strings.TrimSuffix(p.CType, "*")
	for _, k := range []struct {
		part string
		kind Callback
	}{
		{"User_function_c", OpFunctionLarge}, {"User_function", OpFunction}, {"opy_attr_function", CopyAttribute},
		{"Copy_function", CopyAttribute},
		{"elete_attr_function", DeleteAttribute}, {"Delete_function", DeleteAttribute},
		{"errhandler_function", ErrhandlerFunction}, {"Handler_function", ErrhandlerFunction},
		{"Grequest_query", GrequestQuery}, {"Grequest_free", GrequestFree}, {"Grequest_cancel", GrequestCancel},
		{"Grequest_poll", GrequestPoll}, {"Grequest_wait", GrequestWait},
		{"Datarep_extent", DatarepExtent}, {"Datarep_conversion", DatarepConversion},
		{"event_dropped", EventDropped}, {"event_free", EventFree}, {"event_cb", EventCallback},
	} {
		if strings.Contains(t, k.part) {
			return k.kind
		}
	}
	return NoCallback
}
