package report

import (
	"math"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/timing"
)

// Timing is how the times of calls are stored, and their errors in fact.
type Timing struct {
	Mode string `json:"mode"`
	// Streams is how many streams the rest is about: the first ones, if there are very many.
	Streams int `json:"streams"`
	// Calls is how many calls these have. The errors are those of all that has times, Tabard's own records too.
	Calls     uint64      `json:"calls"`
	Durations TimingError `json:"durations"`
	Gaps      TimingError `json:"gaps"`
	Starts    TimingError `json:"starts"`
}

// TimingError is how much numbers are off. PSNR is the greatest number over the root mean square
// error; it is absent if there is no error.
type TimingError struct {
	Max  float64  `json:"max_ns"`
	Mean float64  `json:"mean_ns"`
	PSNR *float64 `json:"psnr_db,omitempty"`
}

// timingStreams is the number of streams whose errors are looked up.
const timingStreams = 4096

// NewTiming sums up the timing of an archive, nil if it has none. What cannot be read is left out:
// reading calls will tell.
func NewTiming(a *archive.Archive) *Timing {
	info := &Timing{}
	var all archive.TimingErrors
	nsPerTick := 1.0
	for s := range a.Streams() {
		if info.Streams == timingStreams {
			break
		}
		if info.Streams == 0 && s.Index() >= timingStreams {
			return nil
		}
		t, err := s.Timing()
		if err != nil {
			continue
		}
		if t == nil {
			if info.Mode == "" {
				if g, err := s.Aggregates(); g != nil && err == nil {
					info.Mode = "aggregate"
				}
			}
			continue
		}
		if t.Len() == 0 {
			continue
		}
		if n, err := s.ProgramCalls(); err == nil {
			info.Calls += n
		}
		info.Streams++
		info.Mode = t.Mode().String()
		e := t.Errors()
		all.Add(&e)
		if r := t.Rate(); r.Ticks != 0 {
			nsPerTick = float64(r.NS) / float64(r.Ticks)
		}
	}
	if info.Mode == "" {
		return nil
	}
	for i, s := range []*timing.SeriesError{&all.Durations, &all.Gaps, &all.Starts} {
		e := []*TimingError{&info.Durations, &info.Gaps, &info.Starts}[i]
		e.Max = math.Round(10*nsPerTick*float64(s.Max)) / 10
		e.Mean = math.Round(100*nsPerTick*s.Mean(all.Calls)) / 100
		if p := s.PSNR(all.Calls); !math.IsInf(p, 0) && i < 2 {
			p = math.Round(10*p) / 10
			e.PSNR = &p
		}
	}
	return info
}
