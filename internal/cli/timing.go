package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/internal/codec/timing"
	"github.com/tabard-hpc/tabard/internal/suggest"
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
		if best := suggest.Closest(s, timingNames, 1); len(best) > 0 {
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
var timingNames = []string{timing.Default, "lossless", "aggregate", "off", "lossy:100ns", "cfg:10%", "hist:10%",
	"sz:10%", "sz-clustered:10%", "zfp:10us", "zfp-clustered:10us"}

// addTiming defines the flag --timing of record.
func addTiming(cmd *cobra.Command) *timingFlag {
	f := &timingFlag{}
	must(f.Set(timing.Default))
	cmd.Flags().Var(f, "timing", "how to keep the times of calls: lossy:ERROR, lossless, aggregate, off")
	completeTiming(cmd)
	return f
}

func completeTiming(cmd *cobra.Command) {
	must(cmd.RegisterFlagCompletionFunc("timing", fixed(timingNames...)))
}
