package diff

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// sum is a fingerprint of a multiset: the sum of those of its elements.
type sum [2]uint64

// tallies are the calls of a world, those of A counted up and those of B down.
type tallies struct {
	c     *comparison
	seeds [2]maphash.Seed
	all   sum
}

// sameSites tells whether the ranks of a world together made as many calls from each call site. That is in the
// grammars, and most often it answers whether they made the same calls.
func (c *comparison) sameSites(world int) (bool, error) {
	sites := map[int]int64{} // by key, those of A less those of B
	err := c.each(world, func(k *class, rank int, sign int64) error {
		counts, err := k.Stream(rank).Occurrences()
		for i, n := range counts {
			if x := &k.terms[i]; x.counted() {
				sites[x.key] += sign * int64(n)
			}
		}
		return err
	})
	for _, n := range sites {
		if n != 0 {
			return false, err
		}
	}
	return true, err
}

// sameParameters tells whether the ranks of a world together made as many calls with each list of parameters.
func (c *comparison) sameParameters(world int) (bool, error) {
	t := &tallies{c: c, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
	err := c.each(world, t.add)
	return t.all == sum{}, err
}

// each visits all ranks of a world that were compared, with 1 for those of A and -1 for those of B.
func (c *comparison) each(world int, visit func(k *class, rank int, sign int64) error) error {
	for i := range c.compared {
		k := &c.compared[i]
		if k.ka.Group().World != world {
			continue
		}
		for side, x := range []*class{k.ka, k.kb} {
			for rank := range k.ranks.All() {
				if err := visit(x, rank, int64(1-2*side)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// counted tells whether calls of a terminal are counted.
func (x *term) counted() bool { return x.kept && !x.f.Has(spec.Indefinite) }

// add counts the calls of a rank by what they were given and returned.
func (t *tallies) add(k *class, rank int, sign int64) error {
	s := k.Stream(rank)
	counts, err := s.Occurrences()
	if err != nil {
		return err
	}
	read := make([]bool, len(k.terms))
	any := false
	for i := range k.terms {
		x := &k.terms[i]
		if !x.counted() || counts[i] == 0 {
			continue
		}
		if read[i] = x.holes; read[i] {
			any = true
			continue
		}
		if err := t.c.step(); err != nil {
			return err
		}
		sig, err := k.at(uint32(i), rank)
		if err != nil {
			return err
		}
		t.count(k, x, sig.Flags, sig.Slots, sign*int64(counts[i]))
	}
	if !any {
		return nil
	}
	for call, err := range archive.OnlySlots(s, func(t uint32) bool { return read[t] }, k.reads, 0) {
		if err != nil {
			return err
		}
		if t.c.readCall(); t.c.calls > 2*t.c.o.Calls {
			return errTooMuch
		}
		t.count(k, &k.terms[call.Terminal], call.Flags, call.Slots, sign)
	}
	return nil
}

// count counts calls with the same parameters.
func (t *tallies) count(k *class, x *term, flags archive.Flags, slots []archive.Value, times int64) {
	var b strings.Builder
	b.WriteString(family(x.f))
	for i := range slots {
		if i >= x.f.NumIn && flags&(archive.Unfinished|archive.Failed) != 0 || x.soft[i] ||
			partner(archive.SlotName(x.f, &x.f.Slots[i])) {
			continue
		}
		v := &slots[i]
		if v.Kind == archive.Ref && v.N > 0 && v.N%2 == 0 || v.Kind == archive.Addr {
			continue // numbers of objects and places of buffers follow from the order
		}
		fmt.Fprintf(&b, "\x00%s=%s", archive.SlotName(x.f, &x.f.Slots[i]), k.side.text(x.f, i, anySource(v)))
	}
	for i := range t.all {
		t.all[i] += uint64(times) * maphash.String(t.seeds[i], b.String())
	}
}

// anySource is a value with the sources of messages removed.
func anySource(v *archive.Value) *archive.Value {
	switch {
	case v.Kind == archive.Stat:
		out := *v
		out.Stat.Source = 0
		return &out
	case v.Kind == archive.List && len(v.List) > 0 && v.List[0].Kind == archive.Stat:
		out := *v
		out.List = slices.Clone(v.List)
		for i := range out.List {
			out.List[i].Stat.Source = 0
		}
		return &out
	}
	return v
}

// partner tells whether a parameter names the sender or the receiver of a message.
func partner(name string) bool {
	return name == "dest" || name == "source" || name == "target_rank"
}

// family names functions that count as one. Receives do, because a program may call one or another
// of them for each message that arrives. Every other function is its own family.
func family(f *spec.Func) string {
	switch {
	case f.Has(spec.PersistentInit):
	case f.Op == spec.OpRecv:
		return "receive"
	case f.Op == spec.OpMatchedRecv:
		return "matched receive"
	}
	return f.Name
}
