package report

import (
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/waits"
)

// WaitsSchema names the form of Waits.
const WaitsSchema = "tabard.waits/1"

// NarrowWaits leaves out all waits but those of one kind and those that one process causes; -1
// means all. The sums stay.
func NarrowWaits(r *waits.Result, kind, cause int) {
	if kind >= 0 {
		r.Groups = slices.DeleteFunc(r.Groups, func(g waits.Group) bool { return int(g.Kind) != kind })
	}
	if cause < 0 {
		return
	}
	is := func(s waits.Share) bool { return int(s.Process) == cause }
	r.Groups = slices.DeleteFunc(r.Groups, func(g waits.Group) bool { return !slices.ContainsFunc(g.Causers, is) })
	kept := make([]int, len(r.Roots))
	var roots []waits.Root
	for i, x := range r.Roots {
		if kept[i] = -1; int(x.Process) == cause {
			kept[i] = len(roots)
			roots = append(roots, x)
		}
	}
	r.Roots = roots
	steps := r.Steps[:0]
	for _, s := range r.Steps {
		if s.Root >= 0 && kept[s.Root] >= 0 {
			s.Root = kept[s.Root]
			steps = append(steps, s)
		}
	}
	r.Steps = steps
}

var _ = register[Waits](WaitsSchema, "waits --json")

// Waits is who waits for whom, where, and why.
type Waits struct {
	Schema    string               `json:"schema"`
	File      string               `json:"file"`
	Elapsed   time.Duration        `json:"elapsed_ns"` // of all processes together
	Total     waits.Sum            `json:"total"`
	Short     waits.Sum            `json:"short"`
	Backwards waits.Sum            `json:"received_before_sent"`
	Kinds     map[string]waits.Sum `json:"kinds"`
	Causes    []WaitCause          `json:"causes"`
	Waits     []WaitGroup          `json:"waits"`
	Processes []WaitProcess        `json:"processes"`
	Steps     []WaitStep           `json:"steps"`
	Queues    []WaitQueue          `json:"queues,omitempty"`
}

// WaitCause is a process that came late to a call, and the waiting that goes back to that.
type WaitCause struct {
	Process   int32         `json:"process"`
	Late      waits.Place   `json:"late"`
	Time      time.Duration `json:"time_ns"`
	Waits     uint64        `json:"waits"`
	Steps     int           `json:"steps"`
	Worst     int64         `json:"worst_step"` // -1 without time steps
	WorstTime time.Duration `json:"worst_step_ns"`
}

// WaitGroup is like waits.
type WaitGroup struct {
	Kind waits.Kind `json:"kind"`
	waits.Sum
	Waiting waits.Place   `json:"waiting"`
	Late    waits.Place   `json:"late"`
	Waiters []waits.Share `json:"waiters"`
	Causers []waits.Share `json:"causers"`
}

// WaitProcess is how long a process waited, others waited for it, and how much waiting goes back to
// it.
type WaitProcess struct {
	Process int32                    `json:"process"`
	Waited  map[string]time.Duration `json:"waited_ns"`
	Caused  time.Duration            `json:"caused_ns"`
	Root    time.Duration            `json:"root_ns"`
}

// WaitStep is the waiting in a time step.
type WaitStep struct {
	Step  uint64        `json:"step"`
	Time  time.Duration `json:"time_ns"`
	Cause int           `json:"cause"` // an index in causes, -1 if none
	Part  time.Duration `json:"cause_ns"`
}

// WaitQueue is the messages of one process to another that lay there before their receives were posted, when there were
// most; there may have been more than could be counted.
type WaitQueue struct {
	From     int32         `json:"from"`
	To       int32         `json:"to"`
	Messages int           `json:"messages"`
	More     bool          `json:"more,omitempty"`
	Bytes    int64         `json:"bytes"`
	When     time.Duration `json:"at_ns"`
	Sent     waits.Place   `json:"sent"`
	Received waits.Place   `json:"received"`
	Blocked  waits.Sum     `json:"blocked"` // sends that waited until there was room for more
}

// NewWaits makes the document of a result.
func NewWaits(file string, r *waits.Result) *Waits {
	j := &Waits{Schema: WaitsSchema, File: file, Elapsed: r.Elapsed, Total: r.Total, Short: r.Short,
		Backwards: r.Backwards, Kinds: map[string]waits.Sum{}, Causes: []WaitCause{}, Waits: []WaitGroup{},
		Processes: []WaitProcess{}, Steps: []WaitStep{}}
	for k, s := range r.Kinds {
		j.Kinds[waits.Kind(k).String()] = s
	}
	for _, x := range r.Roots {
		j.Causes = append(j.Causes, WaitCause{x.Process, x.Late, x.Time, x.Waits, x.Steps, x.Worst, x.WorstTime})
	}
	for _, g := range r.Groups {
		j.Waits = append(j.Waits, WaitGroup{g.Kind, g.Sum, g.Waiting, g.Late, g.Waiters, g.Causers})
	}
	for _, p := range r.Processes {
		w := map[string]time.Duration{}
		for k, d := range p.Waited {
			if d > 0 {
				w[waits.Kind(k).String()] = d
			}
		}
		j.Processes = append(j.Processes, WaitProcess{p.Process, w, p.Caused, p.Root})
	}
	for _, s := range r.Steps {
		j.Steps = append(j.Steps, WaitStep{s.Step, s.Time, s.Root, s.RootTime})
	}
	for i := range r.Queues {
		q := &r.Queues[i]
		j.Queues = append(j.Queues, WaitQueue{q.From, q.To, q.Most, q.More, q.Bytes, q.When, q.Sent, q.Received,
			q.Blocked})
	}
	return j
}
