package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
)

var _ = command(200, versionCommand)

func versionCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Show the versions of tabard, its file format and its runtime",
		Long: `Show the version of tabard, the version of the file format that it writes, and
the version of the interface between the traced program and the collector.

--licenses lists what is linked into tabard, with versions and licences.`,
		Example: "  tabard version\n  tabard version --json\n  tabard version --licenses",
		Args:    exactArgs(),
	}
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	licenses := cmd.Flags().Bool("licenses", false, "show the licences of tabard and of all that is linked into it")
	cmd.RunE = func(*cobra.Command, []string) error {
		if *licenses {
			l, err := report.NewLicenses()
			if err != nil {
				return err
			}
			return a.print(answer{json: *asJSON, document: func() any { return l },
				text: func(w io.Writer) error { return text.Licenses(w, l) }})
		}
		v := report.NewVersion()
		return a.print(answer{json: *asJSON, document: func() any { return v },
			text: func(w io.Writer) error { return text.Version(w, &v) }})
	}
	return cmd
}
