package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"tabard/internal/ring"
	"tabard/trace"
)

// versions is the schema of `tabard version --json`.
type versions struct {
	Schema   string `json:"schema"`
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Format   int    `json:"format"`
	Runtime  int    `json:"runtime_abi"`
	Go       string `json:"go"`
}

func readVersions() versions {
	v := versions{Schema: "tabard.version/1", Version: "devel", Format: trace.FormatVersion, Runtime: ring.Version, Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// String is what archives name as the tool that wrote them.
func (v versions) String() string {
	s := "tabard " + v.Version
	if v.Revision != "" {
		s += " (" + v.Revision[:min(12, len(v.Revision))]
		if v.Modified {
			s += ", modified"
		}
		s += ")"
	}
	return s
}

func versionCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Show the versions of tabard, its file format and its runtime",
		Long: `Show the version of tabard, the version of the file format that it writes, and
the version of the interface between the traced program and the collector.`,
		Example: "  tabard version\n  tabard version --json",
		Args:    exactArgs(),
	}
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	cmd.RunE = func(*cobra.Command, []string) error {
		v := readVersions()
		if *asJSON {
			return a.printJSON(v)
		}
		_, err := fmt.Fprintf(a.out, "%v\nformat       %d\nruntime ABI  %d\n%s\n", v, v.Format, v.Runtime, v.Go)
		return err
	}
	return cmd
}
