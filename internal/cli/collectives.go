package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/analysis/collectives"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program/trial"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
)

const collectivesLong = `Find places where the program does by sends and receives what a collective does, by whatever pattern of
messages: which operation, between which ranks, how often, and what to call instead.

Data is followed from process to process. If the recording has hashes of what messages carry
(tabard record --payload), equal contents prove it; otherwise the output says what the structure leaves
open. A near miss is almost a collective; the output says what is missing. Loops are examined once.

--try N measures what a replacement gains: each finding's messages and the library's collective in their place, in
turn, N rounds, with as many ranks and the recorded gaps between calls, under the MPI of --mpicc and --mpirun. That
starts a program on this machine, or
wherever the launcher starts it. What is said to be on paper is an estimate for a cluster, and is not measured.

--svg and --png draw one instance of a finding, with its messages alone: the first one, or --finding K.
`

var _ = reading(64, Bound{Memory: 2.5e9, PerRank: 20e3, Seconds: 120}, collectivesCommand)

func collectivesCommand(a *app) *cobra.Command {
	var asJSON bool
	var limit, finding int
	cmd := &cobra.Command{
		Use:   "collectives FILE",
		Short: "Find collectives that are made of messages",
		Long:  collectivesLong,
		Example: `  tabard collectives app.tabard
  tabard collectives app.tabard --finding 2 --svg broadcast.svg
  tabard collectives app.tabard --try 100 --mpirun 'mpirun --oversubscribe'
  tabard collectives app.tabard --json | jq '.findings[] | select(.grade | startswith("proven"))'`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON (schema "+report.CollectivesSchema+")")
	f := &pictureFlags{}
	f.add(cmd)
	cmd.Flags().IntVar(&finding, "finding", 1, "draw finding `K`, in the order of the text")
	cmd.Flags().IntVar(&limit, "limit", 20, "show at most `N` findings, 0 for all")
	t := &tryFlags{}
	cmd.Flags().IntVar(&t.rounds, "try", 0, "measure what a replacement gains in `N` rounds")
	cmd.Flags().StringVar(&t.compiler, "mpicc", "mpicc", "compile with this `COMMAND`")
	cmd.Flags().StringVar(&t.launcher, "mpirun", "mpirun", "start ranks with this `COMMAND`, which takes -n")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := atLeast("limit", limit, 0); err != nil {
			return err
		}
		if err := atLeast("try", t.rounds, 0); err != nil {
			return err
		}
		if err := atLeast("finding", finding, 1); err != nil {
			return err
		}
		if err := f.check(asJSON); err != nil {
			return err
		}
		if f.wanted() && t.rounds > 0 {
			return usagef("--try and pictures do not go together")
		}
		if len(strings.Fields(t.compiler)) == 0 || len(strings.Fields(t.launcher)) == 0 {
			return usagef("--mpicc and --mpirun want a command")
		}
		return a.reads(args[0], func(arch *archive.Archive) error {
			progress := a.meter("following data", "events", 0)
			r, err := collectives.Of(arch, collectives.Options{Progress: progress.Show})
			progress.Done()
			if err != nil {
				return err
			}
			d := report.NewCollectives(arch, r)
			if err := t.try(a, arch, r, d, limit); err != nil {
				return err
			}
			return a.print(answer{json: asJSON, document: func() any { return d }, pictures: f,
				picture: func() (*render.Picture, error) {
					if finding > len(r.Findings) {
						return nil, fmt.Errorf("there is no finding %d: there are %d", finding, len(r.Findings))
					}
					return text.CollectiveDiagram(&r.Findings[finding-1], &d.Findings[finding-1]).Picture(), nil
				},
				text: func(w io.Writer) error { text.Collectives(w, d, limit); return nil }})
		})
	}
	return a.withLive(cmd)
}

type tryFlags struct {
	rounds             int
	compiler, launcher string
}

// try measures the findings that are shown.
func (t *tryFlags) try(a *app, arch *archive.Archive, r *collectives.Result, d *report.Collectives, limit int) error {
	if t.rounds == 0 {
		return nil
	}
	findings := r.Findings
	if limit > 0 {
		findings = findings[:min(limit, len(findings))]
	}
	results, err := trial.Run(&trial.Request{Archive: arch, Findings: findings, Ranks: arch.NumRanks(), Rounds: t.rounds,
		Compiler: strings.Fields(t.compiler), Launcher: strings.Fields(t.launcher), Stderr: a.err})
	if err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	d.Try(host, results)
	return nil
}
