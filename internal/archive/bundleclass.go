package archive

import "github.com/tabard-hpc/tabard/internal/codec/column"

// Occurrences is how often each terminal occurs in the calls of a rank.
func (c *ClassData) Occurrences(rank int) []uint64 {
	return sized(c.grammarAt(rank).Occurrences(), len(c.Terminals))
}

// Encoded is the column at a rank as a column.Builder encodes it; it must not be a blob. elements
// tells whether it holds elements of arrays, else n is its length. It fails if the numbers make no
// column, or a very long one.
func (v *ColumnData) Encoded(rank int, elements bool, n uint64) ([]byte, bool) {
	segs, ok := v.segments(rank, elements, n)
	if !ok {
		return nil, false
	}
	r, err := column.Open(column.AppendSegments(nil, segs))
	if err != nil || r.Len() > uint64(bundleValues) {
		return nil, false
	}
	b := column.NewBuilder()
	for i := range r.Len() {
		b.Append(r.At(i))
	}
	return b.Encode(nil), r.Err() == nil
}
