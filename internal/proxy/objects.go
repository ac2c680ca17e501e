package proxy

import (
	"fmt"
	"strings"

	"tabard/internal/rankfn"
	"tabard/internal/rerun"
	"tabard/spec"
	"tabard/trace"
)

// nothing is an lvalue with a null handle.
func nothing(class spec.Class) string {
	h := handleClasses[class]
	return fmt.Sprintf("&(%s){%s}", h.ctype, h.null)
}

// objectIO points to a handle that the call reads and may change.
func (k *call) objectIO(p *rerun.Param, in *value) string {
	switch in.kind {
	case trace.Hole:
		return "&" + k.g.fromColumn(k.c, k.t, in.at, p.Class, p.Name)
	case trace.Ref:
		s, object := k.g.handle(k.c, &in.n, p.Class, p.Name)
		if object && !(p.Life == spec.Free && k.g.shared[p.Class]) {
			return "&" + s
		}
		// A copy: the object may have other references, and its name stays in use.
		return fmt.Sprintf("&(%s){%s}", handleClasses[p.Class].ctype, s)
	}
	return nothing(p.Class)
}

// objectNew points to where a new handle is kept.
func (k *call) objectNew(p *rerun.Param, out *value) string {
	switch {
	case out.kind == trace.Hole:
		return "&" + k.g.fromColumn(k.c, k.t, out.at, p.Class, p.Name)
	case out.kind != trace.Ref:
		return nothing(p.Class)
	}
	if s, object := k.g.handle(k.c, &out.n, p.Class, p.Name); object {
		return "&" + s
	}
	if _, same := out.n.constant(); same {
		return nothing(p.Class)
	}
	// Some ranks get an object and others none.
	h := handleClasses[p.Class]
	nowhere := "no_" + h.array
	seen := false
	s := k.g.choose(k.c.Ranks(), p.Name, h.ctype+" *", func(r int) string {
		if code := out.n.at(r); isDynamic(code) {
			return "&" + k.g.objectName(p.Class, code)
		}
		seen = true
		return "&" + nowhere
	})
	if seen && !k.g.nowhere[p.Class] {
		k.g.nowhere[p.Class] = true
		fmt.Fprintf(&k.g.variables, "static %s %s;\n", h.ctype, nowhere)
	}
	return s
}

// objects is an array of handles that the call reads and may change.
func (k *call) objects(p *rerun.Param, in *value) string {
	h := handleClasses[p.Class]
	switch {
	case in.kind == trace.Hole:
		return k.objectsFromColumn(p, in)
	case in.kind != trace.List:
		return "NULL"
	}
	ranks := k.c.Ranks()
	saw := func(codes []int64) {
		for _, code := range codes {
			if isDynamic(code) {
				k.g.sawObject(p.Class, code)
			}
		}
	}
	if in.vec == nil {
		saw(in.ints)
		if first, ok := contiguous(in.ints); ok && (p.Class == spec.Request || len(in.ints) > 1) {
			return fmt.Sprintf("&%s[%d]", h.array, first)
		}
	} else if s, ok := k.contiguousByRank(in, h, saw); ok {
		return s
	}
	if p.Class == spec.Request {
		return k.gather(in)
	}
	list := func(codes []int64) string {
		saw(codes)
		var parts []string
		for _, code := range codes {
			parts = append(parts, k.g.objectName(p.Class, code))
		}
		if len(parts) == 0 {
			parts = []string{h.null}
		}
		return fmt.Sprintf("(%s[]){%s}", h.ctype, strings.Join(parts, ", "))
	}
	if in.vec == nil {
		return list(in.ints)
	}
	n, same := in.sameLength(ranks)
	if !same {
		n = 0
		for r := range ranks.All() {
			n = max(n, in.vec.Len(r))
		}
	}
	var parts []string
	for i := range n {
		parts = append(parts, k.g.choose(ranks, p.Name, h.ctype+" ", func(r int) string {
			if codes := in.vec.At(r); i < len(codes) {
				return k.g.objectName(p.Class, codes[i])
			}
			return h.null
		}))
	}
	return fmt.Sprintf("(%s[]){%s}", h.ctype, strings.Join(append(parts, h.null), ", "))
}

// contiguousByRank is an array of consecutive objects whose first one depends on the rank.
func (k *call) contiguousByRank(in *value, h handleClass, saw func([]int64)) (string, bool) {
	var firsts []int64
	for r := range k.c.Ranks().All() {
		codes := in.vec.At(r)
		saw(codes)
		first, ok := contiguous(codes)
		if !ok {
			if len(codes) > 0 {
				return "", false
			}
			first = 0
		}
		firsts = append(firsts, first)
	}
	fn := rankfn.Fit(k.c.ctx, k.c.Ranks(), firsts)
	return fmt.Sprintf("&%s[%s]", h.array, k.g.function(fn, k.c.Ranks(), nil, "first")), true
}

// gather is an array of requests that are not consecutive.
func (k *call) gather(in *value) string {
	numbers := func(codes []int64) []int64 {
		var out []int64
		for _, code := range codes {
			if isDynamic(code) {
				out = append(out, code/2-1)
			} else {
				out = append(out, -1)
			}
		}
		return out
	}
	ranks := k.c.Ranks()
	var n, list string
	p := &rerun.Param{Param: &spec.Param{Name: "requests", CType: "const int[]"}}
	if in.vec == nil {
		n, list = fmt.Sprint(len(in.ints)), k.constantArray(p, numbers(in.ints), "int")
	} else {
		var lengths []int64
		arrays := make([][]int64, 0, ranks.Len())
		for r := range ranks.All() {
			arrays = append(arrays, numbers(in.vec.At(r)))
			lengths = append(lengths, int64(len(arrays[len(arrays)-1])))
		}
		n = k.g.function(rankfn.Fit(k.c.ctx, ranks, lengths), ranks, nil, "requests_count")
		list = k.array(p, &value{kind: trace.Ints, vec: rankfn.FitVec(k.c.ctx, ranks, arrays)}, "int")
	}
	return k.gathered(n, list)
}

// gathered makes an array of requests with these numbers, and brings them back after the call.
func (k *call) gathered(n, list string) string {
	k.g.need("gather")
	k.g.objects[spec.Request] = max(k.g.objects[spec.Request], 1)
	k.pre = append(k.pre, fmt.Sprintf("int n = %s, *number = %s;", n, list), "MPI_Request *list = gather(n, number);")
	k.post = append(k.post, "scatter(n, number, list);")
	return "list"
}

// objectsFromColumn is an array of objects that differ from call to call.
func (k *call) objectsFromColumn(p *rerun.Param, in *value) string {
	h := handleClasses[p.Class]
	k.g.sawColumn(k.c, k.t, in.at, p.Class)
	toNumber := func(code int64) int64 {
		if isDynamic(code) {
			return code/2 - 1
		}
		return -1
	}
	var length, elements string
	for _, s := range k.columnsOf(in.at) {
		switch {
		case s.Field == -1:
			length = k.g.column(k.c, k.t.id, in.at, -1, p.Name+"_count", nil)
		case p.Class == spec.Request:
			elements = k.g.column(k.c, k.t.id, in.at, s.Field, p.Name, toNumber)
		default:
			elements = k.g.column(k.c, k.t.id, in.at, s.Field, p.Name, nil)
		}
	}
	if length == "" || elements == "" {
		return "NULL"
	}
	if p.Class == spec.Request {
		k.pre = append(k.pre, fmt.Sprintf("int n = (int)next(&%s), *number = next_ints(n, &%s);", length, elements), "MPI_Request *list = gather(n, number);")
		k.post = append(k.post, "scatter(n, number, list);")
		return "list"
	}
	k.g.named(p.Class)
	k.pre = append(k.pre, fmt.Sprintf("int n_%s = (int)next(&%s);", h.array, length), fmt.Sprintf("%s *%ss = room((n_%s + 1) * sizeof *%ss);", h.ctype, h.array, h.array, h.array),
		fmt.Sprintf("for (int i = 0; i < n_%s; i++) %ss[i] = *%s_of(next(&%s));", h.array, h.array, h.array, elements))
	return h.array + "s"
}

// objectsNew is room for an array of new handles.
func (k *call) objectsNew(p *rerun.Param, out *value) string {
	h := handleClasses[p.Class]
	n := k.roomFor(p)
	if out.kind == trace.List && out.vec == nil {
		if first, ok := contiguous(out.ints); ok && int64(len(out.ints)) >= n {
			k.g.sawObject(p.Class, out.ints[len(out.ints)-1])
			return fmt.Sprintf("&%s[%d]", h.array, first)
		}
		k.pre = append(k.pre, fmt.Sprintf("%s *made = room(%d * sizeof *made);", h.ctype, max(n, int64(len(out.ints)), 1)))
		for i, code := range out.ints {
			if isDynamic(code) {
				k.post = append(k.post, fmt.Sprintf("%s = made[%d];", k.g.objectName(p.Class, code), i))
			}
		}
		return "made"
	}
	return fmt.Sprintf("room(%d * sizeof(%s))", max(n, 1), h.ctype)
}
