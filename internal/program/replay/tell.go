package replay

import (
	"fmt"
	"io"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/spec"
)

// thread sets what the header says of the place of a stream in its process.
func (p *Program) thread(i, n int, unfinished bool) {
	p.tables.header[hThread], p.tables.header[hThreads] = uint64(i), uint64(n)
	if unfinished {
		p.tables.header[hFlags] |= flagUnfinished
	}
}

// unfinished tells whether a process initialised MPI and did not get through MPI_Finalize.
func unfinished(streams []*archive.Stream) bool {
	begun, ended := false, false
	for _, s := range streams {
		sigs, _ := s.Signatures()
		for _, sig := range sigs {
			if sig.Flags&(archive.Unfinished|archive.Failed) != 0 {
				continue
			}
			switch spec.ByID(sig.Func).Op {
			case spec.OpInit:
				begun = true
			case spec.OpFinalize:
				ended = true
			}
		}
	}
	return begun && !ended
}

// Tell prints what of a recording is not replayed, and why; nothing if all is.
func Tell(w io.Writer, a *archive.Archive, r *program.Result) {
	say := func(format string, args ...any) { fmt.Fprintf(w, "tabard: "+format+"\n", args...) }
	for i := 0; i < len(r.Skipped); {
		reason := r.Skipped[i].Reason
		var parts []string
		for ; i < len(r.Skipped) && r.Skipped[i].Reason == reason; i++ {
			s := &r.Skipped[i]
			if len(parts) < 6 {
				parts = append(parts, fmt.Sprintf("%s (%s)", s.Func, render.Plural(s.Calls, "call")))
			} else if len(parts) == 6 {
				parts = append(parts, "...")
			}
		}
		say("not replayed: %s: %s", strings.Join(parts, ", "), reason)
	}
	if r.Spawned > 0 {
		say("not replayed: %s that were started by the program", render.Plural(uint64(r.Spawned), "process"))
	}
	if r.Unranked > 0 {
		say("not replayed: %s that never initialised MPI", render.Plural(uint64(r.Unranked), "process"))
	}
	if a.Meta().Partial {
		say("the recording leaves out calls (see tabard info): what depends on them is not replayed, and ranks may " +
			"wait for each other")
	}
}
