package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
)

var _ = reading(170, Bound{Memory: 1e9, Seconds: 60}, mergeCommand)

func mergeCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "merge OUT [PARTS...]",
		Short: "Make one file of those that the nodes of a job wrote",
		Long: `Merge the archives PARTS of one run into OUT. They may overlap: each rank is
there once afterwards. Ranks that none of them has are missing; "tabard info
OUT" names them. PARTS stay as they are.

Without PARTS it merges what belongs to OUT: a job whose nodes could not merge
their archives at the end leaves OUT with the ranks of one node and, beside it,
a file for each other node, with the node's name in it. These are removed when
OUT holds them. The other commands do this too when they are given OUT.

--timing=MODE stores the times of calls in another mode, as record takes it
(see "tabard record --help"). It takes a lossless recording; what OUT holds
then has no exact times any more, so keep the parts.

--overview stores, in at most a hundredth of the file, what all ranks do over
time: then the first picture of "tabard view" is exact at once, however large
the recording is. All times are read for that, once. Recordings that are read
in a moment get none. Without it, OUT has one no more if anything was merged.`,
		Example: `  tabard merge app.tabard
  tabard merge all.tabard node1/app.tabard node2/app.node2.tabard
  tabard merge small.tabard exact.tabard --timing=lossy:1%,1us
  tabard merge app.tabard --overview`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("OUT is missing; use: tabard merge OUT [PARTS...]")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return []cobra.Completion{"tabard"}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	mode := &timingFlag{}
	cmd.Flags().Var(mode, "timing", "store the times of calls in another mode")
	completeTiming(cmd)
	overview := cmd.Flags().Bool("overview", false, "store what the first picture of the viewer shows")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		r, err := a.merge(args[0], args[1:])
		if err == nil && mode.value != "" {
			r.Bytes, err = collect.Retime(args[0], mode.mode)
		}
		if err == nil && *overview {
			err = a.overview(args[0], r)
		}
		if err != nil {
			return err
		}
		return a.print(answer{json: *asJSON, document: func() any { return r },
			text: func(w io.Writer) error { return text.Merge(w, r) }})
	}
	return cmd
}

func (a *app) merge(out string, parts []string) (*report.Merge, error) {
	if len(parts) > 0 {
		r, err := collect.Merge(out, parts)
		if err != nil {
			return nil, err
		}
		return report.NewMerge(out, r), nil
	}
	arch, err := a.open(out)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	r := &collect.MergeReport{Ranks: arch.NumRanks(), Bytes: arch.Stats().Total}
	return report.NewMerge(out, r), onDisk(out, arch)
}

// overview puts an overview into a recording, or says why that is of no use.
func (a *app) overview(file string, r *report.Merge) error {
	arch, err := archive.Open(file)
	if err != nil {
		return err
	}
	defer arch.Close()
	p := a.meter("reading times", "threads", uint64(arch.NumStreams()))
	o, err := timeline.MakeOverview(arch, func(done, total int) { p.Show(uint64(done), uint64(total)) })
	p.Done()
	if errors.Is(err, timeline.ErrSmall) || errors.Is(err, timeline.ErrNoRoom) {
		r.NoOverview = err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	r.Overview = o.Size()
	r.Bytes, err = collect.SetOverview(file, o)
	return err
}

// onDisk reports an error if the file is not what was read: then it could not be written.
func onDisk(file string, read *archive.Archive) error {
	a, err := archive.Open(file)
	if err != nil {
		return fmt.Errorf("the parts can be read, but the whole cannot be written: %w", err)
	}
	defer a.Close()
	if a.NumRanks() != read.NumRanks() || a.Stats().Total != read.Stats().Total {
		return fmt.Errorf("the parts can be read, but %s cannot be written", file)
	}
	return nil
}
