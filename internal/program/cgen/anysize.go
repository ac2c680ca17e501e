package cgen

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/internal/program/cc"
	"github.com/tabard-hpc/tabard/internal/program/formula"
	"github.com/tabard-hpc/tabard/internal/program/infer"
	"github.com/tabard-hpc/tabard/internal/program/memory"
	"github.com/tabard-hpc/tabard/spec"
)

// AnySize are the options of GenerateAny.
type AnySize struct {
	Options
	// Dims are sizes of the process grids of jobs of as many ranks as they have places: see
	// scale.Options.
	Dims [][]int
	// Admitted are the numbers of ranks that the model is for; if none were tried, any.
	Admitted infer.Admitted
}

// An anysize writes a program for any number of ranks: the calls of a model.
type anysize struct {
	g    *generator
	m    *infer.Model
	dims [][]int

	computed  map[spec.Class]bool   // numbers of objects of the class are expressions
	copied    map[spec.Class]bool   // several handles may be of one object: a copy is freed
	blocks    map[archive.Mem]bool  // which block memory is in is an expression
	named     map[memory.Key]bool   // blocks with names, other than heap
	obstacles infer.Obstacles       // what cannot be written
	sought    map[spec.Class]bool   // objects by codes that are expressions
	missing   map[spec.Class]string // a call that creates such objects is left out
	loops     map[int]bool          // loops whose index is used
	// lacking are calls that use objects that no call that is made again creates.
	lacking map[*infer.Call]bool
	// initialises is set if the program initialises MPI.
	initialises bool
	gathers     bool        // lists of requests are put together
	where       *infer.Call // the call that is written
	admits      *admission
}

// GenerateAny writes a program that makes the calls of a model, inferred from a recording, with any
// number of ranks. The error is a *scale.Obstacles that names the calls that cannot be written.
func GenerateAny(a *archive.Archive, m *infer.Model, w io.Writer, o AnySize) (*Result, error) {
	x := &anysize{g: newGenerator(a, o.Options), m: m, dims: o.Dims, computed: map[spec.Class]bool{},
		copied: map[spec.Class]bool{spec.Group: true, spec.Errhandler: true},
		blocks: map[archive.Mem]bool{}, named: map[memory.Key]bool{}, sought: map[spec.Class]bool{},
		missing: map[spec.Class]string{}, loops: map[int]bool{}, lacking: map[*infer.Call]bool{}}
	if len(m.Threads) != 1 || m.Threads[0].Count != nil {
		return nil, &infer.Obstacles{List: []infer.Obstacle{{Reason: "processes have several threads; make a proxy " +
			"for one size: --ranks"}}}
	}
	body := m.Threads[0].Body
	x.survey(body)
	x.findLacking(body)
	list := x.nodes(body)
	if len(x.obstacles.List) > 0 {
		return nil, &x.obstacles
	}
	if x.g.err != nil {
		return nil, x.g.err
	}
	x.admits = admissionOf(o.Admitted)
	text := x.program(list)
	bw := bufio.NewWriter(w)
	bw.WriteString(text)
	notes := append([]string{}, x.g.notes...)
	for _, s := range m.Assumptions {
		notes = append(notes, "assumed: "+s.String())
	}
	return &Result{Lines: strings.Count(text, "\n"), Notes: notes, Skipped: x.g.skippedList(),
		Sizes: x.admits.String()}, bw.Flush()
}

// obstacle notes that a parameter of the call that is being written keeps the program from being
// made.
func (x *anysize) obstacle(param, reason string) {
	o := infer.Obstacle{Func: x.where.Func.Name, Param: param, Reason: reason}
	if n := x.where.Site; n > 0 && n <= len(x.m.Sites) {
		o.Site = x.m.Sites[n-1].String()
	}
	x.obstacles.Add(o)
}

// survey finds which objects and memory have numbers that are expressions.
func (x *anysize) survey(nodes []*infer.Node) {
	for _, n := range nodes {
		x.uses(n.Count)
		x.survey(n.Body)
		if n.Call == nil {
			continue
		}
		f := program.FuncOf(n.Call.Func.ID)
		for i := range f.Params {
			p := &f.Params[i]
			if p.Codec == spec.Handle && p.Life == spec.NewRef ||
				f.Name == "MPI_Type_get_contents" && p.Codec == spec.Handle {
				x.copied[p.Class] = true
			}
		}
		for i := range n.Call.Slots {
			s := &n.Call.Slots[i]
			x.uses(s.Len)
			for _, e := range s.Parts {
				x.uses(e)
			}
			switch {
			case s.Kind == archive.Ref || s.Kind == archive.List && s.Item == archive.Ref:
				x.surveyObjects(s)
			case (s.Kind == archive.Addr || s.Item == archive.Addr) && s.Mem != archive.Literal && len(s.Parts) == 2:
				if _, ok := s.Parts[0].Known(); s.Len != nil || !ok || s.Mem == archive.RawMem {
					x.blocks[s.Mem] = true
				}
			}
		}
		if f.Func.Own() && len(n.Call.Slots) > 0 && len(n.Call.Slots[0].Parts) == 1 {
			if _, ok := n.Call.Slots[0].Parts[0].Known(); !ok {
				x.blocks[archive.Heap] = true
			}
		}
	}
}

func (x *anysize) surveyObjects(s *infer.Slot) {
	codes, ok := elements(s)
	if !ok {
		for _, leaf := range s.Parts[0].Choices(nil) {
			if v, same := leaf.Known(); !same || program.IsObject(v) || s.Class == spec.Request {
				x.computed[s.Class] = true
			}
		}
		return
	}
	if _, run := contiguous(codes); s.Class == spec.Request && s.Kind == archive.List && !run && len(codes) > 0 {
		x.computed[s.Class] = true
	}
	for _, code := range codes {
		if program.IsObject(code) {
			x.g.sawObject(s.Class, code)
		}
	}
}

// uses notes which loop indices an expression uses.
func (x *anysize) uses(e *formula.Expr) {
	if e == nil {
		return
	}
	if e.Op == formula.Index {
		x.loops[int(e.N)] = true
	}
	for _, a := range e.Args {
		x.uses(a)
	}
}

// nodes is calls and loops.
func (x *anysize) nodes(list []*infer.Node) (out []*cc.Stmt) {
	for _, n := range list {
		looped := n.Count != nil || n.Call == nil && n.Index >= 0 && x.loops[n.Index]
		var head *cc.Expr
		if looped {
			head = x.loop(n)
		}
		var body []*cc.Stmt
		if n.Call == nil {
			body = x.nodes(n.Body)
		} else {
			body = x.call(n.Call)
		}
		if looped && len(body) > 0 {
			body = []*cc.Stmt{cc.Around(head, body...)}
		}
		out = append(out, body...)
	}
	return out
}

// loop is the head of a loop or condition.
func (x *anysize) loop(n *infer.Node) *cc.Expr {
	index := fmt.Sprintf("i%d", n.Index)
	if n.Count == nil { // once
		return cc.For("long", index, cc.Int(1))
	}
	count := x.g.expr(n.Count)
	switch n.Count.Op {
	case formula.Eq, formula.Less, formula.And, formula.Or, formula.Not:
		if n.Index < 0 || !x.loops[n.Index] {
			return cc.Head("if", count)
		}
	}
	if _, ok := n.Count.Known(); ok && n.Index >= 0 {
		return cc.For("long", index, count)
	}
	if i, end := cc.Name(index), cc.Name("end"); n.Index >= 0 && x.loops[n.Index] {
		return cc.Head("for", cc.Declare("long", cc.Assign(i, cc.Int(0)), cc.Assign(end, count)), cc.Infix(i, "<", end),
			cc.Name(index+"++"))
	}
	left := cc.Name("left")
	return cc.Head("for", cc.Declare("long", cc.Assign(left, count)), compare(left, ">", 0), cc.Name("left--"))
}
