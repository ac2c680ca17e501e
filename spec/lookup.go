package spec

import (
	"sort"
	"strings"
)

// byID and byName index functions.
var (
	byID   [numIDs]*Func
	byName = make(map[string]*Func, len(functions))
	all    = make([]*Func, len(functions))

	predefinedByName = make(map[string]int, len(Predefineds))
)

func init() {
	for i := range functions {
		f := &functions[i]
		byID[f.ID], byName[f.Name], all[i] = f, f, f
	}
	for i := range Predefineds {
		predefinedByName[Predefineds[i].Name] = i
	}
}

// ByID returns the function with an id, nil if there is none.
func ByID(id ID) *Func {
	if int(id) >= len(byID) {
		return nil
	}
	return byID[id]
}

// ByName returns the function with a name such as "MPI_Send", nil if there is none.
func ByName(name string) *Func { return byName[name] }

// Functions returns all functions in the order of their ids, pseudo
// functions first. The caller must not change the slice.
func Functions() []*Func { return all }

// PredefinedByName returns the index in Predefineds of an object such as "MPI_INT".
func PredefinedByName(name string) (int, bool) {
	i, ok := predefinedByName[name]
	return i, ok
}

// ABI says which MPI's binary interface a program used: sizes, constants and
// handle values differ between them.
type ABI uint8

// Known ABIs; the numbers are those of the recording format.
const (
	UnknownABI ABI = iota
	OpenMPI
	MPICH // and the libraries of its ABI compatibility initiative
	MPI5  // the standard ABI of MPI 5.0
	NumABIs
)

type abiData struct {
	name      string
	constants map[string]int64
	handles   map[handleKey]int // to the index in Predefineds
}

type handleKey struct {
	class Class
	raw   uint64
}

// group is a set of constants that explain values of some kinds.
type group struct {
	name  string
	mask  bool // values are sums of them
	names []string
}

// String returns "openmpi", "mpich", "mpi5" or "unknown".
func (a ABI) String() string {
	if a == UnknownABI || a >= NumABIs {
		return "unknown"
	}
	return abis[a].name
}

func (a ABI) data() *abiData {
	if a >= NumABIs {
		return &abis[UnknownABI]
	}
	return &abis[a]
}

// Const returns the value of a constant such as "MPI_ANY_SOURCE"; pointers
// such as MPI_IN_PLACE are integers. It is false for names that the ABI does
// not define or fixes only at run time (MPICH's MPI_UNWEIGHTED).
func (a ABI) Const(name string) (int64, bool) {
	v, ok := a.data().constants[name]
	return v, ok
}

// Name explains a value of a parameter kind: the constant's name ("RANK" and
// MPI_ANY_SOURCE's value give "MPI_ANY_SOURCE"), names joined by "|" for bit
// sets, or the empty string if the value is just a number.
func (a ABI) Name(kind string, value int64) string {
	i, ok := groupOfKind[kind]
	if !ok {
		return ""
	}
	d, g := a.data(), &groups[i]
	for _, n := range g.names {
		if v, ok := d.constants[n]; ok && v == value {
			return n
		}
	}
	if !g.mask || value <= 0 {
		return ""
	}
	var parts []string
	rest := value
	for _, n := range g.names {
		if v, ok := d.constants[n]; ok && v != 0 && rest&v == v {
			parts = append(parts, n)
			rest &^= v
		}
	}
	if rest != 0 {
		return ""
	}
	sort.Strings(parts)
	return strings.Join(parts, "|")
}

// PredefinedByHandle returns the index in Predefineds of the object whose
// handle has this value, where values are fixed numbers: all of MPICH and MPI
// 5, and the keyvals of Open MPI, whose other handles are addresses that the
// recording itself explains.
func (a ABI) PredefinedByHandle(class Class, raw uint64) (int, bool) {
	if i, ok := enumerated[handleKey{class, raw}]; ok && raw != 0 {
		return i, true
	}
	i, ok := a.data().handles[handleKey{class, raw}]
	if !ok && raw>>31 == 1 { // handles that are ints: some tables have them with their sign
		i, ok = a.data().handles[handleKey{class, raw | 0xffffffff<<32}]
	}
	return i, ok
}

// Fields is how many integers represent one value of the slot, or one element of it, in columns: 4
// for a status (source, tag, bytes, error | cancelled<<32), else 1. A string is its number in the
// stream's string table, an address its segment word, a reference its code, a float its bits.
func (s *Slot) Fields() int {
	if s.Codec == Status {
		return 4
	}
	return 1
}
