package program

import (
	"strings"

	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// Translation turns values of the recording MPI into those of another one.
type Translation struct {
	// From made the recording, To makes the calls.
	From, To spec.ABI
}

// Number translates an integer parameter of a kind ("RANK", "ASSERT") to the other MPI: to the same
// constant, or the same number. It returns false and the recorded value for constants that the
// other MPI lacks.
func (t Translation) Number(kind string, v int64) (int64, bool) {
	if t.From == t.To {
		return v, true
	}
	name := t.From.Name(kind, v)
	if name == "" {
		if kind == "ERROR_CODE" && t.From == spec.MPICH {
			// The class is in the low bits; the rest is known to the library that made the code.
			name = t.From.Name(kind, v&0x7f)
		}
		if name == "" {
			return v, true
		}
	}
	var sum int64
	for part := range strings.SplitSeq(name, "|") {
		c, ok := t.To.Const(part)
		if !ok {
			return v, false
		}
		sum |= c
	}
	return sum, true
}

// Plain tells whether the numbers of a parameter are never constants, whatever its kind: the ranges
// of ranks, in which -1 is a stride.
func Plain(p *spec.Param) bool { return p.Len == spec.LenParam3 }

// Names is the constant that a number of a kind stands for in the recording, e.g. "MPI_ANY_SOURCE"
// or "MPI_MODE_CREATE|MPI_MODE_WRONLY", empty for a plain number.
func (t Translation) Names(kind string, v int64) string { return t.From.Name(kind, v) }

// Sentinel names the constant that a literal address of a parameter is in the recording, e.g.
// "MPI_IN_PLACE", "MPI_BOTTOM" or "NULL"; empty if it is none that the parameter allows.
func (t Translation) Sentinel(p *spec.Param, v int64) string {
	for _, name := range p.Sentinels {
		if name == "NULL" {
			if v == 0 {
				return name
			}
			continue
		}
		if c, ok := t.From.Const(name); ok && c == v {
			return name
		}
	}
	return ""
}

// Address is what a literal address of a parameter is in the other MPI.
func (t Translation) Address(p *spec.Param, v int64) int64 {
	if t.From == t.To {
		return v
	}
	if name := t.Sentinel(p, v); name != "" && name != "NULL" {
		if c, ok := t.To.Const(name); ok {
			return c
		}
	}
	return v
}

// SentinelNames are what the values of kind archive.Sentinel stand for, by their numbers.
var SentinelNames = [...]string{1: mpi.Unweighted, 2: mpi.WeightsEmpty}
