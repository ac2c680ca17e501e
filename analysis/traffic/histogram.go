package traffic

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// NumBins is the number of bins of a Histogram.
const NumBins = 65

// BinOf is the bin of a size in bytes: 0 for 0, and k for sizes from 2^(k-1) to 2^k-1.
func BinOf(bytes int64) int { return bits.Len64(uint64(bytes)) }

// BinRange is the least and the greatest size in a bin.
func BinRange(bin int) (least, most int64) {
	if bin == 0 {
		return 0, 0
	}
	return int64(uint64(1) << (bin - 1)), int64(uint64(1)<<bin - 1)
}

// Histogram is the distribution of the sizes of messages. A message point to point or one-sided is
// one transfer; of a collective, and of file access, it is what one call of one process gives (or
// gets, of reads), as Move.Data has it.
type Histogram struct {
	Kind Kind
	// Func and Site are the calls that it is about; nil for all.
	Func *spec.Func
	Site *archive.Site
	Volume
	// Unsized is how many further messages there are whose size is not known.
	Unsized uint64
	// Least and Most are the smallest and the greatest size.
	Least, Most int64
	// Bins are the numbers of messages by size, and BinBytes the bytes, see BinOf.
	Bins     [NumBins]uint64
	BinBytes [NumBins]int64
	// Sizes are the numbers of messages of each size; those of more than MaxSizes
	// different sizes are left out.
	Sizes map[int64]uint64
	// More is the number of messages that are not in Sizes.
	More uint64
}

// MaxSizes is how many different sizes a histogram keeps.
const MaxSizes = 4096

// add takes in n messages.
func (h *Histogram) add(size int64, n uint64) {
	if size < 0 {
		h.Unsized += n
		return
	}
	if h.Messages == 0 {
		h.Least, h.Most = size, size
	}
	h.Least, h.Most = min(h.Least, size), max(h.Most, size)
	h.Messages += n
	h.Bytes += size * int64(n)
	b := BinOf(size)
	h.Bins[b] += n
	h.BinBytes[b] += size * int64(n)
	if _, ok := h.Sizes[size]; !ok && len(h.Sizes) >= MaxSizes {
		h.More += n
		return
	}
	h.Sizes[size] += n
}

// Size is a size and how many messages have it.
type Size struct {
	Bytes    int64
	Messages uint64
}

// Top are the sizes that most messages have, at most most of them.
func (h *Histogram) Top(most int) []Size {
	var sizes []Size
	for b, n := range h.Sizes {
		sizes = append(sizes, Size{b, n})
	}
	slices.SortFunc(sizes, func(a, b Size) int {
		return cmp.Or(cmp.Compare(b.Messages, a.Messages), cmp.Compare(b.Bytes, a.Bytes))
	})
	return sizes[:min(most, len(sizes))]
}

// GroupBy says what separates histograms, besides the kind.
type GroupBy struct{ Func, Site bool }

// Histograms are the distributions of the sizes of selected messages, most bytes first. There is
// one for each kind and, if by says so, for each function and call site.
func Histograms(r *selection.Resolved, by GroupBy) ([]*Histogram, error) {
	type key struct {
		kind Kind
		f    spec.ID
		site string
	}
	sites := map[*archive.Class][]SiteOf{}
	of := map[key]*Histogram{}
	err := Walk(r, false, func(e *Entry) error {
		k := key{kind: e.Kind}
		if by.Func || by.Site {
			k.f = e.Func.ID
		}
		var site *archive.Site
		if by.Site {
			c := e.Unit.Class
			if sites[c] == nil {
				var err error
				if sites[c], err = Sites(c); err != nil {
					return err
				}
			}
			s := &sites[c][e.Terminal]
			k.site, site = s.Key, s.Site
		}
		h := of[k]
		if h == nil {
			h = &Histogram{Kind: e.Kind, Sizes: map[int64]uint64{}, Site: site}
			if k.f != 0 {
				h.Func = e.Func
			}
			of[k] = h
		}
		h.add(e.Data(), e.Calls())
		return nil
	})
	if err != nil {
		return nil, err
	}
	keys := slices.Collect(maps.Keys(of))
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(of[b].Bytes, of[a].Bytes), cmp.Compare(of[b].Messages, of[a].Messages),
			cmp.Compare(a.kind, b.kind), cmp.Compare(a.f, b.f), cmp.Compare(a.site, b.site))
	})
	var out []*Histogram
	for _, k := range keys {
		out = append(out, of[k])
	}
	return out, nil
}

// SiteOf is the call site of a terminal.
type SiteOf struct {
	Site *archive.Site // nil if unknown
	// Key is equal for the same place in the code, whatever the process.
	Key string
}

// Sites are the call sites of a class's terminals.
func Sites(c *archive.Class) ([]SiteOf, error) {
	d, err := c.Data()
	if err != nil {
		return nil, err
	}
	out := make([]SiteOf, len(d.Terminals))
	first := c.Stream(c.Ranks().Min())
	keys := map[uint32]string{}
	for t := range out {
		tm, err := c.Template(uint32(t))
		if err != nil {
			return nil, err
		}
		sig, err := first.Signature(uint32(t))
		if err != nil {
			return nil, err
		}
		if out[t].Site = first.Site(sig); out[t].Site == nil {
			continue
		}
		k, ok := keys[tm.Site]
		if !ok {
			k = siteKey(first.Rank(), out[t].Site)
			keys[tm.Site] = k
		}
		out[t].Key = k
	}
	return out, nil
}

// siteKey names a call site by the source if it is known, else by the place in the module.
func siteKey(r *archive.RankData, s *archive.Site) string {
	var b []byte
	for i := range s.Frames {
		f := &s.Frames[i]
		b = fmt.Appendf(b, "%s\x00%s\x00%d\x00", f.Func, f.File, f.Line)
		if f.Line != 0 && f.File != "" {
			continue
		}
		if f.Module >= 0 && f.Module < len(r.Modules) {
			b = append(b, r.Modules[f.Module].Path...)
		}
		b = fmt.Appendf(b, "+%x", f.Offset)
	}
	return string(b)
}
