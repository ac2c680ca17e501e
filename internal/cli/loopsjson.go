package cli

import (
	"tabard/analysis/loops"
	"tabard/trace"
)

// loopsRun is the schema of `tabard loops --json`.
type loopsRun struct {
	Schema  string       `json:"schema"`
	File    string       `json:"file"`
	Classes []loopsClass `json:"classes"`
}

type loopsClass struct {
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
	Variants []string      `json:"variants"`
	Body     []loopsNode   `json:"body"`
	Blocks   [][]loopsNode `json:"blocks,omitempty"`
}

type loopsNode struct {
	Kind string `json:"kind"` // call, loop, block or mixed
	// Min and Max are how often it is repeated each time.
	Min uint64 `json:"min"`
	Max uint64 `json:"max"`
	// ByVariant has these for each variant, only if they differ.
	ByVariant []loopsCounts `json:"by_variant,omitempty"`
	Func      string        `json:"func,omitempty"`
	Site      []loopsFrame  `json:"site,omitempty"`
	Params    []loopsParam  `json:"params,omitempty"`
	// Polls is set if unsuccessful polls are among the calls; those in a row count once in min and max.
	Polls bool `json:"polls,omitempty"`
	// Block is an index in blocks, only of a block.
	Block *int `json:"block,omitempty"`
	// Calls is of one rank of the first variant, in all executions.
	Calls uint64  `json:"calls"`
	Share float64 `json:"share_of_calls"`
	// Time is a share of the rank's time, only if it is known.
	Time      *float64    `json:"share_of_time,omitempty"`
	Step      bool        `json:"time_step,omitempty"`
	Recursion string      `json:"recursion,omitempty"`
	Body      []loopsNode `json:"body,omitempty"`
}

type loopsCounts struct {
	Min uint64 `json:"min"`
	Max uint64 `json:"max"`
}

type loopsFrame struct {
	Func string `json:"func,omitempty"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// LastLine is that of the last call of a loop.
	LastLine int    `json:"last_line,omitempty"`
	Code     string `json:"code,omitempty"`
}

type loopsParam struct {
	Name     string   `json:"name"`
	Values   []string `json:"values"`
	More     bool     `json:"more,omitempty"`
	Relation string   `json:"relation,omitempty"`
}

func loopsJSON(a *trace.Archive, classes []*loops.Class) *loopsRun {
	run := &loopsRun{Schema: loopsSchema, File: a.File(), Classes: []loopsClass{}}
	for _, c := range classes {
		j := loopsClass{World: c.World, Thread: c.Thread, Ranks: strideText(c.Ranks()), Members: len(c.Streams()),
			Calls: c.Calls, MinCalls: c.Least, MaxCalls: c.Most, Body: nodesJSON(c.Body)}
		for _, v := range c.Variants {
			j.Variants = append(j.Variants, strideText(v.Ranks))
		}
		for _, b := range c.Blocks {
			j.Blocks = append(j.Blocks, nodesJSON(b))
		}
		run.Classes = append(run.Classes, j)
	}
	return run
}

func nodesJSON(seq []*loops.Node) []loopsNode {
	out := make([]loopsNode, 0, len(seq))
	for _, n := range seq {
		j := loopsNode{Kind: n.Kind.String(), Calls: n.Calls, Share: n.Share, Step: n.Step, Polls: n.Polls, Recursion: n.Recursion}
		j.Min, j.Max = n.Repeats()
		if by := byVariant(n); len(by) > 1 {
			for _, c := range n.Counts {
				j.ByVariant = append(j.ByVariant, loopsCounts{c.Min(), c.Max()})
			}
		}
		if n.Time >= 0 {
			j.Time = &n.Time
		}
		switch n.Kind {
		case loops.Call:
			j.Func = n.Shape.Func.Name
			for i := range n.Shape.Frames {
				j.Site = append(j.Site, frameJSON(&n.Shape.Frames[i]))
			}
			for _, p := range n.Params {
				j.Params = append(j.Params, loopsParam{p.Name, append([]string{}, p.Values...), p.More, p.Relation})
			}
		case loops.Block:
			j.Block = &n.Block
		default:
			j.Body = nodesJSON(n.Body)
			if f, last, ok := n.Place(); ok && n.Kind == loops.Loop {
				at := frameJSON(&f)
				at.LastLine = last
				j.Site = []loopsFrame{at}
			}
		}
		out = append(out, j)
	}
	return out
}

func frameJSON(f *loops.Frame) loopsFrame {
	return loopsFrame{Func: f.Func, File: f.File, Line: f.Line, Code: f.Code}
}
