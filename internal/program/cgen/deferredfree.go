package cgen

import (
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/spec"
)

// A program frees the buffer of an operation when the operation is complete. Where operations swap
// places (see settle), another one may be complete here. An operation that still uses the buffer
// then stands for the complete one.

// swaps tells whether operations may swap places.
func (g *generator) swaps() bool {
	for _, c := range g.classes {
		for _, t := range c.terms {
			o := program.OutcomesOf(t.ID)
			if o == nil || t.tm.Flags&archive.Polls != 0 || strings.Contains(t.Name, "get_status") {
				continue
			}
			if o.Kind == program.OneOf || o.Kind == program.SomeOf {
				return true
			}
		}
	}
	return false
}

// persistent tells whether there are requests that are started again and again.
func (g *generator) persistent() bool {
	for _, c := range g.classes {
		for _, t := range c.terms {
			if t.Has(spec.PersistentInit) {
				return true
			}
		}
	}
	return false
}
