package consistency

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// positive tells for each slot of a function whether its values must not be negative: numbers of
// elements, sizes, ranks that have to exist.
func positive(f *spec.Func) []int {
	var slots []int
	for i := range f.Slots {
		s := &f.Slots[i]
		if i >= f.NumIn || s.Param < 0 || s.Codec != spec.Int {
			continue
		}
		kind := f.Params[s.Param].Kind
		if strings.HasSuffix(kind, "_NNI") || strings.HasSuffix(kind, "_PI") || strings.Contains(kind, "_NNI_") {
			slots = append(slots, i)
		}
	}
	return slots
}

// negatives notes numbers in signatures that must not be negative. What is in columns is not looked
// at.
func (c *checker) negatives() error {
	slots := map[spec.ID][]int{}
	for s := range c.p.Archive.Streams() {
		terminals, err := s.Terminals()
		if err != nil {
			return err
		}
		for t := range terminals {
			sig, err := s.Signature(uint32(t))
			if err != nil {
				return err
			}
			f := spec.ByID(sig.Func)
			list, known := slots[sig.Func]
			if !known {
				list = positive(f)
				slots[sig.Func] = list
			}
			for _, i := range list {
				if n, bad := negative(&sig.Slots[i]); bad {
					x := Problem{Kind: Negative, Func: f.Name, Param: archive.SlotName(f, &f.Slots[i]),
						Text: fmt.Sprintf("process %d has %d", s.Process(), n)}
					if site := s.Site(sig); site != nil {
						x.Site = site.String()
					}
					c.add(x, int32(s.Process()))
				}
			}
		}
	}
	return nil
}

// negative is a number below 0 in a value, if there is one.
func negative(v *archive.Value) (int64, bool) {
	switch v.Kind {
	case archive.Int:
		return v.N, v.N < 0
	case archive.Ints:
		if i := slices.IndexFunc(v.Ints, func(n int64) bool { return n < 0 }); i >= 0 {
			return v.Ints[i], true
		}
	}
	return 0, false
}
