package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
)

const reportLong = `Say on one page what ran, where the time went, who waits for whom, how time steps differ,
and what to do about it. Findings come last, most expensive first, each with the command
that shows more.

Times are of the main threads, between MPI_Init and MPI_Finalize. Computation is all time outside of MPI. The efficiencies are
those of the POP project: load balance is mean by maximum of computation, communication
efficiency the maximum of computation by the elapsed time, parallel efficiency their
product. Imbalance is what the slowest process needs longer than the mean.

`

var _ = reading(30, Bound{Memory: 1e9, PerRank: 20e3, Seconds: 60}, reportCommand)

func reportCommand(a *app) *cobra.Command {
	f := &selectFlags{}
	limit := 12
	cmd := &cobra.Command{
		Use:   "report FILE",
		Short: "Say on one page where the time goes and what to fix",
		Long:  reportLong + selectHelp,
		Example: `  tabard report app.tabard
  tabard report app.tabard --steps 100-199
  tabard report app.tabard --json | jq '.findings[].text'`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "show at most `N` call sites, 0 for all")
	f.add(cmd, report.SummarySchema)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := atLeast("limit", limit, 0); err != nil {
			return err
		}
		return a.readsAll(args[0], only((*archive.Archive).Calls, func(arch *archive.Archive) error {
			job, err := report.Open(arch, f.flags, a.meter)
			if err == nil {
				err = job.CorrectClocks()
			}
			if err != nil {
				return err
			}
			o, err := job.Overview(args[0])
			if err != nil {
				return err
			}
			return a.print(answer{json: f.json,
				document: func() any { return o.Document() },
				text:     func(w io.Writer) error { return text.Summary(w, a.terminal(), o, limit) }})
		}))
	}
	return a.withLive(cmd)
}
