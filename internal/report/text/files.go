package text

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/analysis/files"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
)

// Files shows what was done to files, with at most limit of them, 0 for all.
func Files(w io.Writer, r *files.Result, limit int) {
	if len(r.Files) == 0 {
		fmt.Fprintln(w, "no I/O was recorded: see tabard record --events=mpi,io")
		return
	}
	filesSummary(w, r)
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
		all.Reads.Bytes += f.Reads.Bytes
		all.Reads.Calls += f.Reads.Calls
		all.Reads.Time += f.Reads.Time
		all.Reads.SmallCalls += f.Reads.SmallCalls
		all.Writes.Bytes += f.Writes.Bytes
		all.Writes.Calls += f.Writes.Calls
		all.Writes.Time += f.Writes.Time
		all.Writes.SmallCalls += f.Writes.SmallCalls
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
		render.Printf(w, "%s %s in %s, %s; %s of less than %s\n", byteSize(x.a.Bytes), x.what, plural(x.a.Calls, "call"),
			render.Duration(x.a.Time), count(x.a.SmallCalls), byteSize(files.Small))
	}
	render.Printf(w, "%s of metadata, %s (%s of the time of all I/O); %s failed\n", plural(all.Meta, "call"),
		render.Duration(all.MetaTime), share(all.MetaTime, all.Time()), count(all.Failed))
	if r.Unnamed > 0 {
		render.Printf(w, "%s to files that no recorded call has opened\n", plural(r.Unnamed, "call"))
	}
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
	for _, x := range []*files.Access{&f.Reads, &f.Writes} {
		a.Calls += x.Calls
		a.Consecutive += x.Consecutive
		a.Forward += x.Forward
		a.Backward += x.Backward
		a.Strided += x.Strided
	}
	steps := a.Consecutive + a.Forward + a.Backward
	switch {
	case a.Calls == 0:
		return "-"
	case steps == 0:
		return "one access"
	case 10*a.Consecutive >= 9*steps:
		return "consecutive"
	case a.Strided > a.Consecutive && 10*(a.Strided+a.Consecutive) >= 8*steps:
		return "strided"
	case 10*a.Backward <= steps:
		return "sequential"
	case 10*a.Backward >= 3*steps:
		return "random"
	}
	return "mixed"
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
	}{{p.PerRank, "*rank"}, {p.Step, "*i"}, {p.Base, ""}} {
		if x.n != 0 {
			terms = append(terms, fmt.Sprintf("%d%s", x.n, x.of))
		}
	}
	if terms == nil {
		return "0"
	}
	return strings.ReplaceAll(strings.Join(terms, " + "), "+ -", "- ")
}
