package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/timing"
	"github.com/tabard-hpc/tabard/spec"
)

// times are those of one stream's calls, in ticks.
type times struct {
	starts, ends []uint64
	// Durations and gaps. A gap is the time from the end of the call before to the start. It is 0
	// where a call begins before the call before it has ended, since that one was made inside it.
	// backs holds how long before. It is counted apart, as it is the same in all modes.
	durations, gaps, backs []uint64
	terminals              []uint32 // the call's signature
	classes                []uint32 // the call's function and call site, numbered by first use
	classOf                []uint32 // of a terminal
	rate                   timing.Rate
	nsPerTick              float64
}

// Terminals and Walk make times a timing.Walker.
func (t *times) Terminals() int { return len(t.classOf) }

func (t *times) Walk(from uint64, dst []uint32) error {
	copy(dst, t.terminals[from:])
	return nil
}

// calls returns the number of calls.
func (t *times) calls() int { return len(t.starts) }

// apart is the number of bytes that all modes need for calls inside others: position and time.
func (t *times) apart() int {
	n, last := 0, 0
	for i, back := range t.backs {
		if back > 0 {
			n += len(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(i-last)), back))
			last = i
		}
	}
	return n
}

// rebuild turns durations and gaps into starts.
func (t *times) rebuild(durations, gaps []uint64) (starts []uint64) {
	starts = make([]uint64, len(durations))
	end := t.starts[0]
	for i := range starts {
		starts[i] = end + gaps[i] - t.backs[i]
		end = starts[i] + durations[i]
	}
	return starts
}

// readTimes reads the times of all streams of an archive, and how many ranks it has.
func readTimes(file string) (all []*times, ranks int, err error) {
	a, err := archive.Open(file)
	if err != nil {
		return nil, 0, err
	}
	defer a.Close()
	for s := range a.Streams() {
		if s.Calls() == 0 {
			continue
		}
		if !s.Timed() {
			return nil, 0, errors.New("the recording has no times")
		}
		t, err := readStream(s)
		if err != nil {
			return nil, 0, fmt.Errorf("%s, stream %d: %w", file, s.Index(), err)
		}
		all = append(all, t)
	}
	return all, a.NumRanks(), nil
}

func readStream(s *archive.Stream) (*times, error) {
	t := &times{}
	var first, last time.Duration
	for c, err := range s.Iter(0) {
		if err != nil {
			return nil, err
		}
		t.add(c.StartTicks, c.EndTicks, c.Terminal)
		if last = c.End; t.calls() == 1 {
			first = c.Start
		}
	}
	ticks := t.ends[t.calls()-1] - t.starts[0]
	if last <= first || ticks == 0 {
		return nil, errors.New("the clock stands still")
	}
	t.rate = timing.Rate{NS: uint64(last - first), Ticks: ticks}
	t.nsPerTick = float64(t.rate.NS) / float64(ticks)
	return t, t.classify(s)
}

// classify numbers the classes of terminals and calls.
func (t *times) classify(s *archive.Stream) error {
	type class struct {
		function spec.ID
		site     uint32
	}
	numbers := map[class]uint32{}
	sigs, err := s.Signatures()
	if err != nil {
		return err
	}
	t.classOf = make([]uint32, len(sigs))
	for i, sig := range sigs {
		c := class{sig.Func, sig.Site}
		if _, ok := numbers[c]; !ok {
			numbers[c] = uint32(len(numbers))
		}
		t.classOf[i] = numbers[c]
	}
	t.classes = make([]uint32, len(t.terminals))
	for i, terminal := range t.terminals {
		t.classes[i] = t.classOf[terminal]
	}
	return nil
}

func (t *times) add(start, end uint64, terminal uint32) {
	before := start
	if n := len(t.ends); n > 0 {
		before = t.ends[n-1]
	}
	t.starts, t.ends = append(t.starts, start), append(t.ends, end)
	t.durations = append(t.durations, end-min(start, end))
	t.gaps = append(t.gaps, max(start, before)-before)
	t.backs = append(t.backs, before-min(start, before))
	t.terminals = append(t.terminals, terminal)
}
