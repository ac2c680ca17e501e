package loops

import (
	"math"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
)

// findCalls fills in Calls and Share, from the first member.
func (c *Class) findCalls() error {
	s := c.parts[0].streams[0]
	perEvent, err := callsPerEvent(s)
	if err != nil {
		return err
	}
	// How often a block is executed is known once everything before it has been counted.
	executed := make([]uint64, len(c.Blocks))
	c.sequenceCalls(c.Body, 1, perEvent, executed)
	for i := len(c.Blocks) - 1; i >= 0; i-- {
		c.sequenceCalls(c.Blocks[i], executed[i], perEvent, executed)
	}
	sums := make([]uint64, len(c.Blocks))
	for i, b := range c.Blocks {
		for _, n := range b {
			n.blockCalls(sums, executed)
			sums[i] += n.Calls
		}
	}
	for _, n := range c.Body {
		n.blockCalls(sums, executed)
	}
	all, err := s.ProgramCalls()
	c.All(func(n *Node) { n.Share = float64(n.Calls) / float64(max(all, 1)) })
	return err
}

// sequenceCalls counts the calls of a sequence. All counts are multiplied by times.
func (c *Class) sequenceCalls(seq []*Node, times uint64, perEvent []float64, executed []uint64) (calls uint64) {
	for _, n := range seq {
		switch n.Kind {
		case Call:
			n.Calls = n.callsOf(times, perEvent)
		case Loop, Mixed:
			n.Calls = c.sequenceCalls(n.Body, times, perEvent, executed)
		case Block:
			executed[n.Block] += n.Counts[0].Sum() * times
		}
		calls += n.Calls
	}
	return calls
}

// callsOf counts the calls of a call node. All terminals of the node that are
// polls are taken to have their average number of polls.
func (n *Node) callsOf(times uint64, perEvent []float64) uint64 {
	list := n.terminals(0)
	exact, sum := true, 0.0
	for _, t := range list {
		exact = exact && perEvent[t] == 1
		sum += perEvent[t]
	}
	events := n.Counts[0].Sum() * times
	if exact {
		return events
	}
	return uint64(math.Round(float64(events) * sum / float64(len(list))))
}

// blockCalls adds the calls that are in blocks.
func (n *Node) blockCalls(sums, executed []uint64) uint64 {
	switch n.Kind {
	case Block:
		if e := executed[n.Block]; e > 0 {
			// sums has the calls of all executions of the block.
			n.Calls = sums[n.Block] / e * n.Counts[0].Sum()
		}
	case Loop:
		n.Calls = 0
		for _, m := range n.Body {
			n.Calls += m.blockCalls(sums, executed)
		}
	}
	return n.Calls
}

// callsPerEvent is how many calls an event of each terminal is: more than one for
// runs of polls.
func callsPerEvent(s *archive.Stream) ([]float64, error) {
	counts, err := s.Counts()
	if err != nil {
		return nil, err
	}
	events, err := s.Occurrences()
	if err != nil {
		return nil, err
	}
	per := make([]float64, len(counts))
	for t := range per {
		if per[t] = 1; events[t] > 0 {
			per[t] = float64(counts[t]) / float64(events[t])
		}
	}
	return per, nil
}

// findTimes fills in Time for the nodes of the body that are executed once. It
// reads the time stamps of the first member at the boundaries of the nodes: two
// blocks of time stamps for each. Where runs of polls come before, they are
// taken to have their average length.
func (c *Class) findTimes(limit int64) error {
	s := c.parts[0].streams[0]
	if !s.Timed() || s.Archive().Stats().Timing > limit || s.Calls() == 0 {
		return nil
	}
	times, err := s.Timing()
	if err != nil {
		return err
	}
	x, err := s.GrammarIndex()
	if err != nil {
		return err
	}
	per, err := callsPerEvent(s)
	if err != nil {
		return err
	}
	_, begin := times.At(0)
	end, _ := times.At(s.Calls() - 1)
	if end <= begin {
		return times.Err()
	}
	at, blocks := uint64(0), c.blockEvents()
	// The recorder's own records are not in the nodes: they are taken to be spread evenly.
	visible, total := uint64(0), x.Len()
	for _, n := range c.Body {
		visible += n.events(blocks)
	}
	event := func(i uint64) uint64 { return uint64(float64(i) / float64(max(visible, 1)) * float64(total)) }
	if visible == total {
		event = func(i uint64) uint64 { return i }
	}
	for _, n := range c.Body {
		events := n.events(blocks)
		if n.Kind == Loop {
			first, _ := times.At(callAt(x, event(at), per, s.Calls()))
			_, last := times.At(max(callAt(x, event(at+events), per, s.Calls()), 1) - 1)
			n.Time = max(0, min(1, float64(int64(last-first))/float64(end-begin)))
		}
		at += events
	}
	return times.Err()
}

// callAt is the number of the first call of event i.
func callAt(x *grammar.Index, i uint64, per []float64, calls uint64) uint64 {
	exact, sum, extra := true, uint64(0), 0.0
	for t, n := range x.CountBefore(i) {
		sum += n
		if n > 0 && per[t] != 1 {
			exact = false
			extra += float64(n) * (per[t] - 1)
		}
	}
	if !exact {
		sum += uint64(extra)
	}
	return min(sum, calls)
}

// events is the length of the node's part of the grammar's word in all
// executions of the sequence that the node is in, on a rank of the first
// variant; blocks has those of the blocks.
func (n *Node) events(blocks []uint64) uint64 {
	sum := uint64(0)
	switch n.Kind {
	case Call:
		return n.Counts[0].Sum()
	case Block:
		return blocks[n.Block] * n.Counts[0].Sum()
	}
	for _, m := range n.Body {
		sum += m.events(blocks)
	}
	return sum
}

// blockEvents is the length of each block's part of the word.
func (c *Class) blockEvents() []uint64 {
	blocks := make([]uint64, len(c.Blocks))
	for i, seq := range c.Blocks {
		for _, n := range seq {
			blocks[i] += n.events(blocks)
		}
	}
	return blocks
}
