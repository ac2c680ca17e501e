package cli

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tabard/internal/timing"
	"tabard/trace"
)

// timingFlag is how the times of calls are stored.
type timingFlag struct {
	value string
	mode  timing.Mode
}

// Set accepts a mode.
func (f *timingFlag) Set(s string) error {
	name := s
	if name == "lossy" {
		name = timing.Default
	}
	m, err := timing.ParseMode(name)
	if err != nil {
		msg := err.Error()
		if best := closest(s, timingNames, 1); len(best) > 0 {
			msg = "did you mean " + best[0] + "? " + msg
		}
		return errors.New(msg)
	}
	f.value, f.mode = m.String(), m
	return nil
}

// String returns the current value.
func (f *timingFlag) String() string { return f.value }

// Type is what help prints as the flag's argument.
func (f *timingFlag) Type() string { return "MODE" }

// timingNames are modes as completion offers them.
var timingNames = []string{timing.Default, "lossless", "aggregate", "off", "lossy:100ns", "cfg:10%", "hist:10%", "sz:10%", "sz-clustered:10%", "zfp:10us", "zfp-clustered:10us"}

// addTiming defines the flag --timing of record.
func addTiming(cmd *cobra.Command) *timingFlag {
	f := &timingFlag{}
	if err := f.Set(timing.Default); err != nil {
		panic(err) // our own default
	}
	cmd.Flags().Var(f, "timing", "how to keep the times of calls: lossy:ERROR, lossless, aggregate, off")
	completeTiming(cmd)
	return f
}

func completeTiming(cmd *cobra.Command) {
	err := cmd.RegisterFlagCompletionFunc("timing", cobra.FixedCompletions(timingNames, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag was defined in the line above
	}
}

// timingInfo is how the times of calls are stored, and their errors in fact.
type timingInfo struct {
	Mode string `json:"mode"`
	// Streams is how many streams the rest is about: the first ones, if there are very many.
	Streams   int         `json:"streams"`
	Calls     uint64      `json:"calls"`
	Durations timingError `json:"durations"`
	Gaps      timingError `json:"gaps"`
	Starts    timingError `json:"starts"`
}

// timingError is how much numbers are off. PSNR is the greatest number over the root mean square error; it is absent if there is no error.
type timingError struct {
	Max  float64  `json:"max_ns"`
	Mean float64  `json:"mean_ns"`
	PSNR *float64 `json:"psnr_db,omitempty"`
}

// timingStreams is of how many streams errors are looked up.
const timingStreams = 4096

// timingOf sums up the timing of an archive, nil if it has none. What cannot be read is left out: reading calls will tell.
func timingOf(a *trace.Archive) *timingInfo {
	info := &timingInfo{}
	var all trace.TimingErrors
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
	info.Calls = all.Calls
	for i, s := range []*timing.SeriesError{&all.Durations, &all.Gaps, &all.Starts} {
		e := []*timingError{&info.Durations, &info.Gaps, &info.Starts}[i]
		e.Max, e.Mean = math.Round(10*nsPerTick*float64(s.Max))/10, math.Round(100*nsPerTick*s.Mean(all.Calls))/100
		if p := s.PSNR(all.Calls); !math.IsInf(p, 0) && i < 2 {
			p = math.Round(10*p) / 10
			e.PSNR = &p
		}
	}
	return info
}

// String says it in a line.
func (t *timingInfo) String() string {
	switch t.Mode {
	case "lossless":
		return "exact"
	case "aggregate":
		return "of functions and call sites, not of calls (aggregate)"
	}
	off := func(e *timingError) string {
		return fmt.Sprintf("%s (mean %s)", nsText(e.Max), nsText(e.Mean))
	}
	return fmt.Sprintf("%s; in fact durations are at most %s off, gaps %s, begins %s", t.Mode, off(&t.Durations), off(&t.Gaps), off(&t.Starts))
}

func nsText(ns float64) string {
	if ns < 1000 {
		return fmt.Sprintf("%.3g ns", ns)
	}
	return strings.ReplaceAll(time.Duration(ns).Round(time.Duration(math.Pow10(max(0, int(math.Log10(ns))-2)))).String(), "µ", "u")
}
