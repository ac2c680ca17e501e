package cli

import (
	"cmp"
	"fmt"
	"os"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/render"
)

// A Bound is what a command needs at most for a recording of 10 million calls without any order, and
// for as many calls of that kind two recordings that are compared. The command states it in its help,
// and make bounds measures it.
type Bound struct {
	// Memory is resident memory in bytes. Each rank of a large job adds PerRank: matching messages keeps the state of
	// all ranks.
	Memory, PerRank uint64
	// Seconds are of processor time.
	Seconds int
	// Garbage is how much memory that is not in use any more a command leaves lying about, in per cent of what is in
	// use; 0 is 200: more makes it need less time.
	Garbage int
}

// Limit is what is in use, in bytes, when the garbage collector begins to work harder, so that garbage does not make a
// command need more than it states. What is in use is bounded by the analyses.
func (b *Bound) Limit() int64 { return int64(b.Memory) / 4 * 3 }

// Percent is Garbage as the garbage collector takes it. Far from the limit time matters more than memory.
func (b *Bound) Percent() int { return cmp.Or(b.Garbage, 200) }

// At is the memory in bytes for a job of so many ranks.
func (b *Bound) At(ranks int) uint64 { return b.Memory + b.PerRank*uint64(ranks) }

// Bounds are those of all commands that read recordings, by their names.
func Bounds() map[string]Bound {
	all := map[string]Bound{}
	for _, d := range commands {
		if d.bound != nil {
			all[d.define(&app{}).Name()] = *d.bound
		}
	}
	return all
}

// narrow are commands that print no tables with names of functions: their text is short, or exact.
var narrow = []string{"view", "matrix", "verify", "merge", "export", "scale", "proxy", "replay", "timeline"}

// bounded makes a command that reads recordings state how much memory it takes, keep to it, and end
// at Ctrl-C.
func (a *app) bounded(cmd *cobra.Command, b *Bound) {
	cmd.Long += fmt.Sprintf(
		"\n\nMemory: at most %s for 10 million calls without any order, some 20 MB for a\nregular program.",
		render.ByteSize(int64(b.Memory)),
	)
	if b.PerRank > 0 {
		cmd.Long += fmt.Sprintf(" Each rank adds up to %s.", render.ByteSize(int64(b.PerRank)))
	}
	if !slices.Contains(narrow, cmd.Name()) {
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
