package archivetest

import (
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/timing"
)

// Call is a call to be put into a stream.
type Call struct {
	Sig archive.Signature
	// Holes are the values of the slots that are Hole in Sig; whether they are Ignored, Sig says.
	Holes      []archive.Value
	Run        uint64 // length of a run of polls; else 1
	Start, End uint64 // in ticks; further polls of a run follow 100 ticks apart
}

// Stream encodes calls as an archive has them.
type Stream struct {
	*archive.StreamBuilder
	timing *timing.Builder
}

// NewStream returns an empty stream.
func NewStream() *Stream {
	return &Stream{archive.NewStreamBuilder(), timing.NewLossless()}
}

// Add appends a call.
func (s *Stream) Add(c *Call) error {
	t, err := s.Terminal(&c.Sig)
	if err != nil {
		return err
	}
	for i := range c.Run {
		s.timing.Append(c.Start+100*i, c.End+100*i, 0)
	}
	return s.StreamBuilder.Add(t, c.Holes, c.Run)
}

// Data is the stream as merge.Part takes it.
func (s *Stream) Data(thread int, timed bool) archive.StreamData {
	d := s.StreamBuilder.Data(thread)
	if timed {
		d.Timing = s.timing.Encode(nil, nil)
	}
	return d
}
