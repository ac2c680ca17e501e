package main

import (
	"fmt"
	"io"
)

// paper is tables 8 and 9 of C. Wang, P. Balaji, M. Snir, "Pilgrim: Scalable and (near) Lossless
// MPI Tracing", IEEE TPDS 2022: FLASH Sedov on 16K processes, 231,129,864 calls. Ratios are to two
// doubles a call; PSNR is in dB.
var paper = []struct {
	method, bound                  string
	durations, gaps                float64 // ratios; intervals between calls of one signature take the place of gaps
	durationPSNR, gapPSNR          float64
	both, compressing, writingFile float64 // ratio and seconds, 0 if not published
}{
	{"hist", "10 %", 15.20, 15.36, 42.25, 52.97, 15.28, 0.124, 3.27},
	{"cfg", "10 %", 6.92, 7.18, 80.28, 82.89, 7.05, 0.689, 7.90},
	{"sz", "10 %", 10.06, 16.03, 60.33, 71.39, 12.36, 0.115, 4.78},
	{"sz-clustered", "10 %", 12.18, 15.39, 61.47, 71.31, 13.60, 0.088, 4.56},
	{"zfp", "10us", 4.48, 3.62, 108.99, 140.58, 4.00, 0.043, 12.13},
	{"zfp-clustered", "10us", 5.26, 3.67, 109.12, 140.61, 4.32, 0.038, 10.45},
	{"zfp", "1ms, gaps 10ms", 11.51, 8.52, 68.80, 84.97, 0, 0, 0},
	{"zfp-clustered", "1ms, gaps 10ms", 14.63, 8.09, 70.88, 84.02, 0, 0, 0},
}

// printPaper writes what was published in the form of the tables.
func printPaper(w io.Writer) {
	fmt.Fprint(w, `
For comparison, not of this run: FLASH Sedov, 16K processes, 231,129,864 calls, from tables 8 and 9
of the Pilgrim paper (IEEE TPDS 2022). Bytes are 8 over the ratio to doubles; intervals are from the
start of the last call of the same signature.

| mode | bound | durations | intervals | both | PSNR durations / intervals | compression, s | writing, s |
|---|---|---|---|---|---|---|---|
`)
	for _, p := range paper {
		line := fmt.Sprintf("| %s | %s | %.3f | %.3f | ", p.method, p.bound, 8/p.durations, 8/p.gaps)
		if p.both == 0 {
			line += fmt.Sprintf("%.3f | %.1f / %.1f | - | - |", 8/p.durations+8/p.gaps, p.durationPSNR, p.gapPSNR)
		} else {
			line += fmt.Sprintf("%.3f | %.1f / %.1f | %.3f | %.2f |", 16/p.both, p.durationPSNR, p.gapPSNR,
				p.compressing, p.writingFile)
		}
		fmt.Fprintln(w, line)
	}
}
