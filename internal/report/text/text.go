// Package text shows what package report holds to people: as text, and as charts that package
// render draws as text, SVG or PNG. A view decides on words, order and how much is shown; it
// computes nothing that another view might need.
package text

import (
	"fmt"
	"io"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/render"
)

// maxMissing is how many reasons for incompleteness the text form lists.
const maxMissing = 8

// errWriter remembers the first error.
type errWriter struct {
	w   io.Writer
	err error
}

// Page is that which it writes to.
func (e *errWriter) Page() *render.Page { return render.PageOf(e.w) }

func (e *errWriter) Write(b []byte) (int, error) {
	if e.err != nil {
		return len(b), nil
	}
	_, e.err = e.w.Write(b)
	return len(b), nil
}

// Numbers and sizes for people, in short.
func count(n uint64) string { return render.Count(n) }

func byteSize(n int64) string { return render.ByteSize(n) }

func plural(n uint64, noun string) string { return render.Plural(n, noun) }

// timeShare renders a part of a time.
func timeShare(d, of time.Duration) string {
	if of <= 0 {
		return "-"
	}
	return render.Percent(float64(d) / float64(of))
}

// siteName is a call site in a table.
func siteName(s *archive.Site) string {
	if s == nil {
		return "-"
	}
	return s.String()
}

// limited is how many of n lines are shown; a limit of 0 means all.
func limited(n, limit int) int {
	if limit == 0 {
		return n
	}
	return min(n, limit)
}

// rest says how much of a table was left out.
func rest(w io.Writer, more string) { render.Printf(w, "... %s more (--limit 0 shows all)\n", more) }

// restOf says how much of a table was left out, if anything.
func restOf(w io.Writer, shown, all int) {
	if shown < all {
		rest(w, fmt.Sprint(all-shown))
	}
}

// RestOfCalls says how many calls of a list were left out. who is what its lines begin with.
func RestOfCalls(w io.Writer, who string, n uint64) {
	fmt.Fprint(w, who)
	rest(w, count(n))
}
