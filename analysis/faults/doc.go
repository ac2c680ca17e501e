// Package faults finds what went wrong in a run apart from its speed: processes that died, calls that returned an
// error, and objects that were made again and again and never freed.
//
// # Cost
//
// Calls that return an error are counted by what calls have in common, not one by one. Objects are followed one by one
// only in processes that made at least LeastLeft more than they freed.
package faults

import (
	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
)

// Result is what went wrong.
type Result struct {
	// Deaths are the processes that did not end in order, those first that ended by themselves, in the order of time.
	Deaths []Death
	// Errors are the calls that returned an error, by call site and error, the most frequent first.
	Errors []Error
	// Leaks are the objects that were never freed, by the call site that made them, the most first.
	Leaks []Leak
}

// Place is a call site and what was done there first.
type Place struct {
	Func, Site string
	Count      uint64
	Processes  *rankfunc.Set
	// Process, Stream and Call are those of the first one.
	Process int32
	Stream  int32
	Call    uint64
}

// Of looks at all calls of a program.
func Of(p *calls.Program) (*Result, error) {
	r := &Result{}
	var err error
	if r.Deaths, err = deaths(p); err != nil {
		return nil, err
	}
	if r.Errors, err = failed(p); err != nil {
		return nil, err
	}
	r.Leaks, err = leaks(p)
	return r, err
}
