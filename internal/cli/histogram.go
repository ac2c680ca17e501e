package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/analysis/traffic"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
)

const histogramLong = `Show how large messages are: how many there are by powers of two, and the sizes that
occur most. Point-to-point messages and one-sided operations are shown apart from
collectives (where the size is what one rank contributes to one call) and from file access;
--by divides further by function or call site.

It works on the compressed structure: the time it takes does not depend on the number
of messages of a regular program.

--durations shows how long calls took instead, by powers of two: calls of the main threads
by groups of functions, or what --by says. If similar calls take different times without
waiting for other processes, they share something: a disk, a network, a lock. That reads the
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

var _ = reading(60, Bound{Memory: 1e9, Seconds: 60}, histogramCommand)

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
	cmd.Flags().BoolVar(&f.times, "durations", false,
		"show how long calls took (JSON schema "+report.DurationsSchema+")")
	f.pictureFlags.add(cmd)
	f.selectFlags.add(cmd, report.HistogramSchema)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := notNegative("top", int64(f.top)); err != nil {
			return err
		}
		if f.times && f.kind.value != "all" {
			return usagef("--kind does not go with --durations: choose by --function")
		}
		if err := f.pictureFlags.check(f.json); err != nil {
			return err
		}
		return a.readsMessages(args[0], func(arch *archive.Archive) error {
			if f.times {
				return f.durations(a, arch)
			}
			return f.sizes(a, arch)
		})
	}
	return a.withLive(cmd)
}

func (f *histogramFlags) sizes(a *app, arch *archive.Archive) error {
	chosen, err := report.Resolve(arch, f.flags)
	if err != nil {
		return err
	}
	done := report.Meter(a.meter).Reading(chosen)
	hs, err := traffic.Histograms(chosen, traffic.GroupBy{Func: f.by.value != "kind", Site: f.by.value == "site"})
	done()
	if err != nil {
		return err
	}
	if f.kind.value != "all" {
		hs = slices.DeleteFunc(hs, func(h *traffic.Histogram) bool { return h.Kind.String() != f.kind.value })
	}
	return a.print(answer{json: f.json,
		document: func() any { return report.NewHistograms(arch, f.flags, hs, f.top) },
		pictures: &f.pictureFlags,
		picture: func() (*render.Picture, error) {
			if len(hs) == 0 {
				return nil, fmt.Errorf("%s has no such messages", arch.File())
			}
			b := text.HistogramChart(hs[0])
			b.Note += ", " + arch.File()
			if len(hs) > 1 && f.kind.value == "all" {
				b.Note += "; --kind and --by choose others"
			}
			return b.Picture(), nil
		},
		text: func(w io.Writer) error { return text.Histograms(w, a.terminal(), hs, f.top) }})
}

// durations shows how long calls took.
func (f *histogramFlags) durations(a *app, arch *archive.Archive) error {
	job, err := report.Open(arch, f.flags, a.meter)
	if err != nil {
		return err
	}
	d, err := job.Durations(f.flags, f.by.value)
	if err != nil {
		return err
	}
	show := func(w io.Writer) error { return text.Durations(w, a.terminal(), d.Histograms) }
	x := answer{json: f.json, document: func() any { return d }, text: show}
	if len(d.Histograms) > 0 { // else the text says that there is nothing to draw
		x.pictures = &f.pictureFlags
		x.picture = func() (*render.Picture, error) {
			b := text.DurationsChart(&d.Histograms[0])
			b.Note += ", " + arch.File()
			return b.Picture(), nil
		}
	}
	return a.print(x)
}
