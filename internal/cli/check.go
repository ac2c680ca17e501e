package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/trend"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
)

const checkLong = `Compare recordings of a program with those of a version that was good, for continuous integration.

These are compared, each with a tolerance (--tolerance NAME=VALUE, with a value such as 5%% or off):

  structure      calls and loops, as tabard diff compares them; same or not
  messages       how many are sent, point to point, by collectives and one-sided (%[1]s)
  bytes          likewise (%[2]s)
  time           time per time step (%[3]s more)
  waiting        part of the time that ranks wait for each other (%[4]s points more)
  load-balance   mean by maximum of computation (%[5]s points less)
  communication  communication efficiency (%[6]s points less)
  elapsed        time of the whole run (%[7]s more); needs three recordings of each side

Times, waiting and efficiencies are compared step by step: step i of one run with step i of the
other, of several recordings the best of each. A change is a regression if it is greater than the
tolerance, and its 99 %% interval is on the wrong side of zero (docs/check.md). Two single
recordings cannot tell a slower program from a busier machine: record three or more of each side,
in turn.

The exit code is 0 if nothing is a regression, 1 if something is, and 2 for recordings that cannot be
read and mistakes in the command line.

`

// checkFlags are the flags of `tabard check`.
type checkFlags struct {
	selectFlags
	against         []string
	tolerance       string
	junit, markdown string
	force           bool
}

var _ = reading(122, Bound{Memory: 1e9, PerRank: 20e3, Seconds: 120}, checkCommand)

func checkCommand(a *app) *cobra.Command {
	f := &checkFlags{}
	t := trend.Defaults()
	shown := func(name string) string {
		if t[name] == 0 {
			return "exact"
		}
		return fmt.Sprintf("%g%%", 100*t[name])
	}
	cmd := &cobra.Command{
		Use:   "check --against BASELINE FILE...",
		Short: "Say whether a version is worse than a baseline, for continuous integration",
		Long: fmt.Sprintf(checkLong, shown(trend.OfMessages), shown(trend.OfBytes), shown(trend.OfTime),
			shown(trend.OfWaiting),
			shown(trend.OfLoadBalance), shown(trend.OfCommunication), shown(trend.OfElapsed)) + selectHelp,
		Example: `  tabard check --against good.tabard new.tabard
  tabard check --against good1.tabard,good2.tabard,good3.tabard new1.tabard new2.tabard new3.tabard
  tabard check --against good.tabard new.tabard --tolerance time=10%,bytes=1%,elapsed=off
  tabard check --against good.tabard new.tabard --junit check.xml --markdown summary.md`,
		Args:              atLeastOne("FILE"),
		ValidArgsFunction: completeFiles,
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&f.against, "against", nil, "the recordings of the baseline, a `LIST` of files; may be given several times")
	fl.StringVar(&f.tolerance, "tolerance", "", "other tolerances: `LIST` of NAME=VALUE, e.g. time=10%,bytes=off")
	fl.StringVar(&f.junit, "junit", "", "also write the checks as tests of JUnit to `FILE`")
	fl.StringVar(&f.markdown, "markdown", "", "also write them as Markdown to `FILE`")
	fl.BoolVar(&f.force, "force", false, "overwrite files that tabard check did not write")
	f.add(cmd, report.CheckSchema)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		passed, err := f.run(a, args)
		var usage *usageError
		switch {
		case errors.As(err, &usage):
			return err
		case err != nil: // 1 says that there is a regression
			fmt.Fprintf(a.err, "%s: %v\n", cmd.CommandPath(), err)
			return exitCode(exitUsage)
		case !passed:
			return exitCode(exitDifferent)
		}
		return nil
	}
	return a.withLive(cmd)
}

var (
	aJUnit = kind{"result of tabard check", func(b []byte) bool {
		return strings.Contains(string(b),
			text.JUnitMark)
	}}
	aMarkdown = kind{"result of tabard check", begins(text.CheckMark)}
)

// run compares and prints; it tells whether nothing is a regression.
func (f *checkFlags) run(a *app, args []string) (passed bool, err error) {
	t := trend.Defaults()
	if len(f.against) == 0 {
		return false, usagef("--against is missing: name the recordings of the version that was good")
	}
	if f.tolerance != "" {
		if err := t.Parse(f.tolerance); err != nil {
			return false, usagef("--tolerance: %v", err)
		}
	}
	base, err := a.runs(f.against, f.flags)
	if err != nil {
		return false, err
	}
	now, err := a.runs(args, f.flags)
	if err != nil {
		return false, err
	}
	for _, r := range append(now, base...) {
		if r.Ranks != base[0].Ranks {
			return false, usagef("%s has %s and %s has %s: only runs of one size can be checked (tabard trend "+
				"compares sizes)",
				base[0].File, render.Plural(uint64(base[0].Ranks), "rank"), r.File,
				render.Plural(uint64(r.Ranks), "rank"))
		}
	}
	var s trend.Structure
	if t[trend.OfStructure] != trend.Off {
		if s, err = a.structure(f.against, args, f.flags); err != nil {
			return false, err
		}
	}
	checks := trend.Checks(base, now, s, t)
	if err := f.write(a, args, checks); err != nil {
		return false, err
	}
	return report.Passed(checks), a.print(answer{json: f.json,
		document: func() any { return report.NewCheck(f.against, args, checks) },
		text:     func(w io.Writer) error { text.Check(w, f.against, args, checks); return nil }})
}

// write writes the files that are asked for.
func (f *checkFlags) write(a *app, args []string, checks []trend.Check) error {
	if f.junit != "" {
		err := a.writeFile(f.junit, aJUnit, f.force, func(w io.Writer) error {
			return text.CheckJUnit(w, args,
				checks)
		})
		if err != nil {
			return err
		}
	}
	if f.markdown == "" {
		return nil
	}
	return a.writeFile(f.markdown, aMarkdown, f.force, func(w io.Writer) error {
		return text.CheckMarkdown(w, f.against, args, checks)
	})
}

// runs sums up recordings one after the other.
func (a *app) runs(files []string, flags selection.Flags) (runs []*trend.Run, err error) {
	for _, file := range files {
		err := a.reads(file, only((*archive.Archive).Calls, func(arch *archive.Archive) error {
			job, err := report.Open(arch, flags, a.meter)
			if err == nil {
				err = job.CorrectClocks()
			}
			if err != nil {
				return err
			}
			r, err := job.Run(file)
			runs = append(runs, r)
			return err
		}))
		if err != nil {
			return nil, err
		}
	}
	return runs, nil
}

// structure compares all recordings with the first of the baseline, until one differs.
func (a *app) structure(base, now []string, flags selection.Flags) (s trend.Structure, err error) {
	sel, err := selection.Parse(flags)
	if err != nil {
		return s, usagef("%v", err)
	}
	first, err := a.open(base[0])
	if err != nil {
		return s, err
	}
	defer first.Close()
	compare := func(file string) (trend.Structure, error) {
		x, err := a.open(file)
		if err != nil {
			return s, err
		}
		defer x.Close()
		r, err := diff.Of(first, x, diff.Options{Structure: true, Parameters: true, Ranks: sel.Ranks,
			Functions: sel.Functions, Comms: sel.Comms,
			Window: sel.Window, Steps: sel.Steps, Within: sel.Within})
		if err != nil {
			return s, err
		}
		return report.StructureOf(r), nil
	}
	for _, file := range base[1:] {
		if s, err = compare(file); err != nil || len(s.Differences) > 0 {
			s.Unsteady = true
			return s, err
		}
	}
	var all trend.Structure
	for _, file := range now {
		if s, err = compare(file); err != nil || len(s.Differences) > 0 {
			return s, err
		}
		if len(all.Parameters) == 0 {
			all = s
		}
	}
	return all, nil
}

var _ = reading(123, Bound{Memory: 1e9, PerRank: 20e3, Seconds: 120}, trendCommand)

const trendLong = `Show how a program developed over its recordings, in the order in which they are given, and how it scales.

Each run is compared with the one before it that has as many ranks, time step by time step, as
tabard check compares single recordings: "*" marks changes that are not chance within these runs.
Compare several recordings with tabard check before you rely on one.

Runs of several sizes give a scaling table. Speed-up is the time of a step at the smallest size by
that at each size. The efficiencies are those of the POP project: parallel efficiency is load
balance by communication efficiency, computation scalability is the computation of all ranks at the
smallest size by that at each size (under weak scaling that of a rank), and global efficiency is
the product of both. Then come the calls that cost a rank more than they should with more ranks,
and the power of the number of ranks by which they grow. Of several recordings of a size the
fastest counts.

`

func trendCommand(a *app) *cobra.Command {
	f := &selectFlags{}
	limit := 12
	cmd := &cobra.Command{
		Use:   "trend FILE...",
		Short: "Show how a program developed from run to run, or how it scales",
		Long:  trendLong + selectHelp,
		Example: `  tabard trend monday.tabard tuesday.tabard wednesday.tabard
  tabard trend n16.tabard n32.tabard n64.tabard
  tabard trend n*.tabard --scaling weak --json`,
		Args:              atLeastOne("FILE"),
		ValidArgsFunction: completeFiles,
	}
	scaling := addChoice(cmd, "scaling", "what stays the same at all sizes: the work of all ranks (strong) or of "+
		"each (weak)", "found",
		"strong", "weak")
	cmd.Flags().IntVar(&limit, "limit", limit, "show at most `N` of the calls that grow, 0 for all")
	f.add(cmd, report.TrendSchema)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := atLeast("limit", limit, 0); err != nil {
			return err
		}
		runs, err := a.runs(args, f.flags)
		if err != nil {
			return err
		}
		var weak *bool
		if scaling.value != "found" {
			is := scaling.value == "weak"
			weak = &is
		}
		c := report.NewCourse(runs, weak)
		return a.print(answer{json: f.json,
			document: func() any { return c.Document() },
			text:     func(w io.Writer) error { text.Trend(w, c, limit); return nil }})
	}
	return a.withLive(cmd)
}
