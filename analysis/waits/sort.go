package waits

import (
	"hash/maphash"
	"math/bits"
	"slices"
)

// keyed is something with a number, by its key.
type keyed struct {
	key uint64
	i   uint32
}

// digit is how many bits of keys one pass of byKey looks at.
const digit = 11

// byKey sorts from the last digit to the first, in linear time; equal keys stay in order. spare is
// room of the same length.
func byKey(all, spare []keyed) []keyed {
	differ := uint64(0)
	sorted := true
	for k := range all {
		differ |= all[k].key ^ all[0].key
		sorted = sorted && (k == 0 || all[k-1].key <= all[k].key)
	}
	if sorted {
		return all
	}
	var counts [1 << digit]uint32
	for shift := 0; shift < bits.Len64(differ); shift += digit {
		if differ>>shift&(1<<digit-1) == 0 {
			continue
		}
		clear(counts[:])
		for k := range all {
			counts[all[k].key>>shift&(1<<digit-1)]++
		}
		at := uint32(0)
		for d, n := range counts {
			counts[d] = at
			at += n
		}
		for _, x := range all {
			d := x.key >> shift & (1<<digit - 1)
			spare[counts[d]] = x
			counts[d]++
		}
		all, spare = spare, all
	}
	return all
}

// nearlySorted sorts what is mostly in order already.
func nearlySorted(all []uint32, compare func(a, b uint32) int) {
	budget := 16 * len(all)
	for k := 1; k < len(all); k++ {
		x, j := all[k], k
		for j > 0 && compare(x, all[j-1]) < 0 {
			all[j] = all[j-1]
			j--
		}
		all[j] = x
		if budget -= k - j; budget < 0 {
			slices.SortFunc(all, compare)
			return
		}
	}
}

// kth is the k-th least of n keys, from 0 on.
func kth(k, n int, key func(i int) uint64) uint64 {
	most := uint64(0)
	for i := range n {
		most |= key(i)
	}
	counts := make([]int, 1<<digit)
	prefix, left := uint64(0), (bits.Len64(most)+digit-1)/digit*digit
	for left > 0 {
		left -= digit
		clear(counts)
		for i := range n {
			if v := key(i); v>>(left+digit) == prefix {
				counts[v>>left&(1<<digit-1)]++
			}
		}
		d := 0
		for k >= counts[d] {
			k -= counts[d]
			d++
		}
		prefix = prefix<<digit | uint64(d)
	}
	return prefix
}

// slots numbers processes as they come.
type slots struct {
	dense   []int32 // 1 + slot
	sparse  map[int32]int32
	numbers []int32 // of each slot
}

// maxDense is up to which number of a process slots has an entry for each.
const maxDense = 1 << 21

func (s *slots) of(process int32) int32 {
	if uint(process) < uint(len(s.dense)) {
		if n := s.dense[process]; n > 0 {
			return n - 1
		}
	} else if n, ok := s.sparse[process]; ok {
		return n
	}
	n := int32(len(s.numbers))
	s.numbers = append(s.numbers, process)
	if uint(process) >= maxDense {
		if s.sparse == nil {
			s.sparse = map[int32]int32{}
		}
		s.sparse[process] = n
		return n
	}
	if int(process) >= len(s.dense) {
		s.dense = append(s.dense, make([]int32, max(int(process)+1, 2*len(s.dense))-len(s.dense))...)
	}
	s.dense[process] = n + 1
	return n
}

// table numbers keys as they come. There may be many for each process: it takes 4 to 8 bytes a key besides the key, of
// which a map takes some 40.
type table[K comparable] struct {
	seed  maphash.Seed
	slots []uint32 // 1 + number, where the hash of the key says or behind that; at least half are 0
	keys  []K
}

// pairTable numbers pairs of numbers, which a key holds in its halves.
type pairTable struct{ table[uint64] }

func (t *pairTable) of(a, b uint32) uint32 {
	return t.number(uint64(a)<<32 | uint64(b))
}

// number is the number of a key.
func (t *table[K]) number(key K) uint32 {
	if 2*len(t.keys) >= len(t.slots) {
		t.grow()
	}
	slot := t.find(key)
	if *slot == 0 {
		t.keys = append(t.keys, key)
		*slot = uint32(len(t.keys))
	}
	return *slot - 1
}

// find is the slot of a key, or the one where it would be.
func (t *table[K]) find(key K) *uint32 {
	for i := maphash.Comparable(t.seed, key); ; i++ {
		if s := &t.slots[i&uint64(len(t.slots)-1)]; *s == 0 || t.keys[*s-1] == key {
			return s
		}
	}
}

func (t *table[K]) grow() {
	if t.slots == nil {
		t.seed = maphash.MakeSeed()
	}
	t.slots = make([]uint32, max(256, 2*len(t.slots)))
	for n, key := range t.keys {
		*t.find(key) = uint32(n) + 1
	}
}
