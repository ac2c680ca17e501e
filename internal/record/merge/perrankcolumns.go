package merge

import (
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
)

// A column that is simple at each rank becomes functions of the rank. These may be mere lists of
// what each rank has, but that shows only when all ranks are known. Where they are lists, each
// rank's column is written by itself, encoded. Such columns are coded together as bundles (package
// archive), and taken apart again when they are read.

const (
	// spreadNumbers is how many numbers at all ranks make it worth while to write columns so, and
	// spreadColumn how many of a column at one rank.
	spreadNumbers = 256
	spreadColumn  = 3
	// maxSpread is the greatest number of columns that are written so.
	maxSpread = 1 << 18
	// formulaBytes is what a formula, also one with exceptions, takes at most. What takes more is a
	// list.
	formulaBytes = 12
)

// lists counts the numbers of a column at all ranks of a set, if most of them are not formulas.
func (v *columnValue) lists(ranks *archive.RankSet) int {
	n, m := len(v.numbers), ranks.Len()
	if v.blob != nil || n < spreadColumn || m > maxSpread {
		return 0
	}
	if m == 1 {
		return n
	}
	lists := 0
	for _, x := range v.numbers {
		if x.f != nil && len(x.f.Append(nil)) > formulaBytes+m/4 {
			lists++
		}
	}
	if 2*lists < n {
		return 0
	}
	return n * m
}

// spreads tells whether columns of some classes are written rank by rank.
func spreads(classes []*class) bool {
	numbers, columns := 0, 0
	for _, c := range classes {
		for _, col := range c.columns {
			for i := range col {
				if n := col[i].value.lists(col[i].ranks); n > 0 {
					numbers += n
					columns += col[i].ranks.Len()
				}
			}
		}
	}
	return numbers >= spreadNumbers && columns <= maxSpread
}

// occurrences tells how often each terminal of a class occurs at a rank.
type occurrences func(rank int) []uint64

// occurrencesOf works that out once for each rank or, where trip counts do not differ, for all.
func occurrencesOf(d *archive.ClassData) occurrences {
	known := map[int][]uint64{}
	return func(rank int) []uint64 {
		if len(d.Trips) == 0 {
			rank = 0
		}
		n, ok := known[rank]
		if !ok {
			n = d.Occurrences(rank)
			known[rank] = n
		}
		return n
	}
}

// spread gives each rank its own column where the numbers are lists.
func (c *class) spread(col choices[columnValue], occ occurrences, terminal int, sized bool) choices[columnValue] {
	var out choices[columnValue]
	for i := range col {
		x := &col[i]
		if x.value.lists(x.ranks) == 0 {
			out = append(out, *x)
			continue
		}
		data := x.value.export()
		var own choices[columnValue]
		for r := range x.ranks.All() {
			n := occ(r)[terminal]
			b, ok := data.Encoded(r, sized, n)
			if ok {
				v, key := columnOf(b, n, sized)
				ok = key == x.key &&
					slices.EqualFunc(v.numbers, x.value.numbers, func(a, b number) bool { return a.n == b.fn().At(r) })
			}
			if !ok {
				own = nil
				break
			}
			own = mergeChoices(own, choose(blobKey(b), columnValue{blob: b}, rankfunc.Range(r, r+1)), nil)
		}
		if own == nil {
			out = append(out, *x)
			continue
		}
		out = mergeChoices(out, own, nil)
	}
	return out
}

// gather is the reverse of spread: columns that are simple become functions of the rank.
func (c *class) gather(
	ctx *rankfunc.Context, col choices[columnValue], occ occurrences, terminal int, sized bool,
) choices[columnValue] {
	simple := false
	for i := range col {
		if v := &col[i].value; v.blob != nil && !v.clock {
			value, key := columnOf(v.blob, occ(col[i].ranks.Min())[terminal], sized)
			col[i].value, col[i].key = value, key
			simple = simple || value.blob == nil
		}
	}
	if !simple {
		return col
	}
	// Two by two, so that lists are not copied once for each rank.
	parts := make([]choices[columnValue], len(col))
	for i := range col {
		parts[i] = col[i : i+1 : i+1]
	}
	for len(parts) > 1 {
		var next []choices[columnValue]
		for i := 0; i < len(parts); i += 2 {
			x := parts[i]
			if i+1 < len(parts) {
				x = mergeChoices(
					x,
					parts[i+1],
					func(x *columnValue, xs *archive.RankSet, y *columnValue, ys *archive.RankSet) {
						mergeAll(ctx, x.numbers, xs, y.numbers, ys)
					},
				)
			}
			next = append(next, x)
		}
		parts = next
	}
	return parts[0]
}

// export is a column that is not encoded as the archive holds it.
func (v *columnValue) export() archive.ColumnData {
	d := archive.ColumnData{Blob: -1, Shape: v.shape}
	for _, x := range v.numbers {
		d.Params = append(d.Params, x.export())
	}
	return d
}
