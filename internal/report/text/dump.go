package text

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/spec"
)

// Depth is how many regions, or other things that begin and end, a thread is in.
type Depth struct{ n uint64 }

// maxIndent is up to which depth calls are indented.
const maxIndent = 32

// DepthAt is the depth before a call of a stream. Ends without a begin count as if they came first.
func DepthAt(s *archive.Stream, call uint64) (d Depth, err error) {
	sigs, err := s.Signatures()
	if err != nil || !slices.ContainsFunc(sigs, func(sig *archive.Signature) bool {
		return spec.ByID(sig.Func).Shape == spec.ShapeOpen
	}) {
		return d, err
	}
	event, _, err := s.EventAt(call)
	if err != nil {
		return d, err
	}
	occ, err := s.OccurrencesBefore(event)
	if err != nil {
		return d, err
	}
	begins, ends := uint64(0), uint64(0)
	for t, sig := range sigs {
		switch spec.ByID(sig.Func).Shape {
		case spec.ShapeOpen:
			begins += occ[t]
		case spec.ShapeClose:
			ends += occ[t]
		}
	}
	return Depth{begins - min(begins, ends)}, nil
}

// Next is the depth of the next event, and takes it in.
func (d *Depth) Next(c *archive.Call) uint64 {
	switch {
	case c.Func.Shape == spec.ShapeOpen:
		d.n++
		return d.n - 1
	case c.Func.Shape == spec.ShapeClose && d.n > 0:
		d.n--
	}
	return d.n
}

// AppendCall appends a call with all its parameters as one line, indented by its depth.
func AppendCall(b []byte, s *archive.Stream, c *archive.Call, depth uint64) []byte {
	b = fmt.Appendf(b, "%-6s %8d", streamName(s), c.Index)
	if c.Timed {
		b = fmt.Appendf(b, "  %12s %9s", seconds(c.Start), duration(c))
	}
	b = append(b, "  "...)
	b = append(b, strings.Repeat("  ", int(min(depth, maxIndent)))...)
	b = append(b, render.OneLine(c.Format())...)
	return append(b, '\n')
}

// streamName is "rank.thread", with the number of a spawned world in front of
// the rank, and "-" in place of a rank that is not known.
func streamName(s *archive.Stream) string {
	r := s.Rank()
	name := strconv.Itoa(r.Rank)
	if r.Rank < 0 {
		name = fmt.Sprintf("pid%d", r.PID)
	}
	if r.World > 0 {
		name = fmt.Sprintf("w%d:%s", r.World, name)
	}
	return name + "." + strconv.Itoa(s.Thread())
}

func seconds(d time.Duration) string {
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	return fmt.Sprintf("%s%d.%09d", sign, d/time.Second, d%time.Second)
}

// duration renders how long a call took with four digits.
func duration(c *archive.Call) string {
	if c.Flags&archive.Unfinished != 0 {
		return "-"
	}
	d := float64(c.Duration())
	for _, unit := range []string{"ns", "us", "ms"} {
		if d < 1000 {
			return strconv.FormatFloat(d, 'g', 4, 64) + unit
		}
		d /= 1000
	}
	return strconv.FormatFloat(d, 'f', 3, 64) + "s"
}
