package bundle

// codesNext tells whether the next number is to be coded.
func (c *Column) codesNext() bool { return c.Coded != nil && c.next == uint64(len(c.Coded.Known)) }

// read is the next number; it is not ok if it is not known.
func (c *Column) read() (v int64, ok bool) {
	i := c.next
	c.next++
	if c.Coded != nil {
		if i < uint64(len(c.Coded.Known)) {
			return c.Coded.Known[i], true
		}
		return 0, false
	}
	if c.Stored == nil {
		return 0, false
	}
	if i-c.at >= uint64(len(c.buf)) {
		c.buf = c.buf[:cap(c.buf)]
		if len(c.buf) == 0 {
			c.buf = make([]int64, 256)
		}
		n := c.Stored.Read(i, c.buf)
		if c.buf, c.at = c.buf[:n], i; n == 0 || c.Stored.Err() != nil {
			c.Stored = nil
			return 0, false
		}
	}
	return c.buf[i-c.at], true
}

// history is what a stream knows of the numbers of a key.
type history struct {
	last [3]int64 // the latest first
	n    int
	past [numGuesses]uint8

	// Of counts, the sum of the last array. Of displacements, the sum that this one may be, the same
	// rounded up, by what one was more than the sum when it was not that, and what divides all.
	total, sum, aligned, pad, divisor int64
}

// walk goes through the calls of a stream and codes the numbers of its own columns.
type walk struct {
	m    *Coder
	s    *Stream
	rank int64  // in MPI_COMM_WORLD, -1 if unknown
	salt uint64 // tells streams apart
	// By terminal, made when needed: what is known of it, what its calls do, and the contexts of
	// their steps.
	terminals []Terminal
	calls     []*call
	contexts  [][]*context
	state     map[*context]*history

	recent [numRoles][3]int64
	differ [numRoles][2]int64
	top    int64 // the greatest request
	seen   [numRoles]int
	posted map[int64]*message
	batch  []message // what the last call with statuses received
	taken  int       // how many of those other calls looked at
	pools  map[poolID]*requestPool
	poolOf map[int64][2]*requestPool
	vectors
	wrong uint8 // for which of the last two coded numbers no guess was right

	// of the current call
	event    uint64 // since all processes met
	meets    uint64
	sent     message
	got      []message
	requests []int64
	indices  []int64
	lengths  map[int]int // of arrays, by slot
	made     []int64
}

func newWalk(m *Coder, s *Stream, salt uint64) *walk {
	return &walk{
		m: m, s: s, rank: int64(s.Rank), salt: salt,
		terminals: make([]Terminal, s.Terminals), calls: make([]*call, s.Terminals),
		contexts: make([][]*context, s.Terminals), state: map[*context]*history{}, posted: map[int64]*message{},
		pools: map[poolID]*requestPool{}, poolOf: map[int64][2]*requestPool{}, lengths: map[int]int{},
		vectors: vectors{comms: map[int64]member{}, nth: map[uint64]uint64{}},
	}
}

// run goes through all calls that are walked.
func (s *walk) run() error {
	cur := s.s.Grammar.NewCursor()
	for t, ok := cur.Next(); ok; t, ok = cur.Next() {
		if s.s.Events > 0 && cur.Pos() > s.s.Events {
			break
		}
		if err := s.call(t); err != nil {
			return err
		}
		s.event++
		if s.calls[t].syncs {
			s.meets, s.event = s.meets+1, 0
		}
	}
	return nil
}

// prepare makes the steps of a terminal.
func (s *walk) prepare(t uint32) *call {
	s.terminals[t] = s.s.Terminal(t)
	sig := &s.terminals[t]
	c := callOf(sig, s.m.model)
	s.contexts[t] = make([]*context, len(c.steps))
	for i := range c.steps {
		st := &c.steps[i]
		if st.place >= 0 && s.s.Columns[s.s.First[t]+uint32(st.place)].Coded != nil {
			s.contexts[t][i] = s.m.context(contextID{sig.Func, sig.Site, st.slot, st.field})
		}
	}
	s.calls[t] = &c
	return &c
}

func (s *walk) call(t uint32) error {
	c := s.calls[t]
	if c == nil {
		c = s.prepare(t)
	}
	sig := &s.terminals[t]
	s.sent, s.got = message{kind: 1}, append(s.got[:0], message{})
	s.requests, s.indices, s.made = s.requests[:0], s.indices[:0], s.made[:0]
	if c.collective != nil {
		s.beginVector(c.collective)
	}
	first, looked := s.s.First[t], false
	for i := range c.steps {
		st := &c.steps[i]
		if st.phase > phaseFirst && !looked {
			if looked = true; c.finishes {
				s.look()
			} else if c.reads && len(s.batch) > 0 {
				s.got[0] = s.batch[min(s.taken, len(s.batch)-1)]
			}
		}
		n := 1
		if st.array && st.field >= 0 {
			n = s.length(sig, st)
		}
		if s.m.work -= n; s.m.work < 0 {
			return ErrWork
		}
		for j := range n {
			v, ok := int64(0), false
			if st.place < 0 {
				v, ok = sig.Slots.Number(st.slot, st.field, j)
			} else if col := &s.s.Columns[first+uint32(st.place)]; col.codesNext() {
				col.next++
				if s.m.left--; s.m.left < 0 || col.Coded.full() {
					return ErrValues
				}
				v, ok = s.code(t, s.contexts[t][i], col.Coded, st, j, n), true
			} else {
				v, ok = col.read()
			}
			if st.vector != nil {
				s.noteVector(st.slot, v)
			}
			if ok {
				s.note(st, j, v)
			} else if st.field < 0 && st.slot >= 0 {
				s.lengths[st.slot] = 0
			}
		}
	}
	s.finish(t, c)
	if c.collective != nil {
		s.finishVector(t, c.collective)
	}
	return nil
}

// length is the number of elements of an array.
func (s *walk) length(sig *Terminal, st *step) int {
	if st.place >= 0 {
		return s.lengths[st.slot]
	}
	return sig.Slots.Len(st.slot)
}

// message is what the call says about the message that a step is about.
func (s *walk) message(st *step, j int) *message {
	if st.sends {
		return &s.sent
	}
	j = min(j, maxRequests-1)
	for j >= len(s.got) {
		s.got = append(s.got, message{})
	}
	return &s.got[j]
}

// look finds what was said when the requests were made that the call finishes.
func (s *walk) look() {
	comm, known := s.got[0].v[roleComm], s.got[0].has[roleComm]
	n := max(len(s.requests), len(s.indices))
	if len(s.indices) > 0 {
		n = len(s.indices)
	}
	s.got = s.got[:0]
	for j := range n {
		s.got = append(s.got, message{})
		k := j
		if len(s.indices) > 0 {
			k = int(s.indices[j])
		}
		if k < 0 || k >= len(s.requests) {
			continue
		}
		x := s.posted[s.requests[k]]
		if x == nil {
			continue
		}
		if s.got[j].kind = x.kind; x.kind == 2 { // the status of what was sent says nothing
			s.got[j] = *x
		}
	}
	if n == 0 {
		s.got = append(s.got, message{})
		s.got[0].v[roleComm], s.got[0].has[roleComm] = comm, known
	}
}

// note takes a number of a call in.
func (s *walk) note(st *step, j int, v int64) {
	if st.field < 0 {
		if st.slot >= 0 {
			s.lengths[st.slot] = int(min(max(v, 0), MaxWork))
		}
		return
	}
	r := st.role
	switch r {
	case roleOther:
		return
	case roleIndex:
		if len(s.indices) < maxRequests {
			s.indices = append(s.indices, v)
		}
		return
	case roleComm:
		s.sent.set(r, v)
		for i := range s.got {
			s.got[i].set(r, v)
		}
		return
	case roleRequest:
		if list := s.listOf(st); len(*list) < maxRequests {
			*list = append(*list, v)
		}
	}
	if v < 0 {
		return // a wildcard, or no process
	}
	if r != roleRequest {
		if x := s.message(st, j); x.kind != 1 || st.sends {
			x.set(r, v)
		}
	}
	if d := &s.differ[r]; v != d[0] || s.seen[r] == 0 {
		s.m.put(hashOf(uint64(r), uint64(d[0]), uint64(d[1])), v)
		d[0], d[1] = v, d[0]
	}
	s.recent[r] = [3]int64{v, s.recent[r][0], s.recent[r][1]}
	s.seen[r]++
}

// listOf is where the requests of a step are noted.
func (s *walk) listOf(st *step) *[]int64 {
	if st.made {
		return &s.made
	}
	return &s.requests
}

// finish is the end of a call.
func (s *walk) finish(t uint32, c *call) {
	at := s.meets<<32 + s.event
	if c.finishes && !c.polls {
		s.release()
	}
	for _, q := range s.made {
		if len(s.poolOf) >= maxRequests {
			break
		}
		near, far := s.poolsOf(t)
		near.take(q)
		far.take(q)
		s.poolOf[q] = [2]*requestPool{near, far}
		s.top = max(s.top, q)
	}
	if c.reads {
		s.taken++
	} else if !c.polls && (c.finishes || c.receives || c.probes) && !c.makes {
		s.batch, s.taken = append(s.batch[:0], s.got...), 0
	}
	switch {
	case c.polls:
	case c.finishes:
		for j := range s.got {
			if x := &s.got[j]; x.kind == 2 && !x.counted {
				s.m.count(s.s.World, s.rank, false, x, at)
			}
		}
	case c.makes:
		for _, q := range s.made {
			if len(s.posted) >= maxRequests {
				break
			}
			x := new(message)
			if c.sends {
				*x = s.sent
			} else if c.receives {
				*x = s.got[0]
				x.kind = 2
			} else {
				continue
			}
			if x.has[rolePeer] {
				x.other, x.counted = s.m.count(s.s.World, s.rank, c.sends, x, at), true
			}
			s.posted[q] = x
		}
	case !c.probes:
		if c.sends {
			s.m.count(s.s.World, s.rank, true, &s.sent, at)
		}
		if c.receives {
			s.m.count(s.s.World, s.rank, false, &s.got[0], at)
		}
	}
}

// code codes the next number of a column, element j of n.
func (s *walk) code(t uint32, k *context, b *Values, st *step, j, n int) int64 {
	p := s.state[k]
	if p == nil {
		p = new(history)
		s.state[k] = p
	}
	at := j
	if st.vector != nil {
		at = 0
	}
	x := s.message(st, at)
	r := st.role
	var g [numGuesses]guess
	var before [numGuesses]int64 // as they were scaled
	put := func(i int, v int64) {
		before[i] = v
		if g[i] = (guess{v, true}); r == roleSize || i == guessOther {
			g[i] = k.scale[i].of(v)
		}
	}
	if s.seen[r] > 0 {
		put(guessRecent, s.recent[r][0])
	}
	if st.field >= 0 && (r == rolePeer || r == roleTag || r == roleSize) {
		s.guessMessage(r, x, st.sends, put)
	}
	if st.made {
		near, far := s.poolsOf(t)
		put(guessKnown, far.least(s.top))
		put(guessPeer, near.least(s.top))
	}
	displ := st.vector != nil && st.vector.kind == vectorDispl // what was before it says little
	last, peer := p.last, int64(-1)
	if r != roleOther {
		last = s.recent[r]
	}
	if peer = s.recent[rolePeer][0]; x.has[rolePeer] {
		peer = x.v[rolePeer]
	}
	if st.vector != nil && st.array {
		peer = int64(j)
	}
	id := s.salt<<32 | k.id
	pair := hashOf(id, 1, uint64(p.last[0]), uint64(p.last[1]))
	forPeer := hashOf(id, 2, uint64(peer))
	triple := hashOf(id, 3, uint64(last[0]), uint64(last[1]), uint64(last[2]))
	g[guessFor] = s.m.find(forPeer)
	if !displ {
		g[guessPair], g[guessTriple] = s.m.find(pair), s.m.find(triple)
	}
	next := uint64(0)
	if r != roleOther {
		next = hashOf(uint64(r), uint64(s.differ[r][0]), uint64(s.differ[r][1]))
	} else {
		next = hashOf(k.id, 4, uint64(p.last[0]), uint64(p.last[1]))
	}
	if !displ {
		g[guessNext] = s.m.find(next)
	}
	stride := hashOf(id, 5, uint64(peer))
	if g[guessStride] = s.m.find(stride); g[guessStride].ok {
		g[guessStride].v += last[0]
	}
	if p.n > 0 {
		g[guessSame] = guess{p.last[0], true}
		if r == roleOther || r == roleRequest {
			g[guessSame].v += p.last[0] - p.last[1]
		}
	}
	if st.vector != nil {
		s.guessVector(t, k, p, st, j, n, put)
	}
	v := int64(0)
	if b.All != nil {
		v = b.All[len(b.Known)]
	}
	v = s.m.number(k, x.kind, &g, &p.past, &s.wrong, v)
	b.Known = append(b.Known, v)
	if st.vector != nil {
		s.learnVector(k, p, st, j, n, v)
	}
	if r == roleSize || st.vector != nil {
		for i := range before {
			if before[i] > 0 && !(g[i].ok && g[i].v == v) {
				k.scale[i].learn(before[i], v)
			}
		}
	}
	if !displ {
		s.m.put(pair, v)
	}
	s.m.put(forPeer, v)
	if !displ {
		s.m.put(triple, v)
	}
	s.m.put(stride, v-last[0])
	if r == roleOther && !displ {
		s.m.put(next, v)
	}
	p.last = [3]int64{v, p.last[0], p.last[1]}
	p.n++
	return v
}

// guessMessage makes the guesses that follow from the message.
func (s *walk) guessMessage(r role, x *message, sends bool, put func(i int, v int64)) {
	if x.has[r] {
		put(guessKnown, x.v[r])
	}
	other := x.other
	if other == nil && s.rank >= 0 && !x.counted {
		if r == rolePeer && !x.has[rolePeer] {
			if g := s.m.earliest(s.s.World, s.rank, sends, x.v[roleComm]); g.ok {
				put(guessPeer, g.v)
			}
			return
		}
		other = s.m.waiting(s.s.World, s.rank, sends, x)
	}
	switch {
	case other == nil:
	case r == roleTag:
		put(guessPeer, other.tag)
	case r == roleSize:
		put(guessPeer, other.size)
	}
}
