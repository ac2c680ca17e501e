package cgen

import (
	"fmt"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/internal/program/cc"
	"github.com/tabard-hpc/tabard/spec"
)

// A handleClass is how handles of a class are called in C.
type handleClass struct{ ctype, array, null string }

var handleClasses = map[spec.Class]handleClass{
	spec.Comm: {"MPI_Comm", "comm", "MPI_COMM_NULL"}, spec.Group: {"MPI_Group", "group", "MPI_GROUP_NULL"},
	spec.Type: {"MPI_Datatype", "type", "MPI_DATATYPE_NULL"}, spec.Op: {"MPI_Op", "op", "MPI_OP_NULL"},
	spec.Win: {"MPI_Win", "win", "MPI_WIN_NULL"}, spec.File: {"MPI_File", "file", "MPI_FILE_NULL"},
	spec.Info:       {"MPI_Info", "info", "MPI_INFO_NULL"},
	spec.Errhandler: {"MPI_Errhandler", "errhandler", "MPI_ERRHANDLER_NULL"},
	spec.Request:    {"MPI_Request", "request", "MPI_REQUEST_NULL"},
	spec.Message:    {"MPI_Message", "message", "MPI_MESSAGE_NULL"},
	spec.Session:    {"MPI_Session", "session", "MPI_SESSION_NULL"},
	spec.Keyval:     {"int", "keyval", "MPI_KEYVAL_INVALID"},
}

// at is the variable of the object with a number.
func (h handleClass) at(number *cc.Expr) *cc.Expr { return cc.Index(cc.Name(h.array), number) }

// objectName is the expression for a single code.
func (g *generator) objectName(class spec.Class, code int64) *cc.Expr {
	h := handleClasses[class]
	switch {
	case program.IsObject(code):
		g.sawObject(class, code)
		return g.objectAt(class, plainInt(code/2-1), code)
	case code%2 == 1 && int(code/2) < len(spec.Predefineds):
		return cc.Name(g.predefined(spec.Predefineds[code/2].Name))
	}
	return cc.Name(h.null)
}

// gone are predefined objects that MPI 3 removed, and what the program calls them; see oldNames.
var gone = map[string]string{"MPI_LB": "LOWER_BOUND", "MPI_UB": "UPPER_BOUND"}

func (g *generator) predefined(name string) string {
	if other := gone[name]; other != "" {
		g.oldNames[other] = true
		return other
	}
	return name
}

// mostObjects is how many objects of a class may be alive at a time.
const mostObjects = 1 << 24

func (g *generator) sawObject(class spec.Class, code int64) {
	n := code/2 - 1
	if n >= mostObjects {
		g.fail(fmt.Errorf("object number %d is too large", n))
		return
	}
	g.objects[class] = max(g.objects[class], n+1)
}

// handle is the expression for a handle; it is an lvalue if object is set.
func (g *generator) handle(c *class, v *number, class spec.Class, hint string) (e *cc.Expr, object bool) {
	ranks := c.Ranks()
	if code, ok := v.constant(); ok {
		return g.objectName(class, code), program.IsObject(code)
	}
	all := true
	vals, codes := make([]int64, 0, ranks.Len()), make([]int64, 0, ranks.Len())
	for r := range ranks.All() {
		code := v.at(r)
		if all = all && program.IsObject(code); !all {
			break
		}
		g.sawObject(class, code)
		vals, codes = append(vals, code/2-1), append(codes, code)
	}
	h := handleClasses[class]
	if _, together := g.arrayOf(class, codes...); all && together {
		return g.objectAt(class, g.function(rankfunc.Fit(c.ctx, ranks, vals), ranks, nil, hint), codes...), true
	}
	return g.choose(ranks, hint, h.ctype+" ", func(r int) *cc.Expr { return g.objectName(class, v.at(r)) }), false
}

// fromColumn is the expression for an object whose code comes from a column: an lvalue.
func (g *generator) fromColumn(c *class, t *terminal, slot int, class spec.Class, hint string) *cc.Expr {
	g.sawColumn(c, t, slot, class)
	g.byCode(class)
	code := cc.Call("next", g.column(c, t.id, slot, 0, hint, nil))
	return cc.Paren(cc.Deref(cc.Call(handleClasses[class].array+"_of", code)))
}

// sawColumn notes the objects in a column.
func (g *generator) sawColumn(c *class, t *terminal, slot int, class spec.Class) {
	for r := range c.Ranks().All() {
		vals, err := c.Values(program.Column{Terminal: t.id, Slot: slot, Field: 0, Rank: r})
		if err != nil {
			g.fail(err)
			return
		}
		for _, code := range vals {
			if program.IsObject(code) {
				g.sawObject(class, code)
				if g.ownNumbers[class][code] {
					g.fail(fmt.Errorf("%s: several threads make objects that get each other's numbers, and its objects "+
						"differ from call to call: tabard replay --order=recorded makes the calls again", t.Name))
				}
			} else if code%2 == 1 && class != spec.Request {
				g.byCode(class)[code] = true
			}
		}
	}
}

// byCode are the predefined objects in columns, by code; it exists for a class if there is such a
// column.
func (g *generator) byCode(class spec.Class) map[int64]bool {
	if g.inColumns[class] == nil {
		g.inColumns[class] = map[int64]bool{}
	}
	return g.inColumns[class]
}

// objectFunctions are the functions that find objects by the codes in columns.
func (g *generator) objectFunctions() string {
	var b strings.Builder
	for class := spec.Comm; class < spec.NumClasses; class++ {
		named := g.inColumns[class]
		if named == nil {
			continue
		}
		h := handleClasses[class]
		var cases strings.Builder
		for code := int64(1); int(code/2) < len(spec.Predefineds); code += 2 {
			if named[code] {
				fmt.Fprintf(&cases, "    if (code == %d) other = %s;\n", code,
					g.predefined(spec.Predefineds[code/2].Name))
			}
		}
		b.WriteString(frame("object_of", "T", h.ctype, "A", h.array, "N", h.null, "CASES", cases.String()))
		g.sawObject(class, 2)
	}
	return b.String()
}

// codesAt are the codes of a list of references at a rank.
func (v *value) codesAt(rank int) []int64 {
	if v.vec != nil {
		return v.vec.At(rank)
	}
	return v.ints
}

// contiguous is the first of objects whose numbers are consecutive.
func contiguous(codes []int64) (first int64, ok bool) {
	if len(codes) == 0 {
		return 0, false
	}
	for i, code := range codes {
		if !program.IsObject(code) || code != codes[0]+2*int64(i) {
			return 0, false
		}
	}
	return codes[0]/2 - 1, true
}

// sameLength is the length of the arrays of all ranks.
func (v *value) sameLength(ranks *archive.RankSet) (int, bool) {
	if v.vec == nil {
		return len(v.ints), true
	}
	n := -1
	for r := range ranks.All() {
		k := v.vec.Len(r)
		if n >= 0 && k != n {
			return 0, false
		}
		n = k
	}
	return n, true
}
