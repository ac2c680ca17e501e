package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/analysis/functions"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// FunctionsSchema names the form of Functions.
const FunctionsSchema = "tabard.functions/1"

var _ = register[Functions](FunctionsSchema, "functions --json")

// Functions is which functions of the program were called.
type Functions struct {
	Schema string `json:"schema"`
	File   string `json:"file"`
	// Ranks are those that were asked for, left out for all.
	Ranks string `json:"ranks,omitempty"`
	// Calls is how many calls there were, Trees how many different trees of calls the recording has.
	Calls uint64 `json:"calls"`
	Trees int    `json:"trees"`
	// Timed says that calls have times.
	Timed bool `json:"timed"`
	// Depth is how many levels of functions were recorded, left out for all.
	Depth     int        `json:"depth,omitempty"`
	Functions []Function `json:"functions"`
	// Nest is the nest of calls, with --tree.
	Nest []NestedFunction `json:"nest,omitempty"`
	// Graph is which function called which, with --graph.
	Graph []FunctionEdge `json:"graph,omitempty"`
	// Stack is the functions around a call from the outside in, with --at.
	Stack []FunctionName `json:"stack,omitempty"`
}

// FunctionName is a function and where it stands.
type FunctionName struct {
	Name  string `json:"name"`
	Image string `json:"image,omitempty"`
	File  string `json:"source,omitempty"`
	Line  int    `json:"line,omitempty"`
}

// Function is a function and how often it was called.
type Function struct {
	FunctionName
	Calls uint64 `json:"calls"`
	// Counted are calls that were only counted: their place in the order of calls is not known.
	Counted uint64 `json:"counted,omitempty"`
	// Processes called it, the one that did least so often, and the one that did most.
	Processes int    `json:"processes"`
	Least     uint64 `json:"least"`
	Most      uint64 `json:"most"`
	// Times of the TimedCalls that have some: from begin to end, and without the functions in it.
	TimedCalls uint64 `json:"timed_calls,omitempty"`
	Inclusive  int64  `json:"inclusive_ns,omitempty"`
	Exclusive  int64  `json:"exclusive_ns,omitempty"`
	// InCalls is the part of Exclusive that is in calls of MPI and other APIs.
	InCalls int64 `json:"in_calls_ns,omitempty"`
}

// NestedFunction is a function at a place in the nest of calls.
type NestedFunction struct {
	Depth int    `json:"depth"`
	Name  string `json:"name"`
	Calls uint64 `json:"calls"`
	// API says that it is a call of MPI or another API, which the function above made itself.
	API bool `json:"api,omitempty"`
}

// FunctionEdge is how often a function called another one; From is empty for what threads began with.
type FunctionEdge struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Calls uint64 `json:"calls"`
}

func functionName(f *functions.Function) FunctionName {
	return FunctionName{Name: f.Name, Image: f.Image, File: f.Frame.File, Line: f.Frame.Line}
}

// NewFunctions makes the document of a result.
func NewFunctions(a *archive.Archive, ranks string, r *functions.Result) *Functions {
	d := &Functions{Schema: FunctionsSchema, File: a.File(), Ranks: ranks, Calls: r.Calls, Trees: r.Trees,
		Timed:     r.Timed,
		Functions: []Function{}}
	d.Depth, _ = strconv.Atoi(a.Meta().Options[functions.OptionDepth])
	for _, f := range r.Functions {
		d.Functions = append(d.Functions, Function{FunctionName: functionName(f), Calls: f.Calls, Counted: f.Counted,
			Processes: f.Ranks, Least: f.Least, Most: f.Most, TimedCalls: f.Timed, Inclusive: f.Inclusive,
			Exclusive: f.Exclusive, InCalls: f.InCalls})
	}
	return d
}

// Own is the time of the function itself: without functions in it, and without calls of MPI and other APIs.
func (f *Function) Own() time.Duration { return time.Duration(f.Exclusive - f.InCalls) }

// functions is what a report says of the program's functions, those with most time of their own first, else those that
// are called most often. Nil if there are none, or only some calls are selected.
func (j *Job) functions() (*Functions, error) {
	whole, flags := j.Archive.Whole(), j.flags()
	if has, err := records(whole, "functions"); !has || err != nil || flags != (selection.Flags{Ranks: flags.Ranks}) {
		return nil, err
	}
	chosen, err := Resolve(whole, flags)
	if err != nil {
		return nil, err
	}
	p := j.meter.Start("reading functions", "events")
	defer p.Done()
	r, err := functions.Of(chosen.Archive, chosen)
	if err != nil || len(r.Functions) == 0 {
		return nil, err
	}
	d := NewFunctions(whole, flags.Ranks, r)
	slices.SortStableFunc(d.Functions, func(x, y Function) int { return cmp.Compare(y.Own(), x.Own()) })
	return d, nil
}

// AddNest adds the nest of calls down to a depth (0: all); it says whether all of it is there.
func (d *Functions) AddNest(r *functions.Result, depth int) bool {
	whole := r.Grow(depth)
	var add func(c *functions.Context, n int)
	add = func(c *functions.Context, n int) {
		for _, x := range c.APIs() {
			d.Nest = append(d.Nest, NestedFunction{n, x.Func.Name, x.Calls, true})
		}
		for _, x := range c.Children() {
			d.Nest = append(d.Nest, NestedFunction{n, x.Name(), x.Calls, false})
			if depth == 0 || n+1 < depth {
				add(x, n+1)
			}
		}
	}
	add(r.Root, 0)
	return whole
}

// AddGraph adds which function called which.
func (d *Functions) AddGraph(r *functions.Result) {
	for _, e := range r.Edges() {
		x := FunctionEdge{To: e.To.Name, Calls: e.Calls}
		if e.From != nil {
			x.From = e.From.Name
		}
		d.Graph = append(d.Graph, x)
	}
}

// AddStack adds the functions around a call.
func (d *Functions) AddStack(c *functions.Context) {
	for ; c.Parent != nil; c = c.Parent {
		if c.Func != nil {
			d.Stack = append(d.Stack, functionName(c.Func))
		}
	}
	slices.Reverse(d.Stack)
}

// WriteDOT writes the graph for Graphviz.
func (d *Functions) WriteDOT(w io.Writer) {
	fmt.Fprintln(w, "digraph calls {\n  node [shape=box];")
	for _, e := range d.Graph {
		from := e.From
		if from == "" {
			from = "(threads)"
		}
		fmt.Fprintf(w, "  %s -> %s [label=\"%d\"];\n", dotName(from), dotName(e.To), e.Calls)
	}
	fmt.Fprintln(w, "}")
}

func dotName(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
