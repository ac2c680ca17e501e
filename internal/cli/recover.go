package cli

import (
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
not be written. The other commands do this too when they are given FILE, so it
is only needed to make the file without reading it. Nothing happens if nothing
is left of a recording to FILE on this machine but FILE itself; "tabard doctor"
lists what is left of others.`,
		Example:           "  tabard recover app.tabard",
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		wait := a.notice()
		path, r, err := collect.Recover(args[0], true, wait)
		wait.stop()
		if err != nil {
			return err
		}
		if path == "" {
			return fmt.Errorf("%s does not exist, and on this machine nothing is left of a recording to it", args[0])
		}
		if path, err = a.uniteParts(args[0], path); err != nil {
			return err
		}
		if !*asJSON {
			for _, p := range r.Problems {
				fmt.Fprintf(a.err, "tabard: %s\n", p)
			}
		}
		d := report.NewRecovery(path, r)
		return a.print(answer{json: *asJSON, document: func() any { return d },
			text: func(w io.Writer) error { return text.Recovery(w, d, r) }})
	}
	return cmd
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
