package archive

import (
	"strconv"

	"slices"
	"time"

	"github.com/tabard-hpc/tabard/spec"
)

// Call is one call of a traced function.
type Call struct {
	// Index is the number of the call in its stream; every poll counts.
	Index uint64
	// Terminal is the terminal of the stream's grammar that the call is behind.
	Terminal uint32
	Func     *spec.Func
	// Site is where the call was made, nil if unknown.
	Site  *Site
	Flags Flags
	// Ret is the return code in the values of the recording MPI; for a
	// function that returns no code the return value is among the slots.
	Ret int32
	// Slots are the values, in the order of Func.Slots. Not to be changed.
	Slots []Value
	// Timed tells whether the call has times. Start and End are since the
	// start of the trace, which is the same for all streams. The end of an
	// unfinished call is its start.
	Timed      bool
	Start, End time.Duration
	// StartTicks and EndTicks are the times as recorded.
	StartTicks, EndTicks uint64

	stream *Stream
}

// Stream is the stream that the call is in.
func (c *Call) Stream() *Stream { return c.stream }

// Clone makes a copy that stays valid when an iteration goes on.
func (c *Call) Clone() *Call {
	d := *c
	d.Slots = slices.Clone(c.Slots)
	return &d
}

// Duration is the time between begin and return, 0 without timing.
func (c *Call) Duration() time.Duration { return c.End - c.Start }

// In is the value that the named parameter had when the call was made. It is
// false if nothing is known of it on entry.
func (c *Call) In(name string) (Value, bool) { return c.slot(name, false) }

// Out is the value of the named parameter when the call had returned, or with
// the name "return" that of a function which returns no error code.
func (c *Call) Out(name string) (Value, bool) { return c.slot(name, true) }

func (c *Call) slot(name string, out bool) (Value, bool) {
	for i := range c.Func.Slots {
		if s := &c.Func.Slots[i]; s.Out == out && SlotName(c.Func, s) == name {
			return c.Slots[i], c.Slots[i].Kind != Absent
		}
	}
	return Value{}, false
}

// SlotName is the name of the parameter in slot s of f, "return" for the
// return value.
func SlotName(f *spec.Func, s *spec.Slot) string {
	if s.Param < 0 {
		return "return"
	}
	return f.Params[s.Param].Name
}

// ErrorName names the error that the call returned, empty if it succeeded.
func (c *Call) ErrorName() string {
	if c.Flags&Failed == 0 {
		return ""
	}
	if name := spec.ErrnoName(c.Func, c.Ret); name != "" {
		return name
	}
	if c.Func.Kind != 0 { // the codes of MPI are its own
		return strconv.Itoa(int(c.Ret))
	}
	return errorName(c.abi(), c.Ret)
}

func (c *Call) abi() spec.ABI {
	if c.stream == nil {
		return spec.UnknownABI
	}
	return c.stream.a.meta.ABI
}
