// Package spec is the vocabulary of the traced APIs: which functions exist, what they do, what
// their parameters mean, and in which order a call's values are recorded.
//
// The tables are generated from the data files in this folder by internal/gen (make gen). The
// generator also emits the C wrappers from the same data, so that the recorder and every reader
// agree by construction, and it refuses what it does not understand completely.
//
//	apis.txt         the traced APIs: a folder for each, which ids its functions have, and their kind of events
//	events.txt       kinds of events, append only
//	ids.txt          ids of all functions, append only
//	predefined.txt   predefined objects of all APIs, append only
//	vocabulary.txt   the words that functions are described with, whatever their API
//	mpi/*.json       functions and parameters, and overlay.json, which corrects them with reasons
//	mpi/kinds.txt    how a parameter of each kind is recorded
//	mpi/meaning.txt  what each function does
//	mpi/roles.txt    which parameter is the peer, the tag, the root ...
//	mpi/groups.txt   groups of functions, and what a call counts as in a timeline
//	openmp/          events that no function makes, in the same form
//	mpi/abi, constants.txt, typesizes.txt   values of constants, handles and sizes
//
// Everything that an analysis asks of a function stands in its row: Func.Op and the words beside
// it, Func.Slot for parameters by their role, Func.Flags. No analysis looks at names of functions;
// names_test.go at the root holds them to it. So a new function takes one entry in a table of
// functions, with "means" if it is no form of a known one; make gen gives it an id. A new API takes
// a folder with such a table, and a line each in apis.txt and events.txt.
package spec

import "strings"

// ID identifies a recordable function. Ids are data (spec/ids.txt), append
// only, and never reused: a trace stays readable when the table grows.
type ID uint16

// FirstFunction is the smallest id of an API function; smaller ids are the
// runtime's own records (see internal/record/ring) and pseudo calls.
const FirstFunction ID = 64

// Codec says how the value of one parameter is represented in a raw record
// and in a trace.
type Codec uint8

// Codecs. "Word" is a 64-bit little-endian word of a raw record.
const (
	// None is not recorded (MPI_Pcontrol's variable arguments).
	None Codec = iota
	// Int is a signed integer: int, MPI_Aint, MPI_Count, MPI_Offset. One word.
	Int
	// Float is a double (MPI_Wtime, MPI_Wtick). One word holding its bits.
	Float
	// Handle is an opaque object of Class; Slot.Class says which. One word.
	Handle
	// Address is a pointer to memory: a choice buffer, a callback, an extra
	// state, an attribute value. One segment word (see internal/record/ring.SegWord).
	Address
	// Displacement is an MPI_Aint or MPI_Count that may hold an absolute
	// address (MPI_Get_address, datatype constructors). One segment word,
	// whose class is Literal when the value is no address.
	Displacement
	// String is a NUL-terminated string. Count word, bytes, zero padding.
	String
	// StringArray is an array of strings.
	StringArray
	// StringArray2 is an array of arrays of strings.
	StringArray2
	// Status is an MPI_Status. Three words (see internal/record/ring.Status).
	Status
)

// Life says what a call does to the object that a Handle slot names.
type Life uint8

// Lives of handles.
const (
	// Use reads the handle.
	Use Life = iota
	// New returns a new object in the handle.
	New
	// Free ends the object on success.
	Free
	// Complete ends a non-persistent request that the call completed and
	// makes a persistent one inactive.
	Complete
	// Activate starts a persistent request.
	Activate
	// Alias returns an existing or predefined object, not to be freed.
	Alias
	// NewIfDerived returns a new object unless it is predefined.
	NewIfDerived
	// NewRef returns one more reference to an object that may exist already.
	NewRef
	// Update may change the handle's value but keeps the object.
	Update
)

// LenRule says how many elements an array has.
type LenRule uint8

// Length rules; Param.LenArg names the parameter that a rule reads.
const (
	LenNone      LenRule = iota
	LenParam             // value of parameter LenArg (dereferenced if LenDeref); written arrays may have fewer
	LenParam3            // 3 x value of parameter LenArg
	LenString            // NUL-terminated
	LenNullTerm          // NULL-terminated array of pointers
	LenOut               // value of *LenArg after the call, at most parameter LenCap
	LenSum               // sum of the array LenArray[0..LenArg)
	LenLast              // LenArray[LenArg-1], 0 when LenArg is 0
	LenLocalSize         // size of the local group of communicator LenArg
	LenPeerSize          // size of the remote group of an intercommunicator, else size
	LenIndegree          // in-neighbours in the topology of communicator LenArg
	LenOutdegree         // out-neighbours in the topology of communicator LenArg
	LenCartDims          // dimensions of the Cartesian communicator LenArg
)

// Param is one parameter of a function, as in the standard.
type Param struct {
	Name  string
	Kind  string // kind in the standard's vocabulary, e.g. "POLYXFER_NUM_ELEM_NNI"
	CType string // C type, e.g. "const int[]"

	Codec Codec
	Class Class // for Handle
	Life  Life  // for Handle

	In, Out  bool  // value is read on entry, written on return
	Pointer  bool  // scalar passed by pointer; NULL means absent
	Array    bool  // array of values of Codec; StringArray and StringArray2 are none
	Bits     uint8 // width of an Int or of its array elements: 32 or 64
	RootOnly bool  // significant at the root only

	Len                      LenRule
	LenArg, LenArray, LenCap int8 // parameter indices, -1 when unused
	LenDeref                 bool
	// LenMax is the constant that bounds the length of a string whose room is not passed, e.g.
	// "MPI_MAX_PORT_NAME".
	LenMax string

	// Sentinels are constants with a special meaning here, by their names in
	// the standard, e.g. "MPI_PROC_NULL".
	Sentinels []string

	// For a choice buffer: the parameters that give its count, type and
	// displacements, -1 when unused.
	BufCount, BufType, BufDispls int8
}

// Slot is one recorded value of a call. A record's payload and a signature's
// values are its function's slots in order: first the values known on entry,
// in parameter order, then (for functions that do not return an error code)
// the return value, then the values known on return, in parameter order.
type Slot struct {
	Param int // index in Params; -1 is the return value
	Out   bool
	Codec Codec
	Class Class
	Life  Life
	Array bool
	Bits  uint8

	// OnError slots are present only if the call returned an error (the
	// requests after a failed completion call).
	OnError bool

	// Column says that by default the values of this slot vary irregularly
	// and are kept in a column instead of the signature.
	Column bool
}

// Flag is a property of a function that recording or analysis depends on.
type Flag uint32

// Function flags.
const (
	Collective Flag = 1 << iota
	Blocking
	Nonblocking
	// PersistentInit creates a persistent (or partitioned) request.
	PersistentInit
	// Completion may complete requests (Wait*, Test*, Request_get_status is not).
	Completion
	// Poll returns a flag or a count that says whether anything happened:
	// Test*, Iprobe, Improbe, Request_get_status, Parrived.
	Poll
	// OutOnError means that values known on return are recorded even when the call
	// returns an error (completion calls: statuses carry the errors). They are defined, and
	// not marked absent, only if the error is of class MPI_ERR_IN_STATUS; the
	// requests after the call (OnError) always are.
	OutOnError
	// Lifecycle creates, frees, completes or activates objects: recorded (as
	// hidden) even when filtered out, so that later handles keep their meaning.
	Lifecycle
	// PreInit may be called before initialisation or after finalisation.
	PreInit
	// ReturnsValue: the result is a value, not an error code.
	ReturnsValue
	// Pseudo is a record of Tabard's own, see Own.
	Pseudo
	// Start starts persistent or partitioned requests.
	Start
	// Partitioned: the message has parts (MPI_Psend_init, MPI_Pready, MPI_Parrived).
	Partitioned
	// Environment: results say something of the machine or the library, not of the program.
	Environment
	// ReadsStatus: results are what is in a status.
	ReadsStatus
	// Indefinite: how often it is called depends on what is complete at the moment.
	Indefinite
	// Unordered: the order of what it returns is the library's.
	Unordered
)

// Func is one function of a traced API.
type Func struct {
	ID       ID
	Name     string    // e.g. "MPI_Send"
	API      string    // e.g. "mpi"; empty for the runtime's own records
	Kind     EventKind // of events; those of the runtime's own records, which are about memory, are of MPI's
	Category string    // e.g. "pt2pt", "collective", "rma_op"
	Chapter  string
	Since    string // version of the standard that introduced it
	Flags    Flag
	Params   []Param
	Slots    []Slot
	NumIn    int // the first NumIn slots are known on entry

	// Large is the id of the _c form, LargeOf the id of the small form; 0 none.
	Large, LargeOf ID

	// What it means (spec/mpi/meaning.txt). Analyses ask for this, never for a name.
	Shape    Shape
	Op       Operation
	Mode     SendMode
	Which    Which
	Flow     Flow // of a collective, with Data and Vector
	Data     Data
	Vector   Vector
	Outcome  Outcome
	Activity Activity
	Groups   uint32 // bits: the FunctionGroups that it is in

	roles roleSlots
}

// roleSlots are slots by role, counted from 1; 0 is none.
type roleSlots [numRoles]uint8

// Slot is the index in Slots of the value that has a role, -1 if the function has none.
func (f *Func) Slot(r Role) int { return int(f.roles[r]) - 1 }

// In is the slot of a parameter's value on entry, by the parameter's name in the standard; -1 if
// there is none. Ask for a role where functions name the same thing differently.
func (f *Func) In(param string) int { return f.slotNamed(param, false) }

// Kernel is the slot with the name of a kernel of a GPU: what it is to a call site elsewhere. -1 if there is none.
func (f *Func) Kernel() int { return f.In("kernel") }

// Out is likewise the slot of a value on return. The handles that are left after an error
// (Slot.OnError) do not count.
func (f *Func) Out(param string) int { return f.slotNamed(param, true) }

func (f *Func) slotNamed(param string, out bool) int {
	for i := range f.Slots {
		if s := &f.Slots[i]; s.Out == out && s.Param >= 0 && !s.OnError && f.Params[s.Param].Name == param {
			return i
		}
	}
	return -1
}

// Makes is the class of the object that a call makes or returns, NoClass if there is none or
// several.
func (f *Func) Makes() Class {
	if i := f.Slot(RoleNew); i >= 0 {
		return f.Slots[i].Class
	}
	return NoClass
}

// ShortName is the name without the prefix of the API, in whatever case: "Send" of "MPI_Send".
func (f *Func) ShortName() string {
	if n := len(f.API) + 1; len(f.Name) > n && strings.EqualFold(f.Name[:n], f.API+"_") {
		return f.Name[n:]
	}
	return f.Name
}

// IsBarrier tells whether all that a call does is to wait for everybody.
func (f *Func) IsBarrier() bool {
	return f.Op == OpCollective && f.Flow == FlowToAll && f.Data == DataNone
}

// FunctionGroup is a name for several functions, for selections and reports.
type FunctionGroup struct {
	Name  string
	Alias string // another name, empty if there is none
	About string
}

// Has reports whether f has all flags in mask.
func (f *Func) Has(mask Flag) bool { return f.Flags&mask == mask }

// Own tells a record of Tabard's own, such as where memory begins, from a call of the program. It lies among
// the calls, and is none: nothing that counts calls, or shares of them, counts it.
func (f *Func) Own() bool { return f.Has(Pseudo) }

// Call tells calls of the program from all else that is recorded: from records of Tabard's own, and from begins, ends
// and moments, such as those of regions.
func (f *Func) Call() bool { return !f.Own() && f.Shape == ShapeCall }

// Clock tells whether a value of a call is what a clock shows, or how fine it is: an outcome, which is
// another one in each run.
func (f *Func) Clock(slot int) bool {
	s := &f.Slots[slot]
	return slot >= f.NumIn && (s.Codec == Float || s.Param >= 0 && f.Params[s.Param].Kind == "TOOLS_TICK_COUNT")
}

// Predefined is a predefined object such as MPI_COMM_WORLD or MPI_INT. Its
// index in Predefineds is append-only data (spec/predefined.txt).
type Predefined struct {
	Name  string
	Class Class
	Null  bool // the null handle of its class
	Size  int  // of a datatype in bytes, -1 if it has none or it is not known
}
