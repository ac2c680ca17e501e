package text

import (
	"fmt"
	"strconv"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/render"
)

// AppendCall appends a call with all its parameters as one line.
func AppendCall(b []byte, s *archive.Stream, c *archive.Call) []byte {
	b = fmt.Appendf(b, "%-6s %8d", streamName(s), c.Index)
	if c.Timed {
		b = fmt.Appendf(b, "  %12s %9s", seconds(c.Start), duration(c))
	}
	b = append(b, "  "...)
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
