package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"tabard/internal/collect"
)

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
		if *asJSON {
			return a.printJSON(recovery{"tabard.recover/1", path, outcome(r), r.Ranks, r.Calls, r.Unfinished, r.Lost, append([]string{}, r.Problems...)})
		}
		for _, p := range r.Problems {
			fmt.Fprintf(a.err, "tabard: %s\n", p)
		}
		_, err = fmt.Fprintf(a.out, "%s: %s\n", path, outcomeText(r))
		return err
	}
	return cmd
}

// uniteParts merges what collectors of several nodes left into the recording, and says where it is then.
func (a *app) uniteParts(file, path string) (string, error) {
	archive, err := collect.OpenOutput(file, path, func(text string) { fmt.Fprintf(a.err, "tabard: %s: %s\n", file, text) })
	if err != nil {
		return "", err
	}
	archive.Close()
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	return collect.CanonicalOutput(file) // what was recovered is part of it now
}

// outcome is what a recovery came to.
func outcome(r collect.Report) string {
	switch {
	case r.Moved != "":
		return "moved"
	case r.Kept:
		return "kept"
	case r.Bytes > 0:
		return "recovered"
	}
	return "nothing"
}

func outcomeText(r collect.Report) string {
	switch outcome(r) {
	case "moved":
		return "the archive was complete but could not be written here; it has been moved from " + r.Moved
	case "kept":
		return "the archive is complete and stays here until it can be moved: repeat this command then"
	case "recovered":
		return fmt.Sprintf("%s of %s recovered", plural(r.Calls, "call"), plural(uint64(r.Ranks), "rank"))
	}
	return "nothing to recover: no recording to it goes on, and nothing else of one is left on this machine"
}

// recovery is the schema of `tabard recover --json`.
type recovery struct {
	Schema     string   `json:"schema"`
	File       string   `json:"file"`
	Outcome    string   `json:"outcome"` // recovered, moved, kept, nothing
	Ranks      int      `json:"ranks"`
	Calls      uint64   `json:"calls"`
	Unfinished int      `json:"unfinished_ranks"`
	Lost       uint64   `json:"lost_calls"`
	Problems   []string `json:"problems"`
}
