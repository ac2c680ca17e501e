package cgen

import (
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/internal/program/cc"
	"github.com/tabard-hpc/tabard/spec"
)

// Callback is a neutral function, or that of the standard which the program passed.
func (k *call) Callback(p *program.Param) *cc.Expr {
	object := "MPI_Comm"
	for _, s := range []struct{ part, class string }{
		{"Type", "MPI_Datatype"}, {"Win", "MPI_Win"}, {"File", "MPI_File"}, {"Session", "MPI_Session"},
	} {
		if strings.Contains(p.CType, s.part) {
			object = s.class
		}
	}
	use := func(key, name string) *cc.Expr {
		k.g.callbacks[strings.ReplaceAll(callbacks[key], "OBJECT", object)] = true
		if strings.HasSuffix(name, "_") {
			name += object
		}
		return cc.Name(name)
	}
	literal, isLiteral := k.literalOf(p.Before)
	switch p.Callback {
	case program.OpFunction:
		k.g.need("reduce")
		return cc.Name("reduce")
	case program.OpFunctionLarge:
		k.g.need("reduce_large")
		return cc.Name("reduce_large")
	case program.CopyAttribute, program.DeleteAttribute:
		if isLiteral {
			return standardCallback(p, literal, object)
		}
		k.g.attributes, k.g.fails = true, true
		if p.Callback == program.CopyAttribute {
			return use("copy", "copy_")
		}
		return use("delete", "delete_")
	case program.ErrhandlerFunction:
		return use("handler", "handler_")
	case program.GrequestQuery:
		return use("query", "query")
	case program.GrequestFree:
		return use("free", "free_request")
	case program.GrequestCancel:
		return use("cancel", "cancel")
	case program.DatarepExtent:
		return use("extent", "extent")
	case program.DatarepConversion:
		if isLiteral {
			return cc.Name("MPI_CONVERSION_FN_NULL")
		}
		return use("convert", "convert")
	}
	return cc.Null
}

// standardCallback is the constant for an attribute function that does nothing, or copies, where
// the recorded MPI has the number n for it.
func standardCallback(p *program.Param, n int64, object string) *cc.Expr {
	class := strings.ToUpper(strings.TrimPrefix(strings.Replace(object, "Datatype", "Type", 1), "MPI_"))
	switch {
	case p.Callback == program.DeleteAttribute:
		return cc.Name("MPI_" + class + "_NULL_DELETE_FN")
	case n == 1: // in the ABI of MPI 5
		return cc.Name("MPI_" + class + "_DUP_FN")
	}
	return cc.Name("MPI_" + class + "_NULL_COPY_FN")
}

// runsAttributes tells whether calls of a function run attribute callbacks.
func runsAttributes(name string) bool {
	for _, end := range []string{"_set_attr", "_delete_attr", "Attr_put", "Attr_delete", "_dup", "_idup",
		"_dup_with_info", "_idup_with_info", "_disconnect",
		"Comm_free", "Type_free", "Win_free", "MPI_Finalize"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// failing makes attribute callbacks fail in a call that failed in the recording. A call that fails
// for any other reason of the standard does so before they run.
func (k *call) failing() {
	if k.flags&archive.Failed == 0 || !k.g.attributes || !runsAttributes(k.Name) {
		return
	}
	code := k.g.abi.Name("ERROR_CODE", int64(k.ret))
	if code == "" || code == "MPI_SUCCESS" {
		code = "MPI_ERR_OTHER"
	}
	fails := func(code string) *cc.Stmt { return cc.Do(cc.Assign(cc.Name("fails"), cc.Name(code))) }
	k.pre = append(k.pre, fails(code))
	k.post = append(k.post, fails("MPI_SUCCESS"))
}

// scanCallbacks notes whether a call hands attribute callbacks of the program to MPI.
func (g *generator) scanCallbacks(t *terminal) {
	for i := range t.Params {
		p := &t.Params[i]
		if p.Callback == program.CopyAttribute || p.Callback == program.DeleteAttribute {
			v := t.slot(p.Before)
			g.attributes = g.attributes || v != nil && (v.kind != archive.Addr || v.mem != archive.Literal)
		}
	}
}

// freedOften finds keyvals that the program frees more often than it creates them, from copies of
// their number.
func (g *generator) freedOften(c *class) {
	counts, _, err := c.Counts()
	if err != nil {
		g.fail(err)
		return
	}
	balance := map[int64]int64{}
	for _, t := range c.terms {
		if t.tm.Flags&(archive.Nested|archive.Failed) != 0 {
			continue
		}
		for i := range t.Params {
			p := &t.Params[i]
			if p.Codec != spec.Handle || p.Class != spec.Keyval {
				continue
			}
			n := int64(counts[t.id])
			if in := t.slot(p.Before); in != nil && in.kind == archive.Ref && p.Life == spec.Free {
				balance[in.n.at(c.Ranks().Min())] -= n
			}
			if out := t.slot(p.After); out != nil && out.kind == archive.Ref && p.Life == spec.New {
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
	if g.fails {
		b.WriteString(g.local("static $LOCAL int fails = MPI_SUCCESS; /* what callbacks return */\n"))
	}
}
