package report

import "github.com/tabard-hpc/tabard/internal/foreign"

// ImportSchema names the form of Import.
const ImportSchema = "tabard.import/1"

var _ = register[Import](ImportSchema, "import --json")

// Import is what was made of an archive of another tool: the document "tabard import --json".
type Import struct {
	Schema string `json:"schema"`
	// File is the recording, with so many bytes.
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
	// Ranks is how many processes it has.
	Ranks int `json:"ranks"`
	// From says what wrote the archive; Records is how many records of events it has.
	From    string `json:"from"`
	Records uint64 `json:"records"`
	// Calls, Regions and Functions are what they became.
	Calls     uint64 `json:"calls"`
	Regions   uint64 `json:"regions"`
	Functions uint64 `json:"functions"`
	// Left is what is not in the recording, most frequent first.
	Left []ImportLeft `json:"left"`
}

// ImportLeft is something that was left out.
type ImportLeft struct {
	What  string `json:"what"`
	Count uint64 `json:"count"`
}

// NewImport makes the document of what was imported to a file.
func NewImport(file string, bytes int64, r *foreign.Result) *Import {
	d := &Import{Schema: ImportSchema, File: file, Bytes: bytes, From: r.Content.Meta.Options[foreign.OptionFrom],
		Records: r.Events, Calls: r.Calls, Regions: r.Regions, Functions: r.Functions, Left: []ImportLeft{}}
	for _, g := range r.Content.Groups {
		d.Ranks += g.Ranks.Len()
	}
	for _, l := range r.Left {
		d.Left = append(d.Left, ImportLeft{l.What, l.Count})
	}
	return d
}
