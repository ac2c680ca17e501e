package archive

import "github.com/tabard-hpc/tabard/internal/codec/column"

// SegmentKind is the kind of a segment of a column, see docs/format.md.
type SegmentKind = column.SegmentKind

const (
	constantSegment = column.Constant
	affineSegment   = column.Affine
	periodicSegment = column.Periodic
	blockSegment    = column.Block
	rampsSegment    = column.Ramps
)
