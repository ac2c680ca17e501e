package proxy

import (
	"fmt"
	"strings"

	"tabard/internal/rankfn"
	"tabard/internal/rerun"
	"tabard/spec"
	"tabard/trace"
)

// statement is the lines of C that make a call; none if it is not made again.
func (g *generator) statement(c *class, t *terminal) []string {
	if rerun.Own(t.Func.Func) {
		return g.ownRecord(c, t)
	}
	if g.reason(t) != "" {
		return nil
	}
	if g.lacks(c, t) {
		return nil
	}
	k := &call{g: g, c: c, t: t, remote: g.far(c, t)}
	o := rerun.OutcomesOf(t.ID)
	polls := t.tm.Flags&trace.Polls != 0
	if o != nil && polls && (o.Kind == rerun.OneOf || o.Kind == rerun.SomeOf || t.Name == "MPI_Improbe" || t.Name == "MPI_Win_test") {
		return nil // the successful call that follows polls as often as it takes
	}
	args := make([]string, 0, len(t.Params))
	for i := range t.Params {
		p := &t.Params[i]
		if p.Role == rerun.Variadic {
			continue
		}
		if p.Name == "argc" && p.Role == rerun.NumberIO && k.t.slot(p.Before).kind != trace.Absent {
			args = append(args, "&argument_count")
			continue
		}
		args = append(args, k.kept(p, k.argument(p)))
	}
	k.failing()
	g.functions[t.Name] = t.Since
	name := t.Name
	if o != nil && !polls {
		return k.outcome(o, name, args)
	}
	made := name + "(" + strings.Join(args, ", ") + ")"
	if k.remote {
		made = "ACCESS(" + made + ")"
	}
	return k.block([]string{made + ";"})
}

// kept is an array that stays as it is until the operation that the call begins is complete.
func (k *call) kept(p *rerun.Param, arg string) string {
	if !k.t.Has(spec.Nonblocking) && !k.t.Has(spec.PersistentInit) || !p.Array || strings.HasPrefix(arg, "MPI_") || arg == "NULL" || strings.HasPrefix(arg, "&") {
		return arg
	}
	v, n := k.t.slot(p.Before), ""
	switch {
	case v == nil || p.Role != rerun.Numbers && p.Role != rerun.Displacements && p.Role != rerun.Objects || p.Class == spec.Request:
		return arg
	case v.kind == trace.List && !v.refs:
		n = fmt.Sprint(len(v.list))
	case v.kind == trace.Ints || v.kind == trace.List:
		if same, ok := v.sameLength(k.c.Ranks()); ok {
			n = fmt.Sprint(same)
			break
		}
		var lengths []int64
		for r := range k.c.Ranks().All() {
			lengths = append(lengths, int64(v.vec.Len(r)))
		}
		n = operand(k.g.function(rankfn.Fit(k.c.ctx, k.c.Ranks(), lengths), k.c.Ranks(), nil, "length"))
	default:
		return arg
	}
	k.g.keeps++
	t := element(p)
	return fmt.Sprintf("keep(%d, %s, %s * sizeof(%s))", k.g.keeps-1, arg, n, t)
}

// block puts statements around a call.
func (k *call) block(lines []string) []string {
	if len(k.pre)+len(k.post) == 0 {
		return lines
	}
	out := []string{"{"}
	for _, part := range [][]string{k.pre, lines, k.post} {
		for _, s := range part {
			out = append(out, "    "+s)
		}
	}
	return append(out, "}")
}

// outcome makes calls whose results are not determined: until they are what they were in the recording.
func (k *call) outcome(o *rerun.Outcomes, name string, args []string) []string {
	made := name + "(" + strings.Join(args, ", ") + ");"
	again := []string{made}
	k.g.flag = k.g.flag || o.Flag >= 0 && o.Kind != rerun.SomeOf
	consumes := !strings.Contains(name, "get_status")
	switch o.Kind {
	case rerun.OnePoll, rerun.ProbePoll:
		return k.block([]string{"do", "    " + made, "while (!flag);"})
	case rerun.OneOf:
		if o.Flag >= 0 {
			again = []string{"do", "    " + made, "while (!flag);"}
		}
		k.g.which = true
		if consumes && o.Request >= 0 && args[o.Request] != "NULL" {
			k.post = append([]string{fmt.Sprintf("settle(%s, %s, which);", args[o.Request], k.wanted(o.Index))}, k.post...)
		}
	case rerun.SomeOf:
		if consumes && o.Request >= 0 && args[o.Request] != "NULL" {
			return k.some(o, name, args)
		}
		k.g.which = true
	}
	return k.block(again)
}

// wanted is the recorded value of a result.
func (k *call) wanted(slot int) string {
	v := k.t.slot(slot)
	if v == nil {
		return "-1"
	}
	switch v.kind {
	case trace.Int:
		return k.g.number(k.c, &v.n, k.c.Ranks(), nil, "wanted")
	case trace.Hole:
		return fmt.Sprintf("(int)next(&%s)", k.g.column(k.c, k.t.id, slot, 0, "wanted", nil))
	}
	return "-1"
}

// some makes calls that complete some of several requests, until there are as many as in the recording.
func (k *call) some(o *rerun.Outcomes, name string, args []string) []string {
	want, count := "(int[]){0}", "0"
	if v := k.t.slot(o.Index); v != nil {
		switch v.kind {
		case trace.Ints:
			p := &k.t.Params[k.paramOf(o.Index)]
			want = k.array(p, v, "int")
			if n, same := v.sameLength(k.c.Ranks()); same {
				count = fmt.Sprint(n)
			} else {
				count = "0"
			}
		case trace.Hole:
			if length, elements := k.g.arrayColumns(k.c, k.t, o.Index, "wanted"); length != "" {
				count, want = fmt.Sprintf("(int)next(&%s)", length), fmt.Sprintf("next_ints(wants, &%s)", elements)
			}
		}
	}
	list := args[o.Request]
	for i := range k.t.Params {
		if k.t.Params[i].After == o.Index {
			args[i] = "got + done"
		}
	}
	k.g.which = true
	k.pre = append(k.pre, fmt.Sprintf("int wants = %s, *want = %s;", count, want), fmt.Sprintf("int done = 0, *got = room((%s + 1) * sizeof *got);", operand(args[0])))
	k.post = append([]string{fmt.Sprintf("settle_some(%s, wants, want, done, got);", list)}, k.post...)
	return k.block([]string{
		"do {",
		"    " + name + "(" + strings.Join(args, ", ") + ");",
		"    if (which > 0) done += which;",
		"} while (which != MPI_UNDEFINED && done < wants);",
	})
}

func (k *call) paramOf(slot int) int {
	for i := range k.t.Params {
		if k.t.Params[i].After == slot {
			return i
		}
	}
	return 0
}

// removed are functions that MPI 3 removed, and what stands for them where they are not there any more.
var removed = map[string]string{
	"MPI_Address": "MPI_Get_address", "MPI_Type_hindexed": "MPI_Type_create_hindexed", "MPI_Type_hvector": "MPI_Type_create_hvector",
	"MPI_Type_struct": "MPI_Type_create_struct", "MPI_Errhandler_create": "MPI_Comm_create_errhandler",
	"MPI_Errhandler_get": "MPI_Comm_get_errhandler", "MPI_Errhandler_set": "MPI_Comm_set_errhandler",
	"MPI_Type_extent(t, at)": "MPI_Type_get_extent(t, &(MPI_Aint){0}, at)", "MPI_Type_lb(t, at)": "MPI_Type_get_extent(t, at, &(MPI_Aint){0})",
	"MPI_Type_ub(t, at)": "MPI_Type_get_true_extent(t, &(MPI_Aint){0}, at)",
}

// lacks tells whether a call uses an object that no call of the recording that is made again creates.
func (g *generator) lacks(c *class, t *terminal) bool {
	for i := range t.Params {
		p := &t.Params[i]
		v := t.slot(p.Before)
		if v == nil || p.Codec != spec.Handle || p.Class == spec.Request || v.kind == trace.Hole {
			continue
		}
		rank := c.Ranks().Min()
		codes := v.codesAt(rank)
		if v.kind == trace.Ref {
			codes = []int64{v.n.at(rank)}
		}
		for _, code := range codes {
			if isDynamic(code) && g.created[g.objectKey(c, p.Class, code)] <= 0 {
				g.skip(t.Name, fmt.Sprintf("the %s that it uses was not created by a call that is made again", strings.TrimPrefix(handleClasses[p.Class].ctype, "MPI_")))
				return true
			}
		}
	}
	return false
}

// ownRecord makes memory where the program did; of the recorder's other records nothing is left.
func (g *generator) ownRecord(c *class, t *terminal) []string {
	number := func(slot int, hint string) string {
		v := t.slot(slot)
		if v == nil || v.kind == trace.Hole {
			return fmt.Sprintf("next(&%s)", g.column(c, t.id, slot, 0, hint, nil))
		}
		return g.number(c, &v.n, c.Ranks(), nil, hint)
	}
	switch t.Name {
	case "tabard_segment":
		if !g.allocates(t) {
			return nil
		}
		at := number(0, "segment")
		own := ""
		if g.mixed(t) {
			own = fmt.Sprintf("own[%s] = ", at)
		}
		if strings.Contains(at, "next(") { // has to be read once
			return []string{"{", "    long n = " + at + ";", fmt.Sprintf("    heap[n] = own[n] = %s;", g.allocation(c, t, "n", number(2, "bytes"))), "}"}
		}
		bytes := number(2, "bytes")
		if n, ok := t.slot(0).n.constant(); ok {
			// What calls use may be more than what is recorded, if the number means other memory, too.
			if s := g.segments[segmentKey{trace.Heap, uint32(n)}]; s != nil && s.most > g.largest[n] && s.most < believable {
				bytes = literal(s.most, nil)
			}
		}
		return []string{fmt.Sprintf("heap[%s] = %s%s;", at, own, g.allocation(c, t, at, bytes))}
	case "tabard_segment_end":
		at := number(0, "segment")
		if strings.Contains(at, "next(") {
			return []string{"{", "    long n = " + at + ";", "    " + g.release(c, t, "n", "own[n]") + ";", "    own[n] = NULL;", "}"}
		}
		if g.mixed(t) {
			block := fmt.Sprintf("own[%s]", at)
			return []string{g.release(c, t, at, block) + ";", block + " = NULL;"}
		}
		return []string{g.release(c, t, at, fmt.Sprintf("heap[%s]", at)) + ";"}
	}
	return nil
}

// mixed tells whether the number of a segment also stands for memory that MPI allocates, which the program must not free.
func (g *generator) mixed(t *terminal) bool {
	v := t.slot(0)
	n, ok := v.n.constant()
	return !ok || !g.ours[n] || g.anyOwn
}

// believable bounds what is concluded from datatypes about the size of a block that a record has another size of.
const believable = 1 << 24

// madeByMPI is the kind of segments that MPI allocates.
const madeByMPI = 3

// allocates tells whether a record of a segment is one of memory that the program allocated itself.
func (g *generator) allocates(t *terminal) bool {
	kind := t.slot(1)
	if kind == nil || kind.kind != trace.Int {
		return true
	}
	n, ok := kind.n.constant()
	return !ok || n != madeByMPI
}
