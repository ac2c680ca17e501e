package main

import (
	"io"

	"tabard/internal/merge"
	"tabard/trace"
)

// part collects ranks. These few functions are all that this program knows of merging.
type part = *merge.Part

func newPart() part { return merge.New() }

func addRank(p part, d trace.RankData, streams []trace.StreamData) error { return p.Add(d, streams) }

func mergeParts(a, b part) (part, error) { return merge.Merge(a, b) }

func writePart(p part, m trace.Meta, w io.Writer) error {
	p.SetMeta(m)
	return p.Write(w)
}
