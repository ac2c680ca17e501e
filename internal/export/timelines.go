package export

import (
	"fmt"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/gpus"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/resolve"
	"github.com/tabard-hpc/tabard/spec"
)

// timeline is what the formats that show calls over time have in common.
type timeline struct {
	*Job
	program *calls.Program
	parts   []*selection.Part
	// from and to are the begin of the first selected call and the end of the last one.
	from, to time.Duration
	arrows   notes
	flying   *binned // bytes of messages under way, by sending process
	// Arrows counts messages of which both ends are selected.
	messages uint64
}

// openStreams finds the streams with times.
func openStreams(j *Job) (*timeline, error) {
	t := &timeline{Job: j}
	err := t.findParts()
	if err == nil {
		t.program, err = calls.Open(j.Archive)
	}
	return t, err
}

// openTimeline finds the streams with times, and matches their messages.
func openTimeline(j *Job) (*timeline, error) {
	t, err := openStreams(j)
	if err != nil {
		return nil, err
	}
	if err = t.match(); err != nil {
		t.arrows.close()
		return nil, err
	}
	return t, t.arrows.rewind()
}

// findParts lists the selected parts in the order of streams.
func (t *timeline) findParts() (err error) {
	if t.parts, err = t.sel.TimedParts(); err != nil {
		return err
	}
	if len(t.parts) == 0 {
		return errNoTimes(t.Archive, "export pprof or folded")
	}
	for _, p := range t.parts {
		if err := t.widen(p); err != nil {
			return err
		}
	}
	return nil
}

// widen makes from and to contain the times of a part.
func (t *timeline) widen(p *selection.Part) error {
	times, err := p.Stream.Timing()
	if err != nil {
		return err
	}
	begin, _ := times.At(p.Range.From)
	_, end := times.At(p.Range.To - 1)
	if err := times.Err(); err != nil {
		return &archive.FormatError{File: t.Archive.File(), Section: "timing", Offset: -1, Msg: err.Error(),
			Hint: "the file is damaged: copy it again"}
	}
	at := p.Stream.TickTime()
	if len(t.parts) == 1 {
		t.from, t.to = at(begin), at(end)
	}
	t.from, t.to = min(t.from, at(begin)), max(t.to, at(end))
	return nil
}

// match notes where messages begin and end.
func (t *timeline) match() error {
	chosen := t.sel.Chooser()
	has := func(r *match.Ref) bool { return r.Known() && chosen(int(r.Stream), r.Terminal, r.Call) }
	t.flying = newBinned(t.program.Processes(), t.from, t.to)
	progress := t.meter("matching messages", "events")
	defer progress.Done()
	sent := map[int32]uint64{} // messages by the stream that sends them, which numbers them
	_, err := match.RunProgram(t.program, match.Options{Progress: progress.Show, Message: func(m *match.Message) error {
		send, recv := &m.Send.Post, &m.Recv.Done
		if !has(recv) {
			recv = &m.Recv.Post
		}
		if has(send) && m.Bytes > 0 && send.Timed && m.Recv.Done.Timed {
			t.flying.add(t.program.Process(m.Send.Process), send.Begin, max(send.Begin, m.Recv.Done.End),
				float64(m.Bytes))
		}
		if !has(send) || !has(recv) {
			return nil
		}
		t.messages++
		sent[send.Stream]++
		id := 2 * (uint64(send.Stream)<<32 | sent[send.Stream])
		if err := t.arrows.add(note{stream: send.Stream, call: send.Call, value: id}); err != nil {
			return err
		}
		return t.arrows.add(note{stream: recv.Stream, call: recv.Call, value: id + 1})
	}})
	return err
}

// streams hands the calls of each stream to the sink that open makes for it; close comes after the last one.
func (t *timeline) streams(open func(p *selection.Part) (s sink, close func() error, err error)) error {
	progress := t.meter("writing", "calls")
	defer progress.Done()
	done := uint64(0)
	for _, p := range t.parts {
		s, end, err := open(p)
		if err != nil {
			return err
		}
		err = walk(t.program, p, &t.arrows, s, func(n uint64) {
			done += n
			progress.Show(done, max(done, t.Calls))
		})
		if err != nil {
			return err
		}
		if err := end(); err != nil {
			return err
		}
	}
	return nil
}

// threadName names a stream for people.
func threadName(s *archive.Stream) string {
	name := rankName(s.Rank(), s.Process())
	if s.Thread() == 0 {
		return name
	}
	if q, ok, _ := gpus.QueueOf(s); ok {
		return name + ", " + q.String()
	}
	return name + fmt.Sprintf(", thread %d", s.Thread())
}

// kernelNames are the names of what a GPU does, by the terminals of its queue: people look for these, not for cuda_kernel.
type kernelNames struct {
	stream *archive.Stream
	known  map[uint32]string
}

// of is the name of a call: of a kernel its own one.
func (k *kernelNames) of(f *spec.Func, terminal uint32) string {
	if f.Op != spec.OpDeviceKernel {
		return f.Name
	}
	name, ok := k.known[terminal]
	if !ok {
		name = f.Name
		if sig, err := k.stream.Signature(terminal); err == nil {
			name = kernelName(f, sig)
		}
		if k.known == nil {
			k.known = map[uint32]string{}
		}
		k.known[terminal] = name
	}
	return name
}

// kernelName is the name of a kernel, that of its function if it is in columns.
func kernelName(f *spec.Func, sig *archive.Signature) string {
	if k := f.Kernel(); k >= 0 && sig.Slots[k].Str != "" {
		return resolve.Readable(sig.Slots[k].Str)
	}
	return f.Name
}

// rankName names a process for people.
func rankName(r *archive.RankData, process int) string {
	name := fmt.Sprintf("rank %d", r.Rank)
	if r.Rank < 0 {
		name = fmt.Sprintf("process %d", process)
	}
	if r.World > 0 {
		name += fmt.Sprintf(" of world %d", r.World)
	}
	return name
}

// arguments yields what a call says about messages: partners are processes (see tabard info), sizes are bytes.
func (t *timeline) arguments(op *calls.Op, number func(name string, v int64), text func(name, s string)) {
	side := func(peer, tag, bytes string, s *calls.Side) {
		if s.Peer >= 0 {
			number(peer, int64(s.Peer))
		}
		if s.Tag >= 0 && s.Peer >= 0 {
			number(tag, int64(s.Tag))
		}
		if s.Bytes >= 0 {
			number(bytes, s.Bytes)
		}
	}
	switch op.Kind {
	case calls.Send, calls.SendInit, calls.Put, calls.Accumulate, calls.Write:
		side("destination", "tag", "bytes", &op.Send)
	case calls.Recv, calls.RecvInit, calls.Probe, calls.Mprobe, calls.Mrecv, calls.Get, calls.Read:
		side("source", "tag", "bytes", &op.Recv)
	case calls.SendRecv:
		side("destination", "tag", "bytes", &op.Send)
		side("source", "received tag", "received bytes", &op.Recv)
	case calls.Collective, calls.CollectiveInit:
		if op.Root >= 0 {
			number("root", int64(op.Root))
		}
		if op.Send.Bytes > 0 {
			number("bytes", op.Send.Bytes)
		}
		if op.Recv.Bytes > 0 {
			number("received bytes", op.Recv.Bytes)
		}
	}
	if op.Comm >= 0 && int(op.Comm) < len(t.program.Comms.Comms) {
		text("communicator", t.program.Comms.Comms[op.Comm].Name)
	}
}
