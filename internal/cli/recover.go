package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
)

var _ = command(160, recoverCommand)

func recoverCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "recover FILE",
		Short: "Complete a recording that was interrupted",
		Long: `Complete the recording FILE whose collector was killed, or whose archive could
not be written, and of recordings that became FILE-2 and so on. The other commands do this too when they are given FILE, so it
is only needed to make the file without reading it. Nothing happens if nothing
is left of a recording to FILE on this machine but FILE itself; "tabard doctor"
lists what is left of others.`,
		Example:           "  tabard recover app.tabard",
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		others := collect.Numbered(args[0])
		err := a.recovers(args[0], *asJSON, len(others) > 0)
		for _, other := range others { // names that recordings to FILE got because it was taken
			err = errors.Join(err, a.recovers(other, *asJSON, false))
		}
		return err
	}
	return cmd
}

// recovers completes the recording to a file and says what there is then. If nothing is, that is an error unless it may be
// so.
func (a *app) recovers(file string, asJSON, mayLack bool) error {
	wait := a.notice()
	path, r, err := collect.Recover(file, true, wait)
	wait.stop()
	if err != nil {
		return err
	}
	if path == "" && mayLack {
		return nil
	}
	if path == "" {
		return fmt.Errorf("%s does not exist, and on this machine nothing is left of a recording to it", file)
	}
	if path, err = a.uniteParts(file, path); err != nil {
		return err
	}
	if !asJSON {
		for _, p := range r.Problems {
			fmt.Fprintf(a.err, "tabard: %s\n", p)
		}
	}
	d := report.NewRecovery(path, r)
	return a.print(answer{json: asJSON, document: func() any { return d },
		text: func(w io.Writer) error { return text.Recovery(w, d, r) }})
}

// uniteParts merges what collectors of several nodes left into the recording, and says where it is
// then.
func (a *app) uniteParts(file, path string) (string, error) {
	archive, err := collect.OpenOutput(file, path, a.remarks(file))
	if err != nil {
		return "", err
	}
	archive.Close()
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	return collect.CanonicalOutput(file) // what was recovered is part of it now
}
