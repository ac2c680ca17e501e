package proxy

import (
	"strings"

	"tabard/internal/rerun"
	"tabard/spec"
	"tabard/trace"
)

// callback is a neutral function, or that of the standard which the program passed.
func (k *call) callback(p *rerun.Param, v *value) string {
	object := "MPI_Comm"
	for _, s := range []struct{ part, class string }{{"Type", "MPI_Datatype"}, {"Win", "MPI_Win"}, {"File", "MPI_File"}, {"Session", "MPI_Session"}} {
		if strings.Contains(p.CType, s.part) {
			object = s.class
		}
	}
	use := func(key, name string) string {
		k.g.callbacks[strings.ReplaceAll(callbackText[key], "#", object)] = true
		return strings.ReplaceAll(name, "#", object)
	}
	switch p.Callback {
	case rerun.OpFunction:
		k.g.need("reduce")
		return "reduce"
	case rerun.OpFunctionLarge:
		k.g.need("reduce_large")
		return "reduce_large"
	case rerun.CopyAttribute, rerun.DeleteAttribute:
		if name := standardCallback(p, v, object); name != "" {
			return name
		}
		k.g.attributes = true
		if p.Callback == rerun.CopyAttribute {
			return use("copy", "copy_#")
		}
		return use("delete", "delete_#")
	case rerun.ErrhandlerFunction:
		return use("handler", "handler_#")
	case rerun.GrequestQuery:
		return use("query", "query")
	case rerun.GrequestFree:
		return use("free", "free_request")
	case rerun.GrequestCancel:
		return use("cancel", "cancel")
	case rerun.DatarepExtent:
		return use("extent", "extent")
	case rerun.DatarepConversion:
		if v != nil && v.kind == trace.Addr && v.mem == trace.Literal {
			return "MPI_CONVERSION_FN_NULL"
		}
		return use("convert", "convert")
	}
	return "NULL"
}

// standardCallback is the constant for an attribute function that does nothing, or copies, where the recorded MPI has a number for it.
func standardCallback(p *rerun.Param, v *value, object string) string {
	if v == nil || v.kind != trace.Addr || v.mem != trace.Literal {
		return ""
	}
	class := strings.ToUpper(strings.TrimPrefix(strings.Replace(object, "Datatype", "Type", 1), "MPI_"))
	switch n, _ := v.n.constant(); {
	case p.Callback == rerun.DeleteAttribute:
		return "MPI_" + class + "_NULL_DELETE_FN"
	case n == 1: // in the ABI of MPI 5
		return "MPI_" + class + "_DUP_FN"
	}
	return "MPI_" + class + "_NULL_COPY_FN"
}

// runsAttributes tells whether calls of a function run attribute callbacks.
func runsAttributes(name string) bool {
	for _, end := range []string{"_set_attr", "_delete_attr", "Attr_put", "Attr_delete", "_dup", "_idup", "_dup_with_info", "_idup_with_info", "_disconnect",
		"Comm_free", "Type_free", "Win_free", "MPI_Finalize"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// failing makes attribute callbacks fail in a call that failed in the recording: what the standard has it fail for else fails
// before they run.
func (k *call) failing() {
	if k.t.tm.Flags&trace.Failed == 0 || !k.g.attributes || !runsAttributes(k.t.Name) {
		return
	}
	code := k.g.abi.Name("ERROR_CODE", int64(k.t.tm.Ret))
	if code == "" || code == "MPI_SUCCESS" {
		code = "MPI_ERR_OTHER"
	}
	k.pre = append(k.pre, "fails = "+code+";")
	k.post = append(k.post, "fails = MPI_SUCCESS;")
}

// scanCallbacks notes whether a call hands attribute callbacks of the program to MPI.
func (g *generator) scanCallbacks(t *terminal) {
	for i := range t.Params {
		p := &t.Params[i]
		if p.Callback == rerun.CopyAttribute || p.Callback == rerun.DeleteAttribute {
			v := t.slot(p.Before)
			g.attributes = g.attributes || v != nil && (v.kind != trace.Addr || v.mem != trace.Literal)
		}
	}
}

// freedOften finds keyvals that the program frees more often than it creates them, from copies of their number.
func (g *generator) freedOften(c *class) {
	counts, _, err := c.Counts()
	if err != nil {
		g.fail(err)
		return
	}
	balance := map[int64]int64{}
	for _, t := range c.terms {
		if t.tm.Flags&(trace.Nested|trace.Failed) != 0 {
			continue
		}
		for i := range t.Params {
			p := &t.Params[i]
			if p.Codec != spec.Handle || p.Class != spec.Keyval {
				continue
			}
			n := int64(counts[t.id])
			if in := t.slot(p.Before); in != nil && in.kind == trace.Ref && p.Life == spec.Free {
				balance[in.n.at(c.Ranks().Min())] -= n
			}
			if out := t.slot(p.After); out != nil && out.kind == trace.Ref && p.Life == spec.New {
				balance[out.n.at(c.Ranks().Min())] += n
			}
		}
	}
	for _, n := range balance {
		g.shared[spec.Keyval] = g.shared[spec.Keyval] || n < 0
	}
}

// declareFails declares what attribute callbacks return.
func (g *generator) declareFails(b *strings.Builder) {
	for text := range g.callbacks {
		if strings.Contains(text, "fails") {
			b.WriteString(g.local("static @int fails = MPI_SUCCESS; /* what callbacks return */\n"))
			return
		}
	}
}
