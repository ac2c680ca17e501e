package collect

import (
	"errors"
	"path/filepath"
	"testing"
)

// What goes wrong after a process has said how the job ended is said all the same, and nothing is said twice.
func TestUnsaid(t *testing.T) {
	const missing = "INCOMPLETE: at least 3 calls of rank 0 are missing"
	gone := errors.New("no place")
	for name, c := range map[string]struct {
		said, before bool // by a process; that it was incomplete
		failed       error
		want         string
	}{
		"nobody has said anything":         {want: "tabard: " + missing},
		"nothing was wrong then":           {said: true, want: "tabard: " + missing},
		"it was said":                      {said: true, before: true},
		"the place is gone since":          {said: true, failed: gone, want: notWritten(gone)},
		"the place is gone, nothing known": {failed: gone, want: notWritten(gone)},
	} {
		t.Run(name, func(t *testing.T) {
			dir := state(t, filepath.Join(t.TempDir(), "a.tabard"), func(j *Job) { j.Quiet = true })
			x := testCollector(t, dir)
			if c.before {
				x.report.Incomplete = missing
			}
			x.tell(x.lines())
			if c.said {
				x.control.Say()
			}
			x.report.Incomplete = missing
			if got := x.unsaid(c.failed); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
