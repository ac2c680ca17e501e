package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/internal/foreign"
	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
)

var _ = command(147, importCommand)

const importLong = `Make a recording of an archive in the Open Trace Format 2, as Score-P, EZTrace and
other tools write it. ARCHIVE is its anchor file (.otf2), or the directory that
it lies in. All commands read the recording; where they need what the archive
does not tell, they say so.

Functions of MPI become calls, with the parameters that the archive tells;
others are absent. Sizes are counts of MPI_BYTE. Functions that compilers
instrument become calls of functions, all other regions become regions. What
has no place in a recording is counted and named, here and by "tabard info".

--timing=lossless keeps the times as they are in the archive.`

func importCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import ARCHIVE",
		Short: "Make a recording of what another tool wrote",
		Long:  importLong,
		Example: `  tabard import scorep-app/traces.otf2
  tabard import app_trace/eztrace_log.otf2 -o app.tabard
  tabard import old.otf2 --timing=lossless`,
		Args: exactArgs("ARCHIVE"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return []cobra.Completion{"otf2"}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	fl := cmd.Flags()
	output := fl.StringP("output", "o", "", "write to `OUT` (default: the archive's name with the ending .tabard)")
	force := fl.Bool("force", false, "replace a recording that is there")
	asJSON := fl.Bool("json", false, "print JSON")
	mode := addTiming(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		out := *output
		if out == "" {
			out = importName(args[0])
		}
		d, err := a.imports(args[0], out, *force, mode)
		if err != nil {
			return err
		}
		return a.print(answer{json: *asJSON, document: func() any { return d },
			text: func(w io.Writer) error { return text.Import(w, d) }})
	}
	return cmd
}

// importName is the name of the recording of an archive: that of its anchor, or of its directory if the anchor's says
// nothing.
func importName(path string) string {
	dir, name := filepath.Split(filepath.Clean(path))
	name = strings.TrimSuffix(name, ".otf2")
	if name == "traces" || name == "eztrace_log" {
		if abs, err := filepath.Abs(dir); err == nil {
			name = filepath.Base(abs)
		}
	}
	return name + ".tabard"
}

// imports makes a recording.
func (a *app) imports(path, out string, force bool, mode *timingFlag) (*report.Import, error) {
	progress := a.meter("reading "+path, "records", 0)
	r, err := foreign.OTF2(path, foreign.Options{Timing: mode.mode, Tool: report.NewVersion().String(),
		Progress: progress.Add})
	progress.Done()
	if err != nil {
		return nil, err
	}
	file, n, err := collect.WriteRecording(out, force, r.Content, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return report.NewImport(file, n, r), nil
}
