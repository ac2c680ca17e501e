package text

import (
	"fmt"
	"io"

	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
)

// Cost shows what the bytes of a file are for, the top dearest.
func Cost(out io.Writer, info *report.Cost, top int) error {
	w := &errWriter{w: out}
	render.Printf(w, "%s\n\n", parts(&info.Bytes))
	t := render.NewTable("stored", "raw", "items", "section", "what")
	left, rest := len(info.Costs), 0.0
	for i, c := range info.Costs {
		if i >= top {
			rest += c.Stored
			continue
		}
		left--
		what := c.Kind
		if c.Name != "" {
			what += ": " + c.Name
		}
		t.Row(fmt.Sprintf("%.0f", c.Stored), fmt.Sprint(c.Raw), fmt.Sprint(c.Items), c.Section, what)
	}
	if err := t.WriteText(w); err != nil {
		return err
	}
	if left > 0 {
		render.Printf(w, "%.0f  in %s (--top N lists more)\n", rest, plural(uint64(left), "more row"))
	}
	return w.err
}
