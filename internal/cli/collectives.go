package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/analysis/collectives"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
)

const collectivesLong = `Find places where the program does by sends and receives what a collective does, by whatever pattern of
messages: which operation, between which ranks, how often, and what to call instead.

Data is followed from process to process. If the recording has hashes of what messages carry
(tabard record --payload), equal contents prove it; if not, it is said what the structure leaves open. A near miss is
what lacks little; it is said what. What loops repeat is looked at once.
`

var _ = command(64, collectivesCommand)

func collectivesCommand(a *app) *cobra.Command {
	var asJSON bool
	var limit int
	cmd := &cobra.Command{
		Use:   "collectives FILE",
		Short: "Find collectives that are made of messages",
		Long:  collectivesLong,
		Example: `  tabard collectives app.tabard
  tabard collectives app.tabard --json | jq '.findings[] | select(.grade | startswith("proven"))'`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON (schema "+report.CollectivesSchema+")")
	cmd.Flags().IntVar(&limit, "limit", 20, "show at most `N` findings, 0 for all")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := atLeast("limit", limit, 0); err != nil {
			return err
		}
		return a.reads(args[0], func(arch *archive.Archive) error {
			progress := a.meter("following data", "events", 0)
			r, err := collectives.Of(arch, progress.Show)
			progress.Done()
			if err != nil {
				return err
			}
			d := report.NewCollectives(arch, r)
			return a.print(answer{json: asJSON, document: func() any { return d },
				text: func(w io.Writer) error { text.Collectives(w, d, limit); return nil }})
		})
	}
	return a.withLive(cmd)
}
