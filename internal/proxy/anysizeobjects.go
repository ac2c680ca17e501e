package proxy

import (
	"fmt"
	"strings"

	"tabard/internal/rerun"
	"tabard/internal/scale"
	"tabard/spec"
	"tabard/trace"
)

// object is the expression for a handle; with pointer set, for its address.
func (k *anycall) object(class spec.Class, e *scale.Expr, pointer bool) string {
	h := handleClasses[class]
	if n := number0(e); n != nil {
		if _, same := constant(n); !same {
			return deref(fmt.Sprintf("%s_at(%s)", h.array, trim(k.x.expr(n))), pointer)
		}
	}
	return k.chosen(e, func(e *scale.Expr) string {
		if code, ok := constant(e); ok {
			switch {
			case !isDynamic(code) && pointer:
				return fmt.Sprintf("&(%s){%s}", h.ctype, k.g.objectName(class, code))
			case !isDynamic(code):
				return k.g.objectName(class, code)
			case !k.x.computed[class] && pointer:
				return "&" + k.g.objectName(class, code)
			case !k.x.computed[class]:
				return k.g.objectName(class, code)
			}
			return deref(fmt.Sprintf("%s_at(%d)", h.array, code/2-1), pointer)
		}
		k.x.sought[class] = true
		return deref(fmt.Sprintf("%s_of(%s)", h.array, trim(k.x.expr(e))), pointer)
	})
}

// number0 is the number, from 0, of an object with a code that is surely one of the program's; nil if it may be another.
func number0(e *scale.Expr) *scale.Expr {
	switch e.Op {
	case scale.Pick:
		out := *e
		out.Args = append([]*scale.Expr{}, e.Args...)
		for i, a := range e.Args[1:] {
			if out.Args[i+1] = number0(a); out.Args[i+1] == nil {
				return nil
			}
		}
		return &out
	case scale.If:
		return nil
	}
	if h := halved(e); h != nil {
		if n := sum(h, -1); natural(n) {
			return n
		}
	}
	return nil
}

func deref(s string, pointer bool) string {
	if pointer {
		return s
	}
	return "*" + s
}

// objectIO points to a handle that the call reads and may change.
func (k *anycall) objectIO(p *rerun.Param, s *scale.Slot) string {
	if kindOf(s) != trace.Ref {
		return nothing(p.Class)
	}
	if p.Life == spec.Free && k.x.copied[p.Class] {
		// A copy: the object may have other references, and its name stays in use.
		return fmt.Sprintf("&(%s){%s}", handleClasses[p.Class].ctype, k.object(p.Class, s.Parts[0], false))
	}
	return k.object(p.Class, s.Parts[0], true)
}

// objectNew points to where a new handle is kept.
func (k *anycall) objectNew(p *rerun.Param, s *scale.Slot) string {
	if kindOf(s) != trace.Ref {
		return nothing(p.Class)
	}
	return k.object(p.Class, s.Parts[0], true)
}

// objects is an array of handles that the call reads and may change.
func (k *anycall) objects(p *rerun.Param, s *scale.Slot) string {
	if kindOf(s) != trace.List || s.Const != nil && len(s.Const.List) > 0 {
		return "NULL"
	}
	h := handleClasses[p.Class]
	if len2(s) == 0 { // empty
		return fmt.Sprintf("(%s[]){%s}", h.ctype, h.null)
	}
	if run := k.run(s, h); run != "" && p.Class == spec.Request {
		return run
	}
	text := func(e *scale.Expr) string { return k.object(p.Class, e, false) }
	if p.Class != spec.Request {
		return k.array(p, s, h.ctype, text)
	}
	list := k.filled(p, s, h.ctype, func() string { return text(s.Parts[0]) })
	k.x.c.Elem = "e"
	k.x.gathers = true
	k.post = append(k.post, fmt.Sprintf("for (long e = 0; e < %s_n; e++) put_request(%s, %s[e]);", list, trim(k.x.expr(s.Parts[0])), list))
	k.x.c.Elem = ""
	return list
}

// run is an array of consecutive objects, empty if they are not.
func (k *anycall) run(s *scale.Slot, h handleClass) string {
	if codes, ok := elements(s); ok {
		first, ok := contiguous(codes)
		switch {
		case ok && k.x.computed[s.Class]:
			return fmt.Sprintf("%s_run(%d, %d)", h.array, first, len(codes))
		case ok:
			return fmt.Sprintf("&%s[%d]", h.array, first)
		}
		return ""
	}
	if e := halved(s.Parts[0]); e != nil {
		if first, ok := rising(e); ok {
			return fmt.Sprintf("%s_run(%s, %s)", h.array, trim(k.x.expr(sum(first, -1))), trim(k.x.expr(s.Len)))
		}
	}
	return ""
}

// objectsNew is room for an array of new handles.
func (k *anycall) objectsNew(p *rerun.Param, s *scale.Slot) string {
	h := handleClasses[p.Class]
	room := k.room(p, s, 1)
	if kindOf(s) != trace.List || len2(s) == 0 {
		return fmt.Sprintf("room((%s) * sizeof(%s))", room, h.ctype)
	}
	k.pre = append(k.pre, fmt.Sprintf("%s *made = room((%s) * sizeof *made);", h.ctype, room))
	n, ok := constant(s.Len)
	if !ok || n > shortArray {
		k.x.obstacle(p.Name, "as many objects as that depends on the number of ranks")
		return "made"
	}
	for i := range n {
		e := elementOf(s.Parts[0], i)
		if code, same := constant(e); !same || isDynamic(code) {
			k.x.c.Elem = fmt.Sprint(i)
			k.post = append(k.post, fmt.Sprintf("%s = made[%d];", operand(k.object(p.Class, e, false)), i))
			k.x.c.Elem = ""
		}
	}
	return "made"
}

// status is room for statuses.
func (k *anycall) status(p *rerun.Param, s *scale.Slot) string {
	if kindOf(s) == trace.Absent {
		return map[bool]string{true: "MPI_STATUSES_IGNORE", false: "MPI_STATUS_IGNORE"}[p.Role == rerun.StatusesOut]
	}
	if p.Role == rerun.StatusOut {
		k.g.statuses = max(k.g.statuses, 1)
		return "&status[0]"
	}
	return "room((" + k.room(p, s, 1) + ") * sizeof(MPI_Status))"
}

// room is how much room a result takes, at least some: see rerun.Func.Room. It is linear in the numbers that are passed.
func (k *anycall) room(p *rerun.Param, out *scale.Slot, least int64) string {
	var asked []int
	base := k.t.Func.Room(p, func(param int) (int64, bool) {
		asked = append(asked, param)
		return 0, true
	})
	total := fmt.Sprint(max(base, least))
	for _, param := range asked {
		slope := k.t.Func.Room(p, func(int) (int64, bool) { return 1 << 16, true })
		slope = max((slope-base)>>16, 1)
		s := k.slot(k.t.Params[param].Before)
		switch {
		case kindOf(s) == trace.Int && len2(s) == 1:
			total += fmt.Sprintf(" + %d * sc_room(%s)", slope, trim(k.x.expr(s.Parts[0])))
		case kindOf(s) != trace.Absent:
			total += fmt.Sprintf(" + %d * size", slope)
		}
	}
	if len(asked) == 0 && out != nil && out.Len != nil {
		total += fmt.Sprintf(" + 8 * (sc_room(%s) + size)", trim(k.x.expr(out.Len)))
	}
	return total
}

// outcome makes the call, and sees to it that what is complete is what was in the recording.
func (k *anycall) outcome(args []string) []string {
	name := k.t.Name
	made := []string{name + "(" + strings.Join(args, ", ") + ");"}
	o := rerun.OutcomesOf(k.t.ID)
	if o == nil {
		return k.block(made)
	}
	switch o.Kind {
	case rerun.SomeOf:
		k.x.obstacle("", "what it completes depends on the run")
	case rerun.OnePoll, rerun.ProbePoll:
		if flag := k.slot(o.Flag); kindOf(flag) != trace.Int || len2(flag) != 1 {
			k.x.obstacle("flag", "it depends on the run")
		} else if v, ok := constant(flag.Parts[0]); !ok {
			k.x.obstacle("flag", "it is not the same at all ranks")
		} else if v != 0 {
			made = []string{"do", "    " + made[0], "while (!flag);"}
		}
	case rerun.OneOf:
		if o.Flag >= 0 {
			k.x.obstacle("", "what it completes depends on the run")
			break
		}
		k.g.which = true
		index := k.slot(o.Index)
		if o.Request < 0 || args[o.Request] == "NULL" || strings.Contains(name, "get_status") {
			break
		}
		if kindOf(index) != trace.Int || len2(index) != 1 {
			k.x.obstacle("index", "it depends on the run")
			break
		}
		k.post = append([]string{fmt.Sprintf("settle(%s, %s, which);", args[o.Request], trim(k.x.expr(index.Parts[0])))}, k.post...)
	}
	return k.block(made)
}
