// Package verify compares an archive with the raw log of the same run, call by call and value by
// value. It walks the raw records and the decompressed calls in parallel and keeps its own view of
// which object a handle means. It shares no code with internal/record/symbol, so that a mistake
// there shows here.
package verify

import "fmt"

// maxListed is how many differences a report lists; all are counted.
const maxListed = 20

// Difference is one disagreement between raw log and archive.
type Difference struct {
	Rank   int    `json:"rank"`
	Thread int    `json:"thread"`
	Index  uint64 `json:"index"` // of the call in its thread; of the next one if none is concerned
	Func   string `json:"function,omitempty"`
	// What is a parameter's name or another property of the call.
	What    string `json:"what"`
	Raw     string `json:"raw"`
	Archive string `json:"archive"`
}

// String gives the difference on one line.
func (d Difference) String() string {
	at := fmt.Sprintf("rank %d thread %d call %d", d.Rank, d.Thread, d.Index)
	if d.Func != "" {
		at += " " + d.Func
	}
	return fmt.Sprintf("%s: %s: raw log %s, archive %s", at, d.What, d.Raw, d.Archive)
}

// Report is the result of a comparison.
type Report struct {
	Processes int `json:"processes"`
	Threads   int `json:"threads"`
	// Calls and Values are what was compared: calls that are shown, and the
	// parameters, elements, results, times and call sites in them.
	Calls  uint64 `json:"calls"`
	Values uint64 `json:"values"`
	// Hidden calls were filtered out of the archive; only the objects that they
	// make and end were followed.
	Hidden uint64 `json:"hidden"`
	// Lost calls are those that neither side has.
	Lost        uint64       `json:"lost"`
	Differences uint64       `json:"differences"`
	First       []Difference `json:"first,omitempty"`
	// Ignored are the names of logs that belong to other runs.
	Ignored []string `json:"ignored,omitempty"`
}

// Equal reports whether nothing differs.
func (r *Report) Equal() bool { return r.Differences == 0 }

func (r *Report) add(d Difference) {
	r.Differences++
	if len(r.First) < maxListed {
		r.First = append(r.First, d)
	}
}
