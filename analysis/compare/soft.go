package compare

import (
	"fmt"
	"slices"
	"strings"

	"tabard/spec"
	"tabard/trace"
)

// environment are functions whose results say something of the machine or the library, by the
// beginning of their names.
var environment = []string{
	"MPI_T_", "MPI_Get_processor_name", "MPI_Get_library_version", "MPI_Get_version", "MPI_Wtime", "MPI_Wtick",
	"MPI_Error_string", "MPI_Open_port", "MPI_Lookup_name", "MPI_Get_address", "MPI_Address", "MPI_Aint_", "MPI_Pack_size", "MPI_Attr_get",
	"MPI_Comm_get_attr", "MPI_Win_get_attr", "MPI_Type_get_attr", "MPI_Get_hw_resource_info", "MPI_Info_get",
	"MPI_Add_error", "MPI_Init_thread", "MPI_Query_thread", "MPI_Session_", "MPI_Abi_",
	"MPI_Type_get_contents", // arrays that are longer than what is written to them
}

// completes tells whether the results of a function depend on what is complete or has
// arrived at that moment.
func completes(f *spec.Func) bool {
	return f.Has(spec.Completion) || f.Has(spec.Poll) || strings.HasPrefix(f.Name, "MPI_Request_get_status") ||
		strings.HasPrefix(f.Name, "MPI_Probe") || strings.HasPrefix(f.Name, "MPI_Mprobe")
}

// someOf tells whether a function completes a number of operations that is not determined, so that
// neither is the number of its calls.
func someOf(name string) bool {
	for _, s := range []string{"MPI_Waitsome", "MPI_Testsome", "MPI_Waitany", "MPI_Testany", "MPI_Testall", "MPI_Test", "MPI_Iprobe", "MPI_Improbe", "MPI_Request_get_status", "MPI_Parrived"} {
		if name == s || strings.HasPrefix(name, s+"_") {
			return true
		}
	}
	return false
}

// readsStatus tells whether the results of a function are what is in a status.
func readsStatus(name string) bool {
	for _, prefix := range []string{"MPI_Get_count", "MPI_Get_elements", "MPI_Status_get_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// softSlots tells which slots of a call the standard leaves open, or the machine decides.
func softSlots(f *spec.Func, sig *trace.Signature, rerun bool) []bool {
	soft := make([]bool, len(f.Slots))
	env := false
	for _, prefix := range environment {
		env = env || strings.HasPrefix(f.Name, prefix)
	}
	wild := env || completes(f)
	for i := range f.Slots {
		s := &f.Slots[i]
		out := i >= f.NumIn
		switch {
		case s.Class == spec.Request || s.Class == spec.Message || s.Codec == spec.Float:
			soft[i] = true
		case rerun && process(f, s):
			soft[i] = true
		case out && wild:
			soft[i] = true
		case rerun && out && readsStatus(f.Name):
			soft[i] = true // what is in a status is compared where it comes from
		case s.Codec == spec.Status:
			// Wildcards are in the values; columns of statuses have several senders.
			soft[i] = true
			if i < len(sig.Slots) {
				soft[i] = sig.Slots[i].Kind != trace.Stat || wildcard(f, sig)
			}
		case s.Param >= 0 && (f.Params[s.Param].Name == "errorcode" || f.Params[s.Param].Name == "errorclass") && f.Name != "MPI_Abort":
			soft[i] = true // made up by the library, some anew in each run
		case s.Param >= 0 && callback(f.Params[s.Param].Name):
			soft[i] = true // of the predefined ones some are NULL and some functions
		case s.Codec == spec.String && s.Param >= 0 && f.Params[s.Param].Name == "port_name":
			soft[i] = true
		case s.Codec == spec.Address && out:
			soft[i] = true
		}
	}
	return soft
}

func callback(name string) bool {
	return strings.HasSuffix(name, "_fn") || strings.HasSuffix(name, "_function")
}

// wildcard tells whether a receive has a source or tag that is not a plain number.
func wildcard(f *spec.Func, sig *trace.Signature) bool {
	for i := range sig.Slots[:min(f.NumIn, len(sig.Slots))] {
		name := trace.SlotName(f, &f.Slots[i])
		v := &sig.Slots[i]
		if (name == "source" || name == "tag" || name == "recvtag") && (v.Kind != trace.Int || v.N < 0) {
			return true
		}
	}
	return false
}

// text is a value as it is compared and shown: constants by name, without what depends on the machine.
func (s *side) text(f *spec.Func, slot int, v *trace.Value) string {
	if v.Kind == trace.Addr && v.Mem != trace.Literal {
		return memoryText(v)
	}
	if s.rerun && v.Kind == trace.Addr && far(v) {
		return "memory" // of a class of its own there, static data or stack here
	}
	if s.rerun && fileName(f, &f.Slots[slot]) {
		v = base(v)
	}
	if v.Kind == trace.Ints && len(v.Ints) == 0 || v.Kind == trace.List && len(v.List) == 0 {
		return "-" // whether an array without elements is NULL means nothing
	}
	if v.Kind == trace.Ints && f.Name == "MPI_Dist_graph_neighbors" && slot >= f.NumIn {
		return fmt.Sprint(slices.Sorted(slices.Values(v.Ints))) // their order is the library's
	}
	if name := trace.SlotName(f, &f.Slots[slot]); v.Kind == trace.Ints && (strings.HasSuffix(name, "weights") || name == "ranges") {
		return fmt.Sprint(v.Ints) // numbers, whatever constants stand for the array or a rank
	}
	if v.Kind == trace.List && len(v.List) > 0 && strings.HasPrefix(f.Name, "MPI_Init") && trace.SlotName(f, &f.Slots[slot]) == "argv" {
		v = &trace.Value{Kind: trace.List, List: v.List[1:]} // programs move
	}
	if v.Kind == trace.List && len(v.List) > 0 && v.List[0].Kind == trace.Addr {
		parts := make([]string, len(v.List))
		for i := range v.List {
			parts[i] = s.text(f, slot, &v.List[i])
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return trace.FormatValue(s.abi, f, &f.Slots[slot], v)
}

// far tells whether a number may be an address, or the difference of two.
func far(v *trace.Value) bool { return v.N >= 1<<40 || v.N <= -1<<40 }

// elements are the values of an array of addresses or numbers, nil if v is none.
func elements(v *trace.Value) []trace.Value {
	if v.Kind == trace.Ints {
		list := make([]trace.Value, len(v.Ints))
		for i, n := range v.Ints {
			list[i] = trace.Value{Kind: trace.Int, N: n}
		}
		return list
	}
	if v.Kind == trace.List {
		return v.List
	}
	return nil
}

// addresses tells whether a difference of two values is one of places in memory that mean nothing elsewhere.
func addresses(a, b *trace.Value) bool {
	if x, y := elements(a), elements(b); x != nil && len(x) == len(y) {
		some := false
		for i := range x {
			p, q := &x[i], &y[i]
			if addresses(p, q) {
				some = true
			} else if p.Kind != q.Kind || p.Mem != q.Mem || p.N != q.N || p.Kind != trace.Int && p.Kind != trace.Addr {
				return false
			}
		}
		return some
	}
	inMemory := func(v *trace.Value) bool { return v.Kind == trace.Addr && v.Mem != trace.Literal }
	// Displacements in dynamic windows and datatypes may be addresses, in parts or differences of them.
	number := func(v *trace.Value) bool {
		return (v.Kind == trace.Int || v.Kind == trace.Addr && v.Mem == trace.Literal) && far(v)
	}
	if number(a) && (number(b) || inMemory(b)) || number(b) && inMemory(a) {
		return true
	}
	return inMemory(a) && inMemory(b) && (a.Mem != trace.Heap || b.Mem != trace.Heap)
}
