package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"tabard/analysis/selection"
	"tabard/analysis/traffic"
	"tabard/internal/render"
	"tabard/trace"
)

// histogramSchema names the form of what `tabard histogram --json` prints.
const histogramSchema = "tabard.histogram/1"

const histogramLong = `Show how large messages are: how many there are by powers of two, and the sizes that
occur most. Messages point to point and one-sided operations are told apart from
collectives, of which the size is what one rank gives in one call, and from file access;
--by divides further by function or call site.

It works on the compressed structure: the time it takes does not depend on the number
of messages of a regular program.

--durations shows how long calls took instead, by powers of two: calls of the main threads
by groups of functions, or what --by says. Like calls that take different times although
they do not wait for processes share something: a disk, a network, a lock. That reads the
times of all calls.

`

// histogramFlags are the flags of `tabard histogram`.
type histogramFlags struct {
	selectFlags
	pictureFlags
	by, kind *choice
	top      int
	times    bool
}

func histogramCommand(a *app) *cobra.Command {
	f := &histogramFlags{}
	cmd := &cobra.Command{
		Use:   "histogram FILE",
		Short: "Show how large messages are, or how long calls take",
		Long:  histogramLong + selectHelp,
		Example: `  tabard histogram app.tabard
  tabard histogram app.tabard --by site
  tabard histogram app.tabard --kind p2p --svg sizes.svg
  tabard histogram app.tabard --durations --function io --by site
  tabard histogram app.tabard --json | jq '.histograms[0].bins'`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	f.by = addChoice(cmd, "by", "divide by function or call site, besides the kind", "kind", "function", "site")
	f.kind = addChoice(cmd, "kind", "show this kind of data movement only", "all", "p2p", "collective", "rma", "io")
	cmd.Flags().IntVar(&f.top, "top", 5, "list the `N` sizes that occur most, 0 for none")
	cmd.Flags().BoolVar(&f.times, "durations", false, "show how long calls took (JSON schema "+durationsSchema+")")
	f.pictureFlags.add(cmd)
	f.selectFlags.add(cmd, histogramSchema)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if f.top < 0 {
			return usagef("--top %d is negative", f.top)
		}
		if f.times && f.kind.value != "all" {
			return usagef("--kind does not go with --durations: choose by --function")
		}
		if err := f.pictureFlags.check(f.json); err != nil {
			return err
		}
		archive, err := a.open(args[0])
		if err != nil {
			return err
		}
		defer archive.Close()
		if f.times {
			return f.durations(a, archive)
		}
		return f.run(a, archive)
	}
	return cmd
}

func (f *histogramFlags) run(a *app, archive *trace.Archive) error {
	chosen, err := f.resolve(archive)
	if err != nil {
		return err
	}
	done := a.showProgress(chosen)
	all, err := traffic.Histograms(chosen, traffic.By{Func: f.by.value != "kind", Site: f.by.value == "site"})
	done()
	if err != nil {
		return err
	}
	hs := []*traffic.Histogram{}
	for _, h := range all {
		if f.kind.value == "all" || f.kind.value == h.Kind.String() {
			hs = append(hs, h)
		}
	}
	switch {
	case f.json:
		return a.printJSON(histogramJSON(archive, f, hs))
	case f.wanted() && len(hs) == 0:
		return fmt.Errorf("%s has no such messages", archive.File())
	case f.wanted():
		b := histogramBars(hs[0])
		b.Note += ", " + archive.File()
		if len(hs) > 1 && f.kind.value == "all" {
			b.Note += "; --kind and --by choose others"
		}
		return f.pictureFlags.write(a, b.Picture())
	}
	w := bufio.NewWriter(a.out)
	if err := f.print(w, a.terminal(), hs); err != nil {
		return err
	}
	return w.Flush()
}

func (f *histogramFlags) print(w io.Writer, t render.Terminal, hs []*traffic.Histogram) error {
	if len(hs) == 0 {
		_, err := fmt.Fprintln(w, "no such messages")
		return err
	}
	for i, h := range hs {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := histogramBars(h).WriteText(w, t); err != nil {
			return err
		}
		if f.top > 0 && len(h.Sizes) > 1 {
			var sizes []string
			for _, s := range h.Top(f.top) {
				sizes = append(sizes, fmt.Sprintf("%s B %s", count(uint64(s.Bytes)), render.Percent(float64(s.Messages)/float64(h.Messages))))
			}
			fmt.Fprintf(w, "most often: %s\n", strings.Join(sizes, ", "))
		}
		if h.Unsized > 0 {
			fmt.Fprintf(w, "%s of unknown size\n", plural(h.Unsized, "message"))
		}
	}
	return nil
}

var histogramTitles = [traffic.NumKinds]string{"Messages point to point", "Collectives", "One-sided operations", "File access"}

// histogramBars makes the chart, without the empty bins at both ends.
func histogramBars(h *traffic.Histogram) *render.Bars {
	b := &render.Bars{Title: histogramTitles[h.Kind], Axis: "size", Value: "messages", Unit: render.Number, Upright: true,
		Note: fmt.Sprintf("%s, %s, sizes from %s to %s", plural(h.Messages, "message"), byteSize(h.Bytes), byteSize(h.Least), byteSize(h.Most))}
	if h.Func != nil {
		b.Title = h.Func.Name
		if h.Site != nil {
			b.Title += " @ " + siteName(h.Site)
		}
	}
	first, last := traffic.BinOf(h.Least), traffic.BinOf(h.Most)
	for k := first; k <= last && h.Messages > 0; k++ {
		note := ""
		if h.Bins[k] > 0 {
			note = byteSize(h.BinBytes[k])
		}
		b.Bars = append(b.Bars, render.Bar{Label: binLabel(k), Values: []float64{float64(h.Bins[k])}, Note: note})
	}
	return b
}

// binLabel names a bin by its sizes.
func binLabel(k int) string {
	least, most := traffic.BinRange(k)
	switch {
	case least == most:
		return byteSize(least)
	case least < 1024:
		return fmt.Sprintf("%d-%d B", least, most)
	}
	return "< " + byteSize(most+1)
}

// histogramRun is the schema of `tabard histogram --json`.
type histogramRun struct {
	Schema     string          `json:"schema"`
	File       string          `json:"file"`
	Selection  selection.Flags `json:"selection"`
	Histograms []histogramOne  `json:"histograms"`
}

type histogramOne struct {
	Kind     string     `json:"kind"`
	Func     string     `json:"func,omitempty"`
	Site     []siteJSON `json:"site,omitempty"`
	Messages uint64     `json:"messages"`
	Bytes    int64      `json:"bytes"`
	Unsized  uint64     `json:"unsized"`
	Least    int64      `json:"min"`
	Most     int64      `json:"max"`
	// Bins are those with messages, by size.
	Bins []histogramBin `json:"bins"`
	// Top are the sizes of most messages.
	Top []histogramSize `json:"top"`
}

type histogramBin struct {
	From     int64  `json:"from"` // bytes, both ends belong to it
	To       int64  `json:"to"`
	Messages uint64 `json:"messages"`
	Bytes    int64  `json:"bytes"`
}

type histogramSize struct {
	Bytes    int64  `json:"bytes"`
	Messages uint64 `json:"messages"`
}

func histogramJSON(archive *trace.Archive, f *histogramFlags, hs []*traffic.Histogram) *histogramRun {
	run := &histogramRun{Schema: histogramSchema, File: archive.File(), Selection: f.flags, Histograms: []histogramOne{}}
	for _, h := range hs {
		j := histogramOne{Kind: h.Kind.String(), Site: siteFrames(h.Site), Messages: h.Messages, Bytes: h.Bytes, Unsized: h.Unsized,
			Least: h.Least, Most: h.Most, Bins: []histogramBin{}, Top: []histogramSize{}}
		if h.Func != nil {
			j.Func = h.Func.Name
		}
		for k, n := range h.Bins {
			if n > 0 {
				least, most := traffic.BinRange(k)
				j.Bins = append(j.Bins, histogramBin{least, most, n, h.BinBytes[k]})
			}
		}
		for _, s := range h.Top(f.top) {
			j.Top = append(j.Top, histogramSize{s.Bytes, s.Messages})
		}
		run.Histograms = append(run.Histograms, j)
	}
	return run
}
