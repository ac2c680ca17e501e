package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
)

// Version shows versions.
func Version(out io.Writer, v *report.Version) error {
	_, err := render.Printf(out, "%v\nformat       %d\nruntime ABI  %d\n%s\n", v, v.Format, v.Runtime, v.Go)
	return err
}

// Licenses lists what is linked into the program, and then each licence once, after the names of
// what it is for.
func Licenses(out io.Writer, l *report.Licenses) error {
	w := &errWriter{w: out}
	t := render.NewTable("PART", "VERSION", "LICENCE")
	names := map[string][]string{}
	for _, p := range l.Parts {
		t.Row(p.Name, p.Version, p.License)
		names[p.Text] = append(names[p.Text], p.Name)
	}
	if err := t.WriteText(w); err != nil {
		return err
	}
	for _, p := range l.Parts {
		if names[p.Text] == nil {
			continue
		}
		fmt.Fprintf(w, "\n----- %s -----\n\n%s\n", strings.Join(names[p.Text], ", "), strings.Trim(p.Text, "\n"))
		delete(names, p.Text)
	}
	return w.err
}
