package diff

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Memory is compared up to renaming. Which segment malloc gives a program, and where it is, means
// nothing; how far into a segment a buffer begins does, and whether two buffers of a call are in
// the same segment. So segments are renamed by a one-to-one function for each call. That functions
// of different calls agree is not demanded, as memory is freed and used again, but where they do
// not this is noted as order.

// inHeap calls visit for each address in allocated memory among the parameters of a call.
func inHeap(f *spec.Func, slots []archive.Value, visit func(slot int, v *archive.Value)) {
	for i := range slots[:min(f.NumIn, len(slots))] {
		v := &slots[i]
		switch {
		case v.Kind == archive.Addr && v.Mem == archive.Heap:
			visit(i, v)
		case v.Kind == archive.List:
			for k := range v.List {
				if e := &v.List[k]; e.Kind == archive.Addr && e.Mem == archive.Heap {
					visit(i, e)
				}
			}
		}
	}
}

// pattern says which addresses of a call are in the same segment: the numbers of segments in the
// order of their first use.
func pattern(f *spec.Func, slots []archive.Value) string {
	var b strings.Builder
	var at map[uint32]int
	inHeap(f, slots, func(_ int, v *archive.Value) {
		if at == nil {
			at = map[uint32]int{}
		}
		n, ok := at[v.Seg]
		if !ok {
			n = len(at)
			at[v.Seg] = n
		}
		b.WriteString(strconv.Itoa(n))
		b.WriteByte(' ')
	})
	return b.String()
}

// renaming is a one-to-one function of segments, as far as it is known.
type renaming struct{ to, back map[uint32]uint32 }

// add tells whether x may be called y.
func (r *renaming) add(x, y uint32) bool {
	if r.to == nil {
		r.to, r.back = map[uint32]uint32{}, map[uint32]uint32{}
	}
	z, ok := r.to[x]
	w, known := r.back[y]
	if ok || known {
		return ok && known && z == y && w == x
	}
	r.to[x], r.back[y] = y, x
	return true
}

// pairs yields the addresses of two calls of one function that are both in allocated memory.
func heapPairs(f *spec.Func, a, b []archive.Value, visit func(slot int, x, y uint32)) {
	for i := range a[:min(f.NumIn, len(a), len(b))] {
		va, vb := &a[i], &b[i]
		switch {
		case va.Kind == archive.Addr && vb.Kind == archive.Addr && va.Mem == archive.Heap && vb.Mem == archive.Heap:
			visit(i, va.Seg, vb.Seg)
		case va.Kind == archive.List && vb.Kind == archive.List && len(va.List) == len(vb.List):
			for k := range va.List {
				if x, y := &va.List[k], &vb.List[k]; x.Kind == archive.Addr && y.Kind == archive.Addr &&
					x.Mem == archive.Heap &&
					y.Mem == archive.Heap {
					visit(i, x.Seg, y.Seg)
				}
			}
		}
	}
}

// aliased finds a buffer that shares its segment with one of the call's earlier buffers in one of
// two calls and not in the other.
func aliased(f *spec.Func, a, b []archive.Value) (slot int, inA, inB string, ok bool) {
	var r renaming
	var slots []int
	var xs, ys []uint32
	slot = -1
	n := 0
	heapPairs(f, a, b, func(int, uint32, uint32) { n++ })
	if n < 2 {
		return slot, "", "", false
	}
	heapPairs(f, a, b, func(i int, x, y uint32) {
		if slot < 0 && !r.add(x, y) {
			slot = i
			inA, inB = shared(f, x, xs, slots), shared(f, y, ys, slots)
		}
		slots, xs, ys = append(slots, i), append(xs, x), append(ys, y)
	})
	return slot, inA, inB, slot >= 0
}

// shared says in which earlier parameter's memory a segment is.
func shared(f *spec.Func, seg uint32, before []uint32, slots []int) string {
	for i, s := range before {
		if s == seg {
			return "memory of " + archive.SlotName(f, &f.Slots[slots[i]])
		}
	}
	return "other memory"
}

// maxRenamed is the number of ranks of a class at which the renamings of all calls are compared.
const maxRenamed = 16

// renamings notes where one segment of a recording corresponds to several of the other, over all
// calls. differ are the pairs of terminals with different soft values; all other pairs are equal.
func (g *group) renamings(differ *pairs, la, lb []print) error {
	equal := map[print]bool{}
	for t := range g.kb.terms {
		if g.keeps(&g.kb.terms[t]) {
			equal[lb[t]] = true
		}
	}
	n := 0
	for rank := range g.ranks.All() {
		if n++; n > maxRenamed {
			break
		}
		var r renaming
		note := func(x *term, a, b *archive.Signature) {
			done := false
			heapPairs(x.f, a.Slots, b.Slots, func(slot int, s, t uint32) {
				if !r.add(s, t) && !done {
					done = true
					g.c.addOrder(OrderNote{Func: x.f.Name, Site: x.site,
						Param: archive.SlotName(x.f, &x.f.Slots[slot]) +
							" (memory used again)", Count: 1}, newSet([]int{rank}))
				}
			})
		}
		for t := range g.ka.terms {
			x := &g.ka.terms[t]
			if !g.keeps(x) || !equal[la[t]] {
				continue
			}
			sig, err := g.ka.at(uint32(t), rank)
			if err != nil {
				return err
			}
			note(x, sig, sig)
		}
		for _, p := range differ.order {
			a, err := g.ka.at(p.a, rank)
			if err != nil {
				return err
			}
			b, err := g.kb.at(p.b, rank)
			if err != nil {
				return err
			}
			note(&g.ka.terms[p.a], a, b)
		}
	}
	return nil
}

// memoryText is an address in memory without what renaming may change.
func memoryText(v *archive.Value) string {
	if v.Mem == archive.Heap {
		return fmt.Sprintf("heap+%d", v.N)
	}
	return "memory"
}
