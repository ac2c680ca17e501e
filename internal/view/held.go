package view

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/view/api"
)

// unasked is how much memory an analysis may take that the page asks for by itself, in bytes. What takes more is held
// until a person has said that it may: many machines are for everybody's logins.
const unasked = 512 << 20

// accepted is the parameter that says so.
const accepted = "heavy"

// What the server takes with an analysis that matches messages, in bytes: for itself, for each thread, and for each
// call of those whose times are held at once. From the rows of 1,000 and 20,000 ranks of `go run ./bench/view -tables`.
const (
	ofServer   = 100 << 20
	ofThread   = 24 << 10
	ofCall     = 16
	mostAtOnce = 16 << 20
)

// A burden is what an analysis of all threads of recordings holds: the times of so many calls of so many threads.
type burden struct{ calls, threads uint64 }

// add adds a recording: of each thread a block of calls, and as much again as 256 calls take.
func (b *burden) add(a *archive.Archive) {
	const block, state = 1 << 14, 256
	for _, c := range a.Classes() {
		n := uint64(c.Ranks().Len())
		b.threads += n
		b.calls += n * (state + min(block, c.Stream(c.Ranks().Min()).Calls()))
	}
}

// memory is about how many bytes the server takes with an analysis that matches messages.
func (b burden) memory() uint64 {
	return ofServer + ofThread*b.threads + ofCall*min(b.calls, mostAtOnce)
}

// held tells what a question would take that has to wait until a person agrees; false if it may be worked out.
func (s *Server) held(q *question, e *endpoint) (p api.Pending, held bool) {
	need := s.burden.memory()
	if e.queue != long || need <= unasked || q.args.Get(accepted) != "" {
		return p, false
	}
	return api.Pending{Pending: true, Held: true, What: fmt.Sprintf(
		"This takes some minutes, and the server %.1f GB of memory.", float64(need)/1e9)}, true
}
