package trace

import (
	"math"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Call is one call of a traced function.
type Call struct {
	// Index is the number of the call in its stream; every poll counts.
	Index uint64
	// Func is the name of the function.
	Func string
	// Site is where the call was made, nil if unknown.
	Site *Site
	// Ret is the return code in the values of the recording MPI, and ErrorName the name of the
	// error, which is empty if the call succeeded. What a function returns that gives no code is
	// the value "return".
	Ret       int
	ErrorName string
	// Nested calls were made by a callback of the program inside another call, which follows them.
	Nested bool
	// Own records are Tabard's, such as where memory begins. They lie among the calls, and the program made no such
	// call.
	Own bool
	// Unfinished calls had not returned when the process ended.
	Unfinished bool
	// Timed tells whether the call has times. Start and End are since the start of the trace, which
	// is the same for all streams. The end of an unfinished call is its start.
	Timed      bool
	Start, End time.Duration

	c *archive.Call
}

func newCall(c *archive.Call, site *Site) *Call {
	return &Call{
		Index: c.Index, Func: c.Func.Name, Site: site, Ret: int(c.Ret), ErrorName: c.ErrorName(),
		Own: c.Func.Own(), Nested: c.Flags&archive.Nested != 0, Unfinished: c.Flags&archive.Unfinished != 0,
		Timed: c.Timed, Start: c.Start, End: c.End, c: c,
	}
}

// String is the call on one line: what it was given, where it was made, and after each semicolon
// what it returned:
//
//	MPI_Irecv(buf=heap#3+64, count=8, ..., source=MPI_ANY_SOURCE) @ halo.c:41 [exchange] ; request=request#2
func (c *Call) String() string { return c.c.Format() }

// MarshalJSON gives the call as an object, as "tabard dump --json" does.
func (c *Call) MarshalJSON() ([]byte, error) { return c.c.MarshalJSON() }

// Values lists what is known of the parameters, on entry and then on return. Those that are not
// significant at the rank, or were not written, are left out.
func (c *Call) Values() []Value {
	values := make([]Value, 0, len(c.c.Slots))
	for i := range c.c.Slots {
		if c.c.Slots[i].Kind != archive.Absent {
			values = append(values, c.value(i))
		}
	}
	return values
}

// In is the value that the named parameter had when the call was made; false if nothing is known of it.
func (c *Call) In(name string) (Value, bool) { return c.find(name, false) }

// Out is the value of the named parameter when the call had returned, or with the name "return"
// that of a function which returns no error code; false if nothing is known of it.
func (c *Call) Out(name string) (Value, bool) { return c.find(name, true) }

func (c *Call) find(name string, out bool) (Value, bool) {
	for i := range c.c.Slots {
		if v := c.value(i); v.Out == out && v.Name == name {
			return v, v.v.Kind != archive.Absent
		}
	}
	return Value{}, false
}

func (c *Call) value(i int) Value {
	s := &c.c.Func.Slots[i]
	return Value{Name: archive.SlotName(c.c.Func, s), Out: s.Out, c: c.c, slot: s, v: &c.c.Slots[i]}
}

// Value is one parameter or result of a call.
type Value struct {
	// Name is the name of the parameter in the MPI standard.
	Name string
	// Out is set for what is known on return.
	Out bool

	c    *archive.Call
	slot *spec.Slot
	v    *archive.Value
}

// String is the value for people, with the names of constants: MPI_ANY_SOURCE, comm#1, heap#3+64.
func (v Value) String() string {
	return archive.FormatValue(v.c.Stream().Archive().Meta().ABI, v.c.Func, v.slot, v.v)
}

// Data is the value for programs:
//
//	int64       an integer, in the values of the recording MPI
//	float64     a floating-point number
//	string      a string
//	Object      a communicator, datatype, request or other object
//	Address     a place in memory, or a constant in place of one
//	Status      what a completed receive or operation reports
//	[]int64     an array of integers
//	[]Value     an array of others, or of displacements some of which are addresses
func (v Value) Data() any {
	switch x := v.v; x.Kind {
	case archive.Int:
		return x.N
	case archive.Float:
		return math.Float64frombits(uint64(x.N))
	case archive.Str:
		return x.Str
	case archive.Ref:
		return Object{Class: archive.ClassName(x.Class), Name: v.String()}
	case archive.Addr:
		return v.address()
	case archive.Sentinel:
		return Address{Name: v.String()}
	case archive.Stat:
		s := &x.Stat
		return Status{Source: int(s.Source), Tag: int(s.Tag), Bytes: s.Bytes, Error: int(s.Error),
			Cancelled: s.Cancelled, Ignored: x.Ignored}
	case archive.Ints:
		return x.Ints
	}
	list := make([]Value, len(v.v.List))
	for i := range list {
		list[i] = v
		list[i].v = &v.v.List[i]
	}
	return list
}

func (v Value) address() any {
	if v.v.Mem == archive.Literal && v.slot.Codec == spec.Displacement {
		return v.v.N
	}
	if v.v.Mem == archive.Literal || v.v.Mem == archive.RawMem {
		return Address{Name: v.String()}
	}
	segment := *v.v
	segment.N = 0
	w := v
	w.v = &segment
	return Address{Name: w.String(), Offset: v.v.N}
}

// Object is an object of MPI. Names are the same at equal places of equal runs.
type Object struct {
	// Class is the class of the object: "comm", "group", "type", "request" and so on.
	Class string
	// Name tells objects of a process apart: "MPI_COMM_WORLD", "comm#1", or "MPI_REQUEST_NULL" for a
	// null handle. It is used again after the object has ended.
	Name string
}

// Address is a place in memory.
type Address struct {
	// Name is the segment: "heap#3" is an allocation, numbered at its first use in a call,
	// "module#0" static data of a module, "stack#0" the stack of a thread. It is "MPI_IN_PLACE",
	// "NULL" or another constant that stands for no place, and "raw:0x..." for an address that
	// belongs to nothing known.
	Name string
	// Offset is the distance from the start of the segment, in bytes.
	Offset int64
}

// Status is what a completed receive or operation reports.
type Status struct {
	// Source, Tag and Error are as in MPI_Status, in the values of the recording MPI.
	Source, Tag, Error int
	// Bytes is the size of the message.
	Bytes     int64
	Cancelled bool
	// Ignored is set if the program did not ask for the status.
	Ignored bool
}

// Site is a place that calls: one frame, or several from the inside out.
type Site struct {
	Frames []Frame

	text string
}

// Frame is a place in the code. What is not known is zero.
type Frame struct {
	Func, File string
	Line       int
	// Module is the path of the executable or library, and Offset that of the code from its load
	// address.
	Module string
	Offset uint64
}

// String is the frames on one line: "halo.c:41 [exchange] < main.c:12 [main]", as far as known.
func (s *Site) String() string { return s.text }

func site(s *archive.Site, modules []archive.Module) *Site {
	if s == nil {
		return nil
	}
	own := &Site{Frames: make([]Frame, len(s.Frames)), text: s.String()}
	for i, f := range s.Frames {
		own.Frames[i] = Frame{Func: f.Func, File: f.File, Line: f.Line, Offset: f.Offset}
		if f.Module >= 0 && f.Module < len(modules) {
			own.Frames[i].Module = modules[f.Module].Path
		}
	}
	return own
}
