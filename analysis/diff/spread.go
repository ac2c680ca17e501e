package diff

import (
	"math"
	"sort"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// knowledge says from which call on each stream of a recording may depend on an outcome that
// differs. What a stream sends from there on carries it to whoever receives it: the closure of the
// outcomes under Lamport's happened-before relation ("Time, clocks, and the ordering of events in a
// distributed system", Communications of the ACM 21, 1978), as far as messages and collective calls
// tell. One-sided access, files and other memory are not followed. A difference that is caused
// through them counts.
type knowledge struct {
	a       *archive.Archive
	from    []uint64      // by stream; never, if it never does
	threads map[int][]int // the streams of processes with more than one
	// told is, by stream, 1 + the last call whose message or collective was looked at. again is set when
	// a stream turns out to have known before that.
	told  []uint64
	again bool
	err   error
}

const never = math.MaxUint64

// spread follows what differs at first through the messages and collective calls of a recording.
func (c *comparison) spread(s *side, arrivals []*Arrival) (*knowledge, error) {
	k := &knowledge{a: s.a, from: make([]uint64, s.a.NumStreams()), told: make([]uint64, s.a.NumStreams()),
		threads: map[int][]int{}}
	process, total := -1, uint64(0)
	for st := range s.a.Streams() {
		i := st.Index()
		k.from[i] = never
		if st.Process() == process {
			if k.threads[process] == nil {
				k.threads[process] = []int{i - 1}
			}
			k.threads[process] = append(k.threads[process], i)
		}
		process, total = st.Process(), total+st.Calls()
	}
	for _, a := range arrivals {
		k.learn(a.streams[s.number], a.next[s.number])
	}
	if total > c.o.Calls {
		c.note("too many calls to follow what came of the order in which messages arrived from rank to rank")
		return k, k.err
	}
	p, err := s.objects()
	if err != nil {
		return nil, err
	}
	// A message is handed out when both of its ends are complete. That may be after what its
	// receiver sends next: then it takes another pass.
	for k.again = len(arrivals) > 0 && len(k.from) > 1; k.again; {
		k.again = false
		clear(k.told)
		if _, err := match.RunProgram(p, match.Options{Message: k.message, Collective: k.collective,
			Untimed: true}); err != nil {
			return nil, err
		}
	}
	return k, k.err
}

// learn notes that a stream knows from a call on, and so do the other threads of the process after
// it.
func (k *knowledge) learn(stream int, call uint64) {
	if call >= k.from[stream] {
		return
	}
	k.since(stream, call)
	s := k.a.Stream(stream)
	for _, o := range k.threads[s.Process()] {
		if o != stream {
			k.since(o, min(k.from[o], k.meanwhile(s, call, k.a.Stream(o))))
		}
	}
}

// since notes that a stream knows from a call on.
func (k *knowledge) since(stream int, call uint64) {
	k.again = k.again || call < min(k.from[stream], k.told[stream])
	k.from[stream] = call
}

// meanwhile is the first call of another thread that does not begin before a call: of all its
// calls, without times.
func (k *knowledge) meanwhile(s *archive.Stream, call uint64, o *archive.Stream) uint64 {
	if !s.Timed() || !o.Timed() {
		return 0
	}
	if call >= s.Calls() {
		return never
	}
	x, err := s.CallAt(call)
	if err != nil {
		k.err = err
		return 0
	}
	begin := x.Start
	return uint64(sort.Search(int(min(o.Calls(), math.MaxInt)), func(i int) bool {
		y, err := o.CallAt(uint64(i))
		if err != nil {
			k.err = err
			return true
		}
		return y.Start >= begin
	}))
}

// sends tells whether a call of a stream may depend on what differs.
func (k *knowledge) sends(r *match.Ref) bool {
	if !r.Known() {
		return false
	}
	k.told[r.Stream] = max(k.told[r.Stream], r.Call+1)
	return r.Call >= k.from[r.Stream]
}

// receives notes that a call brought such knowledge.
func (k *knowledge) receives(r *match.Ref) {
	if r.Known() {
		k.learn(int(r.Stream), r.Call+1)
	}
}

func (k *knowledge) message(m *match.Message) error {
	if !k.sends(&m.Send.Post) {
		return nil
	}
	k.receives(&m.Recv.Done)
	switch {
	case m.Recv.Probe != nil:
		k.receives(m.Recv.Probe)
	case m.Recv.Post.Call < k.from[m.Recv.Post.Stream]:
		return k.probed(m)
	}
	return k.err
}

// maxProbed is how many calls before a receive a probe is looked for.
const maxProbed = 16

// probed looks for a probe that told of a message before it was received.
func (k *knowledge) probed(m *match.Message) error {
	post := &m.Recv.Post
	s := k.a.Stream(int(post.Stream))
	for i := post.Call; i > 0 && post.Call-i < maxProbed; i-- {
		x, err := s.CallAt(i - 1)
		if err != nil {
			return err
		}
		if slots := calls.SlotsOf(x.Func.ID); slots == nil || slots.Kind != calls.Probe || x.Flags&archive.Polls != 0 {
			continue
		}
		if v, ok := x.Out("status"); ok && v.Kind == archive.Stat && v.Stat.Tag != m.Tag {
			continue
		}
		k.learn(int(post.Stream), i)
		return k.err
	}
	return k.err
}

// collective follows a collective call: from those members whose buffers are sent to those whose
// buffers receive. Without data (a barrier, the creation of a communicator) each tells all.
func (k *knowledge) collective(x *match.Collective) error {
	sent, received, knows := false, false, false
	for i := range x.Parts {
		p := &x.Parts[i]
		sent, received = sent || p.Sent != 0, received || p.Received != 0
	}
	data := sent && received
	for i := range x.Parts {
		p := &x.Parts[i]
		knows = (!data || p.Sent != 0) && k.sends(&p.Post) || knows
	}
	if !knows {
		return nil
	}
	for i := range x.Parts {
		if p := &x.Parts[i]; !data || p.Received != 0 {
			k.receives(&p.Done)
		}
	}
	return k.err
}
