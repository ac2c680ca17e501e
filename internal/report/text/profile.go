package text

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/analysis/profile"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
)

// Profile shows a profile as a table with the first top rows, 0 for all.
func Profile(w io.Writer, o profile.Options, p *profile.Profile, top int) error {
	times := ""
	if p.Timed {
		times = fmt.Sprintf(", %s in MPI of %s (%s), all ranks together", render.Duration(p.Time),
			render.Duration(p.Elapsed),
			timeShare(p.Time, p.Elapsed))
	} else if o.Timing != profile.None {
		times = "; the recording has no times"
	}
	render.Printf(w, "%s of %s, %s moved%s\n\n", plural(p.Calls, "call"), plural(uint64(p.Ranks), "rank"),
		byteSize(p.Bytes), times)
	if len(p.Rows) == 0 {
		_, err := fmt.Fprintln(w, "nothing is selected")
		return err
	}
	t := render.NewTable(profileHeads(o, p)...)
	rows := p.Rows
	if top > 0 && len(rows) > top {
		rows = rows[:top]
	}
	for _, r := range rows {
		t.Row(profileCells(o, p, r)...)
	}
	if err := t.WriteText(w); err != nil {
		return err
	}
	if n := len(p.Rows) - len(rows); n > 0 {
		render.Printf(w, "and %s (--top 0 shows all)\n", plural(uint64(n), "more row"))
	}
	return nil
}

func profileHeads(o profile.Options, p *profile.Profile) []string {
	heads := []string{}
	if o.By.Rank {
		heads = append(heads, "RANK")
	}
	if o.By.Func {
		heads = append(heads, "FUNCTION")
	}
	heads = append(heads, ">CALLS", ">BYTES")
	if p.Timed {
		heads = append(heads, ">TIME", ">SHARE", ">MEAN")
		if o.Timing == profile.Exact {
			heads = append(heads, ">MIN", ">MEDIAN", ">95 %", ">99 %")
		}
		heads = append(heads, ">MAX")
	}
	if !o.By.Rank {
		heads = append(heads, ">RANKS")
	}
	if o.By.Comm {
		heads = append(heads, "COMMUNICATOR")
	}
	if o.By.Site {
		heads = append(heads, "CALL SITE")
	}
	return heads
}

func profileCells(o profile.Options, p *profile.Profile, r *profile.Row) []string {
	var cells []string
	if o.By.Rank {
		cells = append(cells, report.RankLabel(r.World, r.Rank))
	}
	if o.By.Func {
		cells = append(cells, r.Func.Name)
	}
	bytes := "-"
	if r.Bytes > 0 || r.Unsized > 0 {
		bytes = byteSize(r.Bytes)
		if r.Unsized > 0 {
			bytes = ">" + bytes
		}
	}
	cells = append(cells, count(r.Calls), bytes)
	if p.Timed {
		of := p.Elapsed
		if o.By.Rank {
			of = r.Elapsed
		}
		cells = append(cells, timeCells(o, of, r.Time)...)
	}
	if !o.By.Rank {
		cells = append(cells, count(uint64(r.Ranks)))
	}
	if o.By.Comm {
		name := "-"
		if r.Comm != nil {
			name = fmt.Sprintf("%d %s", r.Comm.ID, r.Comm.Short())
		}
		cells = append(cells, name)
	}
	if o.By.Site {
		cells = append(cells, siteName(r.Site))
	}
	return cells
}

// timeCells are the cells of times, whose share is of elapsed.
func timeCells(o profile.Options, elapsed time.Duration, t *profile.Times) []string {
	n := 4
	if o.Timing == profile.Exact {
		n = 8
	}
	if t == nil || t.Calls == 0 {
		return strings.Split(strings.Repeat("-", n), "")
	}
	cells := []string{render.Duration(t.Total), timeShare(t.Total, elapsed), render.Duration(t.Mean())}
	if o.Timing == profile.Exact {
		cells = append(cells, render.Duration(t.Min), render.Duration(t.Quantile(0.5)),
			render.Duration(t.Quantile(0.95)),
			render.Duration(t.Quantile(0.99)))
	}
	most := render.Duration(t.Max)
	if !t.Exact {
		most = "~" + most
	}
	return append(cells, most)
}
