package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/analysis/outliers"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
)

const outliersLong = `Group ranks and threads by what they did, and show which did something else than the
others: the first call that differs, and the loop and iteration that it is in. It works
on MPI calls alone; if the recording has function calls, it names functions, too.

Ranks that made the same calls in the same order share a line; lines that have most in
common form a group. Small groups are compared with the group that is most similar.
Differences in a few iterations of a loop, or in order, come first; then those that happen
once in the program; then those of every iteration, which are mostly the role of a rank
and not a fault; last where ranks only came less far than others when the job ended.`

var _ = reading(67, Bound{Memory: 1e9, PerRank: 20e3, Seconds: 60}, outliersCommand)

func outliersCommand(a *app) *cobra.Command {
	var ranks string
	limit, json := 20, false
	cmd := &cobra.Command{
		Use:               "outliers FILE",
		Short:             "Show which ranks did something else than the others",
		Long:              outliersLong,
		Example:           "  tabard outliers app.tabard\n  tabard outliers app.tabard --json | jq '.outliers[0].what'",
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	fl := cmd.Flags()
	fl.IntVar(&limit, "limit", limit, "show at most `N` outliers, 0 for all")
	fl.Var(&selectValue{&ranks, true, "LIST", parsed(selection.ParseRanks)}, "rank", "these ranks only, e.g. 0,4-7")
	fl.BoolVar(&json, "json", false, "print JSON (schema "+report.OutliersSchema+")")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := atLeast("limit", limit, 0); err != nil {
			return err
		}
		return a.reads(args[0], func(arch *archive.Archive) error {
			var wanted func(int) bool
			if ranks != "" {
				set, err := selection.ParseRanks(ranks)
				if err != nil {
					return err
				}
				wanted = set.Contains
			}
			p := a.meter("comparing threads", "steps", 0)
			r, err := outliers.Of(arch, wanted, p.Show)
			p.Done()
			if err != nil {
				return err
			}
			d := report.NewOutliers(arch, r)
			return a.print(answer{json: json, document: func() any { return d },
				text: func(w io.Writer) error { text.Outliers(w, d, limit); return nil }})
		})
	}
	return a.withLive(cmd)
}
