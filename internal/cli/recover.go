package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"tabard/internal/collect"
)

func recoverCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "recover FILE",
		Short: "Complete a recording that was interrupted",
		Long: `Complete the recording FILE whose collector was killed, or whose archive could
not be written. The other commands do this too when they are given FILE, so it
is only needed to make the file without reading it. Nothing happens if there is
nothing to recover.`,
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
			return fmt.Errorf("%s: there is no such recording, and nothing of it to recover", args[0])
		}
		if *asJSON {
			return a.printJSON(recovery{"tabard.recover/1", path, r.Ranks, r.Calls, r.Unfinished, r.Lost, append([]string{}, r.Problems...)})
		}
		for _, p := range r.Problems {
			fmt.Fprintf(a.err, "tabard: %s\n", p)
		}
		if r.Ranks == 0 {
			_, err = fmt.Fprintf(a.out, "%s: nothing to recover\n", path)
			return err
		}
		_, err = fmt.Fprintf(a.out, "%s: %s of %s recovered\n", path, plural(r.Calls, "call"), plural(uint64(r.Ranks), "rank"))
		return err
	}
	return cmd
}

// recovery is the schema of `tabard recover --json`.
type recovery struct {
	Schema     string   `json:"schema"`
	File       string   `json:"file"`
	Ranks      int      `json:"ranks"`
	Calls      uint64   `json:"calls"`
	Unfinished int      `json:"unfinished_ranks"`
	Lost       uint64   `json:"lost_calls"`
	Problems   []string `json:"problems"`
}
