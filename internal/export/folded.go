package export

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/tabard-hpc/tabard/analysis/profile"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// FoldedValues are what folded stacks can count: the last one calls of the program's functions.
var FoldedValues = []string{"time", "calls", "bytes", valueFunctions}

const valueFunctions = "functions"

// writeFolded writes one line for each call site, outermost function first, in the form that flamegraph.pl and
// speedscope read: main;solve;MPI_Send 1234.
func writeFolded(j *Job, w io.Writer) error {
	if j.Value == valueFunctions {
		return foldedFunctions(j, w)
	}
	p, err := j.profile()
	if err != nil {
		return err
	}
	if j.Value == "time" && !p.Timed {
		return errNoTimes(j.Archive, "choose --value calls or --value bytes")
	}
	sums := map[string]uint64{}
	for _, r := range p.Rows {
		sums[foldedStack(r)] += foldedValue(r, j.Value)
	}
	return writeLines(w, sums)
}

func writeLines(w io.Writer, sums map[string]uint64) error {
	lines := make([]string, 0, len(sums))
	for stack, n := range sums {
		if n > 0 {
			lines = append(lines, fmt.Sprintf("%s %d\n", stack, n))
		}
	}
	slices.Sort(lines)
	for _, line := range lines {
		if _, err := io.WriteString(w, line); err != nil {
			return err
		}
	}
	return nil
}

func foldedValue(r *profile.Row, value string) uint64 {
	switch {
	case value == "calls":
		return r.Calls
	case value == "bytes":
		return uint64(r.Bytes)
	case r.Time != nil:
		return uint64(r.Time.Total)
	}
	return 0
}

func foldedStack(r *profile.Row) string {
	names := []string{r.Func.Name}
	for _, f := range frames(r.Site) {
		names = append(names, foldedName(frameName(f)))
	}
	if r.Comm != nil {
		names = append(names, foldedName(r.Comm.Name))
	}
	if r.Rank >= 0 {
		names = append(names, fmt.Sprintf("rank %d", r.Rank))
	}
	slices.Reverse(names)
	return strings.Join(names, ";")
}

// foldedName is a name without what separates names and lines, and without what a terminal obeys.
func foldedName(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ';':
			return ':'
		case !unicode.IsGraphic(r):
			return '?'
		}
		return r
	}, s)
}

// frameName is the function of a frame, or where its code is if that is not known.
func frameName(f archive.Frame) string {
	switch {
	case f.Func != "":
		return f.Func
	case f.File != "":
		return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
	}
	return fmt.Sprintf("%s+%#x", f.Image, f.Offset)
}
