package main

import (
	"fmt"
	"io"

	"github.com/tabard-hpc/tabard/bench/internal/programs"
)

// smallerThanHist is how many times smaller than HIST our times must be, at the same bound.
const smallerThanHist = 1.5

// printBars writes which bars are met, for every program, and reports whether all are.
func printBars(w io.Writer, all []*result) bool {
	fmt.Fprintln(w)
	met := true
	say := func(ok bool, format string, args ...any) {
		mark := "ok    "
		if !ok {
			mark, met = "MISSED", false
		}
		fmt.Fprintf(w, "%s  %s\n", mark, fmt.Sprintf(format, args...))
	}
	for _, res := range all {
		name := res.program.Name
		zstd := likes(res.rows, zstdName, 0)
		for i := range res.rows {
			r := &res.rows[i]
			if !r.mode.ours {
				continue
			}
			label := r.mode.name + " " + r.mode.bound
			if hist := res.hist(r.mode.relative); hist != nil {
				ratio := float64(hist.whole) / float64(r.whole)
				say(ratio >= smallerThanHist, "%s: %s is at least %g times smaller than HIST: %.2f", name, label,
					smallerThanHist, ratio)
			}
			if r.mode.name != "lossless" {
				continue
			}
			for _, z := range zstd {
				say(r.durations < z.durations && r.whole < z.whole,
					"%s: lossless is smaller than %s: durations %s of %s bytes, both %s of %s",
					name, zstdName, programs.Commas(r.durations), programs.Commas(z.durations),
					programs.Commas(r.whole), programs.Commas(z.whole))
			}
		}
	}
	return met
}
