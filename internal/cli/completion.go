package cli

import "github.com/spf13/cobra"

var _ = command(210, completionCommand)

func completionCommand(a *app) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a script that completes tabard's commands in a shell",
		Long: `Print a script that makes the shell complete tabard's commands, flags and files.
SHELL is bash, zsh, fish or powershell.`,
		Example: `  source <(tabard completion bash)
  tabard completion zsh > "${fpath[1]}/_tabard"
  tabard completion fish > ~/.config/fish/completions/tabard.fish`,
		ValidArgs: shells,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := exactArgs("SHELL")(cmd, args); err != nil {
				return err
			}
			c := choice{allowed: shells}
			if err := c.Set(args[0]); err != nil {
				return usagef("unknown shell %q: %v", args[0], err)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.out, true)
			case "zsh":
				return root.GenZshCompletion(a.out)
			case "fish":
				return root.GenFishCompletion(a.out, true)
			default:
				return root.GenPowerShellCompletionWithDesc(a.out)
			}
		},
	}
}
