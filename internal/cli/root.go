// Package cli is the command line of tabard: commands, flags and exit codes, one file for each
// command. What a command finds out comes from the analyses; package report makes JSON of it,
// package report/text what people read.
//
// A new command is a file with a function that defines it, and its place in the help: var _ =
// command(place, define), or reading(place, bound, define) if it reads recordings.
package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/internal/record/launch"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// app is what all commands share.
type app struct {
	// out and err take text, and clean it: see render.Cleaner.
	out, err *render.Cleaner
	// raw is the standard output for what is no text for people: pictures, programs, JSON.
	raw io.Writer
	// inputs are the files that the command reads.
	inputs []safefile.ID
	// tty says that err is a terminal, where progress may be shown: stderr.
	tty    bool
	stderr io.Writer
	// live: recordings are opened as snapshots of the jobs that make them.
	live bool
	// wide: lines may be of any length, and names are whole.
	wide bool
	// pager: text is shown by a pager, which is pages once it runs.
	pager bool
	pages *pager
	// perRank is how much memory in bytes the command may take for each rank: see bounded.
	perRank int64
}

// Run executes the command line args (without the program's name) and returns
// the exit code: 0, 1 if the command failed, 2 if the command line is wrong.
func Run(args []string, stdout, stderr io.Writer) int {
	a := &app{
		out: render.NewCleaner(stdout), err: render.NewCleaner(stderr), raw: stdout,
		tty: render.DetectTerminal(stderr, getenv).TTY, stderr: stderr,
	}
	root := newRoot(a)
	root.SetArgs(append([]string{}, args...)) // nil would mean os.Args
	cmd, err := root.ExecuteC()
	if e := a.out.Flush(); err == nil {
		err = e
	}
	defer a.err.Flush()
	a.pages.wait()
	return a.exit(cmd, err)
}

// exit reports err and gives the exit code.
func (a *app) exit(cmd *cobra.Command, err error) int {
	var usage *usageError
	var code exitCode
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &code):
		return int(code)
	case errors.Is(err, errReported):
		return exitFailure
	case errors.As(err, &usage) && cmd.Name() == "record" && !launch.Speaks():
		return exitUsage // all ranks make the same mistake
	case errors.As(err, &usage):
		fmt.Fprintf(a.errorPage(), "%s: %v\nRun '%s --help' for usage.\n", cmd.CommandPath(), err, cmd.CommandPath())
		return exitUsage
	}
	fmt.Fprintf(a.errorPage(), "%s: %v\n", cmd.CommandPath(), err)
	return exitFailure
}

const overview = `Tabard records every MPI call of a parallel program, with all its parameters,
into one small file, and answers questions from that file.

  mpirun -n 4 tabard record ./app      record a run into app.tabard
  tabard report app.tabard             where the time goes, who waits for whom, what to fix
  tabard dump app.tabard               every call, one per line
  tabard doctor                        does recording work on this machine?

All commands: tabard --help
`

// A definition is a command that help lists; bound is nil if it reads no recordings.
type definition struct {
	define func(*app) *cobra.Command
	bound  *Bound
}

// commands are all definitions, by their places in the help: the order is that of use.
var commands = map[int]definition{}

// command gives a command a place. It is called while variables are initialised: var _ =
// command(...).
func command(place int, define func(*app) *cobra.Command) struct{} {
	return put(place, definition{define, nil})
}

// reading is command for one that reads recordings, which states what it needs at most.
func reading(place int, bound Bound, define func(*app) *cobra.Command) struct{} {
	return put(place, definition{define, &bound})
}

func put(place int, d definition) struct{} {
	if _, taken := commands[place]; taken {
		panic("two commands have the same place")
	}
	commands[place] = d
	return struct{}{}
}

// groups are the headings of the help: commands up to a place.
var groups = []struct {
	last      int
	id, title string
}{
	{19, "record", "Record:"},
	{129, "ask", "Ask a recording:"},
	{149, "again", "Run it again, or take it elsewhere:"},
	{189, "files", "Recordings as files:"},
	{999, "tabard", "Tabard itself:"},
}

// group is the heading of the command at a place.
func group(place int) string {
	for _, g := range groups {
		if place <= g.last {
			return g.id
		}
	}
	return ""
}

// newRoot defines all commands.
func newRoot(a *app) *cobra.Command {
	cobra.EnableCommandSorting = false // the order below is that of use
	root := &cobra.Command{
		Use:   "tabard",
		Short: "Record the MPI calls of a parallel program and read them back",
		Long: `Tabard records every MPI call of a parallel program, with all its parameters,
into one small file, and answers questions from that file. The program needs
no change: it runs as before, under Open MPI or MPICH.`,
		Example: `  mpirun -n 4 tabard record ./app
  tabard report app.tabard
  tabard dump app.tabard --rank 0 --limit 20`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := io.WriteString(a.out, overview)
			return err
		},
		Version:       report.NewVersion().String(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.DisableDefaultCmd = true
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
	}
	for _, place := range slices.Sorted(maps.Keys(commands)) {
		d := commands[place]
		cmd := d.define(a)
		cmd.GroupID = group(place)
		if d.bound != nil {
			a.bounded(cmd, d.bound)
		}
		root.AddCommand(cmd)
	}
	root.AddCommand(collectorCommand(), spawnedCommand(), jobCommand(), replayFeedCommand())
	root.SetHelpCommand(helpCommand(root))
	for _, c := range append(root.Commands(), root) {
		c.DisableFlagsInUseLine = true
		c.Flags().SortFlags = false
		c.InitDefaultHelpFlag()
		c.Flags().Lookup("help").Usage = "show this help"
	}
	a.fitHelp(root)
	root.InitDefaultVersionFlag()
	root.Flags().Lookup("version").Usage = "show the version"
	return root
}

// helpCommand is `tabard help [command]`.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		GroupID: "tabard",
		Short:   "Show the help of a command",
		Example: "  tabard help record",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return root.Help()
			}
			cmd, _, err := root.Find(args[:1])
			if err != nil || cmd == root {
				return unknownCommand(root, strings.Join(args[:1], " "))
			}
			return cmd.Help()
		},
	}
}

// completeFiles offers the archives for the first argument.
func completeFiles(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []cobra.Completion{"tabard"}, cobra.ShellCompDirectiveFilterFileExt
}
