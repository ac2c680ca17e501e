package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
)

const openMPLong = `Show what the threads of an OpenMP program do: for each parallel region how it is balanced
and where its threads wait, and how well processes use MPI and their threads.

Record with --events=mpi,openmp. Columns of regions:

  time       from begin to end, of all calls
  work       the part of the threads' time in which they neither wait nor are in MPI
  imbalance  the work of the busiest thread, of the mean of all
  start      until the threads have begun
  end        waiting for the others at the end of the region
  barrier    at other barriers, those at the end of loops included
  lock       for critical sections, locks, and turns in ordered loops
  tasks      for tasks (those that a thread runs meanwhile are work)
  mpi        in calls of MPI

Parallel efficiency is the useful part of the time of all threads: MPI efficiency (the
time outside of MPI) times OpenMP efficiency (the part of that in which threads work).
docs/openmp.md has the formulas.`

var _ = reading(75, Bound{Memory: 1e9, PerRank: 15e3, Seconds: 60}, openMPCommand)

func openMPCommand(a *app) *cobra.Command {
	var asJSON bool
	limit := 10
	cmd := &cobra.Command{
		Use:   "openmp FILE",
		Short: "Show what OpenMP threads do: regions, waits, efficiencies",
		Long:  openMPLong,
		Example: `  tabard openmp app.tabard
  tabard openmp app.tabard --json | jq '.regions[0]'`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "show at most `N` lines of each table, 0 for all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON (schema "+report.OpenMPSchema+")")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := atLeast("limit", limit, 0); err != nil {
			return err
		}
		return a.reads(args[0], func(arch *archive.Archive) error {
			job, err := report.Open(arch, selection.Flags{}, a.meter)
			if err == nil {
				err = job.NeedTimes()
			}
			if err != nil {
				return err
			}
			r, err := job.OpenMP()
			if err != nil {
				return err
			}
			return a.print(answer{json: asJSON,
				document: func() any { return report.NewOpenMP(args[0], r) },
				text:     func(w io.Writer) error { text.OpenMP(w, r, limit); return nil }})
		})
	}
	return a.withLive(cmd)
}
