package infer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program/formula"
	"github.com/tabard-hpc/tabard/spec"
)

// Model is a program that makes the calls of a recording, with any number of ranks.
type Model struct {
	// Sizes are the numbers of ranks of the recordings that it was inferred from, the one whose
	// facts (modules, call sites, MPI) it has first.
	Sizes []int
	// Threads are what each thread of a process does, by its number.
	Threads []Thread
	// Grids are the process grids that expressions speak of.
	Grids []*Grid
	// Loops is the number of loop indices.
	Loops int
	// Sites and Modules are what Call.Signature.Site, less one, and frames refer to.
	Sites   []archive.Site
	Modules []archive.Module
	// Assumptions are what was decided without evidence, sorted.
	Assumptions []Assumption
	// Checked is the number of ranks of the job whose calls were found to fit together: see Of. It
	// is 0 if none were looked at.
	Checked int
	// HeldOut says what came of leaving out each recording, if there are three or more: in the order of
	// Sizes.
	HeldOut []HeldOut

	meta  archive.Meta
	group *archive.Group
	dims  map[int][]int64 // of grids, given by Options
	// longest are the greatest sizes of the axes of each grid in the recordings.
	longest [][]int64
	// recordings are those that it was inferred from, and known what does not fit together in them.
	recordings []*archive.Content
	known      map[[4]string]bool
}

// Thread is the program of a thread.
type Thread struct {
	// Number is the thread's number in its process. Count is 0 at ranks that do not have it, nil if
	// all have.
	Number int
	Count  *Expr
	Body   []*Node
}

// Node is a call or a loop.
type Node struct {
	// Count is how often it is executed when the program comes there; nil is once. A condition is a
	// count of 0 or 1.
	Count *Expr
	// Index is the number of the loop variable, which counts the executions from 0; -1 if there is
	// none.
	Index int
	// Body is what a loop repeats; Call is the call of a node that is no loop.
	Body []*Node
	Call *Call
}

// Call is a call with parameters as functions of rank, size and loop indices.
type Call struct {
	Func *spec.Func
	// Site is 1 + an index in Model.Sites, 0 if the call site is unknown.
	Site  int
	Flags archive.Flags
	Ret   int32
	Slots []Slot
}

// Slot is a parameter or result, of the slot of Call.Func with the same index.
type Slot struct {
	// Kind is the kind of the value; of a List, Item is the kind of its elements. Mem is the class
	// of addresses, Class that of references.
	Kind, Item archive.Kind
	Mem        archive.Mem
	Class      spec.Class
	// Const is the value if it is the same everywhere and not made of integers (strings); else nil.
	Const *archive.Value
	// Len is the number of elements of Ints and List.
	Len *Expr
	// Parts are the integers that the value, or element Elem of the array, is made of: N; of an
	// Addr that is no Literal Seg and N; of a Stat source, tag, bytes, and error + 2^32 *
	// cancelled.
	Parts []*Expr
	// Copied are the columns of a slot of kind archive.Hole, whose values follow no rule but are
	// the same at all ranks.
	Copied *Copied
}

// At is the call at a rank, in an iteration of each loop around it.
func (c *Call) At(v *Env) (*archive.Signature, error) {
	s := &archive.Signature{Func: c.Func.ID, Site: uint32(c.Site), Flags: c.Flags, Ret: c.Ret}
	s.Slots = make([]archive.Value, len(c.Slots))
	for i := range c.Slots {
		x, err := c.Slots[i].at(v)
		if err != nil {
			return nil, fmt.Errorf("%s at rank %d: %s: %w", c.Func.Name, v.Rank,
				archive.SlotName(c.Func, &c.Func.Slots[i]), err)
		}
		s.Slots[i] = x
	}
	return s, nil
}

func (s *Slot) at(v *Env) (archive.Value, error) {
	if s.Const != nil {
		return *s.Const, nil
	}
	if s.Copied != nil {
		return archive.Value{Kind: archive.Hole}, nil
	}
	if s.Len == nil {
		return s.value(s.Kind, v)
	}
	n := s.Len.Eval(v)
	if n < 0 || n > formula.MaxLength {
		return archive.Value{}, fmt.Errorf("an array of %d elements", n)
	}
	if s.Kind == archive.Ints {
		x := archive.Value{Kind: s.Kind, Mem: s.Mem, Class: s.Class, Ints: make([]int64, n)}
		s.Parts[0].Fill(v, x.Ints)
		return x, nil
	}
	x := archive.Value{Kind: s.Kind, List: make([]archive.Value, n)}
	for i := range x.List {
		var err error
		v.Elem = int64(i)
		if x.List[i], err = s.value(s.Item, v); err != nil {
			return x, err
		}
	}
	return x, nil
}

// value is a value of a kind that is made of integers.
func (s *Slot) value(kind archive.Kind, v *Env) (archive.Value, error) {
	x := archive.Value{Kind: kind, Mem: s.Mem, Class: s.Class}
	for k, p := range s.Parts {
		if err := x.Integer(k).SetInt(p.Eval(v)); err != nil {
			return x, err
		}
	}
	return x, nil
}

// Env is where the expressions of the model are evaluated for a number of ranks; Rank, Index and
// Elem are to be set. It fails if that many ranks do not fill the model's grids.
func (m *Model) Env(ranks int) (*Env, error) {
	v := &Env{Size: int64(ranks), Index: make([]int64, m.Loops), Dims: make([][]int64, len(m.Grids))}
	for i, g := range m.Grids {
		if d := m.dims[g.ID]; d != nil {
			v.Dims[i] = d
			continue
		}
		d, err := g.Dims(int64(ranks))
		if err != nil {
			return nil, refusal(nil, "%v", err)
		}
		v.Dims[i] = d
		for k := range d {
			if d[k] > 1 && m.longest[i][k] == 1 {
				return nil, refusal(nil,
					"the process grid of %d ranks has %d along axis %d, which had one in the recording, "+
						"so that what is done along it did not show", ranks, d[k], k)
			}
		}
	}
	return v, nil
}

// Obstacle is something that keeps a recording from being scaled.
type Obstacle struct {
	// Func, Site and Param say which parameter of which call; empty where the whole is meant.
	Func, Site, Param string
	// Ranks are those it concerns, nil for all.
	Ranks *archive.RankSet
	// Reason says in words what is wrong.
	Reason string

	circle bool // calls wait for each other, and fit together otherwise
}

// String is the obstacle as a sentence without a full stop.
func (o *Obstacle) String() string {
	text := o.Func
	if o.Site != "" {
		text += " at " + o.Site
	}
	if o.Param != "" {
		text += ", " + o.Param
	}
	if o.Ranks.Len() > 0 {
		text += fmt.Sprintf(" (ranks %v)", o.Ranks)
	}
	if text != "" {
		text += ": "
	}
	return text + o.Reason
}

// Obstacles is the error of a recording that cannot be scaled.
type Obstacles struct{ List []Obstacle }

// refusal is the error that a recording cannot be scaled as a whole, or at some ranks.
func refusal(ranks *archive.RankSet, format string, args ...any) error {
	return &Obstacles{List: []Obstacle{{Ranks: ranks, Reason: fmt.Sprintf(format, args...)}}}
}

// Error lists the obstacles, one a line.
func (o *Obstacles) Error() string {
	lines := make([]string, len(o.List))
	for i := range o.List {
		lines[i] = o.List[i].String()
	}
	if len(lines) == 1 {
		return "another number of ranks is not possible: " + lines[0]
	}
	return "another number of ranks is not possible:\n  " + strings.Join(lines, "\n  ")
}

// Add adds an obstacle, once.
func (o *Obstacles) Add(x Obstacle) {
	for i := range o.List {
		y := &o.List[i]
		if y.Func == x.Func && y.Site == x.Site && y.Param == x.Param && y.Reason == x.Reason {
			if y.Ranks != nil && x.Ranks != nil {
				y.Ranks = y.Ranks.Union(x.Ranks)
			}
			return
		}
	}
	o.List = append(o.List, x)
}

// examined keeps of the obstacles that were not looked at only how many there are, and the first one
// if there are no others.
func (o *Obstacles) examined() {
	var rest []Obstacle
	o.List = slices.DeleteFunc(o.List, func(x Obstacle) bool {
		if x.Reason == tooLong {
			rest = append(rest, x)
		}
		return x.Reason == tooLong
	})
	if len(o.List) == 0 && len(rest) > 0 {
		o.List, rest = rest[:1], rest[1:]
	}
	if len(rest) > 0 {
		o.List = append(o.List, Obstacle{
			Reason: fmt.Sprintf("%d more parameters or loops were not looked at, as that would take too long",
				len(rest))})
	}
}

// nodes calls f for all nodes of the model.
func (m *Model) nodes(f func(*Node)) {
	for i := range m.Threads {
		visit(m.Threads[i].Body, f)
	}
}

// visit calls f for nodes and all below them.
func visit(nodes []*Node, f func(*Node)) {
	for _, n := range nodes {
		f(n)
		visit(n.Body, f)
	}
}

// calls calls f for all calls of the model.
func (m *Model) calls(f func(*Call)) {
	m.nodes(func(n *Node) {
		if n.Call != nil {
			f(n.Call)
		}
	})
}

// expressions calls f for all expressions of the model.
func (m *Model) expressions(f func(*Expr)) {
	for i := range m.Threads {
		f(m.Threads[i].Count)
		expressions(m.Threads[i].Body, f)
	}
}

// expressions calls f for all expressions of nodes and what is below them; some are nil, which is
// 1.
func expressions(nodes []*Node, f func(*Expr)) {
	visit(nodes, func(n *Node) {
		f(n.Count)
		if n.Call == nil {
			return
		}
		for i := range n.Call.Slots {
			f(n.Call.Slots[i].Len)
			for _, p := range n.Call.Slots[i].Parts {
				f(p)
			}
		}
	})
}

// fixDims sets the sizes of grids that the caller knows.
func (m *Model) fixDims(dims [][]int) {
	m.dims = map[int][]int64{}
	for _, d := range dims {
		for _, g := range m.Grids {
			if g.Axes == len(d) {
				x := make([]int64, len(d))
				for i := range d {
					x[i] = int64(d[i])
				}
				m.dims[g.ID] = x
			}
		}
	}
}
