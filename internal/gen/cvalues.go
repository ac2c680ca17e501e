package main

import (
	"fmt"
	"slices"
	"strings"
)

// actuals are the counts of rawActual.Count: C functions (actual.c.inc) that ask
// the library how much of an array it has filled.
var actuals = map[string]string{
	"integers": "tb_envelope(%s, 0)", "addresses": "tb_envelope(%s, 1)", "datatypes": "tb_envelope(%s, 2)",
	"large_counts": "tb_envelope(%s, 3)",
	"cart_dims":    "tb_cart_dims(%s)", "indegree": "tb_indegree(%s)", "outdegree": "tb_outdegree(%s)",
	"graph_nodes": "tb_graph(%s, 0)", "graph_edges": "tb_graph(%s, 1)", "graph_neighbors": "tb_graph_neighbors(%s, %s)",
	"category_cvars": "tb_category(%s, 0)", "category_pvars": "tb_category(%s, 1)",
	"category_categories": "tb_category(%s, 2)", "category_events": "tb_category_events(%s)",
}

// rootOnlyData are parameters that may be dereferenced at the root only.
// Other values that are significant only there are recorded as they are:
// ranks that pass the same arguments as the root then look the same.
func (p *Param) rootOnlyData() bool {
	return p.RootOnly && (p.Array || strings.HasPrefix(p.Codec, "String"))
}

// present lists the conditions under which a parameter has a value, as far as
// they are known before the call.
func (w *wrapper) present(p *Param) []string {
	var cs []string
	s := p.Codec
	if p.rootOnlyData() {
		cs = append(cs, "tb_root")
	}
	if p.InPlaceOf >= 0 {
		cs = append(cs, fmt.Sprintf("(uintptr_t)%s != tb_abi.in_place", w.Func.Params[p.InPlaceOf].Name))
	}
	if p.Pointer || p.Array || strings.HasPrefix(s, "String") {
		cs = append(cs, p.Name+" != NULL")
	}
	if p.Kind == "ARGUMENT_LIST" && p.LenDeref {
		cs = append(cs, "*"+p.Name+" != NULL", w.Func.Params[p.LenArg].Name+" != NULL")
	}
	for _, sentinel := range p.Sentinels {
		if field, ok := absentSentinels[sentinel]; ok {
			cs = append(cs, fmt.Sprintf("(uintptr_t)%s != tb_abi.%s", p.Name, field))
		}
	}
	return cs
}

// absentSentinels stand in place of memory: there is no value then.
var absentSentinels = map[string]string{
	"MPI_STATUS_IGNORE": "status_ignore", "MPI_STATUSES_IGNORE": "statuses_ignore",
	"MPI_ERRCODES_IGNORE": "errcodes_ignore", "MPI_ARGV_NULL": "argv_null", "MPI_ARGVS_NULL": "argv_null",
}

func putResult(s *Slot) string {
	switch s.Codec {
	case "Float":
		return "uint64_t tb_bits; memcpy(&tb_bits, &tb_r, sizeof tb_bits); tb_put(&tb_c, tb_bits);"
	case "Displacement":
		return "tb_put_displacement(&tb_c, (uint64_t)tb_r);"
	case "Handle":
		if wide(s.Class) {
			return "tb_put(&tb_c, tb_r);"
		}
		return "tb_put_handle(&tb_c, tb_r);"
	}
	return "tb_put_int(&tb_c, tb_r);"
}

// put is the statement that records a value.
func (w *wrapper) put(s *Slot, p *Param) string {
	x := p.Name
	switch p.Codec {
	case "Status":
		code := "0"
		if s.Out {
			code = "tb_r"
			if slices.Contains(w.Flags, "OutOnError") {
				code = "tb_r != 0 ? tb_abi.err_in_status : 0"
			}
		}
		if p.Array {
			return fmt.Sprintf("tb_put_statuses(&tb_c, %s, %s, %s);", x, w.length(s, p), code)
		}
		return fmt.Sprintf("tb_put_status(&tb_c, %s, %s);", x, code)
	case "String":
		return w.putString(s, p)
	case "StringArray":
		if p.LenRule == "LenNullTerm" {
			return fmt.Sprintf("tb_put_strings(&tb_c, %s, -1);", x)
		}
		if p.LenDeref {
			x = "*" + x
		}
		return fmt.Sprintf("tb_put_strings(&tb_c, %s, %s);", x, w.length(s, p))
	case "StringArray2":
		return fmt.Sprintf("tb_put_strings2(&tb_c, %s, %s);", x, w.length(s, p))
	case "Address":
		if s.Out {
			return fmt.Sprintf("tb_put_address(&tb_c, *(const uintptr_t *)%s);", x)
		}
		if strings.Contains(p.Kind, "FUNCTION") {
			return fmt.Sprintf("tb_put_callback(&tb_c, (uintptr_t)%s);", x)
		}
		return fmt.Sprintf("tb_put_address(&tb_c, (uintptr_t)%s);", x)
	}
	if p.Array {
		return w.putArray(s, p)
	}
	if p.Pointer && p.Codec != "Handle" {
		x = "*" + x
	}
	switch p.Codec {
	case "Displacement":
		return fmt.Sprintf("tb_put_displacement(&tb_c, (uint64_t)%s);", x)
	case "Handle":
		return putHandle(p)
	}
	if p.Kind == otherEachRun {
		return fmt.Sprintf("tb_put(&tb_c, tb_nccl_hash(&%s));", x)
	}
	return fmt.Sprintf("tb_put_int(&tb_c, %s);", x)
}

// freesComm says that a call ends the communicator that p points to.
func freesComm(p *Param) bool { return p.tag == 0 && p.Class == "Comm" && p.Life == "Free" }

func putHandle(p *Param) string {
	base, _, _ := baseType(p.Type)
	switch number := ctypes[base].bits == 32; {
	case p.tag > 0 && number && p.Pointer:
		return fmt.Sprintf("tb_put(&tb_c, (uint64_t)%d << %d | (uint32_t)*%s);", p.tag, tagShift, p.Name)
	case p.tag > 0 && number:
		return fmt.Sprintf("tb_put(&tb_c, (uint64_t)%d << %d | (uint32_t)%s);", p.tag, tagShift, p.Name)
	case p.tag > 0 && p.Pointer:
		return fmt.Sprintf("tb_put(&tb_c, *(const uint64_t *)%s);", p.Name)
	case p.tag > 0:
		return fmt.Sprintf("tb_put(&tb_c, %s);", p.Name)
	case p.Class == "Comm" && p.Pointer && p.Out && !p.In:
		return fmt.Sprintf("tb_put_new_comm(&tb_c, %s);", p.Name)
	case freesComm(p):
		return fmt.Sprintf("tb_known = tb_put_freed_comm(&tb_c, %s);", p.Name)
	case p.Class == "Keyval" && p.Pointer:
		return fmt.Sprintf("tb_put(&tb_c, (uint32_t)*%s);", p.Name)
	case p.Class == "Keyval":
		return fmt.Sprintf("tb_put(&tb_c, (uint32_t)%s);", p.Name)
	case wide(p.Class) && p.Pointer:
		return fmt.Sprintf("tb_put(&tb_c, *(const uint64_t *)%s);", p.Name)
	case wide(p.Class):
		return fmt.Sprintf("tb_put(&tb_c, %s);", p.Name)
	case p.Class == "Request" && p.Pointer:
		return fmt.Sprintf("tb_put_request_at(&tb_c, %s);", p.Name)
	case p.Class == "Request":
		return fmt.Sprintf("tb_put_request(&tb_c, %s);", p.Name)
	case p.Pointer:
		return fmt.Sprintf("tb_put_handle_at(&tb_c, %s);", p.Name)
	}
	return fmt.Sprintf("tb_put_handle(&tb_c, %s);", p.Name)
}

func (w *wrapper) putString(s *Slot, p *Param) string {
	switch {
	case !s.Out:
		return fmt.Sprintf("tb_put_string(&tb_c, %s);", p.Name)
	case p.Len.Max != "":
		limit := strings.TrimPrefix(p.Len.Max, "MPI_")
		return fmt.Sprintf("tb_put_chars(&tb_c, %s, tb_limits[TB_%s][tb_abi.kind]);", p.Name, limit)
	}
	return fmt.Sprintf("tb_put_chars(&tb_c, %s, %s);", p.Name, w.capacity(p))
}

func (w *wrapper) putArray(s *Slot, p *Param) string {
	n := w.length(s, p)
	switch {
	case p.Codec == "Handle" && p.tag > 0:
		return fmt.Sprintf("tb_put_ints(&tb_c, %s, %s, 8);", p.Name, n)
	case p.Class == "Request":
		return fmt.Sprintf("tb_put_requests(&tb_c, %s, %s);", p.Name, n)
	case p.Codec == "Handle":
		return fmt.Sprintf("tb_put_handles(&tb_c, %s, %s);", p.Name, n)
	case p.Codec == "Displacement":
		return fmt.Sprintf("tb_put_displacements(&tb_c, %s, %s);", p.Name, n)
	case slices.Contains(p.Sentinels, "MPI_UNWEIGHTED"):
		return fmt.Sprintf("tb_put_weights(&tb_c, %s, %s);", p.Name, n)
	}
	return fmt.Sprintf("tb_put_ints(&tb_c, %s, %s, %d);", p.Name, n, p.Bits/8)
}

func (w *wrapper) capacity(p *Param) string {
	c := w.Func.Params[p.LenCap]
	if c.Pointer {
		return "tb_cap_" + c.Name
	}
	return c.Name
}

// length is the C expression for the number of elements of an array.
func (w *wrapper) length(s *Slot, p *Param) string {
	arg := func() string { return w.Func.Params[p.LenArg].Name }
	n := ""
	switch p.LenRule {
	case "LenParam":
		n = arg()
		if p.LenDeref {
			n = "*" + n
		}
	case "LenParam3":
		n = "(int64_t)" + arg() + " * 3"
	case "LenOut":
		return fmt.Sprintf("tb_clip(%s, %s)", arg(), w.capacity(p))
	case "LenSum", "LenLast":
		a := w.Func.Params[p.LenArr]
		fn := map[string]string{"LenSum": "tb_sum", "LenLast": "tb_last"}[p.LenRule]
		n = fmt.Sprintf("(%s != NULL ? %s(%s, %s) : 0)", a.Name, fn, a.Name, arg())
	case "LenLocalSize":
		n = "tb_local_size(" + arg() + ")"
	case "LenPeerSize":
		n = "tb_peer_size(" + arg() + ")"
	case "LenIndegree":
		n = "tb_indegree(" + arg() + ")"
	case "LenOutdegree":
		n = "tb_outdegree(" + arg() + ")"
	case "LenCartDims":
		n = "tb_cart_dims(" + arg() + ")"
	}
	if p.Actual == nil || !s.Out {
		return n
	}
	var args []any
	for _, a := range p.ActualArgs {
		args = append(args, w.Func.Params[a].Name)
	}
	return fmt.Sprintf("tb_least(%s, %s)", n, fmt.Sprintf(actuals[p.Actual.Count], args...))
}
