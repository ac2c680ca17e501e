package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
)

// Outliers shows who did what, with at most limit outliers, 0 for all.
func Outliers(w io.Writer, d *report.Outliers, limit int) {
	if len(d.Variants) == 0 {
		fmt.Fprintln(w, "no calls were recorded")
		return
	}
	t := render.NewTable("group", "ranks", ">calls each")
	for g, members := range d.Groups {
		for k, i := range members {
			name := ""
			if k == 0 {
				name = fmt.Sprint(g + 1)
			}
			t.Row(name, variantText(&d.Variants[i]), count(d.Variants[i].Calls))
		}
	}
	_ = t.WriteText(w) // w keeps its error
	if d.More > 0 {
		render.Printf(w, "... and %s that no two ranks have in common\n", plural(uint64(d.More), "sequence of calls"))
	}
	n := limited(len(d.Outliers), limit)
	kind := ""
	for i := range d.Outliers[:n] {
		o := &d.Outliers[i]
		if o.Kind != kind {
			kind = o.Kind
			render.Printf(w, "\n%s:\n", map[string]string{"sporadic": "outliers",
				"once":       "different once in the program",
				"systematic": "different in each iteration, perhaps by their role",
				"behind":     "not as far as the others, or further, when the job ended"}[kind])
		}
		more := ""
		if o.Differences > 1 {
			more = fmt.Sprintf("; %s in all", plural(uint64(o.Differences), "difference"))
		}
		render.Printf(w, "  %s: %s (call %d; compared with %s%s)\n", variantText(&d.Variants[o.Variant]), o.What,
			o.Call,
			variantText(&d.Variants[o.Of]), more)
	}
	if len(d.Outliers) == 0 {
		fmt.Fprintln(w, "\nno rank or thread did something that few others did")
	}
	restOf(w, n, len(d.Outliers))
}

func variantText(v *report.ThreadVariant) string {
	word := "rank "
	if strings.ContainsAny(v.Ranks, ",-") {
		word = "ranks "
	}
	text := word + v.Ranks
	if v.Thread > 0 {
		text += fmt.Sprintf(" thread %d", v.Thread)
	}
	return text
}
