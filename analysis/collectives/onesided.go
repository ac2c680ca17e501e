package collectives

import (
	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// One-sided calls that write are messages, too, where fences say when data is there: what a process writes before its
// n-th fence of a window is at the other process after that one's n-th. Loops are not folded.

// window is one of a process.
type window struct{ process, comm, object int32 }

type write struct {
	message int32
	to      window
	fence   int // which one of the window ends it
}

type fence struct {
	stream int32
	call   uint64
}

// oneSided adds what one-sided calls write to the messages.
func (r *reader) oneSided(p *calls.Program) error {
	any, err := writes(p.Archive)
	if !any || err != nil {
		return err
	}
	fences, open := map[window][]fence{}, []write{}
	threads := map[int]int{}
	for s := range p.Archive.Streams() {
		threads[s.Process()]++
	}
	for s := range p.Archive.Streams() {
		if threads[s.Process()] > 1 { // which thread's calls come first is not known
			continue
		}
		rd, err := p.Reader(s)
		if err != nil {
			return err
		}
		stream, me := int32(s.Index()), p.Number(s.Process())
		for op, err := rd.Next(); op != nil || err != nil; op, err = rd.Next() {
			if err != nil {
				return err
			}
			w := window{me, op.Comm, op.Object}
			switch {
			case op.Void:
			case op.Func.Op == spec.OpFence:
				fences[w] = append(fences[w], fence{stream, op.Call})
			case op.Kind == calls.Put && op.Send.Peer >= 0 && op.Send.Peer != me && op.Send.Bytes >= 0:
				to := window{op.Send.Peer, op.Comm, op.Object}
				if n, ok := r.write(op, stream, me); ok {
					open = append(open, write{n, to, len(fences[w])})
				}
			}
		}
	}
	for _, w := range open {
		if all := fences[w.to]; w.fence < len(all) {
			f := all[w.fence]
			m := &r.messages[w.message]
			m.Received, m.Posted = f.call, f.call
			r.ends[f.stream] = append(r.ends[f.stream], end{f.call, 0, 1, w.message, 0, true})
		}
	}
	return nil
}

// writes tells whether an archive has one-sided calls that write.
func writes(a *archive.Archive) (bool, error) {
	for s := range a.Streams() {
		sigs, err := s.Signatures()
		if err != nil {
			return false, err
		}
		for _, sig := range sigs {
			if spec.ByID(sig.Func).Op == spec.OpPut {
				return true, nil
			}
		}
	}
	return false, nil
}

// write adds a message that a call writes. When it is there is not known yet.
func (r *reader) write(op *calls.Op, stream, from int32) (int32, bool) {
	r.res.Messages++
	if len(r.messages) >= r.most {
		r.res.Left++
		return 0, false
	}
	n := int32(len(r.messages))
	r.messages = append(r.messages, Message{From: from, To: op.Send.Peer, Sent: op.Call, Comm: op.Comm,
		Bytes: op.Send.Bytes, Count: 1, Target: Place{Segment: -1 - int64(op.Comm)<<32 - int64(op.Object)}})
	r.streams, r.last = append(r.streams, stream), append(r.last, 0)
	r.posts, r.nths = append(r.posts, op.Call), append(r.nths, 0)
	r.ends[stream] = append(r.ends[stream], end{op.Call, 0, 1, n, 0, false})
	return n, true
}

// base is where a window begins in memory, and the unit of displacements in bytes.
type base struct {
	place Place
	unit  int64
}

func baseOf(c *archive.Call) base {
	unit, _ := c.In("disp_unit")
	b := base{buffer(c, "base"), unit.N}
	if v, ok := c.Out("baseptr"); ok { // MPI_Win_allocate
		b.place = placeOf(v)
	}
	return b
}

func windowOf(c *archive.Call) int64 {
	v, ok := c.In("win")
	if !ok {
		v, _ = c.Out("win")
	}
	return v.N
}

// finished says where in memory messages are written to, and leaves out those of which nothing says when they are
// there.
func (r *reader) finished() {
	kept := r.messages[:0]
	for i := range r.messages {
		m := &r.messages[i]
		if b := r.bases[int32(i)]; b.place.Segment != 0 {
			m.Target = Place{b.place.Segment, b.place.Offset + m.Target.Offset*b.unit}
		}
		if m.Received > 0 {
			r.streams[len(kept)], r.posts[len(kept)], r.nths[len(kept)] = r.streams[i], r.posts[i], r.nths[i]
			kept = append(kept, *m)
		}
	}
	r.messages = kept
}
