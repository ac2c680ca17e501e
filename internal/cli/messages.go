package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
)

const messagesLong = `Find the send of every receive and the partners of every collective call, and list calls that
have none.

Messages with the same communicator, source, destination and tag are received in the order
in which they were sent. Receives from MPI_ANY_SOURCE and with MPI_ANY_TAG have the source
and tag of their status, which is recorded also if the program ignores it. Where there is
none (as in what tabard scale makes) they get one of the sends that are left over, and count as
guessed. The calls of a communicator's members with the same number belong together; the
first collective operation of a communicator has number 1, as in tabard report.

Calls without a partner are listed by call site:

  no partner              the other process never made the other call
  partner not recorded    its calls are not in the archive, or not all of them
  communicator not known  it is not known which processes the communicator has
  source not known        a wildcard receive without a status, and no send is left over
  never completed         a wildcard receive that nothing completed, and no send is left over

Of recordings of up to 1,048,576 events, if nothing is selected, requests that nothing
completed (MPI_Wait, MPI_Test) or freed are listed, too.

`

// messagesFlags are the flags of `tabard messages`.
type messagesFlags struct {
	selectFlags
	limit int
}

var _ = reading(80, Bound{Memory: 1e9, PerRank: 15e3, Seconds: 60}, messagesCommand)

func messagesCommand(a *app) *cobra.Command {
	f := &messagesFlags{}
	cmd := &cobra.Command{
		Use:   "messages FILE",
		Short: "Match sends with receives, and show what has no partner",
		Long: messagesLong + selectHelp +
			"\nA message is selected if the call that sends it is, or the one that posts its receive.",
		Example: `  tabard messages app.tabard
  tabard messages app.tabard --rank 3 --comm world
  tabard messages app.tabard --json | jq '.unmatched[].site'`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	cmd.Flags().IntVar(&f.limit, "limit", 20, "show at most `N` lines of each table, 0 for all")
	f.add(cmd, report.MessagesSchema)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := atLeast("limit", f.limit, 0); err != nil {
			return err
		}
		return a.readsMessages(args[0], func(arch *archive.Archive) error {
			job, err := report.Open(arch, f.flags, a.meter)
			if err != nil {
				return err
			}
			r, err := job.Match()
			if err != nil {
				return err
			}
			open, err := job.OpenRequests()
			if err != nil {
				return err
			}
			return a.print(answer{json: f.json,
				document: func() any { return report.NewMessages(arch, f.flags, job.Program, r, open) },
				text:     func(w io.Writer) error { text.Messages(w, job.Program, r, open, f.limit); return nil }})
		})
	}
	return a.withLive(cmd)
}
