package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/loops"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// LoopsSchema names the form of Loops.
const LoopsSchema = "tabard.loops/1"

var _ = register[Loops](LoopsSchema, "loops --json")

// Loops is the loop nests of a program.
type Loops struct {
	Schema  string      `json:"schema"`
	File    string      `json:"file"`
	Classes []LoopClass `json:"classes"`
}

// LoopClass is threads that do the same.
type LoopClass struct {
	World  int `json:"world"`
	Thread int `json:"thread"`
	// Ranks is a list as --rank takes it.
	Ranks   string `json:"ranks"`
	Members int    `json:"members"`
	// Calls is of all members, MinCalls and MaxCalls of one.
	Calls    uint64 `json:"calls"`
	MinCalls uint64 `json:"min_calls"`
	MaxCalls uint64 `json:"max_calls"`
	// Variants are the ranks with the same trip counts.
	Variants []string `json:"variants"`
	// SummedUp is set if there is too little order to show all: stretches without loops, and loops
	// with few calls, are of kind mixed, even with --all.
	SummedUp bool         `json:"summed_up,omitempty"`
	Body     []LoopNode   `json:"body"`
	Blocks   [][]LoopNode `json:"blocks,omitempty"`
}

// LoopNode is a call or what contains calls.
type LoopNode struct {
	Kind string `json:"kind"` // call, loop, block or mixed
	// Min and Max are how often it is repeated each time.
	Min uint64 `json:"min"`
	Max uint64 `json:"max"`
	// ByVariant has these for each variant, only if they differ.
	ByVariant []LoopCounts `json:"by_variant,omitempty"`
	Func      string       `json:"func,omitempty"`
	Site      []LoopFrame  `json:"site,omitempty"`
	Params    []LoopParam  `json:"params,omitempty"`
	// Polls is set if unsuccessful polls are among the calls; those in a row count once in min and
	// max.
	Polls bool `json:"polls,omitempty"`
	// Block is an index in blocks, only of a block.
	Block *int `json:"block,omitempty"`
	// Calls is of one rank of the first variant, in all executions.
	Calls uint64  `json:"calls"`
	Share float64 `json:"share_of_calls"`
	// Time is a share of the rank's time, only if it is known.
	Time *float64 `json:"share_of_time,omitempty"`
	Step bool     `json:"time_step,omitempty"`
	// Or is how often the loop may as well be repeated, only if that is not certain.
	Or        uint64     `json:"or,omitempty"`
	Recursion string     `json:"recursion,omitempty"`
	Body      []LoopNode `json:"body,omitempty"`
}

// LoopCounts is how often something is repeated each time.
type LoopCounts struct {
	Min uint64 `json:"min"`
	Max uint64 `json:"max"`
}

// LoopFrame is a frame of a call site, innermost first.
type LoopFrame struct {
	Func string `json:"func,omitempty"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// LastLine is that of the last call of a loop.
	LastLine int    `json:"last_line,omitempty"`
	Code     string `json:"code,omitempty"`
}

// LoopParam is a parameter: its values, of which there are more if there are many, or how they
// follow from the rank.
type LoopParam struct {
	Name     string   `json:"name"`
	Values   []string `json:"values"`
	More     bool     `json:"more,omitempty"`
	Relation string   `json:"relation,omitempty"`
}

// Where loops begin to leave out: nodes of a sequence, and bytes of stored time stamps that are
// loaded without being asked for.
const (
	loopsNodes  = 40
	loopsTiming = selection.StepTiming
)

// LoopChoice says what of the loops is shown.
type LoopChoice struct {
	// Ranks are the ranks as the user gives them, "" for all; HasRank tells which they are.
	Ranks   string
	HasRank func(rank int) bool
	// Functions are the calls that are shown, with the loops around them; nil for all.
	Functions *selection.Functions
	// Depth is how many levels of loops are shown, 0 for all.
	Depth int
	// All sums up nothing.
	All bool
	// StepLoop is the time-step loop, if the user names it.
	StepLoop loops.StepLoop
	// Meter shows how far it is.
	Meter Meter
}

// FindLoops finds the loops of a recording, and leaves out what is not chosen.
func FindLoops(arch *archive.Archive, o *LoopChoice) ([]*loops.Class, error) {
	chosen := func(s *archive.Stream) bool {
		r := s.Rank().Rank
		return o.Ranks == "" || r >= 0 && o.HasRank(r)
	}
	p := o.Meter.Start("finding loops", "streams")
	defer p.Done()
	classes, err := loops.Of(arch, loops.Options{Timing: loopsTiming, StepLoop: o.StepLoop, Select: chosen,
		Progress: p.Show})
	if err != nil {
		return nil, err
	}
	if len(classes) == 0 && o.Ranks != "" {
		return nil, fmt.Errorf("%s has no calls of rank %s", arch.File(), o.Ranks)
	}
	for _, c := range classes {
		c.Body = o.trim(c, c.Body)
		for i, b := range c.Blocks {
			c.Blocks[i] = o.trim(c, b)
		}
	}
	if o.Functions == nil {
		return classes, nil
	}
	classes = slices.DeleteFunc(classes, func(c *loops.Class) bool { return len(c.Body) == 0 })
	if len(classes) == 0 {
		return nil, fmt.Errorf("%s has no calls of %s", arch.File(), o.Functions)
	}
	return classes, nil
}

func (o *LoopChoice) trim(c *loops.Class, seq []*loops.Node) []*loops.Node {
	if o.Functions != nil {
		seq = loops.Only(c, seq, func(fn *spec.Func) bool { return o.Functions.Contains(fn.ID) })
	}
	if !o.All {
		seq = loops.Condense(seq, loopsNodes)
	}
	if o.Depth > 0 {
		seq = loops.Flatten(seq, o.Depth)
	}
	return seq
}

// NewLoops makes the document of loop nests.
func NewLoops(a *archive.Archive, classes []*loops.Class) *Loops {
	run := &Loops{Schema: LoopsSchema, File: a.File(), Classes: []LoopClass{}}
	for _, c := range classes {
		j := LoopClass{World: c.World, Thread: c.Thread, Ranks: RankList(c.Ranks()), Members: len(c.Streams()),
			Calls: c.Calls, MinCalls: c.Least, MaxCalls: c.Most, SummedUp: c.SummedUp,
			Body: loopNodes(c.Body)}
		for _, v := range c.Variants {
			j.Variants = append(j.Variants, RankList(v.Ranks))
		}
		for _, b := range c.Blocks {
			j.Blocks = append(j.Blocks, loopNodes(b))
		}
		run.Classes = append(run.Classes, j)
	}
	return run
}

func loopNodes(seq []*loops.Node) []LoopNode {
	out := make([]LoopNode, 0, len(seq))
	for _, n := range seq {
		j := LoopNode{Kind: n.Kind.String(), Calls: n.Calls, Share: n.Share, Step: n.Step, Polls: n.Polls,
			Recursion: n.Recursion, Or: n.Or}
		j.Min, j.Max = n.Repeats()
		if by := ByVariant(n); len(by) > 1 {
			for _, c := range n.Counts {
				j.ByVariant = append(j.ByVariant, LoopCounts{c.Min(), c.Max()})
			}
		}
		if n.Time >= 0 {
			j.Time = &n.Time
		}
		switch n.Kind {
		case loops.Call:
			j.Func = n.Shape.Func.Name
			for i := range n.Shape.Frames {
				j.Site = append(j.Site, loopFrame(&n.Shape.Frames[i]))
			}
			for _, p := range n.Params {
				j.Params = append(j.Params, LoopParam{p.Name, append([]string{}, p.Values...), p.More, p.Relation})
			}
		case loops.Block:
			j.Block = &n.Block
		default:
			j.Body = loopNodes(n.Body)
			if f, last, ok := n.Place(); ok && n.Kind == loops.Loop {
				at := loopFrame(&f)
				at.LastLine = last
				j.Site = []LoopFrame{at}
			}
		}
		out = append(out, j)
	}
	return out
}

func loopFrame(f *loops.Frame) LoopFrame {
	return LoopFrame{Func: f.Func, File: f.File, Line: f.Line, Code: f.Code}
}

// RankList lists ascending numbers in the form that --rank takes: "0,2-5,8-63:8".
func RankList(ranks []int) string {
	ranks = slices.Compact(slices.Clone(ranks)) // processes without a rank are equal
	var parts []string
	for i := 0; i < len(ranks); {
		k := i
		step := 0
		if k+1 < len(ranks) {
			step = ranks[k+1] - ranks[k]
		}
		for k+1 < len(ranks) && ranks[k+1]-ranks[k] == step {
			k++
		}
		switch {
		case k > i && step == 1:
			parts = append(parts, fmt.Sprintf("%d-%d", ranks[i], ranks[k]))
		case k > i+1:
			parts = append(parts, fmt.Sprintf("%d-%d:%d", ranks[i], ranks[k], step))
		default:
			parts = append(parts, fmt.Sprint(ranks[i]))
			k = i
		}
		i = k + 1
	}
	return strings.Join(parts, ",")
}

// LoopVariants is variants of a class in which a node is repeated equally often.
type LoopVariants struct {
	Least, Most uint64
	Variants    []int // indices in the class
}

// ByVariant puts the variants together in which a node is repeated equally often.
func ByVariant(n *loops.Node) []LoopVariants {
	var by []LoopVariants
next:
	for i, c := range n.Counts {
		for k := range by {
			if by[k].Least == c.Min() && by[k].Most == c.Max() {
				by[k].Variants = append(by[k].Variants, i)
				continue next
			}
		}
		by = append(by, LoopVariants{c.Min(), c.Max(), []int{i}})
	}
	return by
}
