package efficiency

import (
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
)

// Observer finds the same as Of for a caller that reads the calls anyway. It must be given all
// calls of each stream in order. It is not safe for concurrent use.
type Observer struct {
	j       *job
	streams []*walker // by number; nil for those that do not matter
}

// Observe makes an Observer. Options.Progress is not called.
func Observe(p *calls.Program, o Options) (*Observer, error) {
	o.Progress = nil
	j, streams, err := newJob(p, o)
	if err != nil {
		return nil, err
	}
	j.shared = map[Key]*Distribution{}
	x := &Observer{j: j, streams: make([]*walker, p.Archive.NumStreams())}
	for _, s := range streams {
		if x.streams[s], err = j.walker(p.Archive.Stream(s)); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// Event adds an event of a stream.
func (x *Observer) Event(stream int32, op *calls.Op) error {
	if w := x.streams[stream]; w != nil {
		return w.call(op.Terminal, op.Timed, op.Call, op.Calls, op.Begin, op.End)
	}
	return nil
}

// Repeat adds calls of a stream that repeat the terminals of body, from body[at] on, with their
// times.
func (x *Observer) Repeat(stream int32, call uint64, body []uint32, at int, begins, ends []time.Duration) error {
	if w := x.streams[stream]; w != nil {
		return w.repeat(call, body, at, begins, ends)
	}
	return nil
}

// Result is what the calls tell so far. It may be asked for once.
func (x *Observer) Result() (*Result, error) {
	for _, w := range x.streams {
		if w != nil {
			w.flush()
			if err := w.finish(); err != nil {
				return nil, err
			}
		}
	}
	for k, d := range x.j.shared {
		if p := x.j.place[k]; p != nil {
			p.Durations.Merge(d)
		}
	}
	x.j.finish()
	return x.j.r, nil
}
