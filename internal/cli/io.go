package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/analysis/files"
	"github.com/tabard-hpc/tabard/analysis/waits"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
)

const ioLong = `Show what was done to each file: which ranks read and wrote how much, in how many calls, how long
that took, and which part of the time went to metadata (opening, asking, renaming ...). It needs a
recording with I/O: tabard record --events=mpi,io.

The order of accesses is that of each rank: consecutive ones begin where the last one ended, sequential
ones behind it, strided ones at equal distances. Where the offsets of all accesses follow from the rank
and the number of the access, the formula is shown, also if they come in turns.

Accesses that take longer the more others there are at the same time are told from those that always
take long: that is contention. So is the time that other ranks wait for ranks that accessed files.

Pictures show of one file, which --path may choose, its offsets over time, and of several the bytes of
each rank in each file.

`

// ioFlags are the flags of `tabard io`.
type ioFlags struct {
	selectFlags
	pictureFlags
	path  string
	limit int
}

var _ = reading(65, Bound{Memory: 1e9, Seconds: 60}, ioCommand)

func ioCommand(a *app) *cobra.Command {
	f := &ioFlags{}
	cmd := &cobra.Command{
		Use:   "io FILE",
		Short: "Show what was done to files",
		Long:  ioLong + selectHelp,
		Example: `  tabard io app.tabard
  tabard io app.tabard --rank 3 --time 10%..30%
  tabard io app.tabard --svg files.svg
  tabard io app.tabard --path 'checkpoint.*' --png offsets.png
  tabard io app.tabard --json | jq '.files[].path'`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	cmd.Flags().IntVar(&f.limit, "limit", 20, "show at most `N` files, 0 for all")
	cmd.Flags().StringVar(&f.path, "path", "", "these files only: the path, or its last part, matches `GLOB`")
	f.pictureFlags.add(cmd)
	f.selectFlags.add(cmd, report.FilesSchema)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := atLeast("limit", f.limit, 0); err != nil {
			return err
		}
		if err := f.check(f.json); err != nil {
			return err
		}
		return a.reads(args[0], func(arch *archive.Archive) error { return f.show(a, arch) })
	}
	return a.withLive(cmd)
}

func (f *ioFlags) show(a *app, arch *archive.Archive) error {
	chosen, err := report.Resolve(arch, f.flags)
	if err != nil {
		return err
	}
	r, err := files.Of(arch, chosen, files.Options{Path: f.path, Map: f.wanted()})
	if err != nil {
		return err
	}
	var waited *waits.Result
	if f.path == "" && !f.wanted() && len(r.Files) > 0 {
		if waited, err = report.WaitsForFiles(arch, f.flags, a.meter); err != nil {
			return err
		}
	}
	return a.print(answer{json: f.json,
		document: func() any { return report.NewFiles(arch, f.flags, r, waited) },
		pictures: &f.pictureFlags,
		picture: func() (*render.Picture, error) {
			h := text.FilesChart(arch.File(), r, f.limit)
			if h == nil {
				return nil, fmt.Errorf("%s has no such reads and writes with known offsets and times", arch.File())
			}
			return h.Picture(), nil
		},
		text: func(w io.Writer) error { text.Files(w, r, waited, f.limit); return nil }})
}
