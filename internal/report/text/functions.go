package text

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
)

// Functions shows which functions were called, at most limit of them, 0 for all.
func Functions(w io.Writer, d *report.Functions, limit int) {
	if len(d.Functions) == 0 {
		NoFunctions(w)
		return
	}
	render.Printf(w, "%s of %s, in %s\n\n", plural(d.Calls, "call"), plural(uint64(len(d.Functions)), "function"),
		plural(uint64(d.Trees), "tree"))
	n := limited(len(d.Functions), limit)
	t := functionTable(d)
	for i := range d.Functions[:n] {
		f := &d.Functions[i]
		calls := count(f.Calls)
		row := []string{f.Name, calls, perProcess(f), fmt.Sprint(f.Processes), place(f)}
		if d.Timed {
			row = append([]string{f.Name, calls, perProcess(f), timeOf(f, f.Inclusive), timeOf(f, f.Exclusive),
				fmt.Sprint(f.Processes)}, place(f))
		}
		t.Row(row...)
	}
	_ = t.WriteText(w) // w keeps its error
	restOf(w, n, len(d.Functions))
	if d.Depth > 0 {
		render.Printf(w, "functions that are in %d others were not recorded (--depth)\n", d.Depth)
	}
	for i := range d.Functions {
		if f := &d.Functions[i]; f.Counted > 0 {
			render.Printf(w, "%s of %s were only counted: there were too many different trees of calls\n",
				plural(f.Counted, "call"), f.Name)
		}
	}
}

func functionTable(d *report.Functions) *render.Table {
	if d.Timed {
		return render.NewTable("function", ">calls", ">each process", ">time", ">without callees", ">processes",
			"place")
	}
	return render.NewTable("function", ">calls", ">each process", ">processes", "place")
}

func timeOf(f *report.Function, ns int64) string {
	if f.TimedCalls == 0 {
		return "-"
	}
	return render.Duration(time.Duration(ns))
}

func perProcess(f *report.Function) string {
	if f.Least == f.Most {
		return count(f.Least)
	}
	return count(f.Least) + " to " + count(f.Most)
}

func place(f *report.Function) string {
	switch {
	case f.File != "" && f.Line > 0:
		return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
	case f.Image != "":
		return f.Image
	}
	return "-"
}

// FunctionNest shows the nest of calls.
func FunctionNest(w io.Writer, d *report.Functions, whole bool) {
	if len(d.Nest) == 0 {
		NoFunctions(w)
	}
	for _, x := range d.Nest {
		render.Printf(w, "%12s  %s%s\n", count(x.Calls), strings.Repeat("  ", x.Depth), x.Name)
	}
	if !whole {
		fmt.Fprintln(w, "there is more: see --depth")
	}
}

// FunctionStack shows the functions around a call.
func FunctionStack(w io.Writer, d *report.Functions) {
	if len(d.Stack) == 0 {
		fmt.Fprintln(w, "no function had begun there that the recording knows")
	}
	for i, f := range d.Stack {
		x := report.Function{FunctionName: f}
		render.Printf(w, "%s%s  %s\n", strings.Repeat("  ", i), f.Name, place(&x))
	}
}

// NoFunctions says that there are none.
func NoFunctions(w io.Writer) {
	fmt.Fprintln(w, "no calls of functions were recorded: see tabard record --events")
}
