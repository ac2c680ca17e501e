package proxy

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"tabard/internal/rerun"
	"tabard/internal/scale"
	"tabard/spec"
	"tabard/trace"
)

// AnySize are the options of GenerateAny.
type AnySize struct {
	Options
	// Dims are sizes of the process grids of jobs of as many ranks as they have places: see scale.Options.
	Dims [][]int
}

// An anysize writes a program for any number of ranks: the calls of a model.
type anysize struct {
	g    *generator
	m    *scale.Model
	c    *scale.C
	dims [][]int

	computed  map[spec.Class]bool   // numbers of objects of the class are expressions
	copied    map[spec.Class]bool   // several handles may be of one object: a copy is freed
	blocks    map[trace.Mem]bool    // which block memory is in is an expression
	named     map[segmentKey]bool   // blocks with names, other than heap
	obstacles scale.Obstacles       // what cannot be written
	sought    map[spec.Class]bool   // objects by codes that are expressions
	missing   map[spec.Class]string // a call that creates such objects is left out
	loops     map[int]bool          // loops whose index is used
	gathers   bool                  // lists of requests are put together
	where     *scale.Call           // the call that is written
	hint      string                // of the names of functions
	lines     []string              // of the program
}

// GenerateAny writes a program that makes the calls of a model, inferred from a recording, with any number of ranks.
// The error is a *scale.Obstacles that names the calls that cannot be written.
func GenerateAny(a *trace.Archive, m *scale.Model, w io.Writer, o AnySize) (*Result, error) {
	x := &anysize{g: newGenerator(a, o.Options), m: m, dims: o.Dims, computed: map[spec.Class]bool{}, copied: map[spec.Class]bool{spec.Group: true, spec.Errhandler: true},
		blocks: map[trace.Mem]bool{}, named: map[segmentKey]bool{}, sought: map[spec.Class]bool{}, missing: map[spec.Class]string{}, loops: map[int]bool{}}
	x.c = &scale.C{Rank: "rank", Size: "size", Index: func(n int) string { return fmt.Sprintf("i%d", n) }}
	if len(m.Threads) != 1 || m.Threads[0].Count != nil {
		return nil, &scale.Obstacles{List: []scale.Obstacle{{Reason: "processes have several threads; make a proxy for one size: --ranks"}}}
	}
	body := m.Threads[0].Body
	x.survey(body)
	x.nodes(body, 0)
	if len(x.obstacles.List) > 0 {
		return nil, &x.obstacles
	}
	if x.g.err != nil {
		return nil, x.g.err
	}
	text := x.program()
	bw := bufio.NewWriter(w)
	bw.WriteString(text)
	notes := append([]string{}, x.g.notes...)
	for _, s := range m.Assumptions {
		notes = append(notes, "assumed: "+s)
	}
	return &Result{Lines: strings.Count(text, "\n"), Notes: notes, Skipped: x.g.skippedList()}, bw.Flush()
}

// newGenerator is a generator of which the parts are used that do not need the streams of the recording.
func newGenerator(a *trace.Archive, o Options) *generator {
	g := &generator{a: a, o: o, abi: a.Meta().ABI, names: map[string]bool{}, byBody: map[string]string{}, arrays: map[string]string{}, objects: map[spec.Class]int64{},
		callbacks: map[string]bool{}, functions: map[string]string{}, oldNames: map[string]bool{}, skipped: map[Skipped]bool{}, used: map[string]bool{}, files: map[string]string{}, fileNames: map[string]bool{}, sameNames: map[string]int{}}
	g.target = rerun.Target{Translation: rerun.Translation{From: g.abi, To: g.abi}}
	for _, s := range reserved {
		g.names[s] = true
	}
	for _, p := range prelude {
		g.names[p.name] = true
	}
	return g
}

// obstacle notes that a parameter of the call that is being written keeps the program from being made.
func (x *anysize) obstacle(param, reason string) {
	o := scale.Obstacle{Func: x.where.Func.Name, Param: param, Reason: reason}
	if n := x.where.Site; n > 0 && n <= len(x.m.Sites) {
		o.Site = x.m.Sites[n-1].String()
	}
	for i := range x.obstacles.List {
		y := &x.obstacles.List[i]
		if y.Func == o.Func && y.Site == o.Site && y.Param == o.Param && y.Reason == o.Reason {
			return
		}
	}
	x.obstacles.List = append(x.obstacles.List, o)
}

// survey finds which objects and memory have numbers that are expressions.
func (x *anysize) survey(nodes []*scale.Node) {
	for _, n := range nodes {
		x.uses(n.Count)
		x.survey(n.Body)
		if n.Call == nil {
			continue
		}
		f := rerun.FuncOf(n.Call.Func.ID)
		for i := range f.Params {
			p := &f.Params[i]
			if p.Codec == spec.Handle && p.Life == spec.NewRef || f.Name == "MPI_Type_get_contents" && p.Codec == spec.Handle {
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
			case s.Kind == trace.Ref || s.Kind == trace.List && s.Item == trace.Ref:
				x.surveyObjects(s)
			case (s.Kind == trace.Addr || s.Item == trace.Addr) && s.Mem != trace.Literal && len(s.Parts) == 2:
				if _, ok := constant(s.Parts[0]); s.Len != nil || !ok || s.Mem == trace.RawMem {
					x.blocks[s.Mem] = true
				}
			}
		}
		if rerun.Own(f.Func) && len(n.Call.Slots) > 0 && len(n.Call.Slots[0].Parts) == 1 {
			if _, ok := constant(n.Call.Slots[0].Parts[0]); !ok {
				x.blocks[trace.Heap] = true
			}
		}
	}
}

func (x *anysize) surveyObjects(s *scale.Slot) {
	codes, ok := elements(s)
	if !ok {
		for _, leaf := range leaves(s.Parts[0], nil) {
			if v, same := constant(leaf); !same || isDynamic(v) || s.Class == spec.Request {
				x.computed[s.Class] = true
			}
		}
		return
	}
	if _, run := contiguous(codes); s.Class == spec.Request && s.Kind == trace.List && !run && len(codes) > 0 {
		x.computed[s.Class] = true
	}
	for _, code := range codes {
		if isDynamic(code) {
			x.g.sawObject(s.Class, code)
		}
	}
}

// uses notes which loop indices an expression uses.
func (x *anysize) uses(e *scale.Expr) {
	if e == nil {
		return
	}
	if e.Op == scale.Index {
		x.loops[int(e.N)] = true
	}
	for _, a := range e.Args {
		x.uses(a)
	}
}

// nodes writes calls and loops.
func (x *anysize) nodes(list []*scale.Node, depth int) {
	pad := strings.Repeat("    ", depth)
	add := func(lines ...string) {
		for _, s := range lines {
			x.lines = append(x.lines, pad+s)
		}
	}
	for _, n := range list {
		first := len(x.lines)
		end := ""
		inner := depth
		if n.Count != nil || n.Call == nil && n.Index >= 0 && x.loops[n.Index] {
			add(x.loop(n) + " {")
			end = "}"
			inner++
		}
		before := len(x.lines)
		if n.Call == nil {
			x.nodes(n.Body, inner)
		} else {
			pad := strings.Repeat("    ", inner)
			for _, s := range x.call(n.Call) {
				x.lines = append(x.lines, pad+s)
			}
		}
		if end != "" && len(x.lines) == before { // nothing is left of it
			x.lines = x.lines[:first]
		} else if end != "" {
			add(end)
		}
	}
}

// loop is the head of a loop or condition.
func (x *anysize) loop(n *scale.Node) string {
	if n.Count == nil { // once
		return fmt.Sprintf("for (long i%d = 0; i%d < 1; i%d++)", n.Index, n.Index, n.Index)
	}
	count := trim(x.expr(n.Count))
	switch n.Count.Op {
	case scale.Eq, scale.Less, scale.And, scale.Or, scale.Not:
		if n.Index < 0 || !x.loops[n.Index] {
			return "if (" + count + ")"
		}
	}
	if _, ok := constant(n.Count); ok && n.Index >= 0 {
		return fmt.Sprintf("for (long i%d = 0; i%d < %s; i%d++)", n.Index, n.Index, count, n.Index)
	}
	if n.Index >= 0 && x.loops[n.Index] {
		return fmt.Sprintf("for (long i%d = 0, end = %s; i%d < end; i%d++)", n.Index, count, n.Index, n.Index)
	}
	return fmt.Sprintf("for (long left = %s; left > 0; left--)", count)
}
