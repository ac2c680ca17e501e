package cli

import (
	"fmt"
	"time"

	"tabard/trace"
)

// clockInfo is what `tabard info` says of the clock of a host.
type clockInfo struct {
	Host      string `json:"host"`
	Processes int    `json:"processes"`
	// Reference is set for the clock that the others are compared with.
	Reference bool `json:"reference,omitempty"`
	// Measured is set if the others are known; times are corrected then. How far the clock was ahead when it was
	// measured last, with an error of at most Residual; Drift if it was measured twice.
	Measured bool    `json:"measured"`
	Ahead    int64   `json:"ahead_ns"`
	Residual int64   `json:"residual_ns"`
	Drift    float64 `json:"drift_ppm,omitempty"`
}

// hostClocks lists the clocks of an archive that was recorded on several.
func hostClocks(a *trace.Archive) (list []clockInfo) {
	if !a.ClocksMeasured() {
		return nil
	}
	for _, h := range a.HostClocks() {
		list = append(list, clockInfo{Host: h.Host, Processes: h.Processes, Reference: h.Reference, Measured: h.Measured,
			Ahead: int64(h.Ahead), Residual: int64(h.Residual), Drift: h.Drift})
	}
	return list
}

// clockText says in a line how the clocks of hosts go together.
func clockText(list []clockInfo, hosts int) string {
	if len(list) < 2 {
		if hosts < 2 {
			return ""
		}
		return "not measured: between hosts, times are as good as the system keeps them"
	}
	var reference, farthest string
	var ahead, residual time.Duration
	measured := 0
	for _, c := range list {
		switch {
		case c.Reference:
			reference = c.Host
		case c.Measured:
			measured++
			residual = max(residual, time.Duration(c.Residual))
			if d := time.Duration(c.Ahead); farthest == "" || d.Abs() > ahead.Abs() {
				ahead, farthest = d, c.Host
			}
		}
	}
	direction := "ahead of"
	if ahead < 0 {
		direction = "behind"
	}
	text := fmt.Sprintf("%s %v %s %s, corrected; error at the end at most %v", farthest, ahead.Abs(), direction, reference, residual)
	if measured > 1 {
		text = fmt.Sprintf("%d measured against %s, corrected; most %v (%s); error at the end at most %v", measured, reference, ahead.Abs(), farthest, residual)
	}
	if n := len(list) - 1 - measured; n > 0 {
		text += fmt.Sprintf("; %d not measured", n)
	}
	return text
}
