package report

import (
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/traffic"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// HistogramSchema names the form of Histograms.
const HistogramSchema = "tabard.histogram/1"

var _ = register[Histograms](HistogramSchema, "histogram --json")

// Histograms is how large messages are.
type Histograms struct {
	Schema     string          `json:"schema"`
	File       string          `json:"file"`
	Selection  selection.Flags `json:"selection"`
	Histograms []Histogram     `json:"histograms"`
}

// Histogram is the sizes of one kind of messages, of one function or call site if they are told
// apart.
type Histogram struct {
	Kind     string  `json:"kind"`
	Func     string  `json:"func,omitempty"`
	Site     []Frame `json:"site,omitempty"`
	Messages uint64  `json:"messages"`
	Bytes    int64   `json:"bytes"`
	Unsized  uint64  `json:"unsized"`
	Least    int64   `json:"min"`
	Most     int64   `json:"max"`
	// Bins are those with messages, by size.
	Bins []SizeBin `json:"bins"`
	// Top are the sizes of most messages.
	Top []Size `json:"top"`
}

// SizeBin is the messages whose size is in a range.
type SizeBin struct {
	From     int64  `json:"from"` // bytes, both ends belong to it
	To       int64  `json:"to"`
	Messages uint64 `json:"messages"`
	Bytes    int64  `json:"bytes"`
}

// Size is the messages of one size.
type Size struct {
	Bytes    int64  `json:"bytes"`
	Messages uint64 `json:"messages"`
}

// NewHistograms makes the document of histograms, with the top sizes that occur most.
func NewHistograms(arch *archive.Archive, flags selection.Flags, hs []*traffic.Histogram, top int) *Histograms {
	run := &Histograms{Schema: HistogramSchema, File: arch.File(), Selection: flags, Histograms: []Histogram{}}
	for _, h := range hs {
		j := Histogram{Kind: h.Kind.String(), Site: frames(h.Site), Messages: h.Messages, Bytes: h.Bytes,
			Unsized: h.Unsized, Least: h.Least, Most: h.Most, Bins: []SizeBin{}, Top: []Size{}}
		if h.Func != nil {
			j.Func = h.Func.Name
		}
		for k, n := range h.Bins {
			if n > 0 {
				least, most := traffic.BinRange(k)
				j.Bins = append(j.Bins, SizeBin{least, most, n, h.BinBytes[k]})
			}
		}
		for _, s := range h.Top(top) {
			j.Top = append(j.Top, Size{s.Bytes, s.Messages})
		}
		run.Histograms = append(run.Histograms, j)
	}
	return run
}
