package cli

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
)

// narrow are commands that print no tables with names of functions: their text is short, or exact.
var narrow = []string{"view", "matrix", "verify", "merge", "export", "scale", "proxy", "replay", "timeline"}

// bounded makes a command that reads recordings state how much memory it takes, keep to it, and end
// at Ctrl-C.
func (a *app) bounded(cmd *cobra.Command) {
	b, ok := report.BoundOf(cmd.Name())
	if !ok {
		return
	}
	cmd.Long += fmt.Sprintf(
		"\n\nMemory: at most %s for 10 million calls without any order, some 20 MB for a\nregular program.",
		render.ByteSize(int64(b.Memory)),
	)
	if b.PerRank > 0 {
		cmd.Long += fmt.Sprintf(" Each rank adds up to %s.", render.ByteSize(int64(b.PerRank)))
	}
	if !slices.Contains(narrow, b.Command) {
		cmd.Flags().BoolVar(&a.wide, "wide", false, "do not shorten names of functions, nor cut tables "+
			"and wrap lines to the terminal's width")
		cmd.Flags().BoolVar(&a.pager, "pager", false, "show the text in $PAGER, or less, if this is a terminal")
	}
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if os.Getenv("GOMEMLIMIT") == "" {
			debug.SetMemoryLimit(b.Limit())
			if os.Getenv("GOGC") == "" {
				debug.SetGCPercent(b.Percent())
			}
			a.perRank = int64(b.PerRank)
		}
		if n := cmd.Name(); n != "replay" && n != "view" { // these put in order what they have started
			defer a.interruptible()()
			if err := a.startPager(); err != nil {
				return err
			}
		}
		return run(cmd, args)
	}
}

// opened makes room for the ranks of an archive that a command reads: the garbage collector would otherwise work
// in vain.
func (a *app) opened(arch *archive.Archive) {
	if a.perRank > 0 {
		debug.SetMemoryLimit(debug.SetMemoryLimit(-1) + a.perRank*int64(arch.NumRanks()))
	}
}
