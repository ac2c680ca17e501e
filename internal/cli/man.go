package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

var _ = command(220, manCommand)

func manCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "man [COMMAND]",
		Short: "Print a manual page, or write all of them",
		Long: `Print the manual page of tabard or of one of its commands, in the form that man
reads, or write all of them to a directory.`,
		Example: `  tabard man record | man -l -
  tabard man --dir ~/.local/share/man/man1`,
		Args: cobra.MaximumNArgs(1),
	}
	dir := cmd.Flags().String("dir", "", "write one file for each command to the directory `DIR`")
	force := cmd.Flags().Bool("force", false, "overwrite files that are no manual pages of tabard")
	must(cmd.MarkFlagDirname("dir"))
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) (
		[]cobra.Completion, cobra.ShellCompDirective) {
		var names []string
		for _, c := range visible(cmd.Root()) {
			if len(args) == 0 && c != cmd.Root() {
				names = append(names, c.Name())
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		root := cmd.Root()
		if *dir != "" {
			return a.writePages(root, *dir, *force)
		}
		page := root
		if len(args) == 1 {
			found, _, err := root.Find(args)
			if err != nil || found == root || found.Hidden {
				return unknownCommand(root, args[0])
			}
			page = found
		}
		return doc.GenMan(page, pageHeader(page), a.out)
	}
	return cmd
}

// visible lists root and its commands that are not hidden, without help.
func visible(root *cobra.Command) []*cobra.Command {
	cmds := []*cobra.Command{root}
	for _, c := range root.Commands() {
		if !c.Hidden && c.Name() != "help" {
			cmds = append(cmds, c)
		}
	}
	return cmds
}

func pageHeader(cmd *cobra.Command) *doc.GenManHeader {
	cmd.DisableAutoGenTag = true
	title := strings.ToUpper(strings.ReplaceAll(cmd.CommandPath(), " ", "-"))
	return &doc.GenManHeader{Title: title, Section: "1", Source: "tabard", Manual: "Tabard manual"}
}

func (a *app) writePages(root *cobra.Command, dir string, force bool) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, c := range visible(root) {
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		page := func(w io.Writer) error { return doc.GenMan(c, pageHeader(c), w) }
		if err := a.writeFile(filepath.Join(dir, name), aManual, force, page); err != nil {
			return err
		}
	}
	return nil
}
