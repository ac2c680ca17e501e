package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/analysis/files"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
)

const ioLong = `Show what was done to each file: which ranks read and wrote how much, in how many calls, how long
that took, and which part of the time went to metadata (opening, asking, renaming ...). It needs a
recording with I/O: tabard record --events=mpi,io.

The order of accesses is that of each rank: consecutive ones begin where the last one ended, sequential
ones behind it, strided ones at equal distances. Where the offsets of all accesses follow from the rank
and the number of the access, the formula is shown.

`

// ioFlags are the flags of `tabard io`.
type ioFlags struct {
	selectFlags
	limit int
}

var _ = command(65, ioCommand)

func ioCommand(a *app) *cobra.Command {
	f := &ioFlags{}
	cmd := &cobra.Command{
		Use:   "io FILE",
		Short: "Show what was done to files",
		Long:  ioLong + selectHelp,
		Example: `  tabard io app.tabard
  tabard io app.tabard --rank 3 --time 10%..30%
  tabard io app.tabard --json | jq '.files[].path'`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	cmd.Flags().IntVar(&f.limit, "limit", 20, "show at most `N` files, 0 for all")
	f.add(cmd, report.FilesSchema)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := atLeast("limit", f.limit, 0); err != nil {
			return err
		}
		return a.reads(args[0], func(arch *archive.Archive) error {
			chosen, err := report.Resolve(arch, f.flags)
			if err != nil {
				return err
			}
			r, err := files.Of(arch, chosen)
			if err != nil {
				return err
			}
			return a.print(answer{json: f.json,
				document: func() any { return report.NewFiles(arch, f.flags, r) },
				text:     func(w io.Writer) error { text.Files(w, r, f.limit); return nil }})
		})
	}
	return a.withLive(cmd)
}
