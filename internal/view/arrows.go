package view

import (
	"cmp"
	"slices"
	"sync"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/loops"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/view/api"
)

// Limits of what is drawn of messages.
const (
	maxArrows   = 5000
	maxBundles  = 20_000
	maxFormulas = 200
)

// maxKept is how many messages of a recording are kept once they have been matched: some 40 MB. Which send a receive
// belongs to follows from all that came before, so that those of a window cannot be found alone.
const maxKept = 400_000

// keptArrows are all messages of a recording, unless there are too many.
type keptArrows struct {
	mu      sync.Mutex
	known   bool
	tooMany bool
	all     []api.Arrow
}

// messagesOf hands out all messages. Of a recording with few of them they are matched once.
func (q *question) messagesOf(use func(*api.Arrow)) error {
	k := &q.rec.arrows
	k.mu.Lock()
	if k.tooMany { // others match at the same time
		k.mu.Unlock()
		return q.match(use)
	}
	defer k.mu.Unlock()
	if k.known {
		for i := range k.all {
			use(&k.all[i])
		}
		return nil
	}
	var all []api.Arrow
	tooMany := false
	err := q.match(func(a *api.Arrow) {
		use(a)
		if tooMany = tooMany || len(all) == maxKept; tooMany {
			all = nil
		} else {
			all = append(all, *a)
		}
	})
	if err == nil {
		k.known, k.tooMany, k.all = true, tooMany, all
	}
	return err
}

// match matches all messages.
func (q *question) match(use func(*api.Arrow)) error {
	j, err := q.drawn()
	if err != nil {
		return err
	}
	p := q.meter("matching messages", "events", 0)
	_, err = match.RunProgram(j.Program, match.Options{Progress: p.Show, Message: func(m *match.Message) error {
		if a, ok := arrow(j, m); ok {
			use(&a)
		}
		return nil
	}})
	return err
}

// arrows answers /api/arrows: the messages in a window of time, one by one if there are few, else by pairs of ranks.
func arrows(q *question) (any, error) {
	t0, t1, most, err := q.window(maxArrows)
	if err != nil {
		return nil, err
	}
	x := &api.Arrows{Arrows: []api.Arrow{}, Bundles: []api.Bundle{}, Formulas: []api.Formula{}}
	pairs := map[[2]int]*api.Bundle{}
	err = q.messagesOf(func(a *api.Arrow) {
		if a.End < t0 || a.Begin > t1 {
			return
		}
		if x.Total++; len(x.Arrows) < int(most) {
			x.Arrows = append(x.Arrows, *a)
		}
		k := [2]int{a.From, a.To}
		b := pairs[k]
		if b == nil {
			if len(pairs) == maxBundles {
				return
			}
			b = &api.Bundle{From: a.From, To: a.To}
			pairs[k] = b
		}
		b.Messages++
		b.Bytes += max(0, a.Bytes)
	})
	if err != nil {
		return nil, err
	}
	if x.Total > uint64(most) {
		x.Arrows = x.Arrows[:0]
		for _, b := range pairs {
			x.Bundles = append(x.Bundles, *b)
		}
		slices.SortFunc(x.Bundles, func(a, b api.Bundle) int {
			return cmp.Or(cmp.Compare(b.Messages, a.Messages), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
		})
	}
	slices.SortFunc(x.Arrows, func(a, b api.Arrow) int {
		return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To),
			cmp.Compare(a.Send, b.Send))
	})
	x.Formulas, err = q.rec.formulas(q.meter)
	return x, err
}

// arrow is a message as it is drawn. What a receiver waits is as in package waits: from the begin of the call that
// completes the receive to the begin of the send.
func arrow(j *report.Job, m *match.Message) (a api.Arrow, ok bool) {
	if m.Send == nil || m.Recv == nil || !m.Send.Post.Timed {
		return a, false
	}
	done := &m.Recv.Done
	if !done.Known() {
		done = &m.Recv.Post
	}
	if !done.Timed {
		return a, false
	}
	begin, from, end := j.At(m.Send.Process, m.Send.Post.Begin), j.At(m.Recv.Process, done.Begin),
		j.At(m.Recv.Process, done.End)
	a = api.Arrow{From: int(m.Send.Process), To: int(m.Recv.Process), Begin: int64(begin), End: int64(end),
		Posted: int64(from), Wait: int64(max(0, min(begin, end)-from)), Bytes: m.Bytes, Tag: m.Tag, Comm: m.Comm,
		Send: m.Send.Post.Call, Recv: done.Call}
	if m.Bytes == calls.UnknownBytes {
		a.Bytes = -1
	}
	return a, true
}

// formulas are the partners of calls as functions of the rank.
func (r *recording) formulas(meter report.Meter) ([]api.Formula, error) {
	classes, err := r.loopNests(meter)
	if err != nil {
		return nil, err
	}
	list := []api.Formula{}
	for _, c := range classes {
		ranks := report.RankList(c.Ranks())
		c.All(func(n *loops.Node) {
			if n.Kind != loops.Call || len(list) == maxFormulas {
				return
			}
			for _, p := range n.Params {
				if p.Relation == "" {
					continue
				}
				f := api.Formula{Func: n.Func().Name, Ranks: ranks, Text: p.Name + " = " + p.Relation,
					Calls: n.Calls * uint64(len(c.Streams()))}
				if len(n.Shape.Frames) > 0 {
					f.Site = n.Shape.Frames[0].String()
				}
				list = append(list, f)
			}
		})
	}
	return list, nil
}
