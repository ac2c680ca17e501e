package outliers

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// label is what makes two calls equal: function, and place or tree of calls. Both are numbers of the recording.
func labelOf(sig *archive.Signature) uint64 { return uint64(sig.Func)<<32 | uint64(sig.Site) }

// own is the label of the recorder's own records.
const own = math.MaxUint64

// attributes are the calls that a stream made, how often (as a power of two), and which came after which.
func attributes(s *archive.Stream) (map[string]float64, error) {
	sigs, err := s.Signatures()
	if err != nil {
		return nil, err
	}
	counts, err := s.Counts()
	if err != nil {
		return nil, err
	}
	g, err := s.Grammar()
	if err != nil {
		return nil, err
	}
	labels := make([]uint64, len(sigs))
	of := map[uint64]uint64{}
	for t, sig := range sigs {
		labels[t] = labelOf(sig)
		if spec.ByID(sig.Func).Own() {
			labels[t] = own
			continue
		}
		of[labels[t]] += counts[t]
	}
	attr := map[string]float64{}
	for l, n := range of {
		attr[fmt.Sprint(l)] = 1
		attr[fmt.Sprint(l, " ", bits.Len64(n))] = 1
	}
	pairs(g, func(x, y uint32) {
		if labels[x] != own && labels[y] != own {
			attr[fmt.Sprint(labels[x], ">", labels[y])] = 1
		}
	})
	return attr, nil
}

// pairs calls f for terminals that follow each other somewhere.
func pairs(g *archive.Grammar, f func(x, y uint32)) {
	type ends struct{ first, last uint32 }
	known := map[int]ends{}
	var of func(s archive.Symbol) ends
	of = func(s archive.Symbol) ends {
		if !s.IsRule() {
			return ends{s.ID, s.ID}
		}
		if e, ok := known[s.Rule()]; ok {
			return e
		}
		body := g.Rules[s.Rule()]
		e := ends{of(body[0]).first, of(body[len(body)-1]).last}
		known[s.Rule()] = e
		return e
	}
	for _, body := range g.Rules {
		for i, s := range body {
			e := of(s)
			if s.Count > 1 {
				f(e.last, e.first)
			}
			if i > 0 {
				f(of(body[i-1]).last, e.first)
			}
		}
	}
}
