package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/analysis/waits"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
)

const waitsLong = `Find where processes waited for one another, and who made them wait.

Sends are matched with receives, and the calls of a collective with one another. A call
waits for as long as it cannot proceed because another process has not made its call yet:

  late sender      a receive, or the call that completes it, began before the send
  wrong order      likewise, while another message was there that was received later
  late receiver    a send that waits for its receive began before the receive was posted
  early reduce     the root of a reduction or gather came before the last sender
  late broadcast   the receivers of a broadcast or scatter came before the root
  early scan       a rank came to MPI_Scan or MPI_Exscan before a lower one
  wait at NxN      a member of MPI_Allreduce, MPI_Alltoall, ... came before the last one
  wait at barrier  likewise for MPI_Barrier
  wait for neighbours
                   a member of MPI_Neighbor_... came before one that it receives from

A process that tests a request again and again, and calls nothing else until it is
complete, waits in these tests, too. Collectives of intercommunicators wait for the other
group.

A process that is late may itself have waited. Causes are found by following waits back to
the process whose delay, in computation or in calls that did not wait, started them.

`

// waitsFlags are the flags of `tabard waits`.
type waitsFlags struct {
	selectFlags
	kind  string
	cause int
	limit int
}

var _ = reading(70, Bound{Memory: 1e9, PerRank: 15e3, Seconds: 60}, waitsCommand)

func waitsCommand(a *app) *cobra.Command {
	f := &waitsFlags{cause: -1}
	cmd := &cobra.Command{
		Use:   "waits FILE",
		Short: "Show who waits for whom, where, and why",
		Long:  waitsLong + selectHelp + "\nThe selection applies to the call that waits.",
		Example: `  tabard waits app.tabard
  tabard waits app.tabard --kind late-sender --limit 50
  tabard waits app.tabard --cause 3
  tabard waits app.tabard --steps 100-199 --json`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	fl := cmd.Flags()
	fl.StringVar(&f.kind, "kind", "", "this `KIND` of wait only, e.g. late-sender")
	fl.IntVar(&f.cause, "cause", -1, "what the process with this number (the rank, in the launched world) causes only")
	fl.IntVar(&f.limit, "limit", 10, "show at most `N` lines of each table, 0 for all")
	f.add(cmd, report.WaitsSchema)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		kind, err := f.check()
		if err != nil {
			return err
		}
		return a.readsMessages(args[0], func(arch *archive.Archive) error {
			job, err := report.Open(arch, f.flags, a.meter)
			if err == nil {
				err = job.CorrectClocks()
			}
			if err == nil {
				err = job.NeedTimes()
			}
			if err != nil {
				return err
			}
			if f.cause >= 0 && job.Program.Process(int32(f.cause)) < 0 {
				return usagef("--cause %d: %s has no process with this number", f.cause, args[0])
			}
			r, err := job.Waits()
			if err != nil {
				return err
			}
			report.NarrowWaits(r, kind, f.cause)
			return a.print(answer{json: f.json,
				document: func() any { return report.NewWaits(args[0], r) },
				text:     func(w io.Writer) error { text.Waits(w, r, f.limit); return nil }})
		})
	}
	return a.withLive(cmd)
}

// check understands --kind; -1 is all kinds.
func (f *waitsFlags) check() (int, error) {
	if err := atLeast("limit", f.limit, 0); err != nil {
		return 0, err
	}
	if f.kind == "" {
		return -1, nil
	}
	var names []string
	for k := range waits.NumKinds {
		name := strings.ReplaceAll(k.String(), " ", "-")
		if strings.EqualFold(name, strings.ReplaceAll(f.kind, " ", "-")) {
			return int(k), nil
		}
		names = append(names, name)
	}
	return 0, usagef("--kind %q is none of %s", f.kind, strings.Join(names, ", "))
}
