package grammar

import "math/bits"

// digrams is an open-addressing hash table of digrams, each named by its left
// node. A slot holds the node in its upper half and the digram's hash in its
// lower one, so that neither growing nor a failed probe touches the nodes.
type digrams struct {
	slots []uint64 // zero: free
	used  int
}

const minSlots = 8

func digramHash(a uint32, i uint64, b uint32, j uint64) uint32 {
	const k1, k2 = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93
	h, l := bits.Mul64((uint64(a)<<32|uint64(b))^k1, k2)
	h ^= l
	if i|j != 1 {
		h2, l2 := bits.Mul64(i*k1+bits.RotateLeft64(j, 29), k2)
		h ^= h2 ^ l2
		h *= k1
	}
	return uint32(h ^ h>>32)
}

// find returns the node at which the digram with hash h of x and y starts, or 0
// and the slot where it belongs.
func (d *digrams) find(nodes []node, h uint32, x, y *node) (n, slot uint32) {
	mask := uint32(len(d.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		e := d.slots[i]
		if e == 0 {
			return 0, i
		}
		if uint32(e) != h {
			continue
		}
		n = uint32(e >> 32)
		p := &nodes[n]
		q := &nodes[p.next]
		if p.id == x.id && q.id == y.id && p.count == x.count && q.count == y.count {
			return n, i
		}
	}
}

// put enters the digram with hash h that starts at node n into the slot that find returned.
func (d *digrams) put(slot, h, n uint32) {
	d.slots[slot] = uint64(n)<<32 | uint64(h)
	d.used++
	if d.used >= len(d.slots)-len(d.slots)/4 {
		d.grow()
	}
}

// remove deletes the digram with hash h that starts at node n. Slots behind it
// move up, so there are no marks of deleted entries that would slow down probes.
func (d *digrams) remove(h, n uint32) {
	mask := uint32(len(d.slots) - 1)
	want := uint64(n)<<32 | uint64(h)
	i := h & mask
	for d.slots[i] != want {
		i = (i + 1) & mask
	}
	for j := i; ; {
		j = (j + 1) & mask
		e := d.slots[j]
		if e == 0 {
			break
		}
		// e may fill the hole unless its home lies behind the hole.
		if (j-uint32(e)&mask)&mask >= (j-i)&mask {
			d.slots[i] = e
			i = j
		}
	}
	d.slots[i] = 0
	d.used--
}

func (d *digrams) grow() {
	old := d.slots
	d.slots = make([]uint64, 2*len(old))
	mask := uint32(len(d.slots) - 1)
	for _, e := range old {
		if e == 0 {
			continue
		}
		i := uint32(e) & mask
		for d.slots[i] != 0 {
			i = (i + 1) & mask
		}
		d.slots[i] = e
	}
}
