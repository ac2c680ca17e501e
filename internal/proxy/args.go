package proxy

import (
	"fmt"
	"strings"

	"tabard/internal/rankfn"
	"tabard/internal/rerun"
	"tabard/spec"
	"tabard/trace"
)

// call makes one call.
type call struct {
	g    *generator
	c    *class
	t    *terminal
	hint string   // of names
	pre  []string // statements before the call
	post []string // after it
	loop string   // condition for doing it again
	// remote is set if it may use an address in another process.
	remote bool
}

// name says which constant a number of a parameter is.
func (k *call) name(p *rerun.Param) func(int64) string {
	return func(v int64) string { return k.g.abi.Name(p.Kind, v) }
}

// element is the C type of what an array has, or a pointer points to.
func element(p *rerun.Param) string {
	s := strings.TrimPrefix(p.CType, "const ")
	if i := strings.IndexAny(s, "[*"); i >= 0 {
		s = s[:i]
	}
	return strings.TrimSpace(s)
}

// argument is the expression that is passed for a parameter.
func (k *call) argument(p *rerun.Param) string {
	in, out := k.t.slot(p.Before), k.t.slot(p.After)
	hint := p.Name
	switch p.Role {
	case rerun.Number:
		if s := k.directed(p); s != "" {
			return s
		}
		if k.remote && p.Name == "target_disp" {
			return k.remoteDisplacement(p, in)
		}
		return k.number(p, in)
	case rerun.NumberIO:
		if in.kind == trace.Absent {
			return "NULL"
		}
		return fmt.Sprintf("&(%s){%s}", element(p), k.number(p, in))
	case rerun.NumberOut, rerun.DisplacementOut:
		return k.result(p)
	case rerun.Numbers:
		return k.numbers(p, in)
	case rerun.NumbersOut, rerun.DisplacementsOut:
		if out.kind == trace.Sentinel {
			return k.numbers(p, out)
		}
		return fmt.Sprintf("room(%d)", k.bytes(p, out))
	case rerun.Displacement:
		return k.displacement(in, p)
	case rerun.Displacements:
		return k.displacements(p, in)
	case rerun.Object:
		switch in.kind {
		case trace.Hole:
			return k.g.fromColumn(k.c, k.t, in.at, p.Class, hint)
		case trace.Absent:
			return handleClasses[p.Class].null
		}
		s, _ := k.g.handle(k.c, &in.n, p.Class, hint)
		return s
	case rerun.ObjectIO:
		return k.objectIO(p, in)
	case rerun.ObjectNew:
		return k.objectNew(p, out)
	case rerun.Objects:
		return k.objects(p, in)
	case rerun.ObjectsNew:
		return k.objectsNew(p, out)
	}
	return k.other(p, in, out)
}

// directed is the recorded source or tag of a matched probe that takes any: if messages have different lengths, the
// receive that follows would have no room for another one.
func (k *call) directed(p *rerun.Param) string {
	o := rerun.OutcomesOf(k.t.ID)
	if o == nil || o.Status < 0 || k.t.Name != "MPI_Mprobe" && k.t.Name != "MPI_Improbe" || p.Index != o.Source && p.Index != o.Tag {
		return ""
	}
	in, status := k.t.slot(p.Before), k.t.slot(o.Status)
	if n, ok := in.n.constant(); in.kind != trace.Int || !ok || n >= 0 || status == nil || status.kind != trace.Hole {
		return ""
	}
	if k.g.abi.Name(p.Kind, in.n.n) == "MPI_PROC_NULL" {
		return ""
	}
	same, first := true, int64(-1)
	for r := range k.c.Ranks().All() {
		lengths, err := k.g.columnValues(k.c, k.t.id, o.Status, 2, r)
		k.g.fail(err)
		for _, n := range lengths {
			same = same && (first < 0 || n == first)
			first = n
		}
	}
	if same {
		return ""
	}
	k.g.noteOnce(k.t.Name + " takes messages from the recorded sources, as their lengths differ")
	field := 0
	if p.Index == o.Tag {
		field = 1
	}
	return fmt.Sprintf("next(&%s)", k.g.column(k.c, k.t.id, o.Status, field, p.Name, nil))
}

// other is argument for what is neither a number nor an object.
func (k *call) other(p *rerun.Param, in, out *value) string {
	switch p.Role {
	case rerun.Buffer:
		return k.buffer(p, in)
	case rerun.BufferNew:
		return k.madeBuffer(p, out)
	case rerun.BufferOut:
		return "&(void *){NULL}"
	case rerun.Text:
		return k.text(p, in)
	case rerun.TextOut:
		if out.kind == trace.Absent && k.t.tm.Flags&trace.Failed == 0 && !p.Conditional {
			return "room(8192)"
		}
		return fmt.Sprintf("room(%d)", max(8192, k.bytes(p, out)))
	case rerun.Texts:
		return k.texts(in)
	case rerun.TextLists:
		var parts []string
		for i := range in.list {
			parts = append(parts, k.texts(&in.list[i]))
		}
		return fmt.Sprintf("(char **[]){%s}", strings.Join(append(parts, "NULL"), ", "))
	case rerun.Arguments:
		if in == nil || in.kind == trace.Absent {
			return "NULL"
		}
		return "&arguments"
	case rerun.StatusOut, rerun.StatusesOut:
		return k.status(p, out)
	case rerun.StatusIn:
		k.g.statuses = max(k.g.statuses, 1)
		return "&status[0]"
	case rerun.Function:
		return k.callback(p, in)
	}
	return ""
}

// madeBuffer points to where the address of new memory is kept.
func (k *call) madeBuffer(p *rerun.Param, out *value) string {
	switch out.kind {
	case trace.Addr:
		if out.mem != trace.Heap {
			break
		}
		seg, ok := out.seg.constant()
		if at, same := out.n.constant(); ok && same {
			if at != 0 {
				k.post = append(k.post, fmt.Sprintf("heap[%d] -= %d;", seg, at))
			}
			return fmt.Sprintf("&heap[%d]", seg)
		}
		return fmt.Sprintf("&heap[%s]", k.g.number(k.c, &out.seg, k.c.Ranks(), nil, "segment"))
	case trace.Hole:
		return k.madeFromColumn(p, out)
	}
	return "&(void *){NULL}"
}

// madeFromColumn is madeBuffer for addresses in a column, of which most often all are the same.
func (k *call) madeFromColumn(p *rerun.Param, out *value) string {
	same, first, seen := true, int64(0), false
	for r := range k.c.Ranks().All() {
		words, err := k.g.columnValues(k.c, k.t.id, out.at, 0, r)
		k.g.fail(err)
		for _, w := range words {
			same = same && (!seen || w == first)
			first, seen = w, true
		}
	}
	v := addressOf(first)
	if !seen || same && v.Mem != trace.Heap {
		return "&(void *){NULL}"
	}
	if same {
		if v.N != 0 {
			k.post = append(k.post, fmt.Sprintf("heap[%d] -= %d;", v.Seg, v.N))
		}
		return fmt.Sprintf("&heap[%d]", v.Seg)
	}
	segments := k.g.column(k.c, k.t.id, out.at, 0, p.Name, func(w int64) int64 {
		if v := addressOf(w); v.Mem == trace.Heap {
			return int64(v.Seg)<<40 + v.N
		}
		return -1
	})
	k.pre = append(k.pre, "char *block;", fmt.Sprintf("long code = next(&%s);", segments))
	k.post = append(k.post, "if (code >= 0) heap[code >> 40] = block - (code & 0xffffffffffL);")
	return "&block"
}

func (k *call) number(p *rerun.Param, v *value) string {
	if v == nil {
		return "0"
	}
	if (v.kind == trace.Int || v.kind == trace.Addr) && strings.HasPrefix(k.t.Name, "MPI_Type_") && p.Name != "stride" && isAddress(v.n.at(k.c.Ranks().Min())) {
		k.g.noteOnce(k.t.Name + ": " + p.Name + " was an address; it is 0")
		return "0"
	}
	switch v.kind {
	case trace.Int, trace.Addr:
		return k.g.number(k.c, &v.n, k.c.Ranks(), k.name(p), p.Name)
	case trace.Hole:
		if len(k.columnsOf(v.at)) == 0 {
			return "0"
		}
		s := fmt.Sprintf("next(&%s)", k.g.column(k.c, k.t.id, v.at, 0, p.Name, nil))
		return s
	case trace.Float:
		return fmt.Sprint(v.n.n)
	}
	return "0"
}

func (k *call) columnsOf(slot int) (out []trace.ColumnSpec) {
	for _, s := range k.t.tm.Signature.Columns() {
		if s.Slot == slot {
			out = append(out, s)
		}
	}
	return out
}

// result is a pointer to a variable for a result that nobody reads.
func (k *call) result(p *rerun.Param) string {
	t := element(p)
	if p.Codec == spec.Int && p.Name == "flag" && t == "int" {
		k.g.flag = true
		return "&flag"
	}
	if (p.Name == "index" || p.Name == "outcount") && t == "int" && rerun.OutcomesOf(k.t.ID) != nil {
		k.g.which = true
		return "&which"
	}
	return fmt.Sprintf("&(%s){0}", t)
}

// numbers is an array of integers.
func (k *call) numbers(p *rerun.Param, v *value) string {
	t := element(p)
	switch v.kind {
	case trace.Absent:
		return "NULL"
	case trace.Sentinel:
		if n, ok := v.n.constant(); ok && n > 0 && int(n) < len(rerun.SentinelNames) {
			return rerun.SentinelNames[n]
		}
		return k.g.choose(k.c.Ranks(), p.Name, "int *", func(r int) string { return rerun.SentinelNames[max(1, min(2, v.n.at(r)))] })
	case trace.Hole:
		length, elements := k.g.arrayColumns(k.c, k.t, v.at, p.Name)
		if length == "" || elements == "" {
			return "NULL"
		}
		read := map[bool]string{true: "next_ints", false: "next_longs"}[t == "int"]
		return fmt.Sprintf("%s(next(&%s), &%s)", read, length, elements)
	case trace.Ints:
		return k.array(p, v, t)
	}
	return "NULL"
}

// isAddress tells whether a plain number can only be an address.
func isAddress(n int64) bool { return n >= 1<<40 || n <= -1<<40 }

// shortArray is how many elements are written one by one.
const shortArray = 12

func (k *call) array(p *rerun.Param, v *value, t string) string {
	if v.vec == nil {
		return k.constantArray(p, v.ints, t)
	}
	ranks := k.c.Ranks()
	n, same := v.sameLength(ranks)
	if same && n <= shortArray && ranks.Len() > 1 {
		parts := make([]string, n)
		for i := range n {
			vals := make([]int64, 0, ranks.Len())
			for r := range ranks.All() {
				vals = append(vals, v.vec.At(r)[i])
			}
			parts[i] = k.g.function(rankfn.Fit(k.c.ctx, ranks, vals), ranks, k.name(p), p.Name)
		}
		return k.literalArray(t, parts, p)
	}
	if s, ok := k.sloped(v, n, same, t); ok {
		return s
	}
	return k.g.choose(ranks, p.Name, "void *", func(r int) string { return k.storedArray(p, v.vec.At(r), t) })
}

// storedArray is an array that is there after the function that returns it.
func (k *call) storedArray(p *rerun.Param, vals []int64, t string) string {
	if n := len(vals); n > 1 && affine(vals) == n {
		return fmt.Sprintf("%s(%d, %d, %d)", rampOf(t), n, vals[0], vals[1]-vals[0])
	}
	if len(vals) == 0 { // not NULL, which some functions do not take
		return "room(1)"
	}
	return fmt.Sprintf("%s(%d, %s)", map[bool]string{true: "ints", false: "longs"}[t == "int"], len(vals), k.g.constants(p.Name, vals))
}

// sloped is an array that rises along its elements, from a value that is a function of the rank.
func (k *call) sloped(v *value, n int, same bool, t string) (string, bool) {
	if !same || n < 2 {
		return "", false
	}
	ranks := k.c.Ranks()
	var firsts, steps []int64
	for r := range ranks.All() {
		a := v.vec.At(r)
		if affine(a) < n {
			return "", false
		}
		firsts, steps = append(firsts, a[0]), append(steps, a[1]-a[0])
	}
	fit := func(vals []int64) string {
		return k.g.function(rankfn.Fit(k.c.ctx, ranks, vals), ranks, nil, "number")
	}
	return fmt.Sprintf("%s(%d, %s, %s)", rampOf(t), n, fit(firsts), fit(steps)), true
}

func rampOf(t string) string {
	if t == "int" {
		return "ramp"
	}
	return "ramp64"
}

// constantArray is an array that is the same at all ranks that have the expression.
func (k *call) constantArray(p *rerun.Param, vals []int64, t string) string {
	n := len(vals)
	if n > 4 && affine(vals) == n {
		return fmt.Sprintf("%s(%s, %d, %d)", rampOf(t), k.g.sizeOf(int64(n)), vals[0], vals[1]-vals[0])
	}
	if n > shortArray {
		table := k.g.constants(p.Name, vals)
		return fmt.Sprintf("%s(%d, %s)", map[bool]string{true: "ints", false: "longs"}[t == "int"], n, table)
	}
	parts := make([]string, n)
	for i, v := range vals {
		parts[i] = literal(v, k.name(p))
	}
	return k.literalArray(t, parts, p)
}

// literalArray is an array with these elements.
func (k *call) literalArray(t string, parts []string, p *rerun.Param) string {
	if len(parts) == 0 {
		parts = []string{"0"}
	}
	if strings.HasSuffix(p.CType, "[][3]") || p.Len == spec.LenParam3 {
		var rows []string
		for i := 0; i+2 < len(parts); i += 3 {
			rows = append(rows, "{"+strings.Join(parts[i:i+3], ", ")+"}")
		}
		if len(rows) == 0 {
			rows = []string{"{0, 0, 1}"}
		}
		return fmt.Sprintf("(%s[][3]){%s}", t, strings.Join(rows, ", "))
	}
	return fmt.Sprintf("(%s[]){%s}", t, strings.Join(parts, ", "))
}

// bytes is how much room a result takes.
func (k *call) bytes(p *rerun.Param, out *value) int64 {
	n := k.roomFor(p)
	if n == 0 && out != nil && p.Len != spec.LenParam && p.Len != spec.LenOut {
		n = 8 * int64(max(k.g.size, 64))
	}
	return max(n, 16)
}

// roomFor is the largest room that a result takes, see rerun.Func.Room.
func (k *call) roomFor(p *rerun.Param) int64 {
	return k.t.Func.Room(p, func(param int) (int64, bool) {
		in := k.t.slot(k.t.Params[param].Before)
		if in == nil {
			return 0, false
		}
		most, ok := int64(0), false
		switch in.kind {
		case trace.Int, trace.Addr:
			for r := range k.c.Ranks().All() {
				most, ok = max(most, in.n.at(r)), true
				if _, same := in.n.constant(); same {
					break
				}
			}
		case trace.Ints:
			for r := range k.c.Ranks().All() {
				for _, x := range in.codesAt(r) {
					most, ok = max(most, x), true
				}
				if in.vec == nil {
					break
				}
			}
		case trace.Hole:
			for r := range k.c.Ranks().All() {
				vals, err := k.g.columnValues(k.c, k.t.id, in.at, 0, r)
				k.g.fail(err)
				_, hi := bounds(vals)
				most, ok = max(most, hi), true
			}
		}
		return most, ok
	})
}

// displacement is a number that may be an address.
func (k *call) displacement(v *value, p *rerun.Param) string {
	if v != nil && v.kind == trace.Addr && v.mem != trace.Literal {
		return "(MPI_Aint)(size_t)(" + k.g.address(k.c, v, p.Name) + ")"
	}
	if v != nil && v.kind == trace.Hole {
		return "(MPI_Aint)(size_t)" + k.placeFromColumn(p, v)
	}
	return k.number(p, v)
}

func (k *call) displacements(p *rerun.Param, v *value) string {
	switch v.kind {
	case trace.List:
		if len(v.list) == 0 {
			return "NULL"
		}
		parts := make([]string, len(v.list))
		for i := range v.list {
			parts[i] = k.displacement(&v.list[i], p)
		}
		return fmt.Sprintf("(%s[]){%s}", element(p), strings.Join(parts, ", "))
	case trace.Hole:
		var length, elements string
		for _, s := range k.columnsOf(v.at) {
			if s.Field == -1 {
				length = k.g.column(k.c, k.t.id, v.at, -1, p.Name+"_count", nil)
			} else {
				elements = k.g.column(k.c, k.t.id, v.at, s.Field, p.Name, k.g.placeCode)
			}
		}
		if length == "" || elements == "" {
			return "NULL"
		}
		k.g.places = true
		return fmt.Sprintf("next_places(next(&%s), &%s)", length, elements)
	case trace.Ints:
		return k.numbers(p, v)
	}
	return "NULL"
}

// buffer is an address.
func (k *call) buffer(p *rerun.Param, v *value) string {
	switch {
	case v.kind == trace.Hole:
		return k.placeFromColumn(p, v)
	case v.kind != trace.Addr:
		return "NULL"
	case v.mem != trace.Literal:
		return k.g.address(k.c, v, p.Name)
	}
	constant := func(n int64) string {
		if n == 0 && p.BufType >= 0 { // MPI_BOTTOM is NULL with both
			if typ := k.t.slot(k.t.Params[p.BufType].Before); typ != nil && typ.kind == trace.Ref {
				if code, ok := typ.n.constant(); ok && isDynamic(code) {
					return "MPI_BOTTOM"
				}
			}
			return "NULL"
		}
		t := rerun.Translation{From: k.g.abi, To: k.g.abi}
		if s := t.Sentinel(p.Param, n); s != "" {
			return s
		}
		if n == 0 {
			return "NULL"
		}
		return fmt.Sprintf("(void *)%dL", n)
	}
	if n, ok := v.n.constant(); ok {
		return constant(n)
	}
	return k.g.choose(k.c.Ranks(), p.Name, "void *", func(r int) string { return constant(v.n.at(r)) })
}

// placeFromColumn is an address that differs from call to call.
func (k *call) placeFromColumn(p *rerun.Param, v *value) string {
	k.g.places = true
	col := k.g.column(k.c, k.t.id, v.at, 0, p.Name, k.g.placeCode)
	return fmt.Sprintf("place(next(&%s))", col)
}

// placeCode is what an address in a column is for place(): the offset there times 2^20 plus the number of its segment; of a plain
// number n that is not negative it is -1 - 2n, else 2n.
func (g *generator) placeCode(word int64) int64 {
	v := addressOf(word)
	if v.Mem == trace.Literal {
		if v.N < 0 {
			return 2 * v.N
		}
		return -1 - 2*v.N
	}
	s := g.segment(&v)
	g.inPlaces[s.index] = true
	if s.index >= mostPlaces {
		g.fail(fmt.Errorf("there are more than %d blocks of memory", mostPlaces))
	}
	return (offset(&v)-s.low)*mostPlaces + int64(s.index)
}

// mostPlaces is how many segments addresses in columns may be in. Small codes, of where blocks begin, are short in the text of the program.
const mostPlaces = 1 << 20
