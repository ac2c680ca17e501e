package text

import (
	"fmt"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/gpus"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
)

// gpus says how long GPUs had work, and what took the time.
func (p *summaryPrinter) gpus() {
	r := p.r.GPUs
	if r == nil || p.r.Usage == nil {
		return
	}
	p.title("What the GPUs did")
	var busy time.Duration
	for _, d := range r.Devices {
		busy += d.Busy
	}
	byTime := func(a, b gpus.Device) int { return int(a.Busy - b.Busy) }
	whole := max(p.r.Usage.End, r.End) - min(p.r.Usage.Begin, r.Begin)
	text := "1 GPU, which"
	if n := len(r.Devices); n > 1 {
		text = fmt.Sprintf("%d GPUs, each rank's for itself, which", n)
	}
	text += " had work " + timeShare(busy/time.Duration(len(r.Devices)), whole) + " of the time"
	least, most := slices.MinFunc(r.Devices, byTime).Busy, slices.MaxFunc(r.Devices, byTime).Busy
	if least < most {
		text += fmt.Sprintf(" (%s to %s)", timeShare(least, whole), timeShare(most, whole))
	}
	p.line("  %s", text)
	t := render.NewTable("", ">time", ">share", ">times", ">mean", ">longest", ">bytes", ">per second")
	t.Indent = "  "
	n := limited(len(r.Work), p.limit)
	for i := range r.Work[:n] {
		w := &r.Work[i]
		bytes, rate := "-", "-"
		if w.Bytes > 0 {
			bytes = render.ByteSize(w.Bytes)
			rate = render.ByteSize(int64(float64(w.Bytes) / max(w.Time.Seconds(), 1e-9)))
		}
		t.Row(render.OneLine(render.KernelName(p.w, report.GPUWorkName(w))), render.Duration(w.Time), timeShare(w.Time, busy), count(w.Count),
			render.Duration(w.Time/time.Duration(w.Count)), render.Duration(w.Most), bytes, rate)
	}
	t.WriteText(p.w)
	restOf(p.w, n, len(r.Work))
}
