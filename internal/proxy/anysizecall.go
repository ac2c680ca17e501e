package proxy

import (
	"fmt"
	"strings"

	"tabard/internal/rerun"
	"tabard/internal/scale"
	"tabard/spec"
	"tabard/trace"
)

// anycall is a call of a model that is being written.
type anycall struct {
	*call
	x *anysize
	n *scale.Call
}

// call is the lines that make a call.
func (x *anysize) call(n *scale.Call) []string {
	f := rerun.FuncOf(n.Func.ID)
	x.where = n
	if rerun.Own(f.Func) {
		return x.segment(n)
	}
	if reason := x.leftOut(n); reason != "" {
		x.g.skip(f.Name, reason)
		for i := range f.Params {
			if p := &f.Params[i]; p.Codec == spec.Handle && p.After >= 0 {
				x.missing[p.Class] = f.Name
			}
		}
		return nil
	}
	k := &anycall{x: x, n: n, call: &call{g: x.g, t: &terminal{Func: f, tm: &trace.Template{Signature: trace.Signature{Flags: n.Flags, Ret: n.Ret}}}}}
	for i := range f.Params {
		if p := &f.Params[i]; p.Codec == spec.Handle && p.Before >= 0 && x.missing[p.Class] != "" {
			x.obstacle(p.Name, "it may be an object of "+x.missing[p.Class]+", which is not called again")
		}
	}
	args := make([]string, 0, len(f.Params))
	for i := range f.Params {
		p := &f.Params[i]
		switch {
		case p.Role == rerun.Variadic:
			continue
		case p.Name == "argc" && p.Role == rerun.NumberIO && k.slot(p.Before).Kind != trace.Absent:
			args = append(args, "&argument_count")
			continue
		}
		args = append(args, k.argument(p))
	}
	x.g.functions[f.Name] = f.Since
	k.failing()
	lines := k.outcome(args)
	if f.Name == "MPI_Init" || f.Name == "MPI_Init_thread" {
		lines = append(lines, "find_rank(1);")
	}
	return lines
}

// leftOut says why a call is not made again, if it is not.
func (x *anysize) leftOut(n *scale.Call) string {
	if strings.HasPrefix(n.Func.Name, "MPI_T_") {
		return "variables and events are those of one MPI library"
	}
	return x.g.target.Reason(n.Func, n.Flags)
}

// segment makes memory where the program did.
func (x *anysize) segment(n *scale.Call) []string {
	number := func(i int) string {
		s := &n.Slots[i]
		if s.Copied != nil || len(s.Parts) != 1 {
			x.obstacle("", "sizes of memory follow no rule")
			return "0"
		}
		return x.value(s.Parts[0], nil)
	}
	switch n.Func.Name {
	case "tabard_segment":
		if kind := &n.Slots[1]; len(kind.Parts) == 1 {
			if v, ok := constant(kind.Parts[0]); ok && v == madeByMPI {
				return nil
			}
		}
		begin := "grow_memory"
		if bytes := &n.Slots[2]; len(bytes.Parts) == 1 && bytes.Parts[0].UsesSize() {
			begin = "begin_memory"
		}
		return []string{fmt.Sprintf("%s(%s, %s);", begin, number(0), number(2))}
	case "tabard_segment_end":
		return []string{fmt.Sprintf("end_memory(%s);", number(0))}
	}
	return nil
}

// slot is a parameter, nil if there is none.
func (k *anycall) slot(i int) *scale.Slot {
	if i < 0 || i >= len(k.n.Slots) {
		return nil
	}
	return &k.n.Slots[i]
}

// kindOf is the kind of a slot.
func kindOf(s *scale.Slot) trace.Kind {
	switch {
	case s == nil:
		return trace.Absent
	case s.Const != nil:
		return s.Const.Kind
	}
	return s.Kind
}

// copied tells whether a slot has values by no rule, which is an obstacle.
func (k *anycall) copied(p *rerun.Param, s *scale.Slot) bool {
	if s == nil || s.Copied == nil && kindOf(s) != trace.Hole {
		return false
	}
	k.x.obstacle(p.Name, "its values follow no rule; a proxy for one size has them: --ranks")
	return true
}

// argument is the expression that is passed for a parameter.
func (k *anycall) argument(p *rerun.Param) string {
	in, out := k.slot(p.Before), k.slot(p.After)
	k.x.hint = p.Name
	switch p.Role {
	case rerun.NumberOut, rerun.DisplacementOut:
		return k.result(p)
	case rerun.NumbersOut, rerun.DisplacementsOut:
		if kindOf(out) == trace.Sentinel {
			return k.numbers(p, out)
		}
		return "room(" + k.room(p, out, 16) + ")"
	case rerun.BufferNew:
		return k.madeBuffer(out)
	case rerun.BufferOut:
		return "&(void *){NULL}"
	case rerun.TextOut:
		return "room(" + k.room(p, nil, 8192) + ")"
	case rerun.StatusOut, rerun.StatusesOut:
		return k.status(p, out)
	case rerun.StatusIn:
		k.g.statuses = max(k.g.statuses, 1)
		return "&status[0]"
	case rerun.Function:
		v := value{}
		if in != nil {
			v.kind, v.mem = kindOf(in), in.Mem
		}
		return k.callback(p, &v)
	case rerun.ObjectNew:
		if k.copied(p, out) {
			return ""
		}
		return k.objectNew(p, out)
	case rerun.ObjectsNew:
		if k.copied(p, out) {
			return ""
		}
		return k.objectsNew(p, out)
	}
	if k.copied(p, in) {
		return ""
	}
	return k.input(p, in)
}

// input is argument for what the call reads.
func (k *anycall) input(p *rerun.Param, in *scale.Slot) string {
	switch p.Role {
	case rerun.Number:
		return k.number(p, in)
	case rerun.NumberIO:
		if kindOf(in) == trace.Absent {
			return "NULL"
		}
		return fmt.Sprintf("&(%s){%s}", element(p), k.number(p, in))
	case rerun.Numbers:
		return k.kept(p, in, k.numbers(p, in))
	case rerun.Displacement:
		if in != nil && in.Kind == trace.Addr && in.Mem != trace.Literal && in.Const == nil {
			return "(MPI_Aint)(size_t)(" + k.address(in, in.Parts) + ")"
		}
		return k.number(p, in)
	case rerun.Displacements:
		return k.kept(p, in, k.displacements(p, in))
	case rerun.Object:
		if kindOf(in) != trace.Ref {
			return handleClasses[p.Class].null
		}
		return k.object(p.Class, in.Parts[0], false)
	case rerun.ObjectIO:
		return k.objectIO(p, in)
	case rerun.Objects:
		return k.kept(p, in, k.objects(p, in))
	case rerun.Buffer:
		return k.buffer(p, in)
	case rerun.Text:
		if in == nil || in.Const == nil || in.Const.Kind != trace.Str {
			return "NULL"
		}
		if p.Name == "filename" {
			return k.fileName(in.Const.Str)
		}
		return cString(in.Const.Str)
	case rerun.Texts:
		return k.texts(constantValue(in))
	case rerun.TextLists:
		var parts []string
		if v := constantValue(in); v != nil {
			for i := range v.list {
				parts = append(parts, k.texts(&v.list[i]))
			}
		}
		return fmt.Sprintf("(char **[]){%s}", strings.Join(append(parts, "NULL"), ", "))
	case rerun.Arguments:
		if kindOf(in) == trace.Absent {
			return "NULL"
		}
		return "&arguments"
	}
	return ""
}

// constantValue is the lists of strings of a slot.
func constantValue(s *scale.Slot) *value {
	if s == nil || s.Const == nil {
		return nil
	}
	var of func(v *trace.Value) value
	of = func(v *trace.Value) value {
		out := value{kind: v.Kind, str: v.Str}
		for i := range v.List {
			out.list = append(out.list, of(&v.List[i]))
		}
		return out
	}
	v := of(s.Const)
	return &v
}

// number is a number that is passed.
func (k *anycall) number(p *rerun.Param, s *scale.Slot) string {
	if kind := kindOf(s); len2(s) != 1 || kind != trace.Int && kind != trace.Addr && kind != trace.Float {
		return "0"
	}
	if v, ok := constant(s.Parts[0]); ok && strings.HasPrefix(k.t.Name, "MPI_Type_") && isAddress(v) {
		k.g.noteOnce(k.t.Name + ": " + p.Name + " was an address; it is 0")
		return "0"
	}
	return k.x.value(s.Parts[0], k.call.name(p))
}

// len2 is how many integers a value is made of.
func len2(s *scale.Slot) int {
	if s == nil {
		return 0
	}
	return len(s.Parts)
}

// numbers is an array of integers.
func (k *anycall) numbers(p *rerun.Param, s *scale.Slot) string {
	switch kindOf(s) {
	case trace.Sentinel:
		if v, ok := constant(s.Parts[0]); ok && v > 0 && int(v) < len(rerun.SentinelNames) {
			return rerun.SentinelNames[v]
		}
		return fmt.Sprintf("%s < 2 ? MPI_UNWEIGHTED : MPI_WEIGHTS_EMPTY", k.x.expr(s.Parts[0]))
	case trace.Ints:
		if s.Const != nil {
			return k.constantArray(p, s.Const.Ints, element(p))
		}
		return k.array(p, s, element(p), func(e *scale.Expr) string { return k.x.value(e, k.call.name(p)) })
	}
	return "NULL"
}

// array is an array of a C type whose elements are expressions.
func (k *anycall) array(p *rerun.Param, s *scale.Slot, t string, text func(*scale.Expr) string) string {
	if len2(s) == 0 {
		return "NULL"
	}
	n, ok := constant(s.Len)
	if ok && n <= shortArray {
		var parts []string
		for i := range n {
			k.x.c.Elem = fmt.Sprint(i)
			parts = append(parts, text(elementOf(s.Parts[0], i)))
		}
		k.x.c.Elem = ""
		return k.literalArray(t, parts, p)
	}
	return k.filled(p, s, t, func() string { return text(s.Parts[0]) })
}

// filled is an array that is filled before the call.
func (k *anycall) filled(p *rerun.Param, s *scale.Slot, t string, text func() string) string {
	name := p.Name
	if k.g.names[name] || strings.HasPrefix(name, "i") && len(name) < 4 {
		name = "the_" + name
	}
	k.x.c.Elem = "e"
	k.pre = append(k.pre, fmt.Sprintf("long %s_n = %s;", name, trim(k.x.expr(s.Len))), fmt.Sprintf("%s *%s = room((%s_n + 1) * sizeof *%s);", t, name, name, name),
		fmt.Sprintf("for (long e = 0; e < %s_n; e++) %s[e] = %s;", name, name, text()))
	k.x.c.Elem = ""
	if strings.HasSuffix(p.CType, "[][3]") {
		return fmt.Sprintf("(%s (*)[3])%s", t, name)
	}
	return name
}

// kept is an array that stays as it is until the operation that the call begins is complete.
func (k *anycall) kept(p *rerun.Param, s *scale.Slot, arg string) string {
	if !k.t.Has(spec.Nonblocking) && !k.t.Has(spec.PersistentInit) || s == nil || s.Len == nil || p.Class == spec.Request || !p.Array ||
		strings.HasPrefix(arg, "MPI_") || arg == "NULL" || strings.HasPrefix(arg, "&") {
		return arg
	}
	k.g.keeps++
	return fmt.Sprintf("keep(%d, %s, %s * sizeof(%s))", k.g.keeps-1, arg, k.x.expr(s.Len), element(p))
}

// displacements is an array of numbers that may be addresses.
func (k *anycall) displacements(p *rerun.Param, s *scale.Slot) string {
	switch {
	case kindOf(s) == trace.Ints:
		return k.numbers(p, s)
	case kindOf(s) != trace.List || s.Const != nil:
		return "NULL"
	case s.Item != trace.Addr || s.Mem == trace.Literal:
		return k.array(p, s, element(p), func(e *scale.Expr) string { return k.x.value(e, nil) })
	}
	if n, ok := constant(s.Len); ok && n <= shortArray {
		var parts []string
		for i := range n {
			k.x.c.Elem = fmt.Sprint(i)
			parts = append(parts, "(MPI_Aint)(size_t)("+k.address(s, []*scale.Expr{elementOf(s.Parts[0], i), elementOf(s.Parts[1], i)})+")")
		}
		k.x.c.Elem = ""
		return k.literalArray(element(p), parts, p)
	}
	return k.filled(p, s, element(p), func() string { return "(MPI_Aint)(size_t)(" + k.address(s, s.Parts) + ")" })
}

// buffer is an address that is passed.
func (k *anycall) buffer(p *rerun.Param, s *scale.Slot) string {
	if kindOf(s) != trace.Addr {
		return "NULL"
	}
	if s.Const != nil {
		return k.literalAddress(p, s.Const.N)
	}
	if s.Mem != trace.Literal {
		return k.address(s, s.Parts)
	}
	return k.chosen(s.Parts[0], func(e *scale.Expr) string {
		if v, ok := constant(e); ok {
			return k.literalAddress(p, v)
		}
		return "(void *)(size_t)" + k.x.expr(e)
	})
}

// chosen prints what conditions choose from.
func (k *anycall) chosen(e *scale.Expr, text func(*scale.Expr) string) string {
	switch e.Op {
	case scale.If:
		return fmt.Sprintf("(%s ? %s : %s)", k.x.expr(e.Args[0]), k.chosen(e.Args[1], text), k.chosen(e.Args[2], text))
	case scale.Pick:
		at, out := trim(k.x.expr(e.Args[0])), k.chosen(e.Args[len(e.Args)-1], text)
		for i := len(e.Args) - 2; i > 0; i-- {
			out = fmt.Sprintf("(%s < %d ? %s : %s)", operand(at), i, k.chosen(e.Args[i], text), out)
		}
		return out
	}
	return text(e)
}

// literalAddress is an address that is a constant.
func (k *anycall) literalAddress(p *rerun.Param, n int64) string {
	if n == 0 && p.BufType >= 0 { // MPI_BOTTOM is NULL with both
		if s := k.slot(k.t.Params[p.BufType].Before); kindOf(s) == trace.Ref {
			if code, ok := constant(s.Parts[0]); ok && isDynamic(code) {
				return "MPI_BOTTOM"
			}
		}
		return "NULL"
	}
	if s := (rerun.Translation{From: k.g.abi, To: k.g.abi}).Sentinel(p.Param, n); s != "" {
		return s
	}
	if n == 0 {
		return "NULL"
	}
	return fmt.Sprintf("(void *)%dL", n)
}

// address is an address in memory.
func (k *anycall) address(s *scale.Slot, parts []*scale.Expr) string {
	x := k.x
	at := parts[len(parts)-1]
	if s.Mem == trace.RawMem || len(parts) < 2 {
		return fmt.Sprintf("other_at(%s)", trim(x.expr(at)))
	}
	base := ""
	seg, same := constant(parts[0])
	switch {
	case s.Mem == trace.Heap && same:
		base = fmt.Sprintf("heap_at(%d)", seg)
	case s.Mem == trace.Heap:
		base = fmt.Sprintf("heap_at(%s)", trim(x.expr(parts[0])))
	case x.blocks[s.Mem] || !same:
		base = fmt.Sprintf("block_at(%d, %s)", s.Mem, trim(x.expr(parts[0])))
	default:
		q := &segment{mem: s.Mem, number: uint32(seg)}
		x.named[segmentKey{s.Mem, uint32(seg)}] = true
		base, _ = q.base()
	}
	if v, ok := constant(at); ok {
		return plus(base, v)
	}
	return base + " + " + x.expr(at)
}

// madeBuffer points to where the address of new memory is kept.
func (k *anycall) madeBuffer(s *scale.Slot) string {
	if kindOf(s) != trace.Addr || s.Const != nil || s.Mem != trace.Heap || len(s.Parts) < 2 {
		return "&(void *){NULL}"
	}
	slot := fmt.Sprintf("heap_slot(%s)", trim(k.x.expr(s.Parts[0])))
	if v, ok := constant(s.Parts[1]); !ok || v != 0 {
		k.post = append(k.post, fmt.Sprintf("*%s -= %s;", slot, k.x.expr(s.Parts[1])))
	}
	return slot
}
