package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/regions"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
)

// Regions shows what the program did in the parts that it names itself, with the first top rows, 0 for all.
func Regions(w io.Writer, arch *archive.Archive, r *regions.Result, top int) error {
	if len(r.Regions) == 0 {
		_, err := fmt.Fprintln(w, "no regions are recorded, or none of them selected: see docs/regions.md for how "+
			"to name "+
			"parts of a program")
		return err
	}
	heads := []string{"REGION", ">COUNT", ">CALLS"}
	if r.Timed {
		heads = append(heads, ">TIME", ">SHARE", ">IN CALLS", ">RANKS", ">MEAN/RANK", ">MOST", "AT RANK", ">IMBALANCE")
	} else {
		heads = append(heads, ">RANKS")
	}
	t := render.NewTable(heads...)
	rows := r.Regions
	if top > 0 && len(rows) > top {
		rows = rows[:top]
	}
	for _, g := range rows {
		name := strings.Repeat("  ", len(g.Path)-1) + g.Path[len(g.Path)-1]
		if g.From != "" {
			name += " [" + g.From + "]"
		}
		cells := []string{render.OneLine(name), count(g.Count), count(g.Calls)}
		if r.Timed {
			cells = append(cells, render.Duration(g.Time), timeShare(g.Time, r.Elapsed), timeShare(g.InCalls, g.Time),
				count(uint64(g.Ranks)), render.Duration(g.Mean()), render.Duration(g.Most),
				fmt.Sprint(report.MostRank(arch, g)), fmt.Sprintf("%.1f %%", 100*g.Imbalance()))
		} else {
			cells = append(cells, count(uint64(g.Ranks)))
		}
		t.Row(cells...)
	}
	if err := t.WriteText(w); err != nil {
		return err
	}
	if n := len(r.Regions) - len(rows); n > 0 {
		render.Printf(w, "and %s (--top 0 shows all)\n", plural(uint64(n), "more row"))
	}
	if r.Open > 0 {
		render.Printf(w, "%s had not ended where the recording ends\n", plural(r.Open, "region"))
	}
	if r.Unmatched > 0 {
		render.Printf(w, "%s without a begin, not counted\n", plural(r.Unmatched, "end"))
	}
	return nil
}
