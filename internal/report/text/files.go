package text

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/analysis/files"
	"github.com/tabard-hpc/tabard/analysis/findings"
	"github.com/tabard-hpc/tabard/analysis/waits"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
)

// Files shows what was done to files, with at most limit of them, 0 for all. Of waits, which may be nil, it shows those
// for ranks that accessed files.
func Files(w io.Writer, r *files.Result, waited *waits.Result, limit int) {
	if len(r.Files) == 0 {
		fmt.Fprintln(w, "no I/O was recorded, or none was chosen: see tabard record --events=mpi,io")
		return
	}
	filesSummary(w, r)
	contentionText(w, r)
	if waited != nil && waited.InFiles > 0 {
		render.Printf(w, "%s of waiting was for ranks that accessed files (%s): %s\n", render.Duration(waited.InFiles),
			share(waited.InFiles, waited.Total.Time)+" of all waiting", causesText(waited))
	}
	n := limited(len(r.Files), limit)
	dir := commonDirectory(r.Files)
	if dir != "" {
		render.Printf(w, "\nfiles below %s\n", dir)
	}
	t := render.NewTable("file", "ranks", ">read", ">calls", ">written", ">calls", ">time", ">metadata", "order")
	for _, f := range r.Files[:n] {
		t.Row(strings.TrimPrefix(f.Path, dir), ranksText(f), byteSize(f.Reads.Bytes), count(f.Reads.Calls),
			byteSize(f.Writes.Bytes), count(f.Writes.Calls), render.Duration(f.Time()), share(f.MetaTime, f.Time()),
			orderText(f))
	}
	fmt.Fprintln(w)
	_ = t.WriteText(w) // w keeps its error
	restOf(w, n, len(r.Files))
	patterns(w, r.Files[:n], dir)
}

func filesSummary(w io.Writer, r *files.Result) {
	var all files.File
	shared := 0
	for _, f := range r.Files {
		all.Reads.Add(&f.Reads)
		all.Writes.Add(&f.Writes)
		all.Meta += f.Meta
		all.MetaTime += f.MetaTime
		all.Failed += f.Failed
		if f.Shared() {
			shared++
		}
	}
	render.Printf(w, "%s, %d of them shared by several ranks\n", plural(uint64(len(r.Files)), "file"), shared)
	for _, x := range []struct {
		what string
		a    *files.Access
	}{{"read", &all.Reads}, {"written", &all.Writes}} {
		render.Printf(w, "%s %s in %s, %s; %s of less than %s\n", byteSize(x.a.Bytes), x.what,
			plural(x.a.Calls, "call"),
			render.Duration(x.a.Time), count(x.a.SmallCalls), byteSize(files.Small))
	}
	render.Printf(w, "%s of metadata, %s (%s of the time of all I/O); %s failed\n", plural(all.Meta, "call"),
		render.Duration(all.MetaTime), share(all.MetaTime, all.Time()), count(all.Failed))
	if r.Unnamed > 0 {
		render.Printf(w, "%s to files that no recorded call has opened\n", plural(r.Unnamed, "call"))
	}
}

// contentionText says what accesses at the same time cost each other.
func contentionText(w io.Writer, r *files.Result) {
	for i, what := range []string{"reads", "writes"} {
		if c := &r.Contention[i]; c.Calls > 0 {
			render.Printf(w, "%s take %.1f times as long as alone, with %.1f other accesses at the same time in the "+
				"mean: contention "+
				"costs %s of %s\n", what, c.Slowdown(), c.Others, render.Duration(c.Excess()), render.Duration(c.Time))
		}
	}
}

// causesText names the ranks whose accesses others wait for, the dearest first.
func causesText(r *waits.Result) string {
	var list []string
	for _, x := range report.FileWaits(r) {
		if len(list) == 5 {
			list = append(list, "...")
			break
		}
		list = append(list, findings.ProcessName(r.Worlds, x.Process)+" "+render.Duration(x.Time))
	}
	return strings.Join(list, ", ")
}

func share(part, of time.Duration) string {
	if of <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", 100*float64(part)/float64(of))
}

func ranksText(f *files.File) string {
	if len(f.Ranks) == 0 {
		return "-"
	}
	return report.RankList(f.Ranks)
}

// orderText says in which order most accesses came.
func orderText(f *files.File) string {
	var a files.Access
	a.Add(&f.Reads)
	a.Add(&f.Writes)
	if a.Calls == 0 {
		return "-"
	}
	return a.Order()
}

// commonDirectory is the directory that all files are below, with a slash; empty if that says little.
func commonDirectory(list []*files.File) string {
	dir := filepath.Dir(list[0].Path)
	for _, f := range list {
		for dir != "/" && dir != "." && !strings.HasPrefix(f.Path, dir+"/") {
			dir = filepath.Dir(dir)
		}
	}
	if dir == "/" || dir == "." {
		return ""
	}
	return dir + "/"
}

// patterns lists the formulas of offsets.
func patterns(w io.Writer, list []*files.File, dir string) {
	t := render.NewTable("file", "", "offset of access i", "accesses", "bytes each")
	any := false
	for _, f := range list {
		for _, x := range []struct {
			what string
			a    *files.Access
		}{{"reads", &f.Reads}, {"writes", &f.Writes}} {
			if p := x.a.Pattern; p != nil && x.a.Calls > 1 {
				any = true
				t.Row(strings.TrimPrefix(f.Path, dir), x.what, formulaText(p), each(p.Calls), each(p.Bytes))
			}
		}
	}
	if any {
		fmt.Fprintln(w)
		_ = t.WriteText(w) // w keeps its error
	}
}

func each(n int64) string {
	if n < 0 {
		return "differ"
	}
	return count(uint64(n))
}

// formulaText writes a pattern as a sum.
func formulaText(p *files.Pattern) string {
	var terms []string
	for _, x := range []struct {
		n  int64
		of string
	}{{p.PerRank, "*rank"}, {p.Step, "*i"}, {p.Turn, "*s"}, {p.Base, ""}} {
		if x.n != 0 {
			terms = append(terms, fmt.Sprintf("%d%s", x.n, x.of))
		}
	}
	if terms == nil {
		return "0"
	}
	text := strings.ReplaceAll(strings.Join(terms, " + "), "+ -", "- ")
	if p.Run > 0 {
		text += fmt.Sprintf(", i below %d in turn s", p.Run)
	}
	return text
}

// FilesChart draws what was done: of one file its offsets over time, else files by ranks, with at most limit files, 0
// for all. It is nil if there is nothing to draw.
func FilesChart(name string, r *files.Result, limit int) *render.Heatmap {
	h := &render.Heatmap{Note: name, Value: "bytes read or written", Unit: render.Bytes, Wide: true}
	if len(r.Files) == 1 {
		return offsetChart(h, r)
	}
	list := r.Files[:limited(len(r.Files), limit)]
	ranks := 0
	for _, f := range list {
		if n := len(f.Ranks); n > 0 {
			ranks = max(ranks, f.Ranks[n-1]+1)
		}
	}
	if ranks == 0 {
		return nil
	}
	dir := commonDirectory(list)
	h.Title = plural(uint64(len(list)), "file")
	if n := len(r.Files); n > len(list) {
		h.Title += fmt.Sprintf(" of %d that took most time", n)
	}
	if dir != "" {
		h.Note += ", files below " + dir
	}
	h.Rows, h.Cols, h.RowAxis, h.ColAxis = len(list), ranks, "file", "rank"
	h.RowLabel = func(i int) string { return strings.TrimPrefix(list[i].Path, dir) }
	h.Each = func(yield func(row, col int, v float64) bool) {
		for i, f := range list {
			for k, n := range f.ByRank {
				if !yield(i, f.Ranks[k], float64(n)) {
					return
				}
			}
		}
	}
	return h
}

// offsetChart draws the only file: larger offsets are higher up.
func offsetChart(h *render.Heatmap, r *files.Result) *render.Heatmap {
	m := r.Map
	if m == nil {
		return nil
	}
	h.Title = "Accesses to " + r.Files[0].Path
	h.Rows, h.Cols, h.RowAxis, h.ColAxis = m.Rows, m.Cols, "offset in the file", "time"
	h.RowLabel = func(i int) string { return byteSize(int64(m.Rows-1-i) * m.Height) }
	h.ColLabel = func(i int) string { return render.Duration(m.From + time.Duration(i)*m.Width) }
	h.Each = func(yield func(row, col int, v float64) bool) {
		for i, v := range m.Cells {
			if v > 0 && !yield(m.Rows-1-i/m.Cols, i%m.Cols, v) {
				return
			}
		}
	}
	return h
}
