package cgen

import (
	"strconv"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/internal/program/cc"
	"github.com/tabard-hpc/tabard/spec"
)

// call makes one call.
type call struct {
	*program.Func
	values
	g     *generator
	flags archive.Flags
	ret   int32
	pre   []*cc.Stmt // statements before the call
	post  []*cc.Stmt // after it
}

// values are the parameters and results of a call, as expressions: of the rank in programs for one
// number of ranks (oneCall), also of that number and of loop indices in programs for any (anyCall).
type values interface {
	program.Passer[*cc.Expr]

	// kind is that of a slot, archive.Absent if there is none or nobody asked for it.
	kind(slot int) archive.Kind
	// constant is the number in a slot if it is the same everywhere; first is that of the first
	// rank.
	constant(slot int) (int64, bool)
	first(slot int) (int64, bool)
	// literalOf is an address in a slot that is in no memory of the program: a constant.
	literalOf(slot int) (n int64, ok bool)
	// words are the strings in a slot.
	words(slot int) *archive.Value

	numbers(p *program.Param) *cc.Expr
	displacements(p *program.Param) *cc.Expr
	objects(p *program.Param) *cc.Expr
	statuses(p *program.Param) *cc.Expr
	// text is a string; quote writes it in C.
	text(p *program.Param, quote func(string) *cc.Expr) *cc.Expr
	// room is how many bytes a result takes.
	room(p *program.Param) *cc.Expr
	// length is that of an array that is passed, nil if it is not known before the call.
	length(p *program.Param) *cc.Expr
	// varies tells whether one of statusParts differs from call to call, statusPart is it then.
	varies(slot, field int) bool
	statusPart(slot, field int) *cc.Expr
	// reopens is the condition for being the first process that opens a file that was removed since
	// it was made, nil for other calls.
	reopens() *cc.Expr
}

// statusParts are what a status has.
var statusParts = [...]string{"source", "tag", "bytes"}

// directed is the recorded source or tag of a matched probe that takes any: if messages have
// different lengths, the receive that follows would have no room for another one.
func (k *call) directed(p *program.Param) *cc.Expr {
	o := program.OutcomesOf(k.ID)
	if k.Op != spec.OpMatchedProbe || o.Status < 0 || p.Index != o.Source && p.Index != o.Tag {
		return nil
	}
	n, ok := k.constant(p.Before)
	if k.kind(p.Before) != archive.Int || !ok || n >= 0 || k.g.abi.Name(p.Kind, n) == "MPI_PROC_NULL" ||
		!k.varies(o.Status, 2) {
		return nil
	}
	k.g.noteOnce(k.Name + " takes messages from the recorded sources, as their lengths differ")
	field := 0
	if p.Index == o.Tag {
		field = 1
	}
	return k.statusPart(o.Status, field)
}

// constantName says which constant a number of a parameter is.
func (k *call) constantName(p *program.Param) func(int64) string {
	return func(v int64) string { return k.g.abi.Name(p.Kind, v) }
}

// element is the C type of what an array has, or a pointer points to.
func element(p *program.Param) string {
	s := strings.TrimPrefix(p.CType, "const ")
	if i := strings.IndexAny(s, "[*"); i >= 0 {
		s = s[:i]
	}
	return strings.TrimSpace(s)
}

// noPointer is where a call puts a pointer that is of no use.
var noPointer = cc.Temporary("void *", cc.Null)

// Absent is what stands for nothing.
func (k *call) Absent(p *program.Param) *cc.Expr {
	switch p.Role {
	case program.Number, program.Displacement:
		return cc.Int(0)
	case program.Object:
		return cc.Name(handleClasses[p.Class].null)
	case program.ObjectIO:
		return nothing(p.Class)
	case program.TextLists:
		return k.Texts(p)
	case program.StatusIn:
		return k.StatusIn(p)
	case program.Function:
		return k.Callback(p)
	}
	return cc.Null
}

// NumberIO points to a number that the call reads.
func (k *call) NumberIO(p *program.Param) *cc.Expr {
	if p.Name == "argc" {
		k.g.usesArguments = true
		return cc.Addr(cc.Name("argument_count"))
	}
	return cc.Temporary(element(p), k.Number(p))
}

// Numbers is an array of integers.
func (k *call) Numbers(p *program.Param) *cc.Expr { return k.kept(p, k.numbers(p)) }

// Displacements is an array of numbers that may be addresses.
func (k *call) Displacements(p *program.Param) *cc.Expr { return k.kept(p, k.displacements(p)) }

// Objects is an array of handles that the call reads and may change.
func (k *call) Objects(p *program.Param) *cc.Expr { return k.kept(p, k.objects(p)) }

// Text is a string.
func (k *call) Text(p *program.Param) *cc.Expr {
	if p.Name == "filename" {
		return k.fileName(p)
	}
	return k.text(p, cString)
}

// Texts is a list of strings, or of such lists.
func (k *call) Texts(p *program.Param) *cc.Expr {
	v := k.words(p.Before)
	if p.Role == program.Texts {
		return texts(v)
	}
	var lists []*cc.Expr
	if v != nil {
		for i := range v.List {
			lists = append(lists, texts(&v.List[i]))
		}
	}
	return cc.List("char **[]", append(lists, cc.Null)...)
}

// Arguments is the address of those of main.
func (k *call) Arguments(*program.Param) *cc.Expr {
	k.g.usesArguments = true
	return cc.Addr(cc.Name("arguments"))
}

// Status is room for statuses.
func (k *call) Status(p *program.Param) *cc.Expr {
	switch wanted := k.kind(p.After) != archive.Absent; {
	case p.Role == program.StatusOut && wanted:
		return k.g.status()
	case p.Role == program.StatusOut:
		return cc.Name("MPI_STATUS_IGNORE")
	case wanted:
		return k.statuses(p)
	}
	return cc.Name("MPI_STATUSES_IGNORE")
}

// StatusIn is a status that the call reads.
func (k *call) StatusIn(*program.Param) *cc.Expr { return k.g.status() }

// Result is room for what nobody reads.
func (k *call) Result(p *program.Param) *cc.Expr {
	switch p.Role {
	case program.NumberOut, program.DisplacementOut:
		return k.result(p)
	case program.BufferOut:
		return noPointer
	}
	return cc.Call("room", k.room(p))
}

// status is the address of the variable for a status.
func (g *generator) status() *cc.Expr {
	g.statuses = max(g.statuses, 1)
	return cc.Addr(cc.Index(cc.Name("status"), cc.Int(0)))
}

// result is a pointer to a variable for a result that nobody reads.
func (k *call) result(p *program.Param) *cc.Expr {
	t := element(p)
	if p.Codec == spec.Int && p.Name == "flag" && t == "int" {
		k.g.flag = true
		return cc.Addr(cc.Name("flag"))
	}
	if (p.Name == "index" || p.Name == "outcount") && t == "int" && program.OutcomesOf(k.ID) != nil {
		k.g.which = true
		return cc.Addr(cc.Name("which"))
	}
	return cc.Temporary(t, cc.Int(0))
}

// kept is an array that stays as it is until the operation that the call begins is complete.
func (k *call) kept(p *program.Param, array *cc.Expr) *cc.Expr {
	constant := array.Kind == cc.KindName && (array.Is("NULL") || strings.HasPrefix(array.Text, "MPI_"))
	variable := array.Kind == cc.KindPrefix && array.Text == "&"
	completes := k.Has(spec.Nonblocking) || k.Has(spec.PersistentInit)
	if !completes || !p.Array || p.Class == spec.Request || constant || variable {
		return array
	}
	n := k.length(p)
	if n == nil {
		return array
	}
	k.g.keeps++
	return cc.Call("keep", cc.Int(k.g.keeps-1), array, cc.Infix(n, "*", cc.Sizeof(element(p))))
}

// literalAddress is an address that is a constant.
func (k *call) literalAddress(p *program.Param, n int64) *cc.Expr {
	if n == 0 && p.BufType >= 0 { // MPI_BOTTOM is NULL with both
		slot := k.Params[p.BufType].Before
		if code, ok := k.constant(slot); ok && k.kind(slot) == archive.Ref && program.IsObject(code) {
			return cc.Name("MPI_BOTTOM")
		}
		return cc.Null
	}
	if s := (program.Translation{From: k.g.abi, To: k.g.abi}).Sentinel(p.Param, n); s != "" {
		return cc.Name(s)
	}
	if n == 0 {
		return cc.Null
	}
	return cc.Cast("void *", cc.Long(n))
}

// addressNumber is an address as a number.
func addressNumber(e *cc.Expr) *cc.Expr { return cc.Cast("MPI_Aint", cc.Cast("size_t", e)) }

// rowsOf makes the elements of an array its rows of three numbers.
func rowsOf(parts []*cc.Expr) (rows []*cc.Expr) {
	for i := 0; i+2 < len(parts); i += 3 {
		rows = append(rows, cc.Row(parts[i:i+3]...))
	}
	if len(rows) == 0 {
		rows = []*cc.Expr{cc.Row(cc.Int(0), cc.Int(0), cc.Int(1))}
	}
	return rows
}

// literalArray is an array with these elements.
func literalArray(t string, parts []*cc.Expr, p *program.Param) *cc.Expr {
	if len(parts) == 0 {
		parts = []*cc.Expr{cc.Int(0)}
	}
	if strings.HasSuffix(p.CType, "[][3]") || p.Len == spec.LenParam3 {
		return cc.List(t+"[][3]", rowsOf(parts)...)
	}
	return cc.List(t+"[]", parts...)
}

// shortArray is how many elements are written one by one.
const shortArray = 12

func rampOf(t string) string {
	if t == "int" {
		return "ramp"
	}
	return "ramp64"
}

func (g *generator) tableOf(t, hint string, vals []int64) *cc.Expr {
	read := "longs"
	if t == "int" {
		read = "ints"
	}
	return cc.Call(read, cc.Int(len(vals)), g.constants(hint, vals))
}

// constantArray is an array that is the same at all ranks that have the expression.
func (k *call) constantArray(p *program.Param, vals []int64, t string) *cc.Expr {
	n := len(vals)
	if n > 4 && affine(vals) == n {
		return cc.Call(rampOf(t), k.g.sizeOf(int64(n)), plainInt(vals[0]), plainInt(vals[1]-vals[0]))
	}
	if n > shortArray {
		return k.g.tableOf(t, p.Name, vals)
	}
	parts := make([]*cc.Expr, n)
	for i, v := range vals {
		parts[i] = literal(v, k.constantName(p))
	}
	return literalArray(t, parts, p)
}

// plainInt is a number without a letter for its type.
func plainInt(n int64) *cc.Expr {
	if e := cc.Int(n); !e.IsLong() {
		return e
	}
	return cc.Name(strconv.FormatInt(n, 10))
}

// typeAddress tells whether a number that is passed for a datatype was an address, which is 0 in
// programs.
func (k *call) typeAddress(p *program.Param, n int64) bool {
	if !strings.HasPrefix(k.Name, "MPI_Type_") || !program.IsAddress(n) {
		return false
	}
	k.g.noteOnce(k.Name + ": " + p.Name + " was an address; it is 0")
	return true
}

// around puts statements around a call.
func (k *call) around(made ...*cc.Stmt) []*cc.Stmt {
	if len(k.pre)+len(k.post) == 0 {
		return made
	}
	return []*cc.Stmt{cc.Block(append(append(k.pre, made...), k.post...)...)}
}

// settle brings the request that was complete in the recording to where the one is that the call
// completed.
func (k *call) settle(list, wanted *cc.Expr) {
	k.post = append([]*cc.Stmt{cc.Do(cc.Call("settle", list, wanted, cc.Name("which")))}, k.post...)
}

// polled repeats a call until its flag is set.
func polled(made *cc.Stmt) *cc.Stmt { return cc.DoWhile(made, cc.Name("!flag")) }
