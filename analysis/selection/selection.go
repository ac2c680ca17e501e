package selection

import (
	"fmt"

	"github.com/tabard-hpc/tabard/analysis/loops"
	"github.com/tabard-hpc/tabard/spec"
)

// Flags is a selection as it is written on a command line. Empty strings select all.
type Flags struct {
	// Ranks is a list such as 0,4-7,8-63:8,100- (as record --ranks).
	Ranks string `json:"ranks,omitempty"`
	// Functions is a list of names, patterns and groups, see ParseFunctions.
	Functions string `json:"functions,omitempty"`
	// Comms is a list of communicators, see ParseComms.
	Comms string `json:"comms,omitempty"`
	// Time is a window such as 1.5s..2s, see ParseWindow.
	Time string `json:"time,omitempty"`
	// In is the region that calls are made in, see ParseWithin.
	In string `json:"in,omitempty"`
	// Steps is time steps such as 10-19, see ParseSteps.
	Steps string `json:"steps,omitempty"`
	// StepLoop is the time-step loop, see loops.ParseStepLoop; empty if it is to be found.
	StepLoop string `json:"step_loop,omitempty"`
}

// Selection is what calls are selected by; what is nil selects all.
type Selection struct {
	Ranks     *Ranks
	Functions *Functions
	Comms     *Comms
	Window    *Window
	Within    *Within
	Steps     *Steps
	StepLoop  loops.StepLoop

	flags Flags
}

// All selects everything. It must not be changed.
var All = &Selection{}

// Parse understands flags. The error names the one that is wrong.
func Parse(f Flags) (*Selection, error) {
	s := &Selection{flags: f}
	var err error
	if f.Ranks != "" {
		if s.Ranks, err = ParseRanks(f.Ranks); err != nil {
			return nil, fmt.Errorf("ranks: %w", err)
		}
	}
	if f.Functions != "" {
		if s.Functions, err = ParseFunctions(f.Functions); err != nil {
			return nil, fmt.Errorf("functions: %w", err)
		}
	}
	if f.Comms != "" {
		if s.Comms, err = ParseComms(f.Comms); err != nil {
			return nil, fmt.Errorf("communicators: %w", err)
		}
	}
	if f.Time != "" {
		if s.Window, err = ParseWindow(f.Time); err != nil {
			return nil, fmt.Errorf("time: %w", err)
		}
	}
	if f.In != "" {
		if s.Within, err = ParseWithin(f.In); err != nil {
			return nil, fmt.Errorf("region: %w", err)
		}
	}
	if f.Steps != "" {
		if s.Steps, err = ParseSteps(f.Steps); err != nil {
			return nil, fmt.Errorf("steps: %w", err)
		}
	}
	if f.StepLoop != "" {
		if s.StepLoop, err = loops.ParseStepLoop(f.StepLoop); err != nil {
			return nil, fmt.Errorf("step loop: %w", err)
		}
	}
	return s, nil
}

// Flags is the selection as Parse got it, for reports.
func (s *Selection) Flags() Flags { return s.flags }

// Function tells whether a function is selected.
func (s *Selection) Function(id spec.ID) bool { return s.Functions.Contains(id) }

// Rank tells whether a rank is selected; processes without one (-1) only if all are.
func (s *Selection) Rank(rank int) bool { return s.Ranks.Contains(rank) }

// whole tells whether all calls of a stream are looked at.
func (s *Selection) whole() bool { return s.Window == nil && s.Steps == nil && s.Within == nil }
