package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"tabard/internal/collect"
	"tabard/internal/merge"
	"tabard/trace"
)

func mergeCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "merge OUT [PARTS...]",
		Short: "Make one file of those that the nodes of a job wrote",
		Long: `Merge the archives PARTS of one run into OUT. They may overlap: each rank is
there once afterwards. Ranks that none of them holds stay absent; "tabard info
OUT" names them. PARTS stay as they are.

Without PARTS it merges what belongs to OUT: a job whose nodes could not unite
their archives at the end leaves OUT with the ranks of one node and, beside it,
a file for each other node, with the node's name in it. These are removed when
OUT holds them. The other commands do this too when they are given OUT.

--timing=MODE stores the times of calls in another mode, as record takes it
(see "tabard record --help"). It takes a lossless recording; what OUT holds
then has no exact times any more, so keep the parts.`,
		Example: `  tabard merge app.tabard
  tabard merge all.tabard node1/app.tabard node2/app.node2.tabard
  tabard merge small.tabard exact.tabard --timing=lossy:1%,1us`,
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
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		r, err := a.merge(args[0], args[1:])
		if err == nil && mode.value != "" {
			r.Bytes, err = collect.Retime(args[0], mode.mode)
		}
		if err != nil {
			return err
		}
		if *asJSON {
			return a.printJSON(r)
		}
		_, err = fmt.Fprintf(a.out, "%s: %s in %s\n", r.File, plural(uint64(r.Ranks), "rank"), byteSize(r.Bytes))
		return err
	}
	return cmd
}

// merged is the schema of `tabard merge --json`.
type merged struct {
	Schema string         `json:"schema"`
	File   string         `json:"file"`
	Ranks  int            `json:"ranks"`
	Bytes  int64          `json:"bytes"`
	Parts  []mergedSource `json:"parts"`
}

type mergedSource struct {
	File string `json:"file"`
	// Added is the number of processes that came from it, Replaced how many of those it knows better than
	// a file before.
	Added    int `json:"added"`
	Replaced int `json:"replaced"`
}

func (a *app) merge(out string, parts []string) (*merged, error) {
	r := &merged{Schema: "tabard.merge/1", File: out, Parts: []mergedSource{}}
	if len(parts) == 0 {
		archive, err := a.open(out)
		if err != nil {
			return nil, err
		}
		defer archive.Close()
		r.Ranks, r.Bytes = archive.NumRanks(), archive.Stats().Total
		return r, onDisk(out, archive)
	}
	report, err := collect.Merge(out, parts)
	if err != nil {
		return nil, err
	}
	r.Ranks, r.Bytes = report.Ranks, report.Bytes
	for _, s := range report.Sources {
		r.Parts = append(r.Parts, sourceOf(s))
	}
	return r, nil
}

// onDisk reports an error if the file is not what was read: then it could not be written.
func onDisk(file string, read *trace.Archive) error {
	a, err := trace.Open(file)
	if err != nil {
		return fmt.Errorf("the parts can be read, but the whole cannot be written: %w", err)
	}
	defer a.Close()
	if a.NumRanks() != read.NumRanks() || a.Stats().Total != read.Stats().Total {
		return fmt.Errorf("the parts can be read, but %s cannot be written", file)
	}
	return nil
}

func sourceOf(o merge.Outcome) mergedSource {
	return mergedSource{File: o.Name, Added: o.Added, Replaced: o.Replaced}
}
