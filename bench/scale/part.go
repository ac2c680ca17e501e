package main

import (
	"io"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/merge"
)

// part collects ranks. These few functions are all that this program knows about merging.
type part = *merge.Part

func newPart() part { return merge.New() }

func addRank(p part, d archive.RankData, streams []archive.StreamData) error {
	return p.Add(d, streams)
}

func mergeParts(a, b part) (part, error) { return merge.Merge(a, b) }

func writePart(p part, m archive.Meta, w io.Writer) error {
	p.SetMeta(m)
	return p.Write(w)
}
