package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
)

const infoLong = `Show what ran, how many calls of which functions it made, whether the recording
is complete and if not why, and what the bytes of the file hold. It reads the
compressed structure only: the time it takes does not depend on the number of
calls.

Of a job on several hosts it says how far their clocks were apart. That is
measured inside MPI_Finalize; times are corrected by it, at that time to within
the error stated. The drift before that shows in the messages.

With --comms it shows the communicators instead: which ranks are in which, in
their order, what each was made from and where, topologies and names. That is
worked out from the recorded calls; ambiguities are reported.

With --cost it shows what the bytes of the file are for: signatures by
function, values and columns by parameter, grammars, rank sets and tables. Sections
are compressed as a whole, so that the stored size of a row is its share of the
section, an estimate.`

var _ = reading(20, Bound{Memory: 1.5e9, Seconds: 60}, infoCommand) // with --comms; without it a fifth

func infoCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "info FILE",
		Short: "Show what a recording holds",
		Long:  infoLong,
		Example: `  tabard info app.tabard
  tabard info app.tabard --top 50
  tabard info app.tabard --comms
  tabard info app.tabard --cost --top 20
  tabard info app.tabard --json`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	showComms := cmd.Flags().Bool("comms", false, "show the communicators: members, origins, topologies, names")
	showCost := cmd.Flags().Bool("cost", false, "show what the bytes of the file are for")
	top := cmd.Flags().Int("top", 10, "list the `N` functions with most calls, or the N most expensive parts")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := notNegative("top", int64(*top)); err != nil {
			return err
		}
		return a.readsAll(args[0], func(arch *archive.Archive) error {
			switch {
			case *showComms && *showCost:
				return usagef("--comms and --cost do not go together")
			case *showCost:
				c, err := report.NewCost(arch)
				if err != nil {
					return err
				}
				return a.print(answer{json: *asJSON, document: func() any { return c },
					text: func(w io.Writer) error { return text.Cost(w, c, *top) }})
			case *showComms:
				part, err := arch.Messages()
				if err != nil {
					return err
				}
				p := a.meter("following communicators", "processes", 0)
				r, err := comms.Analyze(part, p.Show)
				p.Done()
				if err != nil {
					return err
				}
				return a.print(answer{json: *asJSON, document: func() any { return report.NewComms(part, r) },
					text: func(w io.Writer) error { return text.Comms(w, r) }})
			}
			info, err := report.NewInfo(arch, a.meter)
			if err != nil {
				return err
			}
			return a.print(answer{json: *asJSON, document: func() any { return info },
				text: func(w io.Writer) error { return text.Info(w, info, *top) }})
		})
	}
	return a.withLive(cmd)
}
