package waits

import (
	"time"

	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/analysis/match"
)

// Result is the waits of a program. Times of different processes add up.
type Result struct {
	// Kinds are the sums of all waits by pattern.
	Kinds [NumKinds]Sum
	// Groups are all waits by pattern, call that waited and call that came late, the most expensive
	// first.
	Groups []Group
	// Processes are the processes that waited or made others wait, by number.
	Processes []Process
	// Roots are the delays that made others wait, by process and call, the dearest first.
	Roots []Root
	// Steps are the time steps in which processes waited, by number.
	Steps []Step
	// Total is all waiting, Short what is not in Roots and Steps (see Options.Keep); Longest the
	// greatest length of these.
	Total, Short Sum
	Longest      time.Duration
	// Queues are the longest ones of messages that lay somewhere before their receives were posted, of at least 64.
	Queues []Queue
	// InFiles is the waiting for processes while they accessed files.
	InFiles time.Duration
	// Elapsed is the time between MPI_Init and MPI_Finalize (see usage.Active), summed over processes.
	Elapsed time.Duration
	// Backwards counts messages that were received before they were sent: clocks that were not
	// corrected.
	Backwards Sum
	// Match is what matching found.
	Match *match.Summary
	// Worlds tell what the numbers of processes mean.
	Worlds []comms.World
}

// Sum is some waits.
type Sum struct {
	Count uint64        `json:"count"`
	Time  time.Duration `json:"time_ns"`
	Max   time.Duration `json:"max_ns"`
}

func (s *Sum) add(d time.Duration) {
	s.Count++
	s.Time += d
	s.Max = max(s.Max, d)
}

// Place is a call of the program: function and call site.
type Place struct {
	Func string `json:"func"`
	Site string `json:"site"` // as archive.Site.String, empty if unknown
}

// Share is the part of a time that belongs to one process.
type Share struct {
	Process int32         `json:"process"`
	Time    time.Duration `json:"time_ns"`
}

// Group is the waits of one pattern at one call because of one other call.
type Group struct {
	Sum
	Kind    Kind
	Waiting Place
	// Late is the call that came late.
	Late Place
	// Waiters and Causers are the processes that waited and for which, the greatest shares first;
	// at most MaxShares.
	Waiters, Causers []Share
}

// MaxShares is how many processes a group lists.
const MaxShares = 8

// Process is the waits of a process.
type Process struct {
	Process int32
	// Waited is its own waiting by pattern, Caused the waiting of others for it, and Root
	// how much of all waiting goes back to its delays.
	Waited       [NumKinds]time.Duration
	Caused, Root time.Duration
	// Serving is its own waiting for messages from any source.
	Serving time.Duration
}

// Total is all that the process waited.
func (p *Process) Total() (t time.Duration) {
	for _, d := range p.Waited {
		t += d
	}
	return t
}

// Root is a delay: process Process came late to Late, and others waited for Time.
type Root struct {
	Process int32
	Late    Place
	// Time is the waiting that goes back to it, Waits how many waits have a part in that.
	Time  time.Duration
	Waits uint64
	// Ordered is the part of Time that began with a wait in the wrong order: the process that waited first could have
	// received another message.
	Ordered time.Duration
	// InFiles is the part of Time in which the process accessed files.
	InFiles time.Duration
	// Serving is the part of Time in which processes waited for the process in receives from any source.
	Serving time.Duration
	// Steps is in how many time steps of the waiting processes, Worst that with the most waiting,
	// WorstTime; -1 if the program has no time-step loop.
	Steps     int
	Worst     int64
	WorstTime time.Duration
	// Most is the least number of time steps that have four fifths of the time in steps, about: few mean that the
	// process is late now and then, many that it always is.
	Most int
}

// Step is the waiting in a time step, numbered from 0.
type Step struct {
	Step uint64
	Time time.Duration
	// Root is the index in Result.Roots of the delay that most of it goes back to, -1 if none, and
	// RootTime how much.
	Root     int
	RootTime time.Duration
}
