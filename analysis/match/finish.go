package match

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
)

// finish handles what is left when all streams have been read.
func (r *runner) finish() error {
	for i := range r.procs {
		p := &r.procs[i]
		for k := range p.requests {
			r.abandon(&p.requests[k])
		}
		for _, k := range slices.Sorted(maps.Keys(p.far)) {
			r.abandon(p.far[k])
		}
		for _, k := range slices.Sorted(maps.Keys(p.messages)) {
			e := p.messages[k]
			r.unknown(e)
			r.close(e)
		}
	}
	r.guess()
	for _, e := range r.pool {
		why := SourceUnknown
		if !e.Done.Known() {
			why = NeverCompleted
		}
		r.unmatched(e, why)
		r.release(e)
	}
	r.pool = nil
	for _, k := range slices.SortedFunc(maps.Keys(r.channels), compareKeys) {
		ch := r.channels[k]
		for ch.sends.first != nil {
			r.leftOver(ch.sends.pop(), k.dest)
		}
		for ch.recvs.first != nil {
			r.leftOver(ch.recvs.pop(), k.source)
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(r.colls), compareColls) {
		r.emitColl(r.colls[k])
	}
	return r.failure
}

// leftOver reports an end that has stayed in its channel.
func (r *runner) leftOver(e *end, other int32) {
	if e.state&(cancelled|failed) != 0 {
		r.drop(e)
		return
	}
	why := NoPartner
	if p := r.process(other); p == nil || !p.whole {
		why = NotRecorded
	}
	r.unmatched(e, why)
	r.release(e)
}

func compareKeys(a, b key) int {
	return cmp.Or(cmp.Compare(a.comm, b.comm), cmp.Compare(a.dest, b.dest), cmp.Compare(a.source, b.source),
		cmp.Compare(a.tag, b.tag), cmp.Compare(a.part, b.part))
}

func compareColls(a, b collKey) int {
	return cmp.Or(cmp.Compare(a.scope.comm, b.scope.comm), cmp.Compare(a.scope.class, b.scope.class),
		cmp.Compare(a.scope.object, b.scope.object), cmp.Compare(a.index, b.index), cmp.Compare(a.round, b.round))
}

// waiting is a channel with sends that nothing has received.
type waiting struct {
	key key
	ch  *channel
}

// earlier is the order in which receives of unknown source take the sends that are left over: by
// their begin where times are known.
func earlier(a, b waiting) int {
	x, y := &a.ch.sends.first.Post, &b.ch.sends.first.Post
	if x.Timed && y.Timed && x.Begin != y.Begin {
		return cmp.Compare(x.Begin, y.Begin)
	}
	return compareKeys(a.key, b.key)
}

// date finds out when the call of an end began where streams are read without times. Few ends need it.
func (r *runner) date(e *end) {
	post := &e.Post
	if !r.opts.Untimed || post.Timed || !r.p.Archive.Stream(int(post.Stream)).Timed() || r.failure != nil {
		return
	}
	rd := r.late[post.Stream]
	if rd == nil {
		if rd, r.failure = r.p.Reader(r.p.Archive.Stream(int(post.Stream))); r.failure != nil {
			return
		}
		if r.late == nil {
			r.late = map[int32]*calls.Reader{}
		}
		r.late[post.Stream] = rd
	}
	var times [2]time.Duration
	r.failure = rd.Times(post.Call, times[:1], times[1:])
	post.Begin, post.End, post.Timed = times[0], times[1], r.failure == nil
}

// guess gives the remaining sends to the receives of unknown source, in the order in which these
// were posted.
func (r *runner) guess() {
	if len(r.pool) == 0 {
		return
	}
	type place struct{ comm, dest int32 }
	wanted := map[place][]waiting{}
	for _, e := range r.pool {
		wanted[place{e.key.comm, e.key.dest}] = nil
	}
	for k, ch := range r.channels {
		at := place{k.comm, k.dest}
		if _, ok := wanted[at]; ok && ch.sends.first != nil && ch.recvs.first == nil && ch.sends.first.is(fated) {
			r.date(ch.sends.first)
			wanted[at] = append(wanted[at], waiting{k, ch})
		}
	}
	for _, list := range wanted {
		slices.SortFunc(list, earlier)
	}
	slices.SortFunc(r.pool, func(a, b *end) int { return cmp.Compare(a.seq, b.seq) })
	left := r.pool[:0]
	for _, e := range r.pool {
		at := place{e.key.comm, e.key.dest}
		list := wanted[at]
		i := slices.IndexFunc(list, func(w waiting) bool { return e.admits(&w.key) })
		if i < 0 {
			left = append(left, e)
			continue
		}
		w := list[i]
		list = slices.Delete(list, i, i+1)
		e.key = w.key
		e.state |= guessed | resolved
		r.join(w.ch.sends.pop(), e, true)
		if s := w.ch.sends.first; s != nil && s.is(fated) {
			r.date(s)
			k, _ := slices.BinarySearchFunc(list, w, earlier)
			list = slices.Insert(list, k, w)
		}
		wanted[at] = list
	}
	clear(r.pool[len(left):])
	r.pool = left
}
