package collect

import (
	"github.com/tabard-hpc/tabard/internal/record/ring"
)

// chain is the records of one thread: its segments in the order of seq, and a
// position in them. Everything before the position has been taken in.
type chain struct {
	thread int
	tid    int
	files  map[string]*ring.Segment // known segments by path
	cur    *ring.Segment            // the segment with number seq, nil until it is there
	seq    uint64
	off    int // in words
	// begun: the entry of the call at the position has been taken in, its
	// return has not.
	begun bool
	// skip: its entry was broken, its return must be left out too.
	skip bool

	limit     int         // words of cur that may be read; see refresh
	inCall    bool        // as of the last refresh
	pend      ring.Record // copy of the entry part at limit, nil if none; see entry
	last      uint64      // time of the last thing taken in
	raw       *rawFile
	rawFailed bool
	s         *stream
}

// find looks for the segment that the position is in, once it is not cur. It reports
// whether there is one.
func (c *chain) find() bool {
	if c.cur != nil {
		return true
	}
	for _, seg := range c.files {
		if seg.State() != ring.SegFree && seg.Seq() == c.seq {
			c.cur = seg
			return true
		}
	}
	return false
}

// refresh looks how far the program is.
func (c *chain) refresh() {
	c.inCall, c.pend, c.limit = false, nil, 0
	if !c.find() {
		// The program is between two segments: in a call.
		c.inCall = c.seq > 0
		return
	}
	// This order matters: what ended before inCall was read is published.
	c.inCall = c.cur.InCall()
	before := c.cur.Published()
	pend := c.cur.Pending()
	if pend != nil {
		pend = append(ring.Record(nil), pend...)
	}
	full := c.cur.State() == ring.SegFull
	// The runtime clears pending before it touches or publishes the record, so
	// a copy is whole if pending is as it was and nothing was published.
	if again := c.cur.Pending(); !c.inCall || full || len(again) != len(pend) {
		pend = nil
	}
	if c.limit = c.cur.Published(); c.limit == before {
		c.pend = pend
	}
	c.cur.Touch(c.off, c.limit) // if some of it is gone, that shows here, and not halfway through a record
}

// entry is the entry part of the call in progress if the position is there, nil otherwise.
func (c *chain) entry() ring.Record {
	if c.off != c.limit {
		return nil
	}
	return c.pend
}

// words are the published words from the position on.
func (c *chain) words() []uint64 {
	if c.cur == nil || c.off >= c.limit {
		return nil
	}
	return c.cur.Words(c.off, c.limit)
}

// advance goes to the next segment when cur is full and read to its end. It
// reports whether it did.
func (c *chain) advance() bool {
	if c.cur == nil || c.cur.State() != ring.SegFull && !c.cur.Lost() || c.off < c.cur.Published() {
		return false
	}
	if c.cur.Lost() {
		c.leave()
		return true
	}
	c.cur.SetConsumed(c.off)
	c.cur, c.off, c.limit = nil, 0, 0
	c.seq++
	return true
}

// abandoned tells that the program went on to another segment without a word in the one at the position: its file was
// made shorter, and what the program wrote there since is lost.
// In a snapshot, a segment may not be full yet although the program has begun the next one since.
func (c *chain) abandoned() bool {
	return c.find() && c.cur.State() != ring.SegFull && (c.cur.Lost() || c.cur.Shortened()) && c.beyond()
}

// leave gives up the segment at the position. It stays known: it is not looked at anew.
func (c *chain) leave() {
	p := c.s.p
	p.missing++
	p.complain("thread %d: the file of segment %d was made shorter while the program ran, or cannot be read: calls are "+
		"missing", c.thread, c.seq)
	c.cur, c.off, c.limit = nil, 0, 0
	c.begun, c.skip, c.inCall, c.pend = false, false, false, nil
	c.seq++
}

// release hands segments before the position back to the program: a durable state covers them, or none could be
// written. Then what the program does not want back stays for a recovery; else its file is removed.
func (c *chain) release(seq uint64, durable bool) {
	for path, seg := range c.files {
		switch {
		case seg.State() != ring.SegFull || seg.Seq() >= seq:
		case !seg.Once():
			seg.SetFree()
		case durable:
			seg.SetFree()    // whoever looks at it meanwhile need not take it in
			_ = seg.Remove() // free: nobody takes it in again
			seg.Close()
			delete(c.files, path)
		}
	}
}

// first puts the position at the lowest segment that exists, if the one that it should be in is
// gone. It returns the number of segments that are missing.
func (c *chain) first() uint64 {
	if c.find() {
		return 0
	}
	low, any := uint64(0), false
	for _, seg := range c.files {
		if s := seg.Seq(); seg.State() != ring.SegFree && s >= c.seq && (!any || s < low) {
			low, any = s, true
		}
	}
	if !any {
		return 0
	}
	missing := low - c.seq
	c.seq, c.off, c.begun, c.skip = low, 0, false, false
	return missing
}

// waiting counts the segments that are read but not handed back.
func (c *chain) waiting() int {
	n := 0
	for _, seg := range c.files {
		if seg.State() == ring.SegFull && seg.Seq() < c.seq {
			n++
		}
	}
	return n
}

func (c *chain) close() {
	for _, seg := range c.files {
		seg.Close()
	}
	c.files, c.cur = nil, nil
}
