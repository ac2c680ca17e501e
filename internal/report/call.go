package report

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// CallSchema names the form of Call.
const CallSchema = "tabard.call/1"

var _ = register[Call](CallSchema, "dump --json")

// Call is one call; `tabard dump --json` prints one a line.
type Call struct {
	Schema string `json:"schema"`
	// World is the number of a spawned world.
	World int `json:"world,omitempty"`
	// Index is the number of the call in its thread.
	Index uint64 `json:"index"`
	// Rank is -1 if it is not known.
	Rank   *int   `json:"rank,omitempty"`
	Thread *int   `json:"thread,omitempty"`
	Func   string `json:"func"`
	// In and Out are values by the names of parameters; Out may hold "return". A value is a number;
	// a string for a named constant, an object, an address or a string; a list; an object with the
	// members source, tag, bytes, error, cancelled and ignored for a status; or null if it is not
	// known or not significant.
	In  map[string]any `json:"in"`
	Out map[string]any `json:"out"`
	// Ret is what the call returned, Error its name if the call failed.
	Ret   int64  `json:"ret"`
	Error string `json:"error,omitempty"`
	// Flags are nested, failed, unfinished and poll; and own for a record of Tabard, which is no call of the program.
	Flags []string `json:"flags,omitempty"`
	// Site is where the call is made.
	Site  []CallFrame `json:"site,omitempty"`
	Start *int64      `json:"start_ns,omitempty"`
	End   *int64      `json:"end_ns,omitempty"`
}

// CallFrame is a frame of a call site, innermost first. The module is a number in the archive.
type CallFrame struct {
	Func   string `json:"func"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Module int    `json:"module"`
	Offset uint64 `json:"offset"`
}

// AppendCall appends a call as one line. It does not go through Call: there may be 10^9 of them.
func AppendCall(b []byte, s *archive.Stream, c *archive.Call) ([]byte, error) {
	text, err := c.MarshalJSON()
	if err != nil {
		return b, err
	}
	b = append(b, `{"schema":"`+CallSchema+`",`...)
	if world := s.Rank().World; world > 0 {
		b = fmt.Appendf(b, `"world":%d,`, world)
	}
	b = append(b, text[1:]...)
	return append(b, '\n'), nil
}
