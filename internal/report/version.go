package report

import (
	"runtime"
	"runtime/debug"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
)

// VersionSchema names the form of Version.
const VersionSchema = "tabard.version/1"

var _ = register[Version](VersionSchema, "version --json")

// Version is the versions of the program, of its file format and of its runtime.
type Version struct {
	Schema   string `json:"schema"`
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Format   int    `json:"format"`
	Runtime  int    `json:"runtime_abi"`
	Go       string `json:"go"`
}

// version is what the linker says, from the tag in version control: see packaging/version.sh.
var version string

// NewVersion says which version this is.
func NewVersion() Version {
	v := Version{Schema: VersionSchema, Version: "devel", Format: archive.FormatVersion, Runtime: ring.Version,
		Go: runtime.Version()}
	if version != "" {
		v.Version = version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if version == "" && info.Main.Version != "" && info.Main.Version != "(devel)" {
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
func (v Version) String() string {
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
